//! What the commands and .NET calls of PowerShell do.

use super::decode;
use super::object::{Args, Object};
use super::powershell::Powershell;
use super::run::is_shell;
use crate::CodeEffect;
use aegish_code_effects::operand::is_url;
use aegish_profiles::Lang;
use aegish_values::{Piece, Value};

impl Powershell<'_> {
    pub(super) fn method(&mut self, object: &Object, name: &str, list: &[Object]) -> Object {
        let text = |n: usize| list.get(n).map(Object::text).unwrap_or_default();
        let type_name = match object {
            Object::Name(path) => path.to_ascii_lowercase(),
            _ => String::new(),
        };
        match name {
            "downloadstring" | "downloaddata" | "openread" | "getstringasync" | "getasync" => {
                self.m.fetch(text(0), None)
            }
            "downloadfile" => self.m.fetch(text(0), Some(text(1))),
            "uploadfile" => {
                self.m.record(CodeEffect::Send {
                    to: text(0),
                    file: Some(text(list.len().saturating_sub(1))),
                });
                Object::Other
            }
            "uploadstring" | "uploaddata" | "postasync" => {
                self.m.record(CodeEffect::Send { to: text(0), file: None });
                Object::Other
            }
            "start"
                if type_name.ends_with("diagnostics.process") || type_name.ends_with("process") =>
            {
                let mut argv = vec![text(0)];
                argv.extend(
                    list.get(1)
                        .and_then(Object::as_known)
                        .unwrap_or_default()
                        .split_whitespace()
                        .map(Value::known),
                );
                self.m.run_argv(argv);
                Object::Proc(is_shell(&text(0)))
            }
            "readalltext" | "readallbytes" | "readalllines" | "openread_" => self.m.read(&text(0)),
            "writealltext" | "writeallbytes" | "writealllines" => {
                self.m.write(text(0), text(1), false)
            }
            "appendalltext" => self.m.write(text(0), text(1), true),
            "delete" if type_name.contains("file") || type_name.contains("directory") => {
                self.m.delete(Some(text(0)), type_name.contains("directory"));
                Object::Other
            }
            "copy" | "move" if type_name.contains("file") => {
                self.m.record(CodeEffect::Copy { from: text(0), to: text(1) });
                Object::Other
            }
            "frombase64string" => {
                text(0).as_known().and_then(decode::base64).map_or(Object::Other, Object::Bytes)
            }
            "getstring" => match list.first() {
                Some(Object::Bytes(bytes)) if type_name.contains("unicode") => {
                    let units: Vec<u16> = bytes
                        .chunks(2)
                        .map(|c| {
                            u16::from(c.first().copied().unwrap_or(0))
                                | (u16::from(c.get(1).copied().unwrap_or(0)) << 8)
                        })
                        .collect();
                    Object::known(String::from_utf16_lossy(&units))
                }
                Some(Object::Bytes(bytes)) => Object::known(String::from_utf8_lossy(bytes)),
                _ if self.m.conn => self.m.received(),
                _ => Object::Other,
            },
            "new" => self.new_object(&type_name, list),
            "load" | "loadfile" | "loadfrom" if type_name.contains("assembly") => {
                match list.first() {
                    Some(Object::Text(value)) if value.taint().network().is_some() => {
                        self.m.record(CodeEffect::RunReceived);
                    }
                    Some(library) if library.as_known().is_some() => {
                        self.m.record(CodeEffect::Load(library.text()));
                    }
                    _ => {}
                }
                Object::Other
            }
            "create" if type_name.contains("scriptblock") => {
                self.m.run_text(Lang::Powershell, &text(0));
                Object::Other
            }
            "invokescript" | "invokecommand" => {
                self.m.run_text(Lang::Powershell, &text(0));
                Object::Other
            }
            "connect"
                if self.m.looks_like_address(&Args { list: list.to_vec(), ..Args::default() }) =>
            {
                self.m.connect(text(0), text(1));
                Object::Conn
            }
            "setenvironmentvariable" => {
                self.m.record(CodeEffect::Setenv { name: text(0).to_string(), value: text(1) });
                Object::Other
            }
            "replace" => match (object.as_known(), text(0).as_known(), text(1).as_known()) {
                (Some(subject), Some(from), Some(to))
                    if !from.is_empty() && subject.len() < decode::LIMIT / 8 =>
                {
                    Object::known(subject.replace(from, to))
                }
                _ => object.clone(),
            },
            _ => match object {
                Object::Name(_) => Object::Other,
                other => other.clone(),
            },
        }
    }

    pub(super) fn new_object(&mut self, kind: &str, list: &[Object]) -> Object {
        let kind = kind.trim_start_matches("system.");
        let list: Vec<Object> = list.iter().cloned().flat_map(Object::items).collect();
        match kind {
            "net.sockets.tcpclient" | "net.sockets.socket" | "net.sockets.udpclient" => {
                if let [host, port, ..] = list.as_slice() {
                    self.m.connect(host.text(), port.text());
                }
                Object::Conn
            }
            "net.sockets.tcplistener" | "net.httplistener" => {
                let port = list.last().map(Object::text).unwrap_or_default();
                self.m.listen(Value::empty(), port);
                Object::Conn
            }
            "io.streamreader" | "io.filestream" => list.first().map_or(Object::Other, |f| {
                if matches!(f, Object::Text(_)) { self.m.read(&f.text()) } else { f.clone() }
            }),
            _ => Object::Name(kind.to_owned()),
        }
    }

    pub(super) fn command(&mut self, name: &str, words: &[Object], piped: Object) -> Object {
        let mut operands: Vec<Object> = Vec::new();
        let mut options: Vec<(String, Object)> = Vec::new();
        let mut index = 1;
        while let Some(word) = words.get(index) {
            index += 1;
            match word
                .as_known()
                .and_then(|t| t.strip_prefix('-').map(str::to_ascii_lowercase))
                .filter(|t| t.starts_with(|c: char| c.is_ascii_alphabetic()))
            {
                Some(option) => {
                    let flag = [
                        "recurse",
                        "force",
                        "usebasicparsing",
                        "append",
                        "wait",
                        "nonewwindow",
                        "passthru",
                        "raw",
                        "verbose",
                        "hidden",
                    ]
                    .iter()
                    .any(|f| f.starts_with(&option));
                    let value = words.get(index).filter(|_| !flag).cloned();
                    if value.is_some() {
                        index += 1;
                    }
                    options.push((option, value.unwrap_or(Object::Num(1))));
                }
                None => operands.push(word.clone()),
            }
        }
        let option = |names: &[&str]| {
            options
                .iter()
                .find(|(name, _)| names.iter().any(|n| n.starts_with(name.as_str())))
                .map(|(_, value)| value.clone())
        };
        let target = |names: &[&str]| option(names).or_else(|| operands.first().cloned());
        let first =
            target(&["path", "literalpath", "filepath", "uri", "command"]).unwrap_or(Object::Other);
        match name {
            "iex" | "invoke-expression" => {
                let code = if matches!(first, Object::Other) && operands.is_empty() {
                    piped
                } else {
                    first
                };
                let value = code.text();
                let blank = value.has_unknown()
                    && !value.pieces().iter().any(|p| matches!(p, Piece::Text(_)));
                if blank && self.m.conn {
                    self.m.record(CodeEffect::RunReceived);
                } else {
                    self.m.run_text(Lang::Powershell, &value);
                }
                Object::Other
            }
            "icm" | "invoke-command" | "invoke-item" | "ii" | "start" | "start-process"
            | "saps" | "invoke-wmimethod" => {
                if matches!(&first, Object::Name(n) if n == "block")
                    || matches!(option(&["scriptblock"]), Some(Object::Name(_)))
                {
                    return Object::Other;
                }
                let mut argv = vec![first.text()];
                let rest = option(&["argumentlist", "args"])
                    .map(Object::items)
                    .unwrap_or_else(|| operands.get(1..).unwrap_or(&[]).to_vec());
                argv.extend(rest.iter().map(Object::text));
                self.m.run_argv(argv);
                Object::Proc(is_shell(&first.text()))
            }
            "iwr" | "irm" | "invoke-webrequest" | "invoke-restmethod" | "start-bitstransfer" => {
                let url = option(&["uri", "source", "url"])
                    .or_else(|| operands.first().cloned())
                    .unwrap_or(Object::Other)
                    .text();
                let file = option(&["infile"]);
                let sends = option(&["method"])
                    .and_then(|m| m.as_known())
                    .is_some_and(|m| matches!(m.to_ascii_uppercase().as_str(), "POST" | "PUT"));
                if sends || file.is_some() || option(&["body"]).is_some() {
                    self.m.record(CodeEffect::Send { to: url, file: file.map(|f| f.text()) });
                    return Object::Other;
                }
                self.m.fetch(url, option(&["outfile", "destination"]).map(|f| f.text()))
            }
            "new-object" => {
                let kind = option(&["typename"])
                    .or_else(|| operands.first().cloned())
                    .and_then(|k| k.as_known())
                    .unwrap_or_default();
                let list = option(&["argumentlist"])
                    .map(Object::items)
                    .unwrap_or_else(|| operands.get(1..).unwrap_or(&[]).to_vec());
                self.new_object(&kind.to_ascii_lowercase(), &list)
            }
            "get-content" | "gc" | "type" | "select-string" => {
                let path = if name == "select-string" {
                    option(&["path"]).or_else(|| operands.get(1).cloned()).unwrap_or(Object::Other)
                } else {
                    first
                };
                self.m.read(&path.text())
            }
            "set-content" | "sc" | "out-file" | "add-content" | "ac" | "tee-object" => {
                let content = option(&["value", "inputobject"])
                    .or_else(|| operands.get(1).cloned())
                    .unwrap_or(piped);
                let append = matches!(name, "add-content" | "ac") || option(&["append"]).is_some();
                self.m.write(first.text(), content.text(), append)
            }
            "remove-item" | "ri" | "del" | "erase" | "rd" => {
                let tree = option(&["recurse"]).is_some();
                for path in if operands.is_empty() { vec![first] } else { operands } {
                    self.m.delete(Some(path.text()), tree);
                }
                Object::Other
            }
            "copy-item" | "copy" | "cpi" | "move-item" | "move" | "mi" | "rename-item" | "ren" => {
                let to = option(&["destination", "newname"])
                    .or_else(|| operands.get(1).cloned())
                    .unwrap_or(Object::Other);
                self.m.record(CodeEffect::Copy { from: first.text(), to: to.text() });
                Object::Other
            }
            "get-childitem" | "gci" => {
                if first.as_known().is_some() {
                    self.m.record(CodeEffect::List(first.text()));
                }
                Object::Other
            }
            "import-module" | "ipmo" | "add-type" => {
                match first.as_known() {
                    Some(path) if path.ends_with(".dll") || path.ends_with(".so") => {
                        self.m.record(CodeEffect::Load(Value::known(path)));
                    }
                    Some(path) if path.contains(['/', '\\']) => {
                        self.m.record(CodeEffect::Script(Lang::Powershell, Value::known(path)));
                    }
                    _ => {}
                }
                Object::Other
            }
            "write-output" | "echo" | "write" => operands.first().cloned().unwrap_or(Object::Other),
            "out-string" | "out-null" | "select-object" | "select" | "where-object"
            | "foreach-object" | "sort-object" | "convertfrom-json" | "convertto-json" | "%"
            | "?" => piped,
            _ if name.contains('-') || name.chars().all(|c| c.is_ascii_digit()) => Object::Other,
            _ => {
                let argv: Vec<Value> = words.iter().map(Object::text).collect();
                if argv.first().is_some_and(|p| is_url(p) || p.known_prefix().is_empty()) {
                    return Object::Other;
                }
                if argv.first().is_some_and(|p| p.known_suffix().ends_with(".ps1")) {
                    self.m.record(CodeEffect::Script(
                        Lang::Powershell,
                        argv.first().cloned().unwrap_or_default(),
                    ));
                    return Object::Other;
                }
                let shell = argv.first().is_some_and(is_shell);
                self.m.run_argv(argv);
                // A shell runs the text that is written to it.
                if shell && piped.as_known().is_some() {
                    self.m.print_to(&Object::Proc(true), &[piped]);
                }
                Object::from_source("output", aegish_values::Source::Program(name.to_owned()))
            }
        }
    }
}
