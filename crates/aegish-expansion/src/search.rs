//! What a search by name finds: the paths that `find` and its like hand on, as values.

use crate::{Field, as_pattern};
use aegish_values::{Piece, Value, origin};

/// The search of `find`.
#[derive(Default)]
pub struct Search {
    /// `-name`
    pub names: Vec<Value>,
    /// `-path`
    pub paths: Vec<Value>,
    /// `-samefile`
    pub same: Option<Value>,
    /// `-o`: any one of the conditions is enough.
    pub either: bool,
    /// There is no condition but a type or a depth.
    pub everything: bool,
}

/// Paths that `find` prints: the directory they are below, and the end of their names.
#[must_use]
pub fn printed(root: &Value, names: &[Value]) -> Vec<Value> {
    let below = |end: &str| {
        let mut path = root.clone();
        path.push_str("/");
        path.push(Piece::Unknown("found file"));
        path.push_str(end);
        path
    };
    let end = |name: &Value| match name.as_known() {
        // The whole path is known.
        Some(name) if name.starts_with('/') && !name.contains(['*', '?', '[']) => {
            Value::known(name)
        }
        Some(name) if !name.contains(['*', '?', '[', '/']) => below(&format!("/{name}")),
        Some(name) => {
            let known = name.rsplit(['*', '?', ']', '/']).next().unwrap_or("");
            below(known)
        }
        None => below(""),
    };
    names.iter().map(end).collect()
}

/// Files that may be found below a root: the root itself, and names below it.
#[must_use]
pub fn found(root: &Value, search: &Search) -> Vec<Value> {
    if let Some(same) = &search.same {
        return vec![same.clone()];
    }
    let conditions = search.names.len() + search.paths.len();
    if search.either && conditions > 1 {
        let alone = |names: &[Value], paths: &[Value]| {
            let (names, paths) = (names.to_vec(), paths.to_vec());
            found(root, &Search { names, paths, ..Search::default() })
        };
        let names = search.names.iter().flat_map(|name| alone(std::slice::from_ref(name), &[]));
        let paths = search.paths.iter().flat_map(|path| alone(&[], std::slice::from_ref(path)));
        return names.chain(paths).collect();
    }
    let names = &search.names;
    if let Some(path) = search.paths.first().and_then(Value::as_known) {
        let name = names.first().and_then(Value::as_known);
        // What `*/` fits may be the root itself.
        let below = path.strip_prefix("*/").map(|rest| on_path(root, rest, name));
        return std::iter::once(on_path(root, path, name)).chain(below).collect();
    }
    let below = |directories: usize, name: &Value| {
        let mut path = root.clone();
        // The root directory ends with a slash itself.
        let mut slash = if root.known_suffix().ends_with('/') { "" } else { "/" };
        for _ in 0..directories {
            path.push_str(std::mem::replace(&mut slash, "/"));
            path.push(Piece::AnyString);
        }
        path.push_str(slash);
        path.append(name);
        path
    };
    let file = if search.everything { origin::EVERY_FILE } else { "found file" };
    // A pattern that the shell did not expand is one of find.
    if let Some(name) = names.first().filter(|name| name.has_glob() && !name.has_unknown()) {
        return vec![below(0, name), below(1, name)];
    }
    match names.first().and_then(Value::as_known) {
        Some(name) if !name.contains('/') && (!name.starts_with('*') || is_wide(root, name)) => {
            let name = as_pattern(name);
            let mut paths = vec![below(0, &name), below(1, &name)];
            paths.extend(hidden(root, &name).filter(|_| name.is_known()));
            paths
        }
        None if names.is_empty() && root.known_prefix().starts_with(['/', '~']) => {
            vec![root.clone(), below(0, &Value::unknown(file))]
        }
        _ => vec![below(0, &Value::unknown(file))],
    }
}

/// A name in a hidden directory below a root: a `*` of the shell does not match these, `find` enters them.
fn hidden(root: &Value, name: &Value) -> Option<Value> {
    // The name of a hidden directory is a matter of the files below it, not of its own.
    let shown = !name.known_prefix().starts_with('.') && !name.has_unknown();
    shown.then(|| {
        let mut path = root.clone();
        path.push_str(if root.known_suffix().ends_with('/') { "." } else { "/." });
        path.push(Piece::AnyString);
        path.push_str("/");
        path.append(name);
        path
    })
}

/// The hidden directories below a root.
pub enum HiddenDirectories {
    /// There may be any.
    Any,
    /// There are these.
    These(Vec<String>),
    /// Nothing is known of them.
    Unknown,
}

