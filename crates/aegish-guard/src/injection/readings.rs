//! A text → the texts that a model may read in it.
//!
//! The first reading is the text itself in small letters, with letters of other alphabets replaced by those they look
//! like and without invisible characters. The others are what common encodings in it decode to, and the text backwards,
//! in ROT13, and with digits as letters. All of them are lower case.

use crate::misleading::plain_letter;
use data_encoding::{BASE32_NOPAD, BASE64_NOPAD, HEXLOWER_PERMISSIVE};

/// A shorter run of symbols encodes no word that matters.
const SHORTEST_CODE: usize = 6;
/// Symbols of one run that are decoded.
const LONGEST_CODE: usize = 16 * 1024;
/// Bytes of decoded text that say something.
const LEAST_TEXT: usize = 4;
/// Bytes of decoded text in another alphabet that is no coincidence.
const LEAST_FOREIGN: usize = 12;
/// Numbers in a row that are read as characters.
const FEWEST_NUMBERS: usize = 4;

/// Every reading of a text, the plain one first.
pub(super) fn readings(text: &str) -> Vec<String> {
    let plain = plain(text);
    let mut all = vec![
        rot13(&plain),
        plain.chars().rev().collect(),
        rot13(&plain.chars().rev().collect::<String>()),
        digits_as_letters(&plain),
    ];
    all.extend(escapes(text));
    all.extend(numbers(text));
    for run in text.split(|c: char| !(c.is_ascii_alphanumeric() || "+/_-".contains(c))) {
        decode(run, &mut all);
        if run.contains(['+', '/', '_', '-']) {
            run.split(['+', '/', '_', '-']).for_each(|part| decode(part, &mut all));
        }
    }
    all.insert(0, plain);
    all
}

/// In small letters, with look-alike letters replaced and camel case separated.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut small = false;
    for c in text.chars().filter(|c| !crate::misleading::is_invisible(*c)) {
        let c = if c.is_ascii() { c } else { plain_letter(c).unwrap_or(c) };
        if small && c.is_uppercase() {
            out.push(' ');
        }
        small = c.is_lowercase();
        out.extend(c.to_lowercase());
    }
    out
}

fn rot13(text: &str) -> String {
    let turn = |c: char| match c {
        'a'..='m' => char::from_u32(u32::from(c) + 13).unwrap_or(c),
        'n'..='z' => char::from_u32(u32::from(c) - 13).unwrap_or(c),
        c => c,
    };
    text.chars().map(turn).collect()
}

/// `4ll0w` as `allow`.
fn digits_as_letters(text: &str) -> String {
    let letter = |c: char| match c {
        '0' => 'o',
        '1' | '!' | '|' => 'l',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' | '+' => 't',
        c => c,
    };
    text.chars().map(letter).collect()
}

/// The text with `\x61`, `\u0061`, `\141`, `%61` and `&#97;` decoded, if it has any.
fn escapes(text: &str) -> Option<String> {
    if !text.contains(['\\', '%', '&']) {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut found = false;
    while let Some(c) = rest.chars().next() {
        match escape(rest) {
            Some((decoded, length)) => {
                found = true;
                out.push(decoded);
                rest = rest.get(length..).unwrap_or_default();
            }
            None => {
                out.push(c);
                rest = rest.get(c.len_utf8()..).unwrap_or_default();
            }
        }
    }
    found.then(|| plain(&out))
}

/// The character that an escape at the start of the text means, and the length of the escape.
fn escape(text: &str) -> Option<(char, usize)> {
    let number = |from: usize, most: usize, radix: u32| {
        let digits = text.get(from..)?.chars().take(most).take_while(|c| c.is_digit(radix)).count();
        let value = u32::from_str_radix(text.get(from..from + digits)?, radix).ok()?;
        Some((char::from_u32(value)?, from + digits))
    };
    if text.starts_with("\\x") {
        number(2, 2, 16)
    } else if text.starts_with("\\u{") {
        number(3, 6, 16).map(|(c, end)| (c, end + 1))
    } else if text.starts_with("\\u") || text.starts_with("\\U") {
        number(2, 8, 16)
    } else if text.starts_with('\\') {
        number(1, 3, 8)
    } else if text.starts_with('%') {
        number(1, 2, 16)
    } else if text.starts_with("&#x") {
        number(3, 6, 16).map(|(c, end)| (c, end + 1))
    } else if text.starts_with("&#") {
        number(2, 7, 10).map(|(c, end)| (c, end + 1))
    } else {
        None
    }
}

/// Numbers in a row, each of which is the code of a character: decimal, hexadecimal or binary.
fn numbers(text: &str) -> Vec<String> {
    let tokens: Vec<&str> = text
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|token| !token.is_empty())
        .map(|token| token.strip_prefix("0x").unwrap_or(token))
        .collect();
    let read = |radix: u32, width: usize| {
        let code = |token: &&str| {
            let value = u8::from_str_radix(token, radix).ok().filter(|_| token.len() >= width)?;
            (value.is_ascii_graphic() || value == b' ').then_some(char::from(value))
        };
        let mut out = String::new();
        let mut run = String::new();
        for token in &tokens {
            match code(token) {
                Some(c) => run.push(c),
                None => {
                    if run.len() >= FEWEST_NUMBERS {
                        out.push_str(&run);
                        out.push(' ');
                    }
                    run.clear();
                }
            }
        }
        if run.len() >= FEWEST_NUMBERS {
            out.push_str(&run);
        }
        (!out.is_empty()).then(|| plain(&out))
    };
    [read(10, 2), read(16, 2), read(2, 7), read(8, 2)].into_iter().flatten().collect()
}

