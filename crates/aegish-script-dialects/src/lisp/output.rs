//! Printing, and ports that texts are written to.

use super::called::LispCalled;
use super::code::LispCode;
use super::formats::LispFormats;
use super::inner::LispInner;
use super::places::LispPlaces;
use super::texts::LispTexts;
use super::{LispCalls, LispState};
use crate::reference::Ref;
use crate::value::{Args, Val, join};
use aegish_code_interpreter::Interpreter;
use aegish_values::Value;
use easy_ext::ext;

#[ext(LispOutput)]
pub(super) impl Interpreter<'_> {
    fn lisp_output_cell(&mut self) -> Ref {
        let known = self.state.with(|lisp: &mut LispState| lisp.output);
        let cell = self.lisp_cell(known, Val::None);
        self.state.with(|lisp: &mut LispState| lisp.output = Some(cell));
        cell
    }

    fn lisp_output(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        let port = args.list.get(1).cloned();
        Some(match path {
            "display" | "princ" | "write-string" | "write-char" | "write-line" | "displayln"
            | "display-line" | "write-u8" | "write-bytes" | "put-string" | "insert-string" => {
                let (value, port) =
                    if path == "put-string" { (port?, first) } else { (first?, port) };
                let mut text = self.lisp_joined(&value);
                if matches!(path, "displayln" | "write-line") {
                    text.push_str("\n");
                }
                self.lisp_put_text(port.as_ref(), &Val::Text(text));
                value
            }
            "print" | "prin1" | "write" | "writeln" | "pp" | "pretty-print" | "println"
            | "terpri" | "newline" | "fresh-line" | "display-args" => {
                let text = match (path, &first) {
                    ("terpri" | "newline" | "fresh-line", _) => Value::known("\n"),
                    (_, Some(Val::Int(number)))
                        if !matches!(path, "print" | "writeln" | "println" | "pp") =>
                    {
                        Value::known(number.to_string())
                    }
                    // A text is printed in quotes.
                    _ => {
                        let mut taint = Value::unknown("printed");
                        if let Some(value) = &first {
                            taint = taint.tainted(&self.taint_of(value));
                        }
                        taint
                    }
                };
                let port = if matches!(path, "terpri" | "newline" | "fresh-line") {
                    first.clone()
                } else {
                    port
                };
                self.lisp_put_text(port.as_ref(), &Val::Text(text));
                first.unwrap_or(Val::None)
            }
            "message" if self.is_emacs() => {
                let mut text = self.lisp_format(args);
                text.push_str("\n");
                self.lisp_put_text(None, &Val::Text(text.clone()));
                Val::Text(text)
            }
            "printf" | "fprintf" | "eprintf" | "simple-format" => {
                let (port, format, skipped) = match path {
                    "fprintf" | "simple-format" => (first, port?, 2),
                    _ => (None, first?, 1),
                };
                let text = self.lisp_tilde(
                    &format.to_text(),
                    args.list.get(skipped..).unwrap_or(&[]),
                    args,
                );
                if path == "simple-format" && port == Some(Val::Bool(false)) {
                    return Some(Val::Text(text));
                }
                if path != "eprintf" {
                    self.lisp_put_text(port.as_ref(), &Val::Text(text));
                }
                Val::None
            }
            "open-output-string" | "make-string-output-stream" | "open-output-bytes" => {
                self.new_list(Vec::new())
            }
            "get-output-string" | "get-output-stream-string" | "get-output-bytes" => {
                self.lisp_port_text(&first?)
            }
            "with-output-to-string" => {
                let old = self.lisp_inner("<capture>", &Args::default());
                self.lisp_call(&first?, Args::default());
                self.lisp_inner("<captured>", &Args::of(vec![old]))
            }
            "with-input-from-string" => {
                let thunk = port?;
                self.lisp_call(&thunk, Args::default())
            }
            "with-output-to-file"
            | "with-input-from-file"
            | "call-with-output-file"
            | "call-with-input-file"
            | "call-with-output-file*"
            | "call-with-input-file*" => {
                let keyed = super::keyed(args);
                let function = args.list.get(1).cloned()?;
                let entry = crate::calls::find(self.language, path)?;
                let file = self.effect_call(&entry, &Args { list: vec![first?], ..keyed }, path);
                if path.starts_with("call") {
                    return Some(self.lisp_call(&function, Args::of(vec![file])));
                }
                let cell = self.lisp_output_cell();
                let old = self.lisp_kept(cell);
                if path == "with-output-to-file" {
                    self.lisp_keep(cell, file);
                }
                let value = self.lisp_call(&function, Args::default());
                self.lisp_keep(cell, old);
                value
            }
            "open" if !self.is_emacs() => {
                let keyed = super::keyed(args);
                let direction = keyed
                    .named("direction")
                    .and_then(super::symbol_of)
                    .unwrap_or(":input")
                    .to_owned();
                let append = keyed.named("if-exists").and_then(super::symbol_of) == Some(":append");
                let mode = match (direction.as_str(), append) {
                    (":output" | ":io", true) => "a",
                    (":output" | ":io", false) => "w",
                    (":input" | ":probe", _) => "r",
                    _ => "rw",
                };
                // Guile gives flags.
                let mode = match args.list.get(1) {
                    Some(flags) if super::symbol_of(flags).is_none() => {
                        Val::Text(Value::known("rw"))
                    }
                    _ if keyed.named.iter().any(|(name, value)| {
                        &**name == "direction" && super::symbol_of(value).is_none()
                    }) =>
                    {
                        Val::text("rw")
                    }
                    _ => Val::text(mode),
                };
                let entry = crate::calls::find(self.language, "open-file")?;
                self.effect_call(&entry, &Args::of(vec![first?, mode]), "open-file")
            }
            "read-line"
            | "read-string"
            | "read-char"
            | "get-line"
            | "get-string-all"
            | "port->string"
            | "port->lines"
            | "read-all"
            | "uiop:slurp-stream-string"
            | "slurp-stream-string"
            | "in-lines"
            | "port->list"
            | "uiop:slurp-stream-lines"
            | "read-delimited"
            | "get-string-n"
            | "read-bytes"
            | "read-byte"
            | "read-u8"
            | "read-bytes-line"
            | "port->bytes"
            | "get-bytevector-all"
            | "read-lines" => {
                let port = args.list.iter().find(|value| !matches!(value, Val::Int(_))).cloned();
                let value = match port {
                    Some(port @ (Val::File(_) | Val::Connection | Val::Process(_))) => {
                        Val::Text(self.lisp_content(&port))
                    }
                    Some(Val::Text(text)) => Val::Text(crate::value::part_of(&text)),
                    Some(other) if other.own_taint().network().is_some() => other,
                    Some(Val::Unknown(taint, _)) => {
                        Val::Text(Value::unknown("input").tainted(&taint))
                    }
                    _ => self.stdin(),
                };
                // A line is a part of what is known.
                let value = match &value {
                    Val::Text(text)
                        if text.is_known() && !path.contains("all") && !path.contains("port->") =>
                    {
                        Val::Text(crate::value::part_of(text))
                    }
                    _ => value,
                };
                match path.ends_with("lines") || path == "port->list" {
                    true => {
                        self.heap.list(crate::heap::Items { list: Vec::new(), rest: Some(value) })
                    }
                    false => value,
                }
            }
            "close-port" | "close" | "close-input-port" | "close-output-port" | "close-pipe"
            | "force-output" | "finish-output" | "flush-output" | "kill-buffer" | "exit"
            | "quit" | "kill-emacs" | "sb-ext:exit" | "sb-ext:quit" | "uiop:quit" | "void"
            | "provide" => Val::None,
            _ => return None,
        })
    }

    /// Text for a port; without one it is printed.
    fn lisp_put_text(&mut self, port: Option<&Val>, text: &Val) {
        let port = match port {
            None | Some(Val::None | Val::Bool(_) | Val::Library(_)) => {
                let cell = self.lisp_output_cell();
                self.lisp_kept(cell)
            }
            Some(port) => port.clone(),
        };
        match &port {
            Val::None | Val::Bool(_) => {
                let text = text.to_text();
                self.print(text.as_known());
            }
            Val::List(place) => {
                let text = text.clone();
                let place = *place;
                self.heap.update_items(place, |items| crate::heap::push_item(items, text));
            }
            Val::File(_) | Val::Connection | Val::Process(_) => {
                self.write_to(&port, std::slice::from_ref(text));
            }
            Val::OneOf(values) => {
                for port in values.iter() {
                    self.lisp_put_text(Some(port), text);
                }
            }
            _ => self.print(None),
        }
    }

    /// The text that was written to a port of texts.
    fn lisp_port_text(&mut self, port: &Val) -> Val {
        match port {
            Val::List(_) => {
                let items = self.iterate(port);
                Val::Text(self.lisp_join(&items, &Value::empty()))
            }
            other => join(&Val::Text(Value::unknown(crate::value::LOST)), &other.forget()),
        }
    }
}
