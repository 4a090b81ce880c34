//! Rate limit, circuit breaker and budget hold for all processes of a user.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::time::{Duration, Instant};

use crate::fake::answers::error;
use crate::fake::{Fake, FakeAnswer};
use crate::support::{BACKUP, Home, ask, judge, says, server, told, verdict};
use aegish_judge::{JudgeSettings, Note, SkipReason};
use aegish_wire::Protocol;
use serde_json::{Value, json};

const CHAT: Protocol = Protocol::OpenAiChat;
const PRIMARY: &str = "openai/gpt-5.1";

/// Settings without a cache, so that every question is a call.
fn uncached(home: &Home, primary: &Fake, backup: Option<&Fake>) -> JudgeSettings {
    let mut settings = home.settings(CHAT, primary, backup);
    settings.cache.dir = None;
    settings
}

fn state(home: &Home) -> Value {
    let text = fs::read_to_string(home.state().join("judge.json")).expect("a file");
    serde_json::from_str(&text).expect("JSON")
}

fn spent(home: &Home) -> f64 {
    let state = state(home);
    let days = state["spent"].as_object().expect("days");
    days.values().map(|dollars| dollars.as_f64().expect("a number")).sum()
}

#[test]
fn a_provider_is_asked_so_often_and_the_next_one_takes_over() {
    let home = Home::new();
    let (primary, backup) = (server(&verdict("allow", "x")), server(&verdict("allow", "y")));
    let mut settings = uncached(&home, &primary, Some(&backup));
    settings.queries_per_minute = 3;
    // Shorter than the twenty seconds until the next slot.
    settings.timeout = Duration::from_secs(5);
    for n in 0..5 {
        // Each acts as a separate process, because they share no memory.
        let ruling = ask(&judge(settings.clone()), "ls");
        let by = if n < 3 { PRIMARY } else { BACKUP };
        assert_eq!(ruling.model.as_deref(), Some(by), "{n}");
    }
    assert_eq!((primary.seen().len(), backup.seen().len()), (3, 2));
    let ruling = ask(&judge(settings), "ls");
    let crowded = |note: &Note| matches!(note, Note::Skipped { why: SkipReason::Crowded(_), .. });
    assert!(ruling.notes.iter().any(crowded), "{:?}", ruling.notes);
}

#[test]
fn a_turn_within_the_time_out_is_waited_for() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let judge = judge(uncached(&home, &primary, None));
    // Thirty are allowed at once, and one every two seconds, independent of the speed of this machine.
    let started = Instant::now();
    for _ in 0..31 {
        assert!(ask(&judge, "ls").opinion.is_some());
    }
    assert!(started.elapsed() > Duration::from_millis(1900), "{:?}", started.elapsed());
}

#[test]
fn a_dead_provider_is_left_alone_by_every_process() {
    let home = Home::new();
    let primary = Fake::always(FakeAnswer::json(500, error(CHAT, 500, "down")));
    let backup = server(&verdict("allow", "y"));
    let settings = uncached(&home, &primary, Some(&backup));
    for _ in 0..3 {
        assert_eq!(ask(&judge(settings.clone()), "ls").model.as_deref(), Some(BACKUP));
    }
    let before = primary.seen().len();
    let ruling = ask(&judge(settings), "ls");
    assert_eq!(primary.seen().len(), before, "the fourth process does not try");
    assert_eq!(ruling.model.as_deref(), Some(BACKUP));
    let text = told(&ruling.notes).join("\n");
    assert!(text.contains("openai/gpt-5.1 was not asked: it failed lately"), "{text}");
    // Other models of the provider are not paused, because the server answered.
    let breakers = state(&home)["breakers"].clone();
    let keys: Vec<_> = breakers.as_object().expect("breakers").keys().cloned().collect();
    assert!(keys.len() == 1 && keys[0].starts_with("openai/gpt-5.1 "), "{keys:?}");
}

#[test]
fn after_the_pause_it_is_tried_again_and_a_success_forgets_all() {
    let home = Home::new();
    let primary = Fake::start(|n, _| match n {
        0 => FakeAnswer::json(429, "{}").with("retry-after", "3"),
        _ => says(&verdict("allow", "back")),
    });
    let backup = server(&verdict("allow", "y"));
    let settings = uncached(&home, &primary, Some(&backup));
    let by = || ask(&judge(settings.clone()), "ls").model;
    assert_eq!(by().as_deref(), Some(BACKUP));
    assert_eq!(by().as_deref(), Some(BACKUP));
    assert_eq!(primary.seen().len(), 1);
    std::thread::sleep(Duration::from_millis(3100));
    assert_eq!(by().as_deref(), Some(PRIMARY));
    assert_eq!(state(&home)["breakers"], json!({}));
}

