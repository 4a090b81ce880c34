//! Characters, blanks and comments.

use super::{Parsed, Reader, Rejected};

/// Every dash and quote that word processors make counts as the plain one.
pub(super) fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2013}' | '\u{2014}' | '\u{2015}')
}

pub(super) fn is_single_quote(c: char) -> bool {
    matches!(c, '\'' | '\u{2018}' | '\u{2019}' | '\u{201a}' | '\u{201b}')
}

pub(super) fn is_double_quote(c: char) -> bool {
    matches!(c, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}')
}

/// Characters that end a word of a command.
pub(super) fn ends_word(c: char) -> bool {
    c.is_whitespace() || "{}();,|&<>".contains(c)
}

pub(super) fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

impl<'a> Reader<'a> {
    pub(super) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    pub(super) fn is_end(&self) -> bool {
        self.at >= self.text.len()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    pub(super) fn starts(&self, sign: &str) -> bool {
        self.rest().starts_with(sign)
    }

    pub(super) fn takes(&mut self, sign: &str) -> bool {
        let found = self.starts(sign);
        if found {
            self.at += sign.len();
        }
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.takes(sign) { Ok(()) } else { Err(Rejected) }
    }

    /// The characters from here on that fulfil a condition.
    pub(super) fn while_is(&mut self, fits: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    /// Skips blanks, comments and continued lines.
    pub(super) fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            let Some(c) = rest.chars().next() else { return };
            if c.is_whitespace() && c != '\n' && c != '\r' {
                self.at += c.len_utf8();
            } else if rest.starts_with("`\n") {
                self.at += 2;
            } else if rest.starts_with("`\r\n") {
                self.at += 3;
            } else if rest.starts_with("<#") {
                match rest.find("#>") {
                    Some(end) => self.at += end + 2,
                    None => {
                        self.lowering.cut = true;
                        self.at = self.text.len();
                    }
                }
            } else if c == '#' {
                self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            } else {
                return;
            }
        }
    }

    /// Skips blanks and ends of lines.
    pub(super) fn lines(&mut self) {
        loop {
            self.blanks();
            if !matches!(self.peek(), Some('\n' | '\r')) {
                return;
            }
            self.at += 1;
        }
    }

    /// Skips everything between two statements.
    pub(super) fn separators(&mut self) {
        loop {
            self.lines();
            if !self.takes(";") {
                return;
            }
        }
    }

    /// Whether a statement may end here.
    pub(super) fn ends_statement(&mut self) -> bool {
        self.blanks();
        matches!(self.peek(), None | Some('\n' | '\r' | ';' | ')' | '}'))
    }

    /// Goes behind the ends of lines if something with this start follows them.
    pub(super) fn lines_before(&mut self, sign: &str) -> bool {
        let start = self.at;
        let cut = self.lowering.cut;
        self.lines();
        if self.starts(sign) {
            return true;
        }
        self.at = start;
        self.lowering.cut = cut;
        false
    }

    /// The word at this place in lower case; empty if there is none.
    pub(super) fn word(&self) -> String {
        let rest = self.rest();
        let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        // Words with a dash in them are names of commands.
        let behind = rest.get(end..).and_then(|rest| rest.chars().next());
        if end > 16 || behind.is_some_and(|c| is_dash(c) || matches!(c, '.' | '/' | '\\' | ':')) {
            return String::new();
        }
        rest.get(..end).unwrap_or("").to_ascii_lowercase()
    }

    /// Takes a keyword.
    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.at += word.len();
        }
        found
    }

    /// Takes a keyword that may stand on a later line.
    pub(super) fn takes_word_below(&mut self, word: &str) -> bool {
        let start = self.at;
        let cut = self.lowering.cut;
        self.lines();
        if self.takes_word(word) {
            return true;
        }
        self.at = start;
        self.lowering.cut = cut;
        false
    }
}
