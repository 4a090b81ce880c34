//! The line that lists a sample, derived from the sample's JSON: for samples of other writers.

use std::io;

use serde_json::{Map, Value};

/// Longer texts are shortened in the list of samples.
pub(super) const LONGEST: usize = 1000;

/// Fields that are copied unchanged.
const SAME: [&str; 10] = [
    "id",
    "epoch",
    "choices",
    "target",
    "model_usage",
    "started_at",
    "completed_at",
    "total_time",
    "working_time",
    "uuid",
];

/// The line for a sample, as text.
pub(super) fn line(sample: &[u8]) -> io::Result<Vec<u8>> {
    Ok(serde_json::to_vec(&of(&serde_json::from_slice(sample)?))?)
}

/// The line for a sample.
pub(super) fn of(sample: &Map<String, Value>) -> Map<String, Value> {
    let mut line = Map::new();
    for name in SAME {
        if let Some(value) = sample.get(name).filter(|value| !value.is_null()) {
            line.insert(name.to_owned(), value.clone());
        }
    }
    line.insert("input".to_owned(), sample.get("input").map_or_else(|| "".into(), thin));
    for name in ["metadata", "scores"] {
        if let Some(Value::Object(fields)) = sample.get(name) {
            let fields = fields.iter().map(|(key, value)| (key.clone(), thin(value)));
            line.insert(name.to_owned(), Value::Object(fields.collect()));
        }
    }
    if let Some(message) = sample.get("error").and_then(|error| error.get("message")) {
        line.insert("error".to_owned(), thin(message));
    }
    if let Some(kind) = sample.get("limit").and_then(|limit| limit.get("type")) {
        line.insert("limit".to_owned(), kind.clone());
    }
    let length = |name: &str| sample.get(name).and_then(Value::as_array).map_or(0, Vec::len);
    line.insert("retries".to_owned(), length("error_retries").into());
    line.insert("completed".to_owned(), true.into());
    line.insert("message_count".to_owned(), length("messages").into());
    line
}

/// A value with its texts shortened.
fn thin(value: &Value) -> Value {
    match value {
        Value::String(text) => text[..text.floor_char_boundary(LONGEST)].into(),
        Value::Array(items) => items.iter().map(thin).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), thin(value)))
            .collect::<Map<_, _>>()
            .into(),
        other => other.clone(),
    }
}
