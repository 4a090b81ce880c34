//! A run of several data sets and models is resumed as a whole, and so is its cost limit.

use crate::folder::{BenchFolder, content, slow_server};
use crate::model_server::ModelServer;
use aegish_log::{Log, LogStatus};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

const RUN: [&str; 6] =
    ["run", "-m=openai/gpt-5-mini", "-d=a.jsonl", "-d=b.jsonl", "--max-connections=4", "--yes"];

fn two_sets(name: &str) -> BenchFolder {
    let folder = BenchFolder::new(name, 1);
    folder.add_set("a.jsonl", 40);
    folder.add_set("b.jsonl", 120);
    folder
}

fn start(folder: &BenchFolder, server: &ModelServer, arguments: &[&str]) -> Child {
    let mut command = folder.bench(Some(server), arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until the server has received this many requests.
fn wait_for(server: &ModelServer, requests: u64, child: &mut Child) {
    while server.counts().requests.load(Ordering::SeqCst) < requests {
        assert!(child.try_wait().unwrap().is_none(), "the run ended too early");
        thread::sleep(Duration::from_micros(200));
    }
}

/// How often commands of a set were asked.
fn asked(server: &ModelServer, set: &str) -> u32 {
    server.asked().iter().filter(|(command, _)| command.contains(set)).map(|(_, n)| n).sum()
}

fn stop(child: &mut Child, signal: &str) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    child.wait().unwrap();
}

fn assert_success(folder: &BenchFolder, server: &ModelServer, arguments: &[&str]) -> String {
    let done = folder.run(Some(server), arguments);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).into_owned()
}

#[test]
fn a_finished_data_set_is_not_asked_again_when_the_run_was_interrupted_in_the_next() {
    for signal in ["-INT", "-KILL"] {
        let folder = two_sets(&format!("suite{signal}"));
        let server = slow_server(Duration::from_millis(3));
        let mut child = start(&folder, &server, &RUN);
        wait_for(&server, 80, &mut child);
        stop(&mut child, signal);
        let said = assert_success(&folder, &server, &RUN);
        assert_eq!(asked(&server, "a.jsonl"), 40, "{signal}");
        assert_eq!(folder.logs().len(), 2);
        let answers: usize = folder.logs().iter().map(|log| content(log).answers.len()).sum();
        assert_eq!(answers, 160);
        assert_eq!(said.matches("log: ").count(), 2, "both are shown: {said}");
        // The run is complete now, so the same command begins another one.
        assert_success(&folder, &server, &RUN);
        assert_eq!((asked(&server, "a.jsonl"), folder.logs().len()), (80, 4));
    }
}

#[test]
fn a_run_killed_between_two_data_sets_resumes_with_the_second() {
    let folder = two_sets("between");
    let server = slow_server(Duration::from_millis(1));
    // An older complete run of both sets does not count.
    assert_success(&folder, &server, &RUN);
    assert_success(&folder, &server, &RUN);
    let newest =
        folder.logs().into_iter().rfind(|log| log.display().to_string().contains("aegish-b_"));
    std::fs::remove_file(newest.unwrap()).unwrap();
    assert_success(&folder, &server, &RUN);
    assert_eq!((asked(&server, "a.jsonl"), asked(&server, "b.jsonl")), (80, 360));
}

#[test]
fn a_new_run_that_was_interrupted_does_not_take_over_answers_of_the_one_before() {
    let folder = two_sets("third");
    let server = slow_server(Duration::from_millis(3));
    assert_success(&folder, &server, &RUN);
    let mut child = start(&folder, &server, &RUN);
    wait_for(&server, 160 + 20, &mut child);
    stop(&mut child, "-INT");
    assert_success(&folder, &server, &RUN);
    assert_eq!((asked(&server, "a.jsonl"), asked(&server, "b.jsonl")), (80, 240));
}

#[test]
fn several_models_are_resumed_together_and_a_part_of_them_alone() {
    let folder = two_sets("models");
    let server = slow_server(Duration::from_millis(3));
    let both = [&RUN[..], &["-m=openai/gpt-5.1"]].concat();
    let mut child = start(&folder, &server, &both);
    wait_for(&server, 160, &mut child);
    stop(&mut child, "-INT");
    // One of the two models first, then both.
    assert_success(&folder, &server, &RUN);
    assert_success(&folder, &server, &both);
    assert_eq!((asked(&server, "a.jsonl"), asked(&server, "b.jsonl")), (80, 240));
    assert_eq!(folder.logs().len(), 4);
    for log in folder.logs() {
        assert_eq!(Log::open(&log).unwrap().header().status, LogStatus::Success);
    }
}

#[test]
fn the_cost_limit_holds_over_all_resumptions_of_a_run() {
    let folder = two_sets("cost");
    let server = slow_server(Duration::from_millis(1));
    // One answer costs 0.000885 dollars.
    let limited = [&RUN[..], &["--cost-limit=0.05"]].concat();
    for _ in 0..3 {
        let ended = folder.run(Some(&server), &limited);
        assert_eq!(ended.status.code(), Some(3));
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(said.contains("cost limit"), "{said}");
    }
    let answers = server.counts().answers.load(Ordering::SeqCst);
    assert!((50..=56).contains(&answers), "{answers} answers");
    assert_eq!(asked(&server, "a.jsonl"), 40);
    let more = [&RUN[..], &["--cost-limit=0.2"]].concat();
    assert_success(&folder, &server, &more);
    assert_eq!(server.counts().answers.load(Ordering::SeqCst), 160);
}

#[test]
fn what_a_killed_run_may_have_paid_counts_for_the_cost_limit() {
    let folder = two_sets("cost-killed");
    let server = slow_server(Duration::from_millis(20));
    // Enough for about 90 of the 160 answers.
    let limited = [&RUN[..], &["--cost-limit=0.08"]].concat();
    for round in 1..=5 {
        let mut child = start(&folder, &server, &limited);
        wait_for(&server, 12 * round, &mut child);
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let ended = folder.run(Some(&server), &limited);
    assert_eq!(ended.status.code(), Some(3));
    let requests = server.counts().requests.load(Ordering::SeqCst);
    // Each may have been billed.
    assert!((70..=91).contains(&requests), "{requests} requests");
}
