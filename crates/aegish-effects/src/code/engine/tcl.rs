//! Tcl and Expect: everything is a command made of words.
//!
//! Takes a script, gives acts. Words in braces are texts until a command that takes code (`while`,
//! `if`, `catch`, …) is met; `[…]` is run where it stands; `$x` and `"…"` are expanded. Not followed:
//! procedures' parameters, namespaces, arithmetic.

use super::decode;
use super::dialect;
use super::net::split_address;
use super::obj::Obj;
use super::perform::is_shell;
use super::state::Machine;
use crate::code::{CodeAct, Surroundings};
use crate::value::Value;
use aegish_profiles::Lang;

const DEPTH: u32 = 24;

/// What a Tcl or Expect script does.
pub(super) fn scan(code: &str, around: &Surroundings<'_>) -> Vec<CodeAct> {
    let Some(d) = dialect::of(Lang::Tcl) else { return Vec::new() };
    let mut m = Machine::new(d, around, &[]);
    m.fuel += 64 * code.len() as u64;
    m.printed = None;
    let mut tcl = Tcl { m, depth: 0 };
    tcl.script(code);
    tcl.m.finish()
}

struct Tcl<'a> {
    m: Machine<'a>,
    depth: u32,
}

/// A word: its value, and whether it was written in braces.
struct Word {
    value: Obj,
    braced: bool,
}

impl Word {
    fn known(&self) -> String {
        self.value.as_known().unwrap_or_default()
    }
}

