//! OpenAI: a file of requests, a batch over it, files with outcomes and errors.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::{
    BatchRow, BatchState, BatchStatus, CANCELLED, EXPIRED, List, RowOutcome, answer, failed, parse,
    plain,
};
use crate::client::Client;
use crate::endpoint::Endpoint;
use crate::failure::{Failure, FailureKind};
use crate::provider::Protocol;
use crate::transport::{JSON, Payload};
use crate::wire::Prepared;

/// The key of the caller's label in a batch's metadata.
const LABEL: &str = "aegish";

#[derive(Deserialize)]
struct File {
    id: String,
}

#[derive(Deserialize)]
struct Batch {
    id: String,
    status: String,
    created_at: Option<i64>,
    output_file_id: Option<String>,
    error_file_id: Option<String>,
    errors: Option<Errors>,
    request_counts: Option<Counts>,
    metadata: Option<BTreeMap<String, String>>,
}

#[derive(Deserialize)]
struct Errors {
    #[serde(default)]
    data: Vec<BatchError>,
}

#[derive(Deserialize)]
struct BatchError {
    code: Option<String>,
    message: Option<String>,
    line: Option<u64>,
}

#[derive(Deserialize)]
struct Counts {
    total: u64,
    completed: u64,
    failed: u64,
}

#[derive(Deserialize)]
struct Row {
    custom_id: String,
    response: Option<Response>,
    error: Option<RowError>,
}

#[derive(Deserialize)]
struct Response {
    status_code: u16,
    request_id: Option<String>,
    body: Box<RawValue>,
}

#[derive(Deserialize)]
struct RowError {
    code: Option<String>,
    message: Option<String>,
}

/// The path of a request inside a batch, which has no host.
fn path(endpoint: &Endpoint) -> &'static str {
    match endpoint.protocol {
        Protocol::OpenAiResponses => "/v1/responses",
        _ => "/v1/chat/completions",
    }
}

pub(super) fn submit(
    client: &Client,
    endpoint: &Endpoint,
    label: &str,
    rows: &[(String, Prepared)],
) -> Result<String, Failure> {
    let boundary = format!("aegish-{label}");
    let form = form(endpoint, &boundary, rows);
    let kind = format!("multipart/form-data; boundary={boundary}");
    let url = format!("{}/files", endpoint.base_url);
    let sent = Payload::Post(&kind, form.as_bytes());
    let file: File = client.json(endpoint, &url, sent)?;
    drop(form);
    let body = json!({
        "input_file_id": file.id,
        "endpoint": path(endpoint),
        "completion_window": "24h",
        "metadata": { LABEL: label },
    });
    let url = format!("{}/batches", endpoint.base_url);
    let body = body.to_string();
    let sent = Payload::Post(JSON, body.as_bytes());
    let batch: Batch = client.json(endpoint, &url, sent)?;
    Ok(plain(&batch.id)?.to_owned())
}

/// The requests as a file in a form. The bodies hold JSON, which has no line break in it.
fn form(endpoint: &Endpoint, boundary: &str, rows: &[(String, Prepared)]) -> String {
    let size: usize = rows.iter().map(|(_, row)| row.body.len() + 160).sum();
    let mut form = String::with_capacity(size + 512);
    let part = "Content-Disposition: form-data; name=";
    form.push_str(&format!("--{boundary}\r\n{part}\"purpose\"\r\n\r\nbatch\r\n"));
    form.push_str(&format!("--{boundary}\r\n{part}\"file\"; filename=\"{boundary}.jsonl\"\r\n"));
    form.push_str("Content-Type: application/jsonl\r\n\r\n");
    for (id, row) in rows {
        let (url, body) = (path(endpoint), &row.body);
        form.push_str(&format!(
            "{{\"custom_id\":\"{id}\",\"method\":\"POST\",\"url\":\"{url}\",\"body\":{body}}}\n"
        ));
    }
    form.push_str(&format!("\r\n--{boundary}--\r\n"));
    form
}

pub(super) fn status(
    client: &Client,
    endpoint: &Endpoint,
    id: &str,
) -> Result<BatchStatus, Failure> {
    let url = format!("{}/batches/{id}", endpoint.base_url);
    understood(endpoint, client.json(endpoint, &url, Payload::None)?)
}

pub(super) fn list(client: &Client, endpoint: &Endpoint) -> Result<Vec<BatchStatus>, Failure> {
    let url = format!("{}/batches?limit=100", endpoint.base_url);
    let list: List<Batch> = client.json(endpoint, &url, Payload::None)?;
    list.data.into_iter().map(|batch| understood(endpoint, batch)).collect()
}

fn understood(endpoint: &Endpoint, batch: Batch) -> Result<BatchStatus, Failure> {
    let state = match batch.status.as_str() {
        "completed" | "expired" | "cancelled" => {
            let ids = [&batch.output_file_id, &batch.error_file_id].into_iter().flatten();
            let address =
                |id: &String| Ok(format!("{}/files/{}/content", endpoint.base_url, plain(id)?));
            BatchState::Ended { files: ids.map(address).collect::<Result<_, Failure>>()? }
        }
        "failed" => BatchState::Failed(why(batch.errors)),
        _ => BatchState::Running,
    };
    let counts = batch.request_counts.unwrap_or(Counts { total: 0, completed: 0, failed: 0 });
    Ok(BatchStatus {
        id: plain(&batch.id)?.to_owned(),
        // A batch without a label is not ours; the empty label is nobody's.
        label: Some(batch.metadata.and_then(|mut all| all.remove(LABEL)).unwrap_or_default()),
        created: batch.created_at,
        total: counts.total,
        done: counts.completed.saturating_add(counts.failed),
        state,
    })
}

/// The first error of a batch that failed its validation.
fn why(errors: Option<Errors>) -> String {
    let first = errors.and_then(|errors| errors.data.into_iter().next());
    let Some(BatchError { code, message, line }) = first else {
        return "the provider refused the batch and does not say why".to_owned();
    };
    let said = message.or(code).unwrap_or_default();
    let line = line.map(|line| format!(" (line {line})")).unwrap_or_default();
    // Bounded and cleaned as every foreign text.
    Failure::new(FailureKind::BadRequest, format!("the provider refused the batch: {said}{line}"))
        .message
}

pub(super) fn row(endpoint: &Endpoint, line: &str) -> Result<BatchRow, Failure> {
    let Row { custom_id, response, error } = parse(line)?;
    let outcome = match (response, error) {
        (Some(Response { status_code: 200, request_id, body }), None) => {
            answer(endpoint, body, request_id)
        }
        (Some(Response { status_code, request_id, body }), None) => {
            failed(endpoint, status_code, body.get(), request_id)
        }
        (_, error) => {
            let RowError { code, message } =
                error.unwrap_or(RowError { code: None, message: None });
            match code.as_deref() {
                Some("batch_expired") => RowOutcome::NotExecuted(EXPIRED),
                Some("batch_cancelled") => RowOutcome::NotExecuted(CANCELLED),
                _ => {
                    let error = json!({ "error": { "code": code, "message": message } });
                    failed(endpoint, 500, &error.to_string(), None)
                }
            }
        }
    };
    Ok(BatchRow { custom_id, outcome })
}
