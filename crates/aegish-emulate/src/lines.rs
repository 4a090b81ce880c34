//! Programs that copy lines: `cat`, `tac`, `rev`, `head`, `tail`.

use super::options::{count, parse};
use super::{ProgramCall, split_lines};

/// `dd` without `of`: all of its input, or some blocks of it.
pub(super) fn dd(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let mut block = 512;
    let (mut skip, mut count) = (0, usize::MAX);
    let mut file = None;
    for word in call.args {
        match word.split_once('=')? {
            ("if", path) => file = Some(path),
            ("bs" | "ibs", size) => block = blocks(size)?,
            ("skip" | "iseek", number) => skip = blocks(number)?,
            ("count", number) => count = blocks(number)?,
            ("obs" | "status", _) | ("iflag", "fullblock") => {}
            _ => return None,
        }
    }
    let operands: Vec<&str> = file.into_iter().collect();
    let input = call.input(&operands)?;
    let from = skip.saturating_mul(block).min(input.len());
    let end = from.saturating_add(count.saturating_mul(block)).min(input.len());
    Some(input.get(from..end)?.to_vec())
}

/// A number of `dd` with its unit.
fn blocks(text: &str) -> Option<usize> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text.get(digits.len()..)? {
        "" | "c" => 1,
        "w" => 2,
        "b" => 512,
        "k" | "K" => 1024,
        "M" => 1024 * 1024,
        _ => return None,
    };
    digits.parse::<usize>().ok()?.checked_mul(unit)
}

pub(super) fn cat(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(
        call.args,
        "AbeEnstTuv",
        &[
            ("show-all", 'A'),
            ("number-nonblank", 'b'),
            ("show-ends", 'E'),
            ("number", 'n'),
            ("squeeze-blank", 's'),
            ("show-tabs", 'T'),
            ("show-nonprinting", 'v'),
        ],
    )?;
    let input = call.input(&parsed.operands)?;
    let has = |letters: &str| letters.chars().any(|letter| parsed.has(letter));
    let ends = has("AeE");
    let tabs = has("AtT");
    let visible = has("Aetv");
    let nonblank = has("b");
    let number = has("n") || nonblank;
    let squeeze = has("s");
    if !(ends || tabs || visible || number || squeeze) {
        return Some(input);
    }
    let mut out = Vec::with_capacity(input.len());
    let mut lines = 0usize;
    let mut blank_before = false;
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        let blank = line == b"\n";
        if squeeze && blank && blank_before {
            continue;
        }
        blank_before = blank;
        if number && !(nonblank && blank) {
            lines += 1;
            out.extend(format!("{lines:6}\t").into_bytes());
        }
        for byte in line {
            match byte {
                b'\n' => {
                    if ends {
                        out.push(b'$');
                    }
                    out.push(b'\n');
                }
                b'\t' if tabs => out.extend(b"^I"),
                b'\t' => out.push(b'\t'),
                _ if visible => show(*byte, &mut out),
                _ => out.push(*byte),
            }
        }
    }
    Some(out)
}

fn show(byte: u8, out: &mut Vec<u8>) {
    let low = if byte >= 0x80 {
        out.extend(b"M-");
        byte - 0x80
    } else {
        byte
    };
    match low {
        0..=31 => out.extend([b'^', low + 64]),
        127 => out.extend(b"^?"),
        _ => out.push(low),
    }
}

pub(super) fn tac(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(call.args, "bs:", &[("before", 'b'), ("separator", 's')])?;
    if parsed.has('b') {
        return None;
    }
    let separator = match parsed.value('s') {
        None => b'\n',
        Some(text) => match text.as_bytes() {
            [byte] => *byte,
            _ => return None,
        },
    };
    let input = call.input(&parsed.operands)?;
    let mut pieces: Vec<&[u8]> = input.split_inclusive(|byte| *byte == separator).collect();
    pieces.reverse();
    Some(pieces.concat())
}

pub(super) fn rev(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(call.args, "", &[])?;
    let input = call.input(&parsed.operands)?;
    let mut out = Vec::with_capacity(input.len());
    for line in input.split_inclusive(|byte| *byte == b'\n') {
        let (body, end): (&[u8], &[u8]) = match line.strip_suffix(b"\n") {
            Some(body) => (body, b"\n"),
            None => (line, b""),
        };
        match std::str::from_utf8(body) {
            Ok(text) => out.extend(text.chars().rev().collect::<String>().into_bytes()),
            Err(_) => out.extend(body.iter().rev()),
        }
        out.extend_from_slice(end);
    }
    Some(out)
}

/// The unit, amount and direction that `head` and `tail` cut by.
struct LineCut {
    bytes: bool,
    /// `-` (all but) for `head`, `+` (starting with) for `tail`.
    inverse: bool,
    amount: usize,
}

