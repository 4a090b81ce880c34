//! Calls that use the network.

use super::Interpreter;
use crate::effect::CodeEffect;
use crate::language::Language;
use crate::operand::{file_in, is_unnamed, split_address};
use crate::value::Val;
use aegish_calls::{Effect, Role};
use aegish_code_library::given::Given;
use aegish_values::{Source, Taint, Value};

impl Interpreter<'_> {
    /// Connections among the options become standard streams.
    pub fn attach_streams(&mut self, given: &Given<'_>) {
        if given.args.values().skip(1).any(|value| self.holds_connection(value, 0)) {
            self.attach();
        }
        // The program that starts writes to a file that this one opened.
        let files = given.args.values().filter(|value| matches!(value, Val::File(_)));
        for file in files.cloned().collect::<Vec<Val>>() {
            self.write_to(&file, &[Val::Text(Value::unknown("output"))]);
        }
    }

    pub fn fetch(&mut self, url: Value, to: Option<Value>) -> Val {
        if url.known_prefix().starts_with("file://") {
            let path = url.tail("file://".len());
            return self.read_file(&path);
        }
        let content = Val::from_source("received", Source::Network(url.to_string()));
        self.record(CodeEffect::Fetch { url, to });
        content
    }

    pub fn network_call(&mut self, given: &Given<'_>) -> Val {
        match given.entry.effect {
            Effect::Fetch => self.http(given, false),
            Effect::Send => self.http(given, true),
            Effect::FetchTo => match given.text(Role::Url) {
                Some(url) => {
                    let to = given.get(Role::To).filter(|to| **to != Val::None).map(Val::to_text);
                    let to = to.map(|to| self.resolved(&to));
                    self.fetch(url, to)
                }
                None => Val::unknown(),
            },
            Effect::Socket => Val::Connection,
            Effect::Connect => {
                let (host, port) = self.address(given);
                if host.as_known() == Some("") && port.as_known() == Some("") {
                    return Val::Connection;
                }
                self.connect(host, port);
                Val::Connection
            }
            Effect::Listen => {
                let (host, port) = self.dialect.listen_address(self, given);
                self.listen(host, port);
                Val::Connection
            }
            Effect::Attach => {
                let connection = given.args.list.iter().any(|a| matches!(a, Val::Connection));
                let unknown = given.args.list.first().is_some_and(|a| {
                    matches!(a, Val::Unknown(..) | Val::Library(_) | Val::Method(_))
                });
                if connection || (unknown && self.connected) {
                    self.attach();
                }
                // `$stdout.reopen("file", "w")`; elsewhere the text is the name of a channel.
                if self.language == Language::Ruby
                    && let Some(Val::Text(path)) = given.args.list.first()
                    && path.has_text()
                {
                    let path = self.resolved(&path.clone());
                    self.write_file(&path, Value::unknown("output"), true);
                }
                Val::unknown()
            }
            _ => self.serve(given),
        }
    }

    pub fn connect(&mut self, host: Value, port: Value) {
        self.connected = true;
        self.peer = format!("{host}:{port}");
        self.record(CodeEffect::Connect { host, port });
    }

    pub fn listen(&mut self, host: Value, port: Value) {
        self.connected = true;
        self.record(CodeEffect::Listen { host, port });
    }

    fn http(&mut self, given: &Given<'_>, sends: bool) -> Val {
        let Some(target) = given.get(Role::Url).cloned() else { return Val::unknown() };
        let url = target.to_text();
        let verb = given.get(Role::Method).and_then(Val::as_known).unwrap_or_default();
        let sends = sends || matches!(verb.to_ascii_uppercase().as_str(), "POST" | "PUT" | "PATCH");
        let body: Vec<Val> =
            given.all(Role::Body).filter(|body| **body != Val::None).cloned().collect();
        // A request object was recorded when it was made.
        if url.taint().network().is_some() && is_unnamed(&url) && body.is_empty() {
            return Val::Text(url);
        }
        let mut taint = Taint::none();
        for item in &body {
            taint.absorb(&self.taint_of(item));
        }
        if sends || !body.is_empty() {
            // A body by the name of its file.
            let named = given.entry.parameters.contains(&("fileName", Some(Role::Body)));
            let file = match body.last().filter(|_| named) {
                Some(path) => Some(self.resolved(&path.to_text())),
                None => file_in(&taint),
            };
            self.record(CodeEffect::Send { to: url.clone(), file });
            return Val::from_source("received", Source::Network(url.to_string()));
        }
        self.fetch(url, None)
    }

    fn serve(&mut self, given: &Given<'_>) -> Val {
        let plain = given.args.list.iter().any(|value| {
            match value {
            Val::Library(name) => {
                !name.ends_with("SimpleHTTPRequestHandler")
                    && !name.ends_with("CGIHTTPRequestHandler")
            }
            Val::Class(class) => !class.bases.iter().any(|base| {
                matches!(base, Val::Library(path) if path.ends_with("SimpleHTTPRequestHandler"))
            }),
            _ => false,
        }
        });
        let (host, port) = self.address(given);
        if plain {
            self.listen(host, port);
            return Val::Connection;
        }
        let root = given.text(Role::Directory).unwrap_or_else(|| self.working_directory());
        let host = if host.has_unknown() { Value::empty() } else { host };
        self.connected = true;
        self.record(CodeEffect::Serve { host, root });
        Val::Connection
    }

    /// Host and port: a pair, a URL, or two arguments.
    pub fn address(&mut self, given: &Given<'_>) -> (Value, Value) {
        self.dialect.address(self, given)
    }

    /// Host and port, where the languages agree.
    pub(super) fn plain_address(&mut self, given: &Given<'_>) -> (Value, Value) {
        let option = |names: &[&str]| names.iter().find_map(|name| given.args.named(name));
        let host = option(&["host", "hostname", "address"]).cloned();
        let port = option(&["port"]).map(Val::to_text);
        let first = given.get(Role::Address).cloned().or(host);
        let second = given.behind(Role::Address).list.first().cloned();
        self.address_of(first, second, port)
    }

    pub fn address_of(
        &mut self,
        first: Option<Val>,
        second: Option<Val>,
        port: Option<Value>,
    ) -> (Value, Value) {
        match first {
            Some(pair @ (Val::Tuple(_) | Val::List(_))) => {
                let items = self.iterate(&pair).list;
                let at = |place: usize| items.get(place).map(Val::to_text).unwrap_or_default();
                (at(0), at(1))
            }
            Some(host) => {
                let host = host.to_text();
                let second = port.or_else(|| {
                    second
                        .filter(|v| matches!(v, Val::Int(_) | Val::Text(_) | Val::Unknown(..)))
                        .map(|v| v.to_text())
                });
                match (second, split_address(&host)) {
                    (Some(port), _) => (host, port),
                    (None, Some(pair)) => pair,
                    (None, None) => (host, Value::empty()),
                }
            }
            None => (Value::empty(), port.unwrap_or_default()),
        }
    }
}
