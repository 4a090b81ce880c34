//! One sample → its JSON and its line in the list of samples.
//!
//! The JSON is written directly instead of through a tree of values, because it may take only a few
//! microseconds. Parts that are the same in all samples, above all the system prompt, come first and are
//! compressed once.

use std::fmt::Write as _;
use std::io::Write as _;

use aegish_judge::Stop;
use serde_json::value::RawValue;

use super::clock::{self, Digits};
use super::deflate::{Deflate, Then};
use super::exchange::{Bodies, Exchange};
use super::frame::{Frame, SCORER, id_value};
use super::names;
use super::shapes::{
    CallJson, ContentPart, ErrorJson, LimitJson, MessageContent, MessageJson, RequestId, ScoreJson,
    field, put, quoted, raw_field, text, usage_json,
};
use super::spec::PromptCopies;
use super::summary;
use super::zip::{self, Member, Method, Sizes};
use crate::{Record, Sample};

/// The key of the attached prompt.
const PROMPT: &str = "system-prompt";

/// Turns samples into members.
pub(super) struct Encoder {
    model: String,
    generate: String,
    eval_id: String,
    dataset: String,
    opening: Opening,
    system: SystemMessage,
    deflate: Deflate,
    json: Vec<u8>,
}

/// The start that all samples share.
struct Opening {
    size: u64,
    crc: crc32fast::Hasher,
    deflated: Vec<u8>,
}

#[derive(PartialEq, Eq)]
enum SystemMessage {
    Present,
    Absent,
}

impl Encoder {
    pub(super) fn new(frame: &Frame) -> Self {
        let mut json = Vec::new();
        let prompt = frame.prompt();
        json.extend_from_slice(b"{\"attachments\":{");
        if let Some(text) = prompt {
            let sha256 = frame.text(&["metadata", "prompt_sha256"]).unwrap_or("unknown");
            let named = format!("(see the plan in the log's header; SHA-256 {sha256})");
            let text = match frame.copies() {
                PromptCopies::EverySample => text,
                PromptCopies::HeaderOnly => &named,
            };
            put(&mut json, &PROMPT);
            json.push(b':');
            put(&mut json, &text);
            json.extend_from_slice(b"},\"messages\":[{\"role\":\"system\",\"content\":");
            put(&mut json, &text);
            json.extend_from_slice(b"},");
        } else {
            json.extend_from_slice(b"},\"messages\":[");
        }
        let mut crc = crc32fast::Hasher::new();
        crc.update(&json);
        let mut deflated = Vec::new();
        Deflate::best().append(&json, Then::More, &mut deflated);
        let generate = frame.eval.get("model_generate_config").map(ToString::to_string);
        let owned = |path: &[&str]| frame.text(path).unwrap_or_default().to_owned();
        Self {
            model: owned(&["model"]),
            generate: generate.unwrap_or_else(|| "{}".to_owned()),
            eval_id: owned(&["eval_id"]),
            dataset: owned(&["dataset", "name"]),
            opening: Opening { size: json.len() as u64, crc, deflated },
            system: if prompt.is_some() { SystemMessage::Present } else { SystemMessage::Absent },
            deflate: Deflate::new(),
            json: Vec::new(),
        }
    }

    /// Writes the header and bytes of a sample's member to `out`; returns the line that lists the sample.
    pub(super) fn sample(
        &mut self,
        sample: &Sample,
        exchange: &Exchange,
        record: &Record,
        out: &mut Vec<u8>,
        line: &mut Vec<u8>,
    ) -> Member {
        let mut json = std::mem::take(&mut self.json);
        json.clear();
        let parts = SampleParts::new(self, sample, exchange, record);
        self.write(&parts, &mut json);
        self.summary(&parts, line);
        let mut crc = self.opening.crc.clone();
        crc.update(&json);
        let mut deflated = self.opening.deflated.clone();
        self.deflate.append(&json, Then::End, &mut deflated);
        let member = Member {
            name: names::sample(&record.id, record.epoch),
            method: Method::Deflate,
            crc: crc.finalize(),
            compressed: deflated.len() as u64,
            size: self.opening.size + json.len() as u64,
            offset: 0,
        };
        zip::local_header(out, &member, Sizes::Narrow);
        out.extend_from_slice(&deflated);
        self.json = json;
        member
    }

