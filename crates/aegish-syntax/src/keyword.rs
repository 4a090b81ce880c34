//! Reserved words.
//!
//! A reserved word is recognised only where a command may start, which the callers check, and only if no part
//! of it is quoted, which is checked here.

use crate::cursor::{Parse, Parser};
use crate::word::is_meta;

/// A reserved word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keyword {
    Bang,
    Case,
    CloseBrace,
    CloseCond,
    Coproc,
    Do,
    Done,
    Elif,
    Else,
    Esac,
    Fi,
    For,
    Function,
    If,
    In,
    OpenBrace,
    OpenCond,
    Select,
    Then,
    Time,
    Until,
    While,
}

impl Keyword {
    /// Whether it ends a list of commands.
    pub(crate) fn closes(self) -> bool {
        matches!(
            self,
            Self::CloseBrace
                | Self::Do
                | Self::Done
                | Self::Elif
                | Self::Else
                | Self::Esac
                | Self::Fi
                | Self::Then
        )
    }

    /// Whether it starts a compound command other than a function or coprocess.
    pub(crate) fn opens(self) -> bool {
        matches!(
            self,
            Self::Case
                | Self::For
                | Self::If
                | Self::OpenBrace
                | Self::OpenCond
                | Self::Select
                | Self::Until
                | Self::While
        )
    }
}

impl Parser<'_> {
    /// The reserved word at the cursor, and the offset after it.
    pub(crate) fn keyword(&self) -> Option<(Keyword, usize)> {
        let mut text = [0u8; 8];
        let mut length = 0;
        let mut at = self.next_offset(self.pos);
        let mut end = at;
        while let Some(byte) = self.raw(at) {
            if is_meta(byte) {
                if matches!(byte, b'<' | b'>') && self.raw(at + 1) == Some(b'(') {
                    return None;
                }
                break;
            }
            if !(byte.is_ascii_lowercase() || matches!(byte, b'!' | b'{' | b'}' | b'[' | b']')) {
                return None;
            }
            *text.get_mut(length)? = byte;
            length += 1;
            end = at + 1;
            at = self.next_offset(end);
        }
        let keyword = match text.get(..length)? {
            b"!" => Keyword::Bang,
            b"[[" => Keyword::OpenCond,
            b"]]" => Keyword::CloseCond,
            b"case" => Keyword::Case,
            b"coproc" => Keyword::Coproc,
            b"do" => Keyword::Do,
            b"done" => Keyword::Done,
            b"elif" => Keyword::Elif,
            b"else" => Keyword::Else,
            b"esac" => Keyword::Esac,
            b"fi" => Keyword::Fi,
            b"for" => Keyword::For,
            b"function" => Keyword::Function,
            b"if" => Keyword::If,
            b"in" => Keyword::In,
            b"select" => Keyword::Select,
            b"then" => Keyword::Then,
            b"time" => Keyword::Time,
            b"until" => Keyword::Until,
            b"while" => Keyword::While,
            b"{" => Keyword::OpenBrace,
            b"}" => Keyword::CloseBrace,
            _ => return None,
        };
        Some((keyword, end))
    }

    /// The offset after the unquoted word `text`, if it is at the cursor.
    pub(crate) fn plain_word(&self, text: &[u8]) -> Option<usize> {
        let mut at = self.next_offset(self.pos);
        for &byte in text {
            if self.raw(at) != Some(byte) {
                return None;
            }
            at = self.next_offset(at + 1);
        }
        match self.raw(at) {
            None => Some(at),
            Some(byte) if is_meta(byte) => Some(at),
            Some(_) => None,
        }
    }

    /// Steps over a token that ends at `end`.
    pub(crate) fn take(&mut self, end: usize) {
        self.pos = end;
        self.last = end;
    }

    /// Consumes this reserved word if it is at the cursor; returns whether it was.
    pub(crate) fn eat_keyword(&mut self, wanted: Keyword) -> bool {
        self.skip_blank();
        match self.keyword() {
            Some((found, end)) if found == wanted => {
                self.take(end);
                true
            }
            _ => false,
        }
    }

    /// Consumes this reserved word or fails.
    pub(crate) fn expect_keyword(&mut self, wanted: Keyword) -> Parse<()> {
        if self.eat_keyword(wanted) { Ok(()) } else { Err(self.unexpected()) }
    }
}
