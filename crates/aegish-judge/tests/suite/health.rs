//! Who is there.

use std::thread;
use std::time::{Duration, Instant};

use crate::fake::{Fake, FakeAnswer};
use crate::support::{BACKUP, Home, ask, judge, says, server, verdict};
use aegish_judge::{HealthStatus, Judge, Note};
use aegish_policy::Action;
use aegish_wire::Protocol;

const CHAT: Protocol = Protocol::OpenAiChat;

#[test]
fn the_first_healthy_model_is_asked_first_from_then_on() {
    let home = Home::new();
    let (primary, backup) =
        (Fake::always(FakeAnswer::json(500, "{}")), server(&verdict("allow", "y")));
    let judge = judge(home.settings(CHAT, &primary, Some(&backup)));
    let health = judge.health();
    let models: Vec<_> = health.iter().map(|h| h.model.as_str()).collect();
    assert_eq!(models, ["openai/gpt-5.1", BACKUP]);
    assert!(
        matches!(&health[0].status, HealthStatus::Unhealthy(Note::Failed { .. })),
        "{:?}",
        health[0]
    );
    let HealthStatus::Healthy { opinion, .. } = &health[1].status else {
        panic!("{:?}", health[1])
    };
    assert_eq!(opinion.action, Action::Allow);
    assert_eq!((health[0].price.map(|p| p.output), health[1].price), (Some(10.0), None));
    assert_eq!(primary.seen().len(), 1, "no retries");

    let ruling = ask(&judge, "ls");
    assert_eq!(ruling.model.as_deref(), Some(BACKUP));
    assert_eq!((ruling.notes.len(), primary.seen().len()), (0, 1));
}

#[test]
fn an_answer_without_a_verdict_is_not_healthy() {
    let home = Home::new();
    let (primary, backup) = (server("Hello!"), server(&verdict("warn", "y")));
    let judge = judge(home.settings(CHAT, &primary, Some(&backup)));
    let health = judge.health();
    assert!(matches!(health[0].status, HealthStatus::Unhealthy(_)));
    assert!(matches!(health[1].status, HealthStatus::Healthy { .. }));
}

#[test]
fn all_are_asked_at_once_and_not_for_long() {
    let home = Home::new();
    let hangs = Fake::always(FakeAnswer::Hang);
    let backup = server(&verdict("allow", "y"));
    let mut settings = home.settings(CHAT, &hangs, Some(&backup));
    settings.models.splice(0..1, (0..10).map(|n| format!("openai/gpt-{n}")));
    settings.timeout = Duration::from_millis(500);
    let judge = judge(settings);
    let started = Instant::now();
    let health = judge.health();
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
    let healthy =
        health.iter().filter(|h| matches!(h.status, HealthStatus::Healthy { .. })).count();
    assert_eq!((health.len(), healthy), (11, 1));
}

#[test]
fn questions_need_not_wait_for_it() {
    let home = Home::new();
    let primary = Fake::start(|n, _| match n {
        0 => FakeAnswer::Hang,
        _ => says(&verdict("allow", "x")),
    });
    let judge = judge(home.settings(CHAT, &primary, None));
    thread::scope(|scope| {
        let checking = scope.spawn(|| judge.health());
        while primary.seen().is_empty() {
            thread::sleep(Duration::from_millis(5));
        }
        let started = Instant::now();
        assert!(ask(&judge, "ls").opinion.is_some());
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        assert!(!checking.is_finished());
        let health = checking.join().expect("no panic");
        assert!(matches!(health[0].status, HealthStatus::Unhealthy(_)));
    });
}

#[test]
fn a_model_that_is_left_alone_is_asked_and_forgiven() {
    let home = Home::new();
    let primary = Fake::start(|n, _| match n {
        0 => FakeAnswer::json(429, "{}").with("retry-after", "600"),
        _ => says(&verdict("allow", "back")),
    });
    let settings = home.settings(CHAT, &primary, None);
    assert_eq!(ask(&judge(settings.clone()), "ls").opinion, None);
    assert_eq!(ask(&judge(settings.clone()), "ls").opinion, None);
    assert_eq!(primary.seen().len(), 1);
    assert!(matches!(judge(settings.clone()).health()[0].status, HealthStatus::Healthy { .. }));
    assert!(ask(&judge(settings), "ls").opinion.is_some());
}

#[test]
fn models_that_cannot_be_asked_and_a_spent_budget_send_nothing() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let mut settings = home.settings(CHAT, &primary, None);
    let health = Judge::new(settings.clone(), &|_| None).health();
    assert!(matches!(&health[0].status, HealthStatus::Unhealthy(Note::Skipped { .. })));
    settings.budget_per_day = Some(0.0);
    let health = judge(settings).health();
    assert!(matches!(&health[0].status, HealthStatus::Unhealthy(Note::BudgetSpent { .. })));
    assert!(primary.seen().is_empty());
}
