//! Finds the end of a value, by the rules of a shell.

use std::ops::Range;

/// A single quote within single quotes, as written in a shell.
const NESTED: &[u8] = br"'\''";

/// How many bytes before a value are searched for open quotes.
const NEAR: usize = 1000;

/// The range of a value. It may be quoted, be a string within a string, or consist of several pieces.
pub(crate) fn value(text: &str, at: usize) -> Range<usize> {
    let rest = text.get(at..).unwrap_or_default();
    let slashes = rest.len() - rest.trim_start_matches('\\').len();
    let quote = rest.get(slashes..).and_then(|rest| rest.chars().next());
    if let (Some('"' | '\''), true) = (quote, slashes > 0) {
        return within_quotes(text, at);
    }
    let end = word_end(text, at, true);
    let word = text.get(at..end).unwrap_or_default();
    // The range of a value that is quoted as a whole excludes its quotes.
    let quoted = |quote: char| {
        let inner = word.strip_prefix(quote)?;
        let inner = inner.strip_suffix(quote).unwrap_or(inner);
        (!inner.contains(quote)).then(|| at + 1..at + 1 + inner.len())
    };
    quoted('"').or_else(|| quoted('\'')).unwrap_or(at..end)
}

/// `\"…\"`: a string within a string, and those that follow it directly.
fn within_quotes(text: &str, at: usize) -> Range<usize> {
    let mut pieces = 0;
    let (mut from, mut to) = (at, at);
    let mut rest = text.get(at..).unwrap_or_default();
    loop {
        let plain = rest.trim_start_matches('\\');
        let Some(quote @ ('"' | '\'')) = plain.chars().next() else { break };
        let opening = rest.len() - plain.len() + 1;
        let start = text.len() - rest.len() + opening;
        let inner = rest.get(opening..).unwrap_or_default();
        let Some(end) = inner.find([quote, '\n']) else {
            // The quote is not closed: the rest is hidden.
            return if pieces == 0 { start..text.len() } else { from..text.len() };
        };
        let inside = inner.get(..end).unwrap_or_default();
        if pieces == 0 {
            from = start;
        }
        to = start + inside.trim_end_matches('\\').len();
        pieces += 1;
        rest = inner.get(end + 1..).unwrap_or_default();
    }
    from..to
}

/// The range of a value that is not quoted.
pub(crate) fn bare(text: &str, at: usize) -> Range<usize> {
    let rest = text.get(at..).unwrap_or_default();
    let end = rest.find(ends_word).unwrap_or(rest.len());
    // `Bearer x`, `Basic x`: the secret is the second word.
    let word = rest.get(..end).unwrap_or_default();
    if matches!(word, "Bearer" | "bearer" | "Basic" | "basic" | "Token" | "token" | "Bot")
        && rest.get(end..).is_some_and(|more| more.starts_with(' '))
    {
        let more = rest.get(end + 1..).unwrap_or_default();
        let length = more.find(ends_word).unwrap_or(more.len());
        return at + end + 1..at + end + 1 + length;
    }
    at..at + end
}

fn ends_word(c: char) -> bool {
    c.is_whitespace()
        || matches!(c, ';' | '|' | '&' | '<' | '>' | '(' | ')' | '"' | '\'' | ',' | '}' | '`')
}