#[test]
fn a_provider_that_cannot_be_reached_is_out_with_all_its_models() {
    let home = Home::new();
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr());
    let backup = server(&verdict("allow", "y"));
    let mut settings = uncached(&home, &backup, Some(&backup));
    let endpoint = settings.endpoints.get_mut("openai").expect("an address");
    endpoint.base_url = Some(format!("http://{}/v1", free.expect("a port")));
    settings.models.insert(1, "openai/gpt-5-mini".to_owned());
    for _ in 0..2 {
        assert_eq!(ask(&judge(settings.clone()), "ls").model.as_deref(), Some(BACKUP));
    }
    let paused = |note: &Note| matches!(note, Note::Skipped { why: SkipReason::Paused(_), .. });
    let ruling = ask(&judge(settings.clone()), "ls");
    assert_eq!(ruling.notes.iter().filter(|note| paused(note)).count(), 2, "{:?}", ruling.notes);
    // The same model at another address is separate.
    settings.endpoints.insert("openai".to_owned(), crate::support::at(&backup, "/v1"));
    assert_eq!(ask(&judge(settings), "ls").model.as_deref(), Some(PRIMARY));
}

#[test]
fn questions_that_are_refused_do_not_switch_a_model_off() {
    let home = Home::new();
    let primary = Fake::start(|n, _| match n % 4 {
        0 => says(""),
        1 => says("no verdict"),
        2 => FakeAnswer::json(413, "{}"),
        _ => FakeAnswer::json(400, r#"{"error":{"message":"m","code":"content_filter"}}"#),
    });
    let judge = judge(uncached(&home, &primary, None));
    for n in 1..=12 {
        assert_eq!(ask(&judge, "ls").opinion, None);
        assert_eq!(primary.seen().len(), n);
    }
}

#[test]
fn the_budget_of_a_day_is_kept_by_all_processes_together() {
    let home = Home::new();
    // 253 millionths of a dollar for each call.
    let primary = server(&verdict("allow", "x"));
    let mut settings = uncached(&home, &primary, None);
    settings.budget_per_day = Some(0.001);
    let mut calls = 0;
    for _ in 0..10 {
        let ruling = ask(&judge(settings.clone()), "ls");
        calls += usize::from(ruling.opinion.is_some());
    }
    assert_eq!((calls, primary.seen().len()), (4, 4), "the fourth call reaches it");
    assert!((spent(&home) - 4.0 * 253e-6).abs() < 1e-9, "{}", spent(&home));
    let ruling = ask(&judge(settings), "ls");
    let text = told(&ruling.notes).join("\n");
    assert!(text.contains("budget spent (0.0010 of 0.001 US dollars today)"), "{text}");
    assert!(text.contains("static side decides"), "{text}");
    assert_eq!((ruling.opinion, ruling.cost), (None, Some(0.0)));
}

#[test]
fn yesterdays_money_is_not_todays() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let mut settings = uncached(&home, &primary, None);
    settings.budget_per_day = Some(0.001);
    assert!(ask(&judge(settings.clone()), "ls").opinion.is_some());
    let mut state = state(&home);
    let days = state["spent"].as_object_mut().expect("days");
    let today: u64 = days.keys().next().expect("a day").parse().expect("a number");
    *days = [((today - 1).to_string(), json!(1e9))].into_iter().collect();
    fs::write(home.state().join("judge.json"), state.to_string()).expect("written");
    assert!(ask(&judge(settings.clone()), "ls").opinion.is_some());
    state["spent"][today.to_string()] = json!(1e9);
    fs::write(home.state().join("judge.json"), state.to_string()).expect("written");
    assert_eq!(ask(&judge(settings), "ls").opinion, None);
}

#[test]
fn a_call_that_may_have_been_billed_counts() {
    let home = Home::new();
    let hangs = Fake::always(FakeAnswer::Hang);
    let mut settings = uncached(&home, &hangs, None);
    settings.budget_per_day = Some(1.0);
    settings.timeout = Duration::from_millis(200);
    assert_eq!(ask(&judge(settings), "ls").opinion, None);
    assert!(spent(&home) > 0.001, "{}", spent(&home));
    let refuses = Fake::always(FakeAnswer::json(401, "{}"));
    let other = Home::new();
    let mut settings = uncached(&other, &refuses, None);
    settings.budget_per_day = Some(1.0);
    assert_eq!(ask(&judge(settings), "ls").opinion, None);
    assert!(spent(&other) < 1e-12, "{}", spent(&other));
}

