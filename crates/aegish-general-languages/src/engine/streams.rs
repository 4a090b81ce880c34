//! Connections and processes as objects: what is read from them, written to them, tied together.

use super::net::file_in;
use super::obj::{Args, Obj};
use super::state::Machine;
use crate::CodeEffect;
use aegish_profiles::Lang;
use aegish_values::{Source, Taint, Value};

impl Machine<'_> {
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
                        if port.is_known() && port.as_known() == Some("") { host } else { port },
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
                items.iter().for_each(|item| taint.absorb(&self.taint(item)));
                if let Some(file) = file_in(&taint) {
                    let to = Value::known(self.peer.clone());
                    self.kind(CodeEffect::Send { to, file: Some(file) });
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
                            self.kind(CodeEffect::Shell(Value::known(text)));
                        }
                    }
                }
            }
            _ => {}
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
