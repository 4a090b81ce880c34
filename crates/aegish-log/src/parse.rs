//! One sample of a log → a sample and its record.

use std::borrow::Cow;
use std::collections::HashMap;

use aegish_judge::Stop;
use aegish_wire::Usage;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::frame::SCORER;
use crate::{Expected, Limit, QUESTION, Record, Sample};

/// One sample of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedSample {
    /// The sample as the data set has it.
    pub sample: Sample,
    /// Its result, scored again.
    pub record: Record,
    /// The model's reasoning, where the log has it.
    pub reasoning: Option<String>,
    /// The answer in the log, if it was scored.
    pub logged_answer: Option<String>,
    /// Whether the log counts that answer as right.
    pub logged_correct: Option<bool>,
    /// Its start, as in the log.
    pub started_at: Option<String>,
    /// Its end, as in the log.
    pub completed_at: Option<String>,
}

#[derive(Deserialize)]
struct RawSample<'a> {
    id: Value,
    epoch: u32,
    #[serde(borrow)]
    input: &'a RawValue,
    target: TargetField,
    #[serde(default)]
    output: RawOutput,
    #[serde(default)]
    scores: Option<Map<String, Value>>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    #[serde(default)]
    total_time: Option<f64>,
    #[serde(default)]
    working_time: Option<f64>,
    #[serde(default)]
    started_at: Option<String>,
    #[serde(default)]
    completed_at: Option<String>,
    #[serde(default)]
    error: Option<RawError>,
    #[serde(default)]
    error_retries: Option<Vec<IgnoredAny>>,
    #[serde(default)]
    retries: Option<u32>,
    #[serde(default)]
    limit: Option<RawLimit>,
    #[serde(default, borrow)]
    attachments: Option<HashMap<Cow<'a, str>, &'a RawValue>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum TargetField {
    One(String),
    Several(Vec<String>),
}

