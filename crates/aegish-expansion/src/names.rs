//! Names of files in what programs print.

use crate::Field;
use crate::items::{lines, path_pattern};
use crate::search::{Search, found};
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, join_values, origin};

/// The paths in lines of which some parts are not known, each on a line, and whatever else the lines hold.
pub fn paths_in(input: &Value) -> Option<Value> {
    let variants = input.variants(MAX_ALTERNATIVES);
    let all = variants.as_deref().unwrap_or(input.possible()).iter();
    all.filter_map(paths_in_one).reduce(|all, one| join_values(&all, &one))
}

fn paths_in_one(input: &Value) -> Option<Value> {
    if input.is_known() {
        return None;
    }
    let mut printed = Value::empty();
    for word in lines(input, &['\n', '\0', '\t', ' ', ':']).iter().filter(|word| is_path(word)) {
        printed.append(word);
        printed.push_str("\n");
    }
    if printed.pieces().is_empty() {
        return None;
    }
    printed.push(Piece::Unknown(origin::PROGRAM_OUTPUT));
    Some(printed)
}

/// Whether a word is a path from the root or from the working directory, and more than that.
fn is_path(word: &Value) -> bool {
    match word.pieces() {
        [Piece::Text(text)] => begins_path(text) && text.len() > 2,
        [Piece::Text(text), ..] => begins_path(text),
        [Piece::OneOf(texts), ..] => texts.iter().any(|text| begins_path(text)),
        _ => false,
    }
}

fn begins_path(text: &str) -> bool {
    text.starts_with('/') || text.starts_with("./")
}

/// Whether a text is the output of `ls`, of which no name is known.
pub fn is_any_name(value: &Value) -> bool {
    match value.pieces() {
        [Piece::AnyString, Piece::Text(end)]
        | [Piece::Text(_), Piece::AnyString, Piece::Text(end)] => end == "\n",
        _ => false,
    }
}

/// Whether every line of a text is a path from the root or the working directory, of which something is not known.
pub fn are_paths(value: &Value) -> bool {
    let paths = lines(value, &['\n']);
    !value.is_known()
        && !paths.is_empty()
        && paths.iter().all(|path| begins_path(path.known_prefix()))
}

/// Options, and all other words.
pub fn parted(words: &[Field]) -> (Vec<&Value>, Vec<&Value>) {
    words.iter().map(|field| &field.value).partition(|word| word.known_prefix().starts_with('-'))
}

/// One line for each path.
pub fn of_each<'a>(
    paths: impl Iterator<Item = &'a Value>,
    write: impl Fn(&Value, &mut Value),
) -> Option<Value> {
    let mut printed = Value::empty();
    for path in paths {
        write(path, &mut printed);
        printed.push_str("\n");
    }
    (!printed.pieces().is_empty()).then_some(printed)
}

/// The output of `locate`: paths in which the word stands, or that the pattern fits as a whole.
pub fn looked_up(words: &[Field]) -> Option<Value> {
    let known: Vec<&str> = words.iter().filter_map(|field| field.value.as_known()).collect();
    let by_expression = known
        .iter()
        .any(|word| word.starts_with("--regex") || is_short(word) && word.contains('r'));
    let root = Value::known("/");
    let mut printed = Value::empty();
    for word in known.iter().filter(|word| !word.starts_with('-')) {
        let mut search = Search::default();
        match word {
            _ if by_expression => {
                search.paths.push(Value::known(format!("*{}", path_pattern(word))));
            }
            word if word.contains(['*', '?', '[', '/']) => {
                let whole = word.contains(['*', '?', '[']);
                let pattern = if whole { (*word).to_owned() } else { format!("*{word}*") };
                search.paths.push(Value::known(pattern));
            }
            word => search.names.push(Value::known(format!("*{word}*"))),
        }
        for path in found(&root, &search) {
            printed.append(&path);
            printed.push_str("\n");
        }
    }
    (!printed.pieces().is_empty()).then_some(printed)
}

/// Whether a word is one letter or several behind a single dash.
pub fn is_short(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--")
}

/// Whether a directory belongs to the system or to all of a user's files, not to a project.
pub fn is_of_system(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        [] | ["root"] | ["home" | "Users", _] | ["home" | "Users" | "usr" | "var"] => true,
        ["usr", "src" | "local", ..] | ["var", "www", ..] => false,
        ["usr" | "var", ..] => true,
        [first, ..] => matches!(
            *first,
            "bin" | "boot" | "dev" | "etc" | "lib" | "lib64" | "proc" | "run" | "sbin" | "sys"
        ),
    }
}
