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

    /// A path from the root, if the script itself went to the directory that the path starts from.
    pub(super) fn from_the_root(&self, path: &Value) -> Value {
        match path.as_known() {
            Some(text) if self.has_moved() && !text.starts_with(['/', '~']) => {
                Value::known(self.absolute(text)).tainted(path.taint())
            }
            _ => path.clone(),
        }
    }

    /// The output of a program that prints names of files below its operands, or those of its operands.
    pub(super) fn printed_names(&self, base: &str, fields: &[Field]) -> Option<Value> {
        let words = arguments(fields);
        match base {
            "ls" | "dir" | "vdir" => self.names_in_directory(words),
            "locate" | "plocate" | "mlocate" | "slocate" => looked_up(words),
            "du" => {
                let (options, mut places): (Vec<&Field>, Vec<&Field>) =
                    words.iter().partition(|field| field.value.known_prefix().starts_with('-'));
                let here = Value::known(".");
                let mut places: Vec<&Value> = places.drain(..).map(|field| &field.value).collect();
                if places.is_empty() {
                    places.push(&here);
                }
                let all = options
                    .iter()
                    .filter_map(|field| field.value.as_known())
                    .any(|word| word == "--all" || is_short(word) && word.contains('a'));
                // Directories only; a file by its name.
                let below = if all { origin::EVERY_FILE } else { "directory" };
                of_each(places.into_iter().map(|place| self.from_the_root(place)), |place, line| {
                    line.push(Piece::Unknown(origin::PROGRAM_OUTPUT));
                    line.push_str("\t");
                    line.append(place);
                    if !place.known_suffix().ends_with('/') {
                        line.push_str("/");
                    }
                    line.push(Piece::Unknown(below));
                })
            }
            _ if NAMES_OPERANDS.contains(&base)
                && words.iter().any(|field| field.value.has_glob()) =>
            {
                of_each(words.iter().map(|field| field.value.clone()), |operand, line| {
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

    /// `ls /etc`, or `ls` in a directory to which the script went: what a star would match there.
    fn names_in_directory(&self, words: &[Field]) -> Option<Value> {
        let (options, places): (Vec<&Field>, Vec<&Field>) =
            words.iter().partition(|field| field.value.known_prefix().starts_with('-'));
        // The names alone, one on each line.
        let plain = |field: &&Field| {
            field.value.as_known().is_some_and(|word| {
                matches!(word, "--all" | "--almost-all" | "--reverse")
                    || is_short(word)
                        && word.bytes().skip(1).all(|byte| b"1aABcfrStuUvX".contains(&byte))
            })
        };
        let mut names = Value::empty();
        let listed = match places.as_slice() {
            [] => self.has_moved(),
            [place] => {
                let path = self.from_the_root(&place.value);
                // It can be a file too.
                if !matches!(place.value.as_known(), Some("." | "./")) {
                    names.append(&place.value);
                    names.push_str("\n");
                }
                path.known_prefix().starts_with(['/', '~']) && !path.has_glob()
            }
            _ => false,
        };
        if !listed || !options.iter().all(plain) {
            return None;
        }
        names.push(Piece::AnyString);
        names.push_str("\n");
        Some(names)
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

/// Whether a text is the output of `ls`, of which no name is known.
pub(super) fn is_any_name(value: &Value) -> bool {
    match value.pieces() {
        [Piece::AnyString, Piece::Text(end)]
        | [Piece::Text(_), Piece::AnyString, Piece::Text(end)] => end == "\n",
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

/// One line for each operand that is a path from the root.
fn of_each(
    places: impl Iterator<Item = Value>,
    write: impl Fn(&Value, &mut Value),
) -> Option<Value> {
    let mut printed = Value::empty();
    for place in places.filter(|place| place.known_prefix().starts_with('/')) {
        write(&place, &mut printed);
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