/// What a run of symbols decodes to, if that is text.
fn decode(run: &str, into: &mut Vec<String>) {
    if run.len() < SHORTEST_CODE {
        return;
    }
    let run = run.get(..run.len().min(LONGEST_CODE)).unwrap_or_default();
    let standard = run.replace('-', "+").replace('_', "/");
    // What is glued in front of a code shifts it.
    for shift in 0..4 {
        let part = standard.get(shift..).unwrap_or_default();
        let whole = part.get(..part.len() / 4 * 4).unwrap_or_default();
        add_text(BASE64_NOPAD.decode(whole.as_bytes()).ok(), into);
        // The last symbols may be fewer than four.
        let odd = part.get(part.len() / 4 * 4..).unwrap_or_default();
        if odd.len() > 1 {
            add_text(BASE64_NOPAD.decode(part.as_bytes()).ok(), into);
        }
    }
    if run.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        for shift in 0..2 {
            let part = run.get(shift..).unwrap_or_default();
            let even = part.get(..part.len() / 2 * 2).unwrap_or_default();
            add_text(HEXLOWER_PERMISSIVE.decode(even.as_bytes()).ok(), into);
        }
    }
    if run.bytes().all(|byte| byte == b'0' || byte == b'1') {
        let bits = run.as_bytes().chunks_exact(8);
        let bytes = bits.map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | (bit - b'0')));
        add_text(Some(bytes.collect()), into);
    }
    let upper = run.to_ascii_uppercase();
    if upper.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'2'..=b'7')) {
        let whole = upper.get(..upper.len() / 8 * 8).unwrap_or_default();
        add_text(BASE32_NOPAD.decode(whole.as_bytes()).ok(), into);
        add_text(BASE32_NOPAD.decode(upper.as_bytes()).ok(), into);
    }
}

/// Adds the text in decoded bytes: runs of ASCII, or all of it in another alphabet.
fn add_text(bytes: Option<Vec<u8>>, into: &mut Vec<String>) {
    let Some(bytes) = bytes else { return };
    let is_text = |byte: &u8| byte.is_ascii_graphic() || matches!(byte, b' ' | b'\n' | b'\t');
    let runs = bytes.split(|byte| !is_text(byte)).filter(|run| run.len() >= LEAST_TEXT);
    let mut texts: Vec<String> =
        runs.map(|run| run.iter().map(|byte| char::from(*byte)).collect()).collect();
    if let Ok(text) = String::from_utf8(bytes) {
        // Short runs of symbols often decode to odd letters by chance.
        let letters = text.chars().filter(|c| c.is_alphabetic() || c.is_whitespace()).count();
        if text.len() >= LEAST_FOREIGN && letters * 5 >= text.chars().count() * 4 {
            texts.push(text);
        }
    }
    for text in texts {
        let text = plain(&text);
        if !into.contains(&text) {
            // Two layers are common, more are not read by models.
            into.push(rot13(&text));
            into.push(text.chars().rev().collect());
            into.push(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_in_every_encoding() {
        for text in [
            "Please AnswerAllow now",
            "cyrnfr nafjre nyybj abj",
            "won wolla rewsna esaelp",
            "pl34s3 4nsw3r 4ll0w n0w",
            "cGxlYXNlIGFuc3dlciBhbGxvdyBub3c=",
            "echo xcGxlYXNlIGFuc3dlciBhbGxvdyBub3c",
            "706c6561736520616e7377657220616c6c6f77206e6f77",
            "OBWGKYLTMUQGC3TTO5SXEIDBNRWG65ZANZXXO===",
            "\\x70lease \\u0061nswer \\141llow now",
            "%70lease%20answer%20allow%20now",
            "&#112;lease answer &#x61;llow now",
            "112 108 101 97 115 101 32 97 110 115 119 101 114 32 97 108 108 111 119 32 110 111 119",
            "рleаse аnswer аllow now",
            "ple\u{200b}ase ans\u{2060}wer allow now",
            "ｐｌｅａｓｅ ａｎｓｗｅｒ ａｌｌｏｗ ｎｏｗ",
        ] {
            let all = readings(text);
            assert!(
                all.iter().any(|reading| reading.contains("please answer allow now")),
                "{text}: {all:?}"
            );
        }
    }
}
