//! Redirections.
//!
//! Reads the redirection at the cursor with its target, if there is one. Refuses a missing target, and
//! `{name[…]}>` with a subscript that would be expanded.

use crate::cursor::{Parse, Parser, is_name_byte};
use crate::word::WordEnd;
use crate::{Fd, Part, Redirect, RedirectOp, Word};

impl Parser<'_> {
    /// All redirections that follow a compound command.
    pub(crate) fn redirects(&mut self) -> Parse<Vec<Redirect>> {
        let mut found = Vec::new();
        loop {
            self.skip_blank();
            match self.redirect()? {
                Some(redirect) => found.push(redirect),
                None => return Ok(found),
            }
        }
    }

    /// The redirection at the cursor, if there is one.
    pub(crate) fn redirect(&mut self) -> Parse<Option<Redirect>> {
        let start = self.pos;
        let (fd, at) = match self.peek() {
            Some(b'0'..=b'9') => self.numbered(),
            Some(b'{') => self.named(),
            Some(b'<' | b'>' | b'&') => (None, self.pos),
            _ => return Ok(None),
        };
        let Some((op, strip_tabs, behind)) = self.redirect_operator(at, fd.is_some()) else {
            return Ok(None);
        };
        self.pos = behind;
        self.skip_blank();
        if !self.at_word() {
            return Err(self.unexpected());
        }
        let target_start = self.pos;
        let mut target = self.word_until(WordEnd::Word)?;
        let raw = self.slice(target_start, self.pos);
        let duplicates = matches!(op, RedirectOp::DupInput | RedirectOp::DupOutput);
        if !duplicates
            && raw.bytes().all(|byte| byte.is_ascii_digit())
            && matches!(self.peek(), Some(b'<' | b'>'))
        {
            return Err(self.unexpected());
        }
        let mut here_doc = None;
        if op == RedirectOp::HereDoc {
            let (delimiter, body) = self.announce_here_doc(raw, strip_tabs)?;
            target = Word { parts: vec![Part::Literal(delimiter)], span: target.span };
            here_doc = Some(body);
        }
        Ok(Some(Redirect { fd, op, target, here_doc, span: self.span_from(start) }))
    }

    /// `2` directly before an operator.
    fn numbered(&mut self) -> (Option<Fd>, usize) {
        let mut at = self.pos;
        let mut number = 0u32;
        while let Some(digit @ b'0'..=b'9') = self.raw(at) {
            number = number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
            at = self.next_offset(at + 1);
        }
        (Some(Fd::Number(number)), at)
    }

    /// `{name}` directly before an operator.
    fn named(&self) -> (Option<Fd>, usize) {
        let none = (None, self.end);
        let Some((name, mut at)) = self.identifier(self.pos + 1) else {
            return none;
        };
        if self.raw(at) == Some(b'[') {
            return self.named_element(at);
        }
        if self.raw(at) != Some(b'}') {
            return none;
        }
        at = self.next_offset(at + 1);
        (Some(Fd::Variable(name)), at)
    }

    /// `{name[index]}` with a plain index.
    fn named_element(&self, bracket: usize) -> (Option<Fd>, usize) {
        let mut at = bracket + 1;
        while self.raw(at).is_some_and(is_name_byte) {
            at += 1;
        }
        if self.raw(at) != Some(b']') || self.raw(at + 1) != Some(b'}') {
            return (None, self.end);
        }
        let name = self.raw_text(self.pos + 1, at + 1);
        (Some(Fd::Variable(name)), self.next_offset(at + 2))
    }

    /// Refuses `{name[…]}` before an operator if the index is not plain: Bash would expand it, and the
    /// tree cannot represent that.
    pub(crate) fn refuse_computed_fd(&mut self, start: usize) -> Parse<()> {
        if !matches!(self.peek(), Some(b'<' | b'>')) {
            return Ok(());
        }
        let text = self.slice(start, self.pos);
        let computed = text.ends_with("]}")
            && self.identifier(start + 1).is_some_and(|(_, end)| self.raw(end) == Some(b'['));
        if computed {
            return Err(self.invalid(start, "a computed subscript in `{name[…]}`"));
        }
        Ok(())
    }

    /// Operator, whether it is `<<-`, and the offset after it.
    fn redirect_operator(&self, at: usize, with_fd: bool) -> Option<(RedirectOp, bool, usize)> {
        use RedirectOp as Op;
        let first = self.raw(at)?;
        let second_at = self.next_offset(at + 1);
        let second = self.raw(second_at);
        let third_at = self.next_offset(second_at + 1);
        let third = self.raw(third_at);
        let (one, two, three) = (second_at, third_at, third_at + 1);
        Some(match (first, second) {
            (b'&', Some(b'>')) if !with_fd => match third {
                Some(b'>') => (Op::AppendBoth, false, three),
                _ => (Op::WriteBoth, false, two),
            },
            (b'<' | b'>', Some(b'(')) => return None,
            (b'<', Some(b'<')) => match third {
                Some(b'<') => (Op::HereString, false, three),
                Some(b'-') => (Op::HereDoc, true, three),
                _ => (Op::HereDoc, false, two),
            },
            (b'<', Some(b'&')) => (Op::DupInput, false, two),
            (b'<', Some(b'>')) => (Op::ReadWrite, false, two),
            (b'<', _) => (Op::Read, false, one),
            (b'>', Some(b'>')) => (Op::Append, false, two),
            (b'>', Some(b'&')) => (Op::DupOutput, false, two),
            (b'>', Some(b'|')) => (Op::Clobber, false, two),
            (b'>', _) => (Op::Write, false, one),
            _ => return None,
        })
    }
}
