//! A checker for the published schema.
//!
//! It knows the words of JSON Schema that our schema uses, and complains about any other, so that
//! nothing in the schema goes unchecked.
#![allow(clippy::expect_used, clippy::panic)] // helpers of tests are tests

use serde_json::Value;

pub(crate) const SCHEMA: &str = include_str!("../../../../docs/reference/verdict.schema.json");

pub(crate) fn check(schema: &Value, root: &Value, value: &Value, at: &str) -> Result<(), String> {
    let fail = |what: &str| Err(format!("{at}: {what}: {value}"));
    for (word, rule) in schema.as_object().expect("a schema is an object") {
        let ok = match word.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let pointer =
                    rule.as_str().and_then(|r| r.strip_prefix('#')).expect("a local reference");
                check(root.pointer(pointer).expect("a definition"), root, value, at)?;
                true
            }
            "oneOf" => {
                let fits = |option: &&Value| check(option, root, value, at).is_ok();
                rule.as_array().expect("a list").iter().filter(fits).count() == 1
            }
            "enum" => rule.as_array().expect("a list").contains(value),
            "type" => match rule {
                Value::String(name) => has_type(value, name),
                names => names
                    .as_array()
                    .expect("a list")
                    .iter()
                    .any(|n| has_type(value, n.as_str().expect("a name"))),
            },
            "minimum" => {
                value.as_f64().is_none_or(|number| number >= rule.as_f64().expect("a number"))
            }
            "maximum" => {
                value.as_f64().is_none_or(|number| number <= rule.as_f64().expect("a number"))
            }
            "required" => value.as_object().is_none_or(|object| {
                let mut keys = rule.as_array().expect("a list").iter();
                keys.all(|key| object.contains_key(key.as_str().expect("a name")))
            }),
            "properties" => {
                for (key, schema) in rule.as_object().expect("an object") {
                    if let Some(inner) = value.get(key) {
                        check(schema, root, inner, &format!("{at}.{key}"))?;
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = &schema["properties"];
                value
                    .as_object()
                    .is_none_or(|object| object.keys().all(|key| known.get(key).is_some()))
            }
            "items" => {
                for item in value.as_array().into_iter().flatten() {
                    check(rule, root, item, &format!("{at}[]"))?;
                }
                true
            }
            other => panic!("the checker does not know `{other}`"),
        };
        if !ok {
            return fail(word);
        }
    }
    Ok(())
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("the checker does not know the type `{other}`"),
    }
}

/// The output fits.
pub(crate) fn fits(text: &str) {
    let schema: Value = serde_json::from_str(SCHEMA).expect("the schema is JSON");
    let value: Value = serde_json::from_str(text).expect("the output is JSON");
    if let Err(error) = check(&schema, &schema, &value, "$") {
        panic!("{error}\n{text}");
    }
}