/// Files in hidden directories that are found by a name or by a path.
#[must_use]
pub fn named(root: &Value, search: &Search, directories: &HiddenDirectories) -> Vec<Value> {
    let plain = |name: &str| !name.contains(['*', '?', '[']);
    let mut paths = Vec::new();
    for name in search.names.iter().filter_map(Value::as_known).filter(|name| !name.contains('/')) {
        let pattern = as_pattern(name);
        match directories {
            HiddenDirectories::These(these) if !plain(name) => {
                for directory in these {
                    let mut path = below(root, directory);
                    path.push_str("/");
                    path.append(&pattern);
                    paths.push(path);
                }
            }
            HiddenDirectories::Unknown if name.starts_with('*') => {}
            _ => paths.extend(hidden(root, &pattern)),
        }
    }
    for path in search.paths.iter().filter_map(Value::as_known) {
        // What `*/` fits may be the root itself.
        let Some(rest) = path.strip_prefix("*/").filter(|rest| !rest.starts_with(['*', '?', '[']))
        else {
            continue;
        };
        let name = search.names.first().and_then(Value::as_known);
        let rest = match (rest.strip_suffix('*'), name) {
            (Some(start), Some(name)) if start.ends_with('/') => format!("{start}{name}"),
            (None, Some(_)) => continue,
            _ => rest.to_owned(),
        };
        let mut whole = below(root, "");
        whole.append(&as_pattern(&rest));
        paths.push(whole);
    }
    paths
}

/// A name directly below a root.
fn below(root: &Value, name: &str) -> Value {
    let mut path = root.clone();
    if !root.known_suffix().ends_with('/') {
        path.push_str("/");
    }
    path.push_str(name);
    path
}

/// Whether a pattern that begins with a star leaves the name open: it has no suffix, and the files are those of the
/// system.
#[must_use]
pub fn is_wide(root: &Value, name: &str) -> bool {
    root.known_prefix().starts_with('/') && !name.contains('.')
}

/// A file whose path fits a pattern, in which `*` reaches over directories.
fn on_path(root: &Value, path: &str, name: Option<&str>) -> Value {
    // The pattern fits the whole path, with the root in front.
    let start = root.as_known().unwrap_or("/").trim_end_matches('/');
    let path = path.strip_prefix(start).filter(|rest| rest.starts_with('/')).unwrap_or(path);
    let path = path.trim_start_matches("./").trim_start_matches('/');
    let mut found = root.clone();
    if !root.known_suffix().ends_with('/') {
        found.push_str("/");
    }
    for (index, part) in path.split('*').enumerate() {
        if index > 0 {
            found.push(match is_wide(root, path) {
                true => Piece::AnyString,
                false => Piece::Unknown("found directory"),
            });
        }
        found.append(&as_pattern(part));
    }
    if let Some(name) = name {
        found.push_str("/");
        found.append(&as_pattern(name));
    }
    found
}

/// `-perm -4000`, `/6000`, `-u=s`, …
#[must_use]
pub fn is_setuid_search(mode: &str) -> bool {
    let mode = mode.trim_start_matches(['-', '/', '+']);
    let octal = mode.len() >= 4
        && mode.bytes().all(|b| b.is_ascii_digit())
        && mode
            .as_bytes()
            .get(mode.len() - 4)
            .is_some_and(|b| matches!(b, b'2' | b'4' | b'6' | b'7'));
    octal || (mode.contains('=') || mode.contains('+')) && mode.contains('s')
}

/// The pattern of names that a regular expression of letters stands for; none if every name may fit.
#[must_use]
pub fn name_pattern(expression: &Value) -> Option<Value> {
    let text = expression.as_known()?;
    let anchored = |text: &str, sign: char| if text.contains(sign) { "" } else { "*" }.to_owned();
    let letters = text.trim_start_matches('^').trim_end_matches('$');
    let plain = |c: char| c.is_alphanumeric() || "_-/ ".contains(c);
    (!letters.is_empty() && letters.chars().all(plain))
        .then(|| Value::known(anchored(text, '^') + letters + &anchored(text, '$')))
}

/// Options that come before the starting points of `find`.
#[must_use]
pub fn is_leading(option: &str) -> bool {
    matches!(option, "-H" | "-L" | "-P" | "-D") || option.starts_with("-O")
}

/// The words without the `--` that may end the leading options; the expression begins with dashes too.
#[must_use]
pub fn without_end_of_options(words: &[Field]) -> Vec<Field> {
    let mut at = 0;
    while let Some(text) = words.get(at).and_then(|word| word.value.as_known()) {
        if text == "--" {
            return [words.get(..at).unwrap_or_default(), words.get(at + 1..).unwrap_or_default()]
                .concat();
        }
        if !is_leading(text) {
            break;
        }
        at += if text == "-D" { 2 } else { 1 };
    }
    words.to_vec()
}
