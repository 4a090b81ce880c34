//! Constructs that never end: fork bombs, loops that start jobs or fill files without a pause.

use aegish_syntax::{Command, CommandKind, List, Part, Pipeline, RedirectOp, Word};

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
#[must_use]
pub fn exhausts(body: &List) -> bool {
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
    // A loop that nests directories.
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
        // A pause in a background job of a subshell does not delay the loop either.
        CommandKind::Group(list) | CommandKind::Subshell(list) => {
            list.items.iter().any(|item| !item.background && item.first.commands.iter().any(pauses))
        }
        CommandKind::If { .. } | CommandKind::Case { .. } | CommandKind::While { .. } => true,
        _ => false,
    }
}

/// A function whose body runs the function itself in the background, on both sides of a pipe, or in a pipe under
/// no condition that could end it.
#[must_use]
pub fn calls_itself_in_parallel(name: &str, body: &Command) -> bool {
    SelfCalls { name }.of_command(body, Guard::None).parallel
}

/// Looks for calls of the function with this name.
struct SelfCalls<'a> {
    name: &'a str,
}

#[derive(Default)]
struct CallCount {
    count: usize,
    parallel: bool,
}

/// The condition of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Guard {
    /// Nothing, or something that never changes.
    None,
    /// A condition or list that depends on a value.
    Value,
}

impl SelfCalls<'_> {
    fn of_list(&self, list: &List, guard: Guard) -> CallCount {
        let mut found = CallCount::default();
        for item in &list.items {
            let mut guard = guard;
            let rest = item.rest.iter().map(|(_, pipeline)| pipeline);
            for pipeline in std::iter::once(&item.first).chain(rest) {
                let inner = self.of_pipeline(pipeline, guard);
                found.parallel |= inner.parallel || (inner.count > 0 && item.background);
                found.count += inner.count;
                if pipeline.commands.iter().any(depends_on_value) {
                    guard = Guard::Value;
                }
            }
        }
        found
    }

    fn of_pipeline(&self, pipeline: &Pipeline, guard: Guard) -> CallCount {
        let mut found = CallCount::default();
        for command in &pipeline.commands {
            let inner = self.of_command(command, guard);
            found.count += inner.count;
            found.parallel |= inner.parallel;
        }
        let piped = found.count > 0 && pipeline.commands.len() > 1;
        found.parallel |= piped && (guard == Guard::None || found.count > 1);
        found
    }

    fn of_command(&self, command: &Command, guard: Guard) -> CallCount {
        let below = |depends: bool| if depends { Guard::Value } else { guard };
        match &command.kind {
            CommandKind::Simple(_) => {
                let count = usize::from(name_of(command) == Some(self.name));
                CallCount { count, parallel: false }
            }
            CommandKind::Group(list) | CommandKind::Subshell(list) => self.of_list(list, guard),
            CommandKind::While { condition, body, .. } => {
                self.of_list(body, below(list_depends_on_value(condition)))
            }
            CommandKind::For { words, body, .. } => {
                let values = words.as_ref().is_none_or(|words| words.iter().any(has_value));
                self.of_list(body, below(values))
            }
            CommandKind::ForArith { body, .. } => self.of_list(body, guard),
            CommandKind::If { branches, otherwise } => {
                let depends =
                    branches.iter().any(|(condition, _)| list_depends_on_value(condition));
                let bodies = branches.iter().map(|(_, body)| body).chain(otherwise.as_ref());
                bodies.fold(CallCount::default(), |total, body| {
                    let inner = self.of_list(body, below(depends));
                    CallCount {
                        count: total.count + inner.count,
                        parallel: total.parallel || inner.parallel,
                    }
                })
            }
            _ => CallCount::default(),
        }
    }
}

fn list_depends_on_value(list: &List) -> bool {
    list.items.iter().any(|item| {
        let rest = item.rest.iter().map(|(_, pipeline)| pipeline);
        std::iter::once(&item.first)
            .chain(rest)
            .any(|pipeline| pipeline.commands.iter().any(depends_on_value))
    })
}

/// Whether some word of the command is more than plain text.
fn depends_on_value(command: &Command) -> bool {
    match &command.kind {
        CommandKind::Simple(simple) => simple.words.iter().any(has_value),
        CommandKind::Cond(_) | CommandKind::Arith(_) => true,
        _ => false,
    }
}

fn has_value(word: &Word) -> bool {
    word.parts.iter().any(|part| !matches!(part, Part::Literal(_)))
}
