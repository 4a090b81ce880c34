//! `base64`, `base32`, `basenc` and the base64 side of `openssl`.
//!
//! Decoding keeps what GNU prints before it complains about bad input, because a pipeline passes
//! that part on.

use super::Job;
use super::options::parse;

/// An alphabet with its bits per symbol and symbols per block.
#[derive(Clone, Copy)]
struct Base {
    alphabet: &'static [u8],
    bits: u32,
    block: usize,
    padded: bool,
}

const BASE64: Base = Base {
    alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    bits: 6,
    block: 4,
    padded: true,
};
const BASE64URL: Base = Base {
    alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    ..BASE64
};
const BASE32: Base =
    Base { alphabet: b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", bits: 5, block: 8, padded: true };
const BASE32HEX: Base = Base { alphabet: b"0123456789ABCDEFGHIJKLMNOPQRSTUV", ..BASE32 };
const BASE16: Base = Base { alphabet: b"0123456789ABCDEF", bits: 4, block: 2, padded: false };
const BASE2: Base = Base { alphabet: b"01", bits: 1, block: 8, padded: false };

impl Base {
    fn table(self) -> [Option<u8>; 256] {
        let mut table = [None; 256];
        for (value, symbol) in (0u8..).zip(self.alphabet) {
            table[usize::from(*symbol)] = Some(value);
            if self.bits == 4 {
                table[usize::from(symbol.to_ascii_lowercase())] = Some(value);
            }
        }
        table
    }

    fn decode(self, input: &[u8], ignore_garbage: bool) -> Vec<u8> {
        let table = self.table();
        let symbols: Vec<u8> = input
            .iter()
            .copied()
            .filter(|byte| match byte {
                b'\n' => false,
                b'=' if self.padded => true,
                byte => !ignore_garbage || table[usize::from(*byte)].is_some(),
            })
            .collect();
        let mut out = Vec::with_capacity(symbols.len());
        for block in symbols.chunks(self.block) {
            let mut bits = 0u64;
            let mut data = 0usize;
            for symbol in block {
                let Some(value) = table[usize::from(*symbol)] else {
                    break;
                };
                bits = bits << self.bits | u64::from(value);
                data += 1;
            }
            let total = data * self.bits as usize;
            for index in 0..total / 8 {
                out.push((bits >> (total - 8 * (index + 1)) & 0xff) as u8);
            }
            let padding_fits = data < self.block
                && block.len() == self.block
                && self.padded
                && block[data..].iter().all(|symbol| *symbol == b'=')
                && (total % 8) < self.bits as usize
                && total >= 8;
            if data < self.block && !padding_fits {
                break;
            }
        }
        out
    }

    fn encode(self, input: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(input.len() * 8 / self.bits as usize + self.block);
        let mut bits = 0u32;
        let mut held = 0;
        let mut push = |bits: u32| out.push(self.alphabet[bits as usize % self.alphabet.len()]);
        for byte in input {
            bits = (bits << 8 | u32::from(*byte)) & 0xffff;
            held += 8;
            while held >= self.bits {
                held -= self.bits;
                push(bits >> held & ((1 << self.bits) - 1));
            }
        }
        if held > 0 {
            push(bits << (self.bits - held) & ((1 << self.bits) - 1));
        }
        while self.padded && out.len() % self.block != 0 {
            out.push(b'=');
        }
        out
    }
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

pub(super) fn basenc(job: &Job<'_>) -> Option<Vec<u8>> {
    // `D` is the decode flag of BSD; the digits merely stand for the long options of `basenc`.
    let parsed = parse(
        job.args,
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
    let base = match job.name {
        "base64" => BASE64,
        "base32" => BASE32,
        _ => parsed.given.iter().rev().find_map(|(letter, _)| match letter {
            '6' => Some(BASE64),
            '4' => Some(BASE64URL),
            '3' => Some(BASE32),
            '5' => Some(BASE32HEX),
            '1' => Some(BASE16),
            '2' => Some(BASE2),
            _ => None,
        })?,
    };
    if parsed.operands.len() > 1 {
        return None;
    }
    let input = job.input(&parsed.operands)?;
    if parsed.has('d') || parsed.has('D') {
        return Some(base.decode(&input, parsed.has('i')));
    }
    let width: usize = parsed.value('w').unwrap_or("76").parse().ok()?;
    Some(wrapped(&base.encode(&input), width))
}

/// `openssl base64 …` and `openssl enc -base64 …` without a cipher.
pub(super) fn openssl(job: &Job<'_>) -> Option<Vec<u8>> {
    let (command, rest) = job.args.split_first()?;
    let mut base64 = match *command {
        "base64" => true,
        "enc" => false,
        _ => return None,
    };
    let mut decode = false;
    let mut one_line = false;
    let mut file = None;
    let mut args = rest.iter();
    while let Some(arg) = args.next() {
        match arg.trim_start_matches('-') {
            _ if !arg.starts_with('-') => return None,
            "d" => decode = true,
            "e" => decode = false,
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
        Some(name) => job.file(name)?,
        None => job.stdin.to_vec(),
    };
    if decode {
        let solid: Vec<u8> = input.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
        return Some(BASE64.decode(&solid, false));
    }
    Some(wrapped(&BASE64.encode(&input), if one_line { 0 } else { 64 }))
}
