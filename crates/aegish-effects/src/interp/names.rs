//! Names of files that programs print among other things, and that filters pass on.

use super::Interp;
use super::xargs::lines;
use aegish_expansion::items::path_pattern;
use aegish_expansion::search::{Search, found};
use aegish_expansion::{Field, arguments};
use aegish_profiles::Behaviour;
use aegish_values::{Piece, Value, origin};

/// Programs that print the name of each operand beside something else, of which a blank or a colon parts it.
const NAMES_OPERANDS: &[&str] = &[
    "b2sum",
    "cksum",
    "file",
    "getfacl",
    "lsattr",
    "md5sum",
    "sha1sum",
    "sha224sum",
    "sha256sum",
    "sha384sum",
    "sha512sum",
    "stat",
    "sum",
    "wc",
];

impl Interp<'_> {
    /// What a filter prints of lines with paths of which some parts are not known.
    pub(super) fn passed_on(&self, base: &str) -> Option<Value> {
        let does = aegish_profiles::find(base)?.grammar.does;
        if !does.iter().any(|effect| effect.is(Behaviour::Prints)) {
            return None;
        }
        paths_in(&self.stdin_content())
    }
}

/// The paths in lines of which some parts are not known, each on a line, and whatever else the lines hold.
fn paths_in(input: &Value) -> Option<Value> {
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

/// Whether a word is a path from the root, and more than the root.
fn is_path(word: &Value) -> bool {
    match word.pieces() {
        [Piece::Text(text)] => text.starts_with('/') && text.len() > 1,
        [Piece::Text(text), ..] => text.starts_with('/'),
        [Piece::OneOf(texts), ..] => texts.iter().any(|text| text.starts_with('/')),
        _ => false,
    }
}

/// Whether every line of a text is a path from the root, of which something is not known.
pub(super) fn are_absolute_paths(value: &Value) -> bool {
    let paths = lines(value, &['\n']);
    !value.is_known()
        && !paths.is_empty()
        && paths.iter().all(|path| path.known_prefix().starts_with('/'))
}

/// The output of a program that prints names of files below its operands, or those of its operands.
pub(super) fn listed(base: &str, fields: &[Field]) -> Option<Value> {
    let words = arguments(fields);
    match base {
        "locate" | "plocate" | "mlocate" | "slocate" => looked_up(words),
        "du" => {
            let all = words
                .iter()
                .filter_map(|field| field.value.as_known())
                .any(|word| word == "--all" || is_short(word) && word.contains('a'));
            // Directories only; a file by its name.
            let below = if all { origin::EVERY_FILE } else { "directory" };
            of_each(words, |operand, line| {
                line.push(Piece::Unknown(origin::PROGRAM_OUTPUT));
                line.push_str("\t");
                line.append(operand);
                if !operand.known_suffix().ends_with('/') {
                    line.push_str("/");
                }
                line.push(Piece::Unknown(below));
            })
        }
        _ if NAMES_OPERANDS.contains(&base) && words.iter().any(|field| field.value.has_glob()) => {
            of_each(words, |operand, line| {
                line.push(Piece::Unknown(origin::PROGRAM_OUTPUT));
                line.push_str(" ");
                line.append(operand);
                line.push_str(": ");
                line.push(Piece::Unknown(origin::PROGRAM_OUTPUT));
            })
        }
        _ => None,
    }
}

/// One line for each operand that is a path from the root.
fn of_each(words: &[Field], write: impl Fn(&Value, &mut Value)) -> Option<Value> {
    let mut printed = Value::empty();
    for field in words.iter().filter(|field| field.value.known_prefix().starts_with('/')) {
        write(&field.value, &mut printed);
        printed.push_str("\n");
    }
    (!printed.pieces().is_empty()).then_some(printed)
}

/// The output of `locate`: paths in which the word stands, or that the pattern fits as a whole.
fn looked_up(words: &[Field]) -> Option<Value> {
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

fn is_short(word: &str) -> bool {
    word.starts_with('-') && !word.starts_with("--")
}
