//! Which models are asked, in which order, with what, and for how long.

use std::collections::BTreeSet;
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use crate::fake::{Fake, FakeAnswer, PROTOCOLS};
use crate::support::{
    BACKUP, Home, ask, at, judge, model, says, server, told, user_message, verdict,
};
use aegish_judge::{
    Evidence, Judge, JudgeSettings, MAX_COMMAND_LENGTH, NoMessage, Note, OpinionSource, Prompt,
    SkipReason,
};
use aegish_policy::{Action, Role};
use aegish_wire::{EndpointSettings, Protocol};

const CHAT: Protocol = Protocol::OpenAiChat;

#[test]
fn if_the_first_model_answers_no_other_is_asked() {
    for protocol in PROTOCOLS {
        let home = Home::new();
        let good = crate::fake::answers::reply(protocol, crate::fake::answers::CompletionEnd::Good);
        let (primary, backup) = (Fake::always(FakeAnswer::json(200, good)), server("unused"));
        let ruling = ask(&judge(home.settings(protocol, &primary, Some(&backup))), "ls");
        let opinion = ruling.opinion.expect("an opinion");
        assert_eq!((opinion.action, opinion.confidence), (Action::Allow, 0.5));
        assert_eq!(ruling.model.as_deref(), Some(model(protocol).0));
        assert_eq!((ruling.source, ruling.notes), (OpinionSource::Model, vec![]));
        assert_eq!(ruling.prompt_hash, Prompt::built_in(Role::Default).hash);
        assert_eq!((ruling.usage.input, ruling.usage.output), (Some(100), Some(20)));
        assert_eq!(ruling.usage.cached, Some(64));
        assert!(ruling.latency > Duration::ZERO && ruling.latency < Duration::from_secs(5));
        assert_eq!((primary.seen().len(), backup.seen().len()), (1, 0));
    }
}

#[test]
fn the_cost_is_reported_if_the_price_is_known() {
    let home = Home::new();
    let primary = server(&verdict("allow", "fine"));
    let ruling = ask(&judge(home.settings(CHAT, &primary, None)), "ls");
    // 36 tokens at 1.25, 64 cached at 0.125, 20 at 10 US dollars per million.
    let cost = ruling.cost.expect("a price");
    assert!((cost - 253e-6).abs() < 1e-12, "{cost}");
    let settings = JudgeSettings {
        models: vec![BACKUP.to_owned()],
        ..home.settings(CHAT, &primary, Some(&primary))
    };
    assert_eq!(ask(&judge(settings), "ls").cost, None, "unknown is not free");
}

#[test]
fn an_answer_without_a_verdict_is_paid_for_all_the_same() {
    let home = Home::new();
    let (primary, backup) = (server("no idea"), server(&verdict("warn", "hm")));
    let mut settings = home.settings(CHAT, &primary, Some(&backup));
    settings.models = vec!["openai/gpt-5.1".to_owned(), "openai/gpt-5-mini".to_owned()];
    let ruling = ask(&judge(settings), "ls");
    assert_eq!(ruling.opinion, None);
    assert_eq!((ruling.usage.input, ruling.usage.output), (Some(200), Some(40)));
    let cost = ruling.cost.expect("two prices");
    assert!((cost - 253e-6 * 1.2).abs() < 1e-12, "{cost}");
}

#[test]
fn models_without_a_key_or_outside_the_list_are_skipped_with_a_note() {
    let home = Home::new();
    let (primary, backup) = (server(&verdict("block", "x")), server(&verdict("warn", "backup")));
    let settings = home.settings(CHAT, &primary, Some(&backup));
    let no_keys = Judge::new(settings.clone(), &|_| None);
    let ruling = ask(&no_keys, "ls");
    // Without a key no model is asked.
    assert_eq!(ruling.opinion, None);
    let text = told(&ruling.notes).join("\n");
    assert!(
        text.contains("openai/gpt-5.1 was not asked: no key for openai; set OPENAI_API_KEY"),
        "{text}"
    );
    assert!(primary.seen().is_empty());

    let listed = BTreeSet::from(["vllm".to_owned()]);
    let settings = JudgeSettings { allowed_providers: Some(listed), ..settings };
    let ruling = ask(&judge(settings), "ls");
    assert_eq!(ruling.model.as_deref(), Some(BACKUP));
    let skipped = Note::Skipped { model: "openai/gpt-5.1".to_owned(), why: SkipReason::NotAllowed };
    assert_eq!(ruling.notes, [skipped]);
    assert!(primary.seen().is_empty());
}