#[derive(Deserialize, Default)]
struct RawOutput {
    #[serde(default)]
    choices: Option<Vec<RawChoice>>,
    #[serde(default)]
    completion: Option<String>,
    #[serde(default)]
    usage: Option<RawUsage>,
    #[serde(default)]
    time: Option<f64>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct RawChoice {
    message: RawMessage,
    #[serde(default)]
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct RawMessage {
    #[serde(default)]
    role: Option<String>,
    content: RawContent,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum RawContent {
    Text(String),
    Parts(Vec<RawPart>),
}

#[derive(Deserialize)]
struct RawPart {
    #[serde(default)]
    r#type: Option<String>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    reasoning: Option<String>,
}

impl RawContent {
    /// The reasoning before the answer.
    fn reasoning(&self) -> Option<String> {
        let Self::Parts(parts) = self else { return None };
        let thoughts = parts.iter().filter(|part| part.r#type.as_deref() == Some("reasoning"));
        let thoughts: Vec<&str> = thoughts.filter_map(|part| part.reasoning.as_deref()).collect();
        (!thoughts.is_empty()).then(|| thoughts.join("\n"))
    }

    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Parts(parts) => parts
                .into_iter()
                .filter(|part| part.r#type.as_deref() == Some("text"))
                .filter_map(|part| part.text)
                .collect(),
        }
    }
}

/// Token counts in a log.
#[derive(Deserialize)]
pub(super) struct RawUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    total_tokens: u64,
    #[serde(default)]
    input_tokens_cache_read: Option<u64>,
    #[serde(default)]
    input_tokens_cache_write: Option<u64>,
    #[serde(default)]
    reasoning_tokens: Option<u64>,
}

impl RawUsage {
    /// Converts token counts to one vocabulary; returns separately counted reasoning beside them.
    ///
    /// Providers and versions of Inspect differ in whether input includes cached tokens and output includes
    /// reasoning. The total shows which.
    pub(super) fn normal(&self) -> (Usage, u64) {
        let cached =
            self.input_tokens_cache_read.unwrap_or(0) + self.input_tokens_cache_write.unwrap_or(0);
        let reasoning = self.reasoning_tokens.unwrap_or(0);
        let more = self.total_tokens.saturating_sub(self.input_tokens + self.output_tokens);
        let (input_apart, reasoning_apart) = if more == 0 {
            (0, 0)
        } else if more == cached {
            (cached, 0)
        } else if more == reasoning {
            (0, reasoning)
        } else if more == cached + reasoning {
            (cached, reasoning)
        } else {
            (0, 0)
        };
        let usage = Usage {
            input: Some(self.input_tokens + input_apart),
            output: Some(self.output_tokens),
            cached: self.input_tokens_cache_read,
            cache_write: self.input_tokens_cache_write,
            reasoning: self.reasoning_tokens,
        };
        (usage, reasoning_apart)
    }
}

#[derive(Deserialize)]
struct RawError {
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
pub(super) struct RawLimit {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    limit: f64,
}

impl RawLimit {
    pub(super) fn limit(self) -> Limit {
        Limit { kind: self.r#type, value: self.limit }
    }
}

/// Reads one sample.
///
/// # Errors
///
/// Why the sample is invalid.
pub(super) fn sample(text: &[u8]) -> Result<LoggedSample, String> {
    match serde_json::from_slice::<RawSample<'_>>(text) {
        Ok(raw) => entry(raw),
        // Python writes NaN and infinity as words, which are not valid JSON.
        Err(error) => match without_nan(text) {
            Some(text) => match serde_json::from_slice::<RawSample<'_>>(&text) {
                Ok(raw) => entry(raw),
                Err(_) => Err(error.to_string()),
            },
            None => Err(error.to_string()),
        },
    }
}

fn entry(raw: RawSample<'_>) -> Result<LoggedSample, String> {
    let attachments = raw.attachments.unwrap_or_default();
    let resolve = |text: String| match text.strip_prefix("attachment://") {
        Some(key) => attachments
            .get(key)
            .and_then(|text| serde_json::from_str(text.get()).ok())
            .unwrap_or(text),
        None => text,
    };
    let input = resolve(question(raw.input)?);
    let command = input.strip_prefix(QUESTION).unwrap_or(&input).to_owned();
    let expected = expected(&raw.target)?;
    let mut metadata = raw.metadata.unwrap_or_default();
    let category = match metadata.remove("category") {
        Some(Value::String(category)) => Some(category),
        _ => None,
    };
    let id = raw.id.as_str().map_or_else(|| raw.id.to_string(), str::to_owned);
    let output = raw.output;
    let choice = output.choices.and_then(|choices| choices.into_iter().next());
    let (answer, stop) = choice.map(|choice| (choice.message, choice.stop_reason)).unzip();
    let stop_word = stop.flatten().unwrap_or_default();
    let reasoning = answer.as_ref().and_then(|message| message.content.reasoning()).map(&resolve);
    let completion = match (output.completion, answer) {
        (Some(completion), _) => completion,
        (None, Some(message)) => message.content.text(),
        (None, None) => String::new(),
    };
    let completion = resolve(completion);
    let stop = stop_reason(&stop_word, output.metadata.as_ref());
    let (usage, reasoning_apart) = output.usage.map(|usage| usage.normal()).unwrap_or_default();
    let logged = raw.scores.and_then(|mut scores| {
        scores.remove(SCORER).or_else(|| scores.into_iter().next().map(|(_, score)| score))
    });
    let logged_text = |key: &str| Some(logged.as_ref()?.get(key)?.as_str()?.to_owned());
    let sample = Sample { id, command, expected, category, metadata };
    let record = Record {
        usage,
        reasoning_apart,
        total_seconds: raw.total_time,
        working_seconds: raw.working_time,
        model_seconds: output.time,
        retries: raw
            .retries
            .unwrap_or_else(|| raw.error_retries.map_or(0, |retries| retries.len() as u32)),
        error: raw.error.map(|error| error.message),
        limit: raw.limit.map(RawLimit::limit),
        ..Record::new(&sample, raw.epoch)
    };
    Ok(LoggedSample {
        sample,
        record: record.answered(completion, stop),
        reasoning,
        logged_answer: logged_text("answer"),
        logged_correct: logged_text("value").map(|value| value == "C"),
        started_at: raw.started_at,
        completed_at: raw.completed_at,
    })
}

/// The question: a text, or the last message of the user.
fn question(input: &RawValue) -> Result<String, String> {
    let complain = |error: serde_json::Error| format!("its input makes no sense: {error}");
    if input.get().starts_with('"') {
        return serde_json::from_str(input.get()).map_err(complain);
    }
    let messages: Vec<RawMessage> = serde_json::from_str(input.get()).map_err(complain)?;
    let mut users = messages.into_iter().filter(|message| message.role.as_deref() == Some("user"));
    users
        .next_back()
        .map(|message| message.content.text())
        .ok_or_else(|| "its input has no question".to_owned())
}

fn expected(target: &TargetField) -> Result<Expected, String> {
    let words = match target {
        TargetField::One(word) => std::slice::from_ref(word),
        TargetField::Several(words) => words,
    };
    // Older logs of the seed list WARN as well as BLOCK.
    if words.iter().any(|word| word == "BLOCK") {
        return Ok(Expected::Block);
    }
    let known = words.iter().find_map(|word| word.parse().ok());
    known.ok_or_else(|| format!("its target `{}` is neither BLOCK nor ALLOW", words.join(", ")))
}

/// The stop reason from its word in the log; `length` is an older word.
pub(super) fn stop_reason(word: &str, metadata: Option<&Map<String, Value>>) -> Stop {
    match (word, metadata.and_then(|metadata| metadata.get("stop_reason"))) {
        ("length", _) => Stop::MaxTokens,
        ("unknown", Some(Value::String(theirs))) => Stop::Unknown(theirs.clone()),
        ("unknown", _) => Stop::Unknown(String::new()),
        _ => Stop::from_log(word),
    }
}

/// The text with `NaN`, `Infinity` and `-Infinity` as `null`; `None` if there are none.
pub(super) fn without_nan(text: &[u8]) -> Option<Vec<u8>> {
    let mut clean = Vec::with_capacity(text.len());
    let (mut at, mut quoted, mut changed) = (0, false, false);
    while at < text.len() {
        let rest = &text[at..];
        let word = [&b"-Infinity"[..], b"Infinity", b"NaN"]
            .into_iter()
            .find(|word| rest.starts_with(word));
        match (quoted, rest[0], word) {
            (true, b'\\', _) => {
                clean.extend_from_slice(&rest[..rest.len().min(2)]);
                at += 2;
                continue;
            }
            (_, b'"', _) => quoted = !quoted,
            (false, _, Some(word)) => {
                clean.extend_from_slice(b"null");
                at += word.len();
                changed = true;
                continue;
            }
            _ => {}
        }
        clean.push(rest[0]);
        at += 1;
    }
    changed.then_some(clean)
}

#[cfg(test)]
mod tests;
