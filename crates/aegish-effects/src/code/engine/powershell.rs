//! PowerShell: commands made of words, with expressions in between.
//!
//! Takes a script, gives acts. Knows the commands and .NET calls that run, read, write, delete,
//! connect and download; any other command name is a program to run. Not followed: functions'
//! parameters, pipelines' objects beyond a text on the left.

use super::decode;
use super::dialect;
use super::net::is_url;
use super::obj::{Args, Obj};
use super::perform::is_shell;
use super::state::Machine;
use crate::code::{CodeAct, Surroundings};
use crate::value::{Piece, Value};
use aegish_profiles::Lang;

const DEPTH: u32 = 32;

/// How far a bracket may reach; keeps garbage linear.
const REACH: usize = 64 * 1024;

/// Words that are syntax.
const KEYWORDS: &[&str] = &[
    "begin", "break", "catch", "continue", "do", "else", "elseif", "end", "exit", "filter", "finally",
    "for", "foreach", "function", "if", "in", "param", "process", "return", "switch", "throw", "trap",
    "try", "until", "while",
];

/// What a PowerShell script does.
pub(super) fn scan(code: &str, around: &Surroundings<'_>) -> Vec<CodeAct> {
    let Some(d) = dialect::of(Lang::Powershell) else { return Vec::new() };
    let mut m = Machine::new(d, around, &[]);
    m.fuel += 64 * code.len() as u64;
    m.printed = None;
    let mut shell = Powershell { m, depth: 0 };
    shell.script(code);
    shell.m.finish()
}

struct Powershell<'a> {
    m: Machine<'a>,
    depth: u32,
}

