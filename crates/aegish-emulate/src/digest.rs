//! `md5sum`, `sha1sum`, `sha256sum`: obfuscators cut letters out of checksums.
//!
//! The three sums are small enough to be written down here; nothing depends on their secrecy.

use super::Job;
use super::options::parse;

pub(super) fn sum(job: &Job<'_>) -> Option<Vec<u8>> {
    let parsed = parse(job.args, "bt", &[("binary", 'b'), ("text", 't')])?;
    let mark = if parsed.has('b') { '*' } else { ' ' };
    let names = if parsed.operands.is_empty() { vec!["-"] } else { parsed.operands };
    let mut out = String::new();
    for name in names {
        let content = job.file(name)?;
        if name.contains(['\\', '\n']) {
            return None;
        }
        let digest = match job.name {
            "md5sum" => md5(&content),
            "sha1sum" => sha1(&content),
            _ => sha256(&content),
        };
        for byte in digest {
            out.push_str(&format!("{byte:02x}"));
        }
        out.push_str(&format!(" {mark}{name}\n"));
    }
    Some(out.into_bytes())
}

/// The message padded to whole blocks, its length in bits at the end.
fn padded(message: &[u8], little: bool) -> Vec<u8> {
    let mut all = message.to_vec();
    all.push(0x80);
    while all.len() % 64 != 56 {
        all.push(0);
    }
    let bits = (message.len() as u64).wrapping_mul(8);
    all.extend(if little { bits.to_le_bytes() } else { bits.to_be_bytes() });
    all
}

fn words(block: &[u8], little: bool) -> Vec<u32> {
    block
        .chunks_exact(4)
        .map(|four| {
            let four = [four[0], four[1], four[2], four[3]];
            if little { u32::from_le_bytes(four) } else { u32::from_be_bytes(four) }
        })
        .collect()
}

fn md5(message: &[u8]) -> Vec<u8> {
    const SHIFTS: [[u32; 4]; 4] =
        [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];
    // The constants are the fractions of sines, which `f64` holds exactly enough.
    let constants: Vec<u32> =
        (1..=64).map(|i| (f64::from(i).sin().abs() * 4_294_967_296.0) as u32).collect();
    let mut state = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    for block in padded(message, true).chunks_exact(64) {
        let m = words(block, true);
        let [mut a, mut b, mut c, mut d] = state;
        for (i, constant) in constants.iter().enumerate() {
            let (f, g) = match i / 16 {
                0 => ((b & c) | (!b & d), i),
                1 => ((d & b) | (!d & c), (5 * i + 1) % 16),
                2 => (b ^ c ^ d, (3 * i + 5) % 16),
                _ => (c ^ (b | !d), (7 * i) % 16),
            };
            let sum = a.wrapping_add(f).wrapping_add(*constant).wrapping_add(m[g]);
            (a, d, c) = (d, c, b);
            b = b.wrapping_add(sum.rotate_left(SHIFTS[i / 16][i % 4]));
        }
        for (slot, value) in state.iter_mut().zip([a, b, c, d]) {
            *slot = slot.wrapping_add(value);
        }
    }
    state.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn sha1(message: &[u8]) -> Vec<u8> {
    let mut state = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    for block in padded(message, false).chunks_exact(64) {
        let mut w = words(block, false);
        for i in 16..80 {
            w.push((w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16]).rotate_left(1));
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (i, word) in w.iter().enumerate() {
            let (f, k) = match i / 20 {
                0 => ((b & c) | (!b & d), 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => ((b & c) | (b & d) | (c & d), 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6u32),
            };
            let sum = a
                .rotate_left(5)
                .wrapping_add(f)
                .wrapping_add(e)
                .wrapping_add(k)
                .wrapping_add(*word);
            (e, d, c, b, a) = (d, c, b.rotate_left(30), a, sum);
        }
        for (slot, value) in state.iter_mut().zip([a, b, c, d, e]) {
            *slot = slot.wrapping_add(value);
        }
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// The first 32 bits of the fraction of a root, by integer arithmetic.
fn root_fraction(prime: u128, cubic: bool) -> u32 {
    let power = |x: u128| if cubic { x * x * x } else { x * x };
    let target = if cubic { prime << 96 } else { prime << 64 };
    let (mut low, mut high) = (0u128, 1u128 << 40);
    while high - low > 1 {
        let middle = u128::midpoint(low, high);
        if power(middle) <= target {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low & 0xffff_ffff) as u32
}

fn sha256(message: &[u8]) -> Vec<u8> {
    let primes: Vec<u128> =
        (2u128..312).filter(|n| (2..*n).take_while(|d| d * d <= *n).all(|d| n % d != 0)).collect();
    let constants: Vec<u32> = primes.iter().take(64).map(|p| root_fraction(*p, true)).collect();
    let mut state = [0u32; 8];
    for (slot, prime) in state.iter_mut().zip(&primes) {
        *slot = root_fraction(*prime, false);
    }
    for block in padded(message, false).chunks_exact(64) {
        let mut w = words(block, false);
        for i in 16..64 {
            let (x, y) = (w[i - 15], w[i - 2]);
            let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3);
            let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ (y >> 10);
            w.push(w[i - 16].wrapping_add(s0).wrapping_add(w[i - 7]).wrapping_add(s1));
        }
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = state;
        for (word, constant) in w.iter().zip(&constants) {
            let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
            let choice = (e & f) ^ (!e & g);
            let t1 =
                h.wrapping_add(s1).wrapping_add(choice).wrapping_add(*constant).wrapping_add(*word);
            let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
            let t2 = s0.wrapping_add((a & b) ^ (a & c) ^ (b & c));
            (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t1), c, b, a, t1.wrapping_add(t2));
        }
        for (slot, value) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
            *slot = slot.wrapping_add(value);
        }
    }
    state.iter().flat_map(|word| word.to_be_bytes()).collect()
}
