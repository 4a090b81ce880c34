//! The operators of `${x…}` on known text.

use aegish_syntax::ReplaceScope;
use aegish_values::Value;
use aegish_values::pattern::{self, Node};

pub(crate) fn slice<T>(items: &[T], start: i64, count: Option<i64>) -> Option<&[T]> {
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
pub(crate) fn substring(value: &Value, start: i64, count: Option<i64>) -> Option<Value> {
    if let Some(text) = value.as_known() {
        let chars: Vec<char> = text.chars().collect();
        let cut: String = slice(&chars, start, count).unwrap_or(&[]).iter().collect();
        return Some(Value::known(cut).tainted(value.taint()));
    }
    let prefix: Vec<char> = value.known_prefix().chars().collect();
    let (start, count) = (usize::try_from(start).ok()?, usize::try_from(count?).ok()?);
    let cut = prefix.get(start..start.checked_add(count)?)?;
    Some(Value::known(cut.iter().collect::<String>()).tainted(value.taint()))
}

pub(crate) fn remove_prefix(text: &str, pattern: &[Node], longest: bool) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let cuts: Box<dyn Iterator<Item = usize>> =
        if longest { Box::new((0..=chars.len()).rev()) } else { Box::new(0..=chars.len()) };
    for cut in cuts {
        if pattern::matches(pattern, chars.get(..cut).unwrap_or_default())? {
            return Some(chars.get(cut..).unwrap_or_default().iter().collect());
        }
    }
    Some(text.to_owned())
}

pub(crate) fn remove_suffix(text: &str, pattern: &[Node], longest: bool) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let cuts: Box<dyn Iterator<Item = usize>> =
        if longest { Box::new(0..=chars.len()) } else { Box::new((0..=chars.len()).rev()) };
    for cut in cuts {
        if pattern::matches(pattern, chars.get(cut..).unwrap_or_default())? {
            return Some(chars.get(..cut).unwrap_or_default().iter().collect());
        }
    }
    Some(text.to_owned())
}

pub(crate) fn replace(
    text: &str,
    pattern: &[Node],
    with: &str,
    scope: ReplaceScope,
) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    if pattern.is_empty() && !matches!(scope, ReplaceScope::Prefix | ReplaceScope::Suffix) {
        return Some(text.to_owned());
    }
    if chars.len() > 2000 {
        return None;
    }
    let mut result = String::new();
    let mut at = 0;
    while at <= chars.len() {
        let ends: Vec<usize> = match scope {
            ReplaceScope::Suffix => vec![chars.len()],
            _ => (at..=chars.len()).rev().collect(),
        };
        let mut hit = None;
        for end in ends {
            if (end > at || pattern.is_empty() || end == chars.len() && at == end)
                && pattern::matches(pattern, chars.get(at..end).unwrap_or_default())?
            {
                hit = Some(end);
                break;
            }
        }
        if let Some(end) = hit
            && (end > at || matches!(scope, ReplaceScope::Prefix | ReplaceScope::Suffix))
        {
            result.push_str(
                &with.replace(
                    '&',
                    &chars.get(at..end).unwrap_or_default().iter().collect::<String>(),
                ),
            );
            at = end;
            if scope != ReplaceScope::All {
                break;
            }
            continue;
        }
        let Some(c) = chars.get(at).filter(|_| scope != ReplaceScope::Prefix) else { break };
        result.push(*c);
        at += 1;
    }
    result.extend(chars.get(at..).unwrap_or_default());
    Some(result)
}

pub(crate) fn change_case(
    text: &str,
    change: char,
    all: bool,
    filter: Option<&[Node]>,
) -> Option<String> {
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
