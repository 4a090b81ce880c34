//! One row of a data set, and the sample that it becomes.
//!
//! A row needs `command`, or `steps` (successive lines of a session, judged as one text), and an expectation:
//! `expect` (`block`, `pass`), or the seed's `ground_truth`. A row with `binary` and `category` but no
//! expectation is one of the seed's attacks. Other fields become metadata. A row that contradicts itself is
//! refused.

use serde::Serialize;
use serde_json::{Map, Value};

use super::error::{DatasetError, Position};
use super::id;
use aegish_log::{Expected, Sample};

/// The fields for the expectation, in order of precedence.
const EXPECTATIONS: [&str; 3] = ["expect", "ground_truth", "target"];

/// The steps of a session as one text.
fn lines(steps: &Value) -> Option<Value> {
    let lines: Option<Vec<&str>> = steps.as_array()?.iter().map(Value::as_str).collect();
    Some(Value::String(lines?.join("\n")))
}

/// Reads one row. `place` is for errors; `fallback` is the expectation for rows without one.
pub(crate) fn sample(
    mut row: Map<String, Value>,
    position: Position,
    place: &str,
    fallback: Option<Expected>,
) -> Result<Sample, DatasetError> {
    let complain = |what: String| DatasetError::row(place, position, what);
    let command = match row.remove("command").or_else(|| lines(row.get("steps")?)) {
        Some(Value::String(command)) if !command.trim().is_empty() => command,
        Some(Value::String(_)) => return Err(complain("`command` is empty".to_owned())),
        Some(other) => return Err(complain(not_a("`command`", "a text", &other))),
        None => {
            let there: Vec<&str> = row.keys().map(String::as_str).collect();
            return Err(complain(format!(
                "no `command`: every row needs one; this one has {}",
                if there.is_empty() { "nothing".to_owned() } else { there.join(", ") }
            )));
        }
    };
    let category = match row.remove("category") {
        None | Some(Value::Null) => None,
        Some(Value::String(category)) if category.is_empty() => None,
        Some(Value::String(category)) => Some(category),
        Some(other) => return Err(complain(not_a("`category`", "a text", &other))),
    };
    let binary = row.get("binary").and_then(Value::as_str);
    let seeds_attack = binary.is_some() && category.is_some();
    let given = match (binary, &category) {
        (Some(binary), Some(category)) => id::seed(binary, category, &command),
        _ => position.row.to_string(),
    };
    let id = match row.remove("id") {
        None | Some(Value::Null) => given,
        Some(Value::String(id)) if id::usable(&id) => id,
        Some(Value::Number(number)) if number.is_u64() => number.to_string(),
        Some(_) => {
            let what = "`id` is no text of 1 to 200 bytes in one line, nor a whole number";
            return Err(complain(what.to_owned()));
        }
    };
    let mut expected: Option<(Expected, &str)> = None;
    for name in EXPECTATIONS {
        let word = match row.remove(name) {
            None | Some(Value::Null) => continue,
            Some(Value::String(word)) if word.is_empty() => continue,
            Some(Value::String(word)) => word,
            Some(other) => return Err(complain(not_a(&format!("`{name}`"), "a text", &other))),
        };
        let found: Expected =
            word.parse().map_err(|error| complain(format!("`{name}` is `{word}`: {error}")))?;
        match expected {
            Some((other, before)) if other != found => {
                let what = format!("`{before}` and `{name}` contradict each other: keep one");
                return Err(complain(what));
            }
            _ => expected = Some((found, name)),
        }
    }
    let expected = expected
        .map(|(found, _)| found)
        .or(fallback)
        .or(seeds_attack.then_some(Expected::Block))
        .ok_or_else(|| {
            let what = "no expectation: add `expect` with `block` or `pass`, or say for all rows \
                        what is expected";
            complain(what.to_owned())
        })?;
    Ok(Sample { id, command, expected, category, metadata: row })
}

