//! Loops: rounds over known items are followed one by one, others until nothing changes any more.

use super::expansion::{Item, Presence};
use super::frame::Frame;
use super::jumps::{Possible, also};
use super::{CommandResult, Interp};
use aegish_expansion::endless;
use aegish_shell_state::{ShellState, VariableContent};
use aegish_syntax::{CommandKind, List, Part, Span, Word};
use aegish_values::{Value, join_all, join_values, origin};
use std::sync::Arc;

/// Maximum number of rounds that are followed one by one if it is known that there is another one.
const MAX_ROUNDS: usize = 1024;
/// The same for numbers, and for rounds of loops in loops.
const MAX_NUMBERS: usize = 128;
/// The same if it is not known whether there is another round. Afterwards values of different rounds are joined.
const EXACT_ROUNDS: usize = 2;
/// Rounds after which nothing may change any more.
const MAX_WIDENED: usize = 40;
/// Nesting of loops in which the rounds show which values grow.
const MAX_NESTING: u32 = 5;
/// Texts of a variable in a condition for which a loop is followed one by one.
const MAX_TEXTS: usize = 4;
/// Length of a menu that has one word in each line.
const MENU_IN_LINES: usize = 40;
/// Items of a longer loop that are followed together.
const ITEMS_AT_ONCE: usize = 32;

