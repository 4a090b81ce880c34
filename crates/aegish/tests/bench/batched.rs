//! `--batch`: the same answers at half the price; killed, stopped and continued without paying twice.

use crate::folder::{BenchFolder, content, records, slow_server};
use aegish_log::Log;
use aegish_test_support::fake::KEY;
use aegish_test_support::fake::batches::{BatchFake, Creation, RowFate};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const MODELS: [&str; 2] = ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5-20251001"];
const SAMPLES: u32 = 20;

fn bench(folder: &BenchFolder, server: &BatchFake, model: &str, more: &[&str]) -> Command {
    let model = format!("--model={model}");
    let mut arguments =
        vec!["run", &model, "--dataset=set.jsonl", "--batch", "--yes", "--log-dir=logs"];
    arguments.extend(more);
    let mut command = folder.bench(None, &arguments);
    let address = format!("http://{}", server.fake.address);
    command.env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", format!("{address}/v1"));
    command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", address);
    command
}

fn start(folder: &BenchFolder, server: &BatchFake, model: &str) -> Child {
    let mut command = bench(folder, server, model, &[]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn finish(folder: &BenchFolder, server: &BatchFake, model: &str) -> String {
    let output = bench(folder, server, model, &[]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

fn cost(log: &Path) -> f64 {
    let metrics = aegish_log::measure(&Log::open(log).unwrap()).unwrap();
    metrics.cost.unwrap().billed_usd
}

#[test]
fn a_batch_gives_the_answers_of_single_requests_at_half_the_price() {
    let folder = BenchFolder::new("batch-price", SAMPLES);
    let single = slow_server(Duration::ZERO);
    let plain = ["run", "--model=openai/gpt-5-mini", "--dataset=set.jsonl", "--log-dir=logs"];
    assert!(folder.run(Some(&single), &plain).status.success());
    let one_by_one = content(&folder.logs()[0]);
    let price = cost(&folder.logs()[0]);
    folder.forget_logs();
    for model in MODELS {
        let server = BatchFake::start(|_, _| RowFate::Answer);
        server.release();
        finish(&folder, &server, model);
        let log = folder.logs().remove(0);
        assert_eq!(content(&log), one_by_one, "{model}");
        assert_eq!(server.batches(), 1);
        if model.starts_with("openai") {
            assert!((cost(&log) - price / 2.0).abs() < 1e-9, "{} {price}", cost(&log));
        }
        assert!(!log.with_extension("eval.batches").exists());
        assert!(records(&log).iter().all(|record| record.model_seconds.is_none()));
        folder.forget_logs();
    }
}

#[test]
fn a_run_that_is_killed_while_its_batch_is_out_picks_it_up_and_pays_once() {
    for model in MODELS {
        let folder = BenchFolder::new("batch-killed", SAMPLES);
        let server = BatchFake::start(|_, _| RowFate::Answer);
        for kill in 1..=4 {
            let mut child = start(&folder, &server, model);
            // Once just after the batch exists, later while it is waited for.
            let polls = server.polls();
            wait_until("a batch", || {
                server.batches() == 1 && (kill == 1 || server.polls() > polls)
            });
            child.kill().unwrap();
            child.wait().unwrap();
        }
        server.release();
        finish(&folder, &server, model);
        assert_eq!(server.batches(), 1, "{model}");
        let executed = server.executed();
        assert_eq!(executed.len(), SAMPLES as usize);
        assert!(executed.values().all(|times| *times == 1), "{model}: {executed:?}");
        assert_eq!(folder.logs().len(), 1);
        assert_eq!(content(&folder.logs()[0]).answers.len(), SAMPLES as usize);
    }
}

#[test]
fn a_batch_whose_id_never_arrived_is_found_again() {
    for model in MODELS {
        for creation in [Creation::Hangs, Creation::LostOnce] {
            let folder = BenchFolder::new("batch-lost", SAMPLES);
            let server = BatchFake::start(|_, _| RowFate::Answer);
            server.creation(creation);
            if creation == Creation::Hangs {
                let mut child = start(&folder, &server, model);
                wait_until("a batch", || server.batches() == 1);
                child.kill().unwrap();
                child.wait().unwrap();
                server.creation(Creation::Told);
            }
            server.release();
            finish(&folder, &server, model);
            assert_eq!(server.batches(), 1, "{model} {creation:?}");
            assert!(server.executed().values().all(|times| *times == 1));
            assert_eq!(content(&folder.logs()[0]).answers.len(), SAMPLES as usize);
        }
    }
}

#[test]
fn a_foreign_batch_of_the_same_size_is_not_taken_for_ours() {
    let model = MODELS[1];
    let (ours, other) =
        (BenchFolder::new("batch-ours", SAMPLES), BenchFolder::new("batch-other", SAMPLES));
    other.add_set("set.jsonl.tmp", SAMPLES);
    std::fs::rename(other.0.join("set.jsonl.tmp"), other.0.join("set.jsonl")).unwrap();
    let server = BatchFake::start(|_, _| RowFate::Answer);
    let mut foreign = start(&other, &server, model);
    wait_until("a batch", || server.batches() == 1);
    foreign.kill().unwrap();
    foreign.wait().unwrap();
    // A run that was killed after it noted the batch and before it handed it in.
    let mut child = start(&ours, &server, model);
    wait_until("a second batch", || server.batches() == 2);
    child.kill().unwrap();
    child.wait().unwrap();
    let log = ours.logs().remove(0);
    let journal = log.with_extension("eval.batches");
    let text = std::fs::read_to_string(&journal).unwrap();
    let first = text.lines().next().unwrap().replace("\"label\":\"", "\"label\":\"never");
    std::fs::write(&journal, format!("{first}\n")).unwrap();
    server.release();
    finish(&ours, &server, model);
    assert_eq!(server.batches(), 3, "neither of the two was ours");
    assert_eq!(content(&ours.logs()[0]).answers.len(), SAMPLES as usize);
}

#[test]
fn an_interrupted_run_says_that_its_batch_is_out() {
    let folder = BenchFolder::new("batch-stopped", SAMPLES);
    let server = BatchFake::start(|_, _| RowFate::Answer);
    let child = start(&folder, &server, MODELS[0]);
    wait_until("a poll", || server.polls() > 0);
    thread::sleep(Duration::from_millis(2500));
    let id = i32::try_from(child.id()).unwrap();
    rustix::process::kill_process(
        rustix::process::Pid::from_raw(id).unwrap(),
        rustix::process::Signal::INT,
    )
    .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("stopped with a batch at the provider"), "{said}");
    assert!(said.contains("a batch at openai with 0 of 20 requests done"), "{said}");
    server.release();
    finish(&folder, &server, MODELS[0]);
    assert_eq!(server.batches(), 1);
}

#[test]
fn each_outcome_of_a_row_is_the_class_it_is() {
    let fates = |command: &str, before: u32| {
        let number: u32 =
            command.split_whitespace().last().unwrap().trim_matches(['\\', '"']).parse().unwrap();
        match number {
            0 => RowFate::Status(400),
            1 => RowFate::Expired,
            2 => RowFate::Cancelled,
            3 => RowFate::Missing,
            // Helped by another batch.
            4 if before == 0 => RowFate::Status(500),
            5 if before < 2 => RowFate::Status(529),
            // Not even by five more.
            6 => RowFate::Status(500),
            _ => RowFate::Answer,
        }
    };
    for model in MODELS {
        let folder = BenchFolder::new("batch-rows", SAMPLES);
        let server = BatchFake::start(fates);
        server.release();
        finish(&folder, &server, model);
        let log = folder.logs().remove(0);
        let records = records(&log);
        let of = |number: u32| {
            records.iter().find(|record| record.id == format!("s-{number:04}")).unwrap()
        };
        for (number, why) in
            [(0, "as told"), (1, "expired"), (2, "cancelled"), (3, "no outcome"), (6, "as told")]
        {
            let record = of(number);
            assert_eq!(record.answer, None, "{model} {number}");
            assert!(record.limit.is_none(), "{model} {number}: an error is no time-out");
            let error = record.error.as_deref().unwrap_or_default();
            assert!(error.contains(why), "{model} {number}: {error}");
        }
        assert!(of(4).error.is_none() && of(4).retries == 1, "{model}");
        assert!(of(5).error.is_none() && of(5).retries == 2, "{model}");
        assert_eq!(records.iter().filter(|record| record.error.is_some()).count(), 5);
        // One for all, and five for what failed with a passing error.
        assert_eq!(server.batches(), 6, "{model}");
    }
}

#[test]
fn a_refused_batch_and_a_system_without_batches_are_errors() {
    let folder = BenchFolder::new("batch-refused", SAMPLES);
    let server = BatchFake::start(|_, _| RowFate::Answer);
    server.creation(Creation::Invalid);
    let output = bench(&folder, &server, MODELS[0], &[]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("line 1 is not parseable"), "{said}");
    // The next run hands in a batch of its own.
    server.creation(Creation::Told);
    server.release();
    finish(&folder, &server, MODELS[0]);
    assert_eq!(server.batches(), 2);
    let output = bench(&folder, &server, "ollama/llama3", &[]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("takes no batches"), "{said}");
}

#[test]
fn the_cost_limit_holds_for_what_is_handed_in() {
    let folder = BenchFolder::new("batch-limit", SAMPLES);
    let server = BatchFake::start(|_, _| RowFate::Answer);
    server.release();
    let output = bench(&folder, &server, MODELS[0], &["--cost-limit=0.003"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("cost limit"), "{said}");
    let asked = server.executed().len();
    assert!(asked > 0 && asked < SAMPLES as usize, "{asked}");
    assert!(cost(&folder.logs()[0]) <= 0.003);
}
