//! Methods of open files, connections and processes.

use crate::lines::lines_of;
use crate::value::{Args, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::RubyLists;
use aegish_values::Source;
use easy_ext::ext;

#[ext(RubyStreams)]
pub(super) impl Interpreter<'_> {
    fn ruby_stream_method(
        &mut self,
        object: &Val,
        name: &str,
        args: &Args,
        block: Option<&Val>,
    ) -> Val {
        let content = match object {
            Val::File(index) if matches!(name, "gets" | "readline") => {
                self.file_line(*index, true, &Val::None)
            }
            Val::File(index) => self.file_content(*index),
            Val::Connection => self.received(),
            _ => Val::from_source("output", Source::Program("process".into())),
        };
        match name {
            "write" | "puts" | "print" | "<<" | "printf" | "syswrite" | "write_nonblock"
            | "send" | "sendmsg" | "putc" | "pwrite" => {
                let mut items = args.list.clone();
                if name == "puts" {
                    items = items.into_iter().flat_map(|item| [item, Val::text("\n")]).collect();
                }
                self.write_to(object, &items);
                if name == "<<" { object.clone() } else { Val::None }
            }
            "read" | "gets" | "readline" | "readpartial" | "sysread" | "getc" | "getbyte"
            | "read_nonblock" | "recv" | "recvfrom" | "recv_nonblock" | "recvmsg" | "readchar"
            | "to_s" | "body" | "read_body" | "string" | "readbyte" | "ungetc" | "value" => {
                // One line of a text that is known is a part of it.
                let content = match (name, &content) {
                    ("getc" | "readchar", Val::Text(text)) if text.is_known() => {
                        Val::Text(crate::value::part_of(text))
                    }
                    _ => content,
                };
                if name == "gets" {
                    let scope = self.scope.program();
                    self.bind_in(&scope, &"$_".into(), content.clone());
                }
                self.run_block(block, &content);
                content
            }
            "readlines" | "each_line" | "each" | "each_byte" | "each_char" | "lines" | "map"
            | "each_with_index" | "select" | "reject" | "to_a" | "first" | "grep" | "entries"
            | "each_slice" | "filter_map" | "count" | "inject" => {
                let chomps = args.named("chomp").is_some_and(|value| *value == Val::Bool(true));
                let lines = self.heap.list(lines_of(&content, !chomps));
                self.ruby_list_method(&lines, list_name(name), args, block)
            }
            "close" | "flush" | "sync" | "sync=" | "close_write" | "close_read" | "rewind"
            | "seek" | "binmode" | "fsync" | "flock" | "truncate" | "pos" | "eof?" | "closed?"
            | "size" | "setsockopt" | "shutdown" | "tty?" | "lineno" | "status" | "pid"
            | "success?" | "exitstatus" | "wait" | "ctime" | "mtime" | "chmod" | "code" => {
                Val::unknown()
            }
            "accept" | "accept_nonblock" => {
                self.connected = true;
                let given = self.run_block(block, &Val::Connection);
                given.map_or(Val::Connection, |given| join(&given, &Val::Connection))
            }
            "path" | "to_path" => match object {
                Val::File(_) => content.forget(),
                _ => Val::unknown(),
            },
            "connect" | "bind" | "listen" => {
                let value = self.connection_method(name, args);
                self.run_block(block, &value);
                value
            }
            "fileno" | "to_io" | "to_i" | "dup" | "start" | "reopen" => {
                self.run_block(block, object);
                object.clone()
            }
            // A connection of HTTP: a request with a body sends it.
            "post" | "put" | "patch" | "request_post" | "request" | "request_put" | "post2"
            | "exec!" | "upload!" | "scp" => {
                self.write_to(object, &args.list.iter().skip(1).cloned().collect::<Vec<_>>());
                self.run_block(block, object);
                object.clone()
            }
            "[]" => content,
            _ => {
                self.run_block(block, object);
                match object {
                    Val::File(index) => Val::tainted(self.file_taint(*index)),
                    other => other.clone(),
                }
            }
        }
    }
}

/// The method of a list that a method of a stream is.
fn list_name(name: &str) -> &str {
    match name {
        "readlines" | "lines" | "entries" => "to_a",
        "each_line" | "each_byte" | "each_char" => "each",
        other => other,
    }
}
