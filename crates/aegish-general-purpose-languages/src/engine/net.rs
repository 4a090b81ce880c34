//! Calls that use the network: connections, listeners, downloads, uploads.

use super::call_effect::CallEffect;
use super::interpreter::{Interpreter, taint_of};
use super::object::{Args, Object};
use crate::CodeEffect;
use aegish_code_effects::operand::{file_in, is_unnamed};
use aegish_values::{Source, Taint, Value};

impl Interpreter<'_> {
    // ----- network ---------------------------------------------------------------------------

    pub(super) fn fetch(&mut self, url: Value, to: Option<Value>) -> Object {
        let content = Object::from_source("received", Source::Network(url.to_string()));
        self.record(CodeEffect::Fetch { url, to });
        content
    }

    /// Evaluates a call that uses the network.
    pub(super) fn network(&mut self, what: CallEffect, args: &Args, path: &str) -> Object {
        match what {
            CallEffect::Http(n) => self.http(n, args, false),
            CallEffect::Post(n) => self.http(n, args, true),
            CallEffect::FetchTo(u, f) => {
                let Some(url) = args.text(u) else {
                    return Object::Other;
                };
                self.fetch(url, args.text(f))
            }
            CallEffect::Socket => Object::Conn,
            CallEffect::Accept => {
                self.conn = true;
                Object::Conn
            }
            CallEffect::Connect(n) => {
                let (host, port) = self.address(args, n);
                self.connect(host, port);
                Object::Conn
            }
            CallEffect::Listen(n) => {
                let (host, port) = self.address(args, n);
                self.listen(host, port);
                Object::Conn
            }
            CallEffect::Attach => {
                let conn = args.list.iter().any(|a| matches!(a, Object::Conn));
                let unknown =
                    args.list.first().is_some_and(|a| matches!(a, Object::Other | Object::Name(_)));
                if conn || (unknown && self.conn) {
                    self.attach();
                }
                Object::Other
            }
            _ => self.serve(args, path),
        }
    }

    pub(super) fn connect(&mut self, host: Value, port: Value) {
        self.conn = true;
        self.peer = format!("{host}:{port}");
        self.record(CodeEffect::Connect { host, port });
    }

    pub(super) fn listen(&mut self, host: Value, port: Value) {
        self.conn = true;
        self.record(CodeEffect::Listen { host, port });
    }

    pub(super) fn http(&mut self, n: u8, args: &Args, sends: bool) -> Object {
        let Some(target) = args.get(n) else {
            return Object::Other;
        };
        let mut url = match target {
            Object::Dict(_) => {
                let host = ["url", "uri", "hostname", "host"]
                    .iter()
                    .find_map(|key| target.entry(key))
                    .map(Object::text)
                    .unwrap_or_default();
                let mut url = host;
                url.append(&target.entry("path").map(Object::text).unwrap_or_default());
                url
            }
            other => other.text(),
        };
        // requests.request("POST", url)
        let mut sends = sends;
        if let Some(verb) = url
            .as_known()
            .filter(|t| t.len() < 8 && t.chars().all(|c| c.is_ascii_uppercase()) && !t.is_empty())
        {
            sends |= matches!(verb, "POST" | "PUT" | "PATCH");
            url = args.text(n + 1).unwrap_or_default();
        }
        if url.taint().network().is_some() && is_unnamed(&url) {
            return Object::Text(url); // a request object that was recorded when it was made
        }
        let verb = args
            .option("method")
            .and_then(Object::as_known)
            .unwrap_or_default()
            .to_ascii_uppercase();
        sends |= matches!(verb.as_str(), "POST" | "PUT" | "PATCH");
        let body: Vec<Object> = ["data", "files", "body", "json", "content", "InFile", "Body"]
            .iter()
            .filter_map(|key| args.option(key))
            .cloned()
            .chain(
                args.list
                    .iter()
                    .skip(usize::from(n) + 1)
                    .filter(|a| matches!(a, Object::Text(_) | Object::File(_) | Object::Bytes(_)))
                    .cloned(),
            )
            .collect();
        let mut taint = Taint::none();
        for item in &body {
            taint.absorb(&self.taint(item));
        }
        if sends || !body.is_empty() {
            self.record(CodeEffect::Send { to: url.clone(), file: file_in(&taint) });
            return Object::from_source("received", Source::Network(url.to_string()));
        }
        self.fetch(url, None)
    }

    /// The files and hosts whose content is among the arguments.
    pub(super) fn content_taint(&self, args: &Args) -> Taint {
        let mut taint = Taint::none();
        for item in args.list.iter().chain(args.named.iter().map(|(_, value)| value)) {
            if matches!(item, Object::Text(_) | Object::Dict(_) | Object::List(_)) {
                for source in self.taint(item).sources() {
                    if matches!(source, Source::File(_) | Source::Network(_)) {
                        taint.add(source.clone());
                    }
                }
            }
        }
        taint
    }

    /// The sources of an object's content, including open files.
    pub(super) fn taint(&self, object: &Object) -> Taint {
        match object {
            Object::File(index) => self.file_content(*index).text().taint().clone(),
            Object::Dict(pairs) => {
                let mut taint = Taint::none();
                pairs.iter().for_each(|(_, value)| taint.absorb(&self.taint(value)));
                taint
            }
            Object::List(items) => {
                let mut taint = taint_of(items);
                items.iter().for_each(|value| taint.absorb(&self.taint(value)));
                taint
            }
            other => other.text().taint().clone(),
        }
    }

    pub(super) fn serve(&mut self, args: &Args, path: &str) -> Object {
        let (host, _) = self.address(args, 0);
        let root = ["DocumentRoot", "directory", "root"]
            .iter()
            .find_map(|key| args.pair(key))
            .map(Object::text)
            .unwrap_or_default();
        let host =
            if path.ends_with("httpd") || host.has_unknown() { Value::empty() } else { host };
        self.conn = true;
        self.record(CodeEffect::Serve { host, root });
        Object::Conn
    }

    /// Whether the arguments are a host and a port.
    pub(super) fn looks_like_address(&self, args: &Args) -> bool {
        match args.list.as_slice() {
            [Object::List(pair), ..] => pair.len() == 2,
            [Object::Num(_), ..] => {
                matches!(args.list.get(1), None | Some(Object::Text(_) | Object::Lambda(_)))
            }
            [Object::Text(host), second, ..] => {
                host.as_known().is_none_or(|h| !h.contains("://"))
                    && (matches!(second, Object::Num(_))
                        || second.as_num().is_some()
                        || !second.text().taint().is_none())
            }
            [Object::Dict(_), ..] => args.option("port").is_some(),
            _ => false,
        }
    }

    /// Returns host and port from the argument forms of the languages.
    pub(super) fn address(&self, args: &Args, n: u8) -> (Value, Value) {
        let option = |keys: &[&str]| keys.iter().find_map(|key| args.pair(key)).map(Object::text);
        let host = option(&[
            "PeerAddr",
            "PeerHost",
            "LocalAddr",
            "LocalHost",
            "host",
            "hostname",
            "BindAddress",
            "address",
            "RemoteHost",
        ]);
        let port = option(&["PeerPort", "LocalPort", "port", "Port", "RemotePort"]);
        if host.is_some() || port.is_some() {
            let host = host.unwrap_or_default();
            return match (port, split_address(&host)) {
                (Some(port), _) => (host, port),
                (None, Some(pair)) => pair,
                (None, None) => (host, Value::empty()),
            };
        }
        let items: Vec<&Object> = match args.get(n) {
            Some(Object::List(items)) if items.len() >= 2 => items.iter().take(2).collect(),
            _ => args
                .list
                .iter()
                .skip(usize::from(n))
                .filter(|i| {
                    !matches!(
                        i,
                        Object::Lambda(_) | Object::Name(_) | Object::Dict(_) | Object::Conn
                    )
                })
                .take(2)
                .collect(),
        };
        let any = Object::known("");
        let items: Vec<&Object> = items
            .into_iter()
            .map(|item| {
                if matches!(item, Object::Name(name) if name.ends_with("INADDR_ANY")) {
                    &any
                } else {
                    item
                }
            })
            .collect();
        match items.as_slice() {
            [Object::Num(port)] => (Value::empty(), Value::known(port.to_string())),
            [only] => {
                let text = only.text();
                split_address(&text).unwrap_or((text, Value::empty()))
            }
            // Go: net.Dial("tcp", "host:port")
            [first, second] => {
                let (a, b) = (first.text(), second.text());
                if matches!(a.as_known(), Some("tcp" | "tcp4" | "tcp6" | "udp" | "udp4" | "unix"))
                    && let Some(pair) = split_address(&b)
                {
                    return pair;
                }
                if let (Some(pair), true) = (split_address(&a), second.as_num().is_none()) {
                    return pair;
                }
                let port_first = first.as_num().is_some() && second.as_num().is_none();
                if port_first { (b, a) } else { (a, b) }
            }
            _ => (Value::unknown("address"), Value::unknown("port")),
        }
    }
}

/// `host:port`, `tcp://host:port`, `[v6]:port`.
pub(super) fn split_address(value: &Value) -> Option<(Value, Value)> {
    let text = value.as_known()?;
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let (host, port) = rest.rsplit_once(':')?;
    let digits = port.trim_end_matches('/');
    if digits.is_empty() || digits.parse::<u16>().is_err() {
        return None;
    }
    Some((Value::known(host.trim_matches(['[', ']'])), Value::known(digits)))
}
