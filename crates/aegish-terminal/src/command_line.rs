//! A line while it is typed, in colours: known and unknown commands, quoted text, comments.

use aegish_syntax::Span;
use std::borrow::Cow;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ink {
    Plain,
    Known,
    Unknown,
    Quoted,
    Variable,
    Comment,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Self::Plain => "0",
            Self::Known => "32",
            Self::Unknown => "31",
            Self::Quoted => "33",
            Self::Variable => "36",
            Self::Comment => "2",
        }
    }
}

/// The line with colours; `before` holds the lines above it. `known` says whether a command of this name
/// exists.
#[must_use]
pub fn coloured<'l>(before: &str, line: &'l str, known: &dyn Fn(&str) -> bool) -> Cow<'l, str> {
    if line.trim().is_empty() {
        return Cow::Borrowed(line);
    }
    let text = [before, line].concat();
    let mut inks = quotes(&text);
    let script = aegish_syntax::parse(&text);
    for command in script.simple_commands() {
        let Some(word) = command.words.first() else { continue };
        let Some(name) = plain(word.span.text(&text)) else { continue };
        let ink = if known(name) { Ink::Known } else { Ink::Unknown };
        paint(&mut inks, word.span, ink);
    }
    Cow::Owned(rendered(line, inks.get(before.len()..).unwrap_or_default()))
}

/// A word without quotes and expansions is its own name.
fn plain(word: &str) -> Option<&str> {
    let odd = |c: char| "'\"\\$`*?[{~".contains(c) || c.is_whitespace();
    (!word.is_empty() && !word.contains(odd)).then_some(word)
}

fn paint(inks: &mut [Ink], span: Span, ink: Ink) {
    let range = span.start as usize..span.end as usize;
    if let Some(part) = inks.get_mut(range) {
        part.fill(ink);
    }
}

/// Colours quotes, variables and comments by a simple scan; the verdict uses the parser.
fn quotes(line: &str) -> Vec<Ink> {
    let bytes = line.as_bytes();
    let mut inks = vec![Ink::Plain; bytes.len()];
    let mut quote: Option<u8> = None;
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let start = at;
        at += 1;
        match (quote, byte) {
            (Some(b'\''), b'\'') => quote = None,
            (Some(b'"'), b'"') => quote = None,
            (None, b'\'' | b'"') => quote = Some(byte),
            (None | Some(b'"'), b'\\') => at = (at + 1).min(bytes.len()),
            (None | Some(b'"'), b'$') => {
                while bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                    at += 1;
                }
                if at - start > 1 {
                    inks[start..at].fill(Ink::Variable);
                }
                continue;
            }
            (None, b'#') if start == 0 || bytes[start - 1].is_ascii_whitespace() => {
                at = line[start..].find('\n').map_or(bytes.len(), |end| start + end);
                inks[start..at].fill(Ink::Comment);
                continue;
            }
            (None, _) => continue,
            (Some(_), _) => {}
        }
        if quote.is_some() || matches!(byte, b'\'' | b'"') {
            inks[start..at].fill(Ink::Quoted);
        }
    }
    inks
}

fn rendered(line: &str, inks: &[Ink]) -> String {
    let mut out = String::with_capacity(line.len() * 2);
    let mut present = Ink::Plain;
    for (at, c) in line.char_indices() {
        let ink = inks.get(at).copied().unwrap_or(Ink::Plain);
        if ink != present {
            out.push_str("\u{1b}[0m");
            if ink != Ink::Plain {
                out.push_str("\u{1b}[");
                out.push_str(ink.code());
                out.push('m');
            }
            present = ink;
        }
        out.push(c);
    }
    if present != Ink::Plain {
        out.push_str("\u{1b}[0m");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taking_the_colours_off_gives_the_line() {
        let lines =
            ["ls -l 'a b' \"$HOME\" # x", "echo é 'ü", "a | nosuch && b\nc", "\\", "$", "'"];
        for line in lines {
            let shown = coloured("", line, &|name| name != "nosuch");
            let mut bare = String::new();
            let mut rest = &*shown;
            while let Some((before, after)) = rest.split_once('\u{1b}') {
                bare.push_str(before);
                rest = after.split_once('m').map_or("", |(_, rest)| rest);
            }
            bare.push_str(rest);
            assert_eq!(bare, line);
        }
    }

    #[test]
    fn a_quote_that_was_opened_in_an_earlier_line_continues() {
        let shown = coloured("echo 'a\n", "ls' b", &|_| true);
        assert_eq!(shown, "\u{1b}[0m\u{1b}[33mls'\u{1b}[0m b");
    }

    #[test]
    fn unknown_commands_are_red_in_every_position() {
        let shown = coloured("", "ls; echo $(nosuch)", &|name| name != "nosuch");
        assert!(shown.contains("\u{1b}[32mls\u{1b}[0m"));
        assert!(shown.contains("\u{1b}[31mnosuch"));
    }
}
