//! What the commands and .NET calls of PowerShell do.

use super::decode;
use super::net::is_url;
use super::obj::{Args, Obj};
use super::powershell::Powershell;
use super::run::is_shell;
use crate::CodeEffect;
use aegish_profiles::Lang;
use aegish_values::{Piece, Value};

impl Powershell<'_> {
    pub(super) fn method(&mut self, object: &Obj, name: &str, list: &[Obj]) -> Obj {
        let text = |n: usize| list.get(n).map(Obj::text).unwrap_or_default();
        let type_name = match object {
            Obj::Name(path) => path.to_ascii_lowercase(),
            _ => String::new(),
        };
        match name {
            "downloadstring" | "downloaddata" | "openread" | "getstringasync" | "getasync" => {
                self.m.fetch(text(0), None)
            }
            "downloadfile" => self.m.fetch(text(0), Some(text(1))),
            "uploadfile" => {
                self.m.kind(CodeEffect::Send {
                    to: text(0),
                    file: Some(text(list.len().saturating_sub(1))),
                });
                Obj::Other
            }
            "uploadstring" | "uploaddata" | "postasync" => {
                self.m.kind(CodeEffect::Send { to: text(0), file: None });
                Obj::Other
            }
            "start"
                if type_name.ends_with("diagnostics.process") || type_name.ends_with("process") =>
            {
                let mut argv = vec![text(0)];
                argv.extend(
                    list.get(1)
                        .and_then(Obj::as_known)
                        .unwrap_or_default()
                        .split_whitespace()
                        .map(Value::known),
                );
                self.m.run_argv(argv);
                Obj::Proc(is_shell(&text(0)))
            }
            "readalltext" | "readallbytes" | "readalllines" | "openread_" => self.m.read(&text(0)),
            "writealltext" | "writeallbytes" | "writealllines" => {
                self.m.write(text(0), text(1), false)
            }
            "appendalltext" => self.m.write(text(0), text(1), true),
            "delete" if type_name.contains("file") || type_name.contains("directory") => {
                self.m.delete(Some(text(0)), type_name.contains("directory"));
                Obj::Other
            }
            "copy" | "move" if type_name.contains("file") => {
                self.m.kind(CodeEffect::Copy { from: text(0), to: text(1) });
                Obj::Other
            }
            "frombase64string" => {
                text(0).as_known().and_then(decode::base64).map_or(Obj::Other, Obj::Bytes)
            }
            "getstring" => match list.first() {
                Some(Obj::Bytes(bytes)) if type_name.contains("unicode") => {
                    let units: Vec<u16> = bytes
                        .chunks(2)
                        .map(|c| {
                            u16::from(c.first().copied().unwrap_or(0))
                                | (u16::from(c.get(1).copied().unwrap_or(0)) << 8)
                        })
                        .collect();
                    Obj::known(String::from_utf16_lossy(&units))
                }
                Some(Obj::Bytes(bytes)) => Obj::known(String::from_utf8_lossy(bytes)),
                _ if self.m.conn => self.m.received(),
                _ => Obj::Other,
            },
            "new" => self.new_object(&type_name, list),
            "load" | "loadfile" | "loadfrom" if type_name.contains("assembly") => {
                match list.first() {
                    Some(Obj::Text(value)) if value.taint().network().is_some() => {
                        self.m.kind(CodeEffect::RunReceived);
                    }
                    Some(library) if library.as_known().is_some() => {
                        self.m.kind(CodeEffect::Load(library.text()));
                    }
                    _ => {}
                }
                Obj::Other
            }
            "create" if type_name.contains("scriptblock") => {
                self.m.run_text(Lang::Powershell, &text(0));
                Obj::Other
            }
            "invokescript" | "invokecommand" => {
                self.m.run_text(Lang::Powershell, &text(0));
                Obj::Other
            }
            "connect"
                if self.m.looks_like_address(&Args { list: list.to_vec(), ..Args::default() }) =>
            {
                self.m.connect(text(0), text(1));
                Obj::Conn
            }
            "setenvironmentvariable" => {
                self.m.kind(CodeEffect::Setenv { name: text(0).to_string(), value: text(1) });
                Obj::Other
            }
            "replace" => match (object.as_known(), text(0).as_known(), text(1).as_known()) {
                (Some(subject), Some(from), Some(to))
                    if !from.is_empty() && subject.len() < decode::LIMIT / 8 =>
                {
                    Obj::known(subject.replace(from, to))
                }
                _ => object.clone(),
            },
            _ => match object {
                Obj::Name(_) => Obj::Other,
                other => other.clone(),
            },
        }
    }

    pub(super) fn new_object(&mut self, kind: &str, list: &[Obj]) -> Obj {
        let kind = kind.trim_start_matches("system.");
        let list: Vec<Obj> = list.iter().cloned().flat_map(Obj::items).collect();
        match kind {
            "net.sockets.tcpclient" | "net.sockets.socket" | "net.sockets.udpclient" => {
                if let [host, port, ..] = list.as_slice() {
                    self.m.connect(host.text(), port.text());
                }
                Obj::Conn
            }
            "net.sockets.tcplistener" | "net.httplistener" => {
                let port = list.last().map(Obj::text).unwrap_or_default();
                self.m.listen(Value::empty(), port);
                Obj::Conn
            }
            "io.streamreader" | "io.filestream" => list.first().map_or(Obj::Other, |f| {
                if matches!(f, Obj::Text(_)) { self.m.read(&f.text()) } else { f.clone() }
            }),
            _ => Obj::Name(kind.to_owned()),
        }
    }

    pub(super) fn command(&mut self, name: &str, words: &[Obj], piped: Obj) -> Obj {
        let mut operands: Vec<Obj> = Vec::new();
        let mut options: Vec<(String, Obj)> = Vec::new();
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
                    options.push((option, value.unwrap_or(Obj::Num(1))));
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
            target(&["path", "literalpath", "filepath", "uri", "command"]).unwrap_or(Obj::Other);
        match name {
            "iex" | "invoke-expression" => {
                let code =
                    if matches!(first, Obj::Other) && operands.is_empty() { piped } else { first };
                let value = code.text();
                let blank = value.has_unknown()
                    && !value.pieces().iter().any(|p| matches!(p, Piece::Text(_)));
                if blank && self.m.conn {
                    self.m.kind(CodeEffect::RunReceived);
                } else {
                    self.m.run_text(Lang::Powershell, &value);
                }
                Obj::Other
            }
            "icm" | "invoke-command" | "invoke-item" | "ii" | "start" | "start-process"
            | "saps" | "invoke-wmimethod" => {
                if matches!(&first, Obj::Name(n) if n == "block")
                    || matches!(option(&["scriptblock"]), Some(Obj::Name(_)))
                {
                    return Obj::Other;
                }
                let mut argv = vec![first.text()];
                let rest = option(&["argumentlist", "args"])
                    .map(Obj::items)
                    .unwrap_or_else(|| operands.get(1..).unwrap_or(&[]).to_vec());
                argv.extend(rest.iter().map(Obj::text));
                self.m.run_argv(argv);
                Obj::Proc(is_shell(&first.text()))
            }
            "iwr" | "irm" | "invoke-webrequest" | "invoke-restmethod" | "start-bitstransfer" => {
                let url = option(&["uri", "source", "url"])
                    .or_else(|| operands.first().cloned())
                    .unwrap_or(Obj::Other)
                    .text();
                let file = option(&["infile"]);
                let sends = option(&["method"])
                    .and_then(|m| m.as_known())
                    .is_some_and(|m| matches!(m.to_ascii_uppercase().as_str(), "POST" | "PUT"));
                if sends || file.is_some() || option(&["body"]).is_some() {
                    self.m.kind(CodeEffect::Send { to: url, file: file.map(|f| f.text()) });
                    return Obj::Other;
                }
                self.m.fetch(url, option(&["outfile", "destination"]).map(|f| f.text()))
            }
            "new-object" => {
                let kind = option(&["typename"])
                    .or_else(|| operands.first().cloned())
                    .and_then(|k| k.as_known())
                    .unwrap_or_default();
                let list = option(&["argumentlist"])
                    .map(Obj::items)
                    .unwrap_or_else(|| operands.get(1..).unwrap_or(&[]).to_vec());
                self.new_object(&kind.to_ascii_lowercase(), &list)
            }
            "get-content" | "gc" | "type" | "select-string" => {
                let path = if name == "select-string" {
                    option(&["path"]).or_else(|| operands.get(1).cloned()).unwrap_or(Obj::Other)
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
                Obj::Other
            }
            "copy-item" | "copy" | "cpi" | "move-item" | "move" | "mi" | "rename-item" | "ren" => {
                let to = option(&["destination", "newname"])
                    .or_else(|| operands.get(1).cloned())
                    .unwrap_or(Obj::Other);
                self.m.kind(CodeEffect::Copy { from: first.text(), to: to.text() });
                Obj::Other
            }
            "get-childitem" | "gci" => {
                if first.as_known().is_some() {
                    self.m.kind(CodeEffect::List(first.text()));
                }
                Obj::Other
            }
            "import-module" | "ipmo" | "add-type" => {
                match first.as_known() {
                    Some(path) if path.ends_with(".dll") || path.ends_with(".so") => {
                        self.m.kind(CodeEffect::Load(Value::known(path)));
                    }
                    Some(path) if path.contains(['/', '\\']) => {
                        self.m.kind(CodeEffect::Script(Lang::Powershell, Value::known(path)));
                    }
                    _ => {}
                }
                Obj::Other
            }
            "write-output" | "echo" | "write" => operands.first().cloned().unwrap_or(Obj::Other),
            "out-string" | "out-null" | "select-object" | "select" | "where-object"
            | "foreach-object" | "sort-object" | "convertfrom-json" | "convertto-json" | "%"
            | "?" => piped,
            _ if name.contains('-') || name.chars().all(|c| c.is_ascii_digit()) => Obj::Other,
            _ => {
                let argv: Vec<Value> = words.iter().map(Obj::text).collect();
                if argv.first().is_some_and(|p| is_url(p) || p.known_prefix().is_empty()) {
                    return Obj::Other;
                }
                if argv.first().is_some_and(|p| p.known_suffix().ends_with(".ps1")) {
                    self.m.kind(CodeEffect::Script(
                        Lang::Powershell,
                        argv.first().cloned().unwrap_or_default(),
                    ));
                    return Obj::Other;
                }
                let shell = argv.first().is_some_and(is_shell);
                self.m.run_argv(argv);
                // Something written into a shell is run by it.
                if shell && piped.as_known().is_some() {
                    self.m.print_to(&Obj::Proc(true), &[piped]);
                }
                Obj::from_source("output", aegish_values::Source::Program(name.to_owned()))
            }
        }
    }
}
