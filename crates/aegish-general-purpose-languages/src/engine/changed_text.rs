//! Perl's `s///` and `tr///`: a variable's text is replaced.

use super::cursor::Cursor;
use super::interpreter::Interpreter;
use super::lex::TokenKind;
use super::object::Object;
use super::texts::translate;
use aegish_values::Value;

/// Why the text of a variable is not known after a pattern has changed it.
pub(super) const CHANGED_TEXT: &str = "changed text";

/// Characters with a meaning in a pattern.
const SPECIAL: &[char] =
    &['\\', '.', '[', ']', '(', ')', '{', '}', '*', '+', '?', '|', '^', '$', '@'];

impl Interpreter<'_> {
    /// Changes a variable if `s///` or `tr///` follows, and returns its new value.
    pub(super) fn change_text(&mut self, c: &mut Cursor<'_>, key: &str) -> Option<Object> {
        let (pattern, second) = (c.at(0)?, c.at(1)?);
        let letters = match (pattern.kind, second.kind) {
            (TokenKind::Regex, TokenKind::Letters) => true,
            (TokenKind::Regex, TokenKind::Replacement) => false,
            _ => return None,
        };
        c.pos += 2;
        let before = self.vars.get(key).cloned().unwrap_or(Object::Other);
        let Object::Text(before) = before else { return Some(Object::Other) };
        self.burn(before.known_prefix().len() / 64);
        let plain = !pattern.text.is_empty() && !pattern.text.contains(SPECIAL);
        let with = self.interpolate(second.text, self.dialect.double);
        let after = match (before.as_known(), with.as_known()) {
            (Some(text), _) if letters && plain => {
                Value::known(translate(text, pattern.text, second.text))
            }
            (Some(text), Some(with))
                if plain && !letters && text.len() * (with.len() + 1) < super::decode::LIMIT =>
            {
                Value::known(text.replace(pattern.text, with))
            }
            _ => Value::unknown(CHANGED_TEXT),
        };
        let after = Object::Text(after.tainted(before.taint()));
        self.set(key, after.clone());
        Some(after)
    }
}
