//! Programs that are started, and what is written to them.

use super::buffers::LispBuffers;
use super::foreign::LispForeign;
use super::{LispCalls, symbol_of};
use crate::calls::Role;
use crate::heap::Items;
use crate::value::{Args, Interprets, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::given::{Given, HERE};
use aegish_code_library::paths::join_paths;
use aegish_profiles::Lang;
use aegish_values::{Piece, Source, Value};
use easy_ext::ext;

/// The program, then its arguments: those from their place on, or the ones with their name. Other parameters may stand
/// between them.
pub(super) fn command_words(given: &Given<'_>) -> Args {
    let mut words = given.behind_start(Role::Program);
    if let (Some(program), Some(place)) = (given.place(Role::Program), given.place(Role::Arguments))
    {
        let by_name = given.entry.parameters.get(place).is_some_and(|p| p.0.starts_with('*'));
        let behind = if by_name { 0 } else { place.saturating_sub(program) };
        let mut at = 0;
        words.list.retain(|_| {
            at += 1;
            at == 1 || at > behind
        });
        if by_name {
            words.list.extend(given.all(Role::Arguments).cloned());
        }
    }
    words
}

#[ext(LispProcesses)]
pub(super) impl Interpreter<'_> {
    fn lisp_process(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        Some(match path {
            "call-process" | "process-file" => {
                let words =
                    args.list.first().into_iter().chain(args.list.iter().skip(4)).chain(&args.rest);
                let argv: Vec<Value> = words.map(Val::to_text).collect();
                self.lisp_output_file(args.list.get(2));
                let process = self.start(argv);
                if let Some(input) = args.list.get(1)
                    && !matches!(input, Val::None | Val::Bool(_))
                {
                    let file = self.resolved(&input.to_text());
                    let content = self.read_file(&file);
                    if process == Val::Process(Interprets::Input) {
                        self.run_text(Lang::Shell, &content.to_text());
                    }
                }
                if args.list.get(2).is_some_and(|buffer| *buffer != Val::None) {
                    self.lisp_insert(&Value::unknown("output"));
                }
                Val::unknown()
            }
            "call-process-shell-command" | "process-file-shell-command" => {
                self.lisp_output_file(args.list.get(2));
                self.start_shell(&first?.to_text());
                if args.list.get(2).is_some_and(|buffer| *buffer != Val::None) {
                    self.lisp_insert(&Value::unknown("output"));
                }
                Val::unknown()
            }
            "start-process" | "start-file-process" => {
                let words: Vec<Val> = args.list.iter().skip(2).chain(&args.rest).cloned().collect();
                if words.first().is_none_or(|program| *program == Val::None) {
                    return Some(Val::unknown());
                }
                let argv = words.iter().map(Val::to_text).collect();
                self.start(argv)
            }
            "make-process" | "make-pipe-process" | "make-term" | "make-comint" => {
                let keyed = super::keyed(args);
                if path == "make-term" || path == "make-comint" {
                    let words = args.list.iter().skip(1).filter(|value| **value != Val::None);
                    let argv: Vec<Value> = words.map(Val::to_text).collect();
                    return Some(self.start(argv));
                }
                let command = keyed.named("command").cloned()?;
                self.run_callbacks(&Args { list: Vec::new(), ..keyed }, None);
                match command {
                    Val::List(_) => self.start_list(&command, None),
                    Val::None => Val::unknown(),
                    other => {
                        let argv = vec![other.to_text()];
                        self.start(argv)
                    }
                }
            }
            "process-send-string"
            | "comint-send-string"
            | "term-send-string"
            | "send-string"
            | "process-send-region"
            | "comint-send-region"
            | "term-send-raw-string"
            | "vterm-send-string"
            | "eshell-send-string" => {
                let text = match path {
                    "process-send-region" | "comint-send-region" => {
                        Val::Text(self.lisp_buffer_text())
                    }
                    "term-send-raw-string" | "vterm-send-string" => first.clone()?,
                    _ => args.get(1).cloned()?,
                };
                match first? {
                    process @ (Val::Process(_) | Val::Connection | Val::OneOf(_)) => {
                        self.write_to(&process, &[text]);
                    }
                    // A process by its name, or that of the buffer: it may be a shell.
                    _ => self.run_text(Lang::Shell, &text.to_text()),
                }
                Val::None
            }
            "shell-command-to-string" | "shell-command" | "async-shell-command" => {
                self.start_shell(&first?.to_text());
                if path == "shell-command"
                    && args.list.get(1).is_some_and(|buffer| *buffer != Val::None)
                {
                    self.lisp_insert(&Value::unknown("output"));
                }
                match path {
                    "shell-command-to-string" => output(),
                    _ => Val::unknown(),
                }
            }
            "process-lines" | "process-lines-ignore-status" => {
                let argv: Vec<Value> =
                    args.list.iter().chain(&args.rest).map(Val::to_text).collect();
                self.start(argv);
                self.heap.list(Items { list: Vec::new(), rest: Some(output()) })
            }
            "get-ffi-obj"
            | "extern-alien"
            | "foreign-symbol-pointer"
            | "foreign-library-function"
            | "foreign-library-pointer"
            | "dynamic-func"
            | "pointer->procedure"
            | "alien-funcall"
            | "foreign-funcall"
                if !self.is_emacs() =>
            {
                self.lisp_foreign(path, args)?
            }
            "subprocess" if !self.is_emacs() => {
                // Streams, perhaps a group, then the program.
                let keyed = super::keyed(args);
                let mut words: Vec<Val> = keyed.list.iter().skip(3).cloned().collect();
                if words.first().is_some_and(|word| {
                    matches!(word, Val::None | Val::Bool(_)) || symbol_of(word).is_some()
                }) {
                    words.remove(0);
                }
                if keyed.list.iter().take(3).any(|value| matches!(value, Val::Connection)) {
                    self.attach();
                }
                let argv: Vec<Value> = words.iter().chain(&args.rest).map(Val::to_text).collect();
                let process = self.start(argv);
                self.new_list(vec![process.clone(), output(), process, output()])
            }
            "process" | "process*" | "process/ports" | "process*/ports" if !self.is_emacs() => {
                let skipped = if path.ends_with("ports") { 3 } else { 0 };
                let words: Vec<Val> = args.list.iter().skip(skipped).cloned().collect();
                if args.list.iter().take(skipped).any(|value| matches!(value, Val::Connection)) {
                    self.attach();
                }
                // Chicken takes a list of arguments too.
                let listed = words.get(1).is_some_and(|word| matches!(word, Val::List(_)));
                let process = match path.starts_with("process*") || listed {
                    true if listed => {
                        let program = words.first().map(Val::to_text).unwrap_or_default();
                        let items = self.iterate(words.get(1)?);
                        let more = items.list.iter().chain(&items.rest).map(Val::to_text);
                        let argv = std::iter::once(program).chain(more).collect();
                        self.start(argv)
                    }
                    true => {
                        let argv: Vec<Value> =
                            words.iter().chain(&args.rest).map(Val::to_text).collect();
                        self.start(argv)
                    }
                    false => {
                        let command =
                            words.first().cloned().or_else(|| args.rest.clone())?.to_text();
                        self.start_shell(&command)
                    }
                };
                let call = super::symbol(":status");
                self.new_list(vec![output(), process, Val::unknown(), output(), call])
            }
            "make-network-process" | "make-network-stream" => {
                let keyed = super::keyed(args);
                let part = |name: &str| keyed.named(name).map(Val::to_text).unwrap_or_default();
                let (host, port) = (part("host"), part("service"));
                match keyed.named("server").is_some_and(|server| *server != Val::None) {
                    true => self.listen(host, port),
                    false => self.connect(host, port),
                }
                let keyed = self.lisp_functions(&keyed);
                self.run_callbacks(&Args { list: Vec::new(), ..keyed }, None);
                Val::Connection
            }
            "fileno"
            | "fdopen"
            | "port->fdes"
            | "fdes->inport"
            | "fdes->outport"
            | "socket-stream"
            | "usocket:socket-stream"
            | "sb-bsd-sockets:socket-make-stream" => first?,
            "pipeline" if !self.is_emacs() => {
                // Commands of a list of lists.
                for command in self.iterate(&first?).list {
                    self.start_list(&command, None);
                }
                Val::unknown()
            }
            "merge-pathnames"
            | "merge-pathnames*"
            | "uiop:merge-pathnames*"
            | "path->complete-path"
                if !self.is_emacs() && args.list.len() > 1 =>
            {
                // What the first path lacks is in the second one.
                let parts: Vec<Value> = args.list.iter().take(2).rev().map(Val::to_text).collect();
                Val::Text(join_paths(&parts))
            }
            "file-or-directory-permissions" if !matches!(args.list.get(1), Some(Val::Int(_))) => {
                Val::unknown()
            }
            "putenv" | "sb-posix:putenv" if args.list.len() == 1 => {
                if let Some((name, value)) = first?.as_known()?.split_once('=') {
                    self.set_environment(name, &Val::text(value));
                }
                Val::None
            }
            // The directory of the command is set again.
            "current-directory" | "chdir" | "uiop:chdir"
                if first.as_ref().is_some_and(|value| {
                    let text = value.to_text();
                    text.pieces().len() == 1
                        && matches!(text.pieces().first(), Some(Piece::Unknown(HERE)))
                }) =>
            {
                self.set_directory(Value::empty());
                Val::None
            }
            "current-directory" if args.list.is_empty() && args.rest.is_none() => {
                self.lisp_directory()
            }
            "command-line"
            | "current-command-line-arguments"
            | "program-arguments"
            | "uiop:command-line-arguments"
            | "command-line-arguments" => {
                let name = if path == "command-line" { "*posix-argv*" } else { "argv" };
                self.lisp_arguments(name)
            }
            "tcp-connect" | "tcp-accept" | "ssl-connect" | "tcp-connect/enable-break" => {
                if path != "tcp-accept" {
                    let entry = crate::calls::find(self.language, "tcp-connect")?;
                    self.effect_call(&entry, args, path);
                }
                self.connected = true;
                self.new_list(vec![Val::Connection, Val::Connection])
            }
            "accept" => {
                self.connected = true;
                Val::Tuple([Val::Connection, Val::unknown()].into())
            }
            "connect" | "bind" if args.list.len() == 2 => {
                // A socket and an address that was made before.
                let (socket, address) = (first?, args.get(1).cloned()?);
                let entry = crate::calls::find(self.language, path)?;
                self.effect_call(&entry, &Args::of(vec![socket, Val::None, address]), path)
            }
            "make-socket-address" => {
                let list = args.list.iter().skip(1).cloned().collect();
                self.new_list(list)
            }
            "getaddrinfo" => {
                let address = self.heap.list(Items { list: args.list.clone(), rest: None });
                self.new_list(vec![address])
            }
            "addrinfo:addr" | "inet-pton" | "inet-aton" | "gethostbyname" | "get-host-by-name"
            | "make-inet-address" | "addr" => args.list.last().cloned()?,
            _ => return None,
        })
    }

    /// `(:file "name")` as the place where output goes.
    fn lisp_output_file(&mut self, place: Option<&Val>) {
        let Some(Val::List(cell)) = place else { return };
        let items = self.heap.items(*cell);
        if let [key, file, ..] = items.list.as_slice()
            && symbol_of(key) == Some(":file")
        {
            let file = self.resolved(&file.to_text());
            self.write_file(&file, Value::unknown("output"), false);
        }
        // Output and errors apart: the first place may be such a list.
        let inner = items.list.first().cloned();
        if let Some(inner @ Val::List(_)) = inner {
            self.lisp_output_file(Some(&inner));
        }
    }
}

fn output() -> Val {
    Val::from_source("output", Source::Program("process".into()))
}
