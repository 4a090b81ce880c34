//! Dumps and their inverse: `xxd`, `od`.

use super::options::{count, parse};
use super::{MAX_OUTPUT, ProgramCall};

pub(super) fn xxd(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let mut reverse = false;
    let mut plain = false;
    let mut upper = false;
    let mut columns = None;
    let mut group = 2usize;
    let mut limit = usize::MAX;
    let mut operands = Vec::new();
    let mut args = call.args.iter();
    // xxd has its own option syntax: one dash, whole words, values attached or not.
    while let Some(arg) = args.next() {
        let Some(option) = arg.strip_prefix('-').filter(|option| !option.is_empty()) else {
            operands.push(*arg);
            continue;
        };
        let option = option.trim_start_matches('-');
        let mut number = |attached: &str| -> Option<usize> {
            let text = if attached.is_empty() { args.next()? } else { attached };
            text.parse().ok()
        };
        match option {
            "r" | "revert" => reverse = true,
            "p" | "ps" | "postscript" | "plain" => plain = true,
            "u" | "uppercase" => upper = true,
            _ if option.starts_with('c') => {
                columns = Some(number(option.get(1..)?.trim_start_matches("ols"))?);
            }
            _ if option.starts_with('l') => {
                limit = number(option.get(1..)?.trim_start_matches("en"))?;
            }
            _ if option.starts_with('g') => {
                group = number(option.get(1..)?.trim_start_matches("roupsize"))?;
            }
            _ => return None,
        }
    }
    if operands.len() > 1 {
        return None;
    }
    let input = call.input(&operands)?;
    if reverse {
        return reversed(&input, plain, columns.unwrap_or(16));
    }
    let input = input.get(..input.len().min(limit)).unwrap_or_default();
    let columns = columns.unwrap_or(if plain { 30 } else { 16 });
    if columns == 0 || columns > 256 {
        return None;
    }
    let hex = |byte: &u8| {
        if upper { format!("{byte:02X}") } else { format!("{byte:02x}") }
    };
    let mut out = String::new();
    for (row, bytes) in input.chunks(columns).enumerate() {
        if plain {
            out.extend(bytes.iter().map(hex));
            out.push('\n');
            continue;
        }
        out.push_str(&format!("{:08x}: ", row * columns));
        for index in 0..columns {
            out.push_str(&bytes.get(index).map_or_else(|| "  ".to_owned(), &hex));
            if group > 0 && (index + 1) % group == 0 {
                out.push(' ');
            }
        }
        if group == 0 || columns % group != 0 {
            out.push(' ');
        }
        out.push(' ');
        out.extend(bytes.iter().map(
            |b| {
                if matches!(b, b' '..=b'~') { char::from(*b) } else { '.' }
            },
        ));
        out.push('\n');
        if out.len() > MAX_OUTPUT {
            return None;
        }
    }
    Some(out.into_bytes())
}

/// Hex text back to bytes. Dumps with addresses skip the text column and fill gaps with zeros.
fn reversed(input: &[u8], plain: bool, columns: usize) -> Option<Vec<u8>> {
    let nibble = |byte: u8| char::from(byte).to_digit(16);
    let mut out = Vec::new();
    if plain {
        // Blanks are skipped. Any other character ends the line, and a single digit is dropped.
        let mut held: Option<u32> = None;
        for line in input.split(|byte| *byte == b'\n') {
            let mut strange = 0;
            for byte in line.iter().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\r')) {
                match (nibble(*byte), held) {
                    (Some(low), Some(high)) => {
                        out.push((high << 4 | low) as u8);
                        held = None;
                        strange = 1;
                    }
                    (Some(high), None) => held = Some(high),
                    (None, _) => {
                        strange += if held.take().is_some() { 1 } else { 2 };
                        if strange >= 3 {
                            break;
                        }
                    }
                }
            }
        }
        return Some(out);
    }
    for line in input.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            return None;
        };
        let address = std::str::from_utf8(line.get(..colon).unwrap_or_default()).ok()?.trim();
        let address = usize::from_str_radix(address, 16).ok().filter(|at| *at <= MAX_OUTPUT)?;
        if address < out.len() {
            return None;
        }
        out.resize(address, 0);
        let mut digits: Vec<u32> = Vec::new();
        let mut blanks = 0;
        for byte in line.get(colon + 1..).unwrap_or_default() {
            if digits.len() == columns * 2 {
                break;
            }
            match nibble(*byte) {
                Some(digit) => {
                    digits.push(digit);
                    blanks = 0;
                }
                // Two blanks in a row end the hex column.
                None if *byte == b' ' && (blanks == 0 || digits.is_empty()) => blanks += 1,
                None => break,
            }
        }
        let (pairs, _) = digits.as_chunks();
        out.extend(pairs.iter().map(|[high, low]| (high << 4 | low) as u8));
    }
    Some(out)
}

