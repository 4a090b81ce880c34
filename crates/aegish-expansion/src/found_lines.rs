//! The lines that `find` writes for the files that it finds.

use crate::search::{Search, found};
use aegish_values::{Piece, Value};

/// What `-printf` and its like write for the files that are found.
#[must_use]
pub fn lines_of<'a>(
    roots: impl Iterator<Item = &'a Value>,
    search: &Search,
    format: Option<&Value>,
    narrowed: bool,
) -> Value {
    let named = |name: &&Value| name.as_known().is_some_and(|n| !n.contains(['*', '?', '[']));
    let mut out = Value::empty();
    for root in roots {
        match search.names.as_slice() {
            [name] if named(&name) && search.paths.is_empty() => {
                let mut path = root.clone();
                if root.as_known() == Some("/") {
                    path.push(Piece::AnyString);
                }
                path.push_str("/");
                path.append(name);
                out.append(&formatted_path(&path, format));
            }
            [] if search.paths.is_empty() && !narrowed => {
                // What is below is found too, if it is a directory.
                out.append(&formatted_path(root, format));
                // A name that the text tells apart later may be any below it.
                if root.known_prefix().starts_with(['/', '~']) {
                    let mut path = root.clone();
                    path.push_str(if root.known_suffix().ends_with('/') { "" } else { "/" });
                    path.push(Piece::AnyString);
                    out.append(&formatted_path(&path, format));
                }
                out.push(Piece::Unknown("found file"));
            }
            _ => {
                for path in found(root, search) {
                    out.append(&formatted_path(&path, format));
                }
            }
        }
    }
    out
}

/// The text that a format of `-printf` makes of a path.
#[must_use]
pub fn formatted_path(path: &Value, format: Option<&Value>) -> Value {
    let Some(text) = format.and_then(Value::as_known) else {
        return Value::unknown("file names");
    };
    let (directory, name) = match path.as_known().and_then(|path| path.rsplit_once('/')) {
        Some((directory, name)) => (Value::known(directory), Value::known(name)),
        None if path.is_known() => (Value::known("."), path.clone()),
        None => (Value::unknown("found directory"), path.clone()),
    };
    let mut out = Value::empty().tainted(path.taint());
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        match c {
            '%' => match letters.by_ref().find(|c| !"-+ #0123456789.".contains(*c)) {
                Some('p' | 'P') => out.append(path),
                Some('f') => out.append(&name),
                Some('h') => out.append(&directory),
                Some('%') => out.push_str("%"),
                _ => out.push(Piece::Unknown("file names")),
            },
            '\\' => match escaped(&mut letters) {
                Some(Escape::Letter(c)) => out.push_str(c.encode_utf8(&mut [0; 4])),
                Some(Escape::End) => break,
                None => out.push(Piece::Unknown("file names")),
            },
            c => out.push_str(c.encode_utf8(&mut [0; 4])),
        }
    }
    out
}

/// What a backslash and the letters behind it mean in a format.
enum Escape {
    Letter(char),
    /// Nothing more is printed.
    End,
}

fn escaped(letters: &mut std::str::Chars<'_>) -> Option<Escape> {
    let number = |letters: &mut std::str::Chars<'_>, first: u32, base: u32, most: usize| {
        let mut code = first;
        for _ in 0..most {
            let Some(digit) = letters.clone().next().and_then(|c| c.to_digit(base)) else { break };
            code = code * base + digit;
            letters.next();
        }
        char::from_u32(code).filter(char::is_ascii)
    };
    Some(Escape::Letter(match letters.next()? {
        'a' => '\x07',
        'b' => '\x08',
        'e' => '\x1b',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        'c' => return Some(Escape::End),
        'x' => number(letters, 0, 16, 2)?,
        c @ '0'..='7' => number(letters, c.to_digit(8)?, 8, 2)?,
        c @ ('\\' | '"' | '\'') => c,
        _ => return None,
    }))
}

/// What `stat` prints with this format, if the format itself says something; `escapes` are those of `--printf`.
#[must_use]
pub fn formatted_status(format: &str, escapes: bool) -> Option<Value> {
    let mut out = Value::empty();
    let mut letters = format.chars();
    while let Some(c) = letters.next() {
        match c {
            '%' => match letters.by_ref().find(|c| !"-+ #0123456789.'HL".contains(*c)) {
                Some('%') => out.push_str("%"),
                _ => out.push(Piece::Unknown("file names")),
            },
            '\\' if escapes => match escaped(&mut letters) {
                Some(Escape::Letter(c)) => out.push_str(c.encode_utf8(&mut [0; 4])),
                Some(Escape::End) => break,
                None => return Some(Value::one_of_many_values()),
            },
            c => out.push_str(c.encode_utf8(&mut [0; 4])),
        }
    }
    if !escapes {
        out.push_str("\n");
    }
    out.has_name().then_some(out)
}
