//! Lists as texts: split into their items, and made of them.

use super::escapes::escape;

/// The items of a list; none if the text is no list.
#[must_use]
pub fn split(list: &str) -> Option<Vec<String>> {
    let mut items = Vec::new();
    let mut rest = list.trim_start_matches(is_space);
    while let Some(first) = rest.chars().next() {
        let item;
        match first {
            '{' => {
                let end = closing(rest)?;
                item = rest.get(1..end)?.to_owned();
                rest = rest.get(end + 1..)?;
                if !(rest.is_empty() || rest.starts_with(is_space)) {
                    return None;
                }
            }
            _ => {
                let quoted = first == '"';
                let mut text = String::new();
                rest = if quoted { rest.get(1..)? } else { rest };
                loop {
                    let Some(c) = rest.chars().next() else {
                        if quoted {
                            return None;
                        }
                        break;
                    };
                    if quoted && c == '"' {
                        rest = rest.get(1..)?;
                        if !(rest.is_empty() || rest.starts_with(is_space)) {
                            return None;
                        }
                        break;
                    }
                    if !quoted && is_space(c) {
                        break;
                    }
                    rest = rest.get(c.len_utf8()..)?;
                    if c == '\\' {
                        let length = escape(rest, &mut text);
                        rest = rest.get(length..)?;
                    } else {
                        text.push(c);
                    }
                }
                item = text;
            }
        }
        items.push(item);
        rest = rest.trim_start_matches(is_space);
    }
    Some(items)
}

/// The list of items.
#[must_use]
pub fn joined<'t>(items: impl IntoIterator<Item = &'t str>) -> String {
    let mut list = String::new();
    for (place, item) in items.into_iter().enumerate() {
        if place > 0 {
            list.push(' ');
        }
        list.push_str(&quoted(item, place == 0));
    }
    list
}

/// An item as it is written in a list.
#[must_use]
pub fn quoted(item: &str, first: bool) -> String {
    if item.is_empty() {
        return "{}".to_owned();
    }
    let special =
        |c: char| is_space(c) || matches!(c, '"' | '{' | '}' | '[' | ']' | '$' | ';' | '\\');
    if !(item.contains(special) || first && item.starts_with('#')) {
        return item.to_owned();
    }
    if is_balanced(item) {
        return format!("{{{item}}}");
    }
    let mut text = String::new();
    for c in item.chars() {
        match c {
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            '\r' => text.push_str("\\r"),
            '\x0b' => text.push_str("\\v"),
            '\x0c' => text.push_str("\\f"),
            c if special(c) || c == '#' => {
                text.push('\\');
                text.push(c);
            }
            c => text.push(c),
        }
    }
    text
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

/// Whether a text may stand in braces as it is.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0i64;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth < 0 {
                    return false;
                }
            }
            b'\\' => match bytes.next() {
                None | Some(b'\n') => return false,
                Some(_) => {}
            },
            _ => {}
        }
    }
    depth == 0
}

/// The position of the brace that closes the one that a text starts with.
pub(super) fn closing(text: &str) -> Option<usize> {
    let mut depth = 0u32;
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}
