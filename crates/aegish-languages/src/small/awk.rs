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
use std::collections::HashMap;

/// Longest statement that is followed, in tokens.
const LOOK: usize = 512;

pub(super) fn awk(code: &str, around: &CodeContext<'_>, effects: &mut Vec<CodeEffect>) {
    let tokens = tokens(code);
    let mut variables = HashMap::new();
    for value in around.args {
        if let Some((name, text)) = value.as_known().and_then(|text| text.split_once('=')) {
            variables.insert(name.to_owned(), known(text));
        }
    }
    AwkScan { tokens: &tokens, variables, around, effects, connected: Vec::new() }.run();
}

struct AwkScan<'a> {
    tokens: &'a [Token],
    variables: HashMap<String, Value>,
    around: &'a CodeContext<'a>,
    effects: &'a mut Vec<CodeEffect>,
    /// Network files already reported.
    connected: Vec<Value>,
}

impl<'a> AwkScan<'a> {
    fn token(&self, at: usize) -> Option<&'a Token> {
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
        let Some(Token::Name(name)) = at.checked_sub(1).and_then(|before| self.token(before))
        else {
            return;
        };
        let end = self.expression_end(at + 1);
        let value = self.value(at + 1, end);
        self.variables.insert(name.clone(), value);
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
    fn closing(&self, open: usize) -> usize {
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

    fn expression_end(&self, begin: usize) -> usize {
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
    fn value(&self, begin: usize, end: usize) -> Value {
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
                    } else if next.is_some_and(|token| token.is("(") || token.is("[")) {
                        out.push(Piece::Unknown("computed"));
                        at = self.closing(at + 1);
                    } else {
                        match self.variables.get(name) {
                            Some(value) => out.append(value),
                            None => out.push(Piece::Unknown(origin::VARIABLE)),
                        }
                    }
                }
                Some(Token::Op("$")) => {
                    out.push(Piece::Unknown(origin::INPUT_FIELD));
                    at += 1;
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

    /// `sprintf` with `%s` and `%d`.
    fn formatted(&self, begin: usize, end: usize) -> Value {
        let Some(Token::Text(format)) = self.token(begin) else {
            return Value::unknown("formatted text");
        };
        let mut arguments = Vec::new();
        let mut at = begin + 1;
        while at < end && self.token(at).is_some_and(|token| token.is(",")) {
            let stop = self.expression_end(at + 1).min(end);
            arguments.push(self.value(at + 1, stop));
            at = stop;
        }
        let mut arguments = arguments.into_iter();
        let mut out = Value::empty();
        let mut pieces = format.split('%');
        out.push_str(pieces.next().unwrap_or(""));
        while let Some(piece) = pieces.next() {
            if piece.is_empty() {
                out.push_str("%");
                out.push_str(pieces.next().unwrap_or(""));
                continue;
            }
            match (piece.strip_prefix(['s', 'd']), arguments.next()) {
                (Some(tail), Some(value)) => {
                    out.append(&value);
                    out.push_str(tail);
                }
                _ => out.push(Piece::Unknown("formatted text")),
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
