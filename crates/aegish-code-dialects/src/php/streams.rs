//! Files, streams and the wrappers that a path may name.

use super::calls::PhpCalls;
use super::functions::PhpFunctions;
use super::{PhpState, PhpVariables, request};
use crate::calls::{Effect, Entry, Role};
use crate::effect::CodeEffect;
use crate::lines::lines_of;
use crate::operand::file_in;
use crate::value::{Args, Val, part_of};
use aegish_code_interpreter::{Interpreter, STDIN};
use aegish_code_library::PhpValues;
use aegish_values::{Piece, Source, Value};
use easy_ext::ext;

/// What a path stands for.
pub(super) enum Stream {
    Path(Value),
    Content(Val),
    /// The output, or memory.
    Nothing,
    /// A command whose output is read.
    Command(Value),
}

#[ext(PhpStreams)]
pub(super) impl Interpreter<'_> {
    fn stream_of(&mut self, path: &Value) -> Stream {
        let start = path.known_prefix().to_ascii_lowercase();
        let tail = |length: usize| path.tail(length);
        if start.starts_with("php://stdin") {
            return Stream::Content(self.stdin());
        }
        if start.starts_with("php://input") {
            return Stream::Content(request());
        }
        if let Some(rest) = start.strip_prefix("php://filter") {
            return match rest.find("resource=") {
                Some(at) => self.stream_of(&tail("php://filter".len() + at + "resource=".len())),
                None => Stream::Path(Value::unknown("path").tainted(path.taint())),
            };
        }
        if start.starts_with("php://") || start == ":memory:" {
            return Stream::Nothing;
        }
        for scheme in ["file://", "compress.zlib://", "compress.bzip2://", "zlib:", "glob://"] {
            if start.starts_with(scheme) {
                return Stream::Path(tail(scheme.len()));
            }
        }
        for scheme in ["zip://", "phar://"] {
            if start.starts_with(scheme) {
                let path = tail(scheme.len());
                return Stream::Path(match path.as_known() {
                    Some(known) => {
                        let end = known.find('#').or_else(|| {
                            let at = known.find(".phar/").or_else(|| known.find(".zip/"));
                            at.and_then(|at| {
                                known.get(at + 1..)?.find('/').map(|more| at + 1 + more)
                            })
                        });
                        Value::known(known.get(..end.unwrap_or(known.len())).unwrap_or(known))
                    }
                    None => path,
                });
            }
        }
        if start.starts_with("expect://") {
            return Stream::Command(tail("expect://".len()));
        }
        if start.starts_with("data:") {
            return Stream::Content(data(path));
        }
        Stream::Path(path.clone())
    }

    /// A call of the table: paths may name streams, arrays may be lists, and some calls give more than one value.
    fn php_effect_call(&mut self, entry: &Entry, args: &Args, path: &str) -> Option<Val> {
        let mut args = args.clone();
        for (name, _) in &mut args.named {
            *name = name.trim_start_matches('$').into();
        }
        for (place, (_, role)) in entry.parameters.iter().enumerate() {
            let Some(value) = args.list.get(place).cloned() else { continue };
            let is_path = matches!(
                role,
                Some(Role::Path | Role::From | Role::To | Role::Directory | Role::Library)
            );
            match &value {
                Val::Dict(_) => {
                    let entries = self.php_entries(&value);
                    if entries.list.iter().all(|(key, _)| matches!(key, Val::Int(_))) {
                        let list = entries.list.into_iter().map(|(_, value)| value).collect();
                        let rest = entries.rest;
                        let list = self.heap.list(crate::heap::Items { list, rest });
                        args.list.get_mut(place).into_iter().for_each(|slot| *slot = list.clone());
                    }
                }
                Val::Text(_) | Val::Instance(_) | Val::OneOf(_) | Val::Bool(_) if is_path => {
                    let text = self.php_text(&value);
                    self.sent_with(&text, &args);
                    let reads = matches!(entry.effect, Effect::Read | Effect::Open);
                    let replaced = match self.stream_of(&text) {
                        Stream::Path(path) => Val::Text(path),
                        Stream::Content(content) if entry.effect == Effect::Script => {
                            return Some(self.included(&content));
                        }
                        Stream::Content(content) if reads => return Some(content),
                        Stream::Content(content) => content,
                        Stream::Nothing if reads => {
                            return Some(Val::Library("php://output".into()));
                        }
                        Stream::Nothing
                            if entry.effect == Effect::Copy && *role == Some(Role::To) =>
                        {
                            // It is printed.
                            let from = args.list.first().map(Val::to_text).unwrap_or_default();
                            self.print(None);
                            return Some(self.read_file(&from));
                        }
                        Stream::Nothing => return Some(Val::unknown()),
                        Stream::Command(command) => return Some(self.start_shell(&command)),
                    };
                    args.list.get_mut(place).into_iter().for_each(|slot| *slot = replaced.clone());
                }
                _ => {}
            }
        }
        let mut entry = entry.clone();
        match path {
            "file_put_contents" => {
                let flags = args.list.get(2).cloned().or_else(|| args.named("flags").cloned());
                let appends = match &flags {
                    Some(Val::Library(flags)) => flags.contains("FILE_APPEND"),
                    Some(Val::Int(flags)) => flags & 8 != 0,
                    _ => false,
                };
                if appends {
                    entry.effect = Effect::Append;
                }
                if let Some(data) = args.list.get(1).cloned() {
                    let data = match &data {
                        Val::List(_) | Val::Dict(_) => {
                            use aegish_code_library::PhpTexts;
                            self.php_text_function("implode", &Args::of(vec![data]))
                                .unwrap_or_else(Val::unknown)
                        }
                        _ => Val::Text(self.php_text(&data)),
                    };
                    args.list.get_mut(1).into_iter().for_each(|slot| *slot = data.clone());
                }
            }
            "include" if !self.includes_own(&args) => {
                self.state.with(|php: &mut PhpState| php.foreign = true);
            }
            _ => {}
        }
        let mut value = self.table_call(&entry, &args, path);
        if path.ends_with("directoryiterator") || path == "filesystemiterator" {
            let below = args.list.first().map(Val::to_text).unwrap_or_default();
            let mut any = Value::empty();
            any.push(Piece::AnyString);
            let below = aegish_code_library::paths::join_paths(&[below, any]);
            value = self.php_list(Vec::new(), Some(Val::Text(below)));
        }
        let output = || Val::from_source("output", Source::Program("process".into()));
        match path {
            "exec" => {
                let lines = self.php_list(Vec::new(), Some(output()));
                self.output(1, lines);
                self.output(2, Val::unknown());
            }
            "system" | "passthru" => self.output(1, Val::unknown()),
            "proc_open" => {
                let pipes = self.php_list(Vec::new(), Some(value.clone()));
                self.output(2, pipes);
            }
            "fsockopen" | "pfsockopen" | "stream_socket_client" | "stream_socket_server" => {
                self.output(2, Val::unknown());
                self.output(3, Val::unknown());
            }
            _ => {}
        }
        Some(match (path, value) {
            ("exec" | "system" | "shell_exec" | "passthru", Val::Process(_)) => output(),
            ("file", Val::Text(text)) => {
                // `FILE_IGNORE_NEW_LINES`.
                let keeps = args.get(1).and_then(Val::as_int).is_none_or(|flags| flags & 2 == 0);
                let lines = lines_of(&Val::Text(text), keeps);
                self.php_list(lines.list, lines.rest)
            }
            ("parse_ini_file" | "fgetcsv", Val::Text(text)) => {
                self.php_list(Vec::new(), Some(Val::Text(part_of(&text))))
            }
            (_, Val::Path(path)) => Val::Text(path),
            (_, value) => value,
        })
    }

    /// A request with a body that its context holds.
    fn sent_with(&mut self, url: &Value, args: &Args) {
        if !crate::operand::is_url(url) {
            return;
        }
        for context in args.list.iter().skip(1) {
            let taint = self.taint_of(context);
            if let (Val::Dict(_) | Val::List(_), Some(file)) = (context, file_in(&taint)) {
                self.record(CodeEffect::Send { to: url.clone(), file: Some(file) });
            }
        }
    }

    /// Whether a file is included that the session wrote.
    fn includes_own(&mut self, args: &Args) -> bool {
        let path = args.get(0).map(|path| self.php_text(path)).unwrap_or_default();
        let path = self.resolved(&path);
        path.as_known().is_some_and(|path| {
            self.around.files.content(path).is_some_and(|content| content.is_known())
        })
    }

    /// Content that is included: the code in it runs.
    fn included(&mut self, content: &Val) -> Val {
        let text = content.to_text();
        match text.as_known() {
            Some(known) => {
                let page = Value::known(format!("?>{known}"));
                self.php_evaluate(&Val::Text(page))
            }
            None => self.php_evaluate(content),
        }
    }

    /// Functions of streams that are open.
    fn stream_function(&mut self, path: &str, args: &Args) -> Option<Val> {
        let first = args.get(0).cloned();
        Some(match path {
            "fgets"
            | "fread"
            | "fgetc"
            | "fgetss"
            | "stream_get_contents"
            | "stream_get_line"
            | "fgetcsv"
            | "fscanf"
            | "fpassthru"
            | "gzread"
            | "gzgets"
            | "socket_read"
            | "readline"
            | "stream_socket_recvfrom"
            | "stream_get_meta_data" => {
                if path == "readline" || path == "fgets" && first.is_none() {
                    return Some(self.stdin_line(false, &Val::Bool(false)));
                }
                let stream = first?;
                if let (Some(index), "fgets" | "gzgets" | "stream_get_line") =
                    (open_file(&stream), path)
                {
                    return Some(self.file_line(
                        index,
                        path != "stream_get_line",
                        &Val::Bool(false),
                    ));
                }
                let content = self.stream_content(&stream);
                match (path, &content) {
                    ("fpassthru", _) => {
                        self.print(None);
                        Val::unknown()
                    }
                    ("fgetcsv" | "fscanf", Val::Text(text)) => {
                        let part = Val::Text(part_of(text));
                        let row = self.php_list(Vec::new(), Some(part));
                        crate::value::join(&row, &Val::Bool(false))
                    }
                    // A part of a text that is known.
                    ("fgetc", Val::Text(text)) if text.is_known() => Val::Text(part_of(text)),
                    _ => content,
                }
            }
            "fwrite"
            | "fputs"
            | "fputcsv"
            | "fprintf"
            | "gzwrite"
            | "socket_write"
            | "socket_send"
            | "vfprintf"
            | "stream_socket_sendto"
            | "ftruncate" => {
                let target = first?;
                let text = match path {
                    "fprintf" => {
                        use aegish_code_library::PhpTexts;
                        let list = args.list.iter().skip(1).cloned().collect();
                        self.php_text_function("sprintf", &Args { list, ..args.clone() })?
                    }
                    "fputcsv" => {
                        use aegish_code_library::PhpTexts;
                        let list = vec![Val::text(","), args.get(1)?.clone()];
                        self.php_text_function("implode", &Args::of(list))?
                    }
                    "ftruncate" => Val::text(""),
                    _ => args.get(1)?.clone(),
                };
                match &target {
                    Val::Library(name) if matches!(&**name, "#STDOUT" | "php://output") => {
                        self.php_print(&Args::of(vec![text]));
                    }
                    _ => self.write_to(&target, &[text]),
                }
                Val::unknown()
            }
            "socket_recv" | "socket_recvfrom" => {
                let content = self.stream_content(&first?);
                self.output(1, content);
                Val::unknown()
            }
            "stream_copy_to_stream" => {
                let content = self.stream_content(&first?);
                let target = args.get(1)?.clone();
                self.write_to(&target, &[content]);
                Val::unknown()
            }
            "fclose"
            | "feof"
            | "fflush"
            | "flock"
            | "rewind"
            | "fseek"
            | "ftell"
            | "fstat"
            | "stream_set_blocking"
            | "stream_set_timeout"
            | "stream_select"
            | "stream_context_create"
            | "proc_close"
            | "pclose"
            | "proc_get_status"
            | "closedir"
            | "rewinddir"
            | "stream_set_write_buffer" => {
                if path == "stream_context_create" {
                    return Some(first.unwrap_or(Val::None));
                }
                Val::unknown()
            }
            "readdir" => {
                let mut any = Value::empty();
                any.push(Piece::AnyString);
                Val::Text(any)
            }
            "tmpfile" => Val::Library("php://output".into()),
            _ => return None,
        })
    }

    /// What is read from a stream.
    fn stream_content(&mut self, stream: &Val) -> Val {
        match stream {
            Val::File(index) => self.file_content(*index),
            Val::Connection => self.received(),
            Val::Process(kind) => self.process_method(*kind, "read", &Args::default()),
            Val::Library(name) if &**name == "#STDIN" => self.stdin(),
            Val::OneOf(values) => {
                let values = values.clone();
                values
                    .iter()
                    .filter(|one| !matches!(one, Val::None | Val::Bool(_)))
                    .map(|one| self.stream_content(one))
                    .reduce(|a, b| crate::value::join(&a, &b))
                    .unwrap_or_else(Val::unknown)
            }
            other => other.clone(),
        }
    }
}

fn open_file(stream: &Val) -> Option<usize> {
    match stream {
        Val::File(index) => Some(*index),
        Val::Library(name) if &**name == "#STDIN" => Some(STDIN),
        _ => None,
    }
}

/// The content that a `data:` address holds.
fn data(path: &Value) -> Val {
    let Some(known) = path.as_known() else {
        return Val::Text(path.clone());
    };
    let Some((head, body)) = known.split_once(',') else { return Val::text("") };
    let decoded = crate::decode::percent(body, false).unwrap_or_else(|| body.as_bytes().to_vec());
    if head.ends_with(";base64") {
        let text = String::from_utf8_lossy(&decoded).into_owned();
        return crate::decode::base64(&text).map_or_else(Val::unknown, Val::bytes);
    }
    Val::bytes(decoded)
}
