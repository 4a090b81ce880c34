//! Objects of JSON whose fields may be missing.

use serde_json::Value;

/// Adds a field, if it has a value.
pub(crate) fn add(object: &mut Value, name: &str, value: Option<impl Into<Value>>) {
    if let (Some(fields), Some(value)) = (object.as_object_mut(), value) {
        fields.insert(name.to_owned(), value.into());
    }
}

/// A text that says something.
pub(crate) fn text(found: &Option<String>) -> Option<&str> {
    found.as_deref().filter(|text| !text.is_empty())
}
