//! Pure functions over known texts and lists that need nothing but their arguments.

use super::decode;
use super::interpreter::taint_of;
use super::object::Object;
use aegish_profiles::Lang;
use aegish_values::Value;

/// An unknown value with the sources of these values.
pub(super) fn derived(list: &[Object]) -> Object {
    Object::Text(Value::unknown("computed").tainted(&taint_of(list)))
}

pub(super) fn character(code: i64) -> Option<char> {
    u32::try_from(code).ok().and_then(char::from_u32)
}

pub(super) fn chars(list: &[Object]) -> Option<Object> {
    let mut text = String::new();
    for item in list {
        match item {
            Object::List(inner) => {
                for code in inner {
                    text.push(character(code.as_num()?)?);
                }
            }
            other => text.push(character(other.as_num()?)?),
        }
    }
    Some(Object::known(text))
}

/// `sep.join(list)`, `list.join(sep)`, `join(sep, a, b, c)`.
pub(super) fn join(list: &[Object], lang: Lang) -> Object {
    let (separator, items): (Value, &[Object]) = match list {
        [Object::List(items), separator, ..] => (separator.text(), items),
        [separator, Object::List(items)] => (separator.text(), items),
        [Object::List(items)] => (Value::empty(), items),
        [separator, items @ ..] if lang == Lang::Perl => (separator.text(), items),
        _ => return derived(list),
    };
    let mut out = Value::empty();
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.append(&separator);
        }
        out.append(&item.text());
        if out.pieces().len() > 256 || out.known_prefix().len() > decode::LIMIT {
            return derived(list);
        }
    }
    Object::Text(out)
}

pub(super) fn split(list: &[Object], lang: Lang) -> Option<Object> {
    let swap = lang == Lang::Perl;
    let (subject, separator) =
        if swap { (list.get(1)?, list.first()) } else { (list.first()?, list.get(1)) };
    let Some(text) = subject.as_known() else {
        // Parts of unknown content have the same source.
        let part = Object::Text(Value::unknown("part").tainted(subject.text().taint()));
        return (!part.text().taint().is_none()).then(|| Object::List(vec![part]));
    };
    let parts = match separator.and_then(Object::as_known) {
        Some(sep) if sep.is_empty() => text.chars().map(|c| Object::known(c.to_string())).collect(),
        Some(sep) if sep == " " => text.split_whitespace().map(Object::known).collect(),
        Some(sep) => text.split(sep.as_str()).map(Object::known).collect(),
        None if separator.is_none() => text.split_whitespace().map(Object::known).collect(),
        None => return None,
    };
    Some(Object::List(parts))
}

pub(super) fn translate(text: &str, from: &str, to: &str) -> String {
    let expand = |set: &str| -> Vec<char> {
        // Bounded: a set of characters to translate holds at most 256 of them.
        let chars: Vec<char> = set.chars().take(512).collect();
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(first) = chars.get(at) {
            if let (Some('-'), Some(last)) = (chars.get(at + 1), chars.get(at + 2)) {
                // Bounded: as above.
                out.extend((*first..=*last).take(512));
                at += 3;
            } else {
                out.push(*first);
                at += 1;
            }
        }
        out
    };
    let (from, to) = (expand(from), expand(to));
    text.chars()
        .map(|c| {
            from.iter()
                .position(|f| *f == c)
                .and_then(|n| to.get(n).or(to.last()))
                .copied()
                .unwrap_or(c)
        })
        .collect()
}
