//! Every protocol with every failure: the result for the caller, and the number of attempts.

use std::time::{Duration, Instant};

use crate::fake::answers::{CompletionEnd, TEXT, error, reply};
use crate::fake::{Fake, FakeAnswer, client, full};
use aegish_wire::{FailureKind, Protocol, Stop};

#[derive(Debug)]
enum Expect {
    /// A failure of this kind after this many attempts, where one retry is allowed.
    Fails(FailureKind, u32),
    /// A completion with this stop reason.
    Answers(Stop, &'static str),
}
use Expect::{Answers, Fails};

/// The table: name, behaviour of the provider, expected result.
fn table(protocol: Protocol) -> Vec<(&'static str, FakeAnswer, Expect)> {
    let status = |status: u16| FakeAnswer::json(status, error(protocol, status, "no"));
    let ends = |end| FakeAnswer::json(200, reply(protocol, end));
    let good = reply(protocol, CompletionEnd::Good).to_string();
    let html = FakeAnswer::Reply {
        status: 200,
        headers: vec![("content-type", "text/html".into())],
        body: good.clone(),
    };
    let bare = FakeAnswer::Reply { status: 200, headers: vec![], body: good.clone() };
    let page = FakeAnswer::Reply {
        status: 502,
        headers: vec![("content-type", "text/html".into())],
        body: "<p>".into(),
    };
    let moved = FakeAnswer::json(307, "{}").with("location", "http://127.0.0.1:9/elsewhere");
    let huge = format!("{{\"pad\":\"{}\"}}", "x".repeat(10 * 1024 * 1024));
    let limited = FailureKind::RateLimited { retry_after: Some(Duration::ZERO) };
    let busy = FailureKind::Overloaded { retry_after: None };
    vec![
        ("400", status(400), Fails(FailureKind::BadRequest, 1)),
        ("401", status(401), Fails(FailureKind::Auth, 1)),
        ("402", status(402), Fails(FailureKind::Quota, 1)),
        ("403", status(403), Fails(FailureKind::Auth, 1)),
        ("404", status(404), Fails(FailureKind::NotFound, 1)),
        ("408", status(408), Fails(FailureKind::Timeout, 2)),
        ("409", status(409), Fails(FailureKind::Server, 2)),
        ("413", status(413), Fails(FailureKind::TooLarge, 1)),
        ("422", status(422), Fails(FailureKind::BadRequest, 1)),
        ("429", status(429).with("retry-after", "0"), Fails(limited, 2)),
        ("500", status(500), Fails(FailureKind::Server, 2)),
        ("502", status(502), Fails(FailureKind::Server, 2)),
        ("502 as a web page", page, Fails(FailureKind::Server, 2)),
        ("503", status(503), Fails(busy, 2)),
        ("529", status(529), Fails(busy, 2)),
        ("redirect", moved, Fails(FailureKind::BadReply, 1)),
        ("204", FakeAnswer::json(204, ""), Fails(FailureKind::BadReply, 1)),
        ("hang", FakeAnswer::Hang, Fails(FailureKind::Timeout, 2)),
        ("slow drip", FakeAnswer::Drip(good.clone()), Fails(FailureKind::Timeout, 2)),
        ("closed at once", FakeAnswer::Close, Fails(FailureKind::Interrupted, 2)),
        ("half a body", FakeAnswer::Half(good.clone()), Fails(FailureKind::Interrupted, 2)),
        ("half a chunked body", FakeAnswer::HalfChunk(good), Fails(FailureKind::Interrupted, 2)),
        ("not HTTP", FakeAnswer::Noise, Fails(FailureKind::BadReply, 1)),
        ("wrong content type", html, Fails(FailureKind::BadReply, 1)),
        ("no content type", bare, Fails(FailureKind::BadReply, 1)),
        ("invalid JSON", FakeAnswer::json(200, "{\"id\":"), Fails(FailureKind::BadReply, 1)),
        ("other JSON", FakeAnswer::json(200, "[1]"), Fails(FailureKind::BadReply, 1)),
        ("empty object", FakeAnswer::json(200, "{}"), Fails(FailureKind::BadReply, 1)),
        ("empty body", FakeAnswer::json(200, ""), Fails(FailureKind::BadReply, 1)),
        ("10 MB", FakeAnswer::json(200, huge), Fails(FailureKind::ReplyTooLarge, 1)),
        ("good", ends(CompletionEnd::Good), Answers(Stop::Stop, TEXT)),
        ("empty completion", ends(CompletionEnd::Empty), Answers(Stop::Stop, "")),
        ("content filter", ends(CompletionEnd::Filtered), Answers(Stop::ContentFilter, "")),
        ("truncated by tokens", ends(CompletionEnd::Cut), Answers(Stop::MaxTokens, r#"{"act"#)),
        ("tool call", ends(CompletionEnd::Tool), Answers(Stop::Tool, "")),
    ]
}

fn run(protocol: Protocol) {
    let client = client(1);
    let mut wrong = Vec::new();
    for (name, answer, expect) in table(protocol) {
        let stalls = matches!(answer, FakeAnswer::Hang | FakeAnswer::Drip(_));
        let server = Fake::always(answer);
        let mut request = full();
        if stalls {
            request.timeout = Duration::from_millis(120);
        }
        let started = Instant::now();
        let got = client.complete(&server.of(protocol), &request);
        let as_expected = match (&expect, &got) {
            (Fails(kind, attempts), Err(f)) => f.kind == *kind && f.attempts == *attempts,
            (Answers(stop, text), Ok(c)) => c.stop == *stop && c.text == *text,
            _ => false,
        };
        let sent = server.seen().len();
        let attempts = match &got {
            Ok(c) => c.attempts,
            Err(f) => f.attempts,
        };
        if !as_expected || sent != attempts as usize {
            wrong.push(format!("{name}: wanted {expect:?}, got {got:?}, {sent} requests"));
        }
        assert!(
            !stalls || started.elapsed() < Duration::from_secs(3),
            "{name} took {:?}",
            started.elapsed()
        );
        if let Err(failure) = got {
            let text = format!("{failure} {failure:?}");
            assert!(!text.contains(crate::fake::KEY), "{name}: {text}");
        }
    }
    assert!(wrong.is_empty(), "{protocol:?}\n{}", wrong.join("\n"));
}

#[test]
fn openai_chat_fails_as_the_table_says() {
    run(Protocol::OpenAiChat);
}

#[test]
fn openai_responses_fails_as_the_table_says() {
    run(Protocol::OpenAiResponses);
}

#[test]
fn anthropic_messages_fails_as_the_table_says() {
    run(Protocol::AnthropicMessages);
}

#[test]
fn gemini_fails_as_the_table_says() {
    run(Protocol::Gemini);
}
