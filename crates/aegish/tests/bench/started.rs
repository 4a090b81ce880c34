//! The start of a run: requirements, messages, and files.

use crate::folder::{BenchFolder, content, records, slow_server};
use crate::model_server::ModelServer;
use aegish_log::{Log, LogStatus};
use std::fs;
use std::process::Output;
use std::sync::atomic::Ordering;
use std::time::Duration;

fn text(output: &Output) -> (String, String) {
    let of = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (of(&output.stdout), of(&output.stderr))
}

#[test]
fn without_arguments_the_static_side_is_measured_on_our_sets() {
    let folder = BenchFolder::new("default", 2);
    let done = folder.run(None, &["run", "--limit=30"]);
    let (out, err) = text(&done);
    assert!(done.status.success(), "{err}");
    assert_eq!(folder.logs().len(), 3);
    for set in ["malicious", "harmless", "obfuscated"] {
        assert!(out.contains(set), "{out}");
    }
    let halves = ["run", "--limit=30", "--dataset=malicious", "--dataset=harmless", "--fresh"];
    assert!(text(&folder.run(None, &halves)).0.contains("score of static"));
    let log = Log::open(&folder.logs()[0]).unwrap();
    assert_eq!(log.header().eval.model, "static");
    assert_eq!(log.header().eval.metadata["role"], "default");
}

#[test]
fn a_log_contains_system_questions_and_settings() {
    let folder = BenchFolder::new("header", 20);
    let server = slow_server(Duration::ZERO);
    let arguments =
        ["run", "-m", "openai/gpt-5-mini", "-d", "set.jsonl", "--time-limit=7", "--cot"];
    assert!(folder.run(Some(&server), &arguments).status.success());
    let log = Log::open(&folder.logs()[0]).unwrap();
    let eval = &log.header().eval;
    assert_eq!((eval.model.as_str(), eval.task.as_str()), ("openai/gpt-5-mini", "aegish_set"));
    assert_eq!(eval.model_generate_config["seed"], 42);
    assert_eq!(eval.model_base_url.as_deref(), Some(server.base_url().as_str()));
    assert_eq!(eval.config["time_limit"].as_f64(), Some(7.0));
    assert_eq!(eval.config["retry_on_error"].as_u64(), Some(5));
    assert_eq!(eval.config["fail_on_error"].as_f64(), Some(0.5));
    assert_eq!(eval.dataset.samples, Some(20));
    assert_eq!(eval.task_args["cot"], true);
    assert_eq!(log.header().solvers, ["system_message", "chain_of_thought", "generate"]);
    let prompt = aegish_judge::Prompt::built_in(aegish_guard::Role::Default);
    assert_eq!(log.header().prompt.as_deref(), Some(prompt.text.as_str()));
}

#[test]
fn an_unknown_host_is_refused_at_once() {
    let folder = BenchFolder::new("host", 4);
    let began = std::time::Instant::now();
    let run = ["run", "-m", "openai/gpt-5-mini", "-d", "set.jsonl"];
    let mut command = folder.bench(None, &run);
    command.env("OPENAI_API_KEY", "sk-test-0123456789").env("OPENAI_BASE_URL", "notaurl");
    let ended = command.output().unwrap();
    assert_eq!(ended.status.code(), Some(2), "{:?}", text(&ended));
    assert!(text(&ended).1.contains("there is no host `notaurl`"), "{:?}", text(&ended));
    assert!(began.elapsed() < Duration::from_secs(4) && folder.logs().is_empty());
}

#[test]
fn progress_says_within_two_seconds_what_the_run_waits_for() {
    let folder = BenchFolder::new("why", 4);
    // No server listens there.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let run = ["run", "-m", "openai/gpt-5-mini", "-d", "set.jsonl"];
    let mut command = folder.bench(None, &run);
    command.env("OPENAI_API_KEY", "sk-test-0123456789");
    command.env("OPENAI_BASE_URL", format!("http://{closed}/v1"));
    let mut child = command
        .stderr(std::process::Stdio::piped())
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let began = std::time::Instant::now();
    let mut line = String::new();
    let mut errors = std::io::BufReader::new(child.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut errors, &mut line).unwrap();
    let waited = began.elapsed();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.contains("waiting: ") && line.contains("connection refused"), "{line}");
    assert!(waited < Duration::from_secs(3), "{waited:?}");
}