/// The end of the shell word that starts at `at`: quoted and bare pieces without a gap, escaped blanks.
///
/// In settings and other languages a comma or brace ends it as well. A quote ends with its line, so that an
/// unclosed quote does not hide the rest.
fn word_end(text: &str, at: usize, settings: bool) -> usize {
    let bytes = text.as_bytes();
    let mut here = at;
    let [in_single, in_double] = if settings { open_quotes(bytes, at) } else { [false; 2] };
    while let Some(byte) = bytes.get(here) {
        match byte {
            b'\\' => here += 2,
            // `'\''` is a quote within quotes.
            b'\'' if in_single && bytes.get(here..).unwrap_or_default().starts_with(NESTED) => {
                here += NESTED.len();
                let inner = bytes.get(here..).unwrap_or_default();
                let end = inner.windows(NESTED.len()).position(|window| window == NESTED);
                let line = inner.iter().position(|byte| *byte == b'\n').unwrap_or(inner.len());
                here += end.map_or(line, |end| (end + NESTED.len()).min(line));
            }
            // The value is inside quotes, which end it.
            b'\'' if here > at && in_single => break,
            b'"' if here > at && in_double => break,
            quote @ (b'\'' | b'"') => {
                here += 1;
                while let Some(byte) = bytes.get(here)
                    && byte != quote
                    && *byte != b'\n'
                {
                    here += if *quote == b'"' && *byte == b'\\' { 2 } else { 1 };
                }
                if bytes.get(here) != Some(quote) {
                    break;
                }
                here += 1;
            }
            // `$'…'` is quoted too. `$(` ends the word, because the command in it has to stay visible.
            b'$' if matches!(bytes.get(here + 1), Some(b'\'' | b'"')) => here += 1,
            b' ' | b'\t' | b'\n' | b'\r' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')'
            | b'`' => {
                break;
            }
            b',' | b'}' if settings => break,
            _ => here += 1,
        }
    }
    let mut end = here.min(text.len()).max(at);
    while !text.is_char_boundary(end) {
        end += 1;
    }
    end
}

/// Whether `'` and `"` are open at a position: their number before it on the line is odd.
fn open_quotes(bytes: &[u8], at: usize) -> [bool; 2] {
    let before = bytes.get(at.saturating_sub(NEAR)..at).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    [b'\'', b'"'].map(|quote| {
        let escaped =
            |at: usize| at.checked_sub(1).is_some_and(|before| line.get(before) == Some(&b'\\'));
        let count = line.iter().enumerate().filter(|(at, byte)| **byte == quote && !escaped(*at));
        count.count() % 2 == 1
    })
}

/// The words of a text. `None` separates commands.
pub(crate) fn words(text: &str) -> Vec<Option<Range<usize>>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' | b'<' | b'>' | b'(' | b')' | b'`' => at += 1,
            b'\n' | b';' | b'|' | b'&' => {
                at += 1;
                found.push(None);
            }
            _ => {
                let end = word_end(text, at, false).max(at + 1);
                found.push(Some(at..end));
                at = end;
            }
        }
    }
    found
}

/// The range of a word without quotes around it.
pub(crate) fn unquoted(text: &str, word: &Range<usize>) -> Range<usize> {
    let raw = text.get(word.clone()).unwrap_or_default();
    for quote in ["'", "\""] {
        if let Some(inner) = raw.strip_prefix(quote) {
            let inner = inner.strip_suffix(quote).unwrap_or(inner);
            return word.start + 1..word.start + 1 + inner.len();
        }
    }
    word.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_ends_where_the_shell_ends_it() {
        for (text, wanted) in [
            ("abc def", "abc"),
            ("'abc def' x", "abc def"),
            ("\"abc def\", 5", "abc def"),
            ("\"a\\\"b c\" x", "\"a\\\"b c\""),
            ("'ab'\"cd\"ef x", "'ab'\"cd\"ef"),
            ("my\\ secret x", "my\\ secret"),
            ("$'a b' x", "$'a b'"),
            ("\\\"abc\\\"}", "abc"),
            ("'open\nnext", "open"),
            ("\\'ab\\'\"cd\" x", "ab\\'\"cd"),
            ("ä'ö", "ä'ö"),
        ] {
            assert_eq!(&text[value(text, 0)], wanted, "{text}");
        }
    }

    #[test]
    fn words_keep_their_quotes_and_commands_are_apart() {
        let text = "mysql -p'a;b c' x; ls|wc\n";
        let shown: Vec<&str> =
            words(text).into_iter().map(|word| word.map_or("‖", |word| &text[word])).collect();
        assert_eq!(shown, ["mysql", "-p'a;b c'", "x", "‖", "ls", "‖", "wc", "‖"]);
    }
}
