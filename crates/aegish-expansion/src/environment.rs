//! Variables in what programs print.

use crate::{Field, arguments};
use aegish_values::{Source, Taint};

/// Commands that print all variables with their values.
const PRINTS_ENVIRONMENT: &[&str] = &["declare", "env", "export", "printenv", "set", "typeset"];

/// The variables that `printenv` prints: those it names, or all of them.
pub fn variables_of(fields: &[Field]) -> Taint {
    let mut taint = Taint::none();
    let operands = arguments(fields).iter().map(|field| field.value.known_prefix());
    let mut operands = operands.filter(|word| !word.starts_with('-')).peekable();
    if operands.peek().is_none() {
        taint.add(Source::Environment(String::new()));
    }
    operands.for_each(|name| taint.add(Source::Environment(name.to_owned())));
    taint
}

/// Where lines come from that a filter chose: of all variables, those with the names in its pattern.
pub fn selected(base: &str, fields: &[Field], taint: Taint) -> Taint {
    let environment = |source: &Source| matches!(source, Source::Program(name) if PRINTS_ENVIRONMENT.contains(&name.as_str()));
    if PRINTS_ENVIRONMENT.contains(&base) || !taint.sources().any(environment) {
        return taint;
    }
    if prints_names_only(base, fields) {
        let mut names = Taint::none();
        taint.sources().filter(|source| !environment(source)).for_each(|source| {
            names.add(source.clone());
        });
        return names;
    }
    let words = || arguments(fields).iter().filter_map(|field| field.value.as_known());
    let inverts = |word: &str| {
        word == "--invert-match"
            || word.starts_with('-') && !word.starts_with("--") && word.contains('v')
    };
    if !matches!(base, "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "awk" | "sed" | "perl")
        || words().any(inverts)
    {
        return taint;
    }
    let mut taint = taint;
    for pattern in words().filter(|word| !word.starts_with('-')) {
        taint.add(Source::FilteredEnvironment(pattern.to_owned()));
    }
    taint
}

/// Whether a program prints of lines `NAME=value` only the names.
pub fn prints_names_only(base: &str, fields: &[Field]) -> bool {
    let words: Vec<&str> =
        arguments(fields).iter().filter_map(|field| field.value.as_known()).collect();
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    match base {
        "cut" => {
            (has(&["-d=", "--delimiter=="]) || words.windows(2).any(|pair| pair == ["-d", "="]))
                && (has(&["-f1", "--fields=1"]) || words.windows(2).any(|pair| pair == ["-f", "1"]))
        }
        "awk" | "gawk" | "mawk" => {
            (has(&["-F="]) || words.windows(2).any(|pair| pair == ["-F", "="]))
                && words.iter().any(|word| {
                    word.contains("print $1")
                        && !word.replace("print $1", "").contains(['$', '"'])
                        && word.matches("print").count() == 1
                })
        }
        "sed" => words.iter().any(|word| {
            let rest = word.strip_prefix("s/=.*/").and_then(|rest| rest.split_once('/'));
            rest.is_some_and(|(text, flags)| !text.contains(['&', '\\']) && flags.is_empty())
        }),
        "grep" | "egrep" => {
            words
                .iter()
                .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains('o'))
                && words.iter().any(|word| word.starts_with("^[A-Z") && !word.contains(['.', '|']))
        }
        _ => false,
    }
}
