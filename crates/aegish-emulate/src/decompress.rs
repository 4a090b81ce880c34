//! Decompression: `gzip -d`, `xz -d`, `bzip2 -d` and their short names.
//!
//! Compression is not emulated: a shell cannot use its output. The size is checked before output is produced,
//! so that a small input cannot produce unbounded output.

use super::options::parse;
use super::{MAX_OUTPUT, ProgramCall, bzip2};

pub(super) fn decompress(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(
        call.args,
        "dckfqvn",
        &[
            ("decompress", 'd'),
            ("uncompress", 'd'),
            ("stdout", 'c'),
            ("to-stdout", 'c'),
            ("keep", 'k'),
            ("force", 'f'),
            ("quiet", 'q'),
            ("verbose", 'v'),
        ],
    )?;
    let decompress = parsed.has('d') || !matches!(call.name, "gzip" | "xz" | "bzip2");
    let to_stdout = parsed.has('c') || call.name.ends_with("cat");
    if !decompress {
        return None;
    }
    // Without `-c`, named files are replaced and nothing is printed.
    if !to_stdout && parsed.operands.iter().any(|name| *name != "-") {
        return None;
    }
    let input = call.input(&parsed.operands)?;
    match call.name {
        "gzip" | "gunzip" | "zcat" => gunzip(&input),
        "xz" | "unxz" | "xzcat" => unxz(&input),
        _ => bzip2::decompress(&input, MAX_OUTPUT),
    }
}

/// Unpacks all members of a gzip file. Data after the last one is ignored, as gzip does with a warning.
fn gunzip(input: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut rest = input;
    loop {
        let body = match gzip_body(rest) {
            Some(body) => body,
            None if out.is_empty() => return None,
            None => return Some(out),
        };
        let (content, used) = inflate(body, MAX_OUTPUT.checked_sub(out.len())?)?;
        out.extend(content);
        // A checksum and a length follow each member.
        rest = body.get(used + 8..).unwrap_or(b"");
        if rest.is_empty() {
            return Some(out);
        }
    }
}

fn gzip_body(input: &[u8]) -> Option<&[u8]> {
    let [0x1f, 0x8b, 8, flags, _, _, _, _, _, _, ..] = input else {
        return None;
    };
    let mut at = 10;
    if flags & 4 != 0 {
        let length = u16::from_le_bytes([*input.get(at)?, *input.get(at + 1)?]);
        at += 2 + usize::from(length);
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            at += input.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    input.get(at..)
}

/// The decoded data and the length of its input. A truncated stream gives the data before the cut.
fn inflate(body: &[u8], limit: usize) -> Option<(Vec<u8>, usize)> {
    use miniz_oxide::inflate::TINFLStatus;
    use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};
    let mut decoder = Box::<DecompressorOxide>::default();
    let mut out = vec![0; limit + 1];
    let flags = inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    let (status, used, written) = decompress(&mut decoder, body, &mut out, 0, flags);
    if written > limit {
        return None;
    }
    out.truncate(written);
    match status {
        TINFLStatus::Done => Some((out, used)),
        TINFLStatus::FailedCannotMakeProgress | TINFLStatus::NeedsMoreInput => {
            Some((out, body.len()))
        }
        _ => None,
    }
}

fn unxz(input: &[u8]) -> Option<Vec<u8>> {
    if xz_size(input)? > MAX_OUTPUT {
        return None;
    }
    let mut out = Vec::new();
    lzma_rs::xz_decompress(&mut std::io::Cursor::new(input), &mut out).ok()?;
    Some(out)
}

/// The unpacked size that a stream announces in its chunks. The decoder collects its output without a bound,
/// so the size is checked first.
fn xz_size(input: &[u8]) -> Option<usize> {
    let [0xfd, b'7', b'z', b'X', b'Z', 0, 0, check, ..] = input else {
        return None;
    };
    let check_size = match check {
        0 => 0,
        1 => 4,
        4 => 8,
        10 => 32,
        _ => return None,
    };
    let mut at = 12;
    let mut total = 0usize;
    loop {
        let header = usize::from(*input.get(at)?);
        if header == 0 {
            return Some(total);
        }
        let flags = *input.get(at + 1)?;
        // Accepts one filter, LZMA2, and no sizes in the header: they would have to be trusted.
        if flags & 0x3f != 0 {
            return None;
        }
        at += (header + 1) * 4;
        let begin = at;
        loop {
            let control = *input.get(at)?;
            let pair = |at: usize| -> Option<usize> {
                Some(usize::from(*input.get(at)?) << 8 | usize::from(*input.get(at + 1)?))
            };
            match control {
                0 => {
                    at += 1;
                    break;
                }
                1 | 2 => {
                    let size = pair(at + 1)? + 1;
                    total += size;
                    at += 3 + size;
                }
                0x80.. => {
                    total += (usize::from(control & 0x1f) << 16) + pair(at + 1)? + 1;
                    let properties = usize::from(control >= 0xc0);
                    at += 5 + properties + pair(at + 3)? + 1;
                }
                _ => return None,
            }
            if total > MAX_OUTPUT {
                return Some(total);
            }
        }
        at += (4 - (at - begin) % 4) % 4 + check_size;
    }
}
