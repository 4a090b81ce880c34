//! Every protocol against every failure: what the caller gets, and after how many attempts.

use std::time::{Duration, Instant};

use crate::fake::answers::{End, TEXT, error, reply};
use crate::fake::{Answer, Fake, client, full};
use aegish_wire::{FailureKind, Protocol, Stop};

#[derive(Debug)]
enum Expect {
    /// A failure of this kind after this many attempts, where one retry is allowed.
    Fails(FailureKind, u32),
    /// A completion that stopped so.
    Answers(Stop, &'static str),
}
use Expect::{Answers, Fails};

/// The table: name, what the provider does, what the caller gets.
fn table(protocol: Protocol) -> Vec<(&'static str, Answer, Expect)> {
    let status = |status: u16| Answer::json(status, error(protocol, status, "no"));
    let ends = |end| Answer::json(200, reply(protocol, end));
    let good = reply(protocol, End::Good).to_string();
    let html = Answer::Reply {
        status: 200,
        headers: vec![("content-type", "text/html".into())],
        body: good.clone(),
    };
    let bare = Answer::Reply { status: 200, headers: vec![], body: good.clone() };
    let page = Answer::Reply {
        status: 502,
        headers: vec![("content-type", "text/html".into())],
        body: "<p>".into(),
    };
    let moved = Answer::json(307, "{}").with("location", "http://127.0.0.1:9/elsewhere");
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
        ("204", Answer::json(204, ""), Fails(FailureKind::BadReply, 1)),
        ("hang", Answer::Hang, Fails(FailureKind::Timeout, 2)),
        ("slow drip", Answer::Drip(good.clone()), Fails(FailureKind::Timeout, 2)),
        ("closed at once", Answer::Close, Fails(FailureKind::Interrupted, 2)),
        ("half a body", Answer::Half(good.clone()), Fails(FailureKind::Interrupted, 2)),
        ("half a chunked body", Answer::HalfChunk(good), Fails(FailureKind::Interrupted, 2)),
        ("not HTTP", Answer::Noise, Fails(FailureKind::BadReply, 1)),
        ("wrong content type", html, Fails(FailureKind::BadReply, 1)),
        ("no content type", bare, Fails(FailureKind::BadReply, 1)),
        ("invalid JSON", Answer::json(200, "{\"id\":"), Fails(FailureKind::BadReply, 1)),
        ("other JSON", Answer::json(200, "[1]"), Fails(FailureKind::BadReply, 1)),
        ("empty object", Answer::json(200, "{}"), Fails(FailureKind::BadReply, 1)),
        ("empty body", Answer::json(200, ""), Fails(FailureKind::BadReply, 1)),
        ("10 MB", Answer::json(200, huge), Fails(FailureKind::ReplyTooLarge, 1)),
        ("good", ends(End::Good), Answers(Stop::Stop, TEXT)),
        ("empty completion", ends(End::Empty), Answers(Stop::Stop, "")),
        ("content filter", ends(End::Filtered), Answers(Stop::ContentFilter, "")),
        ("truncated by tokens", ends(End::Cut), Answers(Stop::MaxTokens, r#"{"act"#)),
        ("tool call", ends(End::Tool), Answers(Stop::Tool, "")),
    ]
}

fn run(protocol: Protocol) {
    let client = client(1);
    let mut wrong = Vec::new();
    for (name, answer, expect) in table(protocol) {
        let stalls = matches!(answer, Answer::Hang | Answer::Drip(_));
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
