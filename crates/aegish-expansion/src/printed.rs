//! What programs print of their own words, where not all of these are known.

use crate::{Field, arguments, joined};
use aegish_values::{MAX_ALTERNATIVES, Piece, Value, origin};

/// The output of programs that name their operands, for operands that are patterns which bash expands later.
pub fn repeats_operands(base: &str, fields: &[Field]) -> Option<Value> {
    let operands =
        arguments(fields).iter().filter(|field| !field.value.known_prefix().starts_with('-'));
    let flag = |field: &Field| {
        field.value.as_known().is_some_and(|text| text.starts_with('-') && text.contains('d'))
    };
    let patterns = arguments(fields).iter().any(|field| field.value.has_glob())
        // `ls -d` prints the names that a pattern matched.
        || base == "ls" && arguments(fields).iter().any(flag);
    let escapes = fields.iter().any(|field| field.value.as_known() == Some("-e"));
    let operands: Vec<&Field> = match base {
        "echo" if !escapes => operands.collect(),
        "ls" if operands.clone().all(|field| field.value.known_prefix().starts_with('/')) => {
            operands.collect()
        }
        "printf" if patterns || say_more(arguments(fields)) => {
            return formatted(fields);
        }
        _ => return None,
    };
    if base == "echo" && !patterns && say_more(arguments(fields)) {
        let plain = operands.len() + 1 == fields.len();
        return plain.then(|| {
            let mut printed = joined(arguments(fields));
            printed.push_str("\n");
            printed
        });
    }
    if !patterns || operands.iter().any(|field| field.value.has_unknown()) {
        return None;
    }
    let mut printed = Value::empty();
    for field in operands {
        printed.append(&field.value);
        printed.push_str("\n");
    }
    Some(printed)
}

/// The output of `date`: the format, in which only the parts of the date are not known.
pub fn dated(fields: &[Field]) -> Option<Value> {
    let format =
        arguments(fields).iter().find(|word| word.value.known_prefix().starts_with('+'))?;
    let mut printed = parts_of_date(format.value.as_known()?.get(1..)?);
    printed.push_str("\n");
    Some(printed.tainted(format.value.taint()))
}

/// A date in this format.
fn parts_of_date(format: &str) -> Value {
    let mut printed = Value::empty();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        match c {
            '%' => match chars.by_ref().find(|c| !"-_0^#+:EO123456789".contains(*c)) {
                Some('%') => printed.push_str("%"),
                Some('n') => printed.push_str("\n"),
                Some('t') => printed.push_str("\t"),
                // `TZ` may name any zone.
                Some('Z') => printed.append(&Value::one_of_many_values()),
                _ => printed.push(Piece::Unknown(origin::PROGRAM_OUTPUT)),
            },
            c => printed.push_str(c.encode_utf8(&mut [0; 4])),
        }
    }
    printed
}

/// What `printf` prints with a format like `%(…)T`, where that is more than letters for parts of a date.
#[must_use]
pub fn printed_date(words: &[Field]) -> Option<Value> {
    let text = words.first()?.value.as_known()?;
    let (before, rest) = text.split_once("%(")?;
    let (format, after) = rest.split_once(")T")?;
    let date = parts_of_date(format);
    if before.contains('%') || after.contains('%') {
        return date.is_known().then(Value::one_of_many_values);
    }
    let mut printed = Value::known(before);
    printed.append(&date);
    printed.push_str(after);
    Some(printed)
}

/// Whether known text stands beside something that is not known.
fn say_more(fields: &[Field]) -> bool {
    let unknown = |field: &Field| field.value.has_unknown() || !field.value.each().is_empty();
    let known = |field: &Field| {
        let value = &field.value;
        value.has_text() || may_say_more(value) || value.is_one_of_many_values()
    };
    fields.iter().any(unknown) && fields.iter().any(known)
}

/// Whether known text stands in a value that is not known.
pub fn may_say_more(value: &Value) -> bool {
    value.is_mixed() || !value.each().is_empty()
}

/// The text, or the output of a program.
pub fn or_text(printed: &Value, output: Value) -> Value {
    match printed.readings(MAX_ALTERNATIVES) {
        Some(mut texts) if texts.len() < MAX_ALTERNATIVES && printed.has_name() => {
            texts.push(String::new());
            let mut value = Value::one_of(texts);
            value.append(&output);
            value
        }
        _ => output,
    }
}

/// The output of `printf` with a format that only puts operands between texts.
fn formatted(fields: &[Field]) -> Option<Value> {
    let (format, operands) = arguments(fields).split_first()?;
    let format = format.value.as_known()?;
    let texts: Vec<String> = format.split("%s").map(|text| text.replace("\\n", "\n")).collect();
    let (last, before) = texts.split_last()?;
    let plain = texts.iter().all(|text| !text.contains(['%', '\\']));
    if before.is_empty() || !plain {
        return None;
    }
    let mut printed = Value::empty();
    for row in operands.chunks(before.len()) {
        for (at, text) in before.iter().enumerate() {
            printed.push_str(text);
            row.get(at).into_iter().for_each(|field| printed.append(&field.value));
        }
        printed.push_str(last);
    }
    Some(printed)
}

