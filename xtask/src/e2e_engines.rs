//! `cargo xtask e2e-engines`: the recipes of `docs/how-to/engines.md` against the real packages.

use crate::e2e_python::{environment, finished, install};
use clap::Args;
use std::path::PathBuf;

/// Java for Spark comes from the distribution.
const PACKAGES: [&str; 6] = ["pyarrow", "polars", "duckdb", "pandas", "pyspark", "ray[data]"];

#[derive(Args)]
pub(crate) struct Options {
    /// The wheel, which `cargo xtask e2e-python` builds
    #[arg(long, value_name = "FILE")]
    wheel: PathBuf,
    /// Rows with "command", one JSON object per line
    #[arg(long, value_name = "FILE")]
    commands: PathBuf,
    /// How many rows each engine judges
    #[arg(long, default_value_t = 1_000_000)]
    rows: u64,
    /// The folder with the environment [default: target/e2e-engines]
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The Python to make an environment with
    #[arg(long, default_value = "python3")]
    python: String,
}

pub(crate) fn run(options: &Options) -> Result<(), String> {
    let dir = options.dir.clone().unwrap_or_else(|| crate::root().join("target/e2e-engines"));
    let python = environment(&dir, &options.python)?;
    install(&python, &[&options.wheel.to_string_lossy()])?;
    install(&python, &PACKAGES)?;
    let mut bench = python.command(&[]);
    bench.arg(crate::root().join("crates/aegish-python/benches/engines.py"));
    bench.arg(&options.commands).args(["--rows", &options.rows.to_string()]);
    finished(bench)
}
