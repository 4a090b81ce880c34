//! Methods of file handles, connections and processes.

use super::streams::PerlStreams;
use super::variables::PerlVariables;
use crate::effect::CodeEffect;
use crate::value::{Args, Interprets, Val};
use aegish_code_interpreter::Interpreter;
use aegish_code_library::PerlValues;
use aegish_values::Value;
use easy_ext::ext;

#[ext(PerlHandles)]
pub(super) impl Interpreter<'_> {
    /// A method of a handle that has a name.
    fn handle_method(&mut self, name: &str, method: &str, args: &Args) -> Val {
        let handle = Val::Library(format!("*main::{name}").into());
        let stream = self.stream(&handle);
        match (&stream, method) {
            (_, "fdopen") => {
                let connection = args.list.iter().any(|one| {
                    let one = self.stream(one);
                    matches!(one, Val::Connection)
                });
                if connection {
                    self.attach();
                }
                if let Some(target) = args.list.first().cloned() {
                    let target = self.stream(&target);
                    self.perl_bind(&format!("*main::{name}"), target);
                }
                Val::unknown()
            }
            _ => self.perl_stream_method(&stream, method, args),
        }
    }

    /// A method of an open file, a connection or a process.
    fn perl_stream_method(&mut self, object: &Val, name: &str, args: &Args) -> Val {
        let with_handle = args.clone().with_first(object.clone());
        match name {
            "print" | "say" | "printf" | "syswrite" | "send" | "write" => {
                let function = if name == "write" { "syswrite" } else { name };
                self.print_to(function, &with_handle)
            }
            "getline" | "readline" => {
                let args = Args::of(vec![object.clone()]);
                self.perl_stream_function("readline", &args).unwrap_or_else(Val::unknown)
            }
            "getlines" | "readlines" => {
                let args = Args::of(vec![object.clone()]);
                self.perl_stream_function("<readlines>", &args).unwrap_or_else(Val::unknown)
            }
            "read" | "sysread" | "recv" | "get" | "cmd" | "getc" => {
                let content = self.content(object);
                // The variable for it is the first argument.
                let _ = args;
                content
            }
            "accept" => {
                self.connected = true;
                Val::Connection
            }
            "connect" | "open" if *object == Val::Connection => self.connection_method(name, args),
            "put" | "login" | "cwd" | "binary" | "quit" | "close" if *object == Val::Connection => {
                if name == "put"
                    && let Some(path) = args.get(0)
                {
                    let path = self.perl_text(path);
                    let path = self.resolved(&path);
                    self.record(CodeEffect::Read(path.clone()));
                    let to = Value::known(self.peer.clone());
                    self.record(CodeEffect::Send { to, file: Some(path) });
                }
                Val::Connection
            }
            "content" | "decoded_content" | "body" | "as_string" => self.content(object),
            "start" | "run" | "finish" if matches!(object, Val::Process(_)) => object.clone(),
            _ => match object {
                Val::Process(Interprets::Input) => {
                    self.write_to(&object.clone(), &args.list);
                    object.clone()
                }
                other => other.clone(),
            },
        }
    }
}
