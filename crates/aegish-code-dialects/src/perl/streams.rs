//! File handles: opening, reading, printing.

use super::variables::PerlVariables;
use crate::effect::CodeEffect;
use crate::heap::{Binding, Cell, Items};
use crate::lines::lines_of;
use crate::operand::is_unnamed;
use crate::value::{Args, Val, join, part_of};
use aegish_code_interpreter::{Interpreter, STDIN};
use aegish_code_library::{PerlLists, PerlPatterns, PerlTexts, PerlValues};
use aegish_values::{Piece, Source, Value};
use easy_ext::ext;

#[ext(PerlStreams)]
pub(super) impl Interpreter<'_> {
    /// What a handle stands for.
    fn stream(&mut self, handle: &Val) -> Val {
        match handle {
            Val::Library(path) if path.starts_with('*') => {
                let name = path.to_string();
                match self.lookup(&name.as_str().into()) {
                    Val::Library(same) if *same == *name => handle.clone(),
                    other => other,
                }
            }
            Val::Text(text) => match text.as_known() {
                Some(name) => {
                    let name = name.trim_start_matches('*').trim_start_matches("main::");
                    let name = format!("*main::{name}");
                    self.lookup(&name.as_str().into())
                }
                None => handle.clone(),
            },
            Val::OneOf(values) if values.iter().any(|one| matches!(one, Val::None)) => values
                .clone()
                .iter()
                .filter(|one| **one != Val::None)
                .map(|one| self.stream(one))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or(Val::None),
            other => other.clone(),
        }
    }

    /// The content that a handle gives.
    fn content(&mut self, handle: &Val) -> Val {
        let stream = self.stream(handle);
        match &stream {
            Val::File(index) => self.file_content(*index),
            Val::Connection => self.received(),
            Val::Process(_) => Val::from_source("output", Source::Program("process".into())),
            Val::Scalar(place) => match self.heap.variable(*place) {
                Binding::Bound(value) | Binding::Maybe(value) => value,
                Binding::Unbound => Val::None,
            },
            Val::Library(path) => match path.trim_start_matches("*main::") {
                "ARGV" => self.arguments_content(),
                "STDIN" => self.stdin(),
                _ => Val::unknown(),
            },
            Val::OneOf(values) => values
                .clone()
                .iter()
                .map(|one| self.content(one))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or_else(Val::unknown),
            Val::Text(text) => Val::Text(text.clone()),
            other => other.forget(),
        }
    }

    /// `<>`: the files that the arguments name, or standard input.
    fn arguments_content(&mut self) -> Val {
        if self.attached {
            return self.received();
        }
        let list = self.perl_variable("@ARGV");
        let items = self.perl_iterate(&list);
        let mut content = if items.list.is_empty() { self.stdin() } else { Val::None };
        for item in items.list.iter().chain(&items.rest) {
            let path = self.perl_text(item);
            if path.as_known() == Some("-") {
                content = join(&content, &self.stdin());
                continue;
            }
            let opened = self.open_name(&path);
            let one = self.content(&opened);
            content = if content == Val::None { one } else { join(&content, &one) };
        }
        content
    }

    /// `open` with two arguments.
    fn open_name(&mut self, name: &Value) -> Val {
        let readings = name.readings(8);
        let Some(readings) = readings else { return self.open_part(name) };
        let mut result: Option<Val> = None;
        for text in readings {
            let trimmed = text.trim();
            let value = |text: &str| Value::known(text.trim()).tainted(name.taint());
            let one = if let Some(command) = trimmed.strip_prefix('|') {
                self.start_shell(&value(command))
            } else if let Some(command) = trimmed.strip_suffix('|') {
                self.start_shell(&value(command))
            } else if let Some(rest) = trimmed.strip_prefix("+<") {
                self.open_path("+<", &Val::Text(value(rest)))
            } else if let Some(rest) = trimmed
                .strip_prefix(">>&")
                .or_else(|| trimmed.strip_prefix(">&"))
                .or_else(|| trimmed.strip_prefix("<&"))
            {
                let handle = Val::text(rest.trim_start_matches('=').trim());
                self.stream(&handle)
            } else if let Some(rest) = trimmed.strip_prefix(">>") {
                self.open_path(">>", &Val::Text(value(rest)))
            } else if let Some(rest) =
                trimmed.strip_prefix("+>").or_else(|| trimmed.strip_prefix('>'))
            {
                self.open_path(">", &Val::Text(value(rest)))
            } else {
                let rest = trimmed.strip_prefix('<').unwrap_or(trimmed);
                match rest {
                    "-" => Val::Library("*main::STDIN".into()),
                    rest => self.open_path("<", &Val::Text(value(rest))),
                }
            };
            result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
        }
        result.unwrap_or_else(Val::unknown)
    }

    /// A name of which only a part is known.
    fn open_part(&mut self, name: &Value) -> Val {
        let start = name.known_prefix().to_owned();
        let trimmed = start.trim_start();
        let skipped = start.len() - trimmed.len();
        let behind = |sign: &str| name.tail(skipped + sign.len());
        if trimmed.starts_with('|') {
            return self.start_shell(&behind("|"));
        }
        if name.known_suffix().trim_end().ends_with('|') {
            let mut command = Value::empty().tainted(name.taint());
            let last = name.pieces().len().saturating_sub(1);
            for (place, piece) in name.pieces().iter().enumerate() {
                match piece {
                    Piece::Text(text) if place == last => {
                        command.push_str(text.trim_end().trim_end_matches('|'));
                    }
                    other => command.push(other.clone()),
                }
            }
            return self.start_shell(&command);
        }
        for (sign, mode) in [(">>", ">>"), ("+>", ">"), ("+<", "+<"), (">", ">"), ("<", "<")] {
            if trimmed.starts_with(sign) {
                let mut path = behind(sign);
                let blanks = path.known_prefix().len() - path.known_prefix().trim_start().len();
                path = path.tail(blanks);
                return self.open_path(mode, &Val::Text(path));
            }
        }
        self.open_path("<", &Val::Text(name.clone()))
    }

    /// Opens a file for reading or writing.
    fn open_path(&mut self, mode: &str, target: &Val) -> Val {
        if let Val::Scalar(_) | Val::File(_) | Val::Connection | Val::Process(_) = target {
            return target.clone();
        }
        let path = self.perl_text(target);
        let path = self.resolved(&path);
        match mode {
            "<" => {
                if is_unnamed(&path) {
                    return self.read_file(&path);
                }
                self.open_read(&path)
            }
            "+<" => {
                self.record(CodeEffect::Read(path.clone()));
                self.write_file(&path, Value::empty(), true)
            }
            ">>" => self.write_file(&path, Value::empty(), true),
            _ => self.write_file(&path, Value::empty(), false),
        }
    }

    fn open_read(&mut self, path: &Value) -> Val {
        let key = (self.site, path.to_string(), false);
        if let Some(index) = self.opened.get(&key) {
            return Val::File(*index);
        }
        self.effects.push(CodeEffect::Read(path.clone()));
        let index = self.effects.len() - 1;
        self.opened.insert(key, index);
        Val::File(index)
    }

    /// `open`; the first argument is the name of the handle if it has one.
    fn open_call(&mut self, args: &Args) -> Val {
        let name = args.list.first().and_then(Val::as_known).unwrap_or_default();
        let standard = matches!(name.as_str(), "STDIN" | "STDOUT" | "STDERR");
        let mut behind: Vec<Val> = args.list.iter().skip(1).cloned().collect();
        behind.extend(args.rest.clone());
        let opened = match behind.as_slice() {
            [] => Val::unknown(),
            [one] => {
                let one = one.clone();
                self.each(&one, |this, one| {
                    let name = this.perl_text(one);
                    this.open_name(&name)
                })
            }
            [mode, target, rest @ ..] => {
                let mode = self.perl_text(mode);
                let modes =
                    mode.readings(4).unwrap_or_else(|| vec![">".to_owned(), "<".to_owned()]);
                let mut result: Option<Val> = None;
                for mode in modes {
                    let sign = mode.split(':').next().unwrap_or("").trim().to_owned();
                    let one = match sign.as_str() {
                        "-|" | "|-" if rest.is_empty() => {
                            let command = self.perl_text(target);
                            match target {
                                Val::Text(_) | Val::OneOf(_) | Val::Unknown(..) => {
                                    self.start_shell(&command)
                                }
                                _ => self.start(vec![command]),
                            }
                        }
                        "-|" | "|-" => {
                            let mut argv = vec![self.perl_text(target)];
                            for word in rest {
                                argv.push(self.perl_text(word));
                            }
                            self.start(argv)
                        }
                        dup if dup.contains('&') => self.stream(target),
                        sign => self.open_path(sign, &target.clone()),
                    };
                    result = Some(result.map_or(one.clone(), |known| join(&known, &one)));
                }
                result.unwrap_or_else(Val::unknown)
            }
        };
        if standard && opened == Val::Connection {
            self.attach();
        }
        opened
    }

    fn perl_stream_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        if let Some(value) = self.perl_pattern_function(path, args) {
            return Some(value);
        }
        let first = args.get(0).cloned();
        Some(match path {
            "open" => self.open_call(args),
            "opendir" => {
                let directory = self.perl_text(args.get(1)?);
                let directory = self.resolved(&directory);
                if !directory.known_prefix().is_empty() {
                    self.record(CodeEffect::List(directory));
                }
                Val::unknown()
            }
            "readdir" => {
                let mut any = Value::empty();
                any.push(Piece::AnyString);
                Self::perl_list(Items { list: Vec::new(), rest: Some(Val::Text(any)) })
            }
            "sysopen" => {
                let flags = args.get(2).cloned().unwrap_or(Val::Int(0));
                let mode = match &flags {
                    Val::Library(flags) => match crate::operand::flags_to_mode(flags).as_str() {
                        "r" => "<",
                        "a" => ">>",
                        _ => ">",
                    },
                    Val::Int(flags) if flags & 3 == 0 => "<",
                    _ => ">",
                };
                let target = args.get(1)?.clone();
                self.open_path(mode, &target)
            }
            "socket" | "pipe" | "socketpair" if path != "pipe" => Val::Connection,
            "accept" => {
                self.connected = true;
                Val::Connection
            }
            "connect" | "bind" => {
                let address = args.get(1).cloned().unwrap_or(Val::None);
                let (host, port) = self.socket_address(&address);
                if path == "connect" {
                    self.connect(host, port);
                } else {
                    self.listen(host, port);
                }
                Val::unknown()
            }
            "listen" => {
                self.connected = true;
                Val::unknown()
            }
            "<data>" => self.reference_to(first?),
            "readline" => {
                let handle = first?;
                let open = match self.stream(&handle) {
                    Val::File(index) => Some(index),
                    Val::Library(path) if path.trim_start_matches("*main::") == "STDIN" => {
                        Some(STDIN)
                    }
                    _ => None,
                };
                if let Some(index) = open {
                    return Some(self.file_line(index, true, &Val::None));
                }
                let content = self.content(&handle);
                self.any_line(&content, true).unwrap_or(Val::None)
            }
            "<readlines>" => {
                let content = self.content(&first?);
                let items = lines_of(&content, true);
                Self::perl_list(items)
            }
            "<lines>" => {
                let items = lines_of(&first?, true);
                Self::perl_list(items)
            }
            "<read>" | "getc" => match first {
                Some(handle) => {
                    let content = self.content(&handle);
                    match content.as_known() {
                        // A part of it; all of it if the length says so.
                        Some(text) => {
                            join(&Val::text(text.clone()), &Val::Text(part_of(&Value::known(text))))
                        }
                        None => content,
                    }
                }
                None => self.stdin(),
            },
            "<file-test>" => Val::unknown(),
            "stat" | "lstat" => {
                let target = first?;
                if !matches!(target, Val::File(_) | Val::Library(_)) {
                    let path = self.perl_text(&target);
                    let path = self.resolved(&path);
                    if !path.known_prefix().is_empty() {
                        self.record(CodeEffect::List(path));
                    }
                }
                Val::unknown()
            }
            "print" | "printf" | "say" | "syswrite" | "send" => self.print_to(path, args),
            "select" => {
                if args.list.len() == 1
                    && let Some(handle) = first
                {
                    let stream = self.stream(&handle);
                    self.perl_bind("*main::<selected>", stream);
                }
                Val::text("main::STDOUT")
            }
            "close" | "closedir" | "eof" | "binmode" | "fileno" | "flock" | "seek" | "tell"
            | "sysseek" | "truncate" | "rewinddir" | "seekdir" | "telldir" | "write"
            | "shutdown" | "setsockopt" | "getsockopt" | "getpeername" | "getsockname"
            | "fcntl" | "ioctl" => {
                if path == "truncate" {
                    return None;
                }
                first.filter(|_| path == "fileno").unwrap_or_else(Val::unknown)
            }
            _ => return None,
        })
    }

    fn socket_address(&mut self, address: &Val) -> (Value, Value) {
        match address {
            Val::List(place) => {
                let items = self.heap.items(*place);
                let part = |this: &mut Self, place: usize| match items.list.get(place) {
                    // A constant for any address.
                    None | Some(Val::Library(_)) => Value::empty(),
                    Some(value) => this.perl_text(value),
                };
                (part(self, 1), part(self, 0))
            }
            other => {
                let taint = self.taint_of(other);
                (Value::unknown("an address").tainted(&taint), Value::empty())
            }
        }
    }

    fn print_to(&mut self, path: &str, args: &Args) -> Val {
        let handle = args.get(0).cloned().unwrap_or(Val::None);
        let handle = match handle {
            Val::None => self.lookup(&"*main::<selected>".into()),
            other => other,
        };
        let stream = self.stream(&handle);
        let list: Vec<Val> = args.list.iter().skip(1).cloned().collect();
        let behind = Args { list, rest: args.rest.clone(), named: Vec::new() };
        let mut text = match path {
            "printf" => match behind.list.split_first() {
                Some((format, values)) => {
                    let format = self.perl_text(format);
                    let values = values.iter().cloned().chain(behind.rest.clone()).collect();
                    self.perl_format(&format, values)
                }
                None => Value::unknown("formatted"),
            },
            "syswrite" | "send" => match behind.list.first() {
                Some(value) => self.perl_text(value),
                None => Value::empty(),
            },
            _ => self.joined("", &behind),
        };
        if path == "say" {
            text.push_str("\n");
        }
        match &stream {
            Val::Library(path) => match path.trim_start_matches("*main::") {
                "STDOUT" | "<selected>" => self.print(text.as_known()),
                _ => {}
            },
            Val::Scalar(place) => {
                let old = match self.heap.variable(*place) {
                    Binding::Bound(value) | Binding::Maybe(value) => value,
                    Binding::Unbound => Val::None,
                };
                let mut whole = self.perl_text(&old);
                whole.append(&text);
                self.heap.write(*place, Cell::Variable(Binding::Bound(Val::Text(whole))));
            }
            Val::None | Val::Unknown(..) | Val::Text(_) => {}
            other => self.write_to(&other.clone(), &[Val::Text(text)]),
        }
        Val::unknown()
    }
}
