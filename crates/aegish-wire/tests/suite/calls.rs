//! Retries, deadlines, proxies, certificates, concurrency, and secrets in messages.

use std::fs;
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use crate::fake::answers::{CompletionEnd, error, reply};
use crate::fake::{Fake, FakeAnswer, KEY, PROTOCOLS, client, full, quick};
use aegish_wire::{Client, EndpointSettings, FailureKind, Limits, Protocol, TransportOptions};
use serde_json::json;

fn good(protocol: Protocol) -> FakeAnswer {
    FakeAnswer::json(200, reply(protocol, CompletionEnd::Good))
}

#[test]
fn a_provider_that_recovers_is_asked_until_it_answers() {
    for protocol in PROTOCOLS {
        let server = Fake::start(move |n, _| match n {
            0 => FakeAnswer::json(529, error(protocol, 529, "busy")),
            1 => FakeAnswer::Close,
            2 => FakeAnswer::json(429, error(protocol, 429, "slow")).with("retry-after-ms", "3"),
            _ => good(protocol),
        });
        let done = client(3).complete(&server.of(protocol), &full()).expect("the fourth attempt");
        assert_eq!((done.attempts, server.seen().len()), (4, 4));
        let seen = server.seen();
        assert!(seen.iter().all(|s| s.text == seen[0].text), "every attempt sends the same body");
    }
}

#[test]
fn three_retries_are_the_default() {
    assert_eq!(Limits::default().max_retries, 3);
    let server = Fake::always(FakeAnswer::json(500, "{}"));
    let failure =
        client(3).complete(&server.of(Protocol::OpenAiChat), &full()).expect_err("broken");
    assert_eq!((failure.kind, failure.attempts, server.seen().len()), (FailureKind::Server, 4, 4));
    assert!(failure.to_string().contains("4 attempts"), "{failure}");
}

#[test]
fn retry_after_is_waited_for_as_seconds_and_as_a_date() {
    // A date has a resolution of one second: two seconds ahead is at least one second of waiting.
    let rows: [(fn() -> String, u64); 2] = [
        (|| "0.2".to_owned(), 200),
        (|| http_date(SystemTime::now() + Duration::from_secs(2)), 900),
    ];
    for (value, least) in rows {
        let server = Fake::start(move |n, _| match n {
            0 => FakeAnswer::json(429, "{}").with("retry-after", value()),
            _ => good(Protocol::OpenAiChat),
        });
        let started = Instant::now();
        client(1).complete(&server.of(Protocol::OpenAiChat), &full()).expect("an answer");
        assert!(started.elapsed() >= Duration::from_millis(least), "{:?}", started.elapsed());
    }
}

#[test]
fn a_wait_beyond_the_deadline_is_not_begun() {
    let server = Fake::always(FakeAnswer::json(429, "{}").with("retry-after", "60"));
    let started = Instant::now();
    let failure =
        client(3).complete(&server.of(Protocol::OpenAiChat), &full()).expect_err("limited");
    assert_eq!(
        failure.kind,
        FailureKind::RateLimited { retry_after: Some(Duration::from_secs(60)) }
    );
    assert_eq!(failure.retry_after(), Some(Duration::from_secs(60)));
    assert!(
        failure.retryable && failure.attempts == 1 && started.elapsed() < Duration::from_secs(5)
    );
}

#[test]
fn a_longer_wait_than_allowed_fails_at_once() {
    let server = Fake::always(FakeAnswer::json(429, "{}").with("retry-after", "3"));
    let limits = Limits { longest_wait: Duration::from_secs(2), ..quick(3) };
    let started = Instant::now();
    let failure = client(0)
        .with_limits(limits)
        .complete(&server.of(Protocol::OpenAiChat), &full())
        .expect_err("limited");
    assert_eq!((failure.attempts, failure.retry_after()), (1, Some(Duration::from_secs(3))));
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
}

#[test]
fn the_deadline_bounds_all_attempts_together() {
    let server = Fake::always(FakeAnswer::Hang);
    let limits = Limits { deadline: Duration::from_millis(250), ..quick(50) };
    let mut request = full();
    request.timeout = Duration::from_millis(100);
    let started = Instant::now();
    let client = client(0).with_limits(limits);
    let failure =
        client.complete(&server.of(Protocol::AnthropicMessages), &request).expect_err("hangs");
    assert_eq!(failure.kind, FailureKind::Timeout);
    assert!(started.elapsed() < Duration::from_millis(1500), "{:?}", started.elapsed());
    assert!((2..=4).contains(&failure.attempts), "{}", failure.attempts);
}

