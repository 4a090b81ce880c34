//! The command line.

use crate::bench::BenchTask;
use aegish_guard::Role;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// Says what a shell command will do before it runs
#[derive(Parser)]
#[command(name = "aegish", version, disable_help_subcommand = true, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Subcommand)]
pub(crate) enum Task {
    /// Judge a command: exit status 0 allow, 10 warn, 20 block (2 usage, 3 internal error)
    Check(CheckOptions),
    /// Show the way from the text to the verdict
    Explain(ExplainOptions),
    /// List the rules, or show one with its manual page
    Rules {
        /// Id or name of a rule, e.g. `4` or `critical-file-read`
        id: Option<String>,
    },
    /// List the programs whose effects are known, or show one
    Programs {
        /// Name of a program, e.g. `tar`
        name: Option<String>,
    },
    /// Measure how well models and guards judge commands
    #[command(subcommand)]
    Bench(BenchTask),
}

#[derive(Args)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub(crate) input: Input,
    /// How to print the verdict
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
    /// Read JSON objects, one per line, from standard input; answer each with one line
    #[arg(long, conflicts_with_all = ["file", "stdin", "command"])]
    pub(crate) jsonl: bool,
    /// With --jsonl: include the expanded commands and their effects
    #[arg(long)]
    pub(crate) verbose: bool,
}

#[derive(Args)]
pub(crate) struct ExplainOptions {
    #[command(flatten)]
    pub(crate) input: Input,
}

/// What is judged, where and for whom.
#[derive(Args)]
pub(crate) struct Input {
    /// Whose work is judged: default, sysadmin or restricted
    #[arg(long, default_value_t = Role::Default)]
    pub(crate) role: Role,
    /// The directory the command would run in [default: the present one]
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,
    /// Judge a script file
    #[arg(long, value_name = "SCRIPT", conflicts_with_all = ["stdin", "command"])]
    pub(crate) file: Option<PathBuf>,
    /// Judge a script from standard input
    #[arg(value_name = "-", value_parser = ["-"], hide_possible_values = true, conflicts_with = "command")]
    pub(crate) stdin: Option<String>,
    /// The command, behind `--`; several words are joined by spaces
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command: Vec<OsString>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// One object, see docs/reference/verdict.schema.json
    Json,
}
