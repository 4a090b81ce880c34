//! Programs whose command line is a small language of its own: `find`, `xargs`, `parallel`.

use super::options;
use super::{Interp, Ran};
use crate::effect::{Act, Door, System};
use crate::expand::{Field, joined};
use crate::state::Flow;
use crate::value::{Piece, Source, Taint, Value};
use aegish_profiles::{Profile, Role};
use aegish_syntax::Span;

impl Interp<'_> {
    /// `find [options] paths… expression`
    pub(crate) fn run_find(&mut self, fields: &[Field], span: Span) -> Ran {
        let words = &fields[1..];
        let mut at = 0;
        let mut roots: Vec<(Value, Span)> = Vec::new();
        while let Some(field) = words.get(at) {
            match field.value.as_known() {
                Some("-H" | "-L" | "-P") => {}
                Some("-D") => at += 1,
                Some(text) if text.starts_with("-O") => {}
                Some(text)
                    if (text.starts_with('-') && text.len() > 1)
                        || matches!(text, "(" | "!" | ",") =>
                {
                    break;
                }
                _ => roots.push((field.value.clone(), field.span)),
            }
            at += 1;
        }
        if roots.is_empty() {
            roots.push((Value::known("."), span));
        }
        let mut search = Search::default();
        let mut narrowed = false;
        let mut typed = false;
        while let Some(field) = words.get(at) {
            let next = words.get(at + 1);
            match field.value.as_known().unwrap_or("") {
                "-exec" | "-execdir" | "-ok" | "-okdir" => {
                    at += self.find_exec(&words[at + 1..], &roots, &search, field.span);
                }
                "-delete" => {
                    for (root, _) in &roots {
                        let mut path = root.clone();
                        // Without any condition but a depth or a type it is everything below.
                        if narrowed || typed {
                            path.push_str("/");
                            path.push(if narrowed {
                                Piece::Unknown("found file")
                            } else {
                                Piece::AnyString
                            });
                        }
                        self.effect(Act::Delete { path, tree: !narrowed }, field.span);
                    }
                }
                "-fprint" | "-fprint0" | "-fls" => {
                    if let Some(next) = next {
                        let content = Value::unknown("file names");
                        self.write_file(&next.value.clone(), content, false, next.span);
                    }
                    at += 1;
                }
                "-fprintf" => {
                    if let Some(next) = next {
                        let content =
                            words.get(at + 2).map(|f| f.value.clone()).unwrap_or_default();
                        self.write_file(&next.value.clone(), content, false, next.span);
                    }
                    at += 2;
                }
                "-files0-from" | "-newer" | "-anewer" | "-cnewer" | "-samefile" => {
                    if let Some(next) = next {
                        let path = next.value.clone();
                        let act = match field.value.as_known() {
                            Some("-files0-from") => Act::Read { path, tree: false },
                            Some("-samefile") => {
                                search.same = Some(path.clone());
                                Act::List { path }
                            }
                            _ => Act::List { path },
                        };
                        self.effect(act, next.span);
                    }
                    at += 1;
                }
                "-name" | "-iname" | "-path" | "-wholename" | "-ipath" => {
                    let by_name = matches!(field.value.as_known(), Some("-name" | "-iname"));
                    if let Some(next) = next {
                        // `-name '*'` is no condition.
                        narrowed |= next.value.as_known() != Some("*");
                        let found = if by_name { &mut search.names } else { &mut search.paths };
                        found.push(next.value.clone());
                    }
                    at += 1;
                }
                "-perm" => {
                    if let Some(next) = next
                        && is_setuid_search(&next.value.to_string())
                    {
                        self.effect(
                            Act::System {
                                what: System::Recon,
                                detail: "searches for setuid or setgid programs".to_owned(),
                                object: next.value.clone(),
                            },
                            next.span,
                        );
                    }
                    at += 1;
                }
                "-type" | "-xtype" | "-size" | "-mtime" | "-atime" | "-ctime" | "-mmin"
                | "-amin" | "-cmin" | "-user" | "-group" | "-uid" | "-gid" | "-maxdepth"
                | "-mindepth" | "-regex" | "-iregex" | "-regextype" | "-printf" | "-links"
                | "-inum" | "-fstype" | "-lname" | "-ilname" | "-used" | "-newermt"
                | "-newerat" | "-newerct" | "-newerXY" | "-context" => {
                    match field.value.as_known() {
                        Some("-maxdepth") => {}
                        Some("-type" | "-mindepth") => typed = true,
                        _ => narrowed = true,
                    }
                    at += 1;
                }
                "-empty" | "-executable" | "-readable" | "-writable" | "-nouser" | "-nogroup" => {
                    narrowed = true;
                    let everywhere = roots.iter().any(|(root, _)| root.as_known() == Some("/"));
                    if everywhere && field.value.as_known() == Some("-writable") {
                        let detail = "searches for places it may write to".to_owned();
                        let object = Value::known("/");
                        let what = System::Recon;
                        self.effect(Act::System { what, detail, object }, field.span);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        for (root, at) in &roots {
            self.effect(Act::List { path: root.clone() }, *at);
        }
        match (roots.as_slice(), search.names.as_slice()) {
            ([(root, _)], _) if !narrowed && !typed => {
                let mut output = root.clone();
                output.push_str("\n");
                output.push(Piece::Unknown("found file"));
                let origin = Taint::from(Source::Program("find".to_owned()));
                Ran::output(output.tainted(&origin))
            }
            ([(root, _)], [name])
                if name.as_known().is_some_and(|n| !n.contains(['*', '?', '['])) =>
            {
                let mut output = root.clone();
                // From the root on, the name is somewhere below.
                if root.as_known() == Some("/") {
                    output.push(Piece::AnyString);
                }
                output.push_str("/");
                output.append(name);
                output.push_str("\n");
                Ran::output(output)
            }
            // Of what is found, the beginning and the end of the names are known.
            _ if !search.names.is_empty() => {
                let mut output = Value::empty();
                let patterns: Vec<Value> =
                    search.names.iter().chain(&search.paths).cloned().collect();
                for (root, _) in roots.iter().take(4) {
                    for path in printed(root, &patterns) {
                        output.append(&path);
                        output.push_str("\n");
                    }
                }
                let origin = Taint::from(Source::Program("find".to_owned()));
                Ran::output(output.tainted(&origin))
            }
            _ => Ran::default(),
        }
    }

    /// The command of `-exec`; gives the number of words it takes.
    fn find_exec(
        &mut self,
        words: &[Field],
        roots: &[(Value, Span)],
        search: &Search,
        span: Span,
    ) -> usize {
        let end = words
            .iter()
            .position(|field| matches!(field.value.as_known(), Some(";" | "+")))
            .unwrap_or(words.len());
        for (root, _) in roots.iter().take(4) {
            for file in found(root, search) {
                let command = words[..end]
                    .iter()
                    .map(|field| Field {
                        value: replace_braces(&field.value, &file),
                        span: field.span,
                    })
                    .collect();
                self.run_argv_through(Door::Launcher, command, span);
            }
        }
        (end + 1).min(words.len())
    }

    /// `xargs [options] [command]`: standard input becomes arguments.
    pub(crate) fn run_xargs(
        &mut self,
        profile: &'static Profile,
        fields: &[Field],
        span: Span,
    ) -> Ran {
        let parsed = options::parse(&profile.grammar, &fields[1..]);
        let mut input = if matches!(self.stdin, Flow::Terminal) {
            Value::unknown("typed text")
        } else {
            self.stdin_content()
        };
        let mut replace: Option<String> = None;
        for item in &parsed.items {
            if item.role == Role::Read {
                self.effect(Act::Read { path: item.value.clone(), tree: false }, item.span);
                input = match self.file_content(&item.value) {
                    super::Content::Written(value) => value,
                    _ => Value::unknown("file content"),
                };
            }
        }
        let options_end = parsed.rest.map_or(fields.len(), |(_, at)| at + 1);
        for (index, field) in fields[..options_end].iter().enumerate() {
            match field.value.as_known() {
                Some("-I") => {
                    replace =
                        fields.get(index + 1).and_then(|f| f.value.as_known()).map(str::to_owned);
                }
                Some("-i" | "--replace") => replace = Some("{}".to_owned()),
                Some(text) if text.starts_with("-I") && text.len() > 2 => {
                    replace = Some(text[2..].to_owned());
                }
                _ => {}
            }
            if replace.is_some() {
                break;
            }
        }
        let command: Vec<Field> = match parsed.rest {
            Some((_, at)) => fields[at + 1..].to_vec(),
            None => vec![Field { value: Value::known("echo"), span }],
        };
        let by_line = replace.is_some() || delimiter_given(&fields[..options_end]);
        let chunk = chunk_size(&fields[..options_end]);
        self.run_with_input(command, &input, replace.as_deref(), by_line, chunk, span)
    }

    /// GNU `parallel command ::: args`, or with input lines as arguments or as whole commands.
    pub(crate) fn run_parallel(
        &mut self,
        profile: &'static Profile,
        fields: &[Field],
        span: Span,
    ) -> Ran {
        let parsed = options::parse(&profile.grammar, &fields[1..]);
        if parsed.deeds.iter().any(|deed| deed.tag == "inert") {
            return Ran::default();
        }
        let start = parsed.rest.map_or(fields.len(), |(_, at)| at + 1);
        let words = &fields[start..];
        let split = words.iter().position(|field| {
            matches!(field.value.as_known(), Some(":::" | "::::" | ":::+" | "::::+"))
        });
        let (command, arguments) = match split {
            Some(at) => (&words[..at], Some(&words[at + 1..])),
            None => (words, None),
        };
        let template = joined(command);
        let inputs: Vec<Value> = match arguments {
            Some(arguments) => arguments.iter().map(|field| field.value.clone()).collect(),
            None => lines(&self.stdin_content()),
        };
        let mut ran = Ran::default();
        for input in inputs.iter().take(16) {
            let mut code = replace_braces(&template, input);
            if command.is_empty() {
                code = input.clone();
            } else if !template.to_string().contains("{}") {
                code.push_str(" ");
                code.append(input);
            }
            ran = self.run_code_through(Door::Launcher, &code, span);
        }
        ran
    }

    /// Runs a command with words of the input put in or added.
    fn run_with_input(
        &mut self,
        command: Vec<Field>,
        input: &Value,
        replace: Option<&str>,
        by_line: bool,
        chunk: Option<usize>,
        span: Span,
    ) -> Ran {
        let parts: Vec<Value> = match (input.as_known(), by_line) {
            (Some(text), false) => text
                .split_whitespace()
                .take(64)
                .map(|word| {
                    let word = word.trim_matches(|c| c == '\'' || c == '"');
                    Value::known(word).tainted(input.taint())
                })
                .collect(),
            (Some(_), true) | (None, _) => lines(input),
        };
        let Some(marker) = replace else {
            if let Some(size) = chunk.filter(|size| parts.len() > *size) {
                let mut stdout = Value::empty();
                for some in parts.chunks(size).take(16) {
                    let mut whole = command.clone();
                    whole.extend(some.iter().map(|value| Field { value: value.clone(), span }));
                    stdout.append(&self.run_xargs_command(whole, span).stdout);
                }
                return Ran::output(stdout);
            }
            let mut whole = command;
            whole.extend(parts.into_iter().map(|value| Field { value, span }));
            let stdin = std::mem::replace(&mut self.stdin, Flow::Nothing);
            // A shell that xargs starts reads the terminal unless code follows.
            if !matches!(stdin, Flow::Text(_) | Flow::File(_) | Flow::Network { .. }) {
                self.stdin = stdin.clone();
            }
            let ran = self.run_xargs_command(whole, span);
            self.stdin = stdin;
            return ran;
        };
        let mut stdout = Value::empty();
        for part in parts.iter().take(16) {
            let whole = command
                .iter()
                .map(|field| Field {
                    value: replace_marker(&field.value, marker, part),
                    span: field.span,
                })
                .collect();
            stdout.append(&self.run_xargs_command(whole, span).stdout);
        }
        Ran::output(stdout)
    }

    /// A shell started by `xargs` with nothing to read still is a shell somebody asked for.
    fn run_xargs_command(&mut self, words: Vec<Field>, span: Span) -> Ran {
        if words.is_empty() {
            return Ran::default();
        }
        let flags_only = words[1..].iter().all(|word| word.value.known_prefix().starts_with('-'));
        let bare_shell = flags_only
            && words[0]
                .value
                .as_known()
                .and_then(|name| aegish_profiles::find(super::simple::base_name(name)))
                .is_some_and(super::program::is_shell);
        let stdin = self.stdin.clone();
        if bare_shell {
            self.stdin = Flow::Terminal;
        }
        let ran = self.run_argv_through(Door::Launcher, words, span);
        self.stdin = stdin;
        ran
    }
}

fn delimiter_given(fields: &[Field]) -> bool {
    fields.iter().any(|field| {
        field.value.as_known().is_some_and(|text| {
            text.starts_with("-d")
                || text.starts_with("--delimiter")
                || text == "-0"
                || text == "--null"
        })
    })
}

/// Lines of a value, as far as its known parts tell where they end.
fn lines(value: &Value) -> Vec<Value> {
    let mut lines = vec![Value::empty()];
    for piece in value.pieces() {
        let Piece::Text(text) = piece else {
            if let Some(last) = lines.last_mut() {
                last.push(piece.clone());
            }
            continue;
        };
        for (index, part) in text.split(['\n', '\0']).enumerate() {
            if index > 0 {
                lines.push(Value::empty());
            }
            if let Some(last) = lines.last_mut() {
                last.push_str(part);
            }
        }
        if lines.len() > 64 {
            break;
        }
    }
    lines
        .into_iter()
        .filter(|line| !line.pieces().is_empty())
        .take(64)
        .map(|line| line.tainted(value.taint()))
        .collect()
}

/// What is printed of files found below a root: where they lie, and what their names end in.
fn printed(root: &Value, names: &[Value]) -> Vec<Value> {
    let below = |end: &str| {
        let mut path = root.clone();
        path.push_str("/");
        path.push(Piece::Unknown("found file"));
        path.push_str(end);
        path
    };
    let end = |name: &Value| match name.as_known() {
        Some(name) if !name.contains(['*', '?', '[', '/']) => below(&format!("/{name}")),
        Some(name) => {
            let known = name.rsplit(['*', '?', ']', '/']).next().unwrap_or("");
            below(known)
        }
        None => below(""),
    };
    names.iter().take(4).map(end).collect()
}

/// What `find` looks for.
#[derive(Default)]
struct Search {
    /// `-name`
    names: Vec<Value>,
    /// `-path`
    paths: Vec<Value>,
    /// `-samefile`
    same: Option<Value>,
}

/// Files that may be found below a root: the root itself, and names below it.
fn found(root: &Value, search: &Search) -> Vec<Value> {
    if let Some(same) = &search.same {
        return vec![same.clone()];
    }
    let names = &search.names;
    if let Some(path) = search.paths.first().and_then(Value::as_known) {
        return vec![on_path(root, path, names.first().and_then(Value::as_known))];
    }
    let below = |directories: usize, name: &Value| {
        let mut path = root.clone();
        for _ in 0..directories {
            path.push_str("/");
            path.push(Piece::AnyString);
        }
        path.push_str("/");
        path.append(name);
        path
    };
    match names.first().and_then(Value::as_known) {
        Some(name) if !name.contains('/') && !name.starts_with('*') => {
            let name = crate::expand::as_pattern(name);
            vec![below(0, &name), below(1, &name)]
        }
        None if names.is_empty() && root.known_prefix().starts_with(['/', '~']) => {
            vec![root.clone(), below(0, &Value::unknown("found file"))]
        }
        _ => vec![below(0, &Value::unknown("found file"))],
    }
}

/// A file whose path fits a pattern, in which `*` reaches over directories.
fn on_path(root: &Value, path: &str, name: Option<&str>) -> Value {
    let mut found = root.clone();
    found.push_str("/");
    for (index, part) in path.trim_start_matches("./").split('*').enumerate() {
        if index > 0 {
            found.push(Piece::Unknown("found directory"));
        }
        found.push_str(part);
    }
    if let Some(name) = name {
        found.push_str("/");
        found.append(&crate::expand::as_pattern(name));
    }
    found
}

/// `{}` replaced by a value.
fn replace_braces(value: &Value, by: &Value) -> Value {
    replace_marker(value, "{}", by)
}

fn replace_marker(value: &Value, marker: &str, by: &Value) -> Value {
    let mut result = Value::empty();
    for piece in value.pieces() {
        match piece {
            Piece::Text(text) if !marker.is_empty() && text.contains(marker) => {
                for (index, part) in text.split(marker).enumerate() {
                    if index > 0 {
                        result.append(by);
                    }
                    result.push_str(part);
                }
            }
            other => result.push(other.clone()),
        }
    }
    result.tainted(value.taint())
}

/// `-perm -4000`, `/6000`, `-u=s`, …
fn is_setuid_search(mode: &str) -> bool {
    let mode = mode.trim_start_matches(['-', '/', '+']);
    let octal = mode.len() >= 4
        && mode.bytes().all(|b| b.is_ascii_digit())
        && mode
            .as_bytes()
            .get(mode.len() - 4)
            .is_some_and(|b| matches!(b, b'2' | b'4' | b'6' | b'7'));
    octal || (mode.contains('=') || mode.contains('+')) && mode.contains('s')
}

/// `-n 3`, `-n3`, `-L 1`
fn chunk_size(fields: &[Field]) -> Option<usize> {
    for (index, field) in fields.iter().enumerate() {
        let text = field.value.as_known().unwrap_or("");
        if let Some(rest) = text.strip_prefix("-n").or_else(|| text.strip_prefix("-L")) {
            let number = if rest.is_empty() {
                fields.get(index + 1).and_then(|next| next.value.as_known()).unwrap_or("")
            } else {
                rest
            };
            return number.parse().ok().filter(|size| *size > 0);
        }
    }
    None
}