#[test]
fn a_closed_port_is_a_failed_connection() {
    let address = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port");
    let settings = EndpointSettings {
        base_url: Some(format!("http://{address}/v1")),
        ..EndpointSettings::default()
    };
    let endpoint = aegish_wire::Endpoint::resolve("ollama/m", &|_| None, &settings).expect("local");
    let failure = client(1).complete(&endpoint, &full()).expect_err("nobody");
    assert_eq!((failure.kind, failure.attempts), (FailureKind::Connect, 2));
}

#[test]
fn a_key_that_the_provider_echoes_is_not_shown() {
    for protocol in PROTOCOLS {
        let said = format!(
            "Incorrect API key provided: {KEY}\u{7}. Or {}***{}",
            &KEY[..8],
            &KEY[KEY.len() - 8..]
        );
        let server = Fake::always(
            FakeAnswer::json(401, error(protocol, 401, &said)).with("request-id", "req-9"),
        );
        let endpoint = server.of(protocol);
        let failure = client(0).complete(&endpoint, &full()).expect_err("refused");
        let text = format!("{failure} {failure:?} {endpoint:?} {:?}", client(0));
        assert!(!text.contains(&KEY[..8]) && !text.contains(&KEY[KEY.len() - 8..]), "{text}");
        assert!(!failure.message.contains('\u{7}'));
        assert_eq!(
            (failure.kind, failure.request_id.as_deref()),
            (FailureKind::Auth, Some("req-9"))
        );
        assert!(failure.message.starts_with(&endpoint.id), "{}", failure.message);
    }
}

#[test]
fn a_long_error_is_cut() {
    let server =
        Fake::always(FakeAnswer::json(400, json!({"error": {"message": "ä".repeat(100_000)}})));
    let failure =
        client(0).complete(&server.of(Protocol::OpenAiChat), &full()).expect_err("refused");
    assert!(failure.message.chars().count() < 400);
}

#[test]
fn an_error_inside_a_good_status_is_a_failure() {
    let inside =
        json!({"id": "x", "choices": [], "error": {"code": 502, "message": "upstream is down"}});
    let server = Fake::always(FakeAnswer::json(200, inside));
    let failure =
        client(1).complete(&server.of(Protocol::OpenAiChat), &full()).expect_err("upstream");
    assert_eq!((failure.kind, failure.attempts), (FailureKind::Server, 2));
    let failed = json!({
        "id": "r", "status": "failed", "output": [], "error": {"code": "server_error", "message": "sorry"},
    });
    let server = Fake::always(FakeAnswer::json(200, failed));
    let failure =
        client(0).complete(&server.of(Protocol::OpenAiResponses), &full()).expect_err("failed");
    assert_eq!(failure.kind, FailureKind::Server);
}

#[test]
fn a_body_at_the_bound_is_read_and_one_beyond_is_not() {
    let body = reply(Protocol::OpenAiChat, CompletionEnd::Good).to_string();
    let server = Fake::always(FakeAnswer::json(200, &body));
    let with = |response_bytes| client(0).with_limits(Limits { response_bytes, ..quick(0) });
    let length = body.len() as u64;
    assert!(with(length).complete(&server.of(Protocol::OpenAiChat), &full()).is_ok());
    let failure =
        with(length - 1).complete(&server.of(Protocol::OpenAiChat), &full()).expect_err("too long");
    assert_eq!(failure.kind, FailureKind::ReplyTooLarge);
}

#[test]
fn many_threads_share_one_client() {
    let server = Fake::start(|_, seen| {
        let mut body = reply(Protocol::OpenAiChat, CompletionEnd::Good);
        body["choices"][0]["message"]["content"] = seen.body["messages"][1]["content"].clone();
        FakeAnswer::json(200, body)
    });
    let (client, endpoint) = (client(0), server.of(Protocol::OpenAiChat));
    thread::scope(|scope| {
        for thread in 0..32 {
            let (client, endpoint) = (client.clone(), endpoint.clone());
            scope.spawn(move || {
                for round in 0..10 {
                    let mut request = full();
                    request.user = format!("{thread}/{round}");
                    let done = client.complete(&endpoint, &request).expect("an answer");
                    assert_eq!(done.text, request.user, "nobody gets another's answer");
                }
            });
        }
    });
    assert_eq!(server.seen().len(), 320);
}

