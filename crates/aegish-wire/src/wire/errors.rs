//! Error bodies of providers, parsed leniently because they have little in common.

use std::time::Duration;

use serde_json::Value;

use crate::failure::{Failure, FailureKind};

/// The kind and message of a failed reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Explained {
    pub(crate) kind: FailureKind,
    pub(crate) message: String,
}

/// Explains a reply whose status is not 200. `retry_after` comes from its headers.
pub(crate) fn explain(status: u16, body: &str, retry_after: Option<Duration>) -> Explained {
    let parsed: Option<Value> = serde_json::from_str(body).ok();
    // Gemini sometimes wraps its error in a list.
    let root = parsed.as_ref().map(|v| v.get(0).unwrap_or(v));
    let error = root.map(|v| v.get("error").unwrap_or(v));
    let said = error.map(ErrorBody::read).unwrap_or_default();
    let kind = classify(status, &said, retry_after.or(said.retry_after));
    let message = match &said.message {
        Some(message) => message.clone(),
        None => plain(status).to_owned(),
    };
    Explained { kind, message }
}

/// Explains an error object inside a reply with status 200.
pub(super) fn inside(error: &Value) -> Failure {
    let said = ErrorBody::read(error);
    let status =
        error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    let kind = classify(status.unwrap_or(0), &said, said.retry_after);
    Failure::new(
        kind,
        said.message.as_deref().unwrap_or("the provider reported an error without a message"),
    )
}

#[derive(Default)]
struct ErrorBody {
    message: Option<String>,
    /// All machine-readable words, in lower case.
    words: Vec<String>,
    retry_after: Option<Duration>,
}

impl ErrorBody {
    fn read(error: &Value) -> Self {
        let text = |key| error.get(key).and_then(Value::as_str);
        let message = error
            .as_str()
            .or_else(|| text("message"))
            .or_else(|| text("detail"))
            .or_else(|| text("Message"))
            .or_else(|| text("error_description"))
            .filter(|m| !m.trim().is_empty());
        let mut words: Vec<String> = ["type", "code", "status"]
            .iter()
            .filter_map(|key| text(key))
            .map(str::to_ascii_lowercase)
            .collect();
        if let Some(inner) = error.pointer("/innererror/code").and_then(Value::as_str) {
            words.push(inner.to_ascii_lowercase());
        }
        let mut retry_after = None;
        for detail in error.get("details").and_then(Value::as_array).into_iter().flatten().take(16)
        {
            let of = |key| detail.get(key).and_then(Value::as_str);
            words.extend(of("reason").map(str::to_ascii_lowercase));
            retry_after = retry_after.or_else(|| of("retryDelay").and_then(seconds));
        }
        Self { message: message.map(str::to_owned), words, retry_after }
    }

    fn has(&self, parts: &[&str]) -> bool {
        self.words.iter().any(|word| parts.iter().any(|part| word.contains(part)))
    }

    fn says(&self, part: &str) -> bool {
        self.message.as_deref().is_some_and(|m| m.to_ascii_lowercase().contains(part))
    }
}

/// A duration in the format of protocol buffers: `37s`, `1.5s`.
fn seconds(text: &str) -> Option<Duration> {
    Duration::try_from_secs_f64(text.strip_suffix('s')?.parse().ok()?).ok()
}

fn classify(status: u16, said: &ErrorBody, retry_after: Option<Duration>) -> FailureKind {
    // The words are more precise than the status: an empty account, a wrong key and a refused question all
    // come as 400.
    if said.has(&["insufficient_quota", "billing"]) || said.says("credit balance is too low") {
        return FailureKind::Quota;
    }
    if said.has(&[
        "context_length_exceeded",
        "exceed_context_size",
        "request_too_large",
        "string_above_max_length",
    ]) {
        return FailureKind::TooLarge;
    }
    if said.has(&["content_filter", "content_policy", "responsibleai", "invalid_prompt"]) {
        return FailureKind::Refused;
    }
    if said.has(&["api_key_invalid", "invalid_api_key", "authentication_error"]) {
        return FailureKind::Auth;
    }
    match status {
        401 | 403 => FailureKind::Auth,
        402 => FailureKind::Quota,
        404 | 405 | 410 => FailureKind::NotFound,
        408 | 504 => FailureKind::Timeout,
        // OpenAI and Anthropic describe 409 as "try again".
        409 => FailureKind::Server,
        // The model behind Bedrock failed.
        424 => FailureKind::Server,
        413 => FailureKind::TooLarge,
        429 => FailureKind::RateLimited { retry_after },
        503 | 529 => FailureKind::Overloaded { retry_after },
        300..=399 => FailureKind::BadReply,
        400..=499 => FailureKind::BadRequest,
        500.. => FailureKind::Server,
        _ if said.has(&["rate_limit"]) => FailureKind::RateLimited { retry_after },
        _ if said.has(&["server_error", "overloaded"]) => FailureKind::Server,
        _ => FailureKind::BadReply,
    }
}

fn plain(status: u16) -> &'static str {
    match status {
        200..=299 => "the reply has a status but no completion",
        300..=399 => "the provider redirects elsewhere, which is not followed",
        401 | 403 => "the provider does not accept the key",
        404 => "the provider knows no such model or address",
        408 | 504 => "the provider gave up waiting",
        413 => "the request is too large for the provider",
        429 => "the provider asks to slow down",
        503 | 529 => "the provider has no capacity now",
        500.. => "the provider failed",
        _ => "the provider does not accept the request",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_more_precise_than_the_status() {
        let rows = [
            (
                429,
                r#"{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}"#,
                FailureKind::Quota,
            ),
            (
                400,
                r#"{"error":{"message":"m","code":"context_length_exceeded"}}"#,
                FailureKind::TooLarge,
            ),
            // llama.cpp
            (
                400,
                r#"{"error":{"code":400,"message":"m","type":"exceed_context_size_error"}}"#,
                FailureKind::TooLarge,
            ),
            (
                400,
                r#"{"error":{"message":"m","code":"content_filter","innererror":{"code":"X"}}}"#,
                FailureKind::Refused,
            ),
            (
                400,
                r#"{"error":{"message":"m","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#,
                FailureKind::Auth,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low"}}"#,
                FailureKind::Quota,
            ),
            (400, r#"{"error":"no such option"}"#, FailureKind::BadRequest),
            (404, r#"{"detail":"Not Found"}"#, FailureKind::NotFound),
            (502, "<html>bad gateway</html>", FailureKind::Server),
            (301, "", FailureKind::BadReply),
        ];
        for (status, body, kind) in rows {
            assert_eq!(explain(status, body, None).kind, kind, "{status} {body}");
        }
    }

    #[test]
    fn a_delay_in_the_body_is_read_and_headers_win() {
        let body = r#"[{"error":{"code":429,"message":"m","details":[{"@type":"RetryInfo","retryDelay":"1.5s"}]}}]"#;
        let after = |d| FailureKind::RateLimited { retry_after: Some(d) };
        assert_eq!(explain(429, body, None).kind, after(Duration::from_millis(1500)));
        assert_eq!(
            explain(429, body, Some(Duration::from_secs(9))).kind,
            after(Duration::from_secs(9))
        );
    }

    #[test]
    fn an_error_inside_a_good_status_is_a_failure() {
        let error = serde_json::json!({"code": 502, "message": "upstream"});
        assert_eq!(inside(&error).kind, FailureKind::Server);
        let error = serde_json::json!({"code": "rate_limit_exceeded", "message": "slow"});
        assert_eq!(inside(&error).kind, FailureKind::RateLimited { retry_after: None });
    }
}