impl Powershell<'_> {
    fn script(&mut self, code: &str) -> Obj {
        if self.depth > DEPTH {
            self.m.starved = true;
            return Obj::Other;
        }
        self.depth += 1;
        let mut last = Obj::Other;
        let mut rest = code;
        while !rest.is_empty() && self.m.burn(1) {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() || ";{})]|&,".contains(c) && c != '&');
            if let Some(after) = rest.strip_prefix("<#") {
                rest = after.find("#>").and_then(|n| after.get(n + 2..)).unwrap_or("");
                continue;
            }
            if rest.starts_with('#') {
                rest = rest.find('\n').and_then(|n| rest.get(n..)).unwrap_or("");
                continue;
            }
            if rest.is_empty() {
                break;
            }
            let before = rest.len();
            (last, rest) = self.statement(rest, last);
            if rest.len() >= before {
                rest = rest.get(rest.chars().next().map_or(1, char::len_utf8)..).unwrap_or("");
            }
        }
        self.depth -= 1;
        last
    }

    /// One command or assignment; `piped` is what stands left of a `|`.
    fn statement<'t>(&mut self, code: &'t str, piped: Obj) -> (Obj, &'t str) {
        if self.depth > DEPTH {
            self.m.starved = true;
            return (Obj::Other, "");
        }
        self.depth += 1;
        let result = self.statement_at(code, piped);
        self.depth -= 1;
        result
    }

    fn statement_at<'t>(&mut self, code: &'t str, piped: Obj) -> (Obj, &'t str) {
        // $name = …
        if let Some(body) = code.strip_prefix('$') {
            let len = body.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':')).count();
            let name = body.get(..len).unwrap_or("").to_ascii_lowercase();
            let after = body.get(len..).unwrap_or("").trim_start();
            let sign = ["+=", "="].iter().find_map(|sign| after.strip_prefix(sign).map(|rest| (*sign, rest)));
            if let Some((sign, rest)) = sign.filter(|(_, rest)| !rest.starts_with('=')) {
                let (value, rest) = self.statement(rest.trim_start(), Obj::Other);
                if let Some(name) = name.strip_prefix("env:") {
                    self.m.act(CodeAct::Setenv { name: name.to_ascii_uppercase(), value: value.text() });
                }
                let value = match (sign, self.m.vars.get(&name)) {
                    ("+=", Some(old)) => old.join(&value),
                    _ => value,
                };
                self.m.set(&name, value.clone());
                return (value, rest);
            }
        }
        // A type in front of a variable.
        if code.starts_with('[')
            && let Some(rest) = code.get(close(code) + 1..).filter(|rest| rest.trim_start().starts_with('$'))
        {
            return self.statement(rest.trim_start(), piped);
        }
        let first = code.chars().next().unwrap_or(' ');
        let calls = first == '&' || (first == '.' && code.get(1..2) == Some(" "));
        let start = if calls { code.get(1..).unwrap_or("").trim_start() } else { code };
        if !calls && ("$\"'([@".contains(first) || first.is_ascii_digit()) {
            return self.expression(start);
        }
        let (words, rest) = self.words(start);
        let Some(head) = words.first() else { return (Obj::Other, rest) };
        let Some(name) = head.as_known() else {
            if calls {
                self.m.run_argv(words.iter().map(Obj::text).collect());
            }
            return (Obj::Other, rest);
        };
        let lower = name.to_ascii_lowercase();
        if KEYWORDS.binary_search(&lower.as_str()).is_ok() {
            return (Obj::Other, start.get(name.len()..).unwrap_or(""));
        }
        let value = self.command(&lower, &words, piped);
        // What comes through a pipe is the value of the left side.
        let rest = match rest.strip_prefix('|') {
            Some(next) => {
                let (value, next) = self.statement(next.trim_start(), value);
                return (value, next);
            }
            None => rest,
        };
        (value, rest)
    }

    /// Values joined by `+`, and what they are piped into.
    fn expression<'t>(&mut self, code: &'t str) -> (Obj, &'t str) {
        let (mut value, mut rest) = self.value(code);
        loop {
            let next = rest.trim_start_matches([' ', '\t']);
            if let Some(more) = next.strip_prefix('+') {
                let (right, after) = self.value(more.trim_start());
                value = value.join(&right);
                rest = after;
            } else if let Some(more) = next.strip_prefix('|') {
                return self.statement(more.trim_start(), value);
            } else if next.starts_with('-') {
                // -join, -f, -replace: only -join '' of characters is followed
                let end = next.find(|c: char| c.is_whitespace()).unwrap_or(next.len());
                let (right, after) = self.value(next.get(end..).unwrap_or("").trim_start());
                if next.get(..end).is_some_and(|op| op.eq_ignore_ascii_case("-join")) && let Obj::List(items) = &value {
                    let sep = right.as_known().unwrap_or_default();
                    value = items.iter().cloned().reduce(|a, b| a.join(&Obj::known(sep.clone())).join(&b)).unwrap_or(Obj::Other);
                }
                if after.len() >= rest.len() || !self.m.burn(1) {
                    return (value, after.get(1..).unwrap_or(""));
                }
                rest = after;
            } else {
                return (value, next);
            }
        }
    }

    /// The words of a command up to `;`, `|`, a line end or a closing bracket.
    fn words<'t>(&mut self, code: &'t str) -> (Vec<Obj>, &'t str) {
        let mut words = Vec::new();
        let mut rest = code;
        loop {
            rest = rest.trim_start_matches([' ', '\t', ',']);
            if let Some(next) = rest.strip_prefix("`\n") {
                rest = next;
                continue;
            }
            match rest.chars().next() {
                None | Some(';' | '|' | '\n' | '\r' | ')' | '}') => return (words, rest),
                _ => {}
            }
            let before = rest.len();
            let (word, after) = self.value(rest);
            words.push(word);
            rest = if after.len() < before { after } else { rest.get(rest.chars().next().map_or(1, char::len_utf8)..).unwrap_or("") };
            if words.len() > 4096 || !self.m.burn(1) {
                return (words, "");
            }
        }
    }

    /// A value with its members and calls.
    fn value<'t>(&mut self, code: &'t str) -> (Obj, &'t str) {
        if self.depth > DEPTH {
            self.m.starved = true;
            return (Obj::Other, "");
        }
        self.depth += 1;
        let result = self.value_at(code);
        self.depth -= 1;
        result
    }

    fn value_at<'t>(&mut self, code: &'t str) -> (Obj, &'t str) {
        let first = code.chars().next().unwrap_or(' ');
        let body = code.get(first.len_utf8()..).unwrap_or("");
        let (value, rest) = match first {
            '\'' => {
                let end = body.find('\'').unwrap_or(body.len());
                (Obj::known(body.get(..end).unwrap_or("")), body.get(end + 1..).unwrap_or(""))
            }
            '"' => self.quoted(body),
            '(' => {
                let end = close(code);
                let inner = code.get(1..end).unwrap_or("").to_owned();
                (self.group(&inner), code.get(end + 1..).unwrap_or(""))
            }
            '{' => {
                let end = close(code);
                let inner = code.get(1..end).unwrap_or("").to_owned();
                self.script(&inner);
                (Obj::Name("block".into()), code.get(end + 1..).unwrap_or(""))
            }
            '@' if body.starts_with('(') => {
                let end = close(body);
                let inner = body.get(1..end).unwrap_or("").to_owned();
                let list = self.words(&inner).0;
                (Obj::List(list), body.get(end + 1..).unwrap_or(""))
            }
            '[' => {
                let end = close(code);
                let name = code.get(1..end).unwrap_or("").trim_start_matches("System.").to_owned();
                let rest = code.get(end + 1..).unwrap_or("");
                // A cast in front of a value changes nothing here, but a number becomes a character.
                if !rest.starts_with("::") && !rest.is_empty() && !rest.starts_with([' ', ';', '\n']) {
                    let (value, rest) = self.value(rest);
                    let value = match (name.as_str(), value.as_num()) {
                        ("char" | "Char", Some(code)) => u32::try_from(code).ok().and_then(char::from_u32).map_or(Obj::Other, |c| Obj::known(c.to_string())),
                        _ => value,
                    };
                    return (value, rest);
                }
                (Obj::Name(name), rest)
            }
            '$' => self.variable(body),
            _ => {
                let end = code.find(|c: char| c.is_whitespace() || "();|{},\"'".contains(c)).unwrap_or(code.len());
                let end = end.max(first.len_utf8());
                let word = code.get(..end).unwrap_or("");
                (Obj::known(word.replace('`', "")), code.get(end..).unwrap_or(""))
            }
        };
        self.members(value, rest)
    }

    fn group(&mut self, inner: &str) -> Obj {
        let trimmed = inner.trim_start();
        if trimmed.starts_with('$') {
            let (value, rest) = self.statement(trimmed, Obj::Other);
            if !rest.trim().is_empty() && !rest.trim_start().starts_with(',') {
                self.script(rest);
            } else if let Some(more) = rest.trim_start().strip_prefix(',') {
                let mut list = vec![value];
                list.extend(self.words(more).0);
                return Obj::List(list);
            }
            return value;
        }
        if trimmed.starts_with(['\'', '"', '[', '(']) || trimmed.starts_with(|c: char| c.is_ascii_digit()) {
            let (first, rest) = self.expression(trimmed);
            let rest = rest.trim_start();
            if let Some(more) = rest.strip_prefix(',') {
                let mut list = vec![first];
                list.extend(self.words(more).0);
                return Obj::List(list);
            }
            if !rest.is_empty() {
                self.script(rest);
            }
            return first;
        }
        self.script(inner)
    }

    fn variable<'t>(&mut self, body: &'t str) -> (Obj, &'t str) {
        if body.starts_with('(') {
            let end = close(body);
            let inner = body.get(1..end).unwrap_or("").to_owned();
            return (self.script(&inner), body.get(end + 1..).unwrap_or(""));
        }
        let braced = body.starts_with('{');
        let text = if braced { body.get(1..).unwrap_or("") } else { body };
        let len = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b':' | b'?')).count();
        let name = text.get(..len).unwrap_or("").to_ascii_lowercase();
        let rest = text.get(len + usize::from(braced)..).unwrap_or("");
        let value = match name.strip_prefix("env:") {
            Some(name) => self.m.env(&name.to_ascii_uppercase()),
            None => match self.m.vars.get(&name) {
                Some(value) => value.clone(),
                None if name == "args" => Obj::List(self.m.arguments(false)),
                None => Obj::Other,
            },
        };
        (value, rest)
    }

    fn quoted<'t>(&mut self, body: &'t str) -> (Obj, &'t str) {
        let mut value = Obj::known("");
        let mut plain = String::new();
        let mut rest = body;
        while let Some(c) = rest.chars().next() {
            let after = rest.get(c.len_utf8()..).unwrap_or("");
            match c {
                '"' => {
                    rest = after;
                    break;
                }
                '`' => {
                    let next = after.chars().next().unwrap_or(' ');
                    plain.push(match next {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        other => other,
                    });
                    rest = after.get(next.len_utf8()..).unwrap_or("");
                }
                '$' if after.starts_with(|c: char| c.is_ascii_alphanumeric() || "_({".contains(c)) => {
                    let (part, next) = self.variable(after);
                    value = value.join(&Obj::known(std::mem::take(&mut plain))).join(&part);
                    rest = next;
                }
                _ => {
                    plain.push(c);
                    rest = after;
                }
            }
        }
        (value.join(&Obj::known(plain)), rest)
    }

    /// `.Name`, `.Name(…)`, `::Name(…)`, `[n]` behind a value.
    fn members<'t>(&mut self, value: Obj, rest: &'t str) -> (Obj, &'t str) {
        let mut value = value;
        let mut rest = rest;
        for _ in 0..64 {
            if rest.starts_with('[') {
                rest = rest.get(close(rest) + 1..).unwrap_or("");
                continue;
            }
            let Some(body) = rest.strip_prefix("::").or_else(|| rest.strip_prefix('.')) else { break };
            let len = body.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
            if len == 0 {
                break;
            }
            let name = body.get(..len).unwrap_or("").to_ascii_lowercase();
            let after = body.get(len..).unwrap_or("");
            if after.starts_with('(') {
                let end = close(after);
                let inner = after.get(1..end).unwrap_or("").to_owned();
                let args = self.arguments(&inner);
                value = self.method(&value, &name, &args);
                rest = after.get(end + 1..).unwrap_or("");
            } else {
                value = match value {
                    Obj::Name(path) if path.len() < 120 => Obj::Name(format!("{path}.{name}")),
                    other => other,
                };
                rest = after;
            }
        }
        (value, rest)
    }

    fn arguments(&mut self, inner: &str) -> Vec<Obj> {
        let mut list = Vec::new();
        let mut rest = inner.trim_start();
        while !rest.is_empty() && list.len() < 256 && self.m.burn(1) {
            let (value, after) = self.expression(rest);
            list.push(value);
            let after = after.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            if after.len() >= rest.len() {
                break;
            }
            rest = after;
        }
        list
    }

    fn method(&mut self, object: &Obj, name: &str, list: &[Obj]) -> Obj {
        let text = |n: usize| list.get(n).map(Obj::text).unwrap_or_default();
        let type_name = match object {
            Obj::Name(path) => path.to_ascii_lowercase(),
            _ => String::new(),
        };
        match name {
            "downloadstring" | "downloaddata" | "openread" | "getstringasync" | "getasync" => self.m.fetch(text(0), None),
            "downloadfile" => self.m.fetch(text(0), Some(text(1))),
            "uploadfile" => {
                self.m.act(CodeAct::Send { to: text(0), file: Some(text(list.len().saturating_sub(1))) });
                Obj::Other
            }
            "uploadstring" | "uploaddata" | "postasync" => {
                self.m.act(CodeAct::Send { to: text(0), file: None });
                Obj::Other
            }
            "start" if type_name.ends_with("diagnostics.process") || type_name.ends_with("process") => {
                let mut argv = vec![text(0)];
                argv.extend(list.get(1).and_then(Obj::as_known).unwrap_or_default().split_whitespace().map(Value::known));
                self.m.run_argv(argv);
                Obj::Proc(is_shell(&text(0)))
            }
            "readalltext" | "readallbytes" | "readalllines" | "openread_" => self.m.read(&text(0)),
            "writealltext" | "writeallbytes" | "writealllines" => self.m.write(text(0), text(1), false),
            "appendalltext" => self.m.write(text(0), text(1), true),
            "delete" if type_name.contains("file") || type_name.contains("directory") => {
                self.m.delete(Some(text(0)), type_name.contains("directory"));
                Obj::Other
            }
            "copy" | "move" if type_name.contains("file") => {
                self.m.act(CodeAct::Copy { from: text(0), to: text(1) });
                Obj::Other
            }
            "frombase64string" => text(0).as_known().and_then(decode::base64).map_or(Obj::Other, Obj::Bytes),
            "getstring" => match list.first() {
                Some(Obj::Bytes(bytes)) if type_name.contains("unicode") => {
                    let units: Vec<u16> = bytes.chunks(2).map(|c| u16::from(c.first().copied().unwrap_or(0)) | (u16::from(c.get(1).copied().unwrap_or(0)) << 8)).collect();
                    Obj::known(String::from_utf16_lossy(&units))
                }
                Some(Obj::Bytes(bytes)) => Obj::known(String::from_utf8_lossy(bytes)),
                _ if self.m.conn => self.m.received(),
                _ => Obj::Other,
            },
            "new" => self.new_object(&type_name, list),
            "load" | "loadfile" | "loadfrom" if type_name.contains("assembly") => {
                match list.first() {
                    Some(Obj::Text(value)) if value.taint().network().is_some() => self.m.act(CodeAct::RunReceived),
                    Some(library) if library.as_known().is_some() => self.m.act(CodeAct::Load(library.text())),
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
            "connect" if self.m.looks_like_address(&Args { list: list.to_vec(), ..Args::default() }) => {
                self.m.connect(text(0), text(1));
                Obj::Conn
            }
            "setenvironmentvariable" => {
                self.m.act(CodeAct::Setenv { name: text(0).to_string(), value: text(1) });
                Obj::Other
            }
            "replace" => match (object.as_known(), text(0).as_known(), text(1).as_known()) {
                (Some(subject), Some(from), Some(to)) if !from.is_empty() && subject.len() < decode::LIMIT / 8 => Obj::known(subject.replace(from, to)),
                _ => object.clone(),
            },
            _ => match object {
                Obj::Name(_) => Obj::Other,
                other => other.clone(),
            },
        }
    }

    fn new_object(&mut self, kind: &str, list: &[Obj]) -> Obj {
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
            "io.streamreader" | "io.filestream" => list.first().map_or(Obj::Other, |f| if matches!(f, Obj::Text(_)) { self.m.read(&f.text()) } else { f.clone() }),
            _ => Obj::Name(kind.to_owned()),
        }
    }

    fn command(&mut self, name: &str, words: &[Obj], piped: Obj) -> Obj {
        let mut operands: Vec<Obj> = Vec::new();
        let mut options: Vec<(String, Obj)> = Vec::new();
        let mut index = 1;
        while let Some(word) = words.get(index) {
            index += 1;
            match word.as_known().and_then(|t| t.strip_prefix('-').map(str::to_ascii_lowercase)).filter(|t| t.starts_with(|c: char| c.is_ascii_alphabetic())) {
                Some(option) => {
                    let flag = ["recurse", "force", "usebasicparsing", "append", "wait", "nonewwindow", "passthru", "raw", "verbose", "hidden"].iter().any(|f| f.starts_with(&option));
                    let value = words.get(index).filter(|_| !flag).cloned();
                    if value.is_some() {
                        index += 1;
                    }
                    options.push((option, value.unwrap_or(Obj::Num(1))));
                }
                None => operands.push(word.clone()),
            }
        }
        let option = |names: &[&str]| options.iter().find(|(name, _)| names.iter().any(|n| n.starts_with(name.as_str()))).map(|(_, value)| value.clone());
        let target = |names: &[&str]| option(names).or_else(|| operands.first().cloned());
        let first = target(&["path", "literalpath", "filepath", "uri", "command"]).unwrap_or(Obj::Other);
        match name {
            "iex" | "invoke-expression" => {
                let code = if matches!(first, Obj::Other) && operands.is_empty() { piped } else { first };
                let value = code.text();
                let blank = value.has_unknown() && !value.pieces().iter().any(|p| matches!(p, Piece::Text(_)));
                if blank && self.m.conn {
                    self.m.act(CodeAct::RunReceived);
                } else {
                    self.m.run_text(Lang::Powershell, &value);
                }
                Obj::Other
            }
            "icm" | "invoke-command" | "invoke-item" | "ii" | "start" | "start-process" | "saps" | "invoke-wmimethod" => {
                if matches!(&first, Obj::Name(n) if n == "block") || matches!(option(&["scriptblock"]), Some(Obj::Name(_))) {
                    return Obj::Other;
                }
                let mut argv = vec![first.text()];
                let rest = option(&["argumentlist", "args"]).map(Obj::items).unwrap_or_else(|| operands.get(1..).unwrap_or(&[]).to_vec());
                argv.extend(rest.iter().map(Obj::text));
                self.m.run_argv(argv);
                Obj::Proc(is_shell(&first.text()))
            }
            "iwr" | "irm" | "invoke-webrequest" | "invoke-restmethod" | "start-bitstransfer" => {
                let url = option(&["uri", "source", "url"]).or_else(|| operands.first().cloned()).unwrap_or(Obj::Other).text();
                let file = option(&["infile"]);
                let sends = option(&["method"]).and_then(|m| m.as_known()).is_some_and(|m| matches!(m.to_ascii_uppercase().as_str(), "POST" | "PUT"));
                if sends || file.is_some() || option(&["body"]).is_some() {
                    self.m.act(CodeAct::Send { to: url, file: file.map(|f| f.text()) });
                    return Obj::Other;
                }
                self.m.fetch(url, option(&["outfile", "destination"]).map(|f| f.text()))
            }
            "new-object" => {
                let kind = option(&["typename"]).or_else(|| operands.first().cloned()).and_then(|k| k.as_known()).unwrap_or_default();
                let list = option(&["argumentlist"]).map(Obj::items).unwrap_or_else(|| operands.get(1..).unwrap_or(&[]).to_vec());
                self.new_object(&kind.to_ascii_lowercase(), &list)
            }
            "get-content" | "gc" | "type" | "select-string" => {
                let path = if name == "select-string" { option(&["path"]).or_else(|| operands.get(1).cloned()).unwrap_or(Obj::Other) } else { first };
                self.m.read(&path.text())
            }
            "set-content" | "sc" | "out-file" | "add-content" | "ac" | "tee-object" => {
                let content = option(&["value", "inputobject"]).or_else(|| operands.get(1).cloned()).unwrap_or(piped);
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
                let to = option(&["destination", "newname"]).or_else(|| operands.get(1).cloned()).unwrap_or(Obj::Other);
                self.m.act(CodeAct::Copy { from: first.text(), to: to.text() });
                Obj::Other
            }
            "get-childitem" | "gci" => {
                if first.as_known().is_some() {
                    self.m.act(CodeAct::List(first.text()));
                }
                Obj::Other
            }
            "import-module" | "ipmo" | "add-type" => {
                match first.as_known() {
                    Some(path) if path.ends_with(".dll") || path.ends_with(".so") => self.m.act(CodeAct::Load(Value::known(path))),
                    Some(path) if path.contains(['/', '\\']) => self.m.act(CodeAct::Script(Lang::Powershell, Value::known(path))),
                    _ => {}
                }
                Obj::Other
            }
            "write-output" | "echo" | "write" => operands.first().cloned().unwrap_or(Obj::Other),
            "out-string" | "out-null" | "select-object" | "select" | "where-object" | "foreach-object" | "sort-object" | "convertfrom-json" | "convertto-json" | "%" | "?" => piped,
            _ if name.contains('-') || name.chars().all(|c| c.is_ascii_digit()) => Obj::Other,
            _ => {
                let argv: Vec<Value> = words.iter().map(Obj::text).collect();
                if argv.first().is_some_and(|p| is_url(p) || p.known_prefix().is_empty()) {
                    return Obj::Other;
                }
                if argv.first().is_some_and(|p| p.known_suffix().ends_with(".ps1")) {
                    self.m.act(CodeAct::Script(Lang::Powershell, argv.first().cloned().unwrap_or_default()));
                    return Obj::Other;
                }
                let shell = argv.first().is_some_and(is_shell);
                self.m.run_argv(argv);
                // Something written into a shell is run by it.
                if shell && piped.as_known().is_some() {
                    self.m.print_to(&Obj::Proc(true), &[piped]);
                }
                Obj::from_source("output", crate::value::Source::Program(name.to_owned()))
            }
        }
    }
}

/// The position of the bracket that closes the one the text starts with; quotes are skipped.
fn close(text: &str) -> usize {
    let text = text.get(..REACH).unwrap_or(text);
    let mut depth = 0u32;
    let mut inside: Option<u8> = None;
    for (at, byte) in text.bytes().enumerate() {
        match (inside, byte) {
            (Some(mark), _) if mark == byte => inside = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => inside = Some(byte),
            (None, b'(' | b'{' | b'[') => depth += 1,
            (None, b')' | b'}' | b']') => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    text.len()
}
