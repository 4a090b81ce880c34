//! `base64`, `base32`, `basenc` and the base64 part of `openssl`.
//!
//! Decoding keeps the bytes that GNU prints before it reports bad input, because a pipeline passes them on.

use super::ProgramCall;
use super::options::parse;
use data_encoding::{BASE32, BASE32HEX, BASE64, BASE64URL, Encoding, HEXUPPER, Specification};

/// Decodes as GNU `base64 -d` does: newlines are skipped, several padded texts may follow each other,
/// and decoding ends at the first error. `data-encoding` rejects such input as a whole, so the input
/// is cut into runs of symbols here.
fn decode(encoding: &Encoding, input: &[u8], garbage: Garbage) -> Vec<u8> {
    let specification = encoding.specification();
    let is_symbol = |byte: &u8| specification.symbols.as_bytes().contains(byte);
    let padding = |byte: &u8| *byte == b'=' && specification.padding.is_some();
    let text: Vec<u8> = input
        .iter()
        // Hexadecimal digits may be lower case.
        .map(|byte| if encoding.bit_width() == 4 { byte.to_ascii_uppercase() } else { *byte })
        .filter(|byte| {
            *byte != b'\n' && (garbage == Garbage::Ends || is_symbol(byte) || padding(byte))
        })
        .collect();
    let block = encoding.encode_len(1);
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_slice();
    loop {
        let count = rest.iter().position(|byte| !is_symbol(byte)).unwrap_or(rest.len());
        let Some((symbols, after)) = rest.split_at_checked(count) else {
            return out;
        };
        out.extend(decode_symbols(encoding, symbols, block));
        // Padding is valid if it completes the block and no symbol before it is superfluous.
        let bits = symbols.len() % block * encoding.bit_width();
        let missing = block - symbols.len() % block;
        match after.split_at_checked(missing) {
            Some((filler, next))
                if bits >= 8 && bits % 8 < encoding.bit_width() && filler.iter().all(padding) =>
            {
                rest = next;
            }
            _ => return out,
        }
    }
}

/// The whole bytes that a run of symbols encodes. Bits beyond them are dropped.
fn decode_symbols(encoding: &Encoding, symbols: &[u8], block: usize) -> Vec<u8> {
    let zero = encoding.specification().symbols.bytes().next().unwrap_or(b'0');
    let mut whole = symbols.to_vec();
    whole.resize(symbols.len().next_multiple_of(block), zero);
    let mut out = encoding.decode(&whole).unwrap_or_default();
    out.truncate(symbols.len() * encoding.bit_width() / 8);
    out
}

/// How decoding goes on at a byte outside of the alphabet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Garbage {
    Ends,
    Ignored,
}

/// `basenc --base2msbf`: eight digits per byte, the most significant first.
fn base2() -> Option<Encoding> {
    let mut specification = Specification::new();
    specification.symbols.push_str("01");
    specification.encoding().ok()
}

fn wrapped(text: &[u8], width: usize) -> Vec<u8> {
    if width == 0 || text.is_empty() {
        return text.to_vec();
    }
    let mut out = Vec::with_capacity(text.len() + text.len() / width + 1);
    for line in text.chunks(width) {
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out
}

pub(super) fn basenc(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    // `D` is the decode flag of BSD. The digits are internal letters for the long options of `basenc`.
    let parsed = parse(
        call.args,
        "dDiw:645312",
        &[
            ("decode", 'd'),
            ("ignore-garbage", 'i'),
            ("wrap", 'w'),
            ("base64", '6'),
            ("base64url", '4'),
            ("base32", '3'),
            ("base32hex", '5'),
            ("base16", '1'),
            ("base2msbf", '2'),
        ],
    )?;
    let base = match call.name {
        "base64" => BASE64,
        "base32" => BASE32,
        _ => parsed.given.iter().rev().find_map(|(letter, _)| match letter {
            '6' => Some(BASE64),
            '4' => Some(BASE64URL),
            '3' => Some(BASE32),
            '5' => Some(BASE32HEX),
            '1' => Some(HEXUPPER),
            '2' => base2(),
            _ => None,
        })?,
    };
    if parsed.operands.len() > 1 {
        return None;
    }
    let input = call.input(&parsed.operands)?;
    if parsed.has('d') || parsed.has('D') {
        let garbage = if parsed.has('i') { Garbage::Ignored } else { Garbage::Ends };
        return Some(decode(&base, &input, garbage));
    }
    let width: usize = parsed.value('w').unwrap_or("76").parse().ok()?;
    Some(wrapped(base.encode(&input).as_bytes(), width))
}

/// `openssl base64 …`, and `openssl enc -base64 …` without a cipher.
pub(super) fn openssl(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let (command, rest) = call.args.split_first()?;
    let mut base64 = match *command {
        "base64" => true,
        "enc" => false,
        _ => return None,
    };
    let mut decoding = false;
    let mut one_line = false;
    let mut file = None;
    let mut args = rest.iter();
    while let Some(arg) = args.next() {
        match arg.trim_start_matches('-') {
            _ if !arg.starts_with('-') => return None,
            "d" => decoding = true,
            "e" => decoding = false,
            "a" | "base64" => base64 = true,
            "A" => one_line = true,
            "in" => file = Some(*args.next()?),
            _ => return None,
        }
    }
    if !base64 {
        return None;
    }
    let input = match file {
        Some(name) => call.file(name)?,
        None => call.stdin?.to_vec(),
    };
    if decoding {
        let solid: Vec<u8> = input.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
        return Some(decode(&BASE64, &solid, Garbage::Ends));
    }
    Some(wrapped(BASE64.encode(&input).as_bytes(), if one_line { 0 } else { 64 }))
}
