//! A provider that takes batches, in the forms of OpenAI and of Anthropic.
//!
//! Written from the providers' public descriptions. It counts how often each command was executed, so that a test
//! can show that nothing was paid twice, and ends a batch when the test says so.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use serde_json::{Value, json};

use super::{Fake, FakeAnswer, FakeRequest, shape};
use crate::model_server::verdict;

/// What happens to one request of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFate {
    Answer,
    /// An error of this status.
    Status(u16),
    /// It was not executed before the batch ended.
    Expired,
    /// The batch was cancelled before.
    Cancelled,
    /// The outcome is missing.
    Missing,
}

/// What happens to a reply about a new batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Creation {
    /// It is sent.
    #[default]
    Told,
    /// The batch exists, the connection breaks, and later calls work.
    LostOnce,
    /// The batch exists, and the reply never comes.
    Hangs,
    /// The provider refuses the file.
    Invalid,
}

type Fates = dyn Fn(&str, u32) -> RowFate + Send + Sync;

struct FakeBatch {
    id: String,
    rows: Vec<(String, Value)>,
    label: Value,
    created: u64,
    /// Lines of the outcome files, once it has ended: answers and errors.
    ended: Option<(Vec<Value>, Vec<Value>)>,
}

#[derive(Default)]
struct BatchState {
    files: HashMap<String, Vec<(String, Value)>>,
    batches: Vec<FakeBatch>,
    executed: HashMap<String, u32>,
    released: bool,
    creation: Creation,
    polls: usize,
}

/// A provider with batches.
pub struct BatchFake {
    pub fake: Fake,
    state: Arc<Mutex<BatchState>>,
}

impl BatchFake {
    /// Batches end when they are released; `fates` gets a command and how often it was executed before.
    pub fn start(fates: impl Fn(&str, u32) -> RowFate + Send + Sync + 'static) -> Self {
        let state = Arc::new(Mutex::new(BatchState::default()));
        let (shared, fates): (_, Arc<Fates>) = (Arc::clone(&state), Arc::new(fates));
        let fake = Fake::start(move |_, request| answer(&shared, &*fates, request));
        Self { fake, state }
    }

    /// Lets all batches end, now and from now on.
    pub fn release(&self) {
        self.lock().released = true;
    }

    /// Says what happens to replies about new batches.
    pub fn creation(&self, creation: Creation) {
        self.lock().creation = creation;
    }

    pub fn batches(&self) -> usize {
        self.lock().batches.len()
    }

    /// How often a batch was asked about.
    pub fn polls(&self) -> usize {
        self.lock().polls
    }

    /// How often each command was executed, and paid for.
    pub fn executed(&self) -> HashMap<String, u32> {
        self.lock().executed.clone()
    }

    fn lock(&self) -> MutexGuard<'_, BatchState> {
        self.state.lock().expect("no panic")
    }
}

fn bad(why: impl std::fmt::Display) -> FakeAnswer {
    FakeAnswer::json(418, json!({"error": {"message": format!("SHAPE: {why}")}}))
}

fn answer(state: &Mutex<BatchState>, fates: &Fates, request: &FakeRequest) -> FakeAnswer {
    let mut state = state.lock().expect("no panic");
    let path = request.path.split('?').next().unwrap_or_default();
    let parts: Vec<&str> = path.split('/').skip(1).collect();
    match (request.method.as_str(), parts.as_slice()) {
        ("POST", ["v1", "files"]) => upload(&mut state, request),
        ("POST", ["v1", "batches"]) => create(&mut state, request),
        ("POST", ["v1", "messages", "batches"]) => create_messages(&mut state, request),
        ("GET", ["v1", "batches"]) => {
            let all: Vec<Value> = state.batches.iter().rev().map(openai).collect();
            FakeAnswer::json(200, json!({"object": "list", "data": all, "has_more": false}))
        }
        ("GET", ["v1", "messages", "batches"]) => {
            let all: Vec<Value> = state.batches.iter().rev().map(anthropic).collect();
            FakeAnswer::json(
                200,
                json!({"data": all, "has_more": false, "first_id": null, "last_id": null}),
            )
        }
        ("GET", ["v1", "batches", id]) => poll(&mut state, fates, id, openai),
        ("GET", ["v1", "messages", "batches", id]) => poll(&mut state, fates, id, anthropic),
        ("GET", ["v1", "files", file, "content"]) => {
            let (kind, id) = file.split_once('-').unwrap_or_default();
            match state.batches.iter().find(|batch| batch.id == id).and_then(|b| b.ended.as_ref()) {
                Some((answers, errors)) => lines(if kind == "out" { answers } else { errors }),
                None => FakeAnswer::json(404, json!({"error": {"message": "no such file"}})),
            }
        }
        ("GET", ["v1", "messages", "batches", id, "results"]) => {
            match state.batches.iter().find(|batch| batch.id == *id).and_then(|b| b.ended.as_ref())
            {
                Some((answers, errors)) => {
                    // The order is not that of the requests.
                    lines(&errors.iter().chain(answers.iter().rev()).cloned().collect::<Vec<_>>())
                }
                None => FakeAnswer::json(404, json!({"error": {"message": "no results yet"}})),
            }
        }
        (method, _) => bad(format!("{method} {path}")),
    }
}

