//! Splits a completion into the parts that are read one after the other.

use std::borrow::Cow;

/// Without the special tokens that some models leave at the start, such as `<|python_tag|>`.
pub(super) fn without_leading_tokens(text: &str) -> &str {
    let mut rest = text.trim();
    while let Some(inner) = rest.strip_prefix("<|") {
        let Some(end) = inner.find("|>") else { break };
        let (Some(name), Some(after)) = (inner.get(..end), inner.get(end + 2..)) else { break };
        if name.len() > 64 || name.contains(['{', '\n']) {
            break;
        }
        rest = after.trim_start();
    }
    rest
}

const OPEN: [&str; 2] = ["<think>", "<thinking>"];
const CLOSE: [&str; 2] = ["</think>", "</thinking>"];

/// The text outside of thoughts, and the text inside.
///
/// A thought without an end reaches to the end of the text. An end without a start belongs to a thought that
/// the provider's template opened.
pub(super) fn thinking(text: &str) -> (Cow<'_, str>, Cow<'_, str>) {
    let mut outside = String::new();
    let mut inside = String::new();
    let mut depth = 0_usize;
    let mut seen = false;
    let mut from = 0;
    for (at, _) in text.match_indices('<') {
        let Some(tail) = text.get(at..) else { continue };
        let (length, opens) = match (tag(tail, &OPEN), tag(tail, &CLOSE)) {
            (Some(length), _) => (length, true),
            (None, Some(length)) => (length, false),
            (None, None) => continue,
        };
        let before = text.get(from..at).unwrap_or_default();
        if opens {
            if depth == 0 { &mut outside } else { &mut inside }.push_str(before);
            depth += 1;
        } else if depth == 0 && !seen {
            inside.push_str(before);
        } else {
            if depth == 0 { &mut outside } else { &mut inside }.push_str(before);
            depth = depth.saturating_sub(1);
        }
        seen = true;
        from = at + length;
    }
    if !seen {
        return (Cow::Borrowed(text), Cow::Borrowed(""));
    }
    let last = text.get(from..).unwrap_or_default();
    if depth == 0 { &mut outside } else { &mut inside }.push_str(last);
    (Cow::Owned(outside), Cow::Owned(inside))
}

/// The length of the tag that `text` starts with, if it is one of `tags`.
fn tag(text: &str, tags: &[&str]) -> Option<usize> {
    let fits =
        |tag: &&&str| text.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag));
    tags.iter().find(fits).map(|tag| tag.len())
}

/// The contents of Markdown fences, and the text around them.
pub(super) fn fences(text: &str) -> (Vec<&str>, Vec<&str>) {
    let mut fenced = Vec::new();
    let mut around = Vec::new();
    let mut parts = text.split("```");
    around.extend(parts.next());
    // Odd parts are inside; a last one without an end is one too: the reply was cut.
    while let Some(part) = parts.next() {
        fenced.push(part);
        around.extend(parts.next());
    }
    (fenced, around)
}