#[test]
fn a_data_set_that_is_not_there_is_a_mistake_in_the_command() {
    let folder = BenchFolder::new("nodata", 1);
    for name in ["nowhere.jsonl", "nosuchset"] {
        let ended = folder.run(None, &["run", "-d", name]);
        assert_eq!(ended.status.code(), Some(2), "{:?}", text(&ended));
        assert!(text(&ended).1.contains(name), "{:?}", text(&ended));
    }
}

#[test]
fn missing_keys_are_named_before_anything_runs() {
    let folder = BenchFolder::new("keys", 4);
    let server = slow_server(Duration::ZERO);
    let both =
        ["run", "-m", "openai/gpt-5.1", "-m", "anthropic/claude-opus-4-6", "-d", "set.jsonl"];
    let mut command = folder.bench(Some(&server), &both);
    let refused = command.env_remove("ANTHROPIC_API_KEY").output().unwrap();
    let (_, err) = text(&refused);
    assert_eq!(refused.status.code(), Some(2), "{err}");
    assert!(err.contains("ANTHROPIC_API_KEY") && err.contains("1 of 2"), "{err}");
    assert_eq!(server.counts().requests.load(Ordering::SeqCst), 0);
    assert!(folder.logs().is_empty());
    let mut command = folder.bench(Some(&server), &both);
    let rest = command.arg("--yes").env_remove("ANTHROPIC_API_KEY").output().unwrap();
    assert!(rest.status.success(), "{}", text(&rest).1);
    assert_eq!(folder.logs().len(), 1);
}

#[test]
fn a_dry_run_shows_the_seeds_models_with_prices_and_sends_nothing() {
    let folder = BenchFolder::new("dry", 4);
    let shown = folder.run(None, &["run", "--suite=seed", "--dry-run"]);
    let (out, _) = text(&shown);
    assert!(shown.status.success());
    assert_eq!(out.lines().filter(|line| line.contains("; set ")).count(), 10, "{out}");
    assert!(out.contains("anthropic/claude-opus-4-6") && out.contains("in all"), "{out}");
    assert!(folder.logs().is_empty());
}

#[test]
fn a_cost_limit_stops_cleanly_and_a_higher_one_resumes() {
    let folder = BenchFolder::new("cost", 100);
    let server = slow_server(Duration::from_millis(1));
    let with = |limit: &str| {
        let limit = format!("--cost-limit={limit}");
        let model = "--model=openai/gpt-5-mini";
        folder.run(Some(&server), &["run", model, "--dataset=set.jsonl", &limit])
    };
    // An answer costs 0.000885 dollars.
    let stopped = with("0.03");
    assert_eq!(stopped.status.code(), Some(3));
    assert!(text(&stopped).1.contains("cost limit"), "{}", text(&stopped).1);
    let log = folder.logs()[0].clone();
    assert_eq!(Log::open(&log).unwrap().header().status, LogStatus::Cancelled);
    let first = records(&log).len();
    assert!((20..34).contains(&first), "{first}");
    assert!(with("1").status.success());
    assert_eq!(content(&log).answers.len(), 100);
    assert_eq!(server.counts().answers.load(Ordering::SeqCst), 100);
    let unpriced = ["run", "--system=openai/unheard-of", "--dataset=set.jsonl", "--cost-limit=1"];
    let refused = folder.run(Some(&server), &unpriced);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused).1.contains("price"), "{}", text(&refused).1);
}

#[test]
fn a_finished_run_is_not_continued_but_repeated() {
    let folder = BenchFolder::new("again", 6);
    let server = slow_server(Duration::ZERO);
    let arguments = ["run", "--model=openai/gpt-5-mini", "--dataset=set.jsonl"];
    for logs in 1..=2 {
        assert!(folder.run(Some(&server), &arguments).status.success());
        assert_eq!(folder.logs().len(), logs);
    }
    let log = folder.logs()[0].display().to_string();
    let mut resumed = arguments.to_vec();
    resumed.extend(["--resume", &log]);
    let refused = folder.run(Some(&server), &resumed);
    assert!(text(&refused).1.contains("is complete"), "{}", text(&refused).1);
    resumed.push("--cot");
    let other = folder.run(Some(&server), &resumed);
    assert!(text(&other).1.contains("another system"), "{}", text(&other).1);
}

