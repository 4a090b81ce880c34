//! Words that stand in files or variables instead of on the command line: lists of files, response files (`@FILE`),
//! options in the environment (`TAR_OPTIONS`).

use super::given_code::split_words;
use super::{FileContent, Interp};
use aegish_analysis::EffectKind;
use aegish_expansion::Field;
use aegish_profiles::{ArgumentRole, Profile, Style, Trait};
use aegish_syntax::Span;
use aegish_values::Value;

/// Response files in response files that are followed.
const MAX_NESTED: usize = 8;

impl Interp<'_> {
    /// Reads the files that a list names, one on each line or each ended by a zero byte.
    pub(super) fn read_listed(&mut self, list: &Value, span: Span) {
        self.read_list(list, MAX_NESTED, span);
    }

    fn read_list(&mut self, list: &Value, deeper: usize, span: Span) {
        let content = match list.as_known() {
            Some("-" | "/dev/stdin") => self.stdin_content(),
            _ => {
                self.effect(EffectKind::Read { path: list.clone(), tree: false }, span);
                match self.file_content(list) {
                    FileContent::Written(content) => content,
                    _ => return,
                }
            }
        };
        let Some(text) = content.as_known() else {
            if content.is_one_of_own() || content.is_one_of_many_values() {
                self.effect(EffectKind::Read { path: content, tree: false }, span);
            }
            return;
        };
        let text = unescaped(text);
        let names: Vec<&str> = text.split(['\n', '\0']).filter(|name| !name.is_empty()).collect();
        if !self.spend(names.len() / 4, span) {
            return;
        }
        let mut directory = "";
        for name in names {
            if let Some(other) = name.strip_prefix("-C") {
                directory = other.trim();
                continue;
            }
            let other = name.strip_prefix("--files-from=").or(name.strip_prefix("-T"));
            if let Some(other) = other {
                match deeper {
                    0 => self.hidden_limit(span, "lists in lists of files"),
                    _ => self.read_list(&Value::known(other.trim()), deeper - 1, span),
                }
                continue;
            }
            let path = match directory.is_empty() || name.starts_with('/') {
                true => name.to_owned(),
                false => format!("{directory}/{name}"),
            };
            self.effect(EffectKind::Read { path: Value::known(path), tree: false }, span);
        }
    }

    /// The words with those in response files and in variables of the environment in their places; none if there are no
    /// such words.
    pub(super) fn with_words_from_elsewhere(
        &mut self,
        profile: &'static Profile,
        fields: &[Field],
    ) -> Option<Vec<Field>> {
        let mut words: Vec<Field> = fields.to_vec();
        let mut changed = false;
        for (name, _) in profile.env.iter().filter(|(_, role)| *role == ArgumentRole::Options) {
            let exported = self.state.variables.get(name).is_some_and(|variable| variable.exported);
            let value = self.lookup_scalar(name).filter(|_| exported);
            if let (Some(value), Some(first)) = (value, words.first().cloned()) {
                let text = value.as_known().unwrap_or_default();
                let given = split_words(text).into_iter().map(|text| Field {
                    value: Value::known(text).tainted(value.taint()),
                    span: first.span,
                });
                // `tar cf …`: options without a dash stand first.
                let bundled = |word: &Field| !word.value.known_prefix().starts_with('-');
                let last = profile.grammar.style == Style::Bsd && words.get(1).is_some_and(bundled);
                let at = if last { words.len() } else { 1 };
                words.splice(at..at, given);
                changed = true;
            }
        }
        if profile.has(Trait::ResponseFiles) {
            for _ in 0..MAX_NESTED {
                let is_file = |word: &Field| word.value.known_prefix().starts_with('@');
                let Some(at) = words.iter().position(is_file) else { break };
                let word = words.remove(at);
                let path = word.value.tail(1);
                self.effect(EffectKind::Read { path: path.clone(), tree: false }, word.span);
                if let FileContent::Written(content) = self.file_content(&path) {
                    let text = content.as_known().unwrap_or_default();
                    let more = split_words(text).into_iter().map(|text| Field {
                        value: Value::known(text).tainted(content.taint()),
                        span: word.span,
                    });
                    words.splice(at..at, more);
                }
                changed = true;
            }
        }
        changed.then_some(words)
    }
}

/// A list of files with the bytes that are written as numbers (`\141`).
fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    while let Some(c) = letters.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let mut code = 0;
        let mut digits = 0;
        while let Some(digit) = letters.peek().and_then(|c| c.to_digit(8)).filter(|_| digits < 3) {
            code = code * 8 + digit;
            digits += 1;
            letters.next();
        }
        match (digits, letters.peek()) {
            (0, Some('\\')) => {
                letters.next();
                out.push('\\');
            }
            (0, _) => out.push('\\'),
            _ => out.extend(char::from_u32(code)),
        }
    }
    out
}