fn lines(rows: &[Value]) -> FakeAnswer {
    let body: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let headers = vec![("content-type", "application/octet-stream".to_owned())];
    FakeAnswer::Reply { status: 200, headers, body }
}

/// A form with `purpose` and `file`.
fn upload(state: &mut BatchState, request: &FakeRequest) -> FakeAnswer {
    let kind = request.header("content-type").unwrap_or_default();
    let Some(boundary) = kind.strip_prefix("multipart/form-data; boundary=") else {
        return bad("no form");
    };
    let (mut purpose, mut file) = (None, None);
    for part in request.text.split(&format!("--{boundary}")) {
        let Some((head, body)) = part.split_once("\r\n\r\n") else { continue };
        let body = body.strip_suffix("\r\n").unwrap_or(body);
        if head.contains("name=\"purpose\"") {
            purpose = Some(body);
        } else if head.contains("name=\"file\"; filename=\"") {
            file = Some(body);
        }
    }
    if purpose != Some("batch") {
        return bad("purpose");
    }
    let mut rows = Vec::new();
    for line in file.unwrap_or_default().lines() {
        let Ok(row) = serde_json::from_str::<Value>(line) else {
            return bad("a line that is no JSON");
        };
        if row["method"] != "POST" || row.as_object().is_none_or(|row| row.len() != 4) {
            return bad("a line");
        }
        let url = row["url"].as_str().unwrap_or_default();
        if let Err(why) = shape::check_inner(url, &row["body"]) {
            return bad(why);
        }
        rows.push((row["custom_id"].as_str().unwrap_or_default().to_owned(), row["body"].clone()));
    }
    let id = format!("file-{}", state.files.len());
    state.files.insert(id.clone(), rows);
    FakeAnswer::json(
        200,
        json!({"id": id, "object": "file", "purpose": "batch", "status": "processed"}),
    )
}

fn create(state: &mut BatchState, request: &FakeRequest) -> FakeAnswer {
    let body = &request.body;
    let rows = body["input_file_id"].as_str().and_then(|id| state.files.get(id)).cloned();
    let Some(rows) = rows.filter(|_| body["completion_window"] == "24h") else {
        return bad("batch");
    };
    add(state, "batch_", rows, body["metadata"].clone(), openai)
}

fn create_messages(state: &mut BatchState, request: &FakeRequest) -> FakeAnswer {
    let mut rows = Vec::new();
    for row in request.body["requests"].as_array().into_iter().flatten() {
        let id = row["custom_id"].as_str().unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
        if id.is_empty() || id.len() > 64 || !id.chars().all(plain) {
            return bad("custom_id");
        }
        if let Err(why) = shape::check_inner("/v1/messages", &row["params"]) {
            return bad(why);
        }
        rows.push((id.to_owned(), row["params"].clone()));
    }
    if rows.is_empty() {
        return bad("no requests");
    }
    add(state, "msgbatch_", rows, Value::Null, anthropic)
}

