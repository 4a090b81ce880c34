//! Decoders that code uses to hide its strings: encodings, escapes, compression. The output is bounded.

use data_encoding::{BASE32_NOPAD, BASE64_NOPAD, Encoding, HEXLOWER_PERMISSIVE};

/// Maximum size of decoded data.
pub const LIMIT: usize = 256 * 1024;

/// Decodes standard and URL-safe base64. Blanks are skipped, padding is optional.
pub fn base64(text: &str) -> Option<Vec<u8>> {
    symbols(text, &BASE64_NOPAD, |byte| match byte {
        b'-' => b'+',
        b'_' => b'/',
        byte => byte,
    })
}

/// Decodes base32 of either case. Blanks are skipped, padding is optional.
pub fn base32(text: &str) -> Option<Vec<u8>> {
    symbols(text, &BASE32_NOPAD, |byte| byte.to_ascii_uppercase())
}

/// Decodes the symbols before the padding and drops the bits beyond the last whole byte. `data-encoding`
/// rejects such bits, so zeros complete the last block and their bytes are cut off again.
fn symbols(text: &str, encoding: &Encoding, canonical: impl Fn(u8) -> u8) -> Option<Vec<u8>> {
    let mut symbols: Vec<u8> = text
        .bytes()
        .take_while(|byte| *byte != b'=')
        .filter(|byte| !byte.is_ascii_whitespace())
        .map(canonical)
        .collect();
    let bytes = symbols.len() * encoding.bit_width() / 8;
    symbols.resize(symbols.len().next_multiple_of(8), b'A');
    let mut out = encoding.decode(&symbols).ok()?;
    out.truncate(bytes);
    Some(out)
}

/// Decodes pairs of hexadecimal digits. Blanks, colons and `\x` are skipped.
pub fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: String =
        text.replace("\\x", "").chars().filter(|c| !c.is_whitespace() && *c != ':').collect();
    HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok()
}

/// Decodes `%41`; with `plus`, `+` is a blank.
pub fn percent(text: &str, plus: bool) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => {
                let pair = [bytes.next()?, bytes.next()?];
                out.push(*hex(std::str::from_utf8(&pair).ok()?)?.first()?);
            }
            b'+' if plus => out.push(b' '),
            _ => out.push(byte),
        }
    }
    Some(out)
}

/// Decodes ROT13.
pub fn rot13(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            'a'..='m' | 'A'..='M' => char::from_u32(u32::from(c) + 13).unwrap_or(c),
            'n'..='z' | 'N'..='Z' => char::from_u32(u32::from(c) - 13).unwrap_or(c),
            _ => c,
        })
        .collect()
}

/// Decodes the escape that `rest` starts with (behind its backslash); returns its length.
pub fn escape(rest: &str, out: &mut String) -> usize {
    let mut chars = rest.char_indices();
    let Some((_, first)) = chars.next() else {
        return 0;
    };
    let number = |skip: usize, max: usize, base: u32| -> (Option<char>, usize) {
        let digits: &str = rest.get(skip..).unwrap_or("");
        let len = digits.chars().take(max).take_while(|c| c.is_digit(base)).count();
        let value = u32::from_str_radix(digits.get(..len).unwrap_or(""), base).ok();
        (value.and_then(char::from_u32), skip + len)
    };
    let simple = match first {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\x07',
        'b' => '\x08',
        'f' => '\x0c',
        'v' => '\x0b',
        'e' => '\x1b',
        '\n' => return 1,
        'x' | 'u' | 'U' => {
            let (found, len) = if rest.get(1..2) == Some("{") {
                let (found, len) = number(2, 8, 16);
                (found, len + usize::from(rest.get(len..=len) == Some("}")))
            } else {
                number(
                    1,
                    match first {
                        'x' => 2,
                        'u' => 4,
                        _ => 8,
                    },
                    16,
                )
            };
            match found {
                Some(c) => out.push(c),
                None => out.push(first),
            }
            return len;
        }
        '0'..='7' => {
            let (found, len) = number(0, 3, 8);
            if let Some(c) = found {
                out.push(c);
            }
            return len;
        }
        other => other,
    };
    out.push(simple);
    first.len_utf8()
}

/// Decompresses raw DEFLATE, zlib or gzip data, as its header says. Checksums are not verified.
pub fn inflate(data: &[u8]) -> Option<Vec<u8>> {
    let body = match data {
        [0x1f, 0x8b, 8, flags, rest @ ..] => {
            let mut at = 6;
            if flags & 4 != 0 {
                let length = u16::from_le_bytes([*rest.get(at)?, *rest.get(at + 1)?]);
                at += 2 + usize::from(length);
            }
            for bit in [8, 16] {
                if flags & bit != 0 {
                    at += rest.get(at..)?.iter().position(|b| *b == 0)? + 1;
                }
            }
            rest.get(at..)?
        }
        [cmf, flg, rest @ ..]
            if cmf & 0x0f == 8 && (u32::from(*cmf) * 256 + u32::from(*flg)) % 31 == 0 =>
        {
            rest
        }
        _ => data,
    };
    miniz_oxide::inflate::decompress_to_vec_with_limit(body, LIMIT).ok()
}
