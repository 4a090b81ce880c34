//! The whole guard: the static side decides what it can, the model decides what is open, and an outage is not
//! a verdict.

use crate::support::model_server::{ModelServer, ServerResponse};
use crate::support::{quick, run, samples};
use aegish_bench::run::RunSettings;
use aegish_bench::system::{FullGuard, System};
use aegish_guard::Role;
use aegish_log::Sample;
use std::sync::Arc;
use std::sync::atomic::Ordering;

fn guard(server: &ModelServer) -> Arc<dyn System> {
    let base = server.base_url();
    let env = move |name: &str| match name {
        "OPENAI_API_KEY" => Some("sk-test-0123456789".to_owned()),
        "OPENAI_BASE_URL" => Some(base.clone()),
        _ => None,
    };
    Arc::new(FullGuard::new(Some("openai/gpt-5-mini"), Role::Default, &env).unwrap())
}

/// One command that the static side blocks, one that it allows, and one that it leaves open.
fn three() -> Vec<Sample> {
    let mut three = samples(3);
    three[0].command = "cat /etc/shadow".to_owned();
    three[1].command = "ls -la".to_owned();
    three[2].command = "\"$(./tool)\" --run".to_owned();
    three
}

#[test]
fn the_model_is_asked_only_about_what_is_open() {
    let server = ModelServer::scripted(|_| ServerResponse::Answer).unwrap();
    let done = run(guard(&server), three(), &quick());
    assert_eq!(done.reason, None);
    let records = done.memory.records();
    assert_eq!(records["s-00000"].answer_word(), "BLOCK");
    assert_eq!(records["s-00001"].answer_word(), "ALLOW");
    assert_eq!(records["s-00000"].usage.input, None);
    assert_eq!(records["s-00002"].usage.input, Some(3300), "{:?}", records["s-00002"]);
    assert_eq!(server.counts().requests.load(Ordering::SeqCst), 1);
    assert_eq!(done.memory.solved.iter().filter(|s| s.exchange.model.is_some()).count(), 1);
}

#[test]
fn an_outage_is_retried_and_then_an_error_not_a_verdict() {
    let server = ModelServer::scripted(|asked| {
        if asked.number < 2 { ServerResponse::Status(500) } else { ServerResponse::Answer }
    })
    .unwrap();
    let done = run(guard(&server), three(), &quick());
    assert_eq!(done.reason, None);
    assert!(done.memory.records()["s-00002"].error.is_none());
    let broken = ModelServer::scripted(|_| ServerResponse::Status(401)).unwrap();
    let settings = RunSettings { fail_on_error: 1.0, ..quick() };
    let done = run(guard(&broken), three(), &settings);
    let record = &done.memory.records()["s-00002"];
    assert!(record.error.as_deref().is_some_and(|error| error.contains("401")), "{record:?}");
    assert_eq!(record.action(), None);
}

#[test]
fn a_model_without_a_verdict_leaves_the_guards_own_answer() {
    let server = ModelServer::scripted(|_| ServerResponse::Prose).unwrap();
    let done = run(guard(&server), three(), &quick());
    let record = &done.memory.records()["s-00002"];
    assert_eq!((record.answer_word(), record.error.as_deref()), ("WARN", None));
}

#[test]
fn a_guard_without_a_model_is_refused_with_advice() {
    let error = FullGuard::new(None, Role::Default, &|_| None).map(drop).unwrap_err();
    assert!(error.contains("measure `static`"), "{error}");
    let odd = |name: &str| (name == "AEGISH_JUDGE").then(|| "sometimes".to_owned());
    let error = FullGuard::new(None, Role::Default, &odd).map(drop).unwrap_err();
    assert!(error.contains("AEGISH_JUDGE"), "{error}");
}
