//! Untrusted values → one line of data.
//!
//! JSON leaves `<`, bidirectional marks and line separators as they are. Here every character outside
//! printable ASCII that could be misread is escaped too. Letters of other scripts stay, so that the model can
//! read them.

use std::fmt::Write as _;

use serde_json::Value;

use crate::reply::invisible;

/// The value as JSON on one line, without tags.
pub(super) fn one_line(value: &Value) -> String {
    let json = value.to_string();
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        // None of these is part of JSON's syntax, so each is inside a string.
        let special = matches!(c, '<' | '>' | '`' | '\u{2028}' | '\u{2029}' | '\u{7f}');
        if special || c.is_control() || invisible(c) || lookalike(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// Brackets, quotes and letters of other widths that a tokenizer may fold into ASCII ones.
fn lookalike(c: char) -> bool {
    matches!(c, '\u{ff01}'..='\u{ff5e}' | '\u{3008}'..='\u{3011}' | '\u{27e8}' | '\u{27e9}')
}
