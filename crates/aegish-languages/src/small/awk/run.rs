//! awk: rules and statements, the state of a program, ways that are joined.

use super::super::{is_stream, known};
use super::memory::{Memory, Record};
use super::network;
use super::parse::{Expr, Pattern, Program, Statement};
use super::values::{Array, Datum, computed, is_own};
use crate::CodeEffect;
use aegish_profiles::Lang;
use aegish_values::{Source, Taint, Value, join_values, origin};
use std::collections::{BTreeMap, HashMap};

/// Steps of following a program.
const FUEL: usize = 60_000;

/// Rounds of a loop that are followed one by one.
const MOST_ROUNDS: usize = 4_000;

/// Calls inside of calls.
const MAX_CALLS: usize = 16;

/// Longest text that is printed or put together.
const MAX_TEXT: usize = 1 << 18;

/// How a statement ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    Normal,
    Break,
    Continue,
    Next,
    Exit,
    Return,
}

/// The text that a name stands for, if it is known.
pub(super) type Texts<'a> = dyn Fn(&str) -> Option<String> + 'a;

pub(super) struct Awk<'a> {
    pub(super) program: &'a Program,
    pub(super) env: &'a Texts<'a>,
    /// Reads files, if their content is known.
    pub(super) files: Option<&'a Texts<'a>>,
    /// Whether all arguments are known, so that variables that nothing sets are empty.
    pub(super) exact: bool,
    pub(super) input: Option<String>,
    pub(super) read_to: usize,
    pub(super) lines: usize,
    pub(super) memory: Memory,
    pub(super) effects: Vec<CodeEffect>,
    pub(super) printed: Value,
    /// Whether something was not followed, so that the output is not known.
    pub(super) lost: bool,
    pub(super) fuel: usize,
    pub(super) calls: usize,
    /// Loops without a known end that are followed now.
    looping: usize,
    /// What was written into files and to commands.
    pub(super) written: HashMap<String, Value>,
    /// How far files and commands were read.
    pub(super) positions: HashMap<String, usize>,
    pub(super) fed: Vec<(String, Value)>,
}

