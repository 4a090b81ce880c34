//! Decisions as the objects that clients receive.

use crate::requests::CheckRequest;
use aegish_guard::{Action, Decision};
use aegish_redact::redact;
use aegish_verdict::{JsonDetail, JsonVerdict};
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct RowError<'a> {
    error: &'a str,
}

/// The verdict, or what is wrong with the request.
pub(crate) fn write(
    request: &CheckRequest<'_>,
    decision: &Result<Decision, String>,
    detail: JsonDetail,
    output: &mut Vec<u8>,
) -> Result<(), String> {
    match decision {
        Ok(decision) => {
            let verdict = JsonVerdict::new(decision, &request.command, request.id, detail);
            serde_json::to_writer(output, &verdict)
        }
        Err(error) => serde_json::to_writer(output, &RowError { error }),
    }
    .map_err(|error| error.to_string())
}

/// The same without secrets, for a screen.
pub(crate) fn explained(command: &str, decision: &Decision) -> Result<Value, String> {
    let verdict = JsonVerdict::new(decision, command, None, JsonDetail::Commands);
    let mut value = serde_json::to_value(verdict).map_err(|error| error.to_string())?;
    redact_all(&mut value);
    Ok(value)
}

fn redact_all(value: &mut Value) {
    match value {
        Value::String(text) => {
            let shown = redact(text).into_owned();
            *text = shown;
        }
        Value::Array(values) => values.iter_mut().for_each(redact_all),
        Value::Object(fields) => fields.values_mut().for_each(redact_all),
        _ => {}
    }
}

/// A label and how sure it is.
#[derive(Serialize)]
pub(crate) struct Label {
    label: &'static str,
    score: f32,
}

/// The form of Hugging Face's text classification: the likelier label first. What a person would be asked about counts
/// as an attack, because Goose asks then.
pub(crate) fn labels(decision: &Decision) -> [[Label; 2]; 1] {
    let sure = decision.confidence().clamp(0.5, 1.0);
    let (first, second) = match decision.action() {
        Action::Allow => ("SAFE", "INJECTION"),
        Action::Warn | Action::Block => ("INJECTION", "SAFE"),
    };
    [[Label { label: first, score: sure }, Label { label: second, score: 1.0 - sure }]]
}
