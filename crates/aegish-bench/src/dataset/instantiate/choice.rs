//! Choices that depend only on a random seed and a text.
//!
//! The same random seed and command always give the same choices, on every machine and in any order, so that
//! a command keeps its names when others are added to its set.

use sha2::{Digest, Sha256};

/// A sequence of choices.
pub(super) struct SeededChoice {
    hash: Sha256,
    count: u64,
}

impl SeededChoice {
    /// The choices for one use (`what`) in one command.
    pub(super) fn new(seed: u64, command: &str, what: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(seed.to_le_bytes());
        for part in [command, what] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self { hash, count: 0 }
    }

    /// A number below `bound`, which must not be 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        let digest = self.hash.clone().chain_update(self.count.to_le_bytes()).finalize();
        self.count += 1;
        let number = digest.iter().take(8).fold(0, |number, byte| number << 8 | u64::from(*byte));
        number % bound.max(1)
    }

    /// A number from `low` to `high`.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    /// One of a list that is not empty.
    pub(super) fn one<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let index = self.below(list.len() as u64);
        usize::try_from(index).ok().and_then(|index| list.get(index).copied()).unwrap_or_default()
    }
}
