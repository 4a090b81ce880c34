//! Bytes and escapes: the pure decoders that code uses to hide its strings. No I/O, bounded output.

/// Decoded data never grows beyond this.
pub(super) const LIMIT: usize = 256 * 1024;

/// Standard and URL-safe base64; blanks are skipped, padding is optional.
pub(super) fn base64(text: &str) -> Option<Vec<u8>> {
    radix(text, 6, |byte| {
        Some(u32::from(match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        }))
    })
}

/// RFC 4648 base32.
pub(super) fn base32(text: &str) -> Option<Vec<u8>> {
    radix(text, 5, |byte| {
        Some(u32::from(match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a',
            b'2'..=b'7' => byte - b'2' + 26,
            _ => return None,
        }))
    })
}

fn radix(text: &str, bits: u32, digit: impl Fn(u8) -> Option<u32>) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() * 3 / 4);
    let mut hold = 0u32;
    let mut have = 0u32;
    for byte in text.bytes() {
        if byte.is_ascii_whitespace() {
            continue;
        }
        if byte == b'=' {
            break;
        }
        hold = (hold << bits) | digit(byte)?;
        have += bits;
        if have >= 8 {
            have -= 8;
            out.push(u8::try_from((hold >> have) & 0xff).ok()?);
        }
    }
    Some(out)
}

/// Pairs of hexadecimal digits; blanks and `\x` are skipped.
pub(super) fn hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u32> = text
        .replace("\\x", "")
        .chars()
        .filter(|c| !c.is_whitespace() && *c != ':')
        .map(|c| c.to_digit(16))
        .collect::<Option<_>>()?;
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    digits
        .chunks(2)
        .map(|pair| match pair {
            [a, b] => u8::try_from(a * 16 + b).ok(),
            _ => None,
        })
        .collect()
}

/// `%41` and `+`.
pub(super) fn percent(text: &str, plus: bool) -> Option<Vec<u8>> {
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

/// Letters turned by thirteen.
pub(super) fn rot13(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            'a'..='m' | 'A'..='M' => char::from_u32(u32::from(c) + 13).unwrap_or(c),
            'n'..='z' | 'N'..='Z' => char::from_u32(u32::from(c) - 13).unwrap_or(c),
            _ => c,
        })
        .collect()
}