impl Tcl<'_> {
    /// Runs a script; the value is that of its last command.
    fn script(&mut self, code: &str) -> Obj {
        if self.depth > DEPTH {
            self.m.starved = true;
            return Obj::Other;
        }
        self.depth += 1;
        let mut last = Obj::Other;
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
    fn words<'t>(&mut self, code: &'t str) -> (Vec<Word>, &'t str) {
        let mut words = Vec::new();
        let mut rest = code;
        loop {
            rest = rest.trim_start_matches([' ', '\t']);
            if let Some(next) = rest.strip_prefix("\\\n") {
                rest = next;
                continue;
            }
            match rest.chars().next() {
                None => return (words, ""),
                Some('\n' | ';' | '\r') => return (words, rest.get(1..).unwrap_or("")),
                Some('{') => {
                    let end = close(rest);
                    let text = rest.get(1..end).unwrap_or("");
                    words.push(Word { value: Obj::known(text), braced: true });
                    rest = rest.get(end + 1..).unwrap_or("");
                }
                Some(_) => {
                    let quoted = rest.starts_with('"');
                    let body = if quoted { rest.get(1..).unwrap_or("") } else { rest };
                    let (value, after) = self.expand(body, quoted);
                    words.push(Word { value, braced: false });
                    rest = after;
                }
            }
            if words.len() > 4096 || !self.m.burn(1) {
                return (words, "");
            }
        }
    }

    /// A word with substitutions: to the closing quote, or to the next blank.
    fn expand<'t>(&mut self, code: &'t str, quoted: bool) -> (Obj, &'t str) {
        let mut value = Obj::known("");
        let mut plain = String::new();
        let mut rest = code;
        let mut only: Option<Obj> = None;
        while let Some(c) = rest.chars().next() {
            let mut used = c.len_utf8();
            let part = match c {
                '"' if quoted => {
                    rest = rest.get(1..).unwrap_or("");
                    break;
                }
                ' ' | '\t' | '\n' | '\r' | ';' if !quoted => break,
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
                value = value.join(&Obj::known(std::mem::take(&mut plain))).join(&part);
                self.m.burn(value.as_known().map_or(0, |t| t.len() / 64));
            } else {
                only = None;
            }
        }
        if let Some(object) = only.filter(|_| plain.is_empty()) {
            return (object, rest);
        }
        (value.join(&Obj::known(plain)), rest)
    }

    /// `$x`, `${x}`, `$::env(X)`: the value and the length of its spelling.
    fn variable(&mut self, text: &str) -> (Option<Obj>, usize) {
        let body = text.get(1..).unwrap_or("");
        if let Some(inner) = body.strip_prefix('{') {
            let end = inner.find('}').unwrap_or(inner.len());
            let name = inner.get(..end).unwrap_or("");
            return (Some(self.lookup(name)), (end + 3).min(text.len()));
        }
        let len = body.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b':').count();
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

    fn lookup(&self, name: &str) -> Obj {
        match self.m.vars.get(name) {
            Some(value) => value.clone(),
            None if name == "argv" => Obj::List(self.m.arguments(false)),
            None => Obj::Other,
        }
    }

    fn command(&mut self, words: &[Word]) -> Obj {
        let Some(first) = words.first() else { return Obj::Other };
        let name = first.known();
        let arg = |n: usize| words.get(n).map_or(Obj::Other, |w| w.value.clone());
        let text = |n: usize| words.get(n).map(Word::known).unwrap_or_default();
        match name.trim_start_matches("::") {
            "set" if words.len() > 2 => {
                let value = arg(2);
                self.m.set(&text(1), value.clone());
                let target = text(1);
                if let Some(name) = target.trim_start_matches("::").strip_prefix("env(") {
                    self.m.act(CodeAct::Setenv { name: name.trim_end_matches(')').to_owned(), value: value.text() });
                }
                value
            }
            "set" => self.lookup(&text(1)),
            "append" | "lappend" => {
                let mut value = self.lookup(&text(1));
                if matches!(value, Obj::Other) {
                    value = Obj::known("");
                }
                for word in words.iter().skip(2) {
                    value = value.join(&word.value);
                }
                self.m.set(&text(1), value.clone());
                value
            }
            "exec" => self.exec(words),
            "spawn" => {
                let argv: Vec<Value> = words.iter().skip(1).skip_while(|w| w.known().starts_with('-')).map(|w| w.value.text()).collect();
                let shell = argv.first().is_some_and(is_shell);
                self.m.run_argv(argv);
                self.m.set("spawned", Obj::Proc(shell));
                Obj::Other
            }
            "send" => {
                // What is typed into a spawned shell is run by it.
                let line = words.last().map_or(Obj::Other, |w| w.value.clone());
                if matches!(self.m.vars.get("spawned"), Some(Obj::Proc(true))) {
                    self.m.run_shell(&Value::known(line.as_known().unwrap_or_default().trim()));
                }
                Obj::Other
            }
            "system" => {
                let line = words.iter().skip(1).map(|w| w.value.clone()).reduce(|a, b| a.join(&Obj::known(" ")).join(&b));
                if let Some(line) = line {
                    self.m.run_shell(&line.text());
                }
                Obj::Other
            }
            "open" => self.open(&arg(1), &text(2)),
            "socket" => self.socket(words),
            "eval" | "uplevel" => {
                let code = words.iter().skip(1).map(|w| w.value.clone()).reduce(|a, b| a.join(&Obj::known(" ")).join(&b)).unwrap_or(Obj::Other);
                match code.as_known() {
                    Some(code) => self.script(&code),
                    None => {
                        let value = code.text();
                        let received = value.taint().network().is_some();
                        let runs = value.known_prefix().trim();
                        if received && (runs.is_empty() || runs == "exec" || runs == "exec sh -c") {
                            self.m.act(CodeAct::RunReceived);
                        } else {
                            self.m.run_text(Lang::Tcl, &value);
                        }
                        Obj::Other
                    }
                }
            }
            "source" => {
                self.m.act(CodeAct::Script(Lang::Tcl, words.last().map(|w| w.value.text()).unwrap_or_default()));
                Obj::Other
            }
            "load" => {
                self.m.act(CodeAct::Load(arg(1).text()));
                Obj::Other
            }
            "file" => self.file(words),
            "glob" => {
                self.m.act(CodeAct::List(words.last().map(|w| w.value.text()).unwrap_or_default()));
                Obj::Other
            }
            "gets" | "read" => {
                let handle = words.iter().skip(1).map(|w| &w.value).find(|v| v.as_known().is_none_or(|t| !t.starts_with('-'))).cloned().unwrap_or(Obj::Other);
                let content = match handle {
                    Obj::Conn => self.m.received(),
                    Obj::File(index) => self.m.file_content(index),
                    _ => self.m.stdin(),
                };
                if name == "gets" && words.len() > 2 {
                    self.m.set(&text(2), content.clone());
                }
                content
            }
            "puts" => {
                let items: Vec<Obj> = words.iter().skip(1).filter(|w| w.known() != "-nonewline").map(|w| w.value.clone()).collect();
                if let [handle, rest @ ..] = items.as_slice() {
                    self.m.print_to(&handle.clone(), rest);
                }
                Obj::Other
            }
            "http::geturl" | "http.geturl" => self.m.fetch(arg(1).text(), None),
            "http::data" => arg(1),
            "string" => self.string(words),
            "binary" if text(1) == "decode" => {
                let decoded = match text(2).as_str() {
                    "base64" => decode::base64(&text(words.len() - 1)),
                    "hex" => decode::hex(&text(words.len() - 1)),
                    _ => None,
                };
                decoded.map_or(Obj::Other, Obj::bytes)
            }
            "format" => {
                let values: Vec<Obj> = words.iter().skip(2).map(|w| w.value.clone()).collect();
                self.m.format(&arg(1), &values, true)
            }
            "join" | "concat" | "list" | "subst" => words.iter().skip(1).map(|w| w.value.clone()).reduce(|a, b| a.join(&Obj::known(" ")).join(&b)).unwrap_or(Obj::Other),
            "lindex" => match (arg(1), text(2).parse::<usize>()) {
                (Obj::List(items), Ok(n)) => items.get(n).cloned().unwrap_or(Obj::Other),
                (other, Ok(n)) => other.as_known().and_then(|t| t.split_whitespace().nth(n).map(Obj::known)).unwrap_or(Obj::Other),
                _ => Obj::Other,
            },
            "foreach" => {
                let items: Vec<String> = text(2).split_whitespace().take(64).map(str::to_owned).collect();
                let value = if items.is_empty() { Obj::Other } else { Obj::Text(Value::one_of(items)) };
                self.m.set(&text(1), value);
                self.script(&text(words.len() - 1))
            }
            // Commands that take code somewhere among their words.
            "while" | "if" | "for" | "catch" | "proc" | "after" | "fileevent" | "try" | "time" | "namespace" | "expect" | "switch" | "interact" | "trap" | "expr" | "bind" | "dict" | "apply" | "return" => {
                for word in words.iter().skip(1) {
                    if word.braced || name == "catch" {
                        if let Some(code) = word.value.as_known() {
                            self.code_in(&code);
                        }
                    }
                }
                Obj::Other
            }
            "fork" => {
                self.m.forked = true;
                Obj::Other
            }
            _ => match first.value.as_known() {
                // A computed command name that came over the network.
                None if first.value.text().taint().network().is_some() => {
                    self.m.act(CodeAct::RunReceived);
                    Obj::Other
                }
                _ => Obj::Other,
            },
        }
    }

    /// Code in braces: a script, or an expression with commands in brackets.
    fn code_in(&mut self, code: &str) {
        self.script(code);
    }

    fn exec(&mut self, words: &[Word]) -> Obj {
        let mut argv: Vec<Value> = Vec::new();
        let mut started = false;
        for word in words.iter().skip(1) {
            let text = word.known();
            if !started && text.starts_with('-') && text.len() > 1 {
                continue;
            }
            started = true;
            if text == "|" || text == "|&" {
                self.m.run_argv(std::mem::take(&mut argv));
            } else if text.starts_with(['<', '>']) || text.starts_with("2>") {
                if matches!(word.value, Obj::Conn) || text.contains('@') {
                    self.attach_if_connected();
                }
            } else if matches!(word.value, Obj::Conn) {
                self.attach_if_connected();
            } else if word.value.text().known_prefix().starts_with(['<', '>']) {
                // >@$s, <@$s: a redirection to a channel.
                if word.value.text().known_prefix().contains('@') {
                    self.attach_if_connected();
                } else {
                    let path = Value::known(text.trim_start_matches(['<', '>', '&']));
                    if text.starts_with('>') && !path.known_prefix().is_empty() {
                        self.m.write(path, Value::unknown("output"), text.starts_with(">>"));
                    }
                }
            } else if text != "&" {
                argv.push(word.value.text());
            }
        }
        self.m.run_argv(argv);
        Obj::from_source("output", crate::value::Source::Program("exec".into()))
    }

    fn attach_if_connected(&mut self) {
        if self.m.conn {
            self.m.attach();
        }
    }

    fn open(&mut self, target: &Obj, mode: &str) -> Obj {
        let path = target.text();
        if let Some(command) = path.known_prefix().strip_prefix('|') {
            let mut line = Value::known(command.trim());
            path.pieces().iter().skip(1).for_each(|piece| line.push(piece.clone()));
            let line = line.tainted(path.taint());
            match line.as_known() {
                Some(text) => {
                    let argv: Vec<Value> = text.split_whitespace().map(Value::known).collect();
                    self.m.run_argv(argv);
                }
                None => self.m.run_shell(&line),
            }
            return Obj::Proc(is_shell(&line));
        }
        let args = super::obj::Args { list: vec![target.clone(), Obj::known(if mode.is_empty() { "r" } else { mode })], ..Default::default() };
        self.m.open_call(0, 1, &args)
    }

    fn socket(&mut self, words: &[Word]) -> Obj {
        let server = words.iter().position(|w| w.known() == "-server");
        let items: Vec<&Word> = words.iter().skip(1).collect();
        if let Some(at) = server {
            let port = words.last().map(|w| w.value.text()).unwrap_or_default();
            let host = items.iter().position(|w| w.known() == "-myaddr").and_then(|n| items.get(n + 1)).map(|w| w.value.text()).unwrap_or_default();
            self.m.listen(host, port);
            if let Some(code) = words.get(at + 1).map(Word::known) {
                self.script(&code);
            }
            return Obj::Conn;
        }
        let operands: Vec<Value> = items.iter().filter(|w| !w.known().starts_with('-')).map(|w| w.value.text()).collect();
        match operands.as_slice() {
            [.., host, port] => self.m.connect(host.clone(), port.clone()),
            [only] => {
                let (host, port) = split_address(only).unwrap_or((only.clone(), Value::empty()));
                self.m.connect(host, port);
            }
            [] => {}
        }
        Obj::Conn
    }

    fn file(&mut self, words: &[Word]) -> Obj {
        let what = words.get(1).map(Word::known).unwrap_or_default();
        let paths: Vec<Value> = words.iter().skip(2).filter(|w| !w.known().starts_with('-')).map(|w| w.value.text()).collect();
        let force = words.iter().any(|w| w.known() == "-force");
        match what.as_str() {
            "delete" => paths.into_iter().for_each(|path| self.m.delete(Some(path), force)),
            "copy" | "rename" | "link" => {
                if let [from, to, ..] = paths.as_slice() {
                    self.m.act(CodeAct::Copy { from: from.clone(), to: to.clone() });
                }
            }
            "attributes" => {
                let mode = words.iter().position(|w| w.known() == "-permissions").and_then(|n| words.get(n + 1));
                if let (Some(path), Some(mode)) = (paths.first(), mode) {
                    self.m.act(CodeAct::Mode { path: path.clone(), mode: mode.value.text() });
                }
            }
            "join" => return words.iter().skip(2).map(|w| w.value.clone()).reduce(|a, b| a.join(&Obj::known("/")).join(&b)).unwrap_or(Obj::Other),
            _ => {}
        }
        Obj::Other
    }

    fn string(&mut self, words: &[Word]) -> Obj {
        let what = words.get(1).map(Word::known).unwrap_or_default();
        let Some(last) = words.last().map(|w| w.value.clone()) else { return Obj::Other };
        match (what.as_str(), last.as_known()) {
            ("reverse", Some(text)) => Obj::known(text.chars().rev().collect::<String>()),
            ("tolower", Some(text)) => Obj::known(text.to_lowercase()),
            ("toupper", Some(text)) => Obj::known(text.to_uppercase()),
            ("trim" | "trimright" | "trimleft", Some(text)) => Obj::known(text.trim()),
            ("trim" | "trimright" | "trimleft" | "map" | "range", None) => last,
            _ => Obj::Other,
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
