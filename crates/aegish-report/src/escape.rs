//! Untrusted text → text for a page, a picture or a table.
//!
//! Commands, reasons and completions are untrusted. No part of them becomes markup, moves a cursor, hides
//! text or changes the direction of writing: such characters are spelled out as in Bash's `$'…'`.

use std::borrow::Cow;
use std::fmt::Write as _;

/// For the text and the attributes of XML and HTML. Line breaks and tabs stay.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if acts(c) => spell(&mut out, c),
            c => out.push(c),
        }
    }
    out
}

/// For a line of plain text: line breaks and tabs are spelled out as well.
pub(crate) fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if acts(c) => spell(&mut out, c),
            c => out.push(c),
        }
    }
    out
}

/// JSON for a `<script>`: no tag can begin or end in it, and no character acts.
///
/// Only strings of JSON hold such characters, so they can be written as escapes there.
pub(crate) fn script_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if matches!(c, '<' | '>' | '&') || acts(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// A field of a table that no spreadsheet takes for a formula: it gets an apostrophe in front.
pub(crate) fn field(text: &str) -> Cow<'_, str> {
    let formula =
        text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    if formula { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}

fn spell(out: &mut String, c: char) {
    let number = u32::from(c);
    let _ = if number < 0x100 {
        write!(out, "\\x{number:02x}")
    } else {
        write!(out, "\\u{number:04x}")
    };
}

/// Characters that act on a terminal or a page, or cannot be seen.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::{field, line, script_json, xml};

    #[test]
    fn no_markup_survives() {
        assert_eq!(
            xml("</script><img src='x' onerror=\"a&b\">"),
            "&lt;/script&gt;&lt;img src=&#39;x&#39; onerror=&quot;a&amp;b&quot;&gt;"
        );
    }

    #[test]
    fn nothing_hides_or_turns_around() {
        assert_eq!(xml("a\u{202e}b\u{1b}[2Jc\u{200b}d\n\te"), "a\\u202eb\\x1b[2Jc\\u200bd\n\te");
        assert_eq!(line("a\nb\tc\rd\u{2066}"), "a\\nb\\tc\\rd\\u2066");
        assert_eq!(line("naïve 日本 שלום"), "naïve 日本 שלום");
    }

    #[test]
    fn json_in_a_script_reads_back_and_cannot_end_it() {
        let hostile = "</script><!--<script>\u{2028}\u{202e}\u{e0041} & 日本 \" \\ \u{0}";
        let json = serde_json::to_string(hostile).expect("json");
        let safe = script_json(&json);
        assert!(!safe.contains(['<', '>', '&', '\u{2028}', '\u{202e}', '\u{e0041}']), "{safe}");
        assert_eq!(serde_json::from_str::<String>(&safe).expect("json"), hostile);
    }

    #[test]
    fn fields_of_a_table_are_no_formulas() {
        assert_eq!(field("plain = x"), "plain = x");
        assert_eq!(field("=1+1"), "'=1+1");
        assert_eq!(field("@x"), "'@x");
        assert_eq!(field("-0.5"), "-0.5");
    }
}
