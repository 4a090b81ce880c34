//! Methods of connections and processes: reading, writing, attaching.

use super::interpreter::Interpreter;
use super::object::{Args, Object};
use crate::CodeEffect;
use aegish_code_effects::operand::file_in;
use aegish_values::{Source, Taint, Value};

impl Interpreter<'_> {
    /// A method of a connection.
    pub(super) fn connection_method(&mut self, name: &str, args: Args) -> Object {
        match name {
            "connect" | "connect_ex" | "connectTo"
                if !args.list.is_empty() || !args.named.is_empty() =>
            {
                let (host, port) = self.address(&args, 0);
                self.connect(host, port);
                Object::Conn
            }
            "bind" | "Bind" if !args.list.is_empty() => {
                let (host, port) = self.address(&args, 0);
                self.listen(host, port);
                Object::Conn
            }
            "listen" if self.looks_like_address(&args) => {
                let (host, port) = self.address(&args, 0);
                self.listen(host, port);
                Object::Conn
            }
            "listen" => {
                self.conn = true;
                Object::Conn
            }
            "pipe" | "pipeTo" => {
                match args.list.first() {
                    Some(Object::Proc(true)) => self.attach(),
                    Some(Object::File(index)) => {
                        let more = self.received().text();
                        self.add_content(*index, &more);
                    }
                    _ => {}
                }
                args.list.into_iter().next().unwrap_or(Object::Conn)
            }
            "recv" | "recvfrom" | "recvmsg" | "recv_into" | "read" | "readline" | "readlines"
            | "readLine" | "gets" | "getline" | "getlines" | "receive" | "sysread"
            | "readpartial" | "recvline" | "readable" | "read_nonblock" | "each_line"
            | "readUTF" | "Read" | "ReadString" | "ReadLine" | "url" | "body"
            | "readlines_nonblock" | "Text" | "text" | "json" | "message" => self.received(),
            "send" | "sendall" | "sendfile" | "sendto" | "write" | "puts" | "print"
            | "syswrite" | "end" | "Write" | "writeBytes" | "println" | "say" | "printf" => {
                self.print_to(&Object::Conn, &args.list);
                Object::Other
            }
            "close" | "shutdown" | "destroy" | "settimeout" | "setsockopt" => Object::Other,
            "reopen" => {
                self.attach();
                Object::Conn
            }
            _ => Object::Conn,
        }
    }

    /// Content written to an object.
    pub(super) fn print_to(&mut self, object: &Object, items: &[Object]) {
        match object {
            Object::Conn => {
                let mut taint = Taint::none();
                items.iter().for_each(|item| taint.absorb(&self.taint(item)));
                if let Some(file) = file_in(&taint) {
                    let to = Value::known(self.peer.clone());
                    self.record(CodeEffect::Send { to, file: Some(file) });
                }
            }
            Object::File(index) => {
                for item in items {
                    let text = if let Object::File(from) = item {
                        self.file_content(*from).text()
                    } else {
                        item.text()
                    };
                    self.add_content(*index, &text);
                }
            }
            Object::Proc(shell) => {
                let shell = *shell;
                if shell
                    && items.iter().any(|item| {
                        matches!(item, Object::Conn) || item.text().taint().network().is_some()
                    })
                {
                    self.attach();
                } else if shell {
                    // A shell runs the text that is written to it.
                    for item in items {
                        if let Some(text) = item.as_known().filter(|t| !t.trim().is_empty()) {
                            self.record(CodeEffect::Shell(Value::known(text)));
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// A method of a process or one of its streams.
    pub(super) fn process_method(&mut self, shell: bool, name: &str, args: &Args) -> Object {
        let other = args.list.first();
        match name {
            "pipe" | "pipeTo" => {
                match other {
                    Some(Object::Conn) if shell => self.attach(),
                    Some(Object::Name(target)) if target.starts_with("process.") => {}
                    Some(Object::Other | Object::Name(_)) if shell => self.piped = true,
                    _ => {}
                }
                other.cloned().unwrap_or(Object::Other)
            }
            "write" | "communicate" | "puts" | "print" | "send" | "sendline" | "stdin_write"
            | "end" | "println" | "writeBytes" | "syswrite" => {
                self.print_to(&Object::Proc(shell), &args.list);
                Object::Proc(shell)
            }
            "read" | "readline" | "readlines" | "gets" | "decode" | "strip" | "toString"
            | "getText" | "text" => {
                Object::from_source("output", Source::Program("process".into()))
            }
            _ => {
                if shell && args.list.iter().any(|a| matches!(a, Object::Conn)) {
                    self.attach();
                }
                Object::Proc(shell)
            }
        }
    }
}
