//! Tcl and Expect: everything is a command made of words.
//!
//! Takes a script, gives effects. A word in braces is a text, unless its command takes code (`while`, `if`,
//! `catch`, …); `[…]` is run in place; `$x` and `"…"` are expanded. Does not follow the parameters of
//! procedures, namespaces, or arithmetic.

use super::decode;
use super::interpreter::Interpreter;
use super::object::Object;
use crate::{CodeContext, CodeEffect};
use aegish_profiles::Lang;

const DEPTH: u32 = 24;

/// What a Tcl or Expect script does.
pub(super) fn scan(code: &str, around: &CodeContext<'_>) -> Vec<CodeEffect> {
    let Some(m) = Interpreter::of_script(Lang::Tcl, code, around) else {
        return Vec::new();
    };
    let mut tcl = Tcl { m, depth: 0 };
    tcl.script(code);
    tcl.m.finish()
}

pub(super) struct Tcl<'a> {
    pub(super) m: Interpreter<'a>,
    depth: u32,
}

/// Where a text with substitutions ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// At the next blank.
    Word,
    /// At the closing quote.
    Quoted,
    /// At its end, as for `subst`.
    Whole,
}

/// A word: its value, and whether it was written in braces.
pub(super) struct TclWord {
    pub(super) value: Object,
    pub(super) braced: bool,
}

impl TclWord {
    pub(super) fn known(&self) -> String {
        self.value.as_known().unwrap_or_default()
    }
}

impl Tcl<'_> {
    /// Runs a script; the value is that of its last command.
    pub(super) fn script(&mut self, code: &str) -> Object {
        if self.depth > DEPTH {
            self.m.out_of_fuel = true;
            return Object::Other;
        }
        self.depth += 1;
        let mut last = Object::Other;
        let mut rest = code;
        while !rest.is_empty() {
            if !self.m.burn(1) {
                break;
            }
            rest = rest.trim_start_matches([' ', '\t', '\n', '\r', ';']);
            if rest.starts_with('#') {
                rest = rest.find('\n').and_then(|n| rest.get(n..)).unwrap_or("");
                continue;
            }
            let (words, after) = self.words(rest);
            if !words.is_empty() {
                last = self.command(&words);
            }
            rest = if after.len() < rest.len() { after } else { rest.get(1..).unwrap_or("") };
        }
        self.depth -= 1;
        last
    }

    /// The words of one command, and what follows it.
    pub(super) fn words<'t>(&mut self, code: &'t str) -> (Vec<TclWord>, &'t str) {
        let mut words = Vec::new();
        let mut rest = code;
        loop {
            rest = rest.trim_start_matches([' ', '\t']);
            if let Some(next) = rest.strip_prefix("\\\n") {
                rest = next;
                continue;
            }
            // `{*}$list`: the items of a list are words of their own.
            if let Some(list) = rest.strip_prefix("{*}")
                && !list.starts_with([' ', '\t', '\n'])
            {
                rest = list;
            }
            match rest.chars().next() {
                None => return (words, ""),
                Some('\n' | ';' | '\r') => return (words, rest.get(1..).unwrap_or("")),
                Some('{') => {
                    let end = close(rest);
                    let text = rest.get(1..end).unwrap_or("");
                    words.push(TclWord { value: Object::known(text), braced: true });
                    rest = rest.get(end + 1..).unwrap_or("");
                }
                Some(_) => {
                    let (body, extent) = match rest.strip_prefix('"') {
                        Some(body) => (body, Extent::Quoted),
                        None => (rest, Extent::Word),
                    };
                    let (value, after) = self.expand(body, extent);
                    words.push(TclWord { value, braced: false });
                    rest = after;
                }
            }
            if words.len() > 4096 || !self.m.burn(1) {
                return (words, "");
            }
        }
    }

    /// Text with substitutions, up to where its extent ends.
    pub(super) fn expand<'t>(&mut self, code: &'t str, extent: Extent) -> (Object, &'t str) {
        let mut value = Object::known("");
        let mut plain = String::new();
        let mut rest = code;
        let mut only: Option<Object> = None;
        while let Some(c) = rest.chars().next() {
            let mut used = c.len_utf8();
            let part = match c {
                '"' if extent == Extent::Quoted => {
                    rest = rest.get(1..).unwrap_or("");
                    break;
                }
                ' ' | '\t' | '\n' | '\r' | ';' if extent == Extent::Word => break,
                '\\' => {
                    let after = rest.get(1..).unwrap_or("");
                    used = 1 + decode::escape(after, &mut plain);
                    None
                }
                '[' => {
                    let end = close(rest);
                    let inner = rest.get(1..end).unwrap_or("");
                    used = end + 1;
                    Some(self.script(inner))
                }
                '$' => {
                    let (object, len) = self.variable(rest);
                    used = len;
                    match object {
                        Some(object) => Some(object),
                        None => {
                            plain.push('$');
                            None
                        }
                    }
                }
                other => {
                    plain.push(other);
                    None
                }
            };
            rest = rest.get(used..).unwrap_or("");
            if let Some(part) = part {
                let whole = plain.is_empty() && value.as_known().is_some_and(|t| t.is_empty());
                only = if whole { Some(part.clone()) } else { None };
                value = value.join(&Object::known(std::mem::take(&mut plain))).join(&part);
                self.m.burn(value.as_known().map_or(0, |t| t.len() / 64));
            } else {
                only = None;
            }
        }
        if let Some(object) = only.filter(|_| plain.is_empty()) {
            return (object, rest);
        }
        (value.join(&Object::known(plain)), rest)
    }

    /// `$x`, `${x}`, `$::env(X)`: the value and the length of its spelling.
    pub(super) fn variable(&mut self, text: &str) -> (Option<Object>, usize) {
        let body = text.get(1..).unwrap_or("");
        if let Some(inner) = body.strip_prefix('{') {
            let end = inner.find('}').unwrap_or(inner.len());
            let name = inner.get(..end).unwrap_or("");
            return (Some(self.lookup(name)), (end + 3).min(text.len()));
        }
        let len = body
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b':')
            .count();
        if len == 0 {
            return (None, 1);
        }
        let name = body.get(..len).unwrap_or("").trim_start_matches("::");
        let tail = body.get(len..).unwrap_or("");
        if let Some(index) = tail.strip_prefix('(')
            && let Some(end) = index.find(')')
        {
            let key = index.get(..end).unwrap_or("");
            let used = 1 + len + end + 2;
            if name == "env" {
                return (Some(self.m.env(key)), used);
            }
            return (Some(self.lookup(&format!("{name}({key})"))), used);
        }
        (Some(self.lookup(name)), len + 1)
    }

    pub(super) fn lookup(&self, name: &str) -> Object {
        match self.m.vars.get(name) {
            Some(value) => value.clone(),
            None if name == "argv" => Object::List(self.m.arguments(false)),
            None => Object::Other,
        }
    }
}

/// The position of the bracket or brace that closes the one the text starts with.
fn close(text: &str) -> usize {
    let (open, shut) = if text.starts_with('[') { (b'[', b']') } else { (b'{', b'}') };
    let mut depth = 0u32;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        if escaped {
            escaped = false;
        } else if byte == b'\\' {
            escaped = true;
        } else if byte == open {
            depth += 1;
        } else if byte == shut {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at;
            }
        }
    }
    text.len()
}
