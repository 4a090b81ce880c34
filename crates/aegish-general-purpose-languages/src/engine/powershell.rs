//! PowerShell: commands made of words, with expressions in between.
//!
//! Takes a script, gives effects. Knows the commands and .NET calls that run, read, write, delete, connect
//! and download; any other command name is a program to run. Does not follow the parameters of functions, nor
//! objects in pipelines except text.

use super::interpreter::Interpreter;
use super::object::Object;
use crate::{CodeContext, CodeEffect};
use aegish_profiles::Lang;

const DEPTH: u32 = 32;

/// Longest text in brackets. The bound keeps the work linear.
const REACH: usize = 64 * 1024;

/// Words that are syntax.
const KEYWORDS: &[&str] = &[
    "begin", "break", "catch", "continue", "do", "else", "elseif", "end", "exit", "filter",
    "finally", "for", "foreach", "function", "if", "in", "param", "process", "return", "switch",
    "throw", "trap", "try", "until", "while",
];

/// What a PowerShell script does.
pub(super) fn scan(code: &str, around: &CodeContext<'_>) -> Vec<CodeEffect> {
    let Some(m) = Interpreter::of_script(Lang::Powershell, code, around) else {
        return Vec::new();
    };
    let mut shell = Powershell { m, depth: 0 };
    shell.script(code);
    shell.m.finish()
}

pub(super) struct Powershell<'a> {
    pub(super) m: Interpreter<'a>,
    depth: u32,
}