#[test]
fn a_chain_without_a_key_has_no_model_and_sends_nothing() {
    let none = Judge::new(JudgeSettings::default(), &|_| None);
    assert!(!none.has_model());
    let ruling = ask(&none, "ls");
    assert_eq!((ruling.opinion, ruling.model, ruling.notes.len()), (None, None, 2));
    assert!(judge(JudgeSettings::default()).has_model());
    let local = JudgeSettings { models: vec!["ollama/m".to_owned()], ..JudgeSettings::default() };
    assert!(Judge::new(local, &|_| None).has_model());
}

#[test]
fn the_strictest_opinion_of_an_answer_counts() {
    let echoed = format!("{}\n{}", verdict("allow", "echoed"), verdict("block", "meant"));
    for (answer, action) in [
        (echoed, Action::Block),
        (format!("```json\n{}\n```", verdict("warn", "x")), Action::Warn),
        (
            format!("<think>{}</think>{}", verdict("block", "x"), verdict("allow", "y")),
            Action::Allow,
        ),
    ] {
        let home = Home::new();
        let primary = server(&answer);
        let ruling = ask(&judge(home.settings(CHAT, &primary, None)), "ls");
        assert_eq!(ruling.opinion.map(|o| o.action), Some(action), "{answer}");
    }
}

#[test]
fn an_answer_that_was_broken_off_may_object_but_not_allow() {
    for (action, counts) in [("allow", false), ("warn", true), ("block", true)] {
        for end in ["length", "content_filter"] {
            let home = Home::new();
            let mut body =
                crate::fake::answers::reply(CHAT, crate::fake::answers::CompletionEnd::Good);
            body["choices"][0]["message"]["content"] = verdict(action, "so far").into();
            body["choices"][0]["finish_reason"] = end.into();
            let primary = Fake::always(FakeAnswer::json(200, body));
            let ruling = ask(&judge(home.settings(CHAT, &primary, None)), "ls");
            assert_eq!(ruling.opinion.is_some(), counts, "{action} {end}");
        }
    }
}

#[test]
fn a_command_that_is_too_long_is_never_sent() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let judge = judge(home.settings(CHAT, &primary, None));
    let ruling = ask(&judge, &"a".repeat(MAX_COMMAND_LENGTH + 1));
    assert_eq!(ruling.opinion, None);
    assert_eq!(ruling.notes, [Note::NotSent(NoMessage::TooLong)]);
    assert!(primary.seen().is_empty());
    assert!(ask(&judge, &"a".repeat(MAX_COMMAND_LENGTH)).opinion.is_some());
}

#[test]
fn every_request_carries_prompt_schema_and_seed_and_its_own_marker() {
    let home = Home::new();
    let primary = server(&verdict("allow", "x"));
    let judge = judge(home.settings(CHAT, &primary, None));
    let evidence = Evidence { command: "ls --password hunter2hunter2", ..Evidence::default() };
    let _ = judge.ask(&evidence, Role::Default);
    let _ = judge.ask(&Evidence { command: "ls", ..evidence }, Role::Sysadmin);
    let seen = primary.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0].body["messages"][0]["content"], *Prompt::built_in(Role::Default).text);
    assert_eq!(seen[1].body["messages"][0]["content"], *Prompt::built_in(Role::Sysadmin).text);
    assert_eq!(seen[0].body["seed"], 42);
    assert_eq!(seen[0].body["response_format"]["json_schema"]["strict"], true);
    assert!(!seen[0].text.contains("hunter2"));
    let marker = |n: usize| {
        let message = user_message(&seen[n]);
        let start = message.find("[").expect("a marker");
        message[start + 1..start + 33].to_owned()
    };
    assert_ne!(marker(0), marker(1));
    assert_ne!(marker(0), format!("{:032x}", 0), "the marker of keys is never sent");
}