impl<'a> Awk<'a> {
    pub(super) fn new(program: &'a Program, env: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Self {
            program,
            env,
            files: None,
            exact: false,
            input: None,
            read_to: 0,
            lines: 0,
            memory: Memory::default(),
            effects: Vec::new(),
            printed: Value::empty(),
            lost: program.skipped,
            fuel: FUEL,
            calls: 0,
            looping: 0,
            written: HashMap::new(),
            positions: HashMap::new(),
            fed: Vec::new(),
        }
    }

    pub(super) fn run(&mut self) {
        let program = self.program;
        self.block(&program.directives);
        let mut flow = Flow::Normal;
        for (pattern, block) in &program.rules {
            if let (Pattern::Begin, Some(block), Flow::Normal) = (pattern, block, flow) {
                flow = self.block(block);
            }
        }
        let lines = program.rules.iter().any(|(pattern, _)| !matches!(pattern, Pattern::Begin));
        if flow != Flow::Exit && lines {
            match self.input.is_some() {
                true => {
                    while flow != Flow::Exit && self.fuel > FUEL / 4 && self.next_record().is_some()
                    {
                        flow = self.rules();
                    }
                    if self.fuel <= FUEL / 4 {
                        self.any_record(&Value::one_of_many_values());
                    }
                }
                false => self.any_record(&Value::unknown(origin::INPUT_LINE)),
            }
        }
        for (pattern, block) in &program.rules {
            if let (Pattern::End, Some(block)) = (pattern, block) {
                self.block(block);
            }
        }
        let commands: Vec<String> = self.fed.iter().map(|(command, _)| command.clone()).collect();
        for command in commands {
            self.close(&command);
        }
        if self.fuel == 0 || program.deep {
            self.lost_track();
        }
    }

    /// Follows the rules for any number of lines that are not known.
    fn any_record(&mut self, line: &Value) {
        self.repeated(|awk| {
            awk.memory.record = Record { text: line.clone(), fields: None, set: BTreeMap::new() };
            awk.rules();
        });
    }

    fn rules(&mut self) -> Flow {
        let program = self.program;
        let print = [Statement::Print { formatted: false, values: Vec::new(), to: None }];
        for (pattern, block) in &program.rules {
            let body = block.as_deref().unwrap_or(&print);
            let flow = match pattern {
                Pattern::Begin | Pattern::End => continue,
                Pattern::Always => self.block(body),
                Pattern::When(condition) => self.branch(condition, body, &[]),
            };
            match flow {
                Flow::Next => return Flow::Normal,
                Flow::Exit => return Flow::Exit,
                _ => {}
            }
        }
        Flow::Normal
    }

    pub(super) fn spend(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }

    pub(super) fn push(&mut self, effect: CodeEffect) {
        let last = self.effects.len().saturating_sub(64);
        let again = self.effects.get(last..).is_some_and(|recent| recent.contains(&effect));
        if !again || matches!(effect, CodeEffect::Write { append: true, .. }) && self.exact {
            self.effects.push(effect);
        }
    }

    pub(super) fn block(&mut self, statements: &[Statement]) -> Flow {
        for statement in statements {
            if !self.spend() {
                self.lost_track();
                return Flow::Exit;
            }
            let flow = self.statement(statement);
            if flow != Flow::Normal {
                return flow;
            }
        }
        Flow::Normal
    }

    /// There was too much to follow. What the rest would run is not known.
    fn lost_track(&mut self) {
        self.lost = true;
        if self.program.acts {
            self.push(CodeEffect::Shell(Value::lost()));
        }
    }

    fn statement(&mut self, statement: &Statement) -> Flow {
        match statement {
            Statement::Value(value) => {
                self.value(value);
            }
            Statement::Print { formatted, values, to } => {
                self.print(*formatted, values, to.as_ref());
            }
            Statement::If(condition, then, otherwise) => {
                return self.branch(condition, then, otherwise);
            }
            Statement::Loop(first, condition, step, body, late) => {
                return self.rounds(first, condition.as_ref(), step, body, *late);
            }
            Statement::ForIn(name, array, body) => return self.for_in(name, array, body),
            Statement::Switch(value, body) => {
                self.value(value);
                self.lost = true;
                // Any part of it may run.
                for statement in body {
                    self.maybe(|awk| {
                        awk.statement(statement);
                    });
                }
            }
            Statement::Block(body) => return self.block(body),
            Statement::Delete(array, keys) => {
                let key = keys.as_ref().map(|keys| self.key(keys));
                let array = self.memory.arrays.entry(self.array(array)).or_default();
                match key {
                    None => *array = Array::default(),
                    Some(key) => {
                        key.as_known().map(|key| array.items.remove(key));
                    }
                }
            }
            Statement::Next => return Flow::Next,
            Statement::Exit => return Flow::Exit,
            Statement::Break => return Flow::Break,
            Statement::Continue => return Flow::Continue,
            Statement::Return(value) => {
                let value = value.as_ref().map_or(Datum::Unset, |value| self.value(value));
                let before = self.memory.returned.take();
                self.memory.returned = Some(before.map_or(value.clone(), |one| one.join(&value)));
                return Flow::Return;
            }
            Statement::Directive(name, text) => match name.as_str() {
                "load" => self.push(CodeEffect::Load(known(text.as_str()))),
                "include" => self.push(CodeEffect::Script(Lang::Awk, known(text.as_str()))),
                _ => {}
            },
        }
        Flow::Normal
    }

    /// Both sides, if it is not known which one.
    fn branch(&mut self, condition: &Expr, then: &[Statement], otherwise: &[Statement]) -> Flow {
        let value = self.value(condition);
        match value.truth() {
            Some(true) => self.block(then),
            Some(false) => self.block(otherwise),
            None => {
                self.lost = true;
                let before = self.memory.clone();
                self.suppose(condition);
                let first = self.block(then);
                let after = std::mem::replace(&mut self.memory, before);
                let second = self.block(otherwise);
                // A way that leaves does not go on.
                match (first, second) {
                    (Flow::Normal, Flow::Normal) => self.join(&after),
                    (first, second) if first == second => {
                        self.join(&after);
                        return first;
                    }
                    _ => self.join(&after),
                }
                Flow::Normal
            }
        }
    }

    /// What is compared with a known text and is not known is that text behind the condition.
    fn suppose(&mut self, condition: &Expr) {
        if let Expr::Binary("&&", a, b) = condition {
            self.suppose(a);
            self.suppose(b);
        }
        let Expr::Binary("==", a, b) = condition else { return };
        for (side, other) in [(a, b), (b, a)] {
            if let Expr::Variable(name) = &**side
                && !self.value(side).text().is_known()
            {
                let value = self.value(other);
                if value.text().is_known() {
                    self.assign_name(name, value);
                }
            }
        }
    }

    /// Follows something that happens any number of times.
    fn repeated(&mut self, round: impl Fn(&mut Self)) {
        self.lost = true;
        self.looping += 1;
        for step in 0..3 {
            let before = self.memory.clone();
            round(self);
            self.combine(&before, if step == 0 { Datum::join } else { Datum::widen });
            if self.memory == before {
                break;
            }
        }
        self.looping -= 1;
    }

    fn rounds(
        &mut self,
        first: &[Statement],
        condition: Option<&Expr>,
        step: &[Statement],
        body: &[Statement],
        late: bool,
    ) -> Flow {
        self.block(first);
        // Half of the steps are left for what comes behind the loop.
        let least = self.fuel / 2;
        for round in 0..MOST_ROUNDS {
            if self.fuel < least || self.looping > 0 && round > 64 {
                break;
            }
            let checked = !(late && round == 0);
            let truth = match condition {
                Some(condition) if checked => self.value(condition).truth(),
                _ => Some(true),
            };
            match truth {
                Some(false) => return Flow::Normal,
                Some(true) => {}
                None => break,
            }
            if !self.spend() {
                self.lost_track();
                return Flow::Exit;
            }
            let before = (round == 8).then(|| self.memory.clone());
            match self.block(body) {
                Flow::Break => return Flow::Normal,
                flow @ (Flow::Next | Flow::Exit | Flow::Return) => return flow,
                Flow::Normal | Flow::Continue => {}
            }
            self.block(step);
            // It runs for ever.
            if before.is_some_and(|before| before == self.memory) {
                self.lost = true;
                return Flow::Exit;
            }
        }
        self.repeated(|awk| {
            awk.block(body);
            awk.block(step);
            if let Some(condition) = condition {
                awk.value(condition);
            }
        });
        Flow::Normal
    }

    fn for_in(&mut self, name: &str, array: &str, body: &[Statement]) -> Flow {
        let array = self.memory.arrays.get(&self.array(array)).cloned().unwrap_or_default();
        if array.elsewhere.is_some() || array.items.is_empty() && !self.exact {
            self.lost = true;
            let keys = array.items.keys().cloned().chain([String::new()]);
            let mut key = Value::unknown("computed");
            // Bounded: more texts than these are one of many.
            for one in keys.take(33) {
                key = join_values(&key, &Value::known(one));
            }
            self.repeated(|awk| {
                awk.assign_name(name, Datum::Input(key.clone()));
                awk.block(body);
            });
            return Flow::Normal;
        }
        let several = array.items.len() > 1;
        let mut before = self.memory.clone();
        for key in array.items.keys() {
            if !self.spend() {
                self.lost_track();
                return Flow::Exit;
            }
            self.assign_name(name, Datum::Input(known(key.as_str())));
            match self.block(body) {
                Flow::Break => break,
                flow @ (Flow::Exit | Flow::Return | Flow::Next) if !several => return flow,
                _ => {}
            }
            if several {
                // The order is not known, so what grows is any of several texts.
                self.lost = true;
                for (name, value) in &mut self.memory.scalars {
                    let old = before.scalars.get(name).unwrap_or(&Datum::Unset);
                    if value != old && matches!(value, Datum::Text(_) | Datum::Input(_)) {
                        let (now, then) = (value.text(), old.text());
                        let grown = !then.pieces().is_empty() && is_own(&now) && now != then;
                        if grown {
                            *value = Datum::Input(computed(&[now, then]));
                        }
                    }
                }
                before = self.memory.clone();
            }
        }
        Flow::Normal
    }

    /// `print`, `printf`
    fn print(&mut self, formatted: bool, values: &[Expr], to: Option<&(&'static str, Expr)>) {
        let data: Vec<Datum> = values.iter().map(|value| self.value(value)).collect();
        let mut text = Value::empty();
        if formatted {
            if let Some((format, values)) = data.split_first() {
                text = super::values::formatted(&format.text(), values);
            }
        } else {
            let separator = self.special("OFS", " ");
            for (at, value) in data.iter().enumerate() {
                if at > 0 {
                    text.append(&separator);
                }
                text.append(&value.text());
            }
            if data.is_empty() {
                text = self.field(0);
            }
            text.append(&self.special("ORS", "\n"));
        }
        let Some((operator, target)) = to else {
            if self.printed.pieces().len() < 256 && self.printed.known_prefix().len() < MAX_TEXT {
                self.printed.append(&text);
            } else {
                self.lost = true;
            }
            return;
        };
        let target = self.value(target).text();
        if let Some(kind) = network(&target) {
            self.push(kind);
            return;
        }
        let known_target = target.as_known().map(str::to_owned);
        if matches!(*operator, ">" | ">>") {
            if known_target.as_deref().is_some_and(is_stream) {
                if known_target.as_deref() == Some("/dev/stdout") {
                    self.printed.append(&text);
                }
                return;
            }
            let mut append = *operator == ">>";
            if let Some(path) = known_target {
                append |= self.written.contains_key(&path) && self.looping == 0;
                self.written.entry(path).or_default().append(&text);
            }
            self.push(CodeEffect::Write { path: target, content: text, append });
            return;
        }
        self.lost = true;
        match known_target.filter(|_| text.is_known() && *operator == "|") {
            Some(command) => match self.fed.iter_mut().find(|(name, _)| *name == command) {
                Some((_, all)) => all.append(&text),
                None => self.fed.push((command, text)),
            },
            None => self.execute(target),
        }
    }

    pub(super) fn execute(&mut self, value: Value) {
        if value.has_unknown() && value.taint().network().is_some() {
            self.push(CodeEffect::RunReceived);
        } else if value.as_known() != Some("") {
            self.push(CodeEffect::Shell(value));
        }
    }

    pub(super) fn received() -> Value {
        let taint = Taint::from(Source::Network("awk network file".to_owned()));
        Value::unknown("received").tainted(&taint)
    }

    pub(super) fn enter(&mut self) -> bool {
        self.calls += 1;
        if self.calls > MAX_CALLS {
            self.calls -= 1;
            self.lost_track();
            return false;
        }
        true
    }
}
