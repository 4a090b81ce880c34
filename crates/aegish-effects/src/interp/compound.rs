//! Compound commands: groups, decisions, loops, functions.

use super::conditions::{literal, variable_of};
use super::frame::Output;
use super::{CommandResult, Interp};
use aegish_analysis::EffectKind;
use aegish_profiles::{Detail, SystemEffect};
use aegish_shell_state::{Flow, Outcome, ShellState, Switch, VariableContent};
use aegish_syntax::{
    AndOr, CaseArm, CaseEnd, Command, CommandKind, Cond, Connector, List, Part, Pipeline, Redirect,
    RedirectOp, Span, Word,
};
use aegish_values::{Source, Value, either_output, join_values, pattern};
use std::sync::Arc;

impl Interp<'_> {
    /// Follows one command with its redirections.
    pub(crate) fn run_command(&mut self, command: &Command) -> CommandResult {
        let span = self.span(command.span);
        if !self.is_idle(command) && !self.step(span) {
            return CommandResult::default();
        }
        let both = |redirect: &Redirect| {
            matches!(redirect.op, RedirectOp::WriteBoth | RedirectOp::AppendBoth)
        };
        // Elsewhere `&>` ends a command that runs in the background.
        if self.is_on(Switch::PlainShell) && command.redirects.iter().any(both) {
            return self.perhaps_absent(|interp| interp.run_command_itself(command, span));
        }
        self.run_command_itself(command, span)
    }

    fn run_command_itself(&mut self, command: &Command, span: Span) -> CommandResult {
        // Commands nest in each other and in words, whose expansion takes much of the stack.
        stacker::maybe_grow(256 * 1024, 1024 * 1024, || match &command.kind {
            CommandKind::Simple(simple) => {
                self.run_simple(simple, &command.redirects, command.span)
            }
            _ if command.redirects.is_empty() => self.run_kind(command, span),
            _ => self
                .with_redirects(&command.redirects, span, |interp| interp.run_kind(command, span)),
        })
    }

    /// Whether a command is the builtin `:` alone, which costs no work.
    fn is_idle(&self, command: &Command) -> bool {
        let CommandKind::Simple(simple) = &command.kind else { return false };
        matches!(simple.words.as_slice(), [word] if is_colon(&word.parts))
            && simple.assignments.is_empty()
            && command.redirects.is_empty()
            && self.state.traps.is_empty()
            && !self.state.functions.contains_key(":")
            && !self.state.aliases.contains_key(":")
    }

    fn run_kind(&mut self, command: &Command, span: Span) -> CommandResult {
        let absent = matches!(command.kind, CommandKind::Cond(_) | CommandKind::Arith(_));
        let result = match absent && self.is_on(Switch::PlainShell) {
            true => self.perhaps_absent(|interp| interp.run_compound(command, span)),
            false => self.run_compound(command, span),
        };
        // The outcome of a group or subshell is that of its last command.
        let kept = matches!(
            command.kind,
            CommandKind::Group(_) | CommandKind::Subshell(_) | CommandKind::Cond(_)
        );
        if !kept {
            self.state.outcome = Outcome::default();
        }
        result
    }

    fn run_compound(&mut self, command: &Command, span: Span) -> CommandResult {
        match &command.kind {
            CommandKind::Simple(_) => CommandResult::default(),
            CommandKind::Group(list) => self.run_list(list),
            // An error, `exit` or a signal may end it early.
            CommandKind::Subshell(list) => CommandResult {
                status: None,
                ..self.isolated_commands(|interp| interp.run_list(list))
            },
            CommandKind::If { branches, otherwise } => self.run_if(branches, otherwise.as_ref()),
            CommandKind::While { until, condition, body } => {
                self.run_while(condition, body, *until, span)
            }
            CommandKind::For { name, words, body } => {
                self.run_for(name, words.as_deref(), body, span)
            }
            // At the end of its input it does nothing.
            CommandKind::Select { name, words, body } => {
                let before = self.state.clone();
                let result = self.run_select(name, words.as_deref(), body, span);
                self.state.join(&before);
                result
            }
            CommandKind::ForArith { init, condition, step, body } => {
                self.run_for_arith([init, condition, step], body, span)
            }
            CommandKind::Case { word, arms } => self.run_case(word, arms),
            CommandKind::Function { name, body } => self.define_function(name, body, span),
            CommandKind::Cond(cond) => {
                self.state.outcome = Outcome::default();
                self.deferred.unset.set(false);
                let status = self.run_cond(cond).filter(|_| !self.deferred.unset.get());
                if !matches!(cond, Cond::Binary(..)) {
                    self.state.outcome = Outcome::default();
                }
                CommandResult { stdout: Value::empty(), status }
            }
            CommandKind::Arith(word) => {
                let value = self.arithmetic(word);
                CommandResult { stdout: Value::empty(), status: value.map(|number| number != 0) }
            }
            CommandKind::Coproc { name, body } => {
                // The script writes the input of a coprocess later. A shell then reads commands as from a
                // person.
                let id = self.fresh_output();
                let captured = |output: &mut Output| (output.capture, output.id) = (true, id);
                let job = || List::of((**body).clone());
                let span = body.span;
                // Commands in a group read text that the script says.
                let simple = matches!(body.kind, CommandKind::Simple(_));
                let stdin = match simple {
                    true => Flow::Terminal,
                    false => Flow::Text(Value::one_of_many_values()),
                };
                let result = self.run_job(job, stdin.into(), span, |interp| {
                    interp.with_output(captured, |interp| interp.run_command(body))
                });
                let ends = [(0, Value::known("1063")), (1, Value::known("1060"))];
                let name = name.as_deref().unwrap_or("COPROC");
                self.assign_array(name, VariableContent::Indexed(Arc::new(ends.into())));
                // What it prints depends on what the script writes to it.
                let typed =
                    result.stdout.taint().sources().any(|source| *source == Source::Terminal);
                let foreign = result.stdout.taint().network().is_some();
                let printed = match result.stdout.has_unknown() {
                    true if typed => Value::lost(),
                    true if simple && !foreign => Value::one_of_many_values(),
                    _ => result.stdout,
                };
                self.state.descriptors.insert(1063, Flow::Text(printed));
                CommandResult::default()
            }
        }
    }

    /// The state after a part holds only for the parts that run because of it; afterwards it is one possibility.
    pub(super) fn run_chain(&mut self, item: &AndOr) -> CommandResult {
        let mut result =
            self.tested(!item.rest.is_empty(), |interp| interp.run_pipeline(&item.first));
        if item.rest.is_empty() {
            self.vouch_under_errexit(&item.first);
            return result;
        }
        let mut printed = Printed::by(&result);
        // States in which the chain may have ended before the current part.
        let mut ends: Vec<ShellState> = Vec::new();
        let mut last = None;
        for (at, (connector, pipeline)) in item.rest.iter().enumerate() {
            if last.is_some_and(|last| last != *connector) {
                self.reach(&mut ends);
            }
            last = Some(*connector);
            let and = *connector == Connector::And;
            let goes_on = result.status.map(|ok| ok == and);
            if self.jumps.ended || goes_on == Some(false) {
                self.run_unreached(|interp| {
                    interp.run_pipeline(pipeline);
                });
                continue;
            }
            let first = self.state.outcome.clone();
            let before = at.checked_sub(1).and_then(|at| item.rest.get(at));
            let before = before.map_or(&item.first, |(_, pipeline)| pipeline);
            let moved = and && goes_on.is_none() && changes_directory(before);
            if goes_on.is_none() {
                let mut end = self.state.clone();
                end.vouched.extend_from_slice(first.of(!and));
                end.settle(!and);
                ends.push(end);
            }
            self.vouch_for_outcome(and);
            let earlier = self.jumps.early.take();
            let next =
                self.tested(at + 1 < item.rest.len(), |interp| interp.run_pipeline(pipeline));
            if and {
                let vouched = &self.state.vouched;
                self.state.outcome.and(first, |path| vouched.contains(path));
            } else {
                let leaves = self.jumps.ended;
                if let Some(end) = ends.last().filter(|_| leaves) {
                    self.state.vouched.clone_from(&end.vouched);
                }
                self.state.outcome.or(first, leaves && next.status == Some(false));
            }
            if self.output.capture {
                let ended = std::mem::replace(&mut self.jumps.early, earlier);
                let ended = ended.or_else(|| self.jumps.ended.then(|| next.stdout.clone()));
                if let Some(ended) = ended {
                    let mut early = printed.when(and);
                    early.append(&ended);
                    self.may_end_early(&early);
                }
                // `cd … && pwd`: the directory counts as one that is there.
                let sure = moved && self.is_working_directory(&next.stdout);
                printed.go_on(and, &next, sure);
            }
            result.status = match (connector, result.status, next.status) {
                (Connector::And, Some(a), Some(b)) => Some(a && b),
                (Connector::Or, Some(a), Some(b)) => Some(a || b),
                _ => None,
            };
        }
        self.reach(&mut ends);
        if self.output.capture {
            result.stdout = printed.any();
        }
        result
    }

    /// Whether a text is the working directory as `pwd` prints it.
    fn is_working_directory(&self, printed: &Value) -> bool {
        let mut here = self.state.cwd.clone();
        here.push_str("\n");
        here.pieces() == printed.pieces()
    }

    /// Follows a command whose failure is a condition.
    pub(super) fn tested<R>(&mut self, condition: bool, run: impl FnOnce(&mut Self) -> R) -> R {
        // `set -e` inside of it counts behind it.
        if condition && !self.frame.conditions.tested {
            self.in_frame(|frame| frame.conditions.tested = true, run)
        } else {
            run(self)
        }
    }

    /// From here on any of these is possible, too.
    fn reach(&mut self, ends: &mut Vec<ShellState>) {
        let ends = std::mem::take(ends);
        let Some(end) = ShellState::joined(ends, ShellState::join) else { return };
        if std::mem::take(&mut self.jumps.ended) {
            self.state = end;
        } else {
            self.state.join(&end);
        }
    }

    fn run_if(&mut self, branches: &[(List, List)], otherwise: Option<&List>) -> CommandResult {
        let mut printed = Value::empty();
        let mut ways: Vec<(ShellState, Value)> = Vec::new();
        let mut taken = false;
        for (condition, body) in branches {
            if taken || self.jumps.ended {
                self.run_unreached(|interp| {
                    interp.run_list(condition);
                    interp.run_list(body);
                });
                continue;
            }
            let result = self.tested(true, |interp| interp.run_list(condition));
            printed.append(&result.stdout);
            if self.jumps.ended || result.status == Some(false) {
                self.run_unreached(|interp| {
                    interp.run_list(body);
                });
                continue;
            }
            let mut before = Box::new(self.state.clone());
            before.vouched.extend_from_slice(self.state.outcome.of(false));
            before.settle(false);
            self.vouch_for_outcome(true);
            self.run_way(body, &mut ways);
            self.state = *before;
            taken = result.status == Some(true);
        }
        match otherwise {
            Some(body) if taken || self.jumps.ended => self.run_unreached(|interp| {
                interp.run_list(body);
            }),
            Some(body) => self.run_way(body, &mut ways),
            None if taken || self.jumps.ended => {}
            None => ways.push((self.state.clone(), Value::empty())),
        }
        self.join_ways(printed, ways)
    }

    /// Follows one of several bodies; the path continues after it unless it ends inside.
    fn run_way(&mut self, body: &List, ways: &mut Vec<(ShellState, Value)>) {
        let result = self.run_list(body);
        if std::mem::take(&mut self.jumps.ended) {
            let before = std::mem::take(&mut self.jumps.printed);
            self.jumps.printed = match before.pieces() {
                [] => result.stdout,
                _ => join_values(&before, &result.stdout),
            };
        } else {
            ways.push((self.state.clone(), result.stdout));
        }
    }

    /// Continues in any of the states; the output is that of the state.
    fn join_ways(&mut self, mut printed: Value, ways: Vec<(ShellState, Value)>) -> CommandResult {
        let texts: Vec<Value> = ways.iter().map(|(_, text)| text.clone()).collect();
        self.resume_in(ways.into_iter().map(|(state, _)| state));
        // Output before the path ended is still printed.
        let early = std::mem::take(&mut self.jumps.printed);
        let texts = match early.pieces() {
            [] => texts,
            _ => texts.into_iter().chain([early]).collect(),
        };
        let text = texts
            .iter()
            .skip(1)
            .fold(texts.first().cloned(), |all, text| all.map(|all| join_values(&all, text)));
        printed.append(&text.unwrap_or_default());
        CommandResult::output(printed)
    }

    fn run_case(&mut self, word: &Word, arms: &[CaseArm]) -> CommandResult {
        self.deferred.unset.set(false);
        let subject = self.expand_single(word);
        let known = subject.as_known().filter(|_| !self.deferred.unset.get());
        let subject: Option<Vec<char>> = known.map(|text| text.chars().collect());
        let mut ways: Vec<(ShellState, Value)> = Vec::new();
        // The fall-through from the arm before, and the state in which patterns are compared.
        let mut carried: Vec<(ShellState, Value)> = Vec::new();
        let mut looking = vec![(self.state.clone(), Value::empty())];
        for arm in arms {
            let hit = match looking.first() {
                Some((state, _)) => {
                    self.state.clone_from(state);
                    self.matches_arm(arm, subject.as_deref())
                }
                None => Some(false),
            };
            let mut entries = std::mem::take(&mut carried);
            let alone = entries.is_empty() && !self.is_on(Switch::NoCaseMatch);
            match hit {
                Some(false) => {}
                Some(true) => entries.append(&mut looking),
                None => entries.extend(looking.iter().cloned()),
            }
            if entries.is_empty() {
                continue;
            }
            let mut printed = self.join_ways(Value::empty(), entries).stdout;
            let texts: Option<Vec<String>> = arm.patterns.iter().map(literal).collect();
            if let (Some(name), Some(texts), None, true) = (variable_of(word), texts, hit, alone) {
                self.assume(name, Value::one_of(texts));
            }
            printed.append(&self.run_list(&arm.body).stdout);
            if std::mem::take(&mut self.jumps.ended) {
                continue;
            }
            match arm.end {
                CaseEnd::Break => ways.push((self.state.clone(), printed)),
                CaseEnd::FallThrough => carried.push((self.state.clone(), printed)),
                CaseEnd::TryNext => match looking.first_mut() {
                    None => looking.push((self.state.clone(), printed)),
                    Some((state, text)) => {
                        state.join(&self.state);
                        *text = join_values(text, &printed);
                    }
                },
            }
        }
        ways.append(&mut carried);
        ways.append(&mut looking);
        self.join_ways(Value::empty(), ways)
    }

    /// Whether the word matches a pattern of the arm, as far as that is known.
    fn matches_arm(&mut self, arm: &CaseArm, subject: Option<&[char]>) -> Option<bool> {
        let mut hit = Some(false);
        for pattern in &arm.patterns {
            if pattern.parts.iter().any(|part| matches!(part, Part::ExtGlob(..))) {
                self.note_extended();
            }
            let nodes = self.pattern(pattern);
            let this = match (subject, nodes) {
                (Some(text), Some(nodes)) => pattern::matches(&nodes, text),
                // `*` fits everything.
                (None, Some(nodes)) if matches!(nodes.as_slice(), [pattern::Node::Star]) => {
                    Some(true)
                }
                _ => None,
            };
            match this {
                Some(true) => return Some(true),
                Some(false) => {}
                None => hit = None,
            }
        }
        hit.filter(|_| !self.is_on(Switch::NoCaseMatch))
    }

    /// Reports something that uses up the machine.
    pub(crate) fn exhaust(&mut self, detail: &'static str, object: &str, span: Span) {
        self.report_shell_command(span);
        let object = Value::known(object);
        let (what, detail) = (SystemEffect::Exhaust, Detail::new(detail));
        self.effect(EffectKind::System { what, detail, object }, span);
    }
}