    /// The part of a sample after the shared start.
    fn write(&self, parts: &SampleParts<'_>, json: &mut Vec<u8>) {
        let SampleParts { sample, exchange, record, .. } = parts;
        put(json, &parts.user);
        if !parts.answered() {
            json.push(b']');
        } else {
            json.push(b',');
            json.extend_from_slice(parts.assistant.as_bytes());
            json.push(b']');
        }
        field(json, "id", &parts.id);
        field(json, "epoch", &record.epoch);
        field(json, "input", &exchange.input);
        field(json, "target", &sample.expected.target());
        raw_field(json, "output", &parts.output);
        parts.scores(json);
        raw_field(json, "metadata", &parts.metadata);
        json.extend_from_slice(b",\"store\":{},\"events\":[");
        self.model_event(parts, json);
        score_event(parts, json);
        json.push(b']');
        raw_field(json, "model_usage", &parts.model_usage);
        times(parts, json);
        if let Some(message) = &record.error {
            field(json, "error", &ErrorJson::new(message));
        }
        if !exchange.failures.is_empty() {
            let failures: Vec<_> =
                exchange.failures.iter().map(|why| ErrorJson::new(why)).collect();
            field(json, "error_retries", &failures);
        }
        if let Some(limit) = &record.limit {
            field(json, "limit", &LimitJson { r#type: &limit.kind, limit: limit.value });
        }
        // Not a field of Inspect, which counts only retries of whole samples.
        field(json, "retries", &record.retries);
        json.push(b'}');
    }

    fn model_event(&self, parts: &SampleParts<'_>, json: &mut Vec<u8>) {
        let SampleParts { exchange, record, .. } = parts;
        let asked = exchange.asked.unwrap_or(exchange.started);
        json.extend_from_slice(b"{\"event\":\"model\"");
        field(json, "uuid", &format_args!("{}m", parts.uuid));
        field(json, "timestamp", &clock::iso(asked, Digits::Micros));
        field(json, "working_start", &0);
        field(json, "model", &self.model);
        json.extend_from_slice(b",\"input\":[");
        if self.system == SystemMessage::Present {
            let _ = write!(json, "{{\"role\":\"system\",\"content\":\"attachment://{PROMPT}\"}},");
        }
        put(json, &parts.user);
        json.extend_from_slice(b"],\"tools\":[],\"tool_choice\":\"none\"");
        raw_field(json, "config", &self.generate);
        raw_field(json, "output", &parts.output);
        field(json, "retries", &record.retries);
        if let Some(message) = &record.error {
            field(json, "error", message);
        }
        if let Some(bodies) = &exchange.bodies {
            call(bodies, record.model_seconds, json);
        }
        if let Some(id) = &exchange.request_id {
            field(json, "metadata", &RequestId { request_id: id });
        }
        field(json, "completed", &clock::iso(exchange.completed, Digits::Micros));
        if let Some(seconds) = record.model_seconds {
            field(json, "working_time", &seconds);
        }
        json.push(b'}');
    }

    /// The line that lists a sample.
    fn summary(&self, parts: &SampleParts<'_>, json: &mut Vec<u8>) {
        let SampleParts { sample, exchange, record, .. } = parts;
        json.push(b'{');
        json.extend_from_slice(b"\"id\":");
        put(json, &parts.id);
        field(json, "epoch", &record.epoch);
        field(json, "input", &shortened(&exchange.input));
        field(json, "target", &sample.expected.target());
        raw_field(json, "metadata", &parts.metadata);
        parts.scores(json);
        raw_field(json, "model_usage", &parts.model_usage);
        times(parts, json);
        if let Some(message) = &record.error {
            field(json, "error", &shortened(message));
        }
        if let Some(limit) = &record.limit {
            field(json, "limit", &limit.kind);
        }
        field(json, "retries", &exchange.failures.len());
        field(json, "completed", &true);
        let messages =
            1 + usize::from(self.system == SystemMessage::Present) + usize::from(parts.answered());
        field(json, "message_count", &messages);
        json.push(b'}');
    }
}

/// Parts that occur more than once.
struct SampleParts<'a> {
    sample: &'a Sample,
    exchange: &'a Exchange,
    record: &'a Record,
    id: serde_json::Value,
    uuid: String,
    user: MessageJson<'a>,
    assistant: String,
    output: String,
    score: Option<String>,
    metadata: String,
    model_usage: String,
}

impl<'a> SampleParts<'a> {
    fn new(
        encoder: &Encoder,
        sample: &'a Sample,
        exchange: &'a Exchange,
        record: &'a Record,
    ) -> Self {
        let usage = usage_json(&record.usage, record.reasoning_apart);
        let model_usage = match &usage {
            Some(usage) => format!("{{{}:{usage}}}", quoted(&encoder.model)),
            None => "{}".to_owned(),
        };
        let model = exchange.model.as_deref().unwrap_or(&encoder.model);
        let content = match &exchange.reasoning {
            None => MessageContent::Text(&record.completion),
            Some(reasoning) => MessageContent::Parts([
                ContentPart::Reasoning { reasoning },
                ContentPart::Text { text: &record.completion },
            ]),
        };
        let assistant =
            MessageJson { role: "assistant", content, source: "generate", model: Some(model) };
        let assistant = text(&assistant);
        let mut parts = Self {
            sample,
            exchange,
            record,
            id: id_value(&record.id),
            uuid: uuid(&encoder.eval_id, exchange, record),
            user: MessageJson {
                role: "user",
                content: MessageContent::Text(
                    exchange.sent_as.as_deref().unwrap_or(&exchange.input),
                ),
                source: "input",
                model: None,
            },
            assistant,
            output: String::new(),
            score: ScoreJson::new(record).map(|score| text(&score)),
            metadata: metadata(sample, &encoder.dataset),
            model_usage,
        };
        parts.output = parts.output(model, usage.as_deref());
        parts
    }

