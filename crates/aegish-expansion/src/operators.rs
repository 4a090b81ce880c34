//! The operators of `${x…}` on known text.

use aegish_syntax::ReplaceScope;
use aegish_values::pattern::{self, Node};
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, join_values};

/// The elements of a list from `start`, which counts from the end if it is negative; `None` if it is not in the list.
pub fn slice<T>(items: &[T], start: i64, count: Option<i64>) -> Option<&[T]> {
    let length = i64::try_from(items.len()).ok()?;
    let from = if start < 0 { length + start } else { start };
    if from < 0 || from > length {
        return None;
    }
    let to = match count {
        None => length,
        Some(count) if count < 0 => length + count,
        Some(count) => (from + count).min(length),
    };
    items.get(usize::try_from(from).ok()?..usize::try_from(to).ok()?)
}

/// `${x:start:count}`; also of a value whose beginning is known, as far as the beginning reaches.
pub fn substring(value: &Value, start: i64, count: Option<i64>) -> Option<Value> {
    if start == 0 && count.is_none() {
        return Some(value.clone());
    }
    let cut = |text: &str| -> String {
        let chars: Vec<char> = text.chars().collect();
        slice(&chars, start, count).unwrap_or(&[]).iter().collect()
    };
    if let Some(texts) = value.readings(MAX_ALTERNATIVES) {
        return Some(Value::one_of(texts.iter().map(|text| cut(text))).tainted(value.taint()));
    }
    // One of several texts, and maybe something else.
    if let [Piece::OneOf(texts), rest @ ..] = value.pieces()
        && matches!(rest, [Piece::Unknown(_)])
    {
        let mut cuts = Value::one_of(texts.iter().map(|text| cut(text)));
        rest.iter().for_each(|piece| cuts.push(piece.clone()));
        return Some(cuts.tainted(value.taint()));
    }
    if !value.is_mixed() {
        return None;
    }
    let prefix: Vec<char> = value.known_prefix().chars().collect();
    let within = || {
        let (start, count) = (usize::try_from(start).ok()?, usize::try_from(count?).ok()?);
        prefix.get(start..start.checked_add(count)?)
    };
    let behind = usize::try_from(start).ok().filter(|_| count.is_none());
    if let Some(head) = behind.and_then(|start| prefix.get(..start)) {
        return Some(value.tail(head.iter().map(|c| c.len_utf8()).sum()));
    }
    if let Some(cut) = within() {
        return Some(Value::known(cut.iter().collect::<String>()).tainted(value.taint()));
    }
    // What comes from outside may be empty, and may be anything else.
    let cut = substring(&value.without_unknown(), start, count).filter(Value::has_name)?;
    Some(join_values(&cut, &Value::unknown("substring")).tainted(value.taint()))
}

/// `${x#pattern}`, `${x##pattern}`; `None` if that takes too much work, as in the functions below.
pub fn remove_prefix(text: &str, pattern: &[Node], longest: bool) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let cuts = pattern::prefixes(pattern, &chars, &mut 0)?;
    let cut = if longest { cuts.last() } else { cuts.first() }.copied().unwrap_or(0);
    Some(chars.get(cut..).unwrap_or_default().iter().collect())
}

/// `${x%pattern}`, `${x%%pattern}`
pub fn remove_suffix(text: &str, pattern: &[Node], longest: bool) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let cuts = pattern::suffixes(pattern, &chars, &mut 0)?;
    let cut = if longest { cuts.last() } else { cuts.first() }.copied().unwrap_or(0);
    Some(chars.get(..chars.len() - cut).unwrap_or_default().iter().collect())
}

/// Text of a replacement that stands for itself: `&` and backslashes are quoted.
pub fn quoted_replacement(text: &str) -> String {
    text.replace('\\', "\\\\").replace('&', "\\&")
}

/// A replacement in which `&` is the text that was matched, and `\&` and `\\` stand for the second character.
fn filled(with: &str, matched: &[char]) -> String {
    let mut filled = String::with_capacity(with.len());
    let mut chars = with.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '&' => filled.extend(matched),
            '\\' => filled.push(chars.next_if(|next| matches!(next, '&' | '\\')).unwrap_or(c)),
            c => filled.push(c),
        }
    }
    filled
}

