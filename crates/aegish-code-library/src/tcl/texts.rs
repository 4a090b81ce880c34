//! Commands that make a text of known texts.

use super::bytes::{converted, decoded, packed};
use super::patterns::matches;
use crate::decode::LIMIT;
use aegish_code_parsers::tcl::lists;

/// An integer as it is written in Tcl; none for one with a leading zero, which versions read differently.
#[must_use]
pub fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = digits.get(..2).unwrap_or("").to_ascii_lowercase();
    let base = match lower.as_str() {
        "0x" => 16,
        "0o" => 8,
        "0b" => 2,
        _ => 10,
    };
    let digits = if base == 10 { digits } else { digits.get(2..)? };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(base)) {
        return None;
    }
    if base == 10 && digits.len() > 1 && digits.starts_with('0') {
        return None;
    }
    let number = i64::from_str_radix(digits, base).ok()?;
    if negative { number.checked_neg() } else { Some(number) }
}

/// `3`, `end`, `end-1`, `1+2`: a place in something of a length. It may lie before the start or behind the end.
#[must_use]
pub fn place(text: &str, length: usize) -> Option<i64> {
    let last = i64::try_from(length).ok()? - 1;
    let text = text.trim();
    let (start, rest) = match text.strip_prefix("end") {
        Some(rest) => (last, rest),
        None => {
            let digits = text.get(1..)?.find(['+', '-']).map_or(text.len(), |at| at + 1);
            (integer(text.get(..digits)?)?, text.get(digits..)?)
        }
    };
    if rest.is_empty() {
        return Some(start);
    }
    let number = integer(rest.get(1..)?)?;
    match rest.get(..1)? {
        "+" => start.checked_add(number),
        "-" => start.checked_sub(number),
        _ => None,
    }
}