/// Unescapes a text as most languages do; `few` knows the backslash and `mark`-like quotes only.
pub(super) fn escape(rest: &str, out: &mut String) -> usize {
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

/// Raw DEFLATE, zlib or gzip data, whichever the header says.
pub(super) fn inflate(data: &[u8]) -> Option<Vec<u8>> {
    let body = match data {
        [0x1f, 0x8b, 8, flags, rest @ ..] => {
            let mut at = 6;
            if flags & 4 != 0 {
                let low = usize::from(*rest.get(at)?);
                let high = usize::from(*rest.get(at + 1)?);
                at += 2 + low + high * 256;
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
    Inflate { data: body, at: 0, hold: 0, have: 0, out: Vec::new() }.run()
}

struct Inflate<'a> {
    data: &'a [u8],
    at: usize,
    hold: u32,
    have: u32,
    out: Vec<u8>,
}

const LENGTH_BASE: [u16; 29] = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131,
    163, 195, 227, 258,
];
const LENGTH_EXTRA: [u8; 29] =
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCE_BASE: [u16; 30] = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537,
    2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577,
];
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// A canonical Huffman code: how many codes of each length, and the symbols in order.
struct Codes {
    counts: [u16; 16],
    symbols: Vec<u16>,
}

impl Codes {
    fn new(lengths: &[u8]) -> Self {
        let mut counts = [0u16; 16];
        let mut symbols = Vec::with_capacity(lengths.len());
        for wanted in 1..16u8 {
            for (symbol, length) in lengths.iter().enumerate() {
                if *length == wanted {
                    symbols.push(u16::try_from(symbol).unwrap_or(0));
                    if let Some(count) = counts.get_mut(usize::from(wanted)) {
                        *count += 1;
                    }
                }
            }
        }
        Self { counts, symbols }
    }
}

impl Inflate<'_> {
    fn bits(&mut self, count: u32) -> Option<u32> {
        while self.have < count {
            self.hold |= u32::from(*self.data.get(self.at)?) << self.have;
            self.at += 1;
            self.have += 8;
        }
        let value = self.hold & ((1u32 << count) - 1);
        self.hold >>= count;
        self.have -= count;
        Some(value)
    }

    fn symbol(&mut self, codes: &Codes) -> Option<u16> {
        let (mut code, mut first, mut index) = (0i32, 0i32, 0i32);
        for count in codes.counts.iter().skip(1) {
            code |= i32::try_from(self.bits(1)?).ok()?;
            let count = i32::from(*count);
            if code - first < count {
                return codes.symbols.get(usize::try_from(index + code - first).ok()?).copied();
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }

    fn run(mut self) -> Option<Vec<u8>> {
        loop {
            let last = self.bits(1)?;
            match self.bits(2)? {
                0 => {
                    self.hold = 0;
                    self.have = 0;
                    let low = usize::from(*self.data.get(self.at)?);
                    let high = usize::from(*self.data.get(self.at + 1)?);
                    let from = self.at + 4;
                    let body = self.data.get(from..from + low + high * 256)?;
                    self.out.extend_from_slice(body);
                    self.at = from + body.len();
                }
                1 => {
                    let mut lengths = [8u8; 288];
                    lengths.iter_mut().take(256).skip(144).for_each(|l| *l = 9);
                    lengths.iter_mut().take(280).skip(256).for_each(|l| *l = 7);
                    self.block(&Codes::new(&lengths), &Codes::new(&[5; 30]))?;
                }
                2 => {
                    let (literals, distances) = self.tables()?;
                    self.block(&literals, &distances)?;
                }
                _ => return None,
            }
            if last == 1 {
                return Some(self.out);
            }
            if self.out.len() > LIMIT {
                return None;
            }
        }
    }

    fn tables(&mut self) -> Option<(Codes, Codes)> {
        let literals = usize::try_from(self.bits(5)?).ok()? + 257;
        let distances = usize::try_from(self.bits(5)?).ok()? + 1;
        let count = usize::try_from(self.bits(4)?).ok()? + 4;
        let mut lengths = [0u8; 19];
        for place in ORDER.iter().take(count) {
            *lengths.get_mut(*place)? = u8::try_from(self.bits(3)?).ok()?;
        }
        let codes = Codes::new(&lengths);
        let mut all: Vec<u8> = Vec::with_capacity(literals + distances);
        while all.len() < literals + distances {
            let (value, repeat) = match self.symbol(&codes)? {
                16 => (*all.last()?, self.bits(2)? + 3),
                17 => (0, self.bits(3)? + 3),
                18 => (0, self.bits(7)? + 11),
                plain => (u8::try_from(plain).ok()?, 1),
            };
            all.extend(std::iter::repeat_n(value, usize::try_from(repeat).ok()?));
        }
        Some((
            Codes::new(all.get(..literals)?),
            Codes::new(all.get(literals..literals + distances)?),
        ))
    }

    fn block(&mut self, literals: &Codes, distances: &Codes) -> Option<()> {
        loop {
            let symbol = usize::from(self.symbol(literals)?);
            if symbol < 256 {
                self.out.push(u8::try_from(symbol).ok()?);
            } else if symbol == 256 {
                return Some(());
            } else {
                let place = symbol - 257;
                let extra = self.bits(u32::from(*LENGTH_EXTRA.get(place)?))?;
                let length = usize::from(*LENGTH_BASE.get(place)?) + usize::try_from(extra).ok()?;
                let place = usize::from(self.symbol(distances)?);
                let extra_bits = u32::try_from(place.saturating_sub(2) / 2).ok()?;
                let extra = self.bits(extra_bits)?;
                let distance =
                    usize::from(*DISTANCE_BASE.get(place)?) + usize::try_from(extra).ok()?;
                let start = self.out.len().checked_sub(distance)?;
                for offset in 0..length {
                    let byte = *self.out.get(start + offset)?;
                    self.out.push(byte);
                }
            }
            if self.out.len() > LIMIT {
                return None;
            }
        }
    }
}
