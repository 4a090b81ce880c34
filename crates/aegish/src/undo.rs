//! `aegish undo`: the files as they were before a run.

use crate::args::Format;
use crate::configuration;
use crate::run::undoable::{self, store};
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};
use aegish_undo::{Conflicts, Error, State, Store, Summary};
use clap::Args;
use serde::Serialize;
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Args)]
pub(crate) struct UndoOptions {
    /// Which run [default: the last one]
    #[arg(value_name = "ID")]
    id: Option<u32>,
    /// List the runs that can be undone
    #[arg(long, conflicts_with_all = ["id", "keep", "show", "force"])]
    list: bool,
    /// Show what a run changed
    #[arg(long, conflicts_with_all = ["keep", "force"])]
    show: bool,
    /// Keep the changes of a run about which nobody has decided
    #[arg(long, conflicts_with = "force")]
    keep: bool,
    /// Bring files back that changed since
    #[arg(long)]
    force: bool,
    /// How to print the list
    #[arg(long, value_enum, default_value_t = Format::Text, requires = "list")]
    format: Format,
}

pub(crate) fn run(options: &UndoOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let config = configuration::load()?;
    undoable::recover(&config);
    let store = store(&config);
    if options.list {
        return list(&store, options.format, screen);
    }
    let last = || store.list().last().map(|run| run.id);
    let id = options.id.or_else(last).ok_or_else(|| Failure::usage("there is no run to undo"))?;
    if options.show {
        let run = store.run(id).map_err(failed)?;
        undoable::show(&run);
        undoable::show_differences(&run);
        return Ok(ExitKind::Allow);
    }
    if options.keep {
        let run = store.run(id).map_err(failed)?;
        run.keep(store.most).map_err(|error| failed(Error::from(error)))?;
        screen.put(format!("the changes of run {id} are kept")).end();
        return Ok(ExitKind::Allow);
    }
    let conflicts = if options.force { Conflicts::Override } else { Conflicts::Refuse };
    store.undo(id, conflicts).map_err(|error| match error {
        Error::Conflicts(_) => Failure::internal(format!(
            "nothing was undone: {error}; to bring them back too: aegish undo --force {id}"
        )),
        error => failed(error),
    })?;
    screen.put(format!("run {id} is undone")).end();
    Ok(ExitKind::Allow)
}

#[allow(clippy::needless_pass_by_value)] // for `map_err`
fn failed(error: Error) -> Failure {
    match error {
        Error::Unknown(_) => Failure::usage(format!("nothing was undone: {error}")),
        error => Failure::internal(format!("nothing was undone: {error}")),
    }
}

/// A run as JSON.
#[derive(Serialize)]
struct Listed<'a> {
    id: u32,
    command: &'a str,
    cwd: String,
    state: &'static str,
    began: u64,
    bytes: u64,
}

fn list(store: &Store, format: Format, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let runs = store.list();
    if format == Format::Json {
        let rows: Vec<Listed<'_>> = runs.iter().map(listed).collect();
        let text =
            serde_json::to_string(&rows).map_err(|error| Failure::internal(error.to_string()))?;
        screen.put(text).end();
        return Ok(ExitKind::Allow);
    }
    if runs.is_empty() {
        screen.put("there is no run to undo").end();
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    for run in &runs {
        let age = age(now.saturating_sub(run.began));
        screen.paint(Style::Strong, format!("{:>4}", run.id));
        screen.put(format!("  {age:>8}  {:<11}  ", state(run.state)));
        screen.put(visible(&run.subject.command)).end();
    }
    Ok(ExitKind::Allow)
}

fn listed(run: &Summary) -> Listed<'_> {
    Listed {
        id: run.id,
        command: &run.subject.command,
        cwd: run.subject.cwd.display().to_string(),
        state: state(run.state),
        began: run.began,
        bytes: run.bytes,
    }
}

fn state(state: State) -> &'static str {
    match state {
        State::Preparing | State::Running => "running",
        State::Ended => "undecided",
        State::Applying | State::Reverting => "unfinished",
        State::Kept => "kept",
    }
}

fn age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}
