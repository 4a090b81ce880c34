//! Lines that hold the hash of the line before and of themselves.
//!
//! A line is an entry as JSON whose last field is `hash`: the SHA-256 of the line without that field.
//! Its field `prev` is the SHA-256 of the whole line before, without the line end.

use crate::entry::AuditEntry;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

/// The previous hash of the first line of a log.
pub(crate) const NOTHING: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Between the entry and its own hash.
const FIELD: &[u8] = b",\"hash\":\"";
const END: &[u8] = b"\"}";
const DIGITS: usize = 64;

/// SHA-256 in hexadecimal digits.
pub(crate) fn hash(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// An entry as a line, without the line end.
pub(crate) fn line(entry: &AuditEntry) -> Result<String, serde_json::Error> {
    let json = serde_json::to_string(entry)?;
    let own = hash(json.as_bytes());
    let open = json.strip_suffix('}').unwrap_or(&json);
    Ok(format!("{open},\"hash\":\"{own}\"}}"))
}

/// Whether a line matches its own hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seal {
    /// Its own hash is right.
    Whole,
    /// It is wrong: the line was changed, or was not written by aegish.
    Broken,
}

/// Compares a line with its own hash.
pub(crate) fn seal(line: &[u8]) -> Seal {
    let tail = FIELD.len() + DIGITS + END.len();
    let Some(cut) = line.len().checked_sub(tail) else { return Seal::Broken };
    let (json, rest) = line.split_at(cut);
    let own = rest.strip_prefix(FIELD).and_then(|rest| rest.strip_suffix(END));
    let sealed = [json, b"}"].concat();
    if own == Some(hash(&sealed).as_bytes()) { Seal::Whole } else { Seal::Broken }
}