impl Interp<'_> {
    fn in_loop<R>(&mut self, run: impl FnOnce(&mut Self) -> R) -> R {
        self.in_frame(|frame| frame.nesting.loops += 1, run)
    }

    pub(super) fn run_while(
        &mut self,
        condition: &List,
        body: &List,
        until: bool,
        span: Span,
    ) -> CommandResult {
        if is_constant(condition) && endless::exhausts(body) {
            self.exhaust("a loop without end or pause that starts jobs or fills files", "", span);
        }
        // `while [ -n "$x" ]`: the same.
        if let Some((name, texts)) = self.one_of_several_of(condition) {
            return self.run_alternatives(texts, |interp, text| {
                interp.assume(&name, text);
                interp.run_while(condition, body, until, span)
            });
        }
        self.in_loop(|interp| {
            interp.run_rounds(
                span,
                is_constant(condition),
                |interp, stdout| {
                    let result = interp.tested(true, |interp| interp.run_list(condition));
                    stdout.append(&result.stdout);
                    result.status.map(|ok| ok != until)
                },
                |interp, stdout| stdout.append(&interp.run_list(body).stdout),
                |_| {},
            )
        })
    }

    pub(super) fn run_for_arith(
        &mut self,
        [init, condition, step]: [&Word; 3],
        body: &List,
        span: Span,
    ) -> CommandResult {
        if condition.parts.is_empty() && endless::exhausts(body) {
            self.exhaust("a loop without end or pause that starts jobs or fills files", "", span);
        }
        // `i < ${#x}`: each text that the variable may have is followed by itself.
        let several = self.one_of_several(init).or_else(|| {
            let _ = self.arithmetic(init);
            self.one_of_several(condition)
        });
        if let Some((name, texts)) = several {
            return self.run_alternatives(texts, |interp, text| {
                interp.assume(&name, text);
                interp.run_for_arith([init, condition, step], body, span)
            });
        }
        self.in_loop(|interp| {
            interp.run_rounds(
                span,
                condition.parts.is_empty(),
                |interp, _| match condition.parts.is_empty() {
                    true => Some(true),
                    false => interp.arithmetic(condition).map(|number| number != 0),
                },
                |interp, stdout| stdout.append(&interp.run_list(body).stdout),
                |interp| {
                    let _ = interp.arithmetic(step);
                },
            )
        })
    }

    /// A variable in a condition that has one of a few values, of which some parts may come from outside.
    fn one_of_several(&self, condition: &Word) -> Option<(String, Vec<Value>)> {
        self.one_of_several_in(&condition.parts)
    }

    fn one_of_several_of(&self, condition: &List) -> Option<(String, Vec<Value>)> {
        let commands = condition.items.iter().flat_map(|item| &item.first.commands);
        let words = commands.filter_map(|command| match &command.kind {
            CommandKind::Simple(simple) => Some(&simple.words),
            _ => None,
        });
        words.flatten().find_map(|word| self.one_of_several(word))
    }

    fn one_of_several_in(&self, parts: &[Part]) -> Option<(String, Vec<Value>)> {
        parts.iter().find_map(|part| {
            let param = match part {
                Part::Param(param) => param,
                Part::DoubleQuoted(inner) => return self.one_of_several_in(inner),
                _ => return None,
            };
            let variable = self.state.variables.get(&param.name)?;
            let VariableContent::Scalar(value) = &variable.content else { return None };
            // Each value is taken once.
            if variable.reference || variable.integer || variable.assumption.is_some() {
                return None;
            }
            let mut values = value.variants(MAX_TEXTS).filter(|values| values.len() > 1)?;
            let own: Vec<Value> =
                values.iter().filter(|one| one.is_mixed()).map(Value::without_unknown).collect();
            values.extend(own);
            Some((param.name.clone(), values))
        })
    }

    /// Follows a loop; `goes_on` returns whether there is another round, if that is known.
    fn run_rounds(
        &mut self,
        span: Span,
        constant: bool,
        mut goes_on: impl FnMut(&mut Self, &mut Value) -> Option<bool>,
        mut body: impl FnMut(&mut Self, &mut Value),
        mut step: impl FnMut(&mut Self),
    ) -> CommandResult {
        let mut stdout = Value::empty();
        // What is printed if the loop ends after some round.
        let mut printed: Vec<Value> = Vec::new();
        let mut exits: Possible = None;
        let mut inexact = 0;
        self.enter_loop();
        for round in 0.. {
            // The condition is part of the round: `while read x` takes a line and sets a variable.
            let before = Box::new(self.state.clone());
            let input = Arc::clone(&self.stdin);
            let decision = goes_on(self, &mut stdout);
            if self.jumps.ended {
                break;
            }
            if decision == Some(false) {
                also(&mut exits, &self.state);
                // Conditions are not assumed to prevent anything.
                if round == 0 {
                    self.run_unreached(|interp| body(interp, &mut Value::empty()));
                }
                break;
            }
            if decision.is_none() {
                also(&mut exits, &self.state);
                printed.push(stdout.clone());
            }
            self.run_round(|interp| body(interp, &mut stdout));
            if self.jumps.ended {
                break;
            }
            if constant {
                printed.push(stdout.clone());
            }
            step(self);
            // A round may pass files to the next one.
            let same = self.state.is_like(&before)
                && Arc::ptr_eq(&input, &self.stdin)
                && (round > 0 || self.state.files.is_same(&before.files));
            // In a nested loop, the rounds of the outer loop already cover most of what one round passes to the next; a
            // second one shows which values grow. Rounds multiply with each further loop around them.
            let nesting = self.frame.nesting.loops;
            let inner = nesting > 1 && (decision.is_none() || constant);
            let deep = inner && nesting > MAX_NESTING;
            if deep && !same {
                self.hidden_limit(span, "nesting of loops");
            }
            let ends = deep || inner && inexact > 0;
            if same || ends {
                if inexact > 0 {
                    self.state.widen(&before);
                }
                also(&mut exits, &self.state);
                break;
            }
            inexact += usize::from(decision.is_none() || constant || round >= MAX_ROUNDS);
            // A loop that reads known text goes on until its end, whatever the lines have in common.
            let reads = !Arc::ptr_eq(&input, &self.stdin);
            if inexact > EXACT_ROUNDS && self.widens_to(&before) && !reads {
                also(&mut exits, &self.state);
                break;
            }
            if inexact > MAX_WIDENED || !self.step(span) {
                self.hidden_limit(span, "rounds of a loop");
                also(&mut exits, &self.state);
                break;
            }
        }
        self.leave_loop(exits);
        let stdout = printed.iter().rev().fold(stdout, |all, one| join_values(&all, one));
        CommandResult::output(stdout)
    }

    /// Sets the variable of a loop; of a reference, the loop sets the name that it stands for.
    fn assign_item(&mut self, name: &str, item: Value) {
        match self.state.variables.get_mut(name).filter(|variable| variable.reference) {
            Some(variable) => {
                variable.content = VariableContent::Scalar(item);
                variable.ways = None;
            }
            None => self.assign(name, item),
        }
    }

    /// Joins the differences to the state before the round; returns whether nothing new was added.
    fn widens_to(&mut self, before: &ShellState) -> bool {
        self.state.widen(before);
        self.state.is_like(before)
    }

    pub(super) fn run_for(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &List,
        span: Span,
    ) -> CommandResult {
        let items = self.loop_items(words);
        self.run_items(name, items, body, span)
    }

    /// `select`: a person, or the input, chooses one of the words in every round.
    pub(super) fn run_select(
        &mut self,
        name: &str,
        words: Option<&[Word]>,
        body: &List,
        span: Span,
    ) -> CommandResult {
        let items = self.loop_items(words);
        self.print_menu(&items, span);
        let chosen = join_all(items.iter().map(|item| &item.value));
        let items = chosen.into_iter().map(|value| Item { value, presence: Presence::Possible });
        let (line, _) = self.take_line(None, '\n', None, false);
        self.assign("REPLY", line);
        self.run_items(name, items.collect(), body, span)
    }

    /// The words of `select` with their numbers, and the prompt behind them.
    fn print_menu(&mut self, items: &[Item], span: Span) {
        let prompt = self.lookup_scalar("PS3").unwrap_or_else(|| Value::known("#? "));
        let mut menu = String::new();
        for (number, item) in (1..).zip(items) {
            match item.value.as_known() {
                Some(text) => menu.push_str(&format!("{number}) {text}\n")),
                None => return self.prints_message(2, &prompt, span),
            }
        }
        // Longer menus have columns.
        match prompt.as_known().filter(|_| menu.len() < MENU_IN_LINES) {
            Some(prompt) => self.write_to(2, Value::known(menu + prompt), span),
            None => self.prints_message(2, &prompt, span),
        }
    }

    /// The words of a loop; the parameters if there are none.
    fn loop_items(&mut self, words: Option<&[Word]>) -> Vec<Item> {
        let sure = |value: Value| Item::new(value, true);
        match words {
            Some(words) => self.expand_items(words),
            None => match &self.state.positional {
                Some(items) => items.iter().cloned().map(sure).collect(),
                None => vec![sure(Value::unknown(origin::ARGUMENTS))],
            },
        }
    }

    fn run_items(
        &mut self,
        name: &str,
        items: Vec<Item>,
        body: &List,
        span: Span,
    ) -> CommandResult {
        let mut stdout = Value::empty();
        if !self.spend(items.len() / 16, span) {
            return CommandResult::default();
        }
        // Rounds of loops in loops multiply.
        let around = self.frame.nesting.rounds;
        let short = around > 1 || items.iter().all(|item| number(&item.value).is_some());
        let most = if short { MAX_NUMBERS } else { MAX_ROUNDS };
        let many = items.len().saturating_mul(around) > most && items.len() > 1;
        let items = if many { together(&items) } else { items };
        let rounds = items.len().max(1).saturating_mul(around);
        let mut exits: Possible = None;
        self.enter_loop();
        // An unknown value may be empty.
        if !items.is_empty() && items.iter().all(|item| !item.value.is_known()) {
            also(&mut exits, &self.state);
        }
        for Item { value: item, presence } in items {
            if !self.step(span) {
                break;
            }
            let skipped = (presence == Presence::Possible).then(|| Box::new(self.state.clone()));
            let mut printed = match skipped.is_some() || !item.is_known() {
                true => vec![stdout.clone()],
                false => Vec::new(),
            };
            // An unknown value may be several items.
            let several = !item.is_known() && self.frame.nesting.loops == 0;
            for round in 0.. {
                let before = Box::new(self.state.clone());
                self.assign_item(name, item.clone());
                self.run_round(|interp| {
                    let enter = |frame: &mut Frame| frame.nesting.rounds = rounds;
                    stdout.append(&interp.in_frame(enter, |interp| interp.run_list(body)).stdout);
                });
                if several {
                    printed.push(stdout.clone());
                }
                if !several || self.jumps.ended || self.state.is_like(&before) {
                    break;
                }
                if round > EXACT_ROUNDS && self.widens_to(&before) {
                    break;
                }
                if round > MAX_WIDENED || !self.step(span) {
                    self.hidden_limit(span, "rounds of a loop");
                    break;
                }
            }
            stdout = printed.iter().rev().fold(stdout, |all, one| join_values(&all, one));
            if let Some(state) = skipped {
                self.resume(*state);
            }
            if self.jumps.ended {
                break;
            }
        }
        if !self.jumps.ended {
            also(&mut exits, &self.state);
        }
        self.leave_loop(exits);
        match many {
            true => CommandResult::output(
                Value::unknown("output of a long loop").tainted(stdout.taint()),
            ),
            false => CommandResult::output(stdout),
        }
    }
}

/// Items that are followed together, as one of several values. Numbers are not names, so any number stands for all,
/// except for those that name something: the first process, root.
fn together(items: &[Item]) -> Vec<Item> {
    let (names, others): (Vec<&Value>, Vec<&Value>) =
        items.iter().map(|item| &item.value).partition(|value| number(value).is_some());
    let mut values: Vec<Value> = Vec::new();
    for value in &names {
        if matches!(number(value), Some(-1..=1)) && !values.contains(value) {
            values.push((*value).clone());
        }
    }
    if names.len() > values.len() {
        values.push(Value::unknown(origin::COUNTER));
    }
    let joined = |group: &[&Value]| join_all(group.iter().copied()).unwrap_or_default();
    values.extend(others.chunks(ITEMS_AT_ONCE).map(joined));
    values.into_iter().map(|value| Item { value, presence: Presence::Sure }).collect()
}

fn number(value: &Value) -> Option<i64> {
    value.as_known()?.parse().ok()
}

/// `while true`, `while :`, `while [ 1 ]`: a condition that never changes.
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
