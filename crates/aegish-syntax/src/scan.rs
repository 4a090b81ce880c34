//! Finds the end of a bracketed group without parsing it: `((…))`, `$((…))`, `a[…]`.
//!
//! Bash counts brackets and skips quotes before it decides what a group is. Command substitutions inside are
//! parsed completely, because only the grammar shows their end. They are kept, so that nothing is parsed
//! twice.

use crate::cursor::{Parse, Parser};

/// A kind of group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    /// `(…)` of arithmetic, an extended glob or a regular expression.
    Parenthesis,
    /// `$[…]`
    Bracket,
    /// `a[…]`
    Subscript,
    /// `${…}`
    Brace,
}

impl Group {
    /// Bash skips `${…}` and `$[…]` as a whole only in these.
    fn nests(self) -> bool {
        matches!(self, Self::Subscript | Self::Brace)
    }
}

impl Parser<'_> {
    /// The offset of the bracket that closes the group, searched from `start` (behind the opening).
    pub(crate) fn closing(&mut self, start: usize, group: Group) -> Parse<usize> {
        if matches!(group, Group::Parenthesis | Group::Bracket)
            && let Some(&found) = self.closings.get(&start)
        {
            return Ok(found);
        }
        let outer = self.pos;
        self.pos = start;
        let found = self.scan(group)?;
        self.pos = outer;
        Ok(found)
    }

    /// Moves the cursor behind the closing bracket and returns its offset.
    fn scan(&mut self, group: Group) -> Parse<usize> {
        self.enter()?;
        let start = self.pos;
        let (open, close) = match group {
            Group::Parenthesis => (b'(', b')'),
            Group::Bracket | Group::Subscript => (b'[', b']'),
            Group::Brace => (b'{', b'}'),
        };
        let mut opened: Vec<usize> = Vec::new();
        loop {
            let Some(byte) = self.raw(self.pos) else {
                return Err(self.unclosed(start.saturating_sub(1), "a bracket"));
            };
            if byte == close {
                let at = self.pos;
                self.pos += 1;
                let Some(inner) = opened.pop() else {
                    self.leave();
                    return Ok(at);
                };
                if self.is_looked_up(group, inner) {
                    self.closings.insert(inner, at);
                }
            } else if byte == open && group != Group::Brace {
                self.pos += 1;
                opened.push(self.pos);
            } else {
                self.step(byte, group)?;
            }
        }
    }

    /// Whether the end of the inner group that starts behind `inner` will be needed.
    fn is_looked_up(&self, group: Group, inner: usize) -> bool {
        let Some(before) = inner.checked_sub(2).and_then(|at| self.bytes.get(at)) else {
            return false;
        };
        match group {
            Group::Parenthesis => b"(@*+?!".contains(before),
            Group::Bracket => *before == b'$',
            Group::Subscript | Group::Brace => false,
        }
    }

    /// Skips one element: a quoted string, an expansion, or a byte.
    fn step(&mut self, byte: u8, group: Group) -> Parse<()> {
        match byte {
            b'\\' => self.pos = (self.pos + 2).min(self.end),
            b'\'' => {
                self.single_quoted()?;
            }
            b'"' => self.step_double_quotes()?,
            b'`' => self.step_backticks()?,
            b'$' => self.step_dollar(group.nests(), true)?,
            b'<' | b'>' if group.nests() && self.peek_second() == Some(b'(') => {
                self.pos = self.next_offset(self.pos + 1);
                self.step_substitution()?;
            }
            _ => self.pos += 1,
        }
        Ok(())
    }

    fn step_dollar(&mut self, nests: bool, quotes: bool) -> Parse<()> {
        self.pos = self.next_offset(self.pos + 1);
        match self.raw(self.pos) {
            Some(b'(') => {
                let second = self.next_offset(self.pos + 1);
                if self.raw(second) == Some(b'(') {
                    self.pos = second + 1;
                    let close = self.scan(Group::Parenthesis)?;
                    self.closings.insert(second + 1, close);
                    if self.raw(self.pos) == Some(b')') {
                        self.pos += 1;
                    } else {
                        let rest = self.pos;
                        let close = self.scan(Group::Parenthesis)?;
                        self.closings.insert(rest, close);
                    }
                    Ok(())
                } else {
                    self.step_substitution()
                }
            }
            Some(b'{') if nests => {
                self.pos += 1;
                self.scan(Group::Brace).map(|_| ())
            }
            Some(b'[') if nests => {
                self.pos += 1;
                self.scan(Group::Bracket).map(|_| ())
            }
            Some(b'\'') if quotes => self.ansi_c().map(|_| ()),
            // `$$(` is the process number and a parenthesis.
            Some(b'$') => {
                self.pos += 1;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn step_substitution(&mut self) -> Parse<()> {
        let start = self.pos;
        let script = self.substitution()?;
        self.substitutions.insert(start, (self.pos, script));
        Ok(())
    }

    fn step_double_quotes(&mut self) -> Parse<()> {
        self.enter()?;
        let start = self.pos;
        self.pos += 1;
        loop {
            match self.raw(self.pos) {
                None => return Err(self.unclosed(start, "a double quote")),
                Some(b'"') => break,
                Some(b'\\') => self.pos = (self.pos + 2).min(self.end),
                Some(b'`') => self.step_backticks()?,
                Some(b'$') => self.step_dollar(true, false)?,
                Some(_) => self.pos += 1,
            }
        }
        self.pos += 1;
        self.leave();
        Ok(())
    }

    fn step_backticks(&mut self) -> Parse<()> {
        let start = self.pos;
        self.pos += 1;
        loop {
            match self.raw(self.pos) {
                None => return Err(self.unclosed(start, "a backtick")),
                Some(b'`') => break,
                Some(b'\\') => self.pos = (self.pos + 2).min(self.end),
                Some(_) => self.pos += 1,
            }
        }
        self.pos += 1;
        Ok(())
    }
}
