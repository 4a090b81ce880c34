//! Texts of which the program sets an item.

use super::Interpreter;
use crate::ir::Expr;
use crate::language::Language;
use crate::value::{Val, part_of};
use aegish_values::Value;

impl Interpreter<'_> {
    /// A text with an item that was set, in place of the old one.
    pub(super) fn put_text(&mut self, of: &Expr, old: &Val, new: Val) {
        self.text_changed(old, &new);
        match of {
            Expr::Name(name) if self.scope.find(name).is_some() => self.bind(name, new),
            Expr::Attribute(object, name) => {
                let object = self.expr(object);
                self.set_attribute(&object, name, new);
            }
            Expr::Index(parts) => {
                let [object, index] = &**parts;
                let object = self.expr(object);
                let index = self.expr(index);
                self.set_index(&object, &index, new);
            }
            _ => {}
        }
    }
}

/// A text after one of its items was set; none if the value is no text, or one of a language whose texts do not change.
pub(super) fn changed_text(
    language: Language,
    object: &Val,
    index: &Val,
    value: &Val,
) -> Option<Val> {
    let Val::Text(text) = object else { return None };
    if !matches!(language, Language::Php | Language::Ruby | Language::Python) {
        return None;
    }
    let changed = || {
        let known = text.as_known()?;
        let item = match (language, value) {
            (Language::Python, Val::Int(code)) => crate::numbers::character(*code)?.to_string(),
            (Language::Php, _) => value.as_known()?.chars().next()?.to_string(),
            (Language::Ruby, _) => value.as_known()?,
            _ => return None,
        };
        if let (Language::Ruby, Val::Text(part)) = (language, index) {
            return Some(known.replacen(part.as_known()?, &item, 1));
        }
        let chars: Vec<char> = known.chars().collect();
        let at = crate::numbers::place_in(index.as_int()?, chars.len())?;
        let (before, after) = chars.split_at_checked(at)?;
        let after = after.iter().skip(1);
        Some(before.iter().copied().chain(item.chars()).chain(after.copied()).collect::<String>())
    };
    Some(match changed() {
        Some(known) => Val::Text(Value::known(known).tainted(text.taint())),
        None => Val::Text(part_of(text)),
    })
}