/// One output format of `od`.
#[derive(Clone, Copy)]
struct DumpFormat {
    kind: char,
    size: usize,
}

impl DumpFormat {
    fn read(text: &str) -> Option<Self> {
        let mut letters = text.chars();
        let kind = letters.next()?;
        let size = match (kind, letters.as_str()) {
            ('c', "") => 1,
            ('x' | 'o' | 'u' | 'd', "" | "I" | "4") => 4,
            ('x' | 'o' | 'u' | 'd', "C" | "1") => 1,
            ('x' | 'o' | 'u' | 'd', "S" | "2") => 2,
            ('x' | 'o' | 'u' | 'd', "L" | "8") => 8,
            _ => return None,
        };
        Some(Self { kind, size })
    }

    fn width(self) -> usize {
        let [one, two, four, eight] = match self.kind {
            'x' => [2, 4, 8, 16],
            'o' => [3, 6, 11, 22],
            'u' => [3, 5, 10, 20],
            'd' => [4, 6, 11, 20],
            _ => [3; 4],
        };
        match self.size {
            1 => one,
            2 => two,
            4 => four,
            _ => eight,
        }
    }

    fn show(self, bytes: &[u8]) -> String {
        let mut value = 0u64;
        for (index, byte) in bytes.iter().enumerate() {
            value |= u64::from(*byte) << (8 * index);
        }
        let width = self.width();
        match self.kind {
            'x' => format!("{value:0width$x}"),
            'o' => format!("{value:0width$o}"),
            'u' => format!("{value:width$}"),
            'd' => {
                let shift = 64 - 8 * self.size as u32;
                let signed = ((value << shift) as i64) >> shift;
                format!("{signed:width$}")
            }
            _ => {
                let text = match bytes.first().copied().unwrap_or(0) {
                    0 => "\\0".to_owned(),
                    7 => "\\a".to_owned(),
                    8 => "\\b".to_owned(),
                    9 => "\\t".to_owned(),
                    10 => "\\n".to_owned(),
                    11 => "\\v".to_owned(),
                    12 => "\\f".to_owned(),
                    13 => "\\r".to_owned(),
                    byte @ b' '..=b'~' => char::from(byte).to_string(),
                    byte => format!("{byte:03o}"),
                };
                format!("{text:>width$}")
            }
        }
    }
}

pub(super) fn od(call: &ProgramCall<'_>) -> Option<Vec<u8>> {
    let parsed = parse(
        call.args,
        "A:t:vw::N:j:bcxod",
        &[
            ("address-radix", 'A'),
            ("format", 't'),
            ("output-duplicates", 'v'),
            ("width", 'w'),
            ("read-bytes", 'N'),
            ("skip-bytes", 'j'),
        ],
    )?;
    let mut format = None;
    for (letter, value) in &parsed.given {
        let text = match letter {
            't' => *value,
            'b' => "o1",
            'c' => "c",
            'x' => "x2",
            'o' => "o2",
            'd' => "u2",
            _ => continue,
        };
        // The layout of several formats at once is not emulated.
        if format.replace(DumpFormat::read(text)?).is_some() {
            return None;
        }
    }
    let format = format.unwrap_or(DumpFormat { kind: 'o', size: 2 });
    let width = match parsed.value('w') {
        None => 16,
        Some("") => 32,
        Some(text) => count(text)?,
    };
    if width == 0 || width % format.size != 0 || width > 4096 {
        return None;
    }
    let input = call.input(&parsed.operands)?;
    let skip = parsed.value('j').map_or(Some(0), count)?;
    let input = input.get(skip..)?;
    let input = input
        .get(..parsed.value('N').map_or(Some(usize::MAX), count)?.min(input.len()))
        .unwrap_or_default();
    let address = |at: usize| match parsed.value('A') {
        None | Some("o") => Some(format!("{at:07o}")),
        Some("d") => Some(format!("{at:07}")),
        Some("x") => Some(format!("{at:06x}")),
        Some("n") => Some(String::new()),
        Some(_) => None,
    };
    let mut out = String::new();
    let mut previous: Option<&[u8]> = None;
    let mut starred = false;
    for (row, bytes) in input.chunks(width).enumerate() {
        if !parsed.has('v') && previous == Some(bytes) {
            if !starred {
                out.push_str("*\n");
            }
            starred = true;
            continue;
        }
        starred = false;
        previous = Some(bytes);
        out.push_str(&address(skip + row * width)?);
        for unit in bytes.chunks(format.size) {
            out.push(' ');
            out.push_str(&format.show(unit));
        }
        out.push('\n');
        if out.len() > MAX_OUTPUT {
            return None;
        }
    }
    let end = address(skip + input.len())?;
    if !end.is_empty() {
        out.push_str(&end);
        out.push('\n');
    }
    Some(out.into_bytes())
}
