//! Streams, listeners and callbacks.

use super::ScriptState;
use super::ScriptValues;
use super::properties::ScriptProperties;
use crate::calls::{Effect, Entry};
use crate::effect::CodeEffect;
use crate::operand::file_in;
use crate::value::{Args, Val};
use aegish_code_interpreter::Interpreter;
use aegish_values::{Source, Taint, Value};
use easy_ext::ext;

/// Most functions that are remembered for events of the program itself.
const MOST_LISTENERS: usize = 64;

#[ext(ScriptEvents)]
pub(super) impl Interpreter<'_> {
    /// Methods that streams of every kind have; none if it is not one of them.
    fn stream_method(&mut self, object: &Val, name: &str, args: &Args) -> Option<Val> {
        match name {
            "on" | "once" | "addListener" | "addEventListener" | "prependListener"
            | "subscribe" => {
                self.listen_to(object, args);
                Some(object.clone())
            }
            "pipe" | "pipeTo" | "pipeThrough" => {
                let target = args.get(0)?.clone();
                self.pipe(object, &target);
                Some(target)
            }
            "write" | "end" | "send" | "sendText" | "form" | "attach"
                if matches!(object, Val::Text(_)) =>
            {
                self.send_body(object, args);
                Some(object.clone())
            }
            _ => None,
        }
    }

    /// The body of a request is written piece by piece.
    fn send_body(&mut self, request: &Val, args: &Args) {
        let Some(to) = request.own_taint().network().map(str::to_owned) else { return };
        let mut taint = Taint::none();
        args.list.iter().for_each(|item| taint.absorb(&self.taint_of(item)));
        if let Some(file) = file_in(&taint) {
            self.record(CodeEffect::Send { to: Value::known(to), file: Some(file) });
        }
        self.run_listeners(args, &[]);
    }

    fn pipe(&mut self, from: &Val, to: &Val) {
        let content = match from {
            Val::File(index) => self.file_content(*index),
            Val::Process(_) if matches!(to, Val::Connection) => {
                self.piped = true;
                return self.process_to_connection(from);
            }
            other => other.clone(),
        };
        match to {
            Val::Text(_) => self.send_body(to, &Args::of(vec![content])),
            Val::OneOf(values) => {
                for value in values.clone().iter() {
                    self.pipe(from, value);
                }
            }
            _ => self.write_to(to, &[content]),
        }
    }

    /// The output of a shell goes to a peer.
    fn process_to_connection(&mut self, process: &Val) {
        if matches!(process, Val::Process(crate::value::Interprets::Input)) {
            self.attach();
        }
    }

    /// Calls the functions among the arguments with what an event of the object gives.
    fn listen_to(&mut self, object: &Val, args: &Args) {
        let event = args.get(0).and_then(Val::as_known).unwrap_or_default();
        let given = match (object, event.as_str()) {
            (Val::Connection, "connection" | "secureConnection" | "session") => {
                vec![Val::Connection]
            }
            (Val::Connection, "request") => vec![self.received(), Val::Connection],
            (Val::Connection, "connect" | "listening" | "close" | "end" | "error" | "open") => {
                vec![]
            }
            (Val::Connection, _) => vec![self.received()],
            (Val::File(index), _) => vec![self.file_content(*index)],
            (Val::Process(_), "data" | "line") => {
                vec![Val::from_source("output", Source::Program("process".into()))]
            }
            (Val::Text(_), "response") => vec![object.clone()],
            (Val::Text(_), _) => vec![object.clone()],
            (Val::Library(path), _) if path.starts_with("process.stdin") => {
                vec![match event.as_str() {
                    "line" => self.stdin_line(false, &Val::text("")),
                    _ => self.stdin(),
                }]
            }
            _ => vec![],
        };
        if let Val::Library(_) = object {
            self.remember_listeners(args);
        }
        let functions: Vec<Val> =
            args.list.iter().filter(|value| self.is_function(value)).cloned().collect();
        for function in functions {
            if let (Val::Library(_), "uncaughtException" | "unhandledRejection") =
                (object, event.as_str())
            {
                self.hooks.push(function.clone());
            }
            let call = Args { list: given.clone(), rest: Some(Val::unknown()), ..Args::default() };
            self.defer(Some(object.clone()), function, call);
        }
    }

    /// Events of an object that nothing is known of.
    fn hear(&mut self, object: &Val, name: &str, args: &Args) {
        match (name, object) {
            ("on" | "once" | "addListener" | "addEventListener", Val::Unknown(..)) => {
                self.remember_listeners(args);
            }
            ("emit" | "dispatchEvent", Val::Unknown(..)) => self.emit(args),
            _ => {}
        }
    }

    /// Functions that hear events which the program itself may make.
    fn remember_listeners(&mut self, args: &Args) {
        let event = args.get(0).and_then(Val::as_known).unwrap_or_default();
        for function in args.list.iter().skip(1) {
            self.state.with(|script: &mut ScriptState| {
                if script.listeners.len() < MOST_LISTENERS {
                    script.listeners.push((event.clone(), function.clone()));
                }
            });
        }
    }

    /// The program itself makes an event of an object.
    fn emit(&mut self, args: &Args) {
        let event = args.get(0).and_then(Val::as_known);
        let given = Args::of(args.list.iter().skip(1).cloned().collect());
        let listeners = self.state.with(|script: &mut ScriptState| script.listeners.clone());
        for (name, function) in listeners {
            if event.as_ref().is_none_or(|event| *event == name) {
                self.defer(Some(Val::unknown()), function, given.clone());
            }
        }
    }

    /// Calls the functions among the arguments with these values.
    fn run_listeners(&mut self, args: &Args, given: &[Val]) {
        let functions: Vec<Val> = args
            .list
            .iter()
            .chain(args.named.iter().map(|(_, value)| value))
            .filter(|value| self.is_function(value))
            .cloned()
            .collect();
        for function in functions {
            let rest = (!matches!(function, Val::Library(_))).then(Val::unknown);
            let call = Args { list: given.to_vec(), rest, ..Args::default() };
            self.defer(Some(Val::Connection), function, call);
        }
    }

    /// Calls the callbacks of a call of the table.
    fn run_script_callbacks(&mut self, entry: &Entry, args: &Args, path: &str, value: &Val) {
        let given = match entry.effect {
            Effect::Fetch | Effect::Send | Effect::FetchTo => vec![value.clone()],
            Effect::Socket | Effect::Serve
                if path.starts_with("http") || path.starts_with("Bun") =>
            {
                vec![self.received(), Val::Connection]
            }
            Effect::Socket | Effect::Connect => vec![Val::Connection],
            Effect::Listen => vec![self.received(), Val::Connection],
            Effect::Shell | Effect::Spawn | Effect::Argv => {
                let output = Val::from_source("output", Source::Program("process".into()));
                vec![Val::unknown(), output.clone(), output]
            }
            Effect::Stdin | Effect::StdinLine => vec![value.clone()],
            _ => vec![Val::unknown(), value.clone()],
        };
        self.run_listeners(args, &given);
    }

    /// A method of a connection.
    fn script_connection_method(&mut self, name: &str, args: &Args) -> Val {
        let connection = Val::Connection;
        if let Some(value) = self.stream_method(&connection, name, args) {
            return value;
        }
        match name {
            "listen" | "bind" => {
                let (host, port) = self.script_address(args);
                self.listen(host, port);
                self.run_listeners(args, &[]);
                connection
            }
            "connect" | "createConnection" => {
                let (host, port) = self.script_address(args);
                self.connect(host, port);
                self.run_listeners(args, &[]);
                connection
            }
            "send" if args.list.iter().any(|value| matches!(value, Val::Int(_))) => {
                let behind = Args::of(args.list.iter().skip(1).cloned().collect());
                let (host, port) = self.script_address(&behind);
                self.connect(host, port);
                self.write_to(&connection, &args.list.clone());
                Val::None
            }
            "write" | "end" | "send" | "sendFile" | "json" | "emit" => {
                // Only a peer that the program connects to is sent something.
                if !self.peer.is_empty() {
                    self.write_to(&connection, &args.list.clone());
                }
                self.run_listeners(args, &[]);
                connection
            }
            "read" | "text" | "arrayBuffer" | "recv" => self.received(),
            "get" | "post" | "put" | "delete" | "patch" | "use" | "all" | "route" => {
                let given = [self.received(), Val::Connection];
                self.run_listeners(args, &given);
                connection
            }
            _ => {
                self.run_listeners(args, &[]);
                connection
            }
        }
    }

    /// Host and port of `listen(port, host)`, `connect({ port, host })` or `connect(path)`.
    fn script_address(&mut self, args: &Args) -> (Value, Value) {
        let (mut host, mut port) = (Value::empty(), Value::empty());
        for value in &args.list {
            match value {
                Val::Dict(_) => {
                    for name in ["host", "hostname", "address"] {
                        let value = self.script_attribute(value, &name.into());
                        if value != Val::None {
                            host = self.script_text(&value);
                        }
                    }
                    let value = self.script_attribute(value, &"port".into());
                    if value != Val::None {
                        port = self.script_text(&value);
                    }
                }
                Val::Int(_) => port = value.to_text(),
                Val::Text(text) => match text.as_known() {
                    Some(known) if known.contains("://") => {
                        let rest = known.split_once("://").map_or("", |(_, rest)| rest);
                        let rest = rest.split(['/', '?']).next().unwrap_or("");
                        let (name, number) = rest.rsplit_once(':').unwrap_or((rest, ""));
                        host = Value::known(name);
                        port = Value::known(number);
                    }
                    Some(known) if known.parse::<u16>().is_ok() => port = text.clone(),
                    _ if port.pieces().is_empty() && text.has_unknown() => port = text.clone(),
                    _ => host = text.clone(),
                },
                Val::OneOf(_) | Val::Unknown(..) if port.pieces().is_empty() => {
                    port = value.to_text();
                }
                Val::OneOf(_) | Val::Unknown(..) => host = value.to_text(),
                _ => {}
            }
        }
        (host, port)
    }
}
