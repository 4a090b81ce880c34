//! Merges `extra` into a body and keeps the order of everything else.
//!
//! The order matters: models answer in the order of a schema's properties, and provider caches require
//! identical bytes. A parsed [`Value`] would sort the keys.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The members of an object as written.
struct Members<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// Merges objects by key, replaces everything else, removes what is `null`; new keys come last.
pub(super) fn merge(object: &str, extra: &Map<String, Value>) -> serde_json::Result<String> {
    let Members(members) = serde_json::from_str(object)?;
    let mut out = Vec::new();
    for (key, old) in &members {
        let text = match extra.get(key) {
            Some(Value::Null) => continue,
            Some(Value::Object(new)) if old.get().starts_with('{') => merge(old.get(), new)?,
            Some(new) => new.to_string(),
            None => old.get().to_owned(),
        };
        out.push((key, text));
    }
    for (key, value) in extra {
        if !value.is_null() && !members.iter().any(|(old, _)| old == key) {
            out.push((key, value.to_string()));
        }
    }
    let mut text = String::from("{");
    for (at, (key, value)) in out.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(&serde_json::to_string(key)?);
        text.push(':');
        text.push_str(value);
    }
    text.push('}');
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(object: &str, extra: &str) -> String {
        let extra: Value = serde_json::from_str(extra).expect("JSON");
        merge(object, extra.as_object().expect("an object")).expect("merged")
    }

    #[test]
    fn order_and_spelling_stay_and_new_keys_come_last() {
        assert_eq!(
            merged(r#"{"z":1.50,"a":{"q":1,"b":2}}"#, r#"{"c":3,"a":{"q":9}}"#),
            r#"{"z":1.50,"a":{"q":9,"b":2},"c":3}"#
        );
    }

    #[test]
    fn null_removes_and_other_kinds_replace() {
        assert_eq!(
            merged(r#"{"a":1,"b":{"c":1},"d":[1]}"#, r#"{"a":null,"b":[2],"d":{"e":1},"x":null}"#),
            r#"{"b":[2],"d":{"e":1}}"#
        );
        assert_eq!(merged("{}", "{}"), "{}");
    }
}