/// Applies `cut` to every operand, with headers where there are several.
fn each_file(
    call: &ProgramCall<'_>,
    cut: impl Fn(&[u8]) -> Vec<u8>,
    args: &[&str],
) -> Option<Vec<u8>> {
    let parsed = parse(
        args,
        "qvn:c:",
        &[("quiet", 'q'), ("silent", 'q'), ("verbose", 'v'), ("lines", 'n'), ("bytes", 'c')],
    )?;
    let headers = parsed.has('v') || (parsed.operands.len() > 1 && !parsed.has('q'));
    let names = if parsed.operands.is_empty() { vec!["-"] } else { parsed.operands };
    let mut out = Vec::new();
    for (index, name) in names.iter().enumerate() {
        if headers {
            let shown = if *name == "-" { "standard input" } else { name };
            let gap = if index == 0 { "" } else { "\n" };
            out.extend(format!("{gap}==> {shown} <==\n").into_bytes());
        }
        out.extend(cut(&call.file(name)?));
    }
    Some(out)
}

/// Reads the amount, also in the old form `-5`, `-5c`, `+5`.
fn amount(call: &ProgramCall<'_>, inverse: char) -> Option<(LineCut, Vec<String>)> {
    let mut args: Vec<String> = call.args.iter().map(|arg| (*arg).to_owned()).collect();
    if let Some(first) = args.first() {
        let old = match first.strip_prefix('-') {
            Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => Some(("", rest)),
            _ => match first.strip_prefix('+') {
                Some(rest) if inverse == '+' && rest.starts_with(|c: char| c.is_ascii_digit()) => {
                    Some(("+", rest))
                }
                _ => None,
            },
        };
        // `tail` takes the old form only beside one file.
        let alone = match call.args {
            [_] => true,
            [_, file] => !file.starts_with('-') || *file == "-",
            [_, dashes, ..] => *dashes == "--" && call.args.len() <= 3,
            [] => false,
        };
        if old.is_some() && inverse == '+' && !alone {
            return None;
        }
        if let Some((mark, rest)) = old {
            let digits = rest.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            let option = match rest.get(digits.len()..).unwrap_or_default() {
                "" | "l" => "-n",
                "c" => "-c",
                _ => return None,
            };
            let replacement = format!("{option}{mark}{digits}");
            if let Some(first) = args.first_mut() {
                *first = replacement;
            }
        }
    }
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let parsed = parse(
        &words,
        "qvn:c:",
        &[("quiet", 'q'), ("silent", 'q'), ("verbose", 'v'), ("lines", 'n'), ("bytes", 'c')],
    )?;
    let mut amounts = parsed.given.iter().filter(|(letter, _)| matches!(letter, 'n' | 'c'));
    let last = amounts.next();
    if amounts.next().is_some() {
        return None;
    }
    let cut = match last {
        None => LineCut { bytes: false, inverse: false, amount: 10 },
        Some((letter, value)) => {
            let inverted = value.strip_prefix(inverse);
            let plain = inverted.unwrap_or_else(|| value.trim_start_matches(['-', '+']));
            LineCut { bytes: *letter == 'c', inverse: inverted.is_some(), amount: count(plain)? }
        }
    };
    Some((cut, args))
}

/// The end of the first `amount` lines or bytes.
fn boundary(text: &[u8], bytes: bool, amount: usize) -> usize {
    if bytes {
        return amount.min(text.len());
    }
    text.split_inclusive(|byte| *byte == b'\n').take(amount).map(<[u8]>::len).sum()
}

fn total(text: &[u8], bytes: bool) -> usize {
    if bytes { text.len() } else { split_lines(text).count() }
}

pub(super) fn head(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let (cut, args) = amount(call, '-')?;
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    // Nothing is left of any input.
    if cut.amount == 0 && !cut.inverse && words.len() == 1 {
        return Some(Vec::new());
    }
    let take = |text: &[u8]| {
        let amount = if cut.inverse {
            total(text, cut.bytes).saturating_sub(cut.amount)
        } else {
            cut.amount
        };
        text.get(..boundary(text, cut.bytes, amount)).unwrap_or_default().to_vec()
    };
    each_file(call, take, &words)
}

pub(super) fn tail(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let (cut, args) = amount(call, '+')?;
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let take = |text: &[u8]| {
        let skip = if cut.inverse {
            cut.amount.saturating_sub(1)
        } else {
            total(text, cut.bytes).saturating_sub(cut.amount)
        };
        text.get(boundary(text, cut.bytes, skip)..).unwrap_or_default().to_vec()
    };
    each_file(call, take, &words)
}