/// What a chain has printed, by how it has ended so far.
struct Printed {
    success: Option<Value>,
    failure: Option<Value>,
}

impl Printed {
    fn by(first: &CommandResult) -> Self {
        let printed = |ended: bool| (first.status != Some(!ended)).then(|| first.stdout.clone());
        Self { success: printed(true), failure: printed(false) }
    }

    /// What was printed before a part that runs after success, or after failure.
    fn when(&self, success: bool) -> Value {
        let printed = if success { &self.success } else { &self.failure };
        printed.clone().unwrap_or_default()
    }

    /// The next part runs after success, or after failure; `sure`: it runs in every run that counts.
    fn go_on(&mut self, success: bool, next: &CommandResult, sure: bool) {
        let mut longer = self.when(success);
        longer.append(&next.stdout);
        let (taken, other) = match success {
            true => (&mut self.success, &mut self.failure),
            false => (&mut self.failure, &mut self.success),
        };
        if sure {
            (*taken, *other) = (Some(longer), None);
            return;
        }
        *taken = (next.status != Some(!success)).then(|| longer.clone());
        if next.status != Some(success) {
            *other = Some(match other.take() {
                Some(printed) => either_output(&printed, &longer),
                None => longer,
            });
        }
    }

    fn any(self) -> Value {
        match (self.success, self.failure) {
            (Some(one), Some(other)) => either_output(&one, &other),
            (one, other) => one.or(other).unwrap_or_default(),
        }
    }
}

/// Whether a part of a chain is `cd`.
fn changes_directory(pipeline: &Pipeline) -> bool {
    let [Command { kind: CommandKind::Simple(simple), .. }] = pipeline.commands.as_slice() else {
        return false;
    };
    let name = simple.words.first().map(|word| word.parts.as_slice());
    matches!(name, Some([Part::Literal(name)]) if name == "cd" || name == "pushd")
}

fn is_colon(parts: &[Part]) -> bool {
    matches!(parts, [Part::Literal(text)] if text == ":")
}
