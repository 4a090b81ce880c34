//! A decoder for bzip2 streams.
//!
//! Takes compressed bytes and a bound, gives the content; `None` if the data is damaged or larger. Checksums
//! are not verified: bzip2 prints such content and a warning, so a pipeline passes it on.

/// Bits, most significant first.
struct Bits<'a> {
    input: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn bit(&mut self) -> Option<usize> {
        let byte = *self.input.get(self.at / 8)?;
        let bit = byte >> (7 - self.at % 8) & 1;
        self.at += 1;
        Some(usize::from(bit))
    }

    fn take(&mut self, count: u32) -> Option<u64> {
        let mut value = 0;
        for _ in 0..count {
            value = value << 1 | self.bit()? as u64;
        }
        Some(value)
    }

    fn align(&mut self) {
        self.at = self.at.div_ceil(8) * 8;
    }
}

/// Canonical prefix code: symbols sorted by length, with the first code of each length.
struct PrefixCode {
    symbols: Vec<usize>,
    counts: [usize; 21],
}

impl PrefixCode {
    fn new(lengths: &[u8]) -> Self {
        let mut counts = [0; 21];
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|symbol| lengths.get(*symbol));
        for length in lengths {
            if let Some(count) = counts.get_mut(usize::from(*length)) {
                *count += 1;
            }
        }
        Self { symbols: order, counts }
    }

    fn read(&self, bits: &mut Bits<'_>) -> Option<usize> {
        let (mut code, mut first, mut index) = (0usize, 0usize, 0usize);
        for count in self.counts.iter().skip(1) {
            code = code << 1 | bits.bit()?;
            first <<= 1;
            if code.checked_sub(first)? < *count {
                return self.symbols.get(index + code - first).copied();
            }
            index += count;
            first += count;
        }
        None
    }
}

pub(super) fn decompress(input: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut bits = Bits { input, at: 0 };
    let mut out = Vec::new();
    loop {
        if bits.take(24) != Some(0x42_5a68) {
            // Streams may be joined; anything else after the first is ignored with a warning.
            return (!out.is_empty() || bits.at > 24)
                .then_some(out)
                .filter(|_| bits.at > 0 && input.starts_with(b"BZh"));
        }
        let level =
            bits.take(8)?.checked_sub(u64::from(b'0')).filter(|level| (1..=9).contains(level))?;
        let block_size = usize::try_from(level).ok()? * 100_000;
        loop {
            match bits.take(48)? {
                0x3141_5926_5359 => block(&mut bits, block_size, limit, &mut out)?,
                0x1772_4538_5090 => break,
                _ => return None,
            }
        }
        bits.take(32)?;
        bits.align();
        if bits.at / 8 >= input.len() {
            return Some(out);
        }
    }
}

fn block(bits: &mut Bits<'_>, block_size: usize, limit: usize, out: &mut Vec<u8>) -> Option<()> {
    bits.take(32)?;
    // Randomised blocks are obsolete and not supported.
    if bits.bit()? == 1 {
        return None;
    }
    let origin = usize::try_from(bits.take(24)?).ok()?;
    let mut used = Vec::new();
    let groups = bits.take(16)?;
    for group in 0..16u8 {
        if groups >> (15 - group) & 1 == 1 {
            let members = bits.take(16)?;
            used.extend((0..16u8).filter(|i| members >> (15 - i) & 1 == 1).map(|i| group * 16 + i));
        }
    }
    if used.is_empty() {
        return None;
    }
    let code_count = usize::try_from(bits.take(3)?).ok().filter(|count| (2..=6).contains(count))?;
    let selector_count = usize::try_from(bits.take(15)?).ok()?;
    let mut recent: Vec<usize> = (0..code_count).collect();
    let mut selectors = Vec::with_capacity(selector_count);
    for _ in 0..selector_count {
        let mut place = 0;
        while bits.bit()? == 1 {
            place += 1;
        }
        if place >= recent.len() {
            return None;
        }
        let chosen = recent.remove(place);
        recent.insert(0, chosen);
        selectors.push(chosen);
    }
    let symbols = used.len() + 2;
    let mut codes = Vec::new();
    for _ in 0..code_count {
        let mut length = bits.take(5)?;
        let mut lengths = Vec::with_capacity(symbols);
        for _ in 0..symbols {
            while bits.bit()? == 1 {
                length = if bits.bit()? == 0 { length + 1 } else { length.checked_sub(1)? };
            }
            lengths.push(u8::try_from(length).ok().filter(|length| (1..=20).contains(length))?);
        }
        codes.push(PrefixCode::new(&lengths));
    }
    let mut column: Vec<u8> = Vec::new();
    let mut table = used;
    let (mut run, mut weight) = (0usize, 1usize);
    'block: for selector in selectors {
        let code = codes.get(selector)?;
        for _ in 0..50 {
            let symbol = code.read(bits)?;
            if symbol < 2 {
                // Runs of the front byte are written in bijective base two.
                run += weight << symbol;
                weight = weight.checked_mul(2)?;
                if run > block_size {
                    return None;
                }
                continue;
            }
            column.extend(std::iter::repeat_n(*table.first()?, run));
            (run, weight) = (0, 1);
            if column.len() > block_size {
                return None;
            }
            if symbol == symbols - 1 {
                break 'block;
            }
            let byte = table.remove(symbol - 1);
            table.insert(0, byte);
            column.push(byte);
        }
    }
    unrotate(&column, origin, limit, out)
}

/// Inverts the Burrows–Wheeler transform, then the first run-length step.
fn unrotate(column: &[u8], origin: usize, limit: usize, out: &mut Vec<u8>) -> Option<()> {
    if column.is_empty() {
        return Some(());
    }
    let mut starts = [0usize; 257];
    for byte in column {
        *starts.get_mut(usize::from(*byte) + 1)? += 1;
    }
    let mut total = 0;
    for start in &mut starts {
        total += *start;
        *start = total;
    }
    let mut next = vec![0usize; column.len()];
    for (index, byte) in column.iter().enumerate() {
        let slot = starts.get_mut(usize::from(*byte))?;
        *next.get_mut(*slot)? = index;
        *slot += 1;
    }
    let mut at = *next.get(origin)?;
    let (mut same, mut previous) = (0, None);
    for _ in 0..column.len() {
        let byte = *column.get(at)?;
        at = *next.get(at)?;
        if same == 4 {
            out.extend(std::iter::repeat_n(previous?, usize::from(byte)));
            same = 0;
            previous = None;
        } else {
            same = if previous == Some(byte) { same + 1 } else { 1 };
            previous = Some(byte);
            out.push(byte);
        }
        if out.len() > limit {
            return None;
        }
    }
    Some(())
}
