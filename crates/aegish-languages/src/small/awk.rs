//! awk: `system`, pipes, coprocesses, redirections, gawk's network files.
//!
//! `>` redirects only after `print` and `printf` and outside of brackets; elsewhere it compares. Variables
//! are followed from assignments of concatenated literals; assignments on the command line arrive as
//! `name=value` among the arguments.

use super::awk_lex::{Token, tokens};
use super::{is_stream, known};
use crate::{CodeContext, CodeEffect};
use aegish_profiles::Lang;
use aegish_values::{Piece, Source, Taint, Value, origin};
use std::cell::Cell;
use std::collections::HashMap;

/// Longest statement that is followed, in tokens.
pub(super) const LOOK: usize = 512;

pub(super) fn awk(code: &str, around: &CodeContext<'_>, effects: &mut Vec<CodeEffect>) {
    let tokens = tokens(code);
    let mut variables = HashMap::new();
    for value in around.args {
        if let Some((name, text)) = value.as_known().and_then(|text| text.split_once('=')) {
            variables.insert(name.to_owned(), known(text));
        }
    }
    AwkScan {
        tokens: &tokens,
        variables,
        around,
        effects,
        connected: Vec::new(),
        depth: Cell::new(0),
    }
    .run();
}

pub(super) struct AwkScan<'a> {
    pub(super) tokens: &'a [Token],
    pub(super) variables: HashMap<String, Value>,
    pub(super) around: &'a CodeContext<'a>,
    pub(super) effects: &'a mut Vec<CodeEffect>,
    /// Network files already reported.
    pub(super) connected: Vec<Value>,
    /// Calls inside of calls that are now computed.
    pub(super) depth: Cell<usize>,
}

