//! A position in the tokens of a text.

use super::lex::{Token, TokenKind};

/// A position in a list of tokens.
pub(super) struct Cursor<'t> {
    pub(super) tokens: &'t [Token<'t>],
    pub(super) pos: usize,
    pub(super) end: usize,
    /// Inside brackets, where line ends are skipped.
    pub(super) wrap: bool,
    /// The tokens are those of the whole text, so that ranges of them can be stored.
    pub(super) top: bool,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(tokens: &'t [Token<'t>], top: bool) -> Self {
        Self { tokens, pos: 0, end: tokens.len(), wrap: false, top }
    }

    /// A cursor for a part of the same tokens.
    pub(super) fn part(&self, from: usize, to: usize, wrap: bool) -> Self {
        Self { tokens: self.tokens, pos: from, end: to.min(self.end), wrap, top: self.top }
    }

    /// The current token. Line ends inside brackets are skipped.
    pub(super) fn peek(&mut self) -> Option<&'t Token<'t>> {
        while self.wrap
            && self.pos < self.end
            && self.tokens.get(self.pos).is_some_and(|t| t.kind == TokenKind::Line)
        {
            self.pos += 1;
        }
        self.at(0)
    }

    /// The token at an offset from the current one.
    pub(super) fn at(&self, ahead: usize) -> Option<&'t Token<'t>> {
        let place = self.pos + ahead;
        if place < self.end { self.tokens.get(place) } else { None }
    }

    pub(super) fn is_op(&self, ahead: usize, text: &str) -> bool {
        self.at(ahead).is_some_and(|t| t.kind == TokenKind::Op && t.text == text)
    }

    pub(super) fn is_name(&self, ahead: usize, text: &str) -> bool {
        self.at(ahead).is_some_and(|t| t.kind == TokenKind::Name && t.text == text)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.is_op(0, text);
        if found {
            self.pos += 1;
        }
        found
    }

    /// The index of the bracket that closes the current one.
    pub(super) fn partner(&self) -> usize {
        self.at(0).map_or(self.end, |t| {
            if t.partner > self.pos { t.partner.min(self.end) } else { self.end }
        })
    }

    pub(super) fn skip_lines(&mut self) {
        while self.at(0).is_some_and(|t| t.kind == TokenKind::Line) {
            self.pos += 1;
        }
    }
}
