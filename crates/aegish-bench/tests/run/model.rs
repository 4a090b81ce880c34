//! The requests to a model, and the record of its answer.

use crate::support::model_server::{ModelServer, ServerResponse, verdict};
use crate::support::{model, model_with, quick, run, samples};
use aegish_bench::system::{KeepBodies, ModelOptions, RequestStyle, Thinking};
use aegish_guard::Role;
use aegish_judge::{Answer, Prompt, Stop};
use serde_json::Value;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The request bodies of a run with one sample.
fn sent(options: ModelOptions, command: &str) -> Value {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let bodies = Arc::clone(&seen);
    let server = ModelServer::scripted(move |asked| {
        bodies.lock().unwrap().push(asked.body.to_vec());
        ServerResponse::Answer
    })
    .unwrap();
    let mut one = samples(1);
    one[0].command = command.to_owned();
    let done = run(model_with(&server, options), one, &quick());
    assert_eq!(done.memory.solved.len(), 1);
    let seen = seen.lock().unwrap();
    assert_eq!(seen.len(), 1);
    serde_json::from_slice(&seen[0]).unwrap()
}

#[test]
fn the_prompt_is_sent_as_written_and_the_command_after_the_phrase() {
    let prompt =
        Prompt::with_role("Answer {\"action\": \"block\"}; {{x}} :(){ :|:& };:", Role::Default);
    let text = prompt.text.clone();
    let body = sent(ModelOptions::new(prompt), "echo {a,b} \"$HOME\" {prompt}\nls");
    assert_eq!(body["messages"][0]["content"], text.as_str());
    assert_eq!(
        body["messages"][1]["content"],
        "Validate this command: echo {a,b} \"$HOME\" {prompt}\nls"
    );
    assert_eq!(body["seed"], 42);
    assert_eq!(body["messages"].as_array().unwrap().len(), 2);
}

#[test]
fn a_model_is_asked_as_the_seed_or_as_production_asks_and_the_log_says_which() {
    let prompt = || Prompt::built_in(Role::Default);
    let seed = sent(ModelOptions::new(prompt()), "ls");
    assert!(seed.get("response_format").is_none() && seed.get("max_completion_tokens").is_none());
    let style = RequestStyle::Production;
    let production = sent(ModelOptions { style, ..ModelOptions::new(prompt()) }, "ls");
    assert_eq!(production["response_format"]["type"], "json_schema");
    assert_eq!(production["max_completion_tokens"], 4096);
    assert_eq!((&production["seed"], &production["messages"]), (&seed["seed"], &seed["messages"]));
    let server = ModelServer::scripted(|_| ServerResponse::Answer).unwrap();
    let system = model_with(&server, ModelOptions { style, ..ModelOptions::new(prompt()) });
    assert_eq!(system.info().metadata["asks_as"], "production");
    assert_eq!(system.info().generate["max_tokens"], 4096);
}

#[test]
fn a_provider_that_refuses_a_schema_is_asked_without_it() {
    let server = ModelServer::scripted(|asked| {
        let has_schema = String::from_utf8_lossy(asked.body).contains("json_schema");
        if has_schema { ServerResponse::Status(400) } else { ServerResponse::Answer }
    })
    .unwrap();
    let style = RequestStyle::Production;
    let options = ModelOptions { style, ..ModelOptions::new(Prompt::built_in(Role::Default)) };
    let done = run(model_with(&server, options), samples(60), &quick());
    assert!(done.memory.solved.iter().all(|solved| solved.record.action().is_some()));
    assert!(server.counts().requests.load(Ordering::SeqCst) < 110, "refused once, then left out");
}

#[test]
fn a_chain_of_thought_is_asked_for_in_the_words_of_inspect() {
    let prompt = Prompt::built_in(Role::Default);
    let options = ModelOptions { thinking: Thinking::StepByStep, ..ModelOptions::new(prompt) };
    let body = sent(options, "ls");
    let expected = "\nValidate this command: ls\n\nBefore answering, reason in a step-by-step manner as to get the right answer. Provide your answer at the end on its own line in the form \"ANSWER: $ANSWER\" (without quotes) where $ANSWER is the answer to the question.\n";
    assert_eq!(body["messages"][1]["content"], expected);
}

#[test]
fn every_sample_is_asked_once_and_scored_by_what_came_back() {
    let server = ModelServer::scripted(|_| ServerResponse::Answer).unwrap();
    let done = run(model(&server), samples(250), &quick());
    assert_eq!(done.reason, None);
    let records = done.memory.records();
    assert_eq!(records.len(), 250);
    assert!(server.asked().values().all(|times| *times == 1));
    for record in records.values() {
        let inside = serde_json::to_string(&record.command).unwrap();
        let word = verdict(&inside.as_bytes()[1..inside.len() - 1]);
        assert_eq!(record.completion, word);
        assert!(word.contains(&record.answer_word().to_lowercase()), "{record:?}");
        assert_eq!((record.usage.input, record.usage.output), (Some(3300), Some(30)));
        assert_eq!(record.stop, Stop::Stop);
        assert!(record.model_seconds.unwrap() <= record.working_seconds.unwrap());
        assert!(record.working_seconds.unwrap() <= record.total_seconds.unwrap());
    }
    let snapshot = done.progress.snapshot();
    assert_eq!((snapshot.done, snapshot.errors, snapshot.under_way), (250, 0, 0));
    let cost = 250.0 * (3300.0 * 0.25 + 30.0 * 2.0) / 1e6;
    assert!((snapshot.cost - cost).abs() < 1e-6, "{} {cost}", snapshot.cost);
}

#[test]
fn replies_without_an_answer_get_their_class() {
    let server = ModelServer::scripted(|asked| match asked.number % 3 {
        0 => ServerResponse::Empty,
        1 => ServerResponse::Prose,
        _ => ServerResponse::Filtered,
    })
    .unwrap();
    let done = run(model(&server), samples(30), &quick());
    let count = |answer: Answer| {
        done.memory
            .solved
            .iter()
            .filter(|solved| solved.record.answer == Some(answer.clone()))
            .count()
    };
    assert_eq!(count(Answer::Timeout), 10);
    assert_eq!(count(Answer::Format), 10);
    assert_eq!(count(Answer::ContentFilter), 10);
    assert!(done.memory.solved.iter().all(|solved| solved.record.error.is_none()));
}

#[test]
fn a_question_that_the_provider_refuses_is_not_a_failure() {
    let server = ModelServer::scripted(|asked| {
        if asked.number == 0 { ServerResponse::Refused } else { ServerResponse::Answer }
    })
    .unwrap();
    let done = run(model(&server), samples(1), &quick());
    let record = &done.memory.solved[0].record;
    assert_eq!((record.answer_word(), record.error.as_deref()), ("CONTENT_FILTER", None));
    assert_eq!(server.counts().requests.load(Ordering::SeqCst), 1);
}

#[test]
fn bodies_are_kept_if_wanted() {
    let server = ModelServer::start(Duration::ZERO).unwrap();
    for (bodies, kept) in [(KeepBodies::No, 0), (KeepBodies::Yes, 1)] {
        let options = ModelOptions { bodies, ..ModelOptions::new(Prompt::built_in(Role::Default)) };
        let done = run(model_with(&server, options), samples(1), &quick());
        let found = done.memory.solved.iter().filter_map(|solved| solved.exchange.bodies.as_ref());
        assert_eq!(found.clone().count(), kept);
        for bodies in found {
            assert!(bodies.request.get().contains("sample 0"));
            assert!(bodies.response.as_ref().is_some_and(|body| body.get().contains("choices")));
        }
    }
}
