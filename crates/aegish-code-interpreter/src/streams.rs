//! Methods of open files, connections and processes.

use super::Interpreter;
use crate::effect::CodeEffect;
use crate::lines::lines_of;
use crate::operand::file_in;
use crate::value::{Args, Interprets, Val};
use aegish_profiles::Lang;
use aegish_values::{Source, Taint, Value};

impl Interpreter<'_> {
    pub fn file_method(&mut self, index: usize, name: &str, args: &Args) -> Val {
        match name {
            "write" | "writelines" | "writestr" => {
                let items = match (name, args.list.first()) {
                    ("writelines", Some(list)) => {
                        let items = self.iterate(&list.clone());
                        items.list.into_iter().chain(items.rest).collect()
                    }
                    ("writestr", _) => args.list.iter().skip(1).cloned().collect(),
                    _ => args.list.clone(),
                };
                self.write_to(&Val::File(index), &items);
                Val::None
            }
            "read" | "readline" | "readlines" | "__next__" | "read1" | "readall" | "getvalue" => {
                match name {
                    "readlines" => {
                        let items = lines_of(&self.file_content(index), true);
                        self.heap.list(items)
                    }
                    "readline" | "__next__" => self.file_line(index, true, &Val::text("")),
                    _ => self.file_content(index),
                }
            }
            "extractall" | "extract" | "extractfile" => Val::tainted(self.file_taint(index)),
            "close" | "flush" | "seek" | "tell" | "truncate" | "fileno" => Val::unknown(),
            "__enter__" => Val::File(index),
            _ => Val::tainted(self.file_taint(index)),
        }
    }

    /// A method of a connection.
    pub fn connection_method(&mut self, name: &str, args: &Args) -> Val {
        let (first, second) = (args.list.first().cloned(), args.list.get(1).cloned());
        match name {
            "connect" | "connect_ex" | "open" if first.is_some() || !args.named.is_empty() => {
                let first = first.or_else(|| args.named("host").cloned());
                let port = args.named("port").map(Val::to_text);
                let (host, port) = self.address_of(first, second, port);
                self.connect(host, port);
                Val::Connection
            }
            "bind" if first.is_some() => {
                let (host, port) = self.address_of(first, second, None);
                self.listen(host, port);
                Val::Connection
            }
            "listen" => {
                self.connected = true;
                Val::Connection
            }
            "accept" => {
                self.connected = true;
                Val::Tuple([Val::Connection, Val::unknown()].into())
            }
            "recv" | "recvfrom" | "recvmsg" | "recv_into" | "read" | "readline" | "readlines"
            | "recvline" | "readexactly" | "readuntil" | "recvuntil" | "json" | "text"
            | "message" | "getresponse" => self.received(),
            "makefile" | "fileno" | "detach" | "dup" | "makefd" => Val::Connection,
            "send" | "sendall" | "sendfile" | "sendto" | "write" | "storbinary" | "storlines"
            | "sendmail" | "send_message" | "sendline" => {
                let items = args.list.clone();
                self.write_to(&Val::Connection, &items);
                Val::None
            }
            // A connection of HTTP: `connection.request("POST", "/", body)`.
            "request" | "putrequest" => {
                let body: Vec<Val> = args
                    .named("body")
                    .cloned()
                    .into_iter()
                    .chain(args.list.iter().skip(2).cloned())
                    .collect();
                self.write_to(&Val::Connection, &body);
                Val::None
            }
            "close" | "shutdown" | "settimeout" | "setsockopt" | "setblocking" => Val::None,
            "exec_command" => {
                // The command runs on the other host.
                Val::Tuple([Val::Connection, self.received(), self.received()].into())
            }
            _ => {
                self.run_callbacks(args, None);
                Val::Connection
            }
        }
    }

    /// Content written to a value.
    pub fn write_to(&mut self, target: &Val, items: &[Val]) {
        match target {
            Val::Connection => {
                let mut taint = Taint::none();
                items.iter().for_each(|item| taint.absorb(&self.taint_of(item)));
                if let Some(file) = file_in(&taint) {
                    let to = Value::known(self.peer.clone());
                    self.record(CodeEffect::Send { to, file: Some(file) });
                }
            }
            Val::File(index) => {
                for item in items {
                    let text = match item {
                        Val::File(from) => self.file_content(*from).to_text(),
                        other => self.text_of(other),
                    };
                    self.add_content(*index, &text);
                }
            }
            Val::Process(Interprets::Input) => {
                let network = items.iter().any(|item| {
                    matches!(item, Val::Connection) || item.own_taint().network().is_some()
                });
                if network {
                    self.attach();
                    return;
                }
                // A shell runs the text that is written to it.
                for item in items {
                    if let Val::Text(text) = item
                        && text.has_text()
                    {
                        let text = text.clone();
                        self.run_text(Lang::Shell, &text);
                    }
                }
            }
            Val::OneOf(values) => {
                for value in values.iter() {
                    self.write_to(value, items);
                }
            }
            _ => {}
        }
    }

    /// A method of a process or one of its streams.
    pub fn process_method(&mut self, kind: Interprets, name: &str, args: &Args) -> Val {
        match name {
            "write" | "communicate" | "send" | "sendline" | "writelines" => {
                let items: Vec<Val> =
                    args.list.iter().cloned().chain(args.named("input").cloned()).collect();
                self.write_to(&Val::Process(kind), &items);
                Val::from_source("output", Source::Program("process".into()))
            }
            "read" | "readline" | "readlines" | "decode" | "strip" | "split" | "splitlines"
            | "rstrip" => Val::from_source("output", Source::Program("process".into())),
            _ => {
                if kind == Interprets::Input
                    && args.list.iter().any(|a| matches!(a, Val::Connection))
                {
                    self.attach();
                }
                Val::Process(kind)
            }
        }
    }
}
