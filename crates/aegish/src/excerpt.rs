//! A part of the text with carets under it.
//!
//! Takes the text and a span, gives the first line of the span and a line of carets, counted in columns:
//! tabs, wide and invisible characters included. Long lines are cut around the span.

use aegish_guard::Span;
use aegish_terminal::{acts, spelled};

/// Longest excerpt, in columns.
const WIDTH: usize = 100;
/// Limit on the part of a line before and after the start of the span, in bytes.
const WINDOW: usize = 1000;
/// How much of the text before the span is shown when a line is cut.
const BEFORE: usize = 30;

/// Two lines for a person.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// Which line of the text it is, from 1.
    pub(crate) line: usize,
    /// The line, safe to print.
    pub(crate) text: String,
    /// Columns before the first caret.
    pub(crate) indent: usize,
    /// Number of carets.
    pub(crate) carets: usize,
    /// The span continues on further lines.
    pub(crate) more: bool,
}

/// The excerpt; `None` for an empty span.
pub(crate) fn excerpt(text: &str, span: Span) -> Option<Excerpt> {
    let start = boundary(text, span.start as usize);
    let end = boundary(text, span.end as usize).max(start);
    let before = text.get(..start)?;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line_end = text.get(start..)?.find('\n').map_or(text.len(), |at| start + at);
    // Only the visible part is measured: a line may be a megabyte long.
    let line_start = line_start.max(boundary(text, start.saturating_sub(WINDOW)));
    let line_end = line_end.min(boundary(text, start.saturating_add(WINDOW)));
    let line = text.get(line_start..line_end)?;
    if start == end && line.trim().is_empty() {
        return None;
    }
    let stop = end.min(line_end);
    let cells: Vec<(usize, String, usize)> = line
        .char_indices()
        .map(|(at, c)| {
            let (shown, width) = cell(c);
            (line_start + at, shown, width)
        })
        .collect();
    let columns = |from: usize, to: usize| -> usize {
        let inside = |at: usize| from <= at && at < to;
        cells.iter().filter(|(at, ..)| inside(*at)).map(|(.., width)| width).sum()
    };
    let indent = columns(line_start, start);
    let carets = columns(start, stop).max(1);
    let more =
        end > line_end && text.get(line_end..end).is_some_and(|rest| !rest.trim().is_empty());
    let number = before.matches('\n').count() + 1;
    let from = if indent + carets <= WIDTH { 0 } else { indent.saturating_sub(BEFORE) };
    Some(cut(&cells, from, Excerpt { line: number, text: String::new(), indent, carets, more }))
}

/// The columns of a line from `from` on, at most [`WIDTH`] of them.
fn cut(cells: &[(usize, String, usize)], from: usize, mut excerpt: Excerpt) -> Excerpt {
    let (mut column, mut shown, mut skipped) = (0, 0, 0);
    for (_, text, width) in cells {
        if column < from {
            skipped = column + width;
        } else if shown + width <= WIDTH {
            excerpt.text.push_str(text);
            shown += width;
        } else {
            excerpt.text.push('…');
            break;
        }
        column += width;
    }
    if skipped > 0 {
        excerpt.text.insert(0, '…');
        excerpt.indent = (excerpt.indent + 1).saturating_sub(skipped);
    }
    let room = (shown + usize::from(skipped > 0)).saturating_sub(excerpt.indent).max(1);
    excerpt.carets = excerpt.carets.min(room);
    excerpt
}

/// The last character boundary at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The printed form of a character, and its width in columns.
fn cell(c: char) -> (String, usize) {
    if c == '\t' {
        return ("    ".to_owned(), 4);
    }
    if acts(c) {
        let name = spelled(c);
        let width = name.len();
        return (name, width);
    }
    (c.to_string(), width(c))
}

/// The width of a printable character, accurate enough for carets.
fn width(c: char) -> usize {
    match u32::from(c) {
        0x300..=0x36f
        | 0x483..=0x489
        | 0x591..=0x5bd
        | 0x610..=0x61a
        | 0x64b..=0x65f
        | 0x1ab0..=0x1aff
        | 0x1dc0..=0x1dff
        | 0x20d0..=0x20ff
        | 0xfe00..=0xfe0f
        | 0xfe20..=0xfe2f => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0x33ff
        | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff
        | 0xa000..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe4f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1f64f
        | 0x1f680..=0x1f6ff
        | 0x1f900..=0x1f9ff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{Excerpt, WIDTH, excerpt};
    use aegish_guard::Span;

    fn carets(text: &str, part: &str) -> String {
        let start = text.find(part).expect("part of the text");
        let found = excerpt(text, Span::new(start, start + part.len())).expect("an excerpt");
        format!("{}|{}{}", found.text, " ".repeat(found.indent), "^".repeat(found.carets))
    }

    #[test]
    fn carets_stand_under_the_span() {
        assert_eq!(carets("cat /etc/shadow", "/etc/shadow"), "cat /etc/shadow|    ^^^^^^^^^^^");
        assert_eq!(carets("a\nb cd\ne", "cd"), "b cd|  ^^");
    }

    #[test]
    fn tabs_wide_and_invisible_characters_count_by_their_displayed_width() {
        assert_eq!(carets("\tx", "x"), "    x|    ^");
        assert_eq!(carets("日本 x", "x"), "日本 x|     ^");
        assert_eq!(carets("e\u{301} x", "x"), "e\u{301} x|  ^");
        assert_eq!(carets("\u{1b}[2J x", "x"), "\\x1b[2J x|        ^");
    }

    #[test]
    fn spans_over_several_lines_show_the_first() {
        let found = excerpt("a <<E\nx\nE\nb", Span::new(0, 9)).expect("an excerpt");
        let wanted =
            Excerpt { line: 1, text: "a <<E".to_owned(), indent: 0, carets: 5, more: true };
        assert_eq!(found, wanted);
    }

    #[test]
    fn long_lines_are_cut_around_the_span() {
        let text = format!("{} danger {}", "x".repeat(300), "y".repeat(300));
        let found = excerpt(&text, Span::new(301, 307)).expect("an excerpt");
        assert!(found.text.starts_with('…') && found.text.ends_with('…'));
        assert!(found.text.chars().count() <= WIDTH + 2);
        let under: String = found.text.chars().skip(found.indent).take(found.carets).collect();
        assert_eq!(under, "danger");
    }

    #[test]
    fn spans_that_do_not_fit_the_text_are_harmless() {
        assert!(excerpt("", Span::new(0, 0)).is_none());
        assert!(excerpt("äb", Span::new(1, 99)).is_some());
        assert!(excerpt("x", Span::new(50, 40)).is_some());
    }
}