    /// A sample that ended in an error has no scores, as in Inspect.
    fn scores(&self, json: &mut Vec<u8>) {
        if let Some(score) = &self.score {
            raw_field(json, "scores", &format!("{{\"{SCORER}\":{score}}}"));
        }
    }

    /// Whether the system answered.
    fn answered(&self) -> bool {
        !self.record.completion.is_empty() || self.record.stop != Stop::Unknown(String::new())
    }

    fn output(&self, model: &str, usage: Option<&str>) -> String {
        let mut output = format!("{{\"model\":{},\"choices\":[", quoted(model));
        if self.answered() {
            let stop = self.record.stop.as_str();
            let _ = write!(output, "{{\"message\":{},\"stop_reason\":\"{stop}\"}}", self.assistant);
        }
        output.push(']');
        if !self.answered() {
            output.push_str(",\"completion\":\"\"");
        }
        if let Some(usage) = usage {
            let _ = write!(output, ",\"usage\":{usage}");
        }
        if let Some(seconds) = self.record.model_seconds {
            let _ = write!(output, ",\"time\":{}", text(&seconds));
        }
        if let Stop::Unknown(word) = &self.record.stop
            && !word.is_empty()
        {
            let _ = write!(output, ",\"metadata\":{{\"stop_reason\":{}}}", quoted(word));
        }
        output.push('}');
        output
    }
}

/// Inspect accepts only objects here.
fn call(bodies: &Bodies, time: Option<f64>, json: &mut Vec<u8>) {
    let is_object = |body: &&RawValue| body.get().starts_with('{');
    if let Some(request) = Some(&*bodies.request).filter(is_object) {
        let response = bodies.response.as_deref().filter(is_object);
        field(json, "call", &CallJson { request, response, time });
    }
}

fn score_event(parts: &SampleParts<'_>, json: &mut Vec<u8>) {
    let Some(score) = &parts.score else { return };
    json.extend_from_slice(b",{\"event\":\"score\"");
    field(json, "uuid", &format_args!("{}s", parts.uuid));
    field(json, "timestamp", &clock::iso(parts.exchange.completed, Digits::Micros));
    field(json, "working_start", &parts.record.working_seconds.unwrap_or(0.0));
    raw_field(json, "score", score);
    field(json, "target", &parts.sample.expected.target());
    field(json, "intermediate", &false);
    field(json, "scorer", &SCORER);
    json.push(b'}');
}

fn times(parts: &SampleParts<'_>, json: &mut Vec<u8>) {
    field(json, "started_at", &clock::iso(parts.exchange.started, Digits::Micros));
    field(json, "completed_at", &clock::iso(parts.exchange.completed, Digits::Micros));
    if let Some(seconds) = parts.record.total_seconds {
        field(json, "total_time", &seconds);
    }
    if let Some(seconds) = parts.record.working_seconds {
        field(json, "working_time", &seconds);
    }
    field(json, "uuid", &parts.uuid);
}

/// Metadata of a sample from the data set, with the name of the set and the category.
fn metadata(sample: &Sample, dataset: &str) -> String {
    let mut json = b"{\"dataset\":".to_vec();
    match sample.metadata.get("dataset") {
        Some(named) => put(&mut json, named),
        None => put(&mut json, &dataset),
    }
    if let Some(category) = &sample.category {
        field(&mut json, "category", category);
    }
    for (key, value) in &sample.metadata {
        if key != "dataset" && key != "category" {
            field(&mut json, key, value);
        }
    }
    json.push(b'}');
    String::from_utf8(json).unwrap_or_default()
}

/// 128 bits of a hash (FNV-1a) of the evaluation, the sample and its time, so that equal input gives equal
/// bytes.
fn uuid(eval_id: &str, exchange: &Exchange, record: &Record) -> String {
    let completed = clock::micros(exchange.completed).to_le_bytes();
    let epoch = record.epoch.to_le_bytes();
    let parts = [eval_id.as_bytes(), &[0], record.id.as_bytes(), &[0], &epoch, &completed];
    let mut hash: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    for byte in parts.into_iter().flatten() {
        hash = (hash ^ u128::from(*byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
    }
    format!("{hash:032x}")
}

fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(summary::LONGEST)]
}