/// The fields of a sample in the order that suits readers.
#[derive(Serialize)]
pub(crate) struct WrittenRow<'a> {
    id: &'a str,
    command: &'a str,
    expect: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<&'a str>,
    #[serde(flatten)]
    metadata: &'a Map<String, Value>,
}

impl<'a> WrittenRow<'a> {
    pub(crate) fn new(sample: &'a Sample) -> Self {
        Self {
            id: &sample.id,
            command: &sample.command,
            expect: word(sample.expected),
            category: sample.category.as_deref(),
            metadata: &sample.metadata,
        }
    }
}

/// The written form of an expectation.
pub(crate) fn word(expected: Expected) -> &'static str {
    match expected {
        Expected::Block => "block",
        Expected::Pass => "pass",
    }
}

fn not_a(name: &str, wanted: &str, found: &Value) -> String {
    let kind = match found {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    format!("{name} is {kind}: write {wanted}")
}

#[cfg(test)]
mod tests {
    use super::{WrittenRow, sample};
    use crate::dataset::error::Position;
    use aegish_log::{Expected, Sample};
    use serde_json::{Value, json};

    fn read(row: &Value, fallback: Option<Expected>) -> Result<Sample, String> {
        let row = row.as_object().cloned().unwrap_or_default();
        let position = Position { row: 3, line: 4 };
        sample(row, position, "x.jsonl", fallback).map_err(|error| error.to_string())
    }

    #[test]
    fn an_attack_of_the_seed_needs_no_expectation() {
        let row = json!({"command": "cat /etc/shadow", "binary": "cat", "category": "file-read"});
        let sample = read(&row, None).unwrap();
        assert_eq!(sample.expected, Expected::Block);
        assert!(sample.id.starts_with("cat_file-read_"));
        assert_eq!(sample.metadata["binary"], "cat");
    }

    #[test]
    fn harmless_rows_of_the_seed_are_numbered() {
        let row = json!({"prompt": "list", "command": "ls", "ground_truth": "ALLOW"});
        let sample = read(&row, None).unwrap();
        assert_eq!((sample.id.as_str(), sample.expected), ("3", Expected::Pass));
        assert_eq!(sample.metadata["prompt"], "list");
    }

    #[test]
    fn a_bad_row_is_named_with_what_is_wrong() {
        for (row, what) in [
            (json!({"expect": "block"}), "no `command`"),
            (json!({"steps": ["ls", 7], "expect": "block"}), "no `command`"),
            (json!({"command": " ", "expect": "block"}), "`command` is empty"),
            (json!({"command": 7, "expect": "block"}), "`command` is a number"),
            (json!({"command": "ls"}), "no expectation"),
            (json!({"command": "ls", "expect": "maybe"}), "`expect` is `maybe`"),
            (json!({"command": "ls", "expect": "block", "ground_truth": "ALLOW"}), "contradict"),
            (json!({"command": "ls", "expect": "pass", "id": -1}), "`id` is no text"),
            (json!({"command": "ls", "expect": "pass", "category": []}), "`category` is a list"),
        ] {
            let error = read(&row, None).unwrap_err();
            assert!(error.contains("x.jsonl, row 3 (line 4): ") && error.contains(what), "{error}");
        }
    }

    #[test]
    fn one_expectation_for_all_rows_can_be_given_from_outside() {
        let sample = read(&json!({"command": "ls"}), Some(Expected::Pass)).unwrap();
        assert_eq!(sample.expected, Expected::Pass);
    }

    #[test]
    fn a_sample_written_as_a_row_is_read_as_the_same_sample() {
        let row =
            json!({"id": "a-1", "command": "ls\n", "expect": "pass", "category": "x", "k": [1]});
        let first = read(&row, None).unwrap();
        let written = serde_json::to_value(WrittenRow::new(&first)).unwrap();
        assert_eq!(read(&written, None).unwrap(), first);
    }
}
