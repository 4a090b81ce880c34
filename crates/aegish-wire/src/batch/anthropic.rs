//! Anthropic: a batch is one body with all requests, its results are one file.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{
    BatchRow, BatchState, BatchStatus, CANCELLED, EXPIRED, List, RowOutcome, answer, failed, odd,
    parse, plain,
};
use crate::client::Client;
use crate::endpoint::Endpoint;
use crate::failure::Failure;
use crate::transport::{JSON, Payload};
use crate::wire::{Prepared, versioned};

#[derive(Deserialize)]
struct Batch {
    id: String,
    processing_status: String,
    created_at: Option<String>,
    request_counts: Counts,
}

#[derive(Deserialize)]
struct Counts {
    processing: u64,
    succeeded: u64,
    errored: u64,
    canceled: u64,
    expired: u64,
}

#[derive(Deserialize)]
struct Row {
    custom_id: String,
    result: RowResult,
}

#[derive(Deserialize)]
struct RowResult {
    r#type: String,
    message: Option<Box<RawValue>>,
    error: Option<Value>,
}

fn address(endpoint: &Endpoint, rest: &str) -> String {
    let path = versioned(endpoint, "v1", "messages/batches");
    format!("{}/{path}{rest}", endpoint.base_url)
}

pub(super) fn submit(
    client: &Client,
    endpoint: &Endpoint,
    rows: &[(String, Prepared)],
) -> Result<String, Failure> {
    let size: usize = rows.iter().map(|(_, row)| row.body.len() + 100).sum();
    let mut body = String::with_capacity(size + 32);
    body.push_str("{\"requests\":[");
    for (index, (id, row)) in rows.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        body.push_str(&format!("{comma}{{\"custom_id\":\"{id}\",\"params\":{}}}", row.body));
    }
    body.push_str("]}");
    let sent = Payload::Post(JSON, body.as_bytes());
    let batch: Batch = client.json(endpoint, &address(endpoint, ""), sent)?;
    Ok(plain(&batch.id)?.to_owned())
}

pub(super) fn status(
    client: &Client,
    endpoint: &Endpoint,
    id: &str,
) -> Result<BatchStatus, Failure> {
    let url = address(endpoint, &format!("/{id}"));
    understood(endpoint, client.json(endpoint, &url, Payload::None)?)
}

pub(super) fn list(client: &Client, endpoint: &Endpoint) -> Result<Vec<BatchStatus>, Failure> {
    let url = address(endpoint, "?limit=100");
    let list: List<Batch> = client.json(endpoint, &url, Payload::None)?;
    list.data.into_iter().map(|batch| understood(endpoint, batch)).collect()
}

fn understood(endpoint: &Endpoint, batch: Batch) -> Result<BatchStatus, Failure> {
    let id = plain(&batch.id)?.to_owned();
    let state = match batch.processing_status.as_str() {
        // The reply names this address as well; a key is sent to the configured host only.
        "ended" => BatchState::Ended { files: vec![address(endpoint, &format!("/{id}/results"))] },
        _ => BatchState::Running,
    };
    let Counts { processing, succeeded, errored, canceled, expired } = batch.request_counts;
    let done = [succeeded, errored, canceled, expired].into_iter().fold(0, u64::saturating_add);
    let created = batch.created_at.and_then(|at| at.parse::<Timestamp>().ok());
    Ok(BatchStatus {
        id,
        label: None,
        created: created.map(Timestamp::as_second),
        total: done.saturating_add(processing),
        done,
        state,
    })
}

pub(super) fn row(endpoint: &Endpoint, line: &str) -> Result<BatchRow, Failure> {
    let Row { custom_id, result } = parse(line)?;
    let outcome = match (result.r#type.as_str(), result.message) {
        ("succeeded", Some(message)) => answer(endpoint, message, None),
        ("expired", _) => RowOutcome::NotExecuted(EXPIRED),
        ("canceled", _) => RowOutcome::NotExecuted(CANCELLED),
        ("errored", _) => {
            let error = result.error.unwrap_or_default();
            let request_id = error.get("request_id").and_then(Value::as_str).map(str::to_owned);
            failed(endpoint, status_of(&error), &error.to_string(), request_id)
        }
        _ => return Err(odd("a result of an unknown type")),
    };
    Ok(BatchRow { custom_id, outcome })
}

/// The status that a single request with this error would have had.
fn status_of(error: &Value) -> u16 {
    let inner = error.get("error").unwrap_or(error);
    match inner.get("type").and_then(Value::as_str).unwrap_or_default() {
        "invalid_request_error" | "invalid_request" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    }
}
