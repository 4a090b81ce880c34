//! The oracle of the analysis: runs random bash programs in real bash. The analysis of the same text must
//! cover everything they do, or be open.
//!
//! Programs run in their own namespaces, on a root with bash, a few programs and recorders ([`namespace`]).
//! inotify reports which files are opened and written; the recorder reports which programs run.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a tool for the terminal

mod cover;
mod generator;
mod inner;
mod namespace;
mod random;
mod run;
mod server;
mod tree;
mod work;

use clap::Parser;
use std::io::{BufRead, BufReader};
use std::process::{ExitCode, Stdio};

/// Random bash programs against what the guard says of them.
#[derive(Parser)]
struct Arguments {
    /// Where the random numbers start
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of programs
    #[arg(long, default_value_t = 20_000)]
    programs: u64,
    /// Processes that run programs at the same time
    #[arg(long, default_value_t = 2)]
    jobs: u64,
    /// Failures that are made small and shown, per process
    #[arg(long, default_value_t = 20)]
    failures: usize,
    /// Programs of an inner language instead of bash: python, javascript, ruby, lua, php, perl
    #[arg(long)]
    language: Option<String>,
    /// Print every program with its verdict
    #[arg(long)]
    verbose: bool,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().collect();
    let outcome = match words.get(1).map(String::as_str) {
        Some("enter") => namespace::enter(&words[2..]),
        Some("work") => work::work(&words[2..]),
        _ => spawn(&Arguments::parse()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Starts the workers and adds their numbers.
fn spawn(arguments: &Arguments) -> Result<(), String> {
    match arguments.language.as_deref() {
        None => {}
        Some(name) => {
            let subject = inner::subject(name)
                .ok_or_else(|| format!("there is no generator for `{name}`"))?;
            return inner::run(subject, arguments.seed, arguments.programs, arguments.failures);
        }
    }
    let jobs = arguments.jobs.max(1);
    let mut workers = Vec::new();
    for job in 0..jobs {
        let share = arguments.programs / jobs + u64::from(job < arguments.programs % jobs);
        let seed = arguments.seed.wrapping_mul(1_000_003).wrapping_add(job);
        let numbers = [seed, share, arguments.failures as u64, u64::from(arguments.verbose)];
        let words: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let mut command = namespace::command(&words).map_err(|error| error.to_string())?;
        let child = command.stdout(Stdio::piped()).spawn();
        workers.push(child.map_err(|error| format!("unshare: {error}"))?);
    }
    let mut tally = work::Tally::default();
    let mut failed = false;
    for mut worker in workers {
        if let Some(stdout) = worker.stdout.take() {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                match line.strip_prefix("TALLY ") {
                    Some(numbers) => tally.add(numbers),
                    None => println!("{line}"),
                }
            }
        }
        failed |= !worker.wait().is_ok_and(|status| status.success());
    }
    println!("{tally}");
    if failed {
        return Err("a worker did not end well".to_owned());
    }
    if tally.uncovered > 0 {
        return Err(format!("{} programs did something that is not covered", tally.uncovered));
    }
    Ok(())
}
