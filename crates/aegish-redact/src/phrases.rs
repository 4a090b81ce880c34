//! Secrets that are found by a fixed phrase before them: statements of databases, elements of XML.

use crate::{Secret, named, names, word};

/// Words before the quoted password of a database user, in upper case.
const BEFORE: &[&str] =
    &["IDENTIFIED BY ", "WITH PASSWORD ", "ENCRYPTED PASSWORD ", " PASSWORD ", "PASSWORD("];

/// Adds secrets behind such a phrase.
pub(crate) fn find(text: &str, into: &mut Vec<Secret>) {
    statements(text, into);
    elements(text, into);
}

/// `CREATE USER joe IDENTIFIED BY 'X'`
fn statements(text: &str, into: &mut Vec<Secret>) {
    let upper = text.to_ascii_uppercase();
    for phrase in BEFORE {
        for (at, _) in upper.match_indices(phrase) {
            let from = at + phrase.len();
            let rest = text.get(from..).unwrap_or_default();
            let quote = rest.trim_start_matches('\\').chars().next();
            // ` password 'x'` in lower case may as well be an operand of `grep`.
            let shouted = *phrase != " PASSWORD " || text.get(at..from) == Some(*phrase);
            if !matches!(quote, Some('\'' | '"')) || !shouted {
                continue;
            }
            let found = word::value(text, from);
            if text.get(found.clone()).is_some_and(named::hides) {
                into.push(Secret { start: found.start, end: found.end, kind: "password" });
            }
        }
    }
}

/// `<password>X</password>`
fn elements(text: &str, into: &mut Vec<Secret>) {
    for (end, _) in text.match_indices("</") {
        let name = text.get(end + 2..).and_then(|rest| rest.split('>').next()).unwrap_or_default();
        let Some(kind) = names::kind_of(name.trim()) else { continue };
        let before = text.get(..end).unwrap_or_default();
        let Some(start) = before.rfind('>').map(|at| at + 1) else { continue };
        let value = before.get(start..).unwrap_or_default();
        if named::hides(value) && !value.contains('\n') {
            into.push(Secret { start, end, kind });
        }
    }
}
