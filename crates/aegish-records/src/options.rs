//! The arguments of `aegish judge-log`.

use crate::RecordFormat;
use aegish_guard::{Action, Role};
use clap::Args;
use std::path::PathBuf;

/// What is read, and what is written.
#[derive(Debug, Args)]
pub struct JudgeLogOptions {
    /// Logs; `-` is standard input
    #[arg(value_name = "LOG", default_value = "-")]
    pub logs: Vec<PathBuf>,
    /// What kind of logs they are [default: told by the name and the first lines of each]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<RecordFormat>,
    /// Whose work is judged: default, sysadmin or restricted [default: AEGISH_ROLE]
    #[arg(long)]
    pub role: Option<Role>,
    /// Write every verdict as a line of JSON; `-` is standard output, and then no summary is printed
    #[arg(long, value_name = "FILE")]
    pub jsonl: Option<PathBuf>,
    /// Write every verdict as a row of a Parquet file
    #[cfg(feature = "parquet")]
    #[arg(long, value_name = "FILE", conflicts_with = "follow")]
    pub parquet: Option<PathBuf>,
    /// Write only verdicts that are at least this strict: allow, warn or block
    #[arg(long, value_name = "ACTION", default_value = "allow")]
    pub at_least: Action,
    /// Write the summary as a page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Go on with what is added to the log, through rotations; verdicts go to standard output
    #[arg(long, conflicts_with = "html")]
    pub follow: bool,
}
