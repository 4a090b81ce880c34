//! `aegish bench` in a build without the feature `bench`: an error that says how to get the benchmark.

use aegish_terminal::{ExitKind, Failure, Screen};
use clap::Args;
use std::ffi::OsString;

/// Accepts any arguments, so that every call gets the same error.
#[derive(Args)]
pub(crate) struct BenchTask {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    _arguments: Vec<OsString>,
}

pub(crate) fn run(_task: &BenchTask, _screen: &mut Screen) -> Result<ExitKind, Failure> {
    Err(Failure::usage(
        "nothing was measured: this build has no benchmark; build aegish with the feature `bench`, \
         which is on by default: `cargo build --release -p aegish`",
    ))
}
