//! The abstract interpreter of the intermediate form of inner languages.
//!
//! Takes a program and the meaning of its language ([`Dialect`]), gives the effects that a run may have. Both sides of a
//! branch whose condition is not known are followed and joined; loops are followed item by item while that is cheap,
//! otherwise to a fixed point; functions of the program are entered; calls of libraries are looked up in the table of
//! calls. Work is bounded by fuel; when it runs out, [`CodeEffect::Hidden`] is reported. Knows no language but what
//! languages have in common, which is close to Python.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]
#![allow(missing_docs)] // the names are those of the intermediate form

mod attributes;
mod branches;
mod calls;
mod changed_texts;
mod classes;
mod commands;
mod deferred;
mod dialect;
mod effects;
mod expressions;
mod files;
mod forgotten;
mod functions;
mod input;
mod iteration;
mod library;
mod machine;
mod modules;
mod network;
mod pure;
mod run;
mod state;
mod statements;
mod streams;

use aegish_code_effects as effect;
use aegish_code_effects::{decode, operand};
use aegish_code_memory::{heap, limits, lines, numbers, reference, scope, value};
use aegish_code_parsers::{ir, language, lowering};

use crate::effect::{CodeContext, CodeEffect};
use crate::heap::{Binding, Cell, Heap};
use crate::ir::{Name, Program};
use crate::language::Language;
use crate::limits::{MAX_EFFECTS, UNROLL_STEPS};
use crate::lowering::Lowering;
use crate::reference::Ref;
use crate::scope::{Scope, ScopeKind};
use crate::value::{Closure, Val, join};
use aegish_values::{Source, Value};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

pub use crate::value::STDIN;
pub use attributes::{is_environment, library_base};
pub use classes::MAX_INSTANCES;
pub use dialect::Dialect;
pub use effects::parent_process;
pub use run::interprets;
pub use state::State;
pub use statements::truth_of_object;

/// Whether the statement behind is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    Next,
    Stop,
}

/// A call of a function of the program.
pub struct Frame {
    pub function: u32,
    pub args: crate::value::Args,
    pub widened: bool,
    pub base: usize,
    pub exits: Vec<crate::heap::Changes>,
    pub returned: Option<Val>,
    /// The list of what a generator gives.
    pub yields: Option<Ref>,
    pub class: Option<Rc<crate::value::ClassValue>>,
    /// The first argument: the instance of a method.
    pub first: Option<Val>,
}

/// What `break` and `continue` go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LoopKind {
    Loop,
    Switch,
    Label,
}

/// A loop, or another statement that `break` leaves.
pub struct Loop {
    kind: LoopKind,
    label: Option<Name>,
    base: usize,
    iteration: usize,
    breaks: Vec<crate::heap::Changes>,
    continues: Vec<crate::heap::Changes>,
}

