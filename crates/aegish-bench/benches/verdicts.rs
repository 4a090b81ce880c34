//! `cargo bench`: latency of verdicts, throughput of `--jsonl` and process start, compared with the bars of
//! the design.
//!
//! Plain timing instead of a framework, because microseconds are compared with milliseconds.
#![allow(clippy::print_stdout, clippy::print_stderr, clippy::expect_used)] // a program for the terminal

use aegish_test_support::cases;

use aegish_bench::dataset::{Dataset, data_root, external_sets, shipped};
use aegish_guard::{Action, Request, Role, check};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

/// Maximum median of a verdict within the process.
const VERDICT_BAR: Duration = Duration::from_micros(6);
/// Whole process, as a multiple of `bash --norc -c true`.
const START_BAR: f64 = 1.5;
/// Rows for the measurement of throughput.
const ROWS: usize = 200_000;
/// Measured starts per program.
const STARTS: usize = 300;

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_path_buf()
}

/// A named list of commands.
struct Set {
    name: String,
    commands: Vec<String>,
}

/// Own cases, own data sets, and other sets that are present.
fn sets() -> Vec<Set> {
    let all = cases::all().expect("the cases can be read");
    let of = |name: &str, blocks: bool| {
        let fitting = all.iter().filter(|case| (case.action == Action::Block) == blocks);
        let commands = fitting.map(|case| case.command.clone()).collect();
        Set { name: name.to_owned(), commands }
    };
    let mut sets = vec![of("cases/block", true), of("cases/pass", false)];
    let read = |name: String, set: &Dataset| {
        let samples = set.samples().expect("the set can be read");
        let commands = samples.map(|sample| sample.expect("a sample").command).collect();
        Set { name, commands }
    };
    for set in shipped() {
        sets.push(read(format!("own/{}", set.name), &set.open().expect("the set can be read")));
    }
    if let Some(data) = data_root(None, &root()) {
        let found = external_sets(&data).expect("the sets can be read");
        sets.extend(found.iter().map(|set| read(set.name.clone(), set)));
    }
    sets
}

fn main() {
    let sets = sets();
    let scratch = env::temp_dir().join(format!("aegish-bench-{}", process::id()));
    fs::create_dir_all(&scratch).expect("a scratch directory");
    latency(&sets, &scratch);
    let _ = fs::remove_dir(&scratch);
    match binary() {
        Some(binary) => {
            throughput(&binary, &sets);
            start(&binary);
        }
        None => println!("The release binary could not be built: no throughput, no start."),
    }
}

fn verdict(holds: bool) -> &'static str {
    if holds { "holds" } else { "MISSED" }
}

fn latency(sets: &[Set], scratch: &Path) {
    println!(
        "{:<30} {:>6} {:>10} {:>10} {:>10}",
        "verdicts in process", "n", "median", "p99", "longest"
    );
    let context = cases::surroundings(&scratch.to_string_lossy()).context(&cases::REAL);
    let judge = |command: &str| {
        let request = Request {
            text: command.as_bytes(),
            context: &context,
            role: Role::Default,
            user_rules: &[],
        };
        check(&request)
    };
    let mut all = Vec::new();
    for set in sets.iter().filter(|set| !set.commands.is_empty()) {
        let mut times: Vec<Duration> = Vec::new();
        for command in &set.commands {
            let mut runs = [Duration::ZERO; 9];
            for run in &mut runs {
                let start = Instant::now();
                let decision = judge(command);
                *run = start.elapsed();
                drop(decision);
            }
            runs.sort();
            times.push(runs[runs.len() / 2]);
        }
        all.extend_from_slice(&times);
        line(&set.name, &mut times);
    }
    let median = line("all", &mut all);
    println!("bar: median ≤ {VERDICT_BAR:?}: {}\n", verdict(median <= VERDICT_BAR));
}

fn line(name: &str, times: &mut [Duration]) -> Duration {
    times.sort();
    let at = |share: usize| {
        times.get((times.len() * share / 100).min(times.len() - 1)).copied().unwrap_or_default()
    };
    let micros = |time: Duration| format!("{:.1} µs", time.as_secs_f64() * 1e6);
    let (median, p99, longest) = (at(50), at(99), at(100));
    println!(
        "{name:<30} {:>6} {:>10} {:>10} {:>10}",
        times.len(),
        micros(median),
        micros(p99),
        micros(longest)
    );
    median
}

/// Builds the binary with the release profile.
fn binary() -> Option<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--package", "aegish"])
        .current_dir(root())
        .status()
        .is_ok_and(|status| status.success());
    // …/release/deps/verdicts-HASH → …/release/aegish
    let here = env::current_exe().ok()?;
    let path = here.ancestors().nth(2)?.join("aegish");
    (built && path.is_file()).then_some(path)
}

fn throughput(binary: &Path, sets: &[Set]) {
    let commands: Vec<&str> =
        sets.iter().flat_map(|set| &set.commands).map(String::as_str).collect();
    let mut input = Vec::new();
    for (number, command) in commands.iter().cycle().take(ROWS).enumerate() {
        let row = serde_json::json!({ "id": number, "command": command, "cwd": "/nonexistent" });
        input.extend_from_slice(row.to_string().as_bytes());
        input.push(b'\n');
    }
    let start = Instant::now();
    let mut child = Command::new(binary)
        .args(["check", "--jsonl"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let stdout = BufReader::with_capacity(1 << 16, child.stdout.take().expect("a pipe"));
    let status = format!("/proc/{}/status", child.id());
    let feeder = thread::spawn(move || {
        stdin.write_all(&input).expect("the rows are taken");
        // Read before the end of input, while the process still runs.
        let status = fs::read_to_string(status).unwrap_or_default();
        let peak = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or("").to_owned();
        drop(stdin);
        peak
    });
    let answers = stdout.split(b'\n').count();
    let elapsed = start.elapsed().as_secs_f64();
    let peak = feeder.join().expect("the rows are taken");
    let _ = child.wait();
    #[allow(clippy::cast_precision_loss)] // a count of rows
    let rate = answers as f64 / elapsed;
    println!(
        "--jsonl: {answers} rows in {elapsed:.2} s, {rate:.0} rows/s, peak memory {}\n",
        peak.trim_start_matches("VmHWM:").trim()
    );
}

fn start(binary: &Path) {
    let time = |program: &Path, arguments: &[&str]| {
        let start = Instant::now();
        let status = Command::new(program).args(arguments).stdout(Stdio::null()).status();
        status.is_ok().then(|| start.elapsed())
    };
    let (mut bash, mut own) = (Vec::new(), Vec::new());
    // Alternately, so that other load affects both.
    for _ in 0..STARTS {
        bash.extend(time(Path::new("bash"), &["--norc", "-c", "true"]));
        own.extend(time(binary, &["check", "--", "ls -la"]));
    }
    if bash.is_empty() || own.is_empty() {
        println!("bash or the binary could not be started");
        return;
    }
    println!("{:<30} {:>6} {:>10} {:>10} {:>10}", "whole process", "n", "median", "p99", "longest");
    let bash = line("bash --norc -c true", &mut bash);
    let own = line("aegish check -- 'ls -la'", &mut own);
    let ratio = own.as_secs_f64() / bash.as_secs_f64();
    println!("bar: ≤ {START_BAR} × bash: {ratio:.2} ×: {}", verdict(ratio <= START_BAR));
}
