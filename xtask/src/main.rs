//! `cargo xtask …`: checks, measurements and generated files of the repository.
#![allow(clippy::print_stdout, clippy::print_stderr)] // a tool for the terminal

mod accuracy;
mod audit_day;
mod baseline;
#[cfg(test)]
mod bounds;
mod ci;
mod configuration;
mod datasets;
mod dependencies;
mod e2e_agents;
mod e2e_engines;
mod e2e_python;
mod friction;
mod generate;
mod graph;
mod latency;
mod local_model;
mod report;
mod sizes;

use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Checks, measurements and generated files.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Detection, acceptance, share of WARN and share left open, per data set
    Accuracy(accuracy::Options),
    /// How often ordinary scripts and lines are asked about or blocked, and why
    Friction(friction::Options),
    /// Write the generated pages anew
    Gen {
        /// Only say whether they are up to date
        #[arg(long)]
        check: bool,
    },
    /// Everything that must hold before a change goes in
    Ci {
        /// `quick` leaves out tests and measurements
        #[arg(value_parser = ["quick"])]
        part: Option<String>,
    },
    /// aegish against a small model on this machine; needs Python and a package index
    #[command(name = "e2e-local-model")]
    LocalModel(local_model::Options),
    /// aegish under real coding agents and a model fake; needs npm, node and a package index
    #[command(name = "e2e-agents")]
    Agents(e2e_agents::Options),
    /// Recipes for Polars, DuckDB, pandas, Spark and Ray; needs Python, a package index and Java
    #[command(name = "e2e-engines")]
    Engines(e2e_engines::Options),
    /// The Python wheel in a fresh environment; needs Python and a package index
    #[command(name = "e2e-python")]
    Python(e2e_python::Options),
    /// A made-up day of audit records with hidden attacks, judged by `aegish judge-log`
    AuditDay(audit_day::Options),
    /// What a hook, the daemon and a scan cost in a release build
    Latency(latency::Options),
    /// Random bash programs in real bash: what they do must be covered by the analysis of the same text
    Soundness {
        /// Arguments for the oracle; `--help` lists them
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Examples of program profiles whose effects are not found
    Examples {
        /// Write the list of known gaps anew
        #[arg(long)]
        bless: bool,
    },
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().task {
        Task::Accuracy(options) => accuracy::run(&options),
        Task::Friction(options) => friction::run(&options),
        Task::Gen { check } => generate::run(check),
        Task::Ci { part } => ci::run(part.is_some()),
        Task::LocalModel(options) => local_model::run(&options),
        Task::Agents(options) => e2e_agents::run(&options),
        Task::AuditDay(options) => audit_day::run(&options),
        Task::Engines(options) => e2e_engines::run(&options),
        Task::Python(options) => e2e_python::run(&options),
        Task::Latency(options) => latency::run(&options),
        Task::Soundness { arguments } => soundness(&arguments),
        Task::Examples { bless } => list_examples(bless),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's directory.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The oracle is a separate crate, so that this one builds quickly.
fn soundness(arguments: &[String]) -> Result<(), String> {
    let program = ci::program("soundness", "soundness")?;
    match Command::new(program).args(arguments).current_dir(root()).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("soundness: {status}")),
        Err(error) => Err(format!("soundness: {error}")),
    }
}

fn list_examples(bless: bool) -> Result<(), String> {
    let failures = aegish_test_support::examples::failures();
    let count: usize = aegish_profiles::all().map(|profile| profile.examples.len()).sum();
    for failure in &failures {
        println!("{failure}");
    }
    println!("{} of {count} examples fail", failures.len());
    let path = root().join("crates/aegish-guard/tests/example-gaps.txt");
    let describe = |error| format!("{}: {error}", path.display());
    if bless {
        let text: String = failures.iter().map(|failure| failure.key() + "\n").collect();
        return std::fs::write(&path, text).map_err(describe);
    }
    let gaps = std::fs::read_to_string(&path).map_err(describe)?;
    let new = failures.iter().filter(|failure| !gaps.lines().any(|gap| gap == failure.key()));
    match new.count() {
        0 => Ok(()),
        count => Err(format!("{count} of them are not known gaps")),
    }
}
