//! Filters on input that is not known: the text of their own that they print.

use super::Interp;
use aegish_expansion::{Field, arguments, names};
use aegish_values::{Piece, Value, join_values, origin};

/// Stands for a line that is not known.
const LINE: &str = "\u{f8ff}";

/// Lines of input that are tried at least, and at most: a script may tell them from others by their number.
const LINES: (usize, usize) = (10, 2000);

/// How many lines a script with these words has to be tried with; none if those are too many.
fn lines_for(argv: &[&str]) -> Option<usize> {
    let digits = |c: char| !c.is_ascii_digit();
    let numbers = argv.iter().flat_map(|word| word.split(digits)).filter(|text| !text.is_empty());
    // A number that is too long to be read is too large.
    let last = numbers.map(|text| text.parse().unwrap_or(usize::MAX)).max().unwrap_or(0);
    (last < LINES.1).then(|| LINES.0.max(last + 1))
}

impl Interp<'_> {
    /// What a filter prints for any input, if its own words are a part of that.
    pub(super) fn says_own(&self, base: &str, fields: &[Field]) -> Option<Value> {
        let input = self.stdin_content();
        if input.is_known() {
            return None;
        }
        let argv: Vec<&str> = std::iter::once(Some(base))
            .chain(arguments(fields).iter().map(|field| field.value.as_known()))
            .collect::<Option<_>>()?;
        let printed = match base {
            "sed" | "gsed" => {
                let Some(count) = lines_for(&argv) else { return Some(Value::lost()) };
                let lines = format!("{LINE}\n").repeat(count);
                let printed = aegish_emulate::run(&argv, Some(lines.as_bytes()), &|_| {
                    Some(lines.clone().into_bytes())
                })?;
                let mut lines: Vec<String> = Vec::new();
                for line in String::from_utf8(printed).ok()?.split_inclusive('\n') {
                    if !lines.iter().any(|known| known == line) {
                        lines.push(line.to_owned());
                    }
                }
                // Names in a directory are what a pattern there matches.
                let line = match names::is_any_name(&input) {
                    true => Piece::AnyString,
                    false => Piece::Unknown(origin::PROGRAM_OUTPUT),
                };
                let mut printed = Value::empty();
                for (at, part) in lines.concat().split(LINE).enumerate() {
                    if at > 0 {
                        printed.push(line.clone());
                    }
                    printed.push_str(part);
                }
                printed
            }
            _ => {
                let any = self.awk_run(&argv, None, &|_| None)??.any;
                let mut printed = Value::empty().tainted(any.taint());
                let is_names = names::is_any_name(&input);
                for piece in any.pieces() {
                    printed.push(match piece {
                        Piece::Unknown(_) if is_names => Piece::AnyString,
                        other => other.clone(),
                    });
                }
                printed
            }
        };
        let own = printed.has_name() && !printed.is_one_of_many_values();
        own.then(|| join_values(&printed, &Value::unknown(origin::PROGRAM_OUTPUT)))
    }
}