/// The abstract interpreter of one piece of code.
pub struct Interpreter<'a> {
    pub language: Language,
    dialect: &'static dyn Dialect,
    pub around: &'a CodeContext<'a>,
    pub heap: Heap,
    pub scope: Rc<Scope>,
    pub effects: Vec<CodeEffect>,
    pub lowering: &'a mut Lowering,
    pub fuel: u64,
    /// Steps left for loops that are followed one by one.
    unroll: u64,
    pub open: bool,
    depth: u32,
    pub frames: Vec<Frame>,
    pub loops: Vec<Loop>,
    pub functions: Vec<Rc<Closure>>,
    /// Instances of classes of the program, with the cell of the class.
    pub instances: Vec<(Ref, Val)>,
    called: HashSet<u32>,
    /// Inside of how many branches that may not be taken.
    pub uncertain: u32,
    pub endless: u32,
    pub evals: u32,
    /// Following a function that the program does not call. Its unknown parameters are not reported.
    pub uncalled: bool,
    pub connected: bool,
    pub peer: String,
    pub attached: bool,
    pub piped: bool,
    /// The printed text, while it is fully known.
    pub printed: Option<String>,
    /// The cell of the working directory, which is empty until the program changes it.
    directory: Ref,
    announced_directory: Value,
    /// Attributes of libraries that the program sets.
    overrides: HashMap<String, Ref>,
    /// Functions that libraries were handed.
    /// Functions that libraries got, with the root of the library.
    pub(crate) listeners: Vec<(String, Val)>,
    registered: Vec<Val>,
    /// Open files of which lines were read.
    lines_read: HashSet<usize>,
    /// Functions that get what the program throws and nothing catches.
    pub hooks: Vec<Val>,
    /// Libraries that were given texts of the program.
    fed: HashSet<String>,
    /// Following a call that only the name of a method describes.
    guessed: bool,
    /// Modules of the session by their files, and files that are being loaded.
    modules: HashMap<String, Val>,
    loading: Vec<String>,
    /// Links that the program makes: name and target.
    pub links: Vec<(String, Value)>,
    /// Files opened by a call: the effect is the same when the call is followed again.
    pub opened: HashMap<(u32, String, bool), usize>,
    pub site: u32,
    /// The label of the statement that follows.
    label: Option<Name>,
    /// What the statements of a `try` throw.
    pub thrown: Option<Val>,
    /// Callbacks that run after the statements: what they belong to, the function and its arguments.
    pub deferred: std::collections::VecDeque<(Option<Val>, Val, crate::value::Args)>,
    /// Callbacks that ran, by their function.
    ran: Vec<(Val, crate::value::Args)>,
    /// The program uses the line that an option of the interpreter reads, so it runs for each.
    pub reads_line: bool,
    /// Cells to give back what they held when the present function ends.
    pub locals: Vec<(Ref, Cell)>,
    /// Parameters of the next function that are other names of variables of the caller.
    pub references: Vec<(Name, Ref)>,
    /// What the language keeps.
    pub state: State,
}

impl<'a> Interpreter<'a> {
    pub fn new(
        language: Language,
        dialect: &'static dyn Dialect,
        around: &'a CodeContext<'a>,
        lowering: &'a mut Lowering,
        program: &Program,
    ) -> Self {
        let mut heap = Heap::default();
        let directory = heap.alloc(Cell::Variable(Binding::Bound(Val::text(""))));
        Self {
            language,
            dialect,
            around,
            heap,
            scope: Scope::new(None, ScopeKind::Program),
            effects: Vec::new(),
            lowering,
            fuel: 40_000 + 30 * program.size,
            unroll: UNROLL_STEPS,
            open: program.cut,
            depth: 0,
            frames: Vec::new(),
            loops: Vec::new(),
            functions: Vec::new(),
            instances: Vec::new(),
            called: HashSet::new(),
            uncertain: 0,
            endless: 0,
            evals: 0,
            uncalled: false,
            connected: false,
            listeners: Vec::new(),
            registered: Vec::new(),
            peer: String::new(),
            attached: false,
            piped: false,
            printed: Some(String::new()),
            directory,
            announced_directory: Value::empty(),
            overrides: HashMap::new(),
            lines_read: HashSet::new(),
            hooks: Vec::new(),
            fed: HashSet::new(),
            guessed: false,
            modules: HashMap::new(),
            loading: Vec::new(),
            links: Vec::new(),
            opened: HashMap::new(),
            site: 0,
            label: None,
            thrown: None,
            deferred: std::collections::VecDeque::new(),
            ran: Vec::new(),
            reads_line: false,
            locals: Vec::new(),
            references: Vec::new(),
            state: State::default(),
        }
    }

    /// Follows a program and returns its effects.
    pub fn run(mut self, program: &Program) -> Vec<CodeEffect> {
        self.dialect.start(&mut self);
        self.block(&program.body);
        if self.reads_line {
            self.repeated(&mut |this| {
                this.block(&program.body);
            });
        }
        self.run_deferred();
        self.follow_uncalled();
        self.run_deferred();
        self.finish()
    }

