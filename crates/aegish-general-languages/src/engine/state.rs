//! What the walker remembers: variables, functions, effects, and how much work is left.

use super::dialect::Dialect;
use super::lex::{Kind, Tok};
use super::obj::Obj;
use crate::{CodeEffect, Surroundings};
use aegish_values::{Source, Taint, Value};
use std::collections::HashMap;

/// A function whose body is looked at when it is called.
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

/// The state of a walk through one piece of code.
pub(super) struct Machine<'a> {
    pub(super) d: &'static Dialect,
    pub(super) around: &'a Surroundings<'a>,
    pub(super) top: &'a [Tok<'a>],
    pub(super) vars: HashMap<String, Obj>,
    pub(super) acts: Vec<CodeEffect>,
    pub(super) lambdas: Vec<Lambda>,
    pub(super) depth: u32,
    pub(super) fuel: u64,
    /// Fuel kept for walking everything once.
    pub(super) reserve: u64,
    pub(super) starved: bool,
    /// A connection exists; its peer, as far as known.
    pub(super) conn: bool,
    pub(super) peer: String,
    /// Standard streams have been put onto the connection.
    pub(super) attached: bool,
    /// A stream of a shell process has been tied to something unknown.
    pub(super) piped: bool,
    /// What functions passed to the call at hand will receive.
    pub(super) callback: Obj,
    pub(super) returned: Option<Obj>,
    /// Inside a function that nobody calls: unknown parameters prove nothing.
    pub(super) quiet: bool,
    /// What has been printed, while it is known.
    pub(super) printed: Option<String>,
    /// Until which top-level token an endless loop reaches.
    pub(super) endless: usize,
    /// A new process was started in the statement at hand.
    pub(super) forked: bool,
    /// Perl: the variable or bareword that the call at hand opens.
    pub(super) handle: Option<String>,
    /// The top-level token the statement at hand starts with.
    pub(super) here: usize,
    /// The left side of a `|>` that waits for its call.
    pub(super) injected: Option<Obj>,
    /// The block that follows is to be run once per item.
    pub(super) mapping: bool,
    /// Modules whose names were imported wholesale.
    pub(super) stars: Vec<String>,
}

/// A place in a list of tokens.
pub(super) struct Cur<'t> {
    pub(super) toks: &'t [Tok<'t>],
    pub(super) pos: usize,
    pub(super) end: usize,
    /// Inside brackets, where line ends mean nothing.
    pub(super) wrap: bool,
    /// The tokens are those of the whole text, so that ranges of them can be remembered.
    pub(super) top: bool,
}

impl<'t> Cur<'t> {
    pub(super) fn new(toks: &'t [Tok<'t>], top: bool) -> Self {
        Self { toks, pos: 0, end: toks.len(), wrap: false, top }
    }

    /// A cursor for a part of the same tokens.
    pub(super) fn part(&self, from: usize, to: usize, wrap: bool) -> Self {
        Self { toks: self.toks, pos: from, end: to.min(self.end), wrap, top: self.top }
    }

    /// The token at hand; inside brackets line ends are passed over.
    pub(super) fn peek(&mut self) -> Option<&'t Tok<'t>> {
        while self.wrap
            && self.pos < self.end
            && self.toks.get(self.pos).is_some_and(|t| t.kind == Kind::Line)
        {
            self.pos += 1;
        }
        self.at(0)
    }

    /// The token some places ahead, whatever it is.
    pub(super) fn at(&self, ahead: usize) -> Option<&'t Tok<'t>> {
        let place = self.pos + ahead;
        if place < self.end { self.toks.get(place) } else { None }
    }

    pub(super) fn is_op(&self, ahead: usize, text: &str) -> bool {
        self.at(ahead).is_some_and(|t| t.kind == Kind::Op && t.text == text)
    }

    pub(super) fn is_name(&self, ahead: usize, text: &str) -> bool {
        self.at(ahead).is_some_and(|t| t.kind == Kind::Name && t.text == text)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.is_op(0, text);
        if found {
            self.pos += 1;
        }
        found
    }

    /// Where the bracket at hand closes.
    pub(super) fn mate(&self) -> usize {
        self.at(0).map_or(
            self.end,
            |t| {
                if t.mate > self.pos { t.mate.min(self.end) } else { self.end }
            },
        )
    }

    pub(super) fn skip_lines(&mut self) {
        while self.at(0).is_some_and(|t| t.kind == Kind::Line) {
            self.pos += 1;
        }
    }
}

