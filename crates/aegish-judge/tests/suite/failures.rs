//! Every protocol with every failure: the next step of the chain, and what it stores.

use std::time::Duration;

use crate::fake::answers::{CompletionEnd, error, reply};
use crate::fake::{Fake, FakeAnswer};
use crate::support::{BACKUP, Home, ask, judge, model, server, told, verdict};
use aegish_judge::{JudgeSettings, NoOpinion, Note, OpinionSource, SkipReason};
use aegish_policy::Action;
use aegish_wire::{FailureKind, Protocol};

/// The expected failure of the first model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    Fails(FailureKind),
    Filtered,
    Cut,
    Empty,
    NoVerdict,
}
use Why::{Cut, Empty, Fails, Filtered, NoVerdict};

/// Whether the first model is asked the next question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    Asked,
    LeftAlone,
}
use Next::{Asked, LeftAlone};

/// The table: name, behaviour of the first model, note of the chain, number of requests, and whether the
/// model is asked the next question. In every row the second model answers.
fn table(protocol: Protocol) -> Vec<(&'static str, FakeAnswer, Why, usize, Next)> {
    let status = |status: u16| FakeAnswer::json(status, error(protocol, status, "no"));
    let ends = |end| FakeAnswer::json(200, reply(protocol, end));
    let good = reply(protocol, CompletionEnd::Good).to_string();
    let html = FakeAnswer::Reply {
        status: 200,
        headers: vec![("content-type", "text/html".into())],
        body: good.clone(),
    };
    let moved = FakeAnswer::json(307, "{}").with("location", "http://127.0.0.1:9/elsewhere");
    let huge = format!("{{\"pad\":\"{}\"}}", "x".repeat(10 * 1024 * 1024));
    let after = |seconds| FailureKind::RateLimited { retry_after: seconds };
    let busy = |seconds| FailureKind::Overloaded { retry_after: seconds };
    let minute = Some(Duration::from_secs(60));
    vec![
        // The schema may be the cause, so the model is asked once more without it.
        ("400", status(400), Fails(FailureKind::BadRequest), 2, Asked),
        ("401", status(401), Fails(FailureKind::Auth), 1, Asked),
        ("402", status(402), Fails(FailureKind::Quota), 1, Asked),
        ("403", status(403), Fails(FailureKind::Auth), 1, Asked),
        ("404", status(404), Fails(FailureKind::NotFound), 1, Asked),
        ("408", status(408), Fails(FailureKind::Timeout), 2, Asked),
        ("409", status(409), Fails(FailureKind::Server), 2, Asked),
        ("413", status(413), Fails(FailureKind::TooLarge), 1, Asked),
        ("422", status(422), Fails(FailureKind::BadRequest), 2, Asked),
        ("429", status(429), Fails(after(None)), 2, Asked),
        ("429, later", status(429).with("retry-after", "60"), Fails(after(minute)), 1, LeftAlone),
        ("500", status(500), Fails(FailureKind::Server), 2, Asked),
        ("502", status(502), Fails(FailureKind::Server), 2, Asked),
        ("503", status(503), Fails(busy(None)), 2, Asked),
        ("503, later", status(503).with("retry-after", "60"), Fails(busy(minute)), 1, LeftAlone),
        ("529", status(529), Fails(busy(None)), 2, Asked),
        ("redirect", moved, Fails(FailureKind::BadReply), 1, Asked),
        ("hang", FakeAnswer::Hang, Fails(FailureKind::Timeout), 1, Asked),
        ("slow drip", FakeAnswer::Drip(good.clone()), Fails(FailureKind::Timeout), 1, Asked),
        ("closed at once", FakeAnswer::Close, Fails(FailureKind::Interrupted), 2, Asked),
        ("half a body", FakeAnswer::Half(good.clone()), Fails(FailureKind::Interrupted), 2, Asked),
        (
            "half a chunk",
            FakeAnswer::HalfChunk(good.clone()),
            Fails(FailureKind::Interrupted),
            2,
            Asked,
        ),
        ("not HTTP", FakeAnswer::Noise, Fails(FailureKind::BadReply), 1, Asked),
        ("wrong content type", html, Fails(FailureKind::BadReply), 1, Asked),
        ("invalid JSON", FakeAnswer::json(200, "{\"id\":"), Fails(FailureKind::BadReply), 1, Asked),
        ("other JSON", FakeAnswer::json(200, "[1]"), Fails(FailureKind::BadReply), 1, Asked),
        ("empty body", FakeAnswer::json(200, ""), Fails(FailureKind::BadReply), 1, Asked),
        ("10 MB", FakeAnswer::json(200, huge), Fails(FailureKind::ReplyTooLarge), 1, Asked),
        ("empty completion", ends(CompletionEnd::Empty), Empty, 1, Asked),
        ("content filter", ends(CompletionEnd::Filtered), Filtered, 1, Asked),
        ("truncated by tokens", ends(CompletionEnd::Cut), Cut, 1, Asked),
        ("tool call", ends(CompletionEnd::Tool), Empty, 1, Asked),
        ("no verdict", no_verdict(&good), NoVerdict, 1, Asked),
    ]
}

