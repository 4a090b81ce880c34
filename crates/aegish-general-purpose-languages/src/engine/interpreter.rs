//! The state of the abstract interpreter: variables, functions, effects, remaining fuel.

use super::dialect::Dialect;
use super::lex::Token;
use super::object::Object;
use crate::{CodeContext, CodeEffect};
use aegish_values::{Source, Taint, Value, origin};
use std::collections::HashMap;

/// Most effects of a text, and most items of a list that are followed.
const MOST: usize = 4096;

/// A function whose body is evaluated when it is called.
#[derive(Debug, Clone)]
pub(super) struct Lambda {
    pub(super) params: Vec<String>,
    /// Its tokens in the top-level text.
    pub(super) body: (usize, usize),
    pub(super) called: bool,
    pub(super) active: bool,
    /// How often it has been called.
    pub(super) count: u32,
}

/// An abstract interpreter for one piece of code.
pub(super) struct Interpreter<'a> {
    pub(super) dialect: &'static Dialect,
    pub(super) around: &'a CodeContext<'a>,
    pub(super) top: &'a [Token<'a>],
    pub(super) vars: HashMap<String, Object>,
    pub(super) effects: Vec<CodeEffect>,
    pub(super) lambdas: Vec<Lambda>,
    pub(super) depth: u32,
    pub(super) fuel: u64,
    /// Fuel reserved for evaluating everything once.
    pub(super) reserve: u64,
    pub(super) out_of_fuel: bool,
    /// Whether a connection was opened; its peer, as far as it is known.
    pub(super) conn: bool,
    pub(super) peer: String,
    /// Standard streams are attached to the connection.
    pub(super) attached: bool,
    /// A stream of a shell process is connected to something unknown.
    pub(super) piped: bool,
    /// The argument that functions passed to the current call receive.
    pub(super) callback: Object,
    pub(super) returned: Option<Object>,
    /// Inside a function that is not called. Its unknown parameters are not reported.
    pub(super) uncalled: bool,
    /// The printed text, while it is fully known.
    pub(super) printed: Option<String>,
    /// The end of an endless loop, as an index of a top-level token.
    pub(super) endless: usize,
    /// The current statement started a new process.
    pub(super) forked: bool,
    /// The index of the top-level token that the current statement starts with.
    pub(super) here: usize,
    /// The left side of a `|>`, for the call on its right.
    pub(super) injected: Option<Object>,
    /// The next block is evaluated once per item.
    pub(super) mapping: bool,
    /// Modules imported with `*`.
    pub(super) stars: Vec<String>,
    /// The directory that the code has changed to; empty for the one it started in.
    pub(super) directory: Value,
}

impl<'a> Interpreter<'a> {
    pub(super) fn new(
        dialect: &'static Dialect,
        around: &'a CodeContext<'a>,
        top: &'a [Token<'a>],
    ) -> Self {
        Self {
            dialect,
            around,
            top,
            vars: HashMap::new(),
            effects: Vec::new(),
            lambdas: Vec::new(),
            depth: 0,
            fuel: 40_000 + 40 * top.len() as u64,
            reserve: 10_000 + 20 * top.len() as u64,
            out_of_fuel: false,
            conn: false,
            peer: String::new(),
            attached: false,
            piped: false,
            callback: Object::Other,
            returned: None,
            uncalled: false,
            printed: Some(String::new()),
            endless: 0,
            forked: false,
            here: 0,
            injected: None,
            mapping: false,
            stars: Vec::new(),
            directory: Value::empty(),
        }
    }

    /// Takes fuel; false when there is none left.
    pub(super) fn burn(&mut self, amount: usize) -> bool {
        self.fuel = self.fuel.saturating_sub(amount as u64);
        if self.fuel == 0 {
            self.out_of_fuel = true;
        }
        self.fuel > 0
    }

    pub(super) fn set(&mut self, name: &str, value: Object) {
        if let Some(slot) = self.vars.get_mut(name) {
            *slot = value;
        } else {
            self.vars.insert(name.to_owned(), value);
        }
    }

    /// Adds an effect.
    pub(super) fn record(&mut self, effect: CodeEffect) {
        // Bounded: loops and comprehensions give the same effect many times; only repetitions are left out.
        let repeated = self.effects.iter().rev().take(16).any(|known| *known == effect);
        if self.effects.len() >= MOST {
            self.out_of_fuel = true;
        } else if !repeated {
            self.effects.push(effect);
        }
    }

    /// How many of these items are followed. Leaving some out counts as code that was not read.
    pub(super) fn followed(&mut self, items: usize) -> usize {
        self.out_of_fuel |= items > MOST;
        items.min(MOST)
    }

    /// The data that the peer sends.
    pub(super) fn received(&self) -> Object {
        Object::from_source("received", Source::Network(self.peer.clone()))
    }

    /// The content of a file.
    pub(super) fn content_of(path: &Value) -> Object {
        Object::from_source(origin::FILE_CONTENT, Source::File(path.to_string()))
    }

    /// The content of standard input.
    pub(super) fn stdin(&self) -> Object {
        if self.attached { self.received() } else { Object::Text(Value::unknown("input")) }
    }

    pub(super) fn env(&self, name: &str) -> Object {
        match (self.around.env)(name) {
            Some(value) => Object::known(value),
            None => Object::from_source("environment", Source::Environment(name.to_owned())),
        }
    }

    /// The path of an open file and whether it is being written.
    pub(super) fn opened(&self, index: usize) -> Option<(Value, bool)> {
        match self.effects.get(index)? {
            CodeEffect::Read(path) => Some((path.clone(), false)),
            CodeEffect::Write { path, .. } => Some((path.clone(), true)),
            _ => None,
        }
    }

    /// Records that content was written to an open file.
    pub(super) fn add_content(&mut self, index: usize, more: &Value) {
        if let Some(CodeEffect::Write { content, .. }) = self.effects.get_mut(index)
            && content.pieces().len() < 64
            && content.known_prefix().len() < super::decode::LIMIT
        {
            content.append(more);
        }
    }

    /// Records printed text; `None` for unknown text.
    pub(super) fn print(&mut self, text: Option<&str>) {
        match (text, &mut self.printed) {
            (Some(text), Some(all)) if all.len() + text.len() <= super::decode::LIMIT => {
                all.push_str(text);
            }
            (_, printed) => *printed = None,
        }
    }

    /// Ends the evaluation and returns the effects.
    pub(super) fn finish(mut self) -> Vec<CodeEffect> {
        if self.piped && self.conn && !self.attached {
            self.effects.push(CodeEffect::AttachStdio);
        }
        if self.out_of_fuel {
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

/// The sources of all values of a list.
pub(super) fn taint_of(items: &[Object]) -> Taint {
    let mut taint = Taint::none();
    for item in items {
        match item {
            Object::List(inner) => taint.absorb(&taint_of(inner)),
            other => taint.absorb(other.text().taint()),
        }
    }
    taint
}
