//! Finds the last of several items with the same name, in two passes and little memory.
//!
//! The first pass sets a bit per name in a table of at most 2 MiB. Only names whose bit was already set, by
//! themselves or by chance, are stored with the index of their last occurrence.

use std::collections::HashMap;
use std::io;

use super::zip::Member;

const FEWEST_BITS: u64 = 1 << 10;
const MOST_BITS: u64 = 1 << 24;
/// Bits per name: one name in sixteen hits a set bit by chance.
const BITS_PER_NAME: u64 = 16;

/// The last occurrence of each name.
#[derive(Debug)]
pub(super) struct Latest {
    bits: Vec<u64>,
    last: HashMap<u64, u64>,
}

impl Latest {
    /// For about this number of names.
    pub(super) fn new(names: u64) -> Self {
        let bits = names.saturating_mul(BITS_PER_NAME).clamp(FEWEST_BITS, MOST_BITS);
        Self { bits: vec![0; bits.next_power_of_two() as usize / 64], last: HashMap::new() }
    }

    /// First pass over members: records the samples.
    pub(super) fn of(
        names: u64,
        members: impl Iterator<Item = io::Result<Member>>,
    ) -> io::Result<Self> {
        let mut latest = Self::new(names);
        for (index, member) in members.enumerate() {
            latest.note(&member?.name, index as u64);
        }
        Ok(latest)
    }

    /// First pass: records a name and its index. Indices must be ascending.
    pub(super) fn note(&mut self, name: &str, index: u64) {
        let hash = hash(name);
        let bit = hash % (self.bits.len() as u64 * 64);
        let (word, mask) = ((bit / 64) as usize, 1 << (bit % 64));
        if self.bits[word] & mask != 0 {
            self.last.insert(hash, index);
        }
        self.bits[word] |= mask;
    }

    /// Second pass: whether this is the last occurrence of the name.
    pub(super) fn is_last(&self, name: &str, index: u64) -> bool {
        self.last.get(&hash(name)).is_none_or(|last| *last == index)
    }
}

/// FNV-1a. Its bits are mixed again, because the low ones select the bit in the table.
fn hash(name: &str) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in name.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::Latest;

    #[test]
    fn only_the_last_of_equal_names_counts_even_in_a_full_table() {
        let names: Vec<String> =
            (0..5000).map(|number| format!("sample {}", number % 3000)).collect();
        for expected in [1, 5000] {
            let mut latest = Latest::new(expected);
            names.iter().enumerate().for_each(|(index, name)| latest.note(name, index as u64));
            for (index, name) in names.iter().enumerate() {
                assert_eq!(latest.is_last(name, index as u64), index >= 2000, "{name} {index}");
            }
        }
    }
}
