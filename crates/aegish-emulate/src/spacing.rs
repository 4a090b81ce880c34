//! Programs that change blanks, columns or the encoding of their input: `expand`, `colrm`, `column -t`, `iconv`.

use super::options::parse;
use super::{ProgramCall, split_lines};

/// Distance of the tab stops.
const TAB: usize = 8;

/// `expand`: tabs become blanks.
pub(super) fn expand(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(call.args, "t:i", &[("tabs", 't'), ("initial", 'i')])?;
    let tab: usize = match parsed.value('t') {
        None => TAB,
        Some(text) => text.parse().ok().filter(|tab| (1..=64).contains(tab))?,
    };
    let mut out = Vec::new();
    let (mut column, mut initial) = (0, true);
    for byte in call.input(&parsed.operands)? {
        initial &= matches!(byte, b' ' | b'\t');
        match byte {
            b'\t' if initial || !parsed.has('i') => {
                let blanks = tab - column % tab;
                out.extend(std::iter::repeat_n(b' ', blanks));
                column += blanks;
            }
            // A character of several bytes, or one that goes back.
            b'\x08' | 0x80.. => return None,
            b'\n' => {
                out.push(byte);
                (column, initial) = (0, true);
            }
            _ => {
                out.push(byte);
                column += 1;
            }
        }
    }
    Some(out)
}

/// `colrm [FIRST [LAST]]`: lines without some of their columns.
pub(super) fn colrm(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let column = |text: &&str| text.parse::<usize>().ok().filter(|column| *column > 0);
    let (first, last) = match call.args {
        [] => (usize::MAX, usize::MAX),
        [first] => (column(first)?, usize::MAX),
        [first, last] => (column(first)?, column(last)?),
        _ => return None,
    };
    let input = call.input(&[])?;
    if !input.iter().all(|byte| matches!(byte, b' '..=b'~' | b'\n')) {
        return None;
    }
    let mut out = Vec::new();
    for line in split_lines(&input) {
        let kept = (1..).zip(line).filter(|(column, _)| !(first..=last).contains(column));
        out.extend(kept.map(|(_, byte)| *byte));
        out.push(b'\n');
    }
    Some(out)
}

/// `column -t`: a table of words.
pub(super) fn column(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(call.args, "ts:", &[("table", 't'), ("separator", 's')])?;
    let input = String::from_utf8(call.input(&parsed.operands)?).ok()?;
    if !parsed.has('t') || !input.is_ascii() {
        return None;
    }
    let separators: Vec<char> = parsed.value('s').unwrap_or(" \t").chars().collect();
    let table: Vec<Vec<&str>> = input
        .lines()
        .map(|line| line.split(separators.as_slice()).filter(|word| !word.is_empty()).collect())
        .filter(|row: &Vec<&str>| !row.is_empty())
        .collect();
    let columns = table.iter().map(Vec::len).max().unwrap_or(0);
    // The last column of a shorter row is padded or not, depending on the version.
    if table.iter().any(|row| row.len() != columns) {
        return None;
    }
    let width =
        |column: usize| table.iter().filter_map(|row| row.get(column)).map(|word| word.len()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut out = String::new();
    for row in &table {
        for (at, (word, width)) in row.iter().zip(&widths).enumerate() {
            match at + 1 == columns {
                true => out.push_str(word),
                false => out.push_str(&format!("{word:width$}  ")),
            }
        }
        out.push('\n');
    }
    Some(out.into_bytes())
}

/// Encodings in which ASCII text is what it is.
const KEEP_ASCII: [&str; 10] = [
    "utf8",
    "utf-8",
    "ascii",
    "us-ascii",
    "latin1",
    "iso-8859-1",
    "iso-8859-15",
    "cp1252",
    "windows-1252",
    "ansi_x3.4-1968",
];

/// `iconv` of ASCII text between encodings that contain it, and from UTF-16.
pub(super) fn iconv(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let long = [("from-code", 'f'), ("to-code", 't')];
    let parsed = parse(call.args, "f:t:cs", &long)?;
    let code = |letter| {
        let name = parsed.value(letter).unwrap_or("utf-8").to_ascii_lowercase();
        name.split("//").next().unwrap_or_default().to_owned()
    };
    let (from, to) = (code('f'), code('t'));
    let input = call.input(&parsed.operands)?;
    if !KEEP_ASCII.contains(&to.as_str()) {
        return None;
    }
    let text = match from.as_str() {
        "utf-16le" | "utf16le" => utf16(&input, u16::from_le_bytes)?,
        "utf-16be" | "utf16be" => utf16(&input, u16::from_be_bytes)?,
        from if KEEP_ASCII.contains(&from) => input,
        _ => return None,
    };
    text.is_ascii().then_some(text)
}

fn utf16(input: &[u8], unit: impl Fn([u8; 2]) -> u16) -> Option<Vec<u8>> {
    let units: Option<Vec<u16>> =
        input.chunks(2).map(|pair| Some(unit(pair.try_into().ok()?))).collect();
    String::from_utf16(&units?).ok().map(String::into_bytes)
}
