//! What programs compute of the text of their words, and names that they choose.

use crate::{Field, arguments};
use aegish_values::{Piece, Value, join_values, origin};

/// Whether code on the command line makes what it prints of its own texts and numbers alone.
#[must_use]
pub fn computes_in_code(base: &str, words: &[Field]) -> bool {
    const OUTSIDE: [&str; 24] = [
        "process", "os", "sys", "platform", "env", "ENV", "require", "import", "Date", "time",
        "Time", "argv", "ARGV", "version", "VERSION", "File", "open", "rand", "RbConfig", "Gem",
        "stdin", "STDIN", "date", "read",
    ];
    let outside = |text: &str| {
        let word = |c: char| !(c.is_alphanumeric() || c == '_');
        text.split(word).any(|name| OUTSIDE.contains(&name))
    };
    let says = |text: &str| text.contains(['"', '\'']) || text.matches(',').count() > 2;
    codes(base, words).any(|text| says(text) && !outside(text))
}

/// Whether code on the command line puts texts of its own together, whatever else it knows.
#[must_use]
pub fn joins_in_code(base: &str, words: &[Field]) -> bool {
    codes(base, words).any(joins_texts)
}

/// The code that the words of an interpreter are.
fn codes<'w>(base: &str, words: &'w [Field]) -> impl Iterator<Item = &'w str> {
    let names = ["node", "perl", "php", "ruby", "lua", "python"];
    let interprets = names.iter().any(|name| {
        base.strip_prefix(name).is_some_and(|rest| !rest.contains(char::is_alphabetic))
    });
    let code = move |pair: &'w [Field]| {
        let [option, code] = pair else { return None };
        let takes = option.value.as_known().is_some_and(|option| {
            option.starts_with('-') && option.ends_with(['e', 'p', 'c', 'r'])
        });
        code.value.as_known().filter(|_| interprets && takes)
    };
    words.windows(2).filter_map(code)
}

/// Whether code puts texts of its own together: `"a" + "b"`, `"a" . "b"`, `["a", "b"]`.
fn joins_texts(code: &str) -> bool {
    let mut parts = code.split(['"', '\'']);
    let mut before = parts.next().unwrap_or_default();
    while let (Some(text), Some(between)) = (parts.next(), parts.next()) {
        let named = text.contains(char::is_alphanumeric);
        let joined = matches!(between.trim(), "+" | ".")
            || between.trim() == "," && before.trim_end().ends_with('[');
        let next = parts.clone().next().is_some_and(|next| next.contains(char::is_alphanumeric));
        if named && joined && next {
            return true;
        }
        before = between;
    }
    false
}

/// Names in a directory that `grep` lets through: the one that its expression spells, or others.
#[must_use]
pub fn chosen_names(fields: &[Field]) -> Option<Value> {
    let [expression] = arguments(fields) else { return None };
    let text = expression.value.as_known()?;
    let letters = text.trim_start_matches('^').trim_end_matches('$');
    let plain = |c: char| c.is_alphanumeric() || "_-".contains(c);
    if letters.is_empty() || !letters.chars().all(plain) {
        return None;
    }
    let name = Value::known(format!("{letters}\n"));
    Some(match (text.starts_with('^'), text.ends_with('$')) {
        (true, true) => name,
        (false, false) => join_values(&name, &Value::unknown(origin::PROGRAM_OUTPUT)),
        (begins, _) => {
            let mut names = Value::empty();
            if !begins {
                names.push(Piece::AnyString);
            }
            names.push_str(letters);
            if begins {
                names.push(Piece::AnyString);
            }
            names.push_str("\n");
            names
        }
    })
}
