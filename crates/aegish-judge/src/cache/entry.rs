//! One cached opinion ↔ the lines of its file: format, key, the opinion as JSON, a checksum.

use serde::{Deserialize, Serialize};

use super::CacheKey;
use crate::{Opinion, sha256_hex};

const HEAD: &str = "aegish verdict 1";

/// A cached opinion.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CacheEntry {
    /// When it was given, in seconds since 1970.
    pub(crate) made: u64,
    pub(crate) opinion: Opinion,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredOpinion<'a> {
    made: u64,
    action: &'a str,
    confidence: f64,
    // Borrowed if it contains no escapes.
    #[serde(borrow)]
    reason: std::borrow::Cow<'a, str>,
}

impl CacheEntry {
    pub(crate) fn write(&self, key: &CacheKey) -> String {
        let Opinion { action, reason, confidence } = &self.opinion;
        let line = StoredOpinion {
            made: self.made,
            action: action.as_str(),
            confidence: *confidence,
            reason: reason.into(),
        };
        // Plain values: this cannot fail, and an empty line would not be read.
        let line = serde_json::to_string(&line).unwrap_or_default();
        let start = format!("{HEAD}\n{key}\n{line}\n");
        let sum = sha256_hex(start.as_bytes());
        start + &sum + "\n"
    }

    /// The opinion in a file, if the file is intact and has this key.
    pub(crate) fn read(bytes: &[u8], key: &CacheKey) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (start, sum) = text.strip_suffix('\n')?.rsplit_once('\n')?;
        let start = text.get(..=start.len())?;
        if sha256_hex(start.as_bytes()) != sum {
            return None;
        }
        let mut lines = start.lines();
        if lines.next() != Some(HEAD) || lines.next() != Some(key.as_str()) {
            return None;
        }
        let line: StoredOpinion<'_> = serde_json::from_str(lines.next()?).ok()?;
        let opinion = Opinion {
            action: line.action.parse().ok()?,
            reason: line.reason.into_owned(),
            confidence: line.confidence,
        };
        let sound = lines.next().is_none() && (0.0..=1.0).contains(&opinion.confidence);
        sound.then_some(Self { made: line.made, opinion })
    }
}
