//! `aegish run`: a command that is judged as the shell judges it: with its changes held back until they are kept, or by a
//! policy and without people.

pub(crate) mod affected;
pub(crate) mod quoted;
pub(crate) mod tight;
pub(crate) mod undoable;

use crate::configuration;
use crate::shell::{self, RefusalFormat, TextRun, Unattended};
use aegish_terminal::Failure;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;
use tight::{Also, Bounds};
use undoable::Afterwards;

#[derive(Args)]
pub(crate) struct RunOptions {
    /// Hold back what it changes in files, show it, and keep it or throw it away
    #[arg(long)]
    undo: bool,
    /// With --undo: keep the changes without asking; `aegish undo` takes them back [default without a terminal]
    #[arg(long, requires = "undo", conflicts_with = "discard")]
    keep: bool,
    /// With --undo: throw the changes away after showing them
    #[arg(long, requires = "undo")]
    discard: bool,
    /// Judge by the settings and rules in this file instead of the user's and the project's, ask nobody, and end with
    /// a status other than 0 if anything was refused
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// With --policy: how what was refused is reported
    #[arg(long, value_enum, requires = "policy", default_value_t = RefusalFormat::Text)]
    report: RefusalFormat,
    /// With --policy: where the report is written [default: standard error]
    #[arg(long, value_name = "FILE", requires = "policy")]
    report_file: Option<PathBuf>,
    /// Grant it only the files, hosts and programs that the analysis derives, and show that plan first
    #[arg(long, conflicts_with = "learn")]
    tight: bool,
    /// Run it without a plan, and propose the one that it needs
    #[arg(long)]
    learn: bool,
    #[command(flatten)]
    also: Also,
    /// The command, behind `--`: one word is a text as for -c, several are a program and its arguments
    #[arg(last = true, value_name = "COMMAND", required = true)]
    command: Vec<OsString>,
}

pub(crate) fn run(options: &RunOptions) -> Result<u8, Failure> {
    let text = quoted::text(&options.command);
    let afterwards = match (options.keep, options.discard) {
        (true, _) => Afterwards::Keep,
        (_, true) => Afterwards::Discard,
        _ => Afterwards::Ask,
    };
    let unattended = options.policy.as_ref().map(|policy| {
        configuration::use_policy(policy.clone());
        Unattended { format: options.report, report: options.report_file.clone() }
    });
    let bounds = match (options.tight, options.learn) {
        (true, _) => Bounds::Plan(options.also.clone()),
        (false, true) => Bounds::Observed,
        (false, false) => Bounds::OfSettings,
    };
    let undo = options.undo.then_some(afterwards);
    shell::run_text(&text, TextRun { undo, unattended, bounds })
}
