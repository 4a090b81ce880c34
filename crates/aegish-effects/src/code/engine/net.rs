//! Files, connections and processes as objects: opening, reading, writing, sending, tying together.

use super::obj::{Args, Obj};
use super::state::{Machine, taint_of};
use super::table::Do;
use crate::code::CodeAct;
use crate::value::{Piece, Source, Taint, Value};
use aegish_profiles::Lang;

/// Whether a text names something on the network.
pub(super) fn is_url(value: &Value) -> bool {
    let text = value.known_prefix();
    ["http://", "https://", "ftp://", "ftps://", "tftp://"]
        .iter()
        .any(|scheme| {
            text.get(..scheme.len())
                .is_some_and(|t| t.eq_ignore_ascii_case(scheme))
        })
}

fn unnamed(path: &Value) -> bool {
    path.has_unknown()
        && !path
            .pieces()
            .iter()
            .any(|piece| matches!(piece, Piece::Text(_) | Piece::OneOf(_)))
}

/// The file whose content this is, if it is one.
fn file_in(taint: &Taint) -> Option<Value> {
    taint.sources().find_map(|source| {
        if let Source::File(path) = source {
            Some(Value::known(path.clone()))
        } else {
            None
        }
    })
}

impl Machine<'_> {
    pub(super) fn read(&mut self, path: &Value) -> Obj {
        if is_url(path) {
            return self.fetch(path.clone(), None);
        }
        if matches!(path.as_known(), Some("php://stdin" | "/dev/stdin" | "-")) {
            return self.stdin();
        }
        if path.as_known() == Some("php://input") {
            return Obj::from_source("request", Source::Network("request".into()));
        }
        if unnamed(path) {
            return Obj::Other;
        }
        self.act(CodeAct::Read(path.clone()));
        Self::content_of(path)
    }

    pub(super) fn write(&mut self, path: Value, content: Value, append: bool) -> Obj {
        if unnamed(&path)
            || matches!(
                path.as_known(),
                Some(
                    "php://stdout"
                        | "php://output"
                        | "php://stderr"
                        | "/dev/stdout"
                        | "/dev/stderr"
                )
            )
        {
            return Obj::Other;
        }
        self.acts.push(CodeAct::Write {
            path,
            content,
            append,
        });
        Obj::File(self.acts.len() - 1)
    }

    pub(super) fn delete(&mut self, path: Option<Value>, tree: bool) {
        if let Some(path) = path.filter(|p| !unnamed(p)) {
            self.act(CodeAct::Delete { path, tree });
        }
    }

    /// The content of an open file.
    pub(super) fn file_content(&self, index: usize) -> Obj {
        match self.opened(index) {
            Some((path, _)) => Self::content_of(&path),
            None => Obj::Other,
        }
    }

    /// Opens a file by a mode.
    pub(super) fn open_call(&mut self, p: u8, m: u8, args: &Args) -> Obj {
        let mut args = args.clone();
        args.list.retain(|item| !matches!(item, Obj::Lambda(_)));
        if self.d.lang == Lang::Perl && p == 1 {
            return self.perl_open(&args);
        }
        let Some(target) = args.get(p) else {
            return Obj::Other;
        };
        if matches!(target, Obj::Num(_)) {
            return Obj::Other;
        }
        if matches!(target, Obj::Conn | Obj::File(_) | Obj::Proc(_)) {
            return target.clone();
        }
        let path = target.text();
        if let (Lang::Ruby | Lang::R, Some(command)) =
            (self.d.lang, path.known_prefix().strip_prefix('|'))
        {
            let mut command = Value::known(command);
            path.pieces()
                .iter()
                .skip(1)
                .for_each(|piece| command.push(piece.clone()));
            self.run_shell(&command);
            return Obj::Proc(super::perform::is_shell(&command));
        }
        if is_url(&path) {
            return self.fetch(path, None);
        }
        let mode = match args
            .get(m)
            .or_else(|| args.option("mode"))
            .or_else(|| args.option("open"))
        {
            Some(Obj::Name(flags)) => flags_to_mode(flags),
            Some(other) => other.as_known().unwrap_or_else(|| "r".into()),
            None if args.truthy("write") || args.truthy("create") => "w".into(),
            None => "r".into(),
        };
        let mode = if args.truthy("append") {
            "a".to_owned()
        } else {
            mode
        };
        if let Ok(flags) = mode.parse::<i64>() {
            // Numeric flags: the two lowest bits say whether it is written.
            return if flags & 3 == 0 {
                self.open_read(&path)
            } else {
                self.write(path, Value::empty(), flags & 0o2000 != 0)
            };
        }
        if mode.contains(['w', 'a', '+', 'x', 'c']) {
            return self.write(path, Value::empty(), mode.contains('a'));
        }
        self.open_read(&path)
    }

    fn open_read(&mut self, path: &Value) -> Obj {
        if unnamed(path)
            || matches!(
                path.as_known(),
                Some("php://stdin" | "/dev/stdin" | "php://input")
            )
        {
            return self.read(path);
        }
        self.acts.push(CodeAct::Read(path.clone()));
        Obj::File(self.acts.len() - 1)
    }

    /// Perl's `open`, in its two- and three-argument forms.
    fn perl_open(&mut self, args: &Args) -> Obj {
        let handle = self.handle.take();
        let standard = matches!(args.get(0), Some(Obj::Name(name)) if name.starts_with("STD"));
        let Some(spec) = args.text(1) else {
            return Obj::Other;
        };
        let lead = spec.known_prefix().trim().to_owned();
        let result = if lead.starts_with(">&") || lead.starts_with("<&") || lead.starts_with("+<&")
        {
            let other = lead
                .trim_start_matches(['<', '>', '&', '+', '='])
                .to_owned();
            let source = match args.get(2) {
                Some(object) => object.clone(),
                None => self
                    .vars
                    .get(&other)
                    .or_else(|| self.vars.get(&format!("${other}")))
                    .cloned()
                    .unwrap_or(Obj::Other),
            };
            let blank = matches!(source, Obj::Other) && self.conn && !other.starts_with("STD");
            if standard && (matches!(source, Obj::Conn) || blank) {
                self.attach();
            }
            source
        } else if args.list.len() > 2 {
            let target: Vec<Obj> = args.list.iter().skip(2).cloned().collect();
            self.perl_open_mode(&lead, &target)
        } else if lead.starts_with('|') || spec.known_suffix().trim_end().ends_with('|') {
            let mut command = Value::empty();
            let last = spec.pieces().len().saturating_sub(1);
            for (index, piece) in spec.pieces().iter().enumerate() {
                match piece {
                    Piece::Text(text) => {
                        let text = if index == 0 {
                            text.trim_start().trim_start_matches('|')
                        } else {
                            text
                        };
                        let text = if index == last && !lead.starts_with('|') {
                            text.trim_end().trim_end_matches('|')
                        } else {
                            text
                        };
                        command.push_str(text.trim_start());
                    }
                    other => command.push(other.clone()),
                }
            }
            self.run_shell(&command);
            Obj::Proc(super::perform::is_shell(&command))
        } else {
            let sign: String = lead
                .chars()
                .take_while(|c| matches!(c, '<' | '>' | '+'))
                .collect();
            let mut path = Value::known(lead.trim_start_matches(['<', '>', '+']).trim());
            spec.pieces()
                .iter()
                .skip(usize::from(!spec.known_prefix().is_empty()))
                .for_each(|piece| path.push(piece.clone()));
            self.perl_open_mode(&sign, &[Obj::Text(path)])
        };
        if let Some(handle) = handle {
            self.set(&handle, result.clone());
        }
        result
    }

    fn perl_open_mode(&mut self, mode: &str, target: &[Obj]) -> Obj {
        let Some(first) = target.first() else {
            return Obj::Other;
        };
        match mode.split(':').next().unwrap_or("").trim() {
            "-|" | "|-" => {
                if let [only] = target {
                    let text = only.text();
                    self.run_shell(&text);
                } else {
                    self.run_argv(target.iter().map(Obj::text).collect());
                }
                Obj::Proc(super::perform::is_shell(&first.text()))
            }
            ">>" | "+>>" => self.write(first.text(), Value::empty(), true),
            mode if mode.contains('>') || mode.starts_with('+') => {
                self.write(first.text(), Value::empty(), false)
            }
            _ => self.open_read(&first.text()),
        }
    }

    // ----- network ---------------------------------------------------------------------------

    pub(super) fn fetch(&mut self, url: Value, to: Option<Value>) -> Obj {
        let content = Obj::from_source("received", Source::Network(url.to_string()));
        self.act(CodeAct::Fetch { url, to });
        content
    }

    /// Calls that speak to the network.
    pub(super) fn network(&mut self, what: Do, args: &Args, path: &str) -> Obj {
        match what {
            Do::Http(n) => self.http(n, args, false),
            Do::Post(n) => self.http(n, args, true),
            Do::FetchTo(u, f) => {
                let Some(url) = args.text(u) else {
                    return Obj::Other;
                };
                self.fetch(url, args.text(f))
            }
            Do::Socket => {
                self.keep_handle(Obj::Conn);
                Obj::Conn
            }
            Do::Accept => {
                self.keep_handle(Obj::Conn);
                self.conn = true;
                Obj::Conn
            }
            Do::Connect(n) => {
                let (host, port) = self.address(args, n);
                self.connect(host, port);
                self.keep_handle(Obj::Conn);
                Obj::Conn
            }
            Do::Listen(n) => {
                let (host, port) = self.address(args, n);
                self.listen(host, port);
                Obj::Conn
            }
            Do::Attach => {
                let conn = args.list.iter().any(|a| matches!(a, Obj::Conn));
                let unknown = args
                    .list
                    .first()
                    .is_some_and(|a| matches!(a, Obj::Other | Obj::Name(_)));
                if conn || (unknown && self.conn) {
                    self.attach();
                }
                Obj::Other
            }
            _ => self.serve(args, path),
        }
    }

    fn keep_handle(&mut self, value: Obj) {
        if let Some(handle) = self.handle.take() {
            self.set(&handle, value);
        }
    }

    pub(super) fn connect(&mut self, host: Value, port: Value) {
        self.conn = true;
        self.peer = format!("{host}:{port}");
        self.act(CodeAct::Connect { host, port });
    }

    pub(super) fn listen(&mut self, host: Value, port: Value) {
        self.conn = true;
        self.act(CodeAct::Listen { host, port });
    }

    fn http(&mut self, n: u8, args: &Args, sends: bool) -> Obj {
        let Some(target) = args.get(n) else {
            return Obj::Other;
        };
        let mut url = match target {
            Obj::Dict(_) => {
                let host = ["url", "uri", "hostname", "host"]
                    .iter()
                    .find_map(|key| target.entry(key))
                    .map(Obj::text)
                    .unwrap_or_default();
                let mut url = host;
                url.append(&target.entry("path").map(Obj::text).unwrap_or_default());
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
        if url.taint().network().is_some() && unnamed(&url) {
            return Obj::Text(url); // a request object made before
        }
        let verb = args
            .option("method")
            .and_then(Obj::as_known)
            .unwrap_or_default()
            .to_ascii_uppercase();
        sends |= matches!(verb.as_str(), "POST" | "PUT" | "PATCH");
        let body: Vec<Obj> = ["data", "files", "body", "json", "content", "InFile", "Body"]
            .iter()
            .filter_map(|key| args.option(key))
            .cloned()
            .chain(
                args.list
                    .iter()
                    .skip(usize::from(n) + 1)
                    .filter(|a| matches!(a, Obj::Text(_) | Obj::File(_) | Obj::Bytes(_)))
                    .cloned(),
            )
            .collect();
        let mut taint = Taint::none();
        for item in &body {
            taint.absorb(&self.taint(item));
        }
        if sends || (!body.is_empty() && self.d.lang != Lang::Node) {
            self.act(CodeAct::Send {
                to: url.clone(),
                file: file_in(&taint),
            });
            return Obj::from_source("received", Source::Network(url.to_string()));
        }
        self.fetch(url, None)
    }

    /// The files and hosts whose content is among the arguments.
    pub(super) fn content_taint(&self, args: &Args) -> Taint {
        let mut taint = Taint::none();
        for item in args.list.iter().take(64).chain(args.named.iter().map(|(_, value)| value)) {
            if matches!(item, Obj::Text(_) | Obj::Dict(_) | Obj::List(_)) {
                for source in self.taint(item).sources() {
                    if matches!(source, Source::File(_) | Source::Network(_)) {
                        taint.add(source.clone());
                    }
                }
            }
        }
        taint
    }

    /// Where an object's content came from, open files included.
    fn taint(&self, object: &Obj) -> Taint {
        match object {
            Obj::File(index) => self.file_content(*index).text().taint().clone(),
            Obj::Dict(pairs) => {
                let mut taint = Taint::none();
                pairs
                    .iter()
                    .for_each(|(_, value)| taint.absorb(&self.taint(value)));
                taint
            }
            Obj::List(items) => {
                let mut taint = taint_of(items);
                items
                    .iter()
                    .for_each(|value| taint.absorb(&self.taint(value)));
                taint
            }
            other => other.text().taint().clone(),
        }
    }

    fn serve(&mut self, args: &Args, path: &str) -> Obj {
        let handler = args.list.iter().find_map(|a| {
            if let Obj::Name(name) = a {
                Some(name.as_str())
            } else {
                None
            }
        });
        let plain = handler.is_some_and(|name| {
            !name.ends_with("SimpleHTTPRequestHandler") && !name.ends_with("CGIHTTPRequestHandler")
        });
        let (host, port) = self.address(args, 0);
        if plain && self.d.lang == Lang::Python {
            self.listen(host, port);
            return Obj::Conn;
        }
        let root = ["DocumentRoot", "directory", "root"]
            .iter()
            .find_map(|key| args.pair(key))
            .map(Obj::text)
            .unwrap_or_default();
        let host = if path.ends_with("httpd") || host.has_unknown() {
            Value::empty()
        } else {
            host
        };
        self.conn = true;
        self.act(CodeAct::Serve { host, root });
        Obj::Conn
    }

    /// Whether arguments are a host and a port beyond doubt.
    pub(super) fn looks_like_address(&self, args: &Args) -> bool {
        match args.list.as_slice() {
            [Obj::List(pair), ..] => pair.len() == 2,
            [Obj::Num(_), ..] => {
                matches!(args.list.get(1), None | Some(Obj::Text(_) | Obj::Lambda(_)))
            }
            [Obj::Text(host), second, ..] => {
                host.as_known().is_none_or(|h| !h.contains("://"))
                    && (matches!(second, Obj::Num(_))
                        || second.as_num().is_some()
                        || !second.text().taint().is_none())
            }
            [Obj::Dict(_), ..] => args.option("port").is_some(),
            _ => false,
        }
    }

    /// Host and port from whatever shape they come in.
    pub(super) fn address(&self, args: &Args, n: u8) -> (Value, Value) {
        let option = |keys: &[&str]| keys.iter().find_map(|key| args.pair(key)).map(Obj::text);
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
        let items: Vec<&Obj> = match args.get(n) {
            Some(Obj::List(items)) if items.len() >= 2 => items.iter().take(2).collect(),
            _ => args
                .list
                .iter()
                .skip(usize::from(n))
                .filter(|i| !matches!(i, Obj::Lambda(_) | Obj::Name(_) | Obj::Dict(_) | Obj::Conn))
                .take(2)
                .collect(),
        };
        let any = Obj::known("");
        let items: Vec<&Obj> = items
            .into_iter()
            .map(|item| if matches!(item, Obj::Name(name) if name.ends_with("INADDR_ANY")) { &any } else { item })
            .collect();
        match items.as_slice() {
            [Obj::Num(port)] => (Value::empty(), Value::known(port.to_string())),
            [only] => {
                let text = only.text();
                split_address(&text).unwrap_or((text, Value::empty()))
            }
            // Go: net.Dial("tcp", "host:port"); Node: connect(port, host)
            [first, second] => {
                let (a, b) = (first.text(), second.text());
                if matches!(
                    a.as_known(),
                    Some("tcp" | "tcp4" | "tcp6" | "udp" | "udp4" | "unix")
                ) && let Some(pair) = split_address(&b)
                {
                    return pair;
                }
                if let (Some(pair), true) = (split_address(&a), second.as_num().is_none()) {
                    return pair;
                }
                let port_first = first.as_num().is_some() && second.as_num().is_none();
                let env_first = self.d.lang == Lang::Node
                    && first.as_num().is_none()
                    && !matches!(second, Obj::Num(_))
                    && a.has_unknown();
                if port_first || env_first {
                    (b, a)
                } else {
                    (a, b)
                }
            }
            _ => (Value::unknown("address"), Value::unknown("port")),
        }
    }

    /// A method of a connection.
    pub(super) fn connection_method(&mut self, name: &str, args: Args) -> Obj {
        match name {
            "connect" | "connect_ex" | "connectTo"
                if !args.list.is_empty() || !args.named.is_empty() =>
            {
                let (host, port) = self.address(&args, 0);
                self.connect(host, port);
                Obj::Conn
            }
            "bind" | "Bind" if !args.list.is_empty() => {
                let (host, port) = self.address(&args, 0);
                self.listen(host, port);
                Obj::Conn
            }
            "listen"
                if self.looks_like_address(&args)
                    && self.d.lang != Lang::Python
                    && self.d.lang != Lang::Ruby
                    && self.d.lang != Lang::Perl =>
            {
                let (host, port) = self.address(&args, 0);
                self.listen(host, port);
                Obj::Conn
            }
            "listen" => {
                self.conn = true;
                // Node: listen(process.env.PORT)
                if self.d.lang == Lang::Node && !args.list.is_empty() {
                    let (host, port) = self.address(&args, 0);
                    self.listen(
                        Value::empty(),
                        if port.is_known() && port.as_known() == Some("") {
                            host
                        } else {
                            port
                        },
                    );
                }
                Obj::Conn
            }
            "pipe" | "pipeTo" => {
                match args.list.first() {
                    Some(Obj::Proc(true)) => self.attach(),
                    Some(Obj::File(index)) => {
                        let more = self.received().text();
                        self.add_content(*index, &more);
                    }
                    _ => {}
                }
                args.list.into_iter().next().unwrap_or(Obj::Conn)
            }
            "recv" | "recvfrom" | "recvmsg" | "recv_into" | "read" | "readline" | "readlines"
            | "readLine" | "gets" | "getline" | "getlines" | "receive" | "sysread"
            | "readpartial" | "recvline" | "readable" | "read_nonblock" | "each_line"
            | "readUTF" | "Read" | "ReadString" | "ReadLine" | "url" | "body"
            | "readlines_nonblock" | "Text" | "text" | "json" | "message" => {
                let line = self.received();
                if matches!(self.d.lang, Lang::Ruby) {
                    self.set("$_", line.clone());
                }
                line
            }
            "send" | "sendall" | "sendfile" | "sendto" | "write" | "puts" | "print"
            | "syswrite" | "end" | "Write" | "writeBytes" | "println" | "say" | "printf" => {
                self.print_to(&Obj::Conn, &args.list);
                Obj::Other
            }
            "close" | "shutdown" | "destroy" | "settimeout" | "setsockopt" => Obj::Other,
            "reopen" => {
                self.attach();
                Obj::Conn
            }
            _ => Obj::Conn,
        }
    }

    /// Content written to an object.
    pub(super) fn print_to(&mut self, object: &Obj, items: &[Obj]) {
        match object {
            Obj::Conn => {
                let mut taint = Taint::none();
                items
                    .iter()
                    .for_each(|item| taint.absorb(&self.taint(item)));
                if let Some(file) = file_in(&taint) {
                    let to = Value::known(self.peer.clone());
                    self.act(CodeAct::Send {
                        to,
                        file: Some(file),
                    });
                }
            }
            Obj::File(index) => {
                for item in items {
                    let text = if let Obj::File(from) = item {
                        self.file_content(*from).text()
                    } else {
                        item.text()
                    };
                    self.add_content(*index, &text);
                }
            }
            Obj::Proc(shell) => {
                let shell = *shell;
                if shell
                    && items.iter().any(|item| {
                        matches!(item, Obj::Conn) || item.text().taint().network().is_some()
                    })
                {
                    self.attach();
                } else if shell {
                    // What is written into a shell is run by it.
                    for item in items {
                        if let Some(text) = item.as_known().filter(|t| !t.trim().is_empty()) {
                            self.act(CodeAct::Shell(Value::known(text)));
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// A method of an open file.
    pub(super) fn file_method(&mut self, index: usize, name: &str, args: &Args) -> Obj {
        match name {
            "write" | "writelines" | "puts" | "print" | "printf" | "syswrite" | "Write"
            | "WriteString" | "println" | "end" | "append" | "say" | "<<" => {
                self.print_to(&Obj::File(index), &args.list);
                Obj::Other
            }
            "pipe" | "pipeTo" => {
                match args.list.first() {
                    Some(Obj::Conn) => self.print_to(&Obj::Conn, &[Obj::File(index)]),
                    Some(Obj::Text(value)) => {
                        if let (Some(to), Some((path, _))) = (
                            value.taint().network().map(str::to_owned),
                            self.opened(index),
                        ) {
                            // The request that was taken for a download carries the file.
                            self.acts.retain(|act| !matches!(act, CodeAct::Fetch { url, .. } if url.to_string() == to));
                            self.act(CodeAct::Send {
                                to: Value::known(to),
                                file: Some(path),
                            });
                        }
                    }
                    Some(Obj::File(to)) => {
                        let text = self.file_content(index).text();
                        self.add_content(*to, &text);
                    }
                    Some(Obj::Proc(true)) => {
                        let text = self.file_content(index).text();
                        self.run_shell(&text);
                    }
                    _ => {}
                }
                args.list.first().cloned().unwrap_or(Obj::Other)
            }
            "close" | "flush" | "seek" | "on" | "once" => Obj::Other,
            "chmod" => Obj::Other,
            "chars" | "lines" | "decode" | "read" | "readline" | "readlines" | "gets"
            | "each_line" | "getline" | "getlines" | "sysread" | "readLine" | "Read"
            | "toString" | "text" | "getText" => self.file_content(index),
            _ => Obj::File(index),
        }
    }

    /// A method of a process or one of its streams.
    pub(super) fn process_method(&mut self, shell: bool, name: &str, args: &Args) -> Obj {
        let other = args.list.first();
        match name {
            "pipe" | "pipeTo" => {
                match other {
                    Some(Obj::Conn) if shell => self.attach(),
                    Some(Obj::Name(target)) if target.starts_with("process.") => {}
                    Some(Obj::Other | Obj::Name(_)) if shell => self.piped = true,
                    _ => {}
                }
                other.cloned().unwrap_or(Obj::Other)
            }
            "write" | "communicate" | "puts" | "print" | "send" | "sendline" | "stdin_write"
            | "end" | "println" | "writeBytes" | "syswrite" => {
                self.print_to(&Obj::Proc(shell), &args.list);
                Obj::Proc(shell)
            }
            "read" | "readline" | "readlines" | "gets" | "decode" | "strip" | "toString"
            | "getText" | "text" => Obj::from_source("output", Source::Program("process".into())),
            _ => {
                if shell && args.list.iter().any(|a| matches!(a, Obj::Conn)) {
                    self.attach();
                }
                Obj::Proc(shell)
            }
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
    Some((
        Value::known(host.trim_matches(['[', ']'])),
        Value::known(digits),
    ))
}

/// Flags of the C kind (`os.O_WRONLY|os.O_CREAT`) as a mode.
fn flags_to_mode(flags: &str) -> String {
    let upper = flags.to_ascii_uppercase();
    if upper.contains("APPEND") {
        "a".into()
    } else if ["WRONLY", "RDWR", "CREAT", "TRUNC", "WRITE"]
        .iter()
        .any(|flag| upper.contains(flag))
    {
        "w".into()
    } else {
        "r".into()
    }
}