impl<'a> Machine<'a> {
    pub(super) fn new(
        d: &'static Dialect,
        around: &'a Surroundings<'a>,
        top: &'a [Tok<'a>],
    ) -> Self {
        Self {
            d,
            around,
            top,
            vars: HashMap::new(),
            acts: Vec::new(),
            lambdas: Vec::new(),
            depth: 0,
            fuel: 40_000 + 40 * top.len() as u64,
            reserve: 10_000 + 20 * top.len() as u64,
            starved: false,
            conn: false,
            peer: String::new(),
            attached: false,
            piped: false,
            callback: Obj::Other,
            returned: None,
            quiet: false,
            printed: Some(String::new()),
            endless: 0,
            forked: false,
            handle: None,
            here: 0,
            injected: None,
            mapping: false,
            stars: Vec::new(),
        }
    }

    /// Takes fuel; false when there is none left.
    pub(super) fn burn(&mut self, amount: usize) -> bool {
        self.fuel = self.fuel.saturating_sub(amount as u64);
        if self.fuel == 0 {
            self.starved = true;
        }
        self.fuel > 0
    }

    pub(super) fn set(&mut self, name: &str, value: Obj) {
        if let Some(slot) = self.vars.get_mut(name) {
            *slot = value;
        } else {
            self.vars.insert(name.to_owned(), value);
        }
    }

    pub(super) fn kind(&mut self, kind: CodeEffect) {
        // Loops and comprehensions may meet the same act again and again.
        if self.acts.len() < 4096 && self.acts.iter().rev().take(16).all(|known| *known != kind) {
            self.acts.push(kind);
        }
    }

    /// Whatever the peer sends.
    pub(super) fn received(&self) -> Obj {
        Obj::from_source("received", Source::Network(self.peer.clone()))
    }

    /// The content of a file.
    pub(super) fn content_of(path: &Value) -> Obj {
        Obj::from_source("file content", Source::File(path.to_string()))
    }

    /// What standard input gives.
    pub(super) fn stdin(&self) -> Obj {
        if self.attached { self.received() } else { Obj::Text(Value::unknown("input")) }
    }

    pub(super) fn env(&self, name: &str) -> Obj {
        match (self.around.env)(name) {
            Some(value) => Obj::known(value),
            None => Obj::from_source("environment", Source::Environment(name.to_owned())),
        }
    }

    /// The path of an open file and whether it is being written.
    pub(super) fn opened(&self, index: usize) -> Option<(Value, bool)> {
        match self.acts.get(index)? {
            CodeEffect::Read(path) => Some((path.clone(), false)),
            CodeEffect::Write { path, .. } => Some((path.clone(), true)),
            _ => None,
        }
    }

    /// Something was written to an open file.
    pub(super) fn add_content(&mut self, index: usize, more: &Value) {
        if let Some(CodeEffect::Write { content, .. }) = self.acts.get_mut(index)
            && content.pieces().len() < 64
            && content.known_prefix().len() < super::decode::LIMIT
        {
            content.append(more);
        }
    }

    /// Notes printed text; `None` for anything unknown.
    pub(super) fn print(&mut self, text: Option<&str>) {
        match (text, &mut self.printed) {
            (Some(text), Some(all)) if all.len() + text.len() <= super::decode::LIMIT => {
                all.push_str(text);
            }
            (_, printed) => *printed = None,
        }
    }

    /// The effects, once the walk is over.
    pub(super) fn finish(mut self) -> Vec<CodeEffect> {
        if self.piped && self.conn && !self.attached {
            self.acts.push(CodeEffect::AttachStdio);
        }
        if self.starved {
            self.acts.push(CodeEffect::Hidden);
        }
        let noisy = self.acts.iter().any(|kind| {
            matches!(
                kind,
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
            self.acts.push(CodeEffect::Print(text));
        }
        self.acts
    }
}

/// Everything a list of values came from.
pub(super) fn taint_of(items: &[Obj]) -> Taint {
    let mut taint = Taint::none();
    for item in items {
        match item {
            Obj::List(inner) => taint.absorb(&taint_of(inner)),
            other => taint.absorb(other.text().taint()),
        }
    }
    taint
}
