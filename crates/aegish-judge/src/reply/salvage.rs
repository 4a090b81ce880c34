//! Broken JSON → its action.
//!
//! Searches the key `"action"` followed by one of the three words as a string. With an invalid confidence
//! (`NaN`, `7`) it is not an opinion, as in complete JSON.

use super::Opinion;

/// More than this in one text is noise.
const MOST: usize = 64;

/// Adds the opinions in broken JSON in `text`.
pub(super) fn collect(text: &str, into: &mut Vec<Opinion>) {
    let mut rest = text;
    while into.len() < MOST {
        let Some((action, after)) = string_of(rest, "\"action\"") else { return };
        let next = after.find("\"action\"").unwrap_or(after.len());
        let own = after.get(..next).unwrap_or_default();
        if let Some(confidence) = confidence_in(own) {
            into.extend(Opinion::new(action, None, confidence));
        }
        rest = after;
    }
}

/// The string after the first `key` with one, and the rest.
fn string_of<'a>(text: &'a str, key: &str) -> Option<(&'a str, &'a str)> {
    let mut rest = text;
    loop {
        let (_, after) = rest.split_once(key)?;
        rest = after;
        let Some(value) = after.trim_start().strip_prefix(':') else { continue };
        let Some(value) = value.trim_start().strip_prefix('"') else { continue };
        // No action is longer, and the closing quote must be near.
        let end = value.bytes().take(16).position(|byte| byte == b'"');
        let Some(end) = end else { continue };
        let (Some(word), Some(after)) = (value.get(..end), value.get(end + 1..)) else { continue };
        return Some((word, after));
    }
}

/// `Some(None)` if there is no confidence, `None` if it is invalid.
fn confidence_in(text: &str) -> Option<Option<f64>> {
    let Some((_, after)) = text.split_once("\"confidence\"") else { return Some(None) };
    let Some(value) = after.trim_start().strip_prefix(':') else { return Some(None) };
    let value = value.trim_start().trim_start_matches('"');
    let end = value
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+')))
        .unwrap_or(value.len());
    let number: f64 = value.get(..end)?.parse().ok()?;
    number.is_finite().then_some(Some(number))
}