fn add(
    state: &mut BatchState,
    prefix: &str,
    rows: Vec<(String, Value)>,
    label: Value,
    show: fn(&FakeBatch) -> Value,
) -> FakeAnswer {
    let mut ids: Vec<&String> = rows.iter().map(|(id, _)| id).collect();
    ids.sort();
    ids.dedup();
    if ids.len() != rows.len() {
        return bad("a custom id twice");
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let created = now.map_or(0, |now| now.as_secs());
    let id = format!("{prefix}{:03}", state.batches.len());
    state.batches.push(FakeBatch { id, rows, label, created, ended: None });
    match state.creation {
        Creation::Hangs => FakeAnswer::Hang,
        Creation::LostOnce => {
            state.creation = Creation::Told;
            FakeAnswer::Close
        }
        Creation::Told | Creation::Invalid => {
            let shown = state.batches.last().map(show);
            FakeAnswer::json(200, shown.unwrap_or_default())
        }
    }
}

fn poll(
    state: &mut BatchState,
    fates: &Fates,
    id: &str,
    show: fn(&FakeBatch) -> Value,
) -> FakeAnswer {
    state.polls += 1;
    let BatchState { batches, executed, released, creation, .. } = state;
    let Some(batch) = batches.iter_mut().find(|batch| batch.id == id) else {
        return FakeAnswer::json(404, json!({"error": {"message": "no such batch"}}));
    };
    if *creation == Creation::Invalid {
        let mut shown = show(batch);
        shown["status"] = "failed".into();
        shown["errors"] = json!({"object": "list", "data": [
            {"code": "invalid_json_line", "message": "line 1 is not parseable", "param": null, "line": 1},
        ]});
        return FakeAnswer::json(200, shown);
    }
    if *released && batch.ended.is_none() {
        let openai = batch.id.starts_with("batch_");
        let (mut answers, mut errors) = (Vec::new(), Vec::new());
        for (id, body) in &batch.rows {
            let command = command(body);
            let before = executed.get(&command).copied().unwrap_or(0);
            let fate = fates(&command, before);
            if matches!(fate, RowFate::Answer | RowFate::Status(_)) {
                *executed.entry(command.clone()).or_default() += 1;
            }
            let row = if openai {
                openai_row(id, fate, &command)
            } else {
                anthropic_row(id, fate, &command)
            };
            match fate {
                RowFate::Answer => answers.extend(row),
                _ => errors.extend(row),
            }
        }
        batch.ended = Some((answers, errors));
    }
    FakeAnswer::json(200, show(batch))
}

/// The command as it stands in the JSON of the request.
fn command(body: &Value) -> String {
    let messages = body["messages"].as_array();
    let last = messages.and_then(|all| all.last()).and_then(|last| last["content"].as_str());
    let text = last.unwrap_or_default();
    let command = text.strip_prefix("Validate this command: ").unwrap_or(text);
    let quoted = Value::from(command).to_string();
    quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
}

fn openai_row(id: &str, fate: RowFate, command: &str) -> Option<Value> {
    let failed = |code: &str, message: &str| {
        json!({"id": "batch_req_1", "custom_id": id, "response": null,
               "error": {"code": code, "message": message}})
    };
    let response = |status: u16, body: Value| {
        json!({"id": "batch_req_1", "custom_id": id, "error": null,
               "response": {"status_code": status, "request_id": "req_1", "body": body}})
    };
    Some(match fate {
        RowFate::Missing => return None,
        RowFate::Expired => failed(
            "batch_expired",
            "This request could not be executed before the completion window expired.",
        ),
        RowFate::Cancelled => failed("batch_cancelled", "This request was cancelled."),
        RowFate::Status(status) => {
            response(status, json!({"error": {"message": "as told", "type": "test"}}))
        }
        RowFate::Answer => response(
            200,
            json!({
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "loopback",
                "choices": [{"index": 0, "finish_reason": "stop",
                    "message": {"role": "assistant", "content": verdict(command.as_bytes()), "refusal": null}}],
                "usage": {"prompt_tokens": 3300, "completion_tokens": 30, "total_tokens": 3330},
            }),
        ),
    })
}

fn anthropic_row(id: &str, fate: RowFate, command: &str) -> Option<Value> {
    let result = match fate {
        RowFate::Missing => return None,
        RowFate::Expired => json!({"type": "expired"}),
        RowFate::Cancelled => json!({"type": "canceled"}),
        RowFate::Status(status) => {
            let kind = match status {
                400 => "invalid_request_error",
                429 => "rate_limit_error",
                529 => "overloaded_error",
                _ => "api_error",
            };
            json!({"type": "errored", "error": {"type": "error", "request_id": "req_1",
                "error": {"type": kind, "message": "as told"}}})
        }
        RowFate::Answer => json!({"type": "succeeded", "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "loopback",
            "content": [{"type": "text", "text": verdict(command.as_bytes())}],
            "stop_reason": "end_turn", "stop_sequence": null,
            "usage": {"input_tokens": 3300, "output_tokens": 30},
        }}),
    };
    Some(json!({"custom_id": id, "result": result}))
}

fn openai(batch: &FakeBatch) -> Value {
    let ended = batch.ended.as_ref();
    let (completed, failed) = ended.map_or((0, 0), |(good, bad)| (good.len(), bad.len()));
    let file = |kind: &str, number: usize| {
        if number > 0 { Value::from(format!("{kind}-{}", batch.id)) } else { Value::Null }
    };
    json!({
        "id": batch.id, "object": "batch", "endpoint": "/v1/chat/completions", "errors": null,
        "completion_window": "24h", "status": if ended.is_some() { "completed" } else { "in_progress" },
        "output_file_id": file("out", completed), "error_file_id": file("err", failed),
        "created_at": batch.created, "metadata": batch.label,
        "request_counts": {"total": batch.rows.len(), "completed": completed, "failed": failed},
    })
}

fn anthropic(batch: &FakeBatch) -> Value {
    let ended = batch.ended.as_ref();
    let (good, bad) = ended.map_or((0, 0), |(good, bad)| (good.len(), bad.len()));
    let processing = if ended.is_some() { 0 } else { batch.rows.len() };
    json!({
        "id": batch.id, "type": "message_batch",
        "processing_status": if ended.is_some() { "ended" } else { "in_progress" },
        "request_counts": {"processing": processing, "succeeded": good, "errored": bad, "canceled": 0, "expired": 0},
        "created_at": rfc3339(batch.created), "ended_at": null, "results_url": null,
    })
}

/// Seconds since 1970 as `YYYY-MM-DDTHH:MM:SSZ`.
fn rfc3339(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days since 0000-03-01, by Howard Hinnant's algorithm.
    let z = days + 719_468;
    let (era, day_of_era) = (z / 146_097, z % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_part = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_part + 2) / 5 + 1;
    let month = if month_part < 10 { month_part + 3 } else { month_part - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}
