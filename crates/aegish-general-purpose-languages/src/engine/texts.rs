//! Pure functions over known texts and lists that need nothing but their arguments.

use super::decode;
use super::interpreter::taint_of;
use super::object::Object;
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
pub(super) fn join(list: &[Object]) -> Object {
    let (separator, items): (Value, &[Object]) = match list {
        [Object::List(items), separator, ..] => (separator.text(), items),
        [separator, Object::List(items)] => (separator.text(), items),
        [Object::List(items)] => (Value::empty(), items),
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

pub(super) fn split(list: &[Object]) -> Option<Object> {
    let (subject, separator) = (list.first()?, list.get(1));
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