/// What a command gives for known words; none if it is not computed.
#[must_use]
pub fn pure(command: &str, words: &[String]) -> Option<String> {
    let word = |at: usize| words.get(at).map(String::as_str);
    let truth = |value: bool| Some(if value { "1" } else { "0" }.to_owned());
    Some(match command {
        "string length" => word(0)?.chars().count().to_string(),
        "string reverse" => word(0)?.chars().rev().collect(),
        "string tolower" if words.len() == 1 => word(0)?.to_lowercase(),
        "string toupper" if words.len() == 1 => word(0)?.to_uppercase(),
        "string totitle" if words.len() == 1 => {
            let mut chars = word(0)?.chars();
            let first: String =
                chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
            first + &chars.as_str().to_lowercase()
        }
        "string trim" | "string trimleft" | "string trimright" => {
            let set: Vec<char> = word(1).unwrap_or(" \t\n\r\x0b\x0c\0").chars().collect();
            let text = word(0)?;
            let text =
                if command == "string trimright" { text } else { text.trim_start_matches(&*set) };
            if command == "string trimleft" { text } else { text.trim_end_matches(&*set) }
                .to_owned()
        }
        "string index" => {
            let chars: Vec<char> = word(0)?.chars().collect();
            let at = place(word(1)?, chars.len())?;
            usize::try_from(at)
                .ok()
                .and_then(|at| chars.get(at))
                .map(char::to_string)
                .unwrap_or_default()
        }
        "string range" => {
            let chars: Vec<char> = word(0)?.chars().collect();
            let (from, to) = (place(word(1)?, chars.len())?, place(word(2)?, chars.len())?);
            slice(&chars, from, to).iter().collect()
        }
        "string replace" => {
            let chars: Vec<char> = word(0)?.chars().collect();
            let (from, to) = (place(word(1)?, chars.len())?, place(word(2)?, chars.len())?);
            if from > to || usize::try_from(from.max(0)).ok()? >= chars.len() || to < 0 {
                return Some(word(0)?.to_owned());
            }
            let from = usize::try_from(from.max(0)).ok()?;
            let to = usize::try_from(to).ok()?.saturating_add(1).min(chars.len());
            let mut text: String = chars.get(..from)?.iter().collect();
            text.push_str(word(3).unwrap_or(""));
            text.extend(chars.get(to..)?);
            text
        }
        "string insert" => {
            let chars: Vec<char> = word(0)?.chars().collect();
            // `end` is behind the last character.
            let at = place(word(1)?, chars.len() + 1)?.max(0);
            let at = usize::try_from(at).ok()?.min(chars.len());
            let mut text: String = chars.get(..at)?.iter().collect();
            text.push_str(word(2)?);
            text.extend(chars.get(at..)?);
            text
        }
        "string repeat" => {
            let count = usize::try_from(integer(word(1)?)?.max(0)).ok()?;
            if count.saturating_mul(word(0)?.len()) > LIMIT {
                return None;
            }
            word(0)?.repeat(count)
        }
        "string map" => {
            let folds = words.len() == 3;
            if folds {
                return None;
            }
            mapped(&lists::split(word(0)?)?, word(1)?)
        }
        "string first" | "string last" if words.len() == 2 => {
            let (needle, text) = (word(0)?, word(1)?);
            let found =
                if command == "string first" { text.find(needle) } else { text.rfind(needle) };
            match found.filter(|_| !needle.is_empty()) {
                Some(at) => text.get(..at)?.chars().count().to_string(),
                None => "-1".to_owned(),
            }
        }
        "string equal" if words.len() == 2 => return truth(word(0)? == word(1)?),
        "string compare" if words.len() == 2 => match word(0)?.cmp(word(1)?) {
            std::cmp::Ordering::Less => "-1",
            std::cmp::Ordering::Equal => "0",
            std::cmp::Ordering::Greater => "1",
        }
        .to_owned(),
        "string match" if words.len() == 2 => return truth(matches(word(0)?, word(1)?)?),
        "string match" if word(0)? == "-nocase" => {
            return truth(matches(&word(1)?.to_lowercase(), &word(2)?.to_lowercase())?);
        }
        "binary decode" => decoded(word(0)?, words.last()?)?,
        "base64::decode" | "base64" => decoded("base64", words.last()?)?,
        "zlib inflate" | "zlib decompress" | "zlib gunzip" => decoded("zlib", word(0)?)?,
        "binary format" => packed(word(0)?, words.get(1..)?)?,
        "encoding convertfrom" => match words {
            [text] => converted("utf-8", text)?,
            [coding, text] => converted(coding, text)?,
            _ => return None,
        },
        "encoding convertto" => match words {
            [text] => text.clone(),
            [coding, text] if matches!(coding.as_str(), "utf-8" | "ascii" | "iso8859-1") => {
                text.clone()
            }
            _ => return None,
        },
        "split" => {
            let text = word(0)?;
            let at: Vec<char> = word(1).unwrap_or(" \n\t\r").chars().collect();
            let parts: Vec<String> = if at.is_empty() {
                text.chars().map(|c| c.to_string()).collect()
            } else if text.is_empty() {
                Vec::new()
            } else {
                text.split(&*at).map(str::to_owned).collect()
            };
            lists::joined(parts.iter().map(String::as_str))
        }
        "regsub" => replaced(words)?,
        "scan" => match (word(0)?, word(1)?) {
            (text, "%c") => u32::from(text.chars().next()?).to_string(),
            (text, "%d") if words.len() == 2 => text.trim().parse::<i64>().ok()?.to_string(),
            (text, "%x") if words.len() == 2 => {
                i64::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok()?.to_string()
            }
            _ => return None,
        },
        _ => return None,
    })
}

/// The items from one place to another; both may lie outside.
pub fn slice<T>(items: &[T], from: i64, to: i64) -> &[T] {
    let from = usize::try_from(from.max(0)).unwrap_or(usize::MAX);
    let Ok(to) = usize::try_from(to.saturating_add(1).max(0)) else { return &[] };
    let to = to.min(items.len());
    items.get(from..to).unwrap_or(&[])
}

/// `string map`: at each place the first key that stands there.
fn mapped(pairs: &[String], text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    'next: while let Some(c) = rest.chars().next() {
        for pair in pairs.chunks(2) {
            if let [key, value] = pair
                && !key.is_empty()
                && let Some(behind) = rest.strip_prefix(key.as_str())
            {
                out.push_str(value);
                rest = behind;
                continue 'next;
            }
        }
        if out.len() > LIMIT {
            return out;
        }
        out.push(c);
        rest = rest.get(c.len_utf8()..).unwrap_or("");
    }
    out
}

/// `regsub` with a pattern without special characters, and without a variable for the result.
fn replaced(words: &[String]) -> Option<String> {
    let options = words.iter().take_while(|word| word.starts_with('-')).count();
    let all = words.iter().take(options).any(|word| word == "-all");
    if words.iter().take(options).any(|word| !matches!(word.as_str(), "-all" | "--")) {
        return None;
    }
    let [pattern, text, by] = words.get(options..)? else { return None };
    let special = |c: char| "\\^$.|?*+()[]{}".contains(c);
    if pattern.is_empty() || pattern.contains(special) || by.contains(['&', '\\']) {
        return None;
    }
    Some(if all { text.replace(pattern, by) } else { text.replacen(pattern, by, 1) })
}