/// `${x/pattern/with}`; with `folds`, where case does not matter, the pattern is in small letters.
pub fn replace(
    text: &str,
    pattern: &[Node],
    with: &str,
    scope: ReplaceScope,
    folds: bool,
) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let small = |c: &char| if folds { c.to_lowercase().next().unwrap_or(*c) } else { *c };
    let compared: Vec<char> = chars.iter().map(small).collect();
    let anchored = matches!(scope, ReplaceScope::Prefix | ReplaceScope::Suffix);
    if pattern.is_empty() && !anchored {
        return Some(text.to_owned());
    }
    let mut work = 0;
    let mut result = String::new();
    let mut at = 0;
    if scope == ReplaceScope::Suffix {
        let Some(length) = pattern::suffixes(pattern, &compared, &mut work)?.last().copied() else {
            return Some(text.to_owned());
        };
        at = chars.len() - length;
        result.extend(chars.get(..at).unwrap_or_default());
    }
    while at <= chars.len() {
        let rest = chars.get(at..).unwrap_or_default();
        let hit = match scope {
            ReplaceScope::Suffix => Some(rest.len()),
            _ => {
                let rest = compared.get(at..).unwrap_or_default();
                pattern::prefixes(pattern, rest, &mut work)?.last().copied()
            }
        };
        if let Some(length) = hit.filter(|length| *length > 0 || anchored) {
            result.push_str(&filled(with, rest.get(..length).unwrap_or_default()));
            at += length;
            if scope != ReplaceScope::All {
                break;
            }
            continue;
        }
        let Some(c) = rest.first().filter(|_| scope != ReplaceScope::Prefix) else { break };
        result.push(*c);
        at += 1;
    }
    result.extend(chars.get(at..).unwrap_or_default());
    Some(result)
}

/// `${x^pattern}`, `${x,,pattern}`
pub fn change_case(text: &str, change: char, all: bool, filter: Option<&[Node]>) -> Option<String> {
    let mut result = String::with_capacity(text.len());
    for (index, c) in text.chars().enumerate() {
        let selected = (all || index == 0)
            && match filter {
                None | Some([]) => true,
                Some(nodes) => pattern::matches(nodes, &[c])?,
            };
        if !selected {
            result.push(c);
            continue;
        }
        let upper = match change {
            '^' => true,
            ',' => false,
            _ => c.is_lowercase(),
        };
        if upper {
            result.extend(c.to_uppercase());
        } else {
            result.extend(c.to_lowercase());
        }
    }
    Some(result)
}

/// `${x@Q}`: the text in single quotes, or as `$'…'` if it has control characters.
#[must_use]
pub fn in_quotes(text: &str) -> String {
    if !text.contains(|c: char| c.is_control()) {
        return format!("'{}'", text.replace('\'', "'\\''"));
    }
    let mut quoted = String::from("$'");
    for c in text.chars() {
        match c {
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\t' => quoted.push_str("\\t"),
            '\n' => quoted.push_str("\\n"),
            '\x0b' => quoted.push_str("\\v"),
            '\x0c' => quoted.push_str("\\f"),
            '\r' => quoted.push_str("\\r"),
            '\x1b' => quoted.push_str("\\E"),
            '\\' | '\'' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let mut buffer = [0; 4];
                let bytes = c.encode_utf8(&mut buffer).bytes();
                quoted.extend(bytes.map(|byte| format!("\\{byte:03o}")));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}

/// Pieces of values that are no text, each with a private character that stands for it in a text.
#[derive(Default)]
pub struct Marks(Vec<Piece>);

/// First of the private characters.
const FIRST_MARK: u32 = 0xF_0000;

impl Marks {
    /// The text of a value, with a mark for each piece that is none; `None` if there are too many.
    pub fn text(&mut self, value: &Value) -> Option<String> {
        let mut text = String::new();
        for piece in value.pieces() {
            match piece {
                Piece::Text(part) => text.push_str(part),
                other => {
                    let mark = FIRST_MARK.checked_add(u32::try_from(self.0.len()).ok()?)?;
                    text.push(char::from_u32(mark)?);
                    self.0.push(other.clone());
                }
            }
        }
        Some(text)
    }

    /// The value of a text with marks.
    pub fn value(&self, text: &str) -> Value {
        let mut value = Value::empty();
        for c in text.chars() {
            let at = u32::from(c).checked_sub(FIRST_MARK).and_then(|at| usize::try_from(at).ok());
            match at.and_then(|at| self.0.get(at)) {
                Some(piece) => value.push(piece.clone()),
                None => value.push_str(c.encode_utf8(&mut [0; 4])),
            }
        }
        value
    }
}

/// A prompt with its escapes for characters carried out; `None` if it has others.
pub fn prompt(text: &str) -> Option<String> {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let digits = after.bytes().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
        if digits == 3 {
            plain.push(char::from(u8::from_str_radix(after.get(..3).unwrap_or_default(), 8).ok()?));
            rest = after.get(3..).unwrap_or_default();
            continue;
        }
        let c = after.chars().next()?;
        match c {
            'n' => plain.push('\n'),
            'e' => plain.push('\x1b'),
            'a' => plain.push('\x07'),
            'r' => plain.push('\r'),
            '[' | ']' => {}
            // Protected from the expansion that comes next.
            '\\' => plain.push_str("\\\\"),
            '$' | '`' | '"' => plain.extend(['\\', c]),
            _ => return None,
        }
        rest = after.get(c.len_utf8()..).unwrap_or_default();
    }
    plain.push_str(rest);
    Some(plain)
}