#[test]
fn a_model_without_a_price_is_asked_and_reported() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let mut settings = uncached(&home, &primary, Some(&primary));
    settings.models = vec![BACKUP.to_owned()];
    settings.budget_per_day = Some(0.001);
    let ruling = ask(&judge(settings), "ls");
    assert_eq!(ruling.notes, [Note::NoPrice { model: BACKUP.to_owned() }]);
    assert!(ruling.opinion.is_some());
    assert!(told(&ruling.notes)[0].contains("the budget does not count vllm/backup"));
}

#[test]
fn a_damaged_file_is_replaced_and_reported() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let settings = uncached(&home, &primary, None);
    assert!(ask(&judge(settings.clone()), "ls").notes.is_empty());
    let path = home.state().join("judge.json");
    let whole = fs::read(&path).expect("a file");
    let half = whole[..whole.len() / 2].to_vec();
    let long = vec![b' '; 3 << 20];
    for junk in [&half[..], b"", b"null", br#"{"spent":{"x":1}}"#, &[0xff; 9], &long] {
        fs::write(&path, junk).expect("written");
        let ruling = ask(&judge(settings.clone()), "ls");
        assert!(ruling.opinion.is_some());
        assert_eq!(ruling.notes, [Note::StartedAnew]);
        assert_eq!(ask(&judge(settings.clone()), "ls").notes, []);
    }
    // Fields of a later version are not damage.
    fs::write(&path, br#"{"later":1}"#).expect("written");
    assert_eq!(ask(&judge(settings), "ls").notes, []);
}

/// A directory that others can write, or a path that is not a directory, is not used.
#[test]
fn without_a_place_for_it_limits_hold_for_the_process_and_a_budget_does_not_spend() {
    let primary = server(&verdict("allow", "x"));
    let spoil: [fn(&Home); 3] = [
        |home| fs::write(home.state(), "a file").expect("a file"),
        |home| {
            fs::create_dir(home.state()).expect("a directory");
            let mode = fs::Permissions::from_mode(0o777);
            fs::set_permissions(home.state(), mode).expect("a mode");
        },
        |home| {
            fs::create_dir(home.cache()).expect("a directory");
            symlink(home.cache(), home.state()).expect("a link");
        },
    ];
    for spoil in spoil {
        let home = Home::new();
        spoil(&home);
        let mut settings = uncached(&home, &primary, None);
        settings.queries_per_minute = 2;
        settings.timeout = Duration::from_secs(1);
        let judged = judge(settings.clone());
        let ruling = ask(&judged, "ls");
        assert!(ruling.opinion.is_some());
        assert!(matches!(ruling.notes.as_slice(), [Note::NotShared { .. }]), "{:?}", ruling.notes);
        assert!(ask(&judged, "ls").opinion.is_some());
        assert_eq!(ask(&judged, "ls").opinion, None, "the limit holds within the process");

        settings.budget_per_day = Some(100.0);
        let before = primary.seen().len();
        let ruling = ask(&judge(settings), "ls");
        assert_eq!((ruling.opinion, primary.seen().len()), (None, before));
        let unkept = |note: &Note| matches!(note, Note::BudgetUnkept { .. });
        assert!(ruling.notes.iter().any(unkept), "{:?}", ruling.notes);
    }
}

#[test]
fn a_process_that_is_stopped_while_holding_the_lock_is_not_waited_for() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let settings = uncached(&home, &primary, None);
    assert!(ask(&judge(settings.clone()), "ls").notes.is_empty());
    let lock = fs::File::open(home.state().join("judge.lock")).expect("a file");
    lock.lock().expect("locked");
    let judged = judge(settings);
    let started = Instant::now();
    let ruling = ask(&judged, "ls");
    assert!(ruling.opinion.is_some() && started.elapsed() < Duration::from_secs(3));
    let text = told(&ruling.notes).join("\n");
    assert!(text.contains("another process does not let go of its lock"), "{text}");
    // It does not wait for the same lock repeatedly.
    let started = Instant::now();
    assert!(ask(&judged, "ls").opinion.is_some());
    assert!(started.elapsed() < Duration::from_millis(400), "{:?}", started.elapsed());
}