/// Whether a program prints lines of its standard input as they are, and nothing else.
pub fn keeps_lines(base: &str, fields: &[Field]) -> bool {
    let (letters, operands) = match base {
        "grep" | "egrep" | "fgrep" => ("EFGPivxws", 1),
        "sort" => ("nrufhVbdgM", 0),
        "uniq" => ("iud", 0),
        "head" | "tail" => ("n0123456789", 0),
        "tac" | "shuf" => ("", 0),
        _ => return false,
    };
    let words = arguments(fields).iter().map(|field| field.value.as_known().unwrap_or("?"));
    let is_option = |word: &str| {
        word.strip_prefix('-').is_some_and(|rest| rest.chars().all(|c| letters.contains(c)))
    };
    // A number is the value of `head -n`.
    let counts = letters.contains('0');
    let (options, others): (Vec<&str>, Vec<&str>) = words.partition(|word| is_option(word));
    let number = |word: &&&str| counts && word.bytes().all(|byte| byte.is_ascii_digit());
    others.iter().filter(|word| !number(word)).count() == operands
        && options.iter().all(|word| word.len() > 1)
        && (operands == 1 || !others.iter().any(|word| word.starts_with(['-', '?'])))
}

/// Whether a program computes what it prints from its words alone.
pub fn computes(words: &[Field], base: &str) -> bool {
    let texts = || words.iter().filter_map(|word| word.value.as_known());
    let short = |letter: char| {
        texts()
            .any(|word| word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
    };
    match base {
        "awk" | "gawk" | "mawk" | "nawk" | "original-awk" => {
            texts().any(|word| word.trim_start().starts_with("BEGIN"))
        }
        "jq" | "jaq" | "gojq" | "yq" => short('n') || texts().any(|word| word == "--null-input"),
        "dc" => short('e'),
        "shuf" => short('e') || texts().any(|word| word == "--echo"),
        "numfmt" => texts().any(|word| !word.starts_with('-')),
        "sqlite3" => texts().any(|word| word == ":memory:"),
        _ => false,
    }
}

/// Whether an interpreter runs code from its words on what it reads.
pub fn is_code_filter(base: &str, words: &[Field]) -> bool {
    let interprets = ["perl", "ruby", "python", "node", "php", "lua"].iter().any(|name| {
        base.strip_prefix(name).is_some_and(|rest| !rest.contains(char::is_alphabetic))
    });
    let code = |word: &Field| {
        let text = word.value.known_prefix();
        text.starts_with('-') && text.len() > 1 && text.contains(['e', 'c', 'n', 'p', 'r'])
    };
    interprets && words.iter().any(code)
}

/// The first lines that `yes` prints.
pub fn repeated(fields: &[Field]) -> Value {
    let words: Option<Vec<&str>> =
        arguments(fields).iter().map(|field| field.value.as_known()).collect();
    match words {
        Some(words) if words.is_empty() => Value::known("y\n".repeat(16)),
        Some(words) => Value::known(format!("{}\n", words.join(" ")).repeat(16)),
        None => Value::unknown("repeated text"),
    }
}

/// Whether the program turns an encoding into text.
pub fn decodes(base: &str, fields: &[Field]) -> bool {
    let words = || arguments(fields).iter().filter_map(|field| field.value.as_known());
    match base {
        "rev" | "gunzip" | "zcat" | "unxz" | "xzcat" | "bunzip2" | "bzcat" => true,
        "base64" | "base32" | "basenc" | "gzip" | "xz" | "bzip2" | "openssl" => words()
            .any(|word| word.starts_with("-d") || word == "--decode" || word == "--decompress"),
        "xxd" => words().any(|word| word.starts_with("-r") || word == "-p"),
        "printf" | "echo" => words().any(|word| word.contains("\\x") || word.contains("\\0")),
        _ => false,
    }
}

/// An option that makes a silent program print.
pub fn is_verbose(value: &Value) -> bool {
    let text = value.known_prefix();
    text.starts_with("--verbose")
        || text.starts_with('-') && !text.starts_with("--") && text.contains('v')
}

/// `git rev-parse --show-toplevel`: the project's own directory.
pub fn is_project_root(fields: &[Field]) -> bool {
    let words: Vec<&str> = fields.iter().filter_map(|field| field.value.as_known()).collect();
    matches!(words.as_slice(), ["git", "rev-parse", "--show-toplevel"])
}

/// `git --exec-path`: where git has its own programs.
pub fn is_own_directory(fields: &[Field]) -> bool {
    let words: Vec<&str> = fields.iter().filter_map(|field| field.value.as_known()).collect();
    matches!(words.as_slice(), ["git", "--exec-path"])
}
