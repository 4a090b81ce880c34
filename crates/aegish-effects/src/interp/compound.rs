//! Compound commands: groups, decisions, loops, functions.

use super::frame::Output;
use super::program::compared;
use super::{CommandResult, Interp, endless};
use crate::effect::EffectKind;
use crate::expand::arith;
use crate::state::Switch;
use crate::state::{Flow, Function, ShellState, VariableContent};
use aegish_profiles::{Detail, SystemEffect};
use aegish_syntax::{
    AndOr, CaseArm, CaseEnd, Command, CommandKind, Cond, Connector, List, Part, Span, Word,
};
use aegish_values::{Value, join_values, origin, pattern};
use std::rc::Rc;

/// How often a function is followed into itself.
pub(super) const MAX_RECURSION: usize = 4;

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

    fn run_kind(&mut self, command: &Command, span: Span) -> CommandResult {
        match &command.kind {
            CommandKind::Simple(_) => CommandResult::default(),
            CommandKind::Group(list) => self.run_list(list),
            CommandKind::Subshell(list) => self.isolated(|interp| interp.run_list(list)),
            CommandKind::If { branches, otherwise } => self.run_if(branches, otherwise.as_ref()),
            CommandKind::While { until, condition, body } => {
                self.run_while(condition, body, *until, span)
            }
            CommandKind::For { name, words, body } | CommandKind::Select { name, words, body } => {
                self.run_for(name, words.as_deref(), body, span)
            }
            CommandKind::ForArith { init, condition, step, body } => {
                self.run_for_arith([init, condition, step], body, span)
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
                // Bash calls it by itself, for the next word it does not know.
                if name == "command_not_found_handle"
                    || self.state.called_by_shell.iter().any(|known| known == name)
                {
                    self.follow_call_by_shell(name, span);
                }
                CommandResult::status(true)
            }
            CommandKind::Cond(cond) => {
                let status = self.run_cond(cond);
                CommandResult { stdout: Value::empty(), status }
            }
            CommandKind::Arith(word) => {
                let value = self.arithmetic(word);
                CommandResult { stdout: Value::empty(), status: value.map(|number| number != 0) }
            }
            CommandKind::Coproc { name, body } => {
                // Its input is what the script writes to it later; a shell then reads commands as
                // from a person.
                let captured = |output: &mut Output| output.capture = true;
                let result = self.with_stdin(Flow::Terminal, |interp| {
                    interp.with_output(captured, |interp| {
                        interp.isolated(|interp| interp.run_command(body))
                    })
                });
                let ends = [(0, Value::known("63")), (1, Value::known("60"))];
                let name = name.as_deref().unwrap_or("COPROC");
                self.assign_array(name, VariableContent::Indexed(ends.into_iter().collect()));
                self.state.descriptors.insert(63, Flow::Text(result.stdout));
                CommandResult::default()
            }
        }
    }

    /// Every part may run: conditions are not trusted to keep anything from happening. But what a part
    /// leaves behind holds only for the parts that run because it did; after them it is one possibility.
    pub(super) fn run_chain(&mut self, item: &AndOr) -> CommandResult {
        let mut result = self.run_pipeline(&item.first);
        // Where the chain may have ended before the present part.
        let mut ends: Vec<ShellState> = Vec::new();
        let mut last = None;
        for (connector, pipeline) in &item.rest {
            if last.is_some_and(|last| last != *connector) {
                self.reach(&mut ends);
            }
            last = Some(*connector);
            let goes_on = result.status.map(|ok| ok == (*connector == Connector::And));
            if self.jumps.ended || goes_on == Some(false) {
                self.run_unreached(|interp| {
                    interp.run_pipeline(pipeline);
                });
                continue;
            }
            if goes_on.is_none() {
                ends.push(self.state.clone());
            }
            let next = self.run_pipeline(pipeline);
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

    /// From here on any of these is possible, too.
    fn reach(&mut self, ends: &mut Vec<ShellState>) {
        for state in ends.drain(..) {
            if std::mem::take(&mut self.jumps.ended) {
                self.state = state;
            } else {
                self.state.join_assignments(&state);
            }
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
            let result = self.run_list(condition);
            printed.append(&result.stdout);
            if self.jumps.ended || result.status == Some(false) {
                self.run_unreached(|interp| {
                    interp.run_list(body);
                });
                continue;
            }
            let before = self.state.clone();
            self.run_way(body, &mut ways);
            self.state = before;
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

    /// Follows one of several bodies; the path goes on behind it unless it ends inside.
    fn run_way(&mut self, body: &List, ways: &mut Vec<(ShellState, Value)>) {
        let result = self.run_list(body);
        if !std::mem::take(&mut self.jumps.ended) {
            ways.push((self.state.clone(), result.stdout));
        }
    }

    /// Goes on in any of the states, having printed what belongs to it.
    fn join_ways(&mut self, mut printed: Value, ways: Vec<(ShellState, Value)>) -> CommandResult {
        let texts: Vec<Value> = ways.iter().map(|(_, text)| text.clone()).collect();
        self.resume_in(ways.into_iter().map(|(state, _)| state));
        let text = texts
            .iter()
            .skip(1)
            .fold(texts.first().cloned(), |all, text| all.map(|all| join_values(&all, text)));
        printed.append(&text.unwrap_or_default());
        CommandResult::output(printed)
    }

    fn run_case(&mut self, word: &Word, arms: &[CaseArm]) -> CommandResult {
        let subject = self.expand_single(word);
        let subject: Option<Vec<char>> = subject.as_known().map(|text| text.chars().collect());
        let mut ways: Vec<(ShellState, Value)> = Vec::new();
        // What falls through from the arm before.
        let mut carried: Option<(ShellState, Value)> = None;
        // The patterns from here on are compared.
        let mut looking = Some((self.state.clone(), Value::empty()));
        for arm in arms {
            let hit = match &looking {
                Some((state, _)) => {
                    self.state = state.clone();
                    self.matches_arm(arm, subject.as_deref())
                }
                None => Some(false),
            };
            let by_match = looking.clone().filter(|_| hit != Some(false));
            let (state, text) = match (carried.take(), by_match) {
                (None, None) => continue,
                (Some(way), None) | (None, Some(way)) => way,
                (Some((mut state, text)), Some((other, more))) => {
                    state.join(&other);
                    (state, join_values(&text, &more))
                }
            };
            if hit == Some(true) {
                looking = None;
            }
            self.state = state;
            let mut printed = text;
            printed.append(&self.run_list(&arm.body).stdout);
            if std::mem::take(&mut self.jumps.ended) {
                continue;
            }
            let way = (self.state.clone(), printed);
            match arm.end {
                CaseEnd::Break => ways.push(way),
                CaseEnd::FallThrough => carried = Some(way),
                CaseEnd::TryNext => match &mut looking {
                    None => looking = Some(way),
                    Some((state, text)) => {
                        state.join(&way.0);
                        *text = join_values(text, &way.1);
                    }
                },
            }
        }
        ways.extend(carried);
        ways.extend(looking);
        self.join_ways(Value::empty(), ways)
    }

    /// Whether the word fits a pattern of the arm, as far as that can be told.
    fn matches_arm(&mut self, arm: &CaseArm, subject: Option<&[char]>) -> Option<bool> {
        let mut hit = Some(false);
        for pattern in &arm.patterns {
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

    /// Follows `[[ … ]]` and gives its answer where that depends on known text alone.
    fn run_cond(&mut self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Word(word) => {
                let value = self.expand_single(word);
                value.as_known().map(|text| !text.is_empty())
            }
            Cond::Unary(op, word) => {
                let value = self.expand_single(word);
                // `-v a[$(cmd)]` evaluates the subscript.
                if op == "-v" || op == "-R" {
                    self.evaluate_subscript(&value);
                }
                let text = value.as_known()?;
                match op.as_str() {
                    "-z" => Some(text.is_empty()),
                    "-n" => Some(!text.is_empty()),
                    _ => None,
                }
            }
            Cond::Binary(left, op, right) => self.run_comparison(left, op, right),
            Cond::Not(inner) => self.run_cond(inner).map(|answer| !answer),
            Cond::And(a, b) => match (self.run_cond(a), self.run_cond(b)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Cond::Or(a, b) => match (self.run_cond(a), self.run_cond(b)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
        }
    }

    fn run_comparison(&mut self, left: &Word, op: &str, right: &Word) -> Option<bool> {
        let subject = self.expand_single(left);
        if matches!(op, "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") {
            let other = self.expand_single(right);
            let (a, b) = (self.evaluate(&subject), self.evaluate(&other));
            return compared(op, a?, b?);
        }
        if op == "=~" {
            let expression = self.expand_single(right);
            // Quoted parts stand for themselves.
            let quoted = right.parts.iter().any(|part| {
                matches!(
                    part,
                    Part::SingleQuoted(_)
                        | Part::DoubleQuoted(_)
                        | Part::AnsiC(_)
                        | Part::Escaped(_)
                )
            });
            let expression = expression.as_known().filter(|_| !quoted);
            return self.remember_match(&subject, expression);
        }
        let nodes = self.pattern(right);
        let text: Vec<char> = subject.as_known()?.chars().collect();
        let fits = pattern::matches(&nodes?, &text).filter(|_| !self.is_on(Switch::NoCaseMatch))?;
        match op {
            "=" | "==" => Some(fits),
            "!=" => Some(!fits),
            _ => None,
        }
    }

    /// Keeps what `[[ text =~ expression ]]` leaves in `BASH_REMATCH`.
    fn remember_match(&mut self, subject: &Value, expression: Option<&str>) -> Option<bool> {
        let found = match (subject.as_known(), expression) {
            (Some(text), Some(expression)) => aegish_emulate::matched(expression, text),
            _ => None,
        };
        let folds = self.is_on(Switch::NoCaseMatch);
        let items = match &found {
            Some(found) if !folds => {
                let known = |text: &String| Value::known(text.as_str()).tainted(subject.taint());
                (0..).zip(found.iter().flatten().map(known)).collect()
            }
            _ => {
                let part = Value::unknown(origin::MATCHED_TEXT).tainted(subject.taint());
                (0..10).map(|number| (number, part.clone())).collect()
            }
        };
        self.assign_array("BASH_REMATCH", VariableContent::Indexed(items));
        found.map(|found| found.is_some()).filter(|_| !folds)
    }

    /// The number that text is where Bash evaluates arithmetic.
    fn evaluate(&mut self, value: &Value) -> Option<i64> {
        self.evaluate_subscript(value);
        let text = value.as_known()?.to_owned();
        arith::evaluate(&text, self)
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
    /// Which call ends a recursion depends on conditions that are not trusted, so a function is
    /// followed into itself a few times only. One that starts itself in the background or on both
    /// sides of a pipe never ends.
    pub(crate) fn call_function(
        &mut self,
        name: &str,
        body: &Rc<Command>,
        arguments: Vec<Value>,
        span: Span,
    ) -> CommandResult {
        let active = self.calls.names.iter().filter(|call| *call == name).count();
        let arguments = Rc::new(arguments);
        let call = (name.to_owned(), Rc::clone(&arguments));
        // With the same words, or words from outside, nothing else comes of it.
        let outside = !arguments.iter().all(Value::is_known);
        let again = active >= MAX_RECURSION && (outside || self.calls.words.contains(&call));
        if again || active > 0 && self.frame.conditions.unreached {
            if self.frame.nesting.parallel > 1 {
                self.exhaust("functions that start each other again and again", name, span);
            }
            return CommandResult::output(Value::unknown("output of a recursive function"));
        }
        if self.frame.nesting.depth >= super::MAX_DEPTH || !self.step(span) {
            if self.frame.nesting.parallel > 1 {
                self.exhaust("functions that start each other again and again", name, span);
            }
            self.hidden_limit(span, "recursion");
            return CommandResult::default();
        }
        self.calls.words.push(call);
        self.calls.names.push(name.to_owned());
        let positional = self.state.positional.replace(arguments);
        self.calls.locals.push(Vec::new());
        let result = self.deeper(|interp| interp.until_return(|interp| interp.run_command(body)));
        for (name, before) in self.calls.locals.pop().unwrap_or_default().into_iter().rev() {
            match before {
                Some(before) => self.state.variables.insert(name, before),
                None => self.state.variables.remove(&name),
            };
        }
        self.state.positional = positional;
        self.calls.names.pop();
        self.calls.words.pop();
        result
    }

    /// Reports something that uses up the machine.
    pub(crate) fn exhaust(&mut self, detail: &'static str, object: &str, span: Span) {
        self.report_shell_command(span);
        let object = Value::known(object);
        let (what, detail) = (SystemEffect::Exhaust, Detail::new(detail));
        self.effect(EffectKind::System { what, detail, object }, span);
    }

    /// Arrays whose elements bash runs, or takes for other words.
    pub(crate) fn note_element(&mut self, name: &str, key: Option<&str>, value: &Value) {
        match (name, key) {
            ("PROMPT_COMMAND", _) => self.effect_setenv(name, value, Span::default(), true),
            ("BASH_ALIASES", Some(key)) => {
                self.effect_shadow(key, value.clone(), Span::default());
                if let Some(text) = value.as_known() {
                    self.state.aliases.insert(key.to_owned(), text.to_owned());
                }
            }
            _ => {}
        }
    }

    /// Sets a whole array.
    pub(crate) fn assign_array(&mut self, name: &str, content: VariableContent) {
        let name = self.resolve_reference(name);
        match &content {
            VariableContent::Indexed(items) => {
                let items: Vec<Value> = items.values().cloned().collect();
                items.iter().for_each(|value| self.note_element(&name, None, value));
            }
            VariableContent::Keyed(items) => {
                let items: Vec<(String, Value)> =
                    items.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
                items.iter().for_each(|(key, value)| self.note_element(&name, Some(key), value));
            }
            _ => {}
        }
        if self.is_readonly(&name) {
            return;
        }
        let variable = self.state.variables.entry(name).or_default();
        variable.content = content;
        variable.perhaps_unset = false;
    }
}