    /// Reads a text as code of the language.
    pub fn lower(&mut self, code: &str) -> Program {
        self.language.lower(code, self.lowering)
    }

    /// Takes fuel; false when there is none left.
    pub fn burn(&mut self, amount: usize) -> bool {
        let amount = u64::try_from(amount).unwrap_or(u64::MAX);
        self.unroll = self.unroll.saturating_sub(amount);
        self.fuel = self.fuel.saturating_sub(amount);
        if self.fuel == 0 {
            self.open = true;
        }
        self.fuel > 0
    }

    /// Adds an effect.
    pub fn record(&mut self, effect: CodeEffect) {
        if matches!(
            effect,
            CodeEffect::Shell(_)
                | CodeEffect::Argv(_)
                | CodeEffect::Script(..)
                | CodeEffect::Eval(..)
        ) {
            let directory = self.working_directory();
            if directory != self.announced_directory {
                self.announced_directory = directory.clone();
                self.effects.push(CodeEffect::Chdir(directory));
            }
        }
        // Bounded: only repetitions are left out.
        let repeated = self.effects.iter().rev().take(64).any(|known| *known == effect);
        if self.effects.len() >= MAX_EFFECTS {
            self.open = true;
        } else if !repeated {
            self.effects.push(effect);
        }
    }

    /// The working directory; empty if it is that of the command.
    pub fn working_directory(&self) -> Value {
        match self.heap.variable(self.directory) {
            Binding::Bound(value) | Binding::Maybe(value) => value.to_text(),
            Binding::Unbound => Value::empty(),
        }
    }

    pub fn lookup(&mut self, name: &Name) -> Val {
        self.dialect.lookup(self, name)
    }

    /// The value of a variable, where the languages agree.
    pub fn plain_lookup(&mut self, name: &Name) -> Val {
        let mut found: Option<Val> = None;
        let mut scope = Some(Rc::clone(&self.scope));
        let mut innermost = true;
        while let Some(at) = scope.take() {
            if (innermost || at.kind != ScopeKind::Class)
                && !(innermost && at.is_outer(name))
                && let Some(place) = at.find(name)
            {
                match self.heap.variable(place) {
                    Binding::Unbound => {}
                    Binding::Bound(value) => {
                        return found.map_or(value.clone(), |found| join(&found, &value));
                    }
                    Binding::Maybe(value) => {
                        found = Some(found.map_or(value.clone(), |found| join(&found, &value)));
                    }
                }
            }
            innermost &= at.kind == ScopeKind::Comprehension;
            scope = at.parent.clone();
        }
        let outside = self.dialect.builtin(self, name);
        match found {
            // A name that is bound in a branch and unknown otherwise is used where it is bound.
            Some(found) if !self.is_known_path(name) => found,
            Some(found) => join(&found, &outside),
            None => outside,
        }
    }

    pub fn bind(&mut self, name: &Name, value: Val) {
        self.dialect.bind(self, name, value);
    }

    /// Sets a variable, where the languages agree.
    pub fn plain_bind(&mut self, name: &Name, value: Val) {
        let mut scope = Rc::clone(&self.scope);
        if scope.is_outer(name) {
            let mut outer = scope.parent.clone();
            scope = scope.program();
            while let Some(at) = outer.take() {
                if at.kind == ScopeKind::Function && at.find(name).is_some() {
                    scope = at;
                    break;
                }
                outer = at.parent.clone();
            }
        }
        self.bind_in(&scope, name, value);
    }

    /// Changes a variable where it is declared.
    pub fn bind_nearest(&mut self, name: &Name, value: Val) {
        self.dialect.bind_nearest(self, name, value);
    }

    pub(crate) fn plain_bind_nearest(&mut self, name: &Name, value: Val) {
        let mut scope = Rc::clone(&self.scope);
        while scope.find(name).is_none() || scope.kind == ScopeKind::Class {
            let Some(parent) = scope.parent.clone() else { break };
            scope = parent;
        }
        self.bind_in(&scope, name, value);
    }

