//! `find`, whose command line is a small language of its own.

use super::special::replace_braces;
use super::{CommandResult, Interp};
use crate::effect::{EffectKind, Invocation};
use crate::expand::Field;
use aegish_profiles::{Detail, ReconEffect, SystemEffect};
use aegish_syntax::Span;
use aegish_values::{Piece, Source, Taint, Value};

impl Interp<'_> {
    /// `find [options] paths… expression`
    pub(crate) fn run_find(&mut self, fields: &[Field], span: Span) -> CommandResult {
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
                        self.effect(EffectKind::Delete { path, tree: !narrowed }, field.span);
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
                        let kind = match field.value.as_known() {
                            Some("-files0-from") => EffectKind::Read { path, tree: false },
                            Some("-samefile") => {
                                search.same = Some(path.clone());
                                EffectKind::List { path }
                            }
                            _ => EffectKind::List { path },
                        };
                        self.effect(kind, next.span);
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
                            EffectKind::System {
                                what: SystemEffect::Recon(ReconEffect::PrivilegedFiles),
                                detail: Detail::new("searches for setuid or setgid programs"),
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
                        let detail = Detail::new("searches for places it may write to");
                        let object = Value::known("/");
                        let what = SystemEffect::Recon(ReconEffect::PrivilegedFiles);
                        self.effect(EffectKind::System { what, detail, object }, field.span);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        for (root, at) in &roots {
            self.effect(EffectKind::List { path: root.clone() }, *at);
        }
        match (roots.as_slice(), search.names.as_slice()) {
            ([(root, _)], _) if !narrowed && !typed => {
                let mut output = root.clone();
                output.push_str("\n");
                output.push(Piece::Unknown("found file"));
                let origin = Taint::from(Source::Program("find".to_owned()));
                CommandResult::output(output.tainted(&origin))
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
                CommandResult::output(output)
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
                CommandResult::output(output.tainted(&origin))
            }
            _ => CommandResult::default(),
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
                self.run_argv_through(Invocation::Launched, command, span);
            }
        }
        (end + 1).min(words.len())
    }
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
