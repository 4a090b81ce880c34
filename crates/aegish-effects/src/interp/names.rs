//! Names of files that programs print among other things, and that filters pass on.

use super::Interp;
use aegish_expansion::names::{is_short, looked_up, of_each, parted, paths_in};
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

    /// Whether the text itself says where this path is: from the root, or below a directory that it went to.
    pub(super) fn is_told(&self, path: &Value) -> bool {
        path.known_prefix().starts_with(['/', '~']) || self.has_moved() && !path.has_unknown()
    }

    /// The output of a program that prints names of files below its operands, or those of its operands.
    pub(super) fn printed_names(&self, base: &str, fields: &[Field]) -> Option<Value> {
        let words = arguments(fields);
        match base {
            "ls" | "dir" | "vdir" => self.names_in_directory(words),
            "locate" | "plocate" | "mlocate" | "slocate" => looked_up(words),
            "du" => {
                let (options, places) = parted(words);
                let here = Value::known(".");
                let places = if places.is_empty() { vec![&here] } else { places };
                let all = options
                    .iter()
                    .filter_map(|option| option.as_known())
                    .any(|word| word == "--all" || is_short(word) && word.contains('a'));
                // Directories only; a file by its name.
                let below = if all { origin::EVERY_FILE } else { "directory" };
                of_each(places.into_iter().filter(|place| self.is_told(place)), |place, line| {
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
                let (_, operands) = parted(words);
                of_each(operands.into_iter().filter(|path| self.is_told(path)), |operand, line| {
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
        let (options, places) = parted(words);
        // The names alone, one on each line.
        let plain = |option: &&Value| {
            option.as_known().is_some_and(|word| {
                matches!(word, "--all" | "--almost-all" | "--reverse")
                    || is_short(word)
                        && word.bytes().skip(1).all(|byte| b"1aABcfrStuUvX".contains(&byte))
            })
        };
        let mut names = Value::empty();
        let listed = match places.as_slice() {
            [] => self.has_moved(),
            [place] => {
                // It can be a file too.
                if !matches!(place.as_known(), Some("." | "./")) {
                    names.append(place);
                    names.push_str("\n");
                }
                self.is_told(place) && !place.has_glob()
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