#[test]
fn a_server_that_knows_no_schema_is_asked_without_and_from_then_on() {
    let home = Home::new();
    let primary = Fake::start(|_, seen| match seen.body.get("response_format") {
        Some(_) => FakeAnswer::json(400, r#"{"error":{"message":"response_format?"}}"#),
        None => says(&verdict("allow", "plainly")),
    });
    let settings = home.settings(CHAT, &primary, None);
    let first = ask(&judge(settings.clone()), "ls");
    assert_eq!((first.opinion.is_some(), primary.seen().len()), (true, 2));
    // The state is shared with other processes.
    let second = ask(&judge(settings), "ls -l");
    assert_eq!((second.opinion.is_some(), primary.seen().len()), (true, 3));
}

#[test]
fn a_chain_of_hanging_models_ends_with_its_deadline() {
    let home = Home::new();
    let hangs = Fake::always(FakeAnswer::Hang);
    let mut settings = home.settings(CHAT, &hangs, None);
    settings.models = (0..8).map(|n| format!("openai/gpt-{n}")).collect();
    settings.timeout = Duration::from_millis(300);
    let started = Instant::now();
    let ruling = ask(&judge(settings), "ls");
    assert!(started.elapsed() < Duration::from_millis(1500), "{:?}", started.elapsed());
    assert_eq!((ruling.opinion, ruling.notes.len()), (None, 8));
    let out_of_time =
        |note: &&Note| matches!(note, Note::Skipped { why: SkipReason::OutOfTime, .. });
    assert!(ruling.notes.iter().filter(out_of_time).count() >= 5, "{:?}", ruling.notes);
}

#[test]
fn a_closed_port_and_a_bad_proxy_are_notes() {
    let home = Home::new();
    let free = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port");
    let backup = server(&verdict("warn", "backup"));
    let mut settings = home.settings(CHAT, &backup, Some(&backup));
    let nowhere = EndpointSettings {
        base_url: Some(format!("http://{free}/v1")),
        ..EndpointSettings::default()
    };
    settings.endpoints.insert("openai".to_owned(), nowhere);
    let ruling = ask(&judge(settings.clone()), "ls");
    assert_eq!(ruling.model.as_deref(), Some(BACKUP));
    assert!(told(&ruling.notes)[0].starts_with("openai/gpt-5.1 gave no answer: no connection"));

    let proxy = |name: &str| match name {
        "HTTPS_PROXY" => Some("ftp://user:secret@proxy:1".to_owned()),
        name => name.ends_with("_KEY").then(|| crate::fake::KEY.to_owned()),
    };
    let ruling = ask(&Judge::new(settings, &proxy), "other");
    assert_eq!(ruling.opinion, None);
    let text = told(&ruling.notes).join("\n");
    assert!(text.contains("was not asked") && !text.contains("secret"), "{text}");
}

#[test]
fn any_number_of_threads_may_ask_at_once() {
    let home = Home::new();
    let primary = Fake::start(|_, seen| {
        // The reason contains the command, so that an opinion about another command would be noticed.
        let message = user_message(seen);
        let command = message.lines().find(|line| line.starts_with('"')).expect("a command");
        says(&verdict("allow", command.trim_matches('"')))
    });
    let settings = home.settings(CHAT, &primary, None);
    let judge = judge(JudgeSettings { queries_per_minute: 100_000, ..settings });
    thread::scope(|scope| {
        for thread in 0..16 {
            let judge = &judge;
            scope.spawn(move || {
                for round in 0..20 {
                    let command = format!("echo {} {}", thread % 4, round);
                    let opinion = ask(judge, &command).opinion.expect("an opinion");
                    assert_eq!(opinion.reason, command);
                }
            });
        }
    });
    assert!(primary.seen().len() >= 80);
}

#[test]
fn a_key_never_shows() {
    let home = Home::new();
    let said = format!("Incorrect API key provided: {}", crate::fake::KEY);
    let primary =
        Fake::always(FakeAnswer::json(401, crate::fake::answers::error(CHAT, 401, &said)));
    let judge = judge(home.settings(CHAT, &primary, None));
    let ruling = ask(&judge, "ls");
    let text = format!("{judge:?} {ruling:?} {:?}", told(&ruling.notes));
    assert!(!text.contains(&crate::fake::KEY[..12]), "{text}");
}

#[test]
fn settings_of_an_address_hold_for_named_servers_too() {
    let home = Home::new();
    let primary = server(&verdict("warn", "named"));
    let mut settings = home.settings(CHAT, &primary, None);
    settings.models = vec!["openai-api/box/m".to_owned()];
    settings.endpoints.insert("openai-api/box".to_owned(), at(&primary, "/v1"));
    assert_eq!(ask(&judge(settings), "ls").opinion.map(|o| o.reason), Some("named".to_owned()));
}

/// An allow in the form of the prompt, with this behind its confidence.
fn allow_and(more: &str) -> String {
    format!(r#"{{"action": "allow", "reason": "x", "confidence": 1.0{more}}}"#)
}

#[test]
fn an_allow_without_the_nonce_of_the_question_is_no_opinion() {
    let elsewhere = "0123456789abcdef0123456789abcdef";
    let answers = [
        allow_and(""),
        allow_and(", \"nonce\": \"\""),
        allow_and(&format!(", \"nonce\": \"{elsewhere}\"")),
        allow_and(", \"nonce\": [\"(nonce)\"]"),
        // Two keys: parsers differ in which of them they use.
        allow_and(&format!(", \"nonce\": \"(nonce)\", \"nonce\": \"{elsewhere}\"")),
        format!("{} (nonce)", allow_and("")),
    ];
    for answer in answers {
        let (home, primary) = (Home::new(), server(&answer));
        let judge = judge(home.settings(CHAT, &primary, None));
        let ruling = ask(&judge, "eval \"$CODE\"");
        assert_eq!(ruling.opinion, None, "{answer}");
        assert!(told(&ruling.notes)[0].contains("gave no verdict"), "{:?}", ruling.notes);
        assert_eq!(ask(&judge, "eval \"$CODE\"").opinion, None, "nothing is kept");
        assert_eq!(primary.seen().len(), 2);
    }
}

#[test]
fn the_next_model_is_asked_after_an_allow_without_the_nonce() {
    let (primary, backup) = (server(&allow_and("")), server(&verdict("allow", "y")));
    let home = Home::new();
    let judge = judge(home.settings(CHAT, &primary, Some(&backup)));
    let ruling = ask(&judge, "ls");
    assert_eq!(ruling.model.as_deref(), Some(BACKUP));
    let note = "it allowed the command without repeating the nonce of the question";
    assert!(told(&ruling.notes)[0].ends_with(note), "{:?}", ruling.notes);
}

#[test]
fn an_objection_counts_without_the_nonce() {
    for action in ["warn", "block"] {
        let said = format!(r#"{{"action": "{action}", "reason": "x", "confidence": 0.9}}"#);
        let beside = format!("{} {said}", verdict("allow", "y"));
        for answer in [said, beside] {
            let (home, primary) = (Home::new(), server(&answer));
            let judge = judge(home.settings(CHAT, &primary, None));
            let opinion = ask(&judge, "ls").opinion.expect("an opinion");
            assert_eq!(opinion.action.as_str(), action, "{answer}");
        }
    }
}
