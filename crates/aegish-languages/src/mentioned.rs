//! Files that texts of a program name.
//!
//! A language that is read without a grammar has calls that its table does not know. What a text in its code names
//! may be opened by one of them, so each absolute path counts as handed to something unknown.

use super::CodeEffect;
use aegish_values::Value;

/// Adds a mention for each quoted path of the code that no effect names yet.
pub(super) fn add_mentions(code: &str, effects: &mut Vec<CodeEffect>) {
    let before = effects.len();
    for text in quoted_texts(code).filter(|text| names_file(text)) {
        let path = Value::known(text);
        let known = effects.iter().any(|effect| match effect {
            CodeEffect::Read(named) | CodeEffect::Mention(named) | CodeEffect::List(named) => {
                *named == path
            }
            CodeEffect::Write { path: named, .. } | CodeEffect::Delete { path: named, .. } => {
                *named == path
            }
            _ => false,
        });
        if !known {
            effects.push(CodeEffect::Mention(path));
        }
        if effects.len() - before > MAX_MENTIONS {
            effects.push(CodeEffect::Hidden);
            return;
        }
    }
}

/// Most paths of a text; more are reported as hidden.
const MAX_MENTIONS: usize = 1024;

/// Whether a text can only be meant as the name of a file: an absolute path, or one below a home directory.
#[must_use]
pub fn names_file(text: &str) -> bool {
    let path = text.strip_prefix('~').unwrap_or(text);
    path.starts_with('/') && !path.ends_with('/') && !path.contains(char::is_whitespace)
}

/// The texts between two equal quotes on one line. Escapes are left as they are: a path needs none.
pub fn quoted_texts(code: &str) -> impl Iterator<Item = &str> {
    code.lines().flat_map(|line| {
        ['"', '\''].into_iter().flat_map(move |quote| {
            line.split(quote).skip(1).zip(line.split(quote).skip(2)).map(|(text, _)| text)
        })
    })
}
