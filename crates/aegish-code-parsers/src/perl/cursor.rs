//! The place in the text: blanks, comments, documentation, words, here-documents.

use super::{Parsed, Perl, Rejected};
use std::rc::Rc;

impl Perl<'_> {
    pub(super) fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    pub(super) fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn ended(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn starts(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    /// Goes over one character.
    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Goes over the end of a line and the bodies of here-documents behind it.
    fn newline(&mut self) {
        match self.jump {
            // Kept, as the parser may come back to the line.
            Some((end, resume)) if end == self.at => self.at = resume,
            _ => self.at += 1,
        }
    }

    /// Skips blanks and comments.
    pub(super) fn blanks(&mut self) {
        loop {
            match self.byte(0) {
                b'\n' => self.newline(),
                b' ' | b'\t' | b'\r' | 0x0c => self.at += 1,
                b'#' => {
                    let length = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += length;
                }
                _ => return,
            }
        }
    }

    /// Skips blanks, comments and documentation, which may stand where a statement begins.
    pub(super) fn statement_blanks(&mut self) {
        loop {
            self.blanks();
            let begins_line = self.at == 0
                || self.text.as_bytes().get(self.at - 1).is_some_and(|byte| *byte == b'\n');
            if !(begins_line && self.byte(0) == b'=' && self.byte(1).is_ascii_alphabetic()) {
                return;
            }
            let end = if self.starts("=cut") { Some(0) } else { self.rest().find("\n=cut") };
            match end {
                Some(end) => {
                    self.at += end + 1;
                    let line = self.rest().find('\n').unwrap_or(self.rest().len());
                    self.at += line;
                }
                None => self.at = self.text.len(),
            }
        }
    }

    /// Whether a sign stands here, behind blanks.
    pub(super) fn is(&mut self, sign: &str) -> bool {
        self.blanks();
        self.starts(sign)
    }

    pub(super) fn takes(&mut self, sign: &str) -> bool {
        let found = self.is(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { Err(Rejected) }
    }

    /// The word here: letters, digits, `_`.
    pub(super) fn plain_word(&self) -> &str {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        match rest.get(..end) {
            Some(word) if !word.starts_with(|c: char| c.is_ascii_digit()) => word,
            _ => "",
        }
    }

    /// The length of a name with its packages.
    pub(super) fn name_length(&self, quote_separates: bool) -> usize {
        let rest = self.rest().as_bytes();
        let mut end = 0;
        loop {
            match (rest.get(end), rest.get(end + 1), rest.get(end + 2)) {
                (Some(byte), ..) if byte.is_ascii_alphanumeric() || *byte == b'_' => end += 1,
                (Some(byte), ..) if *byte >= 0x80 => end += 1,
                (Some(b':'), Some(b':'), next)
                    if next.is_none_or(|next| *next != b'$') || end > 0 =>
                {
                    end += 2;
                }
                (Some(b'\''), Some(next), _)
                    if quote_separates
                        && end > 0
                        && (next.is_ascii_alphabetic() || *next == b'_') =>
                {
                    end += 1;
                }
                _ => return end,
            }
        }
    }

    /// Takes the name here, with its packages.
    pub(super) fn take_name(&mut self, quote_separates: bool) -> Option<String> {
        let length = self.name_length(quote_separates);
        let name = self.rest().get(..length)?;
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let name = name.replace('\'', "::");
        self.at += length;
        Some(name)
    }

    /// Whether this word stands here, and no longer one.
    pub(super) fn is_word(&mut self, word: &str) -> bool {
        self.blanks();
        self.plain_word() == word && !self.starts(&format!("{word}::"))
    }

    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.at += word.len();
        }
        found
    }

    /// Reads another text with the same parser.
    pub(super) fn within<T>(
        &mut self,
        text: &str,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        self.enter()?;
        let outer = std::mem::replace(&mut self.text, Rc::from(text));
        let at = std::mem::replace(&mut self.at, 0);
        let jump = self.jump.take();
        let result = read(self);
        self.text = outer;
        self.at = at;
        self.jump = jump;
        self.leave();
        result
    }

    /// The text up to the delimiter that belongs to the one here. Backslashes before delimiters are dropped unless
    /// `keep` is set.
    pub(super) fn delimited(&mut self, keep: bool) -> Parsed<(String, char)> {
        let open = self.bump().ok_or(Rejected)?;
        let close = match open {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            '<' => '>',
            other => other,
        };
        let mut depth = 1_u32;
        let mut out = String::new();
        let rest = Rc::clone(&self.text);
        let mut chars = rest.get(self.at..).unwrap_or("").char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' => {
                    let Some((_, next)) = chars.next() else { return Err(Rejected) };
                    if keep || !(next == open || next == close) {
                        out.push('\\');
                    }
                    out.push(next);
                }
                c if c == close => {
                    depth -= 1;
                    if depth == 0 {
                        self.at += at + c.len_utf8();
                        return Ok((out, open));
                    }
                    out.push(c);
                }
                c => {
                    if c == open {
                        depth += 1;
                    }
                    out.push(c);
                }
            }
        }
        Err(Rejected)
    }

    /// The body of a here-document whose tag was just read.
    pub(super) fn heredoc_body(&mut self, tag: &str, indented: bool) -> Parsed<String> {
        let (line_end, from) = match self.jump {
            Some(pair @ (end, _)) if end >= self.at => pair,
            _ => {
                let end = self.at + self.rest().find('\n').ok_or(Rejected)?;
                (end, end + 1)
            }
        };
        let text = Rc::clone(&self.text);
        let mut lines = Vec::new();
        let mut at = from;
        for line in text.get(from..).unwrap_or("").split_inclusive('\n') {
            at += line.len();
            let bare = line.trim_end_matches(['\n', '\r']);
            if bare == tag || indented && bare.trim_start() == tag {
                self.jump = Some((line_end, at));
                return Ok(joined(&lines, indented));
            }
            lines.push(line);
        }
        Err(Rejected)
    }
}

/// The lines of a here-document, without the blanks that all have at their beginning if it is indented.
fn joined(lines: &[&str], indented: bool) -> String {
    if !indented {
        return lines.concat();
    }
    let least = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start_matches([' ', '\t']).len())
        .min()
        .unwrap_or(0);
    lines
        .iter()
        .map(|line| if line.trim().is_empty() { "\n" } else { line.get(least..).unwrap_or("") })
        .collect()
}
