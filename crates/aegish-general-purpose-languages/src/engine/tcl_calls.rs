//! What the commands of Tcl and Expect do.

use super::call_effect::CallEffect;
use super::decode;
use super::net::split_address;
use super::object::{Args, Object};
use super::run::is_shell;
use super::tcl::{Extent, Tcl, TclWord};
use crate::CodeEffect;
use aegish_code_effects::operand::globbed;
use aegish_profiles::Lang;
use aegish_values::{MAX_ALTERNATIVES, Value};

impl Tcl<'_> {
    pub(super) fn command(&mut self, words: &[TclWord]) -> Object {
        let Some(first) = words.first() else {
            return Object::Other;
        };
        let name = first.known();
        let arg = |n: usize| words.get(n).map_or(Object::Other, |w| w.value.clone());
        let text = |n: usize| words.get(n).map(TclWord::known).unwrap_or_default();
        match name.trim_start_matches("::") {
            "set" if words.len() > 2 => {
                let value = arg(2);
                self.m.set(&text(1), value.clone());
                let target = text(1);
                if let Some(name) = target.trim_start_matches("::").strip_prefix("env(") {
                    self.m.record(CodeEffect::Setenv {
                        name: name.trim_end_matches(')').to_owned(),
                        value: value.text(),
                    });
                }
                value
            }
            "set" => self.lookup(&text(1)),
            "append" | "lappend" => {
                let mut value = self.lookup(&text(1));
                if matches!(value, Object::Other) {
                    value = Object::known("");
                }
                for word in words.iter().skip(2) {
                    value = value.join(&word.value);
                }
                self.m.set(&text(1), value.clone());
                value
            }
            "exec" => self.exec(words),
            "spawn" => {
                let argv: Vec<Value> = words
                    .iter()
                    .skip(1)
                    .skip_while(|w| w.known().starts_with('-'))
                    .map(|w| w.value.text())
                    .collect();
                let shell = argv.first().is_some_and(is_shell);
                self.m.run_argv(argv);
                self.m.set("spawned", Object::Proc(shell));
                Object::Other
            }
            "send" => {
                // A spawned shell runs the text that is sent to it.
                let line = words.last().map_or(Object::Other, |w| w.value.clone());
                if matches!(self.m.vars.get("spawned"), Some(Object::Proc(true))) {
                    self.m.run_shell(&Value::known(line.as_known().unwrap_or_default().trim()));
                }
                Object::Other
            }
            "system" => {
                let line = words
                    .iter()
                    .skip(1)
                    .map(|w| w.value.clone())
                    .reduce(|a, b| a.join(&Object::known(" ")).join(&b));
                if let Some(line) = line {
                    self.m.run_shell(&line.text());
                }
                Object::Other
            }
            "open" => self.open(&arg(1), &text(2)),
            "socket" => self.socket(words),
            "eval" | "uplevel" => {
                let code = words
                    .iter()
                    .skip(1)
                    .map(|w| w.value.clone())
                    .reduce(|a, b| a.join(&Object::known(" ")).join(&b))
                    .unwrap_or(Object::Other);
                match code.as_known() {
                    Some(code) => self.script(&code),
                    None => {
                        let value = code.text();
                        let received = value.taint().network().is_some();
                        let runs = value.known_prefix().trim();
                        if received && (runs.is_empty() || runs == "exec" || runs == "exec sh -c") {
                            self.m.record(CodeEffect::RunReceived);
                        } else {
                            self.m.run_text(Lang::Tcl, &value);
                        }
                        Object::Other
                    }
                }
            }
            "source" => {
                self.m.record(CodeEffect::Script(
                    Lang::Tcl,
                    words.last().map(|w| w.value.text()).unwrap_or_default(),
                ));
                Object::Other
            }
            "load" => {
                self.m.record(CodeEffect::Load(arg(1).text()));
                Object::Other
            }
            "file" => self.file(words),
            "glob" => {
                let pattern = words.last().map(|w| w.value.text()).unwrap_or_default();
                self.m.record(CodeEffect::List(pattern.clone()));
                Object::Text(globbed(&pattern))
            }
            "cd" => self.m.evaluate_call(
                CallEffect::Chdir(0),
                Args { list: vec![arg(1)], ..Args::default() },
                "cd",
            ),
            "gets" | "read" => {
                let handle = words
                    .iter()
                    .skip(1)
                    .map(|w| &w.value)
                    .find(|v| v.as_known().is_none_or(|t| !t.starts_with('-')))
                    .cloned()
                    .unwrap_or(Object::Other);
                let content = match handle {
                    Object::Conn => self.m.received(),
                    Object::File(index) => self.m.file_content(index),
                    _ => self.m.stdin(),
                };
                if name == "gets" && words.len() > 2 {
                    self.m.set(&text(2), content.clone());
                }
                content
            }
            "puts" => {
                let items: Vec<Object> = words
                    .iter()
                    .skip(1)
                    .filter(|w| w.known() != "-nonewline")
                    .map(|w| w.value.clone())
                    .collect();
                if let [handle, rest @ ..] = items.as_slice() {
                    self.m.print_to(&handle.clone(), rest);
                }
                Object::Other
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
                decoded.map_or(Object::Other, Object::bytes)
            }
            "format" => {
                let values: Vec<Object> = words.iter().skip(2).map(|w| w.value.clone()).collect();
                self.m.format(&arg(1), &values, true)
            }
            "join" => match (arg(1).as_known(), words.get(2).map(TclWord::known)) {
                (Some(list), separator) => {
                    let items: Vec<&str> = list.split_whitespace().collect();
                    Object::known(items.join(separator.as_deref().unwrap_or(" ")))
                }
                _ => Object::Other,
            },
            "subst" => match words.last().map(TclWord::known) {
                Some(text) => self.expand(&text, Extent::Whole).0,
                None => Object::Other,
            },
            "concat" | "list" => words
                .iter()
                .skip(1)
                .map(|w| w.value.clone())
                .reduce(|a, b| a.join(&Object::known(" ")).join(&b))
                .unwrap_or(Object::Other),
            "lindex" => match (arg(1), text(2).parse::<usize>()) {
                (Object::List(items), Ok(n)) => items.get(n).cloned().unwrap_or(Object::Other),
                (other, Ok(n)) => other
                    .as_known()
                    .and_then(|t| t.split_whitespace().nth(n).map(Object::known))
                    .unwrap_or(Object::Other),
                _ => Object::Other,
            },
            "foreach" => {
                let items: Vec<String> = text(2).split_whitespace().map(str::to_owned).collect();
                self.m.out_of_fuel |= items.len() > MAX_ALTERNATIVES;
                let value = if items.is_empty() || items.len() > MAX_ALTERNATIVES {
                    Object::Other
                } else {
                    Object::Text(Value::one_of(items))
                };
                self.m.set(&text(1), value);
                self.script(&text(words.len() - 1))
            }
            // Commands with code among their words.
            "while" | "if" | "for" | "catch" | "proc" | "after" | "fileevent" | "try" | "time"
            | "namespace" | "expect" | "switch" | "interact" | "trap" | "expr" | "bind"
            | "dict" | "apply" | "return" => {
                for word in words.iter().skip(1) {
                    if (word.braced || name == "catch")
                        && let Some(code) = word.value.as_known()
                    {
                        self.script(&code);
                    }
                }
                Object::Other
            }
            "fork" => {
                self.m.forked = true;
                Object::Other
            }
            _ => match first.value.as_known() {
                // The name of the command was received over the network.
                None if first.value.text().taint().network().is_some() => {
                    self.m.record(CodeEffect::RunReceived);
                    Object::Other
                }
                _ => Object::Other,
            },
        }
    }

    pub(super) fn exec(&mut self, words: &[TclWord]) -> Object {
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
                if matches!(word.value, Object::Conn) || text.contains('@') {
                    self.attach_if_connected();
                }
            } else if matches!(word.value, Object::Conn) {
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
        Object::from_source("output", aegish_values::Source::Program("exec".into()))
    }

    pub(super) fn attach_if_connected(&mut self) {
        if self.m.conn {
            self.m.attach();
        }
    }

    pub(super) fn open(&mut self, target: &Object, mode: &str) -> Object {
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
            return Object::Proc(is_shell(&line));
        }
        let args = super::object::Args {
            list: vec![target.clone(), Object::known(if mode.is_empty() { "r" } else { mode })],
            ..Default::default()
        };
        self.m.open_call(0, 1, &args)
    }

    pub(super) fn socket(&mut self, words: &[TclWord]) -> Object {
        let server = words.iter().position(|w| w.known() == "-server");
        let items: Vec<&TclWord> = words.iter().skip(1).collect();
        if let Some(at) = server {
            let port = words.last().map(|w| w.value.text()).unwrap_or_default();
            let host = items
                .iter()
                .position(|w| w.known() == "-myaddr")
                .and_then(|n| items.get(n + 1))
                .map(|w| w.value.text())
                .unwrap_or_default();
            self.m.listen(host, port);
            if let Some(code) = words.get(at + 1).map(TclWord::known) {
                self.script(&code);
            }
            return Object::Conn;
        }
        let operands: Vec<Value> =
            items.iter().filter(|w| !w.known().starts_with('-')).map(|w| w.value.text()).collect();
        match operands.as_slice() {
            [.., host, port] => self.m.connect(host.clone(), port.clone()),
            [only] => {
                let (host, port) = split_address(only).unwrap_or((only.clone(), Value::empty()));
                self.m.connect(host, port);
            }
            [] => {}
        }
        Object::Conn
    }

    pub(super) fn file(&mut self, words: &[TclWord]) -> Object {
        let what = words.get(1).map(TclWord::known).unwrap_or_default();
        let paths: Vec<Value> = words
            .iter()
            .skip(2)
            .filter(|w| !w.known().starts_with('-'))
            .map(|w| w.value.text())
            .collect();
        let force = words.iter().any(|w| w.known() == "-force");
        match what.as_str() {
            "delete" => paths.into_iter().for_each(|path| self.m.delete(Some(path), force)),
            "copy" | "rename" | "link" => {
                if let [from, to, ..] = paths.as_slice() {
                    self.m.record(CodeEffect::Copy { from: from.clone(), to: to.clone() });
                }
            }
            "attributes" => {
                let mode = words
                    .iter()
                    .position(|w| w.known() == "-permissions")
                    .and_then(|n| words.get(n + 1));
                if let (Some(path), Some(mode)) = (paths.first(), mode) {
                    self.m.record(CodeEffect::Mode { path: path.clone(), mode: mode.value.text() });
                }
            }
            "join" => {
                return words
                    .iter()
                    .skip(2)
                    .map(|w| w.value.clone())
                    .reduce(|a, b| a.join(&Object::known("/")).join(&b))
                    .unwrap_or(Object::Other);
            }
            _ => {}
        }
        Object::Other
    }

    pub(super) fn string(&mut self, words: &[TclWord]) -> Object {
        let what = words.get(1).map(TclWord::known).unwrap_or_default();
        let Some(last) = words.last().map(|w| w.value.clone()) else {
            return Object::Other;
        };
        match (what.as_str(), last.as_known()) {
            ("reverse", Some(text)) => Object::known(text.chars().rev().collect::<String>()),
            ("tolower", Some(text)) => Object::known(text.to_lowercase()),
            ("toupper", Some(text)) => Object::known(text.to_uppercase()),
            ("trim" | "trimright" | "trimleft", Some(text)) => Object::known(text.trim()),
            ("trim" | "trimright" | "trimleft" | "map" | "range", None) => last,
            _ => Object::Other,
        }
    }
}
