//! Options of builtins, and words that make them fail before they do anything.

use crate::Field;
use aegish_values::Value;

/// Builtins with the letters of their options in all versions of Bash that are in use: those without a value, those with
/// one.
const OPTIONS: &[(&str, &str, &str)] = &[
    (".", "", "p"),
    ("alias", "p", ""),
    ("builtin", "", ""),
    ("cd", "LPe@", ""),
    ("command", "pVv", ""),
    ("declare", "aAfFgiIlnrtuxp", ""),
    ("dirs", "clpv", ""),
    ("enable", "adnps", "f"),
    ("eval", "", ""),
    ("exec", "cl", "a"),
    ("export", "anfp", ""),
    ("getopts", "", ""),
    ("hash", "lrdt", "p"),
    ("let", "", ""),
    ("local", "aAfFgiIlnrtuxp-", ""),
    ("mapfile", "t", "CcdnOsu"),
    ("popd", "n", ""),
    ("printf", "", "v"),
    ("pushd", "n", ""),
    ("read", "ersE", "adinNptu"),
    ("readarray", "t", "CcdnOsu"),
    ("readonly", "aAfp", ""),
    ("set", "abefhkmnprtuvxBCEHPT", "o"),
    ("shopt", "opqsu", ""),
    ("source", "", "p"),
    ("trap", "lpP", ""),
    ("typeset", "aAfFgiIlnrtuxp", ""),
    ("umask", "pS", ""),
    ("unalias", "a", ""),
    ("unset", "fnv", ""),
    ("wait", "fn", "p"),
];

/// The options that `set -o` names.
const NAMED: &[&str] = &[
    "allexport",
    "braceexpand",
    "emacs",
    "errexit",
    "errtrace",
    "functrace",
    "hashall",
    "histexpand",
    "history",
    "ignoreeof",
    "interactive-comments",
    "keyword",
    "monitor",
    "noclobber",
    "noexec",
    "noglob",
    "nolog",
    "notify",
    "nounset",
    "onecmd",
    "physical",
    "pipefail",
    "posix",
    "privileged",
    "verbose",
    "vi",
    "xtrace",
];

/// Whether the words of a builtin are wrong, so that it fails and changes nothing.
pub fn is_misused(name: &str, words: &[Field]) -> bool {
    let Ok(at) = OPTIONS.binary_search_by_key(&name, |(known, ..)| known) else { return false };
    let Some((_, plain, valued)) = OPTIONS.get(at) else { return false };
    let signed = matches!(name, "declare" | "local" | "set" | "typeset");
    let mut rest = words.iter().map(|word| word.value.as_known());
    let mut operands = 0;
    while let Some(word) = rest.next() {
        // What comes from outside is in order.
        let Some(word) = word else { return false };
        let letters = word
            .strip_prefix('-')
            .or_else(|| word.strip_prefix('+').filter(|_| signed))
            .filter(|letters| !matches!(*letters, "" | "-"));
        let Some(letters) = letters else {
            operands = usize::from(word != "--") + rest.count();
            break;
        };
        for (at, letter) in letters.char_indices() {
            if valued.contains(letter) {
                let value = match letters.get(at + letter.len_utf8()..).unwrap_or_default() {
                    "" => rest.next().flatten(),
                    // The letters behind `o` are options of their own.
                    _ if name == "set" => continue,
                    value => Some(value),
                };
                if name == "set" && value.is_some_and(|value| !NAMED.contains(&value)) {
                    return true;
                }
                break;
            }
            if !plain.contains(letter) {
                return true;
            }
        }
    }
    match name {
        "cd" | "pushd" => operands > 1,
        "read" | "mapfile" | "readarray" => reads_nothing(words, valued),
        _ => false,
    }
}

/// Whether `read` or `mapfile` may assign nothing: a wrong number or name, or no time to wait.
fn reads_nothing(words: &[Field], valued: &str) -> bool {
    let (options, names) = letters(words, valued);
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    options.iter().any(|(letter, value)| match letter {
        't' => valued.contains('p'),
        'n' | 'N' | 'O' | 's' | 'u' | 'c' if *letter != 's' || valued.contains('s') => {
            value.as_known().is_some_and(|text| !number(text))
        }
        _ => false,
    }) || names.iter().filter_map(Value::as_known).any(|name| !is_variable(name))
}

/// A name, or an element of an array.
fn is_variable(text: &str) -> bool {
    let name = text.split('[').next().unwrap_or(text);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Options of one letter with their values, and the operands. Letters in `with_value` take the rest of
/// their word, or the next one.
pub fn letters(words: &[Field], with_value: &str) -> (Vec<(char, Value)>, Vec<Value>) {
    let mut options = Vec::new();
    let mut words = words.iter().map(|word| word.value.clone());
    while let Some(word) = words.next() {
        let Some(text) =
            word.as_known().and_then(|text| text.strip_prefix('-')).filter(|t| !t.is_empty())
        else {
            return (options, std::iter::once(word).chain(words).collect());
        };
        if text == "-" {
            break;
        }
        for (at, letter) in text.char_indices() {
            if !with_value.contains(letter) {
                options.push((letter, Value::empty()));
                continue;
            }
            let rest = text.get(at + letter.len_utf8()..).unwrap_or_default();
            let value = if rest.is_empty() { words.next() } else { Some(Value::known(rest)) };
            options.push((letter, value.unwrap_or_default()));
            break;
        }
    }
    (options, words.collect())
}
