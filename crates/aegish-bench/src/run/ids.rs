//! Ids of runs and tasks: random ones, and ones derived from content.

use std::hash::{BuildHasher, RandomState};
use std::time::SystemTime;

use aegish_judge::sha256_hex;

/// Inspect's alphabet: no characters that look alike.
const LETTERS: &[u8] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const LENGTH: usize = 22;

/// A random id.
pub(crate) fn fresh() -> String {
    let mut bytes = [0; 16];
    if getrandom::fill(&mut bytes).is_err() {
        // Without the system's random numbers: the standard library's hash keys and the time.
        let one = RandomState::new().hash_one(SystemTime::now());
        let two = RandomState::new().hash_one(std::process::id());
        bytes = (u128::from(one) << 64 | u128::from(two)).to_le_bytes();
    }
    letters(u128::from_le_bytes(bytes))
}

/// The id of a list of parts: equal parts give equal ids.
pub(crate) fn of(parts: &[&str]) -> String {
    // Lengths keep the parts apart.
    let joined: String = parts.iter().map(|part| format!("{}:{part}", part.len())).collect();
    let hash = sha256_hex(joined.as_bytes());
    letters(u128::from_str_radix(hash.get(..32).unwrap_or_default(), 16).unwrap_or(0))
}

fn letters(mut number: u128) -> String {
    let base = LETTERS.len() as u128;
    let letter = |_| {
        let index = usize::try_from(number % base).unwrap_or(0);
        number /= base;
        char::from(*LETTERS.get(index).unwrap_or(&b'2'))
    };
    (0..LENGTH).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_ids_differ_and_derived_ids_agree() {
        assert_ne!(fresh(), fresh());
        assert_eq!(fresh().len(), LENGTH);
        assert_eq!(of(&["a", "b"]), of(&["a", "b"]));
        assert_ne!(of(&["a", "b"]), of(&["ab", ""]));
        assert!(of(&["x"]).bytes().all(|byte| byte.is_ascii_alphanumeric()));
    }
}