    /// Follows something in a scope of its own.
    pub fn scoped<T>(&mut self, follow: impl FnOnce(&mut Self) -> T) -> T {
        let scope = Scope::new(Some(Rc::clone(&self.scope)), ScopeKind::Block);
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = follow(self);
        let scope = std::mem::replace(&mut self.scope, outer);
        self.release(&scope);
        result
    }

    /// The variables of a scope that ended are no reason to follow a loop again.
    pub(crate) fn release(&mut self, scope: &Rc<Scope>) {
        if !self.dialect.aliases_variables() {
            self.heap.release(scope);
        }
    }

    /// The value in a form that is cheap to compare.
    pub fn compact(&mut self, value: Val) -> Val {
        match value {
            Val::Tuple(items) if items.len() > 64 || Val::Tuple(Rc::clone(&items)).is_large() => {
                self.heap.list(crate::heap::Items { list: items.to_vec(), rest: None })
            }
            // Forgetting looks into the value; a function may be anywhere in it.
            value if value.is_large() => {
                Val::Unknown(aegish_values::Taint::none(), crate::value::Forgotten::Callable)
            }
            other => other,
        }
    }

    pub fn bind_in(&mut self, scope: &Scope, name: &Name, value: Val) {
        let value = self.compact(value);
        let place = match scope.find(name) {
            Some(place) => place,
            None => {
                let place = self.heap.alloc(Cell::Variable(Binding::Unbound));
                scope.insert_own(name.clone(), place);
                place
            }
        };
        self.heap.write(place, Cell::Variable(Binding::Bound(value)));
    }

    pub fn env(&mut self, name: &str) -> Val {
        if let Some(value) = self.overridden(&format!("os.environ.{name}")) {
            return value;
        }
        match (self.around.env)(name) {
            Some(value) => Val::text(value),
            None => Val::from_source("environment", Source::Environment(name.to_owned())),
        }
    }

    /// What the program stored as an attribute of a library.
    pub fn overridden(&self, path: &str) -> Option<Val> {
        match self.heap.variable(*self.overrides.get(path)?) {
            Binding::Unbound => None,
            Binding::Bound(value) | Binding::Maybe(value) => Some(value),
        }
    }

    pub fn override_library(&mut self, path: String, value: Val) {
        let heap = &mut self.heap;
        let place = *self
            .overrides
            .entry(path)
            .or_insert_with(|| heap.alloc(Cell::Variable(Binding::Unbound)));
        self.heap.write(place, Cell::Variable(Binding::Bound(value)));
    }

    /// Data that the peer sends.
    pub fn received(&self) -> Val {
        Val::from_source("received", Source::Network(self.peer.clone()))
    }

    /// Records printed text; none for unknown text.
    pub fn print(&mut self, text: Option<&str>) {
        match (text, &mut self.printed) {
            (Some(text), Some(all))
                if self.uncertain == 0
                    && !self.uncalled
                    && all.len() + text.len() <= crate::decode::LIMIT =>
            {
                all.push_str(text);
            }
            _ => self.printed = None,
        }
    }

    /// Ends the evaluation and returns the effects.
    fn finish(mut self) -> Vec<CodeEffect> {
        if self.piped && self.connected && !self.attached {
            self.effects.push(CodeEffect::AttachStdio);
        }
        if self.open {
            self.effects.push(CodeEffect::Hidden);
        }
        let noisy = self.effects.iter().any(|effect| {
            matches!(
                effect,
                CodeEffect::Shell(_)
                    | CodeEffect::Argv(_)
                    | CodeEffect::Eval(..)
                    | CodeEffect::Script(..)
                    | CodeEffect::Hidden
                    | CodeEffect::RunReceived
            )
        });
        if let Some(text) = self.printed.take()
            && !text.is_empty()
            && !noisy
        {
            self.effects.push(CodeEffect::Print(text));
        }
        self.effects
    }
}
