//! Channels: files, connections and programs that are open.

use super::code::TclCode;
use super::processes::TclProcesses;
use super::texts::TclTexts;
use super::variables::TclVariables;
use super::{TclNames, known};
use crate::calls::Effect;
use crate::value::{Args, Val};
use aegish_code_interpreter::Interpreter;
use aegish_values::{Source, Value};
use easy_ext::ext;

#[ext(TclChannels)]
pub(super) impl Interpreter<'_> {
    fn tcl_channel_command(&mut self, path: &str, words: &[Val]) -> Option<Val> {
        let path = path.strip_prefix("chan ").unwrap_or(path);
        Some(match path {
            "open" => self.tcl_open(words),
            "socket" | "tls::socket" | "udp_open" => self.tcl_socket(words),
            "puts" => {
                self.tcl_puts(words);
                Val::None
            }
            "gets" | "read" => {
                let options = self.tcl_options(words, &[]);
                let channel = words.get(options)?.clone();
                let content = self.tcl_content(&channel, path == "gets");
                match words.get(options + 1) {
                    Some(variable) if path == "gets" => {
                        self.tcl_put_named(variable, content);
                        Val::unknown()
                    }
                    _ => content,
                }
            }
            "fcopy" | "copy" => {
                let (from, to) = (words.first()?.clone(), words.get(1)?.clone());
                let content = self.tcl_content(&from, false);
                self.tcl_write(&to, &content);
                if let Some(at) =
                    words.iter().position(|word| known(word).as_deref() == Some("-command"))
                {
                    let command = words.get(at + 1)?.clone();
                    self.maybe(|this| this.tcl_prefix(&command, vec![Val::unknown()]));
                }
                Val::unknown()
            }
            "close" | "flush" | "fconfigure" | "configure" | "seek" | "truncate" | "names"
            | "push" | "pop" => Val::Text(Value::unknown("state")),
            "eof" | "fblocked" | "blocked" | "tell" | "pending" => Val::unknown(),
            "pipe" => Val::Text(Value::unknown("channels")),
            _ => return None,
        })
    }

    /// What is read from a channel.
    fn tcl_content(&mut self, channel: &Val, line: bool) -> Val {
        match channel {
            Val::OneOf(_) => self.each(channel, |this, one| this.tcl_content(one, line)),
            Val::Connection => self.received(),
            Val::File(index) if line => self.file_line(*index, false, &Val::text("")),
            Val::File(index) => self.file_content(*index),
            Val::Process(_) => Val::from_source("output", Source::Program("open".into())),
            other => {
                let text = self.tcl_text(other);
                match text.as_known() {
                    Some("stdin") if line => self.stdin_line(false, &Val::text("")),
                    Some("stdin") => self.stdin(),
                    _ if text.taint().network().is_some() => self.received(),
                    _ => Val::Text(Value::unknown("input").tainted(text.taint())),
                }
            }
        }
    }

    /// Writes to a channel.
    fn tcl_write(&mut self, channel: &Val, content: &Val) {
        match channel {
            Val::OneOf(values) => {
                for value in values.clone().iter() {
                    self.maybe(|this| this.tcl_write(value, content));
                }
            }
            Val::Process(_) => {
                let text = self.tcl_text(content);
                self.tcl_typed(channel, &text);
            }
            Val::File(_) | Val::Connection => {
                let content = Val::Text(self.tcl_text(content));
                self.write_to(channel, &[content]);
            }
            other => {
                let text = self.tcl_text(other);
                if text.as_known() == Some("stdout") {
                    let content = self.tcl_text(content);
                    self.print(content.as_known());
                }
            }
        }
    }

    fn tcl_puts(&mut self, words: &[Val]) {
        let quiet =
            words.len() > 1 && words.first().and_then(known).as_deref() == Some("-nonewline");
        let words = words.get(usize::from(quiet)..).unwrap_or(&[]);
        let (channel, text) = match words {
            [text] => (Val::text("stdout"), text),
            [channel, text, ..] => (channel.clone(), text),
            [] => return,
        };
        let mut text = self.tcl_text(text);
        if !quiet {
            text.push_str("\n");
        }
        self.tcl_write(&channel, &Val::Text(text));
    }

    /// `open`: a file, or a pipeline behind `|`.
    fn tcl_open(&mut self, words: &[Val]) -> Val {
        let Some(target) = words.first().cloned() else { return Val::unknown() };
        if matches!(target, Val::OneOf(_)) {
            let rest: Vec<Val> = words.iter().skip(1).cloned().collect();
            return self.each(&target, |this, one| {
                let words: Vec<Val> = std::iter::once(one.clone()).chain(rest.clone()).collect();
                this.tcl_open(&words)
            });
        }
        let text = self.tcl_text(&target);
        if text.known_prefix().trim_start().starts_with('|') {
            let at = text.known_prefix().find('|').map_or(0, |at| at + 1);
            // A list keeps its words apart.
            let items = match &target {
                Val::Tuple(_) | Val::List(_) => {
                    let mut items = self.tcl_items(&target);
                    let start = items.list.first().and_then(known).unwrap_or_default();
                    match start.trim_start_matches('|') {
                        "" => drop(items.list.drain(..1)),
                        program => {
                            let program = Val::text(program);
                            if let Some(first) = items.list.first_mut() {
                                *first = program;
                            }
                        }
                    }
                    items
                }
                _ => self.tcl_items(&Val::Text(text.tail(at))),
            };
            let words: Vec<Val> = items.list.into_iter().chain(items.rest).collect();
            return self.tcl_pipeline(&words).1;
        }
        let mode = words.get(1).map(|mode| self.tcl_text(mode));
        let mode = match mode.as_ref().map(|mode| mode.as_known()) {
            None => "r".to_owned(),
            Some(Some(flags)) if flags.contains(|c: char| c.is_ascii_uppercase()) => {
                let reads = !flags.contains("WRONLY") && !flags.contains("RDWR");
                let appends = flags.contains("APPEND");
                let both = flags.contains("RDWR");
                format!(
                    "{}{}",
                    if reads || both { "r" } else { "" },
                    match (reads, appends) {
                        (true, _) => "",
                        (_, true) => "a",
                        _ => "w",
                    }
                )
            }
            Some(Some(mode)) => mode.to_owned(),
            Some(None) => "rw".to_owned(),
        };
        let entry = crate::calls::Entry {
            guessed: false,
            effect: Effect::Open,
            parameters: vec![
                ("fileName", Some(crate::calls::Role::Path)),
                ("access", Some(crate::calls::Role::Mode)),
            ],
        };
        let mode = if mode == "r+" { "rw" } else { &mode };
        let args = Args::of(vec![Val::Text(text), Val::text(mode)]);
        self.effect_call(&entry, &args, "open")
    }

    /// `socket host port`, or `socket -server command port`.
    fn tcl_socket(&mut self, words: &[Val]) -> Val {
        let mut options: Vec<(String, Val)> = Vec::new();
        let mut rest = words.iter();
        let mut operands: Vec<Value> = Vec::new();
        while let Some(word) = rest.next() {
            match known(word).filter(|word| word.starts_with('-') && word.len() > 1) {
                Some(option)
                    if matches!(option.as_str(), "-async" | "-tls1" | "-require" | "-request") =>
                {
                    if matches!(option.as_str(), "-tls1" | "-require" | "-request") {
                        rest.next();
                    }
                }
                Some(option) => options.push((option, rest.next().cloned().unwrap_or(Val::None))),
                None => operands.push(self.tcl_text(word)),
            }
        }
        let option = |name: &str| {
            options.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        };
        if let Some(command) = option("-server") {
            let host = option("-myaddr").map(|host| self.tcl_text(&host)).unwrap_or_default();
            let port = operands.pop().unwrap_or_default();
            self.listen(host, port);
            let more = vec![
                Val::Connection,
                Val::Text(Value::unknown("address")),
                Val::Text(Value::unknown("port")),
            ];
            self.maybe(|this| this.tcl_prefix(&command, more));
            return Val::Connection;
        }
        match operands.as_slice() {
            [.., host, port] => self.connect(host.clone(), port.clone()),
            [only] => self.connect(only.clone(), Value::empty()),
            [] => {}
        }
        Val::Connection
    }
}
