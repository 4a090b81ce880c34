//! Compound commands: groups, decisions, loops, functions.

use super::{CommandResult, Interp, endless};
use crate::effect::EffectKind;
use crate::outcome::Outcome;
use crate::state::Switch;
use crate::state::{Flow, Function, ShellState};
use aegish_profiles::{Detail, SystemEffect};
use aegish_syntax::{
    AndOr, CaseArm, CaseEnd, Command, CommandKind, Cond, Connector, List, Part, Span, Word,
};
use aegish_values::Value;
use aegish_values::pattern;
use std::rc::Rc;

/// How often a function is followed into itself.
pub(super) const MAX_RECURSION: usize = 4;

/// Rounds of a loop over known items that are followed one by one.
const MAX_ROUNDS: usize = 256;

impl Interp<'_> {
    /// Follows one command with its redirections.
    pub(crate) fn run_command(&mut self, command: &Command) -> CommandResult {
        let span = self.span(command.span);
        if !self.step(span) {
            return CommandResult::default();
        }
        if let CommandKind::Simple(simple) = &command.kind {
            return self.run_simple(simple, &command.redirects, span);
        }
        if command.redirects.is_empty() {
            return self.run_kind(command, span);
        }
        self.with_redirects(&command.redirects, span, |interp| interp.run_kind(command, span))
    }

    fn in_loop<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        self.in_frame(|frame| frame.nesting.loops += 1, run)
    }

    fn run_kind(&mut self, command: &Command, span: Span) -> CommandResult {
        let result = self.run_compound(command, span);
        // What a group or subshell shows is what its last command shows.
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
            CommandKind::Subshell(list) => self.isolated(|interp| interp.run_list(list)),
            CommandKind::If { branches, otherwise } => self.run_if(branches, otherwise.as_ref()),
            CommandKind::While { until, condition, body } => {
                self.in_loop(|interp| interp.run_while(condition, body, *until, span))
            }
            CommandKind::For { name, words, body } | CommandKind::Select { name, words, body } => {
                self.run_for(name, words.as_deref(), body, span)
            }
            CommandKind::ForArith { init, condition, step, body } => {
                self.in_loop(|interp| interp.run_for_arith(init, condition, step, body, span))
            }
            CommandKind::Case { word, arms } => self.run_case(word, arms),
            CommandKind::Function { name, body } => {
                if endless::calls_itself_in_parallel(name, body) {
                    self.exhaust("a function that starts itself again and again", name, span);
                }
                self.effect_shadow(name, Value::unknown("function"), span);
                let text = self.source_text(body.span).into();
                let function = Function { body: Rc::new((**body).clone()), text, also: None };
                self.state.functions.insert(name.clone(), function);
                // Bash calls this function for the next command it does not find.
                if name == "command_not_found_handle"
                    || self.state.called_by_shell.iter().any(|known| known == name)
                {
                    self.follow_call_by_shell(name, span);
                }
                CommandResult::status(true)
            }
            CommandKind::Cond(cond) => {
                self.state.outcome = Outcome::default();
                self.run_cond(cond);
                if !matches!(cond, Cond::Binary(..)) {
                    self.state.outcome = Outcome::default();
                }
                CommandResult::default()
            }
            CommandKind::Arith(word) => {
                let value = self.arithmetic(word);
                CommandResult { stdout: Value::empty(), status: value.map(|number| number != 0) }
            }
            CommandKind::Coproc { body, .. } => {
                // Its input is what the script writes to it later. A shell reads that like
                // typed commands.
                self.with_stdin(Flow::Terminal, |interp| {
                    interp.isolated(|interp| interp.run_command(body))
                });
                CommandResult::default()
            }
        }
    }

    /// Follows every part, because no condition is trusted to prevent a part. State changes of a part
    /// hold for the parts that run because of it; after those they are one possibility.
    pub(super) fn run_chain(&mut self, item: &AndOr) -> CommandResult {
        let mut result =
            self.tested(!item.rest.is_empty(), |interp| interp.run_pipeline(&item.first));
        if item.rest.is_empty() {
            self.vouch_under_errexit(&item.first);
        }
        // States in which the chain may have ended before the current part.
        let mut ends: Vec<ShellState> = Vec::new();
        let mut last = None;
        for (at, (connector, pipeline)) in item.rest.iter().enumerate() {
            if last.is_some_and(|last| last != *connector) {
                self.reach(&mut ends);
            }
            last = Some(*connector);
            let and = *connector == Connector::And;
            let first = self.state.outcome.clone();
            if result.status != Some(and) {
                let mut end = self.state.clone();
                end.vouched.extend_from_slice(first.of(!and));
                ends.push(end);
            }
            self.vouch_for_outcome(and);
            let next =
                self.tested(at + 1 < item.rest.len(), |interp| interp.run_pipeline(pipeline));
            if and {
                let vouched = &self.state.vouched;
                self.state.outcome.and(first, |path| vouched.contains(path));
            } else {
                let leaves = self.ends(pipeline);
                if let Some(end) = ends.last().filter(|_| leaves) {
                    self.state.vouched.clone_from(&end.vouched);
                }
                self.state.outcome.or(first, leaves);
            }
            if self.output.capture {
                result.stdout.append(&next.stdout);
            }
            result.status = match (connector, result.status, next.status) {
                (Connector::And, Some(a), Some(b)) => Some(a && b),
                (Connector::Or, Some(a), Some(b)) => Some(a || b),
                _ => None,
            };
        }
        self.reach(&mut ends);
        result
    }

    /// Follows a command whose failure is a condition.
    fn tested<R>(&mut self, condition: bool, run: impl FnOnce(&mut Self) -> R) -> R {
        if condition && self.state.errexit {
            self.in_frame(|frame| frame.conditions.tested = true, run)
        } else {
            run(self)
        }
    }

    /// From here on each of these states is possible too.
    fn reach(&mut self, ends: &mut Vec<ShellState>) {
        for state in ends.drain(..) {
            self.state.join_assignments(&state);
        }
    }

    fn run_if(&mut self, branches: &[(List, List)], otherwise: Option<&List>) -> CommandResult {
        let mut outputs = Vec::new();
        let mut reached: Vec<ShellState> = Vec::new();
        for (condition, body) in branches {
            let result = self.tested(true, |interp| interp.run_list(condition));
            outputs.push(result.stdout);
            let mut before = self.state.clone();
            before.vouched.extend_from_slice(self.state.outcome.of(false));
            self.vouch_for_outcome(true);
            let result = self.run_list(body);
            outputs.push(result.stdout);
            if self.list_ends(body) {
                self.state.vouched.clone_from(&before.vouched);
            }
            reached.push(std::mem::replace(&mut self.state, before));
        }
        if let Some(body) = otherwise {
            outputs.push(self.run_list(body).stdout);
        }
        for state in &reached {
            self.state.join(state);
        }
        let mut stdout = Value::empty();
        for output in &outputs {
            stdout.append(output);
        }
        CommandResult::output(stdout)
    }

    fn run_while(
        &mut self,
        condition: &List,
        body: &List,
        until: bool,
        span: Span,
    ) -> CommandResult {
        if is_constant(condition) && endless::exhausts(body) {
            self.exhaust("a loop without end or pause that starts jobs or fills files", "", span);
        }
        let mut stdout = Value::empty();
        let before = self.state.clone();
        // Whether there is a first round.
        let mut surely = false;
        for round in 0..MAX_ROUNDS {
            let result = self.tested(true, |interp| interp.run_list(condition));
            stdout.append(&result.stdout);
            if result.status == Some(until) && round > 0 {
                if !surely {
                    self.state.join(&before);
                }
                return CommandResult::output(stdout);
            }
            surely |= round == 0 && result.status == Some(!until);
            let decided = result.status.is_some();
            stdout.append(&self.run_list(body).stdout);
            // If the condition is unknown, two rounds show what one round passes to the next.
            // Inside another loop the outer rounds show it.
            if (!decided && (round >= 1 || self.frame.nesting.loops > 1)) || !self.step(span) {
                break;
            }
            if result.status == Some(!until) && round >= 1 && is_constant(condition) {
                break;
            }
        }
        self.state.join(&before);
        CommandResult::output(stdout)
    }

    fn run_for(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &List,
        span: Span,
    ) -> CommandResult {
        let items: Vec<Value> = match words {
            Some(words) => self.expand_words(words).into_iter().map(|field| field.value).collect(),
            None => match &self.state.positional {
                Some(items) => items.to_vec(),
                None => vec![Value::unknown("script arguments")],
            },
        };
        let mut stdout = Value::empty();
        if items.len() > MAX_ROUNDS {
            let texts: Option<Vec<String>> =
                items.iter().take(16).map(|item| item.as_known().map(str::to_owned)).collect();
            let value = texts.map_or_else(|| Value::unknown("loop item"), Value::one_of);
            self.assign(name, value);
            stdout.append(&self.run_list(body).stdout);
            return CommandResult::output(
                Value::unknown("output of a long loop").tainted(stdout.taint()),
            );
        }
        // An unknown list may be empty.
        let perhaps_none = items.iter().all(|item| !item.is_known());
        let before = perhaps_none.then(|| self.state.clone());
        for item in items {
            if !self.step(span) {
                break;
            }
            self.assign(name, item);
            stdout.append(&self.run_list(body).stdout);
        }
        if let Some(before) = before {
            self.state.join(&before);
        }
        CommandResult::output(stdout)
    }

    fn run_for_arith(
        &mut self,
        init: &Word,
        condition: &Word,
        step: &Word,
        body: &List,
        span: Span,
    ) -> CommandResult {
        if condition.parts.is_empty() && endless::exhausts(body) {
            self.exhaust("a loop without end or pause that starts jobs or fills files", "", span);
        }
        let mut stdout = Value::empty();
        let _ = self.arithmetic(init);
        let before = self.state.clone();
        let mut surely = false;
        for round in 0..MAX_ROUNDS {
            let go_on = if condition.parts.is_empty() {
                None
            } else {
                self.arithmetic(condition).map(|n| n != 0)
            };
            if go_on == Some(false) && round > 0 {
                break;
            }
            surely |= go_on == Some(true) || condition.parts.is_empty();
            stdout.append(&self.run_list(body).stdout);
            let _ = self.arithmetic(step);
            if (go_on.is_none() && (round >= 1 || self.frame.nesting.loops > 1)) || !self.step(span)
            {
                break;
            }
        }
        if !surely {
            self.state.join(&before);
        }
        CommandResult::output(stdout)
    }

    fn run_case(&mut self, word: &Word, arms: &[CaseArm]) -> CommandResult {
        let subject = self.expand_single(word);
        let subject: Option<Vec<char>> = subject.as_known().map(|text| text.chars().collect());
        let before = self.state.clone();
        let mut stdout = Value::empty();
        let mut reached: Vec<ShellState> = Vec::new();
        let mut fall_through = false;
        for arm in arms {
            if std::mem::take(&mut fall_through) {
                stdout.append(&self.run_list(&arm.body).stdout);
                fall_through = arm.end == CaseEnd::FallThrough;
                if !fall_through {
                    return CommandResult::output(stdout);
                }
                continue;
            }
            let mut hit = Some(false);
            for pattern in &arm.patterns {
                let nodes = self.pattern(pattern);
                let this = match (&subject, nodes) {
                    (Some(text), Some(nodes)) => pattern::matches(&nodes, text),
                    _ => None,
                };
                match this {
                    Some(true) => {
                        hit = Some(true);
                        break;
                    }
                    Some(false) => {}
                    None => hit = None,
                }
            }
            if hit == Some(false) && self.is_on(Switch::NoCaseMatch) {
                hit = None;
            }
            if hit == Some(false) {
                continue;
            }
            stdout.append(&self.run_list(&arm.body).stdout);
            if hit == Some(true) && reached.is_empty() {
                match arm.end {
                    CaseEnd::Break => return CommandResult::output(stdout),
                    CaseEnd::FallThrough => {
                        fall_through = true;
                        continue;
                    }
                    CaseEnd::TryNext => {}
                }
            }
            reached.push(std::mem::replace(&mut self.state, before.clone()));
        }
        for state in &reached {
            self.state.join(state);
        }
        CommandResult::output(stdout)
    }

    fn run_cond(&mut self, cond: &Cond) {
        match cond {
            Cond::Word(word) => {
                let _ = self.expand_single(word);
            }
            Cond::Unary(op, word) => {
                let value = self.expand_single(word);
                // `-v a[$(cmd)]` evaluates the subscript.
                if op == "-v" || op == "-R" {
                    self.evaluate_subscript(&value);
                }
            }
            Cond::Binary(left, op, right) => {
                let left = self.expand_single(left);
                let right = self.expand_single(right);
                self.note_comparison(&left, op, &right);
                if matches!(op.as_str(), "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") {
                    self.evaluate_subscript(&left);
                    self.evaluate_subscript(&right);
                }
            }
            Cond::Not(inner) => self.run_cond(inner),
            Cond::And(a, b) | Cond::Or(a, b) => {
                self.run_cond(a);
                self.run_cond(b);
            }
        }
    }

    /// Text used where Bash evaluates arithmetic: a substitution in a subscript would run.
    pub(crate) fn evaluate_subscript(&mut self, value: &Value) {
        if let Some(text) = value.as_known()
            && (text.contains("$(") || text.contains('`'))
        {
            let text = text.to_owned();
            let _ = self.expand_text(&text);
        }
    }

    /// Calls a function with the given arguments.
    ///
    /// Recursion may end by a condition that is not trusted, so a function is followed into itself only a
    /// few times. A function that starts itself in the background or on both sides of a pipe never ends.
    pub(crate) fn call_function(
        &mut self,
        name: &str,
        body: &Rc<Command>,
        arguments: Vec<Value>,
        span: Span,
    ) -> CommandResult {
        let active = self.calls.names.iter().filter(|call| *call == name).count();
        if active >= MAX_RECURSION {
            if self.frame.nesting.parallel > 1 {
                self.exhaust("functions that start each other again and again", name, span);
            }
            return CommandResult::output(Value::unknown("output of a recursive function"));
        }
        if self.frame.nesting.depth >= super::MAX_DEPTH || !self.step(span) {
            self.hidden_limit(span, "recursion");
            return CommandResult::default();
        }
        self.calls.names.push(name.to_owned());
        let positional = self.state.positional.replace(Rc::new(arguments));
        self.calls.locals.push(Vec::new());
        let result = self.deeper(|interp| interp.run_command(body));
        for (name, before) in self.calls.locals.pop().unwrap_or_default().into_iter().rev() {
            match before {
                Some(before) => self.state.variables.insert(name, before),
                None => self.state.variables.remove(&name),
            };
        }
        self.state.positional = positional;
        self.calls.names.pop();
        result
    }

    /// Reports something that uses up the machine.
    pub(crate) fn exhaust(&mut self, detail: &'static str, object: &str, span: Span) {
        self.report_shell_command(span);
        let object = Value::known(object);
        let (what, detail) = (SystemEffect::Exhaust, Detail::new(detail));
        self.effect(EffectKind::System { what, detail, object }, span);
    }
}

/// Whether a condition never changes: `while true`, `while :`, `while [ 1 ]`.
fn is_constant(condition: &List) -> bool {
    condition.items.iter().all(|item| {
        item.rest.is_empty()
            && item.first.commands.iter().all(|command| match &command.kind {
                CommandKind::Simple(simple) => simple.words.iter().all(|word| {
                    word.parts.iter().all(|part| matches!(part, Part::Literal(_)))
                        && !matches!(word.parts.as_slice(), [Part::Literal(text)] if text == "read")
                }),
                _ => false,
            })
    })
}
