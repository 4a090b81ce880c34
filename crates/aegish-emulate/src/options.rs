//! GNU option syntax for the emulated programs.
//!
//! Takes arguments and the options of a program, gives options and operands; `None` if the emulation does not
//! know an option.

/// An option that was given: its letter and its value (empty for plain flags).
pub(super) type ParsedOption<'a> = (char, &'a str);

/// The options and operands of a command.
pub(super) struct ParsedOptions<'a> {
    pub(super) given: Vec<ParsedOption<'a>>,
    pub(super) operands: Vec<&'a str>,
}

impl<'a> ParsedOptions<'a> {
    pub(super) fn has(&self, letter: char) -> bool {
        self.given.iter().any(|(given, _)| *given == letter)
    }

    /// The last value given for an option.
    pub(super) fn value(&self, letter: char) -> Option<&'a str> {
        self.given.iter().rev().find(|(given, _)| *given == letter).map(|(_, value)| *value)
    }
}

/// Separates options from operands.
///
/// `short` is as in `getopt`: a colon after a letter means that it takes a value, two colons that the
/// value is optional and attached. `long` maps long names to letters; whether a value is taken is
/// looked up in `short`.
pub(super) fn parse<'a>(
    args: &[&'a str],
    short: &str,
    long: &[(&str, char)],
) -> Option<ParsedOptions<'a>> {
    let mut parsed = ParsedOptions { given: Vec::new(), operands: Vec::new() };
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if *arg == "--" {
            parsed.operands.extend(rest);
            break;
        }
        if let Some(name) = arg.strip_prefix("--") {
            let (name, attached) = match name.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (name, None),
            };
            let letter = long_option(name, long)?;
            let value = match (takes_value(short, letter)?, attached) {
                (Takes::Nothing, None) => "",
                (Takes::Nothing, Some(_)) => return None,
                (Takes::Value, Some(value)) => value,
                (Takes::Value, None) => rest.next()?,
                (Takes::Maybe, value) => value.unwrap_or(""),
            };
            parsed.given.push((letter, value));
        } else if arg.len() > 1 && arg.starts_with('-') {
            let mut letters = arg.chars();
            letters.next();
            while let Some(letter) = letters.next() {
                match takes_value(short, letter)? {
                    Takes::Nothing => parsed.given.push((letter, "")),
                    Takes::Value => {
                        let attached = letters.as_str();
                        let value = if attached.is_empty() { rest.next()? } else { attached };
                        parsed.given.push((letter, value));
                        break;
                    }
                    Takes::Maybe => {
                        parsed.given.push((letter, letters.as_str()));
                        break;
                    }
                }
            }
        } else {
            parsed.operands.push(arg);
        }
    }
    Some(parsed)
}

enum Takes {
    Nothing,
    Value,
    Maybe,
}

fn takes_value(short: &str, letter: char) -> Option<Takes> {
    if letter == ':' {
        return None;
    }
    let after = short.split_once(letter)?.1;
    Some(if after.starts_with("::") {
        Takes::Maybe
    } else if after.starts_with(':') {
        Takes::Value
    } else {
        Takes::Nothing
    })
}

/// A long name may be abbreviated if it is unique among the known ones.
fn long_option(name: &str, long: &[(&str, char)]) -> Option<char> {
    if let Some((_, letter)) = long.iter().find(|(known, _)| *known == name) {
        return Some(*letter);
    }
    let mut fitting = long.iter().filter(|(known, _)| known.starts_with(name));
    let (_, letter) = fitting.next()?;
    fitting.all(|(_, other)| other == letter).then_some(*letter)
}

/// A count with GNU's multiplier suffixes.
pub(super) fn count(text: &str) -> Option<usize> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, suffix) = text.split_at(digits);
    let factor: usize = match suffix {
        "" => 1,
        "b" => 512,
        "kB" | "KB" => 1000,
        "k" | "K" | "KiB" => 1024,
        "MB" => 1_000_000,
        "m" | "M" | "MiB" => 1 << 20,
        "G" | "GiB" => 1 << 30,
        _ => return None,
    };
    number.parse::<usize>().ok()?.checked_mul(factor)
}
