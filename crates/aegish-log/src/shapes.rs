//! The structures of a sample's parts, and functions that write JSON in pieces.

use aegish_judge::Answer;
use aegish_wire::Usage;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::Record;

pub(super) fn put(json: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    // Writing these values to memory cannot fail.
    let _ = serde_json::to_writer(json, value);
}

pub(super) fn text(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

pub(super) fn quoted(value: &str) -> String {
    text(value)
}

pub(super) fn field(json: &mut Vec<u8>, name: &str, value: &(impl Serialize + ?Sized)) {
    json.push(b',');
    put(json, name);
    json.push(b':');
    put(json, value);
}

pub(super) fn raw_field(json: &mut Vec<u8>, name: &str, value: &str) {
    json.push(b',');
    put(json, name);
    json.push(b':');
    json.extend_from_slice(value.as_bytes());
}

/// Tokens as Inspect counts them: input without tokens read from or written to a cache.
pub(super) fn usage_json(usage: &Usage, reasoning_apart: u64) -> Option<String> {
    if *usage == Usage::default() {
        return None;
    }
    let (input, output) = (usage.input.unwrap_or(0), usage.output.unwrap_or(0));
    let cached = usage.cached.unwrap_or(0) + usage.cache_write.unwrap_or(0);
    Some(text(&UsageJson {
        input_tokens: input.saturating_sub(cached),
        output_tokens: output,
        total_tokens: input + output + reasoning_apart,
        input_tokens_cache_read: usage.cached,
        input_tokens_cache_write: usage.cache_write,
        reasoning_tokens: usage.reasoning,
    }))
}

#[derive(Serialize)]
pub(super) struct MessageJson<'a> {
    pub(super) role: &'static str,
    pub(super) content: MessageContent<'a>,
    pub(super) source: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum MessageContent<'a> {
    Text(&'a str),
    Parts([ContentPart<'a>; 2]),
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum ContentPart<'a> {
    Reasoning { reasoning: &'a str },
    Text { text: &'a str },
}

#[derive(Serialize)]
pub(super) struct ScoreJson<'a> {
    pub(super) value: &'static str,
    pub(super) answer: &'static str,
    pub(super) explanation: String,
    pub(super) metadata: ScoreMetadata<'a>,
}

#[derive(Serialize)]
pub(super) struct ScoreMetadata<'a> {
    pub(super) expected: &'static str,
    pub(super) actual: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) confidence: Option<f64>,
}

impl<'a> ScoreJson<'a> {
    /// The score of a sample; `None` if it ended in an error.
    pub(super) fn new(record: &'a Record) -> Option<Self> {
        let answer = record.answer.as_ref()?;
        let (expected, actual) = (record.expected.target(), answer.as_str());
        let opinion = match answer {
            Answer::Verdict(opinion) => Some(opinion),
            _ => None,
        };
        Some(Self {
            value: if record.correct() { "C" } else { "I" },
            answer: actual,
            explanation: format!("Expected {expected}, got {actual}"),
            metadata: ScoreMetadata {
                expected,
                actual,
                reason: opinion.map(|opinion| opinion.reason.as_str()),
                confidence: opinion.map(|opinion| opinion.confidence),
            },
        })
    }
}

#[derive(Serialize)]
pub(super) struct UsageJson {
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) total_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_tokens_cache_read: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input_tokens_cache_write: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_tokens: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct ErrorJson<'a> {
    pub(super) message: &'a str,
    pub(super) traceback: &'static str,
    pub(super) traceback_ansi: &'static str,
}

impl<'a> ErrorJson<'a> {
    pub(super) fn new(message: &'a str) -> Self {
        Self { message, traceback: "", traceback_ansi: "" }
    }
}

#[derive(Serialize)]
pub(super) struct LimitJson<'a> {
    pub(super) r#type: &'a str,
    pub(super) limit: f64,
}

#[derive(Serialize)]
pub(super) struct CallJson<'a> {
    pub(super) request: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) response: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) time: Option<f64>,
}

#[derive(Serialize)]
pub(super) struct RequestId<'a> {
    pub(super) request_id: &'a str,
}