/// A valid reply without a useful text.
fn no_verdict(good: &str) -> FakeAnswer {
    FakeAnswer::json(
        200,
        good.replace(r#"{\"action\":\"allow\",\"nonce\":\"(nonce)\"}"#, "I would rather not say."),
    )
}

fn as_expected(note: Option<&Note>, id: &str, why: Why) -> bool {
    let Some(Note::Failed { model, why: miss }) = note else { return false };
    let same = match (miss, why) {
        (NoOpinion::Failure(failure), Fails(kind)) => failure.kind == kind,
        (NoOpinion::Filtered, Filtered)
        | (NoOpinion::Cut, Cut)
        | (NoOpinion::Empty, Empty)
        | (NoOpinion::NoVerdict, NoVerdict) => true,
        _ => false,
    };
    model == id && same
}

fn run(protocol: Protocol) {
    let (id, ..) = model(protocol);
    let mut wrong = Vec::new();
    for (name, answer, why, requests, next) in table(protocol) {
        let stalls = matches!(answer, FakeAnswer::Hang | FakeAnswer::Drip(_));
        let home = Home::new();
        let (primary, backup) = (Fake::always(answer), server(&verdict("block", "backup")));
        let settings = home.settings(protocol, &primary, Some(&backup));
        // The same without time for a second attempt.
        let timeout = if stalls { Duration::from_millis(300) } else { settings.timeout };
        let settings = JudgeSettings { timeout, ..settings };
        let judge = judge(settings.clone());

        let first = ask(&judge, "ls");
        let opinion = first.opinion.as_ref().map(|o| (o.action, o.reason.as_str()));
        if opinion != Some((Action::Block, "backup"))
            || first.model.as_deref() != Some(BACKUP)
            || first.source != OpinionSource::Model
            || !as_expected(first.notes.first(), id, why)
            || primary.seen().len() != requests
            || backup.seen().len() != 1
        {
            let sent = primary.seen().len();
            wrong.push(format!("{name}: {first:?}, {sent} requests"));
        }

        // The opinion of the second model is cached, the failure is not: the first model is tried again,
        // unless it asked for a pause.
        let second = ask(&judge, "ls");
        let again = primary.seen().len() - requests;
        let left_alone = matches!(
            second.notes.first(),
            Some(Note::Skipped { model, why: SkipReason::Paused(_) }) if model == id
        );
        let same = match next {
            Asked => again == if why == Fails(FailureKind::BadRequest) { 2 } else { requests },
            LeftAlone => again == 0 && left_alone,
        };
        if !same || second.source != OpinionSource::Cache || backup.seen().len() != 1 {
            wrong.push(format!("{name}, again: {second:?}, {again} requests"));
        }

        // Without a second model there is no opinion.
        let alone = JudgeSettings { models: vec![id.to_owned()], ..settings };
        let alone = ask(&crate::support::judge(alone), "ls");
        if alone.opinion.is_some() || alone.model.is_some() || alone.notes.is_empty() {
            wrong.push(format!("{name}, alone: {alone:?}"));
        }
        for note in told(&first.notes) {
            assert!(note.starts_with(id) && !note.contains(crate::fake::KEY), "{name}: {note}");
        }
    }
    assert!(wrong.is_empty(), "{protocol:?}\n{}", wrong.join("\n"));
}

#[test]
fn openai_chat_fails_and_the_next_model_answers() {
    run(Protocol::OpenAiChat);
}

#[test]
fn openai_responses_fails_and_the_next_model_answers() {
    run(Protocol::OpenAiResponses);
}

#[test]
fn anthropic_messages_fails_and_the_next_model_answers() {
    run(Protocol::AnthropicMessages);
}

#[test]
fn gemini_fails_and_the_next_model_answers() {
    run(Protocol::Gemini);
}
