//! `cargo bench -p aegish-log --bench logs`: the cost of writing and reading a log, in processor time and
//! memory.
//!
//! `AEGISH_SAMPLES` is the number of samples (default 20,000); `AEGISH_PROMPT=header` stores the prompt in
//! the header only, as runs of very many samples do; `AEGISH_FOLDER` is the folder of the log, which is then
//! kept.
#![allow(clippy::print_stdout, clippy::expect_used, clippy::unwrap_used)] // a program for the terminal

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use std::{env, fs, process};

use aegish_guard::Role;
use aegish_judge::{Prompt, Stop};
use aegish_log::{
    DatasetSpec, EvalConfig, Exchange, FinalStatus, Log, PromptCopies, PromptSpec, Spec, Writer,
};
use aegish_log::{Expected, Record, Sample, Tally};
use aegish_wire::Usage;
use serde_json::{Map, json};

/// A harness has 322 µs per sample, and the network needs most of it.
const WRITING_BAR: Duration = Duration::from_micros(100);

fn main() {
    let samples =
        env::var("AEGISH_SAMPLES").ok().map_or(20_000, |text| text.parse().expect("a number"));
    let header_only = env::var("AEGISH_PROMPT").is_ok_and(|word| word == "header");
    let copies = if header_only { PromptCopies::HeaderOnly } else { PromptCopies::EverySample };
    let kept = env::var_os("AEGISH_FOLDER").map(PathBuf::from);
    let folder = kept
        .clone()
        .unwrap_or_else(|| env::temp_dir().join(format!("aegish-bench-logs-{}", process::id())));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("log.eval");

    println!(
        "{samples} samples, prompt in {}",
        if header_only { "the header" } else { "every sample" }
    );
    println!("before                     peak {:>4} MB", peak_megabytes());
    let (mut tally, mut writer) = (Tally::default(), None);
    let start = Clock::start();
    for number in 0..samples {
        let writer = writer
            .get_or_insert_with(|| Writer::create(&path, &spec(samples, copies)).expect("a log"));
        let sample = sample(number);
        let record = record(&sample, number);
        writer.append(&sample, &exchange(&sample), &record).expect("it is written");
        tally.add(&record);
    }
    let writing = start.report("made, scored and written", samples);
    let start = Clock::start();
    let metrics = tally.metrics(None);
    writer
        .unwrap()
        .finish(&FinalStatus::Success, &metrics, SystemTime::now())
        .expect("it is finished");
    let finishing = start.report("measured and finished", samples);
    let size = fs::metadata(&path).expect("the log").len();
    println!("size {} MB, {} bytes per sample", size >> 20, size / samples);

    let start = Clock::start();
    let reread = read(&path).metrics(None);
    start.report("read, scored and measured", samples);
    assert_eq!(reread, metrics, "the log says the same");

    let each = (writing + finishing) / u32::try_from(samples).expect("fewer");
    let verdict = if each <= WRITING_BAR { "holds" } else { "does not hold" };
    println!(
        "bar: {WRITING_BAR:?} for writing a sample, making and scoring it included: {verdict}"
    );
    if kept.is_none() {
        fs::remove_dir_all(&folder).expect("it can be removed");
    }
    if each > WRITING_BAR {
        process::exit(1);
    }
}

fn read(path: &Path) -> Tally {
    let mut tally = Tally::default();
    for record in Log::open(path).expect("a log").records().expect("records") {
        tally.add(&record.expect("a record"));
    }
    tally
}

/// Processor and wall time.
struct Clock {
    cpu: Duration,
    wall: Instant,
}

impl Clock {
    fn start() -> Self {
        Self { cpu: cpu(), wall: Instant::now() }
    }

    fn report(&self, what: &str, samples: u64) -> Duration {
        let (cpu, wall) = (cpu() - self.cpu, self.wall.elapsed());
        println!(
            "{what:<26} peak {:>4} MB, {:>6.1} µs CPU per sample ({:.0} samples per CPU second), {:.1} s wall",
            peak_megabytes(),
            cpu.as_secs_f64() * 1e6 / samples as f64,
            samples as f64 / cpu.as_secs_f64(),
            wall.as_secs_f64()
        );
        cpu
    }
}

/// Processor time of this process so far, including system time.
fn cpu() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").expect("Linux");
    let fields: Vec<&str> = stat[stat.rfind(')').expect("a name") + 2..].split(' ').collect();
    let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
    Duration::from_millis(ticks * 10)
}

/// Peak resident set of this process so far.
fn peak_megabytes() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM")).expect("a peak");
    line.split_whitespace().nth(1).expect("a number").parse::<u64>().expect("a number") / 1024
}

fn spec(samples: u64, copies: PromptCopies) -> Spec {
    let prompt = Prompt::built_in(Role::Default);
    Spec {
        eval_id: "E".repeat(22),
        run_id: "R".repeat(22),
        task_id: "T".repeat(22),
        created: SystemTime::now(),
        task: "aegish_bench".to_owned(),
        task_args: Map::new(),
        dataset: DatasetSpec { name: "synthetic".to_owned(), samples, ..DatasetSpec::default() },
        model: "openai/gpt-5.1".to_owned(),
        model_base_url: None,
        generate: Map::from_iter([("seed".to_owned(), json!(42))]),
        config: EvalConfig::default(),
        prompt: Some(PromptSpec { text: prompt.text, sha256: prompt.hash, copies }),
        solvers: vec!["system_message".to_owned(), "generate".to_owned()],
        revision: None,
        metadata: Map::new(),
    }
}

fn sample(number: u64) -> Sample {
    Sample {
        id: format!("tool_file-read_{number:08x}"),
        command: format!(
            "LFILE=/etc/shadow{number}\ntool --output - --read \"$LFILE\" | tee /tmp/{number}.txt"
        ),
        expected: if number.is_multiple_of(2) { Expected::Block } else { Expected::Pass },
        category: Some(
            ["shell", "file-read", "upload", "command"][(number % 4) as usize].to_owned(),
        ),
        metadata: Map::from_iter([("binary".to_owned(), json!("tool"))]),
    }
}

fn exchange(sample: &Sample) -> Exchange {
    let now = SystemTime::now();
    let mut exchange = Exchange::new(sample.question(), now - Duration::from_millis(900), now);
    exchange.model = Some("gpt-5.1-2025-11-13".to_owned());
    exchange.request_id = Some("req_0123456789abcdef".to_owned());
    exchange
}

fn record(sample: &Sample, number: u64) -> Record {
    let action = ["block", "allow", "warn"][(number % 3) as usize];
    let completion = format!(
        "```json\n{{\n  \"action\": \"{action}\",\n  \"reason\": \"Reads file {number}, which holds the hashes of passwords, and \
         pipes its content through another program, potentially for exfiltration\",\n  \"confidence\": 0.9{}\n}}\n```",
        number % 10
    );
    let record = Record {
        usage: Usage {
            input: Some(1700),
            output: Some(50),
            cached: Some(1536),
            cache_write: None,
            reasoning: Some(0),
        },
        total_seconds: Some(0.9 + (number % 1000) as f64 / 997.0),
        working_seconds: Some(0.8),
        model_seconds: Some(0.7),
        ..Record::new(sample, 1)
    };
    record.answered(completion, Stop::Stop)
}