impl<'a> AwkScan<'a> {
    pub(super) fn token(&self, at: usize) -> Option<&'a Token> {
        self.tokens.get(at)
    }

    fn run(&mut self) {
        let mut at = 0;
        while let Some(token) = self.token(at) {
            match token {
                Token::Name(name) => self.name(name, at),
                Token::Op("|" | "|&") => self.pipe_to_getline(at),
                Token::Op("@") => self.directive(at),
                Token::Op("=") => self.assignment(at),
                _ => {}
            }
            at += 1;
        }
    }

    fn name(&mut self, name: &str, at: usize) {
        match name {
            "system" if self.token(at + 1).is_some_and(|token| token.is("(")) => {
                let end = self.closing(at + 1);
                let value = self.value(at + 2, end);
                self.execute(value);
            }
            "split" if self.token(at + 1).is_some_and(|token| token.is("(")) => self.split(at),
            "print" | "printf" => self.output(at),
            "getline" => {
                // `getline < file`, `getline variable < file`
                let mut here = at + 1;
                if matches!(self.token(here), Some(Token::Name(_))) {
                    here += 1;
                }
                if self.token(here).is_some_and(|token| token.is("<")) {
                    let end = self.expression_end(here + 1);
                    let path = self.value(here + 1, end);
                    match network(&path) {
                        Some(kind) => self.connect(path, kind),
                        None => self.effects.push(CodeEffect::Read(path)),
                    }
                }
            }
            _ => {}
        }
    }

    /// `@load "x"`, `@include "x"`
    fn directive(&mut self, at: usize) {
        let (Some(Token::Name(name)), Some(Token::Text(text))) =
            (self.token(at + 1), self.token(at + 2))
        else {
            return;
        };
        match name.as_str() {
            "load" => self.effects.push(CodeEffect::Load(known(text))),
            "include" => self.effects.push(CodeEffect::Script(Lang::Awk, known(text))),
            _ => {}
        }
    }

    fn assignment(&mut self, at: usize) {
        let end = self.expression_end(at + 1);
        match at.checked_sub(1).and_then(|before| self.token(before)) {
            Some(Token::Name(name)) => {
                let value = self.value(at + 1, end);
                self.variables.insert(name.clone(), value);
            }
            // `name[index] = value`
            Some(Token::Op("]")) => {
                let open = self.opening(at - 1);
                if let Some(Token::Name(name)) = open.checked_sub(1).and_then(|at| self.token(at)) {
                    let value = self.value(at + 1, end);
                    // What stands among the words of the program is a file that it reads, or an assignment.
                    let assigns =
                        value.as_known().is_some_and(|text| text.is_empty() || text.contains('='));
                    if name == "ARGV" && !assigns {
                        self.effects.push(CodeEffect::Read(value.clone()));
                    }
                    self.element(name, value);
                }
            }
            _ => {}
        }
    }

    /// `command | getline`, `command |& getline`
    fn pipe_to_getline(&mut self, at: usize) {
        if !self.token(at + 1).is_some_and(|token| token.named("getline")) {
            return;
        }
        let begin = self.expression_begin(at);
        let value = self.value(begin, at);
        let target = match self.token(at + 2) {
            Some(Token::Name(name)) => Some(name.clone()),
            _ => None,
        };
        if let Some(kind) = network(&value) {
            self.connect(value, kind);
            if let Some(name) = target {
                let taint = Taint::from(Source::Network("awk network file".to_owned()));
                self.variables.insert(name, Value::unknown("received").tainted(&taint));
            }
        } else {
            self.execute(value);
        }
    }

    /// `print … > file`, `print … | command`
    fn output(&mut self, at: usize) {
        let mut depth = 0usize;
        let mut here = at + 1;
        let (operator, place) = loop {
            match self.token(here) {
                None | Some(Token::Line) => return,
                _ if here > at + LOOK => return,
                Some(Token::Op("(" | "[")) => depth += 1,
                Some(Token::Op(")" | "]")) => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return,
                },
                Some(Token::Op(";" | "}")) => return,
                Some(Token::Op(op @ (">" | ">>" | "|" | "|&"))) if depth == 0 => break (*op, here),
                Some(_) => {}
            }
            here += 1;
        };
        let target = self.value(place + 1, self.expression_end(place + 1));
        if let Some(kind) = network(&target) {
            self.connect(target, kind);
            return;
        }
        match operator {
            ">" | ">>" => {
                if target.as_known().is_some_and(is_stream) {
                    return;
                }
                let content = if self.token(at).is_some_and(|token| token.named("print")) {
                    self.value(at + 1, place)
                } else {
                    Value::unknown("formatted text")
                };
                self.effects.push(CodeEffect::Write {
                    path: target,
                    content,
                    append: operator == ">>",
                });
            }
            _ => self.execute(target),
        }
    }

    fn execute(&mut self, value: Value) {
        if value.has_unknown() && value.taint().network().is_some() {
            self.effects.push(CodeEffect::RunReceived);
        } else if value.as_known() != Some("") {
            self.effects.push(CodeEffect::Shell(value));
        }
    }

    fn connect(&mut self, value: Value, kind: CodeEffect) {
        if !self.connected.contains(&value) {
            self.connected.push(value);
            self.effects.push(kind);
        }
    }

    /// Where to stop looking ahead. The bound keeps the work linear.
    fn limit(&self, from: usize) -> usize {
        self.tokens.len().min(from + LOOK)
    }

    /// The position of the bracket that closes the one at `open`.
    pub(super) fn closing(&self, open: usize) -> usize {
        let mut depth = 0usize;
        for at in open..self.limit(open) {
            match self.token(at) {
                Some(Token::Op("(" | "[")) => depth += 1,
                Some(Token::Op(")" | "]")) => {
                    depth -= 1;
                    if depth == 0 {
                        return at;
                    }
                }
                _ => {}
            }
        }
        self.limit(open)
    }

    pub(super) fn expression_end(&self, begin: usize) -> usize {
        let mut depth = 0usize;
        for at in begin..self.limit(begin) {
            match self.token(at) {
                Some(Token::Line) => return at,
                Some(Token::Op("(" | "[")) => depth += 1,
                Some(Token::Op(")" | "]")) => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return at,
                },
                Some(Token::Op(
                    ";" | "}" | "{" | "," | "&&" | "||" | "|" | "|&" | ">" | "?" | ":",
                )) if depth == 0 => {
                    return at;
                }
                _ => {}
            }
        }
        self.limit(begin)
    }

    /// The start of the expression that ends before `end`.
    fn expression_begin(&self, end: usize) -> usize {
        let mut depth = 0usize;
        let mut at = end;
        while let Some(before) = at.checked_sub(1).filter(|before| before + LOOK > end) {
            match self.token(before) {
                Some(Token::Line) => return at,
                Some(Token::Op(")" | "]")) => depth += 1,
                Some(Token::Op("(" | "[")) => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return at,
                },
                Some(Token::Op(
                    ";" | "}" | "{" | "," | "&&" | "||" | "=" | "!" | "<" | ">" | "?" | ":",
                )) if depth == 0 => {
                    return at;
                }
                Some(Token::Name(name))
                    if depth == 0
                        && matches!(
                            name.as_str(),
                            "while" | "if" | "else" | "do" | "return" | "print"
                        ) =>
                {
                    return at;
                }
                _ => {}
            }
            at = before;
        }
        at
    }

    /// The value of the concatenation between two positions.
    pub(super) fn value(&self, begin: usize, end: usize) -> Value {
        let mut out = Value::empty();
        let mut at = begin;
        while at < end {
            match self.token(at) {
                Some(Token::Text(text)) => out.push_str(text),
                Some(Token::Number(text)) => out.push_str(text),
                Some(Token::Op("(" | ")")) | Some(Token::Line) => {}
                Some(Token::Name(name)) => {
                    let next = self.token(at + 1);
                    if name == "ENVIRON" && next.is_some_and(|token| token.is("[")) {
                        let value = match self.token(at + 2) {
                            Some(Token::Text(name)) => (self.around.env)(name).map(known),
                            _ => None,
                        };
                        out.append(
                            &value.unwrap_or_else(|| Value::unknown("environment variable")),
                        );
                        at = self.closing(at + 1);
                    } else if name == "sprintf" && next.is_some_and(|token| token.is("(")) {
                        let close = self.closing(at + 1).min(end);
                        out.append(&self.formatted(at + 2, close));
                        at = close;
                    } else if next.is_some_and(|token| token.is("(")) {
                        out.append(&self.computed(name, at + 1));
                        at = self.closing(at + 1);
                    } else if next.is_some_and(|token| token.is("[")) {
                        match self.variables.get(name) {
                            Some(value) => out.append(value),
                            None => out.push(Piece::Unknown("computed")),
                        }
                        at = self.closing(at + 1);
                    } else {
                        match self.variables.get(name) {
                            Some(value) => out.append(value),
                            None => out.push(Piece::Unknown(origin::VARIABLE)),
                        }
                    }
                }
                Some(Token::Op("$")) => {
                    at += 1;
                    let whole = matches!(self.token(at), Some(Token::Number(text)) if text == "0");
                    out.push(Piece::Unknown(if whole {
                        origin::INPUT_LINE
                    } else {
                        origin::INPUT_FIELD
                    }));
                    if self.token(at).is_some_and(|token| token.is("(")) {
                        at = self.closing(at);
                    }
                }
                Some(_) => return Value::unknown("computed"),
                None => break,
            }
            at += 1;
            if out.pieces().len() > 256 {
                return Value::unknown("computed");
            }
        }
        out
    }
}

/// What opening gawk's `/inet/protocol/local/host/remote` does.
fn network(path: &Value) -> Option<CodeEffect> {
    if !path.known_prefix().starts_with("/inet") {
        return None;
    }
    // Only slashes in known text separate fields.
    let mut fields = vec![Value::empty()];
    for piece in path.pieces() {
        if let Piece::Text(text) = piece {
            for (index, part) in text.split('/').enumerate() {
                if index > 0 {
                    fields.push(Value::empty());
                }
                if let Some(field) = fields.last_mut() {
                    field.push_str(part);
                }
            }
        } else if let Some(field) = fields.last_mut() {
            field.push(piece.clone());
        }
    }
    let field = |index: usize| fields.get(index).cloned().unwrap_or_default();
    matches!(field(1).as_known(), Some("inet" | "inet4" | "inet6")).then_some(())?;
    let (local, host, remote) = (field(3), field(4), field(5));
    let open = |value: &Value| matches!(value.as_known(), Some("0" | ""));
    Some(if open(&remote) && !open(&local) {
        CodeEffect::Listen { host: Value::empty(), port: local }
    } else {
        CodeEffect::Connect { host, port: remote }
    })
}