impl Powershell<'_> {
    pub(super) fn script(&mut self, code: &str) -> Object {
        if self.depth > DEPTH {
            self.m.out_of_fuel = true;
            return Object::Other;
        }
        self.depth += 1;
        let mut last = Object::Other;
        let mut rest = code;
        while !rest.is_empty() && self.m.burn(1) {
            rest = rest.trim_start_matches(|c: char| {
                c.is_whitespace() || ";{})]|&,".contains(c) && c != '&'
            });
            if let Some(after) = rest.strip_prefix("<#") {
                rest = after.find("#>").and_then(|n| after.get(n + 2..)).unwrap_or("");
                continue;
            }
            if rest.starts_with('#') {
                rest = rest.find('\n').and_then(|n| rest.get(n..)).unwrap_or("");
                continue;
            }
            if rest.is_empty() {
                break;
            }
            let before = rest.len();
            (last, rest) = self.statement(rest, last);
            if rest.len() >= before {
                rest = rest.get(rest.chars().next().map_or(1, char::len_utf8)..).unwrap_or("");
            }
        }
        self.depth -= 1;
        last
    }

    /// One command or assignment; `piped` is what stands left of a `|`.
    pub(super) fn statement<'t>(&mut self, code: &'t str, piped: Object) -> (Object, &'t str) {
        if self.depth > DEPTH {
            self.m.out_of_fuel = true;
            return (Object::Other, "");
        }
        self.depth += 1;
        let result = self.statement_at(code, piped);
        self.depth -= 1;
        result
    }

    pub(super) fn statement_at<'t>(&mut self, code: &'t str, piped: Object) -> (Object, &'t str) {
        // $name = …
        if let Some(body) = code.strip_prefix('$') {
            let len = body
                .bytes()
                .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':'))
                .count();
            let name = body.get(..len).unwrap_or("").to_ascii_lowercase();
            let after = body.get(len..).unwrap_or("").trim_start();
            let sign = ["+=", "="]
                .iter()
                .find_map(|sign| after.strip_prefix(sign).map(|rest| (*sign, rest)));
            if let Some((sign, rest)) = sign.filter(|(_, rest)| !rest.starts_with('=')) {
                let (value, rest) = self.statement(rest.trim_start(), Object::Other);
                if let Some(name) = name.strip_prefix("env:") {
                    self.m.record(CodeEffect::Setenv {
                        name: name.to_ascii_uppercase(),
                        value: value.text(),
                    });
                }
                let value = match (sign, self.m.vars.get(&name)) {
                    ("+=", Some(old)) => old.join(&value),
                    _ => value,
                };
                self.m.set(&name, value.clone());
                return (value, rest);
            }
        }
        // A type in front of a variable.
        if code.starts_with('[')
            && let Some(rest) =
                code.get(close(code) + 1..).filter(|rest| rest.trim_start().starts_with('$'))
        {
            return self.statement(rest.trim_start(), piped);
        }
        let first = code.chars().next().unwrap_or(' ');
        let calls = first == '&' || (first == '.' && code.get(1..2) == Some(" "));
        let start = if calls { code.get(1..).unwrap_or("").trim_start() } else { code };
        if !calls && ("$\"'([@".contains(first) || first.is_ascii_digit()) {
            return self.expression(start);
        }
        let (words, rest) = self.words(start);
        let Some(head) = words.first() else {
            return (Object::Other, rest);
        };
        let Some(name) = head.as_known() else {
            if calls {
                self.m.run_argv(words.iter().map(Object::text).collect());
            }
            return (Object::Other, rest);
        };
        let lower = name.to_ascii_lowercase();
        if KEYWORDS.binary_search(&lower.as_str()).is_ok() {
            return (Object::Other, start.get(name.len()..).unwrap_or(""));
        }
        let value = self.command(&lower, &words, piped);
        // The input of a command after a pipe is the value of the left side.
        let rest = match rest.strip_prefix('|') {
            Some(next) => {
                let (value, next) = self.statement(next.trim_start(), value);
                return (value, next);
            }
            None => rest,
        };
        (value, rest)
    }

    /// Values joined by `+`, and what they are piped into.
    pub(super) fn expression<'t>(&mut self, code: &'t str) -> (Object, &'t str) {
        let (mut value, mut rest) = self.value(code);
        loop {
            let next = rest.trim_start_matches([' ', '\t']);
            if let Some(more) = next.strip_prefix('+') {
                let (right, after) = self.value(more.trim_start());
                value = value.join(&right);
                rest = after;
            } else if let Some(more) = next.strip_prefix('|') {
                return self.statement(more.trim_start(), value);
            } else if next.starts_with('-') {
                // -join, -f, -replace: only -join '' of characters is followed
                let end = next.find(|c: char| c.is_whitespace()).unwrap_or(next.len());
                let (right, after) = self.value(next.get(end..).unwrap_or("").trim_start());
                if next.get(..end).is_some_and(|op| op.eq_ignore_ascii_case("-join"))
                    && let Object::List(items) = &value
                {
                    let sep = right.as_known().unwrap_or_default();
                    value = items
                        .iter()
                        .cloned()
                        .reduce(|a, b| a.join(&Object::known(sep.clone())).join(&b))
                        .unwrap_or(Object::Other);
                }
                if after.len() >= rest.len() || !self.m.burn(1) {
                    return (value, after.get(1..).unwrap_or(""));
                }
                rest = after;
            } else {
                return (value, next);
            }
        }
    }

    /// The words of a command up to `;`, `|`, a line end or a closing bracket.
    pub(super) fn words<'t>(&mut self, code: &'t str) -> (Vec<Object>, &'t str) {
        let mut words = Vec::new();
        let mut rest = code;
        loop {
            rest = rest.trim_start_matches([' ', '\t', ',']);
            if let Some(next) = rest.strip_prefix("`\n") {
                rest = next;
                continue;
            }
            match rest.chars().next() {
                None | Some(';' | '|' | '\n' | '\r' | ')' | '}') => return (words, rest),
                _ => {}
            }
            let before = rest.len();
            let (word, after) = self.value(rest);
            words.push(word);
            rest = if after.len() < before {
                after
            } else {
                rest.get(rest.chars().next().map_or(1, char::len_utf8)..).unwrap_or("")
            };
            if words.len() > 4096 || !self.m.burn(1) {
                return (words, "");
            }
        }
    }

    /// A value with its members and calls.
    pub(super) fn value<'t>(&mut self, code: &'t str) -> (Object, &'t str) {
        if self.depth > DEPTH {
            self.m.out_of_fuel = true;
            return (Object::Other, "");
        }
        self.depth += 1;
        let result = self.value_at(code);
        self.depth -= 1;
        result
    }

    pub(super) fn value_at<'t>(&mut self, code: &'t str) -> (Object, &'t str) {
        let first = code.chars().next().unwrap_or(' ');
        let body = code.get(first.len_utf8()..).unwrap_or("");
        let (value, rest) = match first {
            '\'' => {
                let end = body.find('\'').unwrap_or(body.len());
                (Object::known(body.get(..end).unwrap_or("")), body.get(end + 1..).unwrap_or(""))
            }
            '"' => self.quoted(body),
            '(' => {
                let end = close(code);
                let inner = code.get(1..end).unwrap_or("").to_owned();
                (self.group(&inner), code.get(end + 1..).unwrap_or(""))
            }
            '{' => {
                let end = close(code);
                let inner = code.get(1..end).unwrap_or("").to_owned();
                self.script(&inner);
                (Object::Name("block".into()), code.get(end + 1..).unwrap_or(""))
            }
            '@' if body.starts_with('(') => {
                let end = close(body);
                let inner = body.get(1..end).unwrap_or("").to_owned();
                let list = self.words(&inner).0;
                (Object::List(list), body.get(end + 1..).unwrap_or(""))
            }
            '[' => {
                let end = close(code);
                let name = code.get(1..end).unwrap_or("").trim_start_matches("System.").to_owned();
                let rest = code.get(end + 1..).unwrap_or("");
                // A cast in front of a value changes nothing here, but a number becomes a character.
                if !rest.starts_with("::")
                    && !rest.is_empty()
                    && !rest.starts_with([' ', ';', '\n'])
                {
                    let (value, rest) = self.value(rest);
                    let value = match (name.as_str(), value.as_num()) {
                        ("char" | "Char", Some(code)) => u32::try_from(code)
                            .ok()
                            .and_then(char::from_u32)
                            .map_or(Object::Other, |c| Object::known(c.to_string())),
                        _ => value,
                    };
                    return (value, rest);
                }
                (Object::Name(name), rest)
            }
            '$' => self.variable(body),
            _ => {
                let end = code
                    .find(|c: char| c.is_whitespace() || "();|{},\"'".contains(c))
                    .unwrap_or(code.len());
                let end = end.max(first.len_utf8());
                let word = code.get(..end).unwrap_or("");
                (Object::known(word.replace('`', "")), code.get(end..).unwrap_or(""))
            }
        };
        self.members(value, rest)
    }

    pub(super) fn group(&mut self, inner: &str) -> Object {
        let trimmed = inner.trim_start();
        if trimmed.starts_with('$') {
            let (value, rest) = self.statement(trimmed, Object::Other);
            if !rest.trim().is_empty() && !rest.trim_start().starts_with(',') {
                self.script(rest);
            } else if let Some(more) = rest.trim_start().strip_prefix(',') {
                let mut list = vec![value];
                list.extend(self.words(more).0);
                return Object::List(list);
            }
            return value;
        }
        if trimmed.starts_with(['\'', '"', '[', '('])
            || trimmed.starts_with(|c: char| c.is_ascii_digit())
        {
            let (first, rest) = self.expression(trimmed);
            let rest = rest.trim_start();
            if let Some(more) = rest.strip_prefix(',') {
                let mut list = vec![first];
                list.extend(self.words(more).0);
                return Object::List(list);
            }
            if !rest.is_empty() {
                self.script(rest);
            }
            return first;
        }
        self.script(inner)
    }

    pub(super) fn variable<'t>(&mut self, body: &'t str) -> (Object, &'t str) {
        if body.starts_with('(') {
            let end = close(body);
            let inner = body.get(1..end).unwrap_or("").to_owned();
            return (self.script(&inner), body.get(end + 1..).unwrap_or(""));
        }
        let braced = body.starts_with('{');
        let text = if braced { body.get(1..).unwrap_or("") } else { body };
        let len = text
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'?'))
            .count();
        let name = text.get(..len).unwrap_or("").to_ascii_lowercase();
        let rest = text.get(len + usize::from(braced)..).unwrap_or("");
        let value = match name.strip_prefix("env:") {
            Some(name) => self.m.env(&name.to_ascii_uppercase()),
            None => match self.m.vars.get(&name) {
                Some(value) => value.clone(),
                None if name == "args" => Object::List(self.m.arguments(false)),
                None => Object::Other,
            },
        };
        (value, rest)
    }

    pub(super) fn quoted<'t>(&mut self, body: &'t str) -> (Object, &'t str) {
        let mut value = Object::known("");
        let mut plain = String::new();
        let mut rest = body;
        while let Some(c) = rest.chars().next() {
            let after = rest.get(c.len_utf8()..).unwrap_or("");
            match c {
                '"' => {
                    rest = after;
                    break;
                }
                '`' => {
                    let next = after.chars().next().unwrap_or(' ');
                    plain.push(match next {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        other => other,
                    });
                    rest = after.get(next.len_utf8()..).unwrap_or("");
                }
                '$' if after
                    .starts_with(|c: char| c.is_ascii_alphanumeric() || "_({".contains(c)) =>
                {
                    let (part, next) = self.variable(after);
                    value = value.join(&Object::known(std::mem::take(&mut plain))).join(&part);
                    rest = next;
                }
                _ => {
                    plain.push(c);
                    rest = after;
                }
            }
        }
        (value.join(&Object::known(plain)), rest)
    }

    /// `.Name`, `.Name(…)`, `::Name(…)`, `[n]` behind a value.
    pub(super) fn members<'t>(&mut self, value: Object, rest: &'t str) -> (Object, &'t str) {
        let mut value = value;
        let mut rest = rest;
        for _ in 0..64 {
            if rest.starts_with('[') {
                rest = rest.get(close(rest) + 1..).unwrap_or("");
                continue;
            }
            let Some(body) = rest.strip_prefix("::").or_else(|| rest.strip_prefix('.')) else {
                break;
            };
            let len = body.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
            if len == 0 {
                break;
            }
            let name = body.get(..len).unwrap_or("").to_ascii_lowercase();
            let after = body.get(len..).unwrap_or("");
            if after.starts_with('(') {
                let end = close(after);
                let inner = after.get(1..end).unwrap_or("").to_owned();
                let args = self.arguments(&inner);
                value = self.method(&value, &name, &args);
                rest = after.get(end + 1..).unwrap_or("");
            } else {
                value = match value {
                    Object::Name(path) if path.len() < 120 => {
                        Object::Name(format!("{path}.{name}"))
                    }
                    other => other,
                };
                rest = after;
            }
        }
        (value, rest)
    }

    pub(super) fn arguments(&mut self, inner: &str) -> Vec<Object> {
        let mut list = Vec::new();
        let mut rest = inner.trim_start();
        while !rest.is_empty() && list.len() < 256 && self.m.burn(1) {
            let (value, after) = self.expression(rest);
            list.push(value);
            let after = after.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            if after.len() >= rest.len() {
                break;
            }
            rest = after;
        }
        list
    }
}

/// The position of the bracket that closes the one the text starts with; quotes are skipped.
fn close(text: &str) -> usize {
    let text = text.get(..REACH).unwrap_or(text);
    let mut depth = 0u32;
    let mut inside: Option<u8> = None;
    for (at, byte) in text.bytes().enumerate() {
        match (inside, byte) {
            (Some(mark), _) if mark == byte => inside = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => inside = Some(byte),
            (None, b'(' | b'{' | b'[') => depth += 1,
            (None, b')' | b'}' | b']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    text.len()
}
