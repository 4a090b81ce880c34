//! Constructs that never end: fork bombs, loops that start jobs or fill files without a pause.

use aegish_syntax::{Command, CommandKind, List, Part, Pipeline, RedirectOp};

/// Commands after which a loop has paused, or has ended.
const PAUSES: &[&str] = &[
    "sleep",
    "wait",
    "read",
    "break",
    "exit",
    "return",
    "usleep",
    "inotifywait",
    "select",
    "timeout",
    "nc",
    "ncat",
    "socat",
    "ssh",
    "accept",
    "tail",
    "journalctl",
    "kill",
];

/// Whether an endless loop starts a job or lengthens a file in every round, and nothing in its body pauses or
/// leaves the loop.
pub(super) fn exhausts(body: &List) -> bool {
    let mut growth = false;
    let mut pause = false;
    let mut descends = (false, false);
    for item in &body.items {
        let pipelines = std::iter::once(&item.first).chain(item.rest.iter().map(|(_, p)| p));
        for command in pipelines.flat_map(|pipeline| &pipeline.commands) {
            growth |= item.background || starts_job_or_grows(command);
            match name_of(command) {
                Some("mkdir") => descends.0 = true,
                Some("cd" | "pushd") => descends.1 = true,
                _ => {}
            }
            // A background job does not delay the loop.
            pause |= !item.background && pauses(command);
        }
    }
    // A directory in a directory in a directory.
    (growth || descends == (true, true)) && !pause
}

fn name_of(command: &Command) -> Option<&str> {
    match &command.kind {
        CommandKind::Simple(simple) => match simple.words.first()?.parts.as_slice() {
            [Part::Literal(name)] => Some(name),
            _ => None,
        },
        _ => None,
    }
}

fn starts_job_or_grows(command: &Command) -> bool {
    let appends = command
        .redirects
        .iter()
        .any(|redirect| matches!(redirect.op, RedirectOp::Append | RedirectOp::AppendBoth));
    let inner = match &command.kind {
        CommandKind::Group(list) | CommandKind::Subshell(list) => exhausts(list),
        _ => false,
    };
    appends || inner
}

fn pauses(command: &Command) -> bool {
    match &command.kind {
        CommandKind::Simple(_) => name_of(command).is_some_and(|name| PAUSES.contains(&name)),
        // A pause in a subshell's background job does not hold up the loop either.
        CommandKind::Group(list) | CommandKind::Subshell(list) => {
            list.items.iter().any(|item| !item.background && item.first.commands.iter().any(pauses))
        }
        CommandKind::If { .. } | CommandKind::Case { .. } | CommandKind::While { .. } => true,
        _ => false,
    }
}

/// A function whose body runs the function itself in the background or on both sides of a pipe.
pub(super) fn calls_itself_in_parallel(name: &str, body: &Command) -> bool {
    fn calls(list: &List, name: &str) -> (usize, bool) {
        let mut count = 0;
        let mut parallel = false;
        for item in &list.items {
            for pipeline in std::iter::once(&item.first).chain(item.rest.iter().map(|(_, p)| p)) {
                let (inner, inner_parallel) = pipeline_calls(pipeline, name);
                count += inner;
                parallel |= inner_parallel || (inner > 0 && item.background);
            }
        }
        (count, parallel)
    }
    fn pipeline_calls(pipeline: &Pipeline, name: &str) -> (usize, bool) {
        let mut count = 0;
        let mut parallel = false;
        for command in &pipeline.commands {
            let (inner, inner_parallel) = command_calls(command, name);
            count += inner;
            parallel |= inner_parallel;
        }
        (count, parallel || (count > 0 && pipeline.commands.len() > 1))
    }
    fn command_calls(command: &Command, name: &str) -> (usize, bool) {
        match &command.kind {
            CommandKind::Simple(simple) => {
                let hit = simple.words.first().is_some_and(
                    |word| matches!(word.parts.as_slice(), [Part::Literal(text)] if text == name),
                );
                (usize::from(hit), false)
            }
            CommandKind::Group(list) | CommandKind::Subshell(list) => calls(list, name),
            CommandKind::While { body, .. }
            | CommandKind::For { body, .. }
            | CommandKind::ForArith { body, .. } => calls(body, name),
            CommandKind::If { branches, otherwise } => {
                let mut total = (0, false);
                let bodies = branches.iter().map(|(_, body)| body).chain(otherwise.as_ref());
                for body in bodies {
                    let (count, parallel) = calls(body, name);
                    total = (total.0 + count, total.1 || parallel);
                }
                total
            }
            _ => (0, false),
        }
    }
    let (count, parallel) = command_calls(body, name);
    count > 0 && parallel
}