#[test]
fn a_loopback_server_is_never_reached_through_a_proxy() {
    let proxy = Fake::always(FakeAnswer::Close);
    let address = format!("http://{}", proxy.address);
    let env = move |name: &str| {
        name.ends_with("PROXY").then(|| address.clone()).filter(|_| name != "NO_PROXY")
    };
    let options = TransportOptions::from_env(&env).expect("a proxy");
    let server = Fake::always(good(Protocol::Gemini));
    let client = Client::new(options, quick(0));
    client.complete(&server.of(Protocol::Gemini), &full()).expect("directly");
    assert!(proxy.seen().is_empty());
}

#[test]
fn a_bad_certificate_file_is_named_when_a_secure_connection_is_first_needed() {
    let path = std::env::temp_dir().join(format!("aegish-wire-ca-{}.pem", std::process::id()));
    fs::write(&path, "not a certificate").expect("a file");
    let client = Client::new(TransportOptions::default().with_ca_file(path.clone()), quick(1));
    let plain = Fake::always(good(Protocol::OpenAiChat));
    assert!(
        client.complete(&plain.of(Protocol::OpenAiChat), &full()).is_ok(),
        "not needed for this one"
    );
    let settings = EndpointSettings {
        base_url: Some("https://127.0.0.1:9/v1".to_owned()),
        ..EndpointSettings::default()
    };
    let secure =
        aegish_wire::Endpoint::resolve("vllm/m", &|_| None, &settings).expect("an endpoint");
    let failure = client.complete(&secure, &full()).expect_err("no certificate");
    assert_eq!((failure.kind, failure.attempts), (FailureKind::Setup, 1));
    assert!(failure.message.contains("holds no certificate"), "{}", failure.message);
    fs::remove_file(path).expect("removed");
}

/// Converts days to a civil date, the inverse of what the client does.
fn http_date(at: SystemTime) -> String {
    let seconds = at.duration_since(SystemTime::UNIX_EPOCH).expect("after 1970").as_secs();
    let (mut days, rest) = (seconds / 86400, seconds % 86400);
    let (mut year, mut month) = (1970, 0);
    let length = |year: u64, month: usize| match month {
        1 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => {
            29
        }
        1 => 28,
        3 | 5 | 8 | 10 => 30,
        _ => 31,
    };
    while days >= length(year, month) {
        days -= length(year, month);
        month += 1;
        if month == 12 {
            (month, year) = (0, year + 1);
        }
    }
    let names =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("Mon, {:02} {} {year} {hour:02}:{minute:02}:{second:02} GMT", days + 1, names[month])
}

#[test]
fn a_redirect_is_not_followed_whatever_its_status() {
    for status in [301, 302, 303, 307, 308] {
        let other = Fake::always(good(Protocol::OpenAiChat));
        let to = format!("http://{}/v1/chat/completions", other.address);
        let server = Fake::always(FakeAnswer::json(status, "{}").with("location", &to));
        let failure =
            client(1).complete(&server.of(Protocol::OpenAiChat), &full()).expect_err("moved");
        assert_eq!(
            (failure.kind, failure.status),
            (FailureKind::BadReply, Some(status)),
            "{failure}"
        );
        assert!(failure.message.contains("redirects"), "{failure}");
        assert!(other.seen().is_empty(), "{status}: the key stays with the provider it belongs to");
    }
}

#[test]
fn a_single_attempt_ends_with_the_deadline_too() {
    let server = Fake::always(FakeAnswer::Hang);
    let limits = Limits { deadline: Duration::from_millis(150), ..quick(3) };
    let started = Instant::now();
    let client = client(0).with_limits(limits);
    let failure = client.complete(&server.of(Protocol::Gemini), &full()).expect_err("hangs");
    assert_eq!((failure.kind, failure.attempts), (FailureKind::Timeout, 1));
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

#[test]
fn a_malformed_reply_is_a_bad_reply_and_never_a_panic() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let texts = [
        "null",
        "true",
        "0",
        "\"x\"",
        "[]",
        "[[]]",
        "{\"choices\":0}",
        "{\"output\":[0]}",
        "\u{feff}{}",
        &deep,
    ];
    for protocol in PROTOCOLS {
        for text in texts {
            let server = Fake::always(FakeAnswer::json(200, text));
            let failure = client(1).complete(&server.of(protocol), &full()).expect_err("garbage");
            assert_eq!(
                failure.kind,
                FailureKind::BadReply,
                "{protocol:?} {}",
                &text[..text.len().min(40)]
            );
            let server = Fake::always(FakeAnswer::json(400, text));
            let failure = client(1).complete(&server.of(protocol), &full()).expect_err("garbage");
            assert_eq!(
                failure.kind,
                FailureKind::BadRequest,
                "{protocol:?} {}",
                &text[..text.len().min(40)]
            );
        }
    }
}
