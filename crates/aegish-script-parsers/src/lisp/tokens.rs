//! Symbols, numbers, strings and characters.

use super::reader::{Datum, Reader, symbol};
use super::{Parsed, Rejected};

/// Names of characters behind `#\`.
const CHARACTERS: &[(&str, char)] = &[
    ("alarm", '\x07'),
    ("altmode", '\x1b'),
    ("backspace", '\x08'),
    ("delete", '\x7f'),
    ("esc", '\x1b'),
    ("escape", '\x1b'),
    ("linefeed", '\n'),
    ("newline", '\n'),
    ("nl", '\n'),
    ("nul", '\0'),
    ("null", '\0'),
    ("page", '\x0c'),
    ("return", '\r'),
    ("rubout", '\x7f'),
    ("space", ' '),
    ("tab", '\t'),
    ("vtab", '\x0b'),
];

impl Reader<'_> {
    fn take(&mut self) -> Option<char> {
        let first = self.rest.chars().next()?;
        self.skip(first.len_utf8());
        Some(first)
    }

    /// A symbol or a number.
    pub(super) fn word(&mut self) -> Parsed<Datum> {
        let emacs = self.is_emacs();
        let mut name = String::new();
        let mut escaped = false;
        while let Some(first) = self.rest.chars().next() {
            match first {
                '\\' => {
                    self.skip(1);
                    name.push(self.take().ok_or(Rejected)?);
                    escaped = true;
                }
                '|' if !emacs => {
                    self.skip(1);
                    escaped = true;
                    loop {
                        match self.take().ok_or(Rejected)? {
                            '|' => break,
                            '\\' => name.push(self.bar_escape()?),
                            other => name.push(other),
                        }
                    }
                }
                '(' | ')' | '[' | ']' | '"' | ';' | '\'' | '`' | ',' => break,
                '{' | '}' if !emacs => break,
                _ if first.is_whitespace() => break,
                _ => {
                    name.push(first);
                    self.skip(first.len_utf8());
                }
            }
        }
        if name.is_empty() && !escaped {
            return Err(Rejected);
        }
        if !escaped && let Some(number) = number(&name, emacs) {
            return Ok(number);
        }
        // Names in such brackets are those of the lowering.
        if name.len() > 2 && name.starts_with('<') && name.ends_with('>') {
            name.insert(0, ' ');
        }
        Ok(symbol(&name))
    }

    /// `\x41;` between bars.
    fn bar_escape(&mut self) -> Parsed<char> {
        let first = self.take().ok_or(Rejected)?;
        let end = self.rest.find(';');
        match (first, end) {
            ('x', Some(end)) if end <= 8 => {
                let digits = self.rest.get(..end).unwrap_or("");
                let code = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32);
                match code {
                    Some(code) => {
                        self.skip(end + 1);
                        Ok(code)
                    }
                    None => Ok(first),
                }
            }
            _ => Ok(first),
        }
    }

    /// Up to so many digits as a number.
    fn digits(&mut self, base: u32, most: usize) -> Option<u32> {
        let length = self.rest.chars().take(most).take_while(|c| c.is_digit(base)).count();
        let number = u32::from_str_radix(self.rest.get(..length)?, base).ok()?;
        self.skip(length);
        Some(number)
    }

    /// A string behind its opening quote.
    pub(super) fn string(&mut self) -> Parsed<String> {
        let mut text = String::new();
        loop {
            let end = self.rest.find(['"', '\\']).ok_or(Rejected)?;
            text.push_str(self.rest.get(..end).unwrap_or(""));
            self.skip(end);
            match self.take() {
                Some('"') => return Ok(text),
                _ => self.string_escape(&mut text)?,
            }
        }
    }

    fn string_escape(&mut self, text: &mut String) -> Parsed<()> {
        let emacs = self.is_emacs();
        let first = self.take().ok_or(Rejected)?;
        // Common Lisp has no escapes: the character behind the backslash stands for itself.
        if self.plain_escapes {
            text.push(first);
            return Ok(());
        }
        match first {
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'a' => text.push('\x07'),
            'b' => text.push('\x08'),
            'f' => text.push('\x0c'),
            'v' => text.push('\x0b'),
            'e' => text.push('\x1b'),
            'd' if emacs => text.push('\x7f'),
            's' if emacs => text.push(' '),
            ' ' if emacs => {}
            'x' => {
                let code = self.digits(16, 8).ok_or(Rejected)?;
                text.push(char::from_u32(code).ok_or(Rejected)?);
                self.rest =
                    self.rest.strip_prefix(if emacs { "\\ " } else { ";" }).unwrap_or(self.rest);
            }
            'u' | 'U' => {
                let braced = !emacs && self.rest.starts_with('{');
                self.skip(usize::from(braced));
                let code = self.digits(16, if first == 'u' && !braced { 4 } else { 8 });
                text.push(char::from_u32(code.ok_or(Rejected)?).ok_or(Rejected)?);
                if braced {
                    self.rest = self.rest.strip_prefix('}').ok_or(Rejected)?;
                }
            }
            'N' if emacs && self.rest.starts_with("{U+") => {
                self.skip(3);
                let code = self.digits(16, 8).and_then(char::from_u32).ok_or(Rejected)?;
                text.push(code);
                self.rest = self.rest.strip_prefix('}').ok_or(Rejected)?;
            }
            '0'..='7' => {
                let length = self.rest.chars().take(2).take_while(|c| c.is_digit(8)).count();
                let digits = format!("{first}{}", self.rest.get(..length).unwrap_or(""));
                self.skip(length);
                let code = u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32);
                text.push(code.ok_or(Rejected)?);
            }
            '\n' | '\r' => {
                if first == '\r' {
                    self.rest = self.rest.strip_prefix('\n').unwrap_or(self.rest);
                }
                // The line goes on; Scheme also leaves out the blanks of the next line.
                if !emacs {
                    self.rest = self.rest.trim_start_matches([' ', '\t']);
                }
            }
            '^' if emacs => return Err(Rejected),
            'C' | 'M' | 'S' | 'H' | 'A' if emacs && self.rest.starts_with('-') => {
                return Err(Rejected);
            }
            other => text.push(other),
        }
        Ok(())
    }

    /// A character of Emacs behind its question mark: its number.
    pub(super) fn emacs_character(&mut self) -> Parsed<i64> {
        let first = self.take().ok_or(Rejected)?;
        if first != '\\' {
            return Ok(i64::from(u32::from(first)));
        }
        // Keys with modifiers: `?\C-a`, `?\M-\C-x`, `?\^I`.
        let mut modified = false;
        loop {
            let mut chars = self.rest.chars();
            match (chars.next(), chars.next()) {
                (Some('C' | 'M' | 'S' | 'H' | 'A' | 's'), Some('-')) => self.skip(2),
                (Some('^'), Some(_)) => self.skip(1),
                _ => break,
            }
            modified = true;
            if !self.rest.starts_with('\\') {
                self.take().ok_or(Rejected)?;
                return Ok(0);
            }
            self.skip(1);
        }
        let mut text = String::new();
        if self.rest.starts_with("s") {
            self.skip(1);
            text.push(' ');
        } else {
            self.string_escape(&mut text)?;
        }
        let code = text.chars().next().map_or(0, |c| i64::from(u32::from(c)));
        Ok(if modified { 0 } else { code })
    }

    /// A character of Scheme and Common Lisp behind `#\`.
    pub(super) fn scheme_character(&mut self) -> Parsed<char> {
        let first = self.take().ok_or(Rejected)?;
        let end = self
            .rest
            .find(|c: char| c.is_whitespace() || "()[]{}\"';,`".contains(c))
            .unwrap_or(self.rest.len());
        if end == 0 || !first.is_alphanumeric() {
            return Ok(first);
        }
        let more = self.rest.get(..end).unwrap_or("");
        let name = format!("{first}{more}").to_ascii_lowercase();
        self.skip(end);
        if let Some((_, character)) = CHARACTERS.iter().find(|(known, _)| *known == name) {
            return Ok(*character);
        }
        let code = match first {
            'x' | 'u' | 'U' => u32::from_str_radix(more.trim_start_matches('+'), 16).ok(),
            '0'..='7' => u32::from_str_radix(&name, 8).ok(),
            _ => None,
        };
        code.and_then(char::from_u32).ok_or(Rejected)
    }

    /// `#<<END` of Racket: the lines up to one that is `END`.
    pub(super) fn here_string(&mut self) -> Parsed<Datum> {
        self.skip(3);
        let (end, mut rest) = self.rest.split_once('\n').ok_or(Rejected)?;
        let mut lines = Vec::new();
        loop {
            let (line, more) = match rest.split_once('\n') {
                Some((line, more)) => (line, Some(more)),
                None => (rest, None),
            };
            if line == end {
                self.rest = more.unwrap_or("");
                return Ok(Datum::Text(lines.join("\n").into()));
            }
            lines.push(line);
            rest = more.ok_or(Rejected)?;
        }
    }
}

fn number(word: &str, emacs: bool) -> Option<Datum> {
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    let first = digits.chars().next()?;
    if !(first.is_ascii_digit() || first == '.' && digits.len() > 1) {
        return None;
    }
    let plain = word.strip_suffix('.').unwrap_or(word);
    if let Ok(number) = plain.strip_prefix('+').unwrap_or(plain).parse() {
        return Some(Datum::Int(number));
    }
    let others = if emacs { "+-.eEINFNaN" } else { "+-.eEdDfFsSlL/i@" };
    let numeric = digits.chars().all(|c| c.is_ascii_digit() || others.contains(c));
    (numeric && digits.contains(|c: char| c.is_ascii_digit()) && !digits.ends_with(['+', '-']))
        .then_some(Datum::Number)
}