#[test]
fn two_runs_of_the_same_task_do_not_write_to_one_log() {
    let folder = BenchFolder::new("busy", 60);
    let server = slow_server(Duration::from_millis(20));
    let arguments =
        ["run", "--model=openai/gpt-5-mini", "--dataset=set.jsonl", "--max-connections=1"];
    let mut first = folder.bench(Some(&server), &arguments).spawn().unwrap();
    while server.counts().requests.load(Ordering::SeqCst) < 3 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let second = folder.run(Some(&server), &arguments);
    assert!(text(&second).1.contains("another process"), "{}", text(&second).1);
    assert!(first.wait().unwrap().success());
    assert_eq!(content(&folder.logs()[0]).answers.len(), 60);
}

#[test]
fn a_recorded_log_can_be_asked_again_without_a_model() {
    let folder = BenchFolder::new("replay", 40);
    let server = ModelServer::start(Duration::ZERO).unwrap();
    let run = ["run", "--model=openai/gpt-5-mini", "--dataset=set.jsonl"];
    assert!(folder.run(Some(&server), &run).status.success());
    let recorded = folder.logs()[0].clone();
    drop(server);
    let system = format!("--system=replay/{}", recorded.display());
    let replayed = folder.run(None, &["run", &system, "--dataset=set.jsonl"]);
    assert!(replayed.status.success(), "{}", text(&replayed).1);
    let logs = folder.logs();
    assert_eq!(logs.len(), 2);
    let other = logs.iter().find(|log| **log != recorded).unwrap();
    assert_eq!(content(other), content(&recorded));
    let tokens = |log| records(log).iter().map(|record| record.usage.input.unwrap()).sum::<u64>();
    assert_eq!(tokens(other), tokens(&recorded));
}

#[test]
fn a_foreign_guard_is_measured_like_any_other() {
    let folder = BenchFolder::new("exec", 12);
    let script = concat!(
        "while IFS= read -r line; do id=${line#*'\"id\":\"'}; id=${id%%'\"'*}; ",
        "printf '{\"id\":\"%s\",\"action\":\"block\"}\\n' \"$id\"; done"
    );
    fs::write(folder.0.join("guard.sh"), script).unwrap();
    let done = folder.run(None, &["run", "--system=exec:sh guard.sh", "--dataset=set.jsonl"]);
    assert!(done.status.success(), "{}", text(&done).1);
    let log = Log::open(&folder.logs()[0]).unwrap();
    assert_eq!(log.header().eval.model, "exec:sh guard.sh");
    assert!(records(&folder.logs()[0]).iter().all(|record| record.answer_word() == "BLOCK"));
}

#[test]
fn invalid_arguments_are_refused_before_anything_is_asked() {
    let folder = BenchFolder::new("usage", 2);
    for (arguments, word) in [
        (vec!["run", "--system=nonsense"], "names no system"),
        (vec!["run", "--model=nobody/x"], "unknown provider"),
        (vec!["run", "--dataset=nothing.jsonl"], "nothing.jsonl"),
        (vec!["run", "--time-limit=-1"], "--time-limit"),
        (vec!["run", "--time-limit=0"], "--time-limit"),
        (vec!["run", "--cost-limit=-1"], "--cost-limit"),
        (vec!["run", "--system-prompt=nothing.md"], "nothing.md"),
        (vec!["run", "--resume=x.eval"], "--resume"),
        (vec!["run", "--suite=other"], "not a suite"),
    ] {
        let refused = folder.run(None, &arguments);
        let (_, err) = text(&refused);
        assert!(!refused.status.success() && err.contains(word), "{arguments:?}: {err}");
    }
    assert!(folder.logs().is_empty());
}
