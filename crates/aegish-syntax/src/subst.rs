//! `$…`: simple parameters, command substitution, backticks, arithmetic; `<(…)` and `>(…)`.
//!
//! Starts at the `$`, the backtick or the angle bracket, returns the part. Text that Bash parses only at run
//! time (backticks, `$((…)` that is not arithmetic) cannot make the line invalid; errors in it are deferred
//! errors.

use crate::cursor::{Parse, Parser, PendingHereDoc, is_name_byte};
use crate::quotes::{DollarContext, ExpandedText, push_literal};
use crate::scan::Group;
use crate::{CommandSub, Param, ParamOp, Part, ProcessSub, Script, Word};

impl Parser<'_> {
    /// Reads the expansion that the `$` at the cursor starts.
    pub(crate) fn dollar(&mut self, context: DollarContext, parts: &mut Vec<Part>) -> Parse<()> {
        let start = self.pos;
        self.pos += 1;
        let Some(byte) = self.peek() else {
            push_literal(parts, "$");
            return Ok(());
        };
        let part = match byte {
            b'(' if self.peek_second() == Some(b'(') => self.double_parenthesis(start)?,
            b'(' => {
                let body = self.substitution()?;
                self.command_part(body, false, start)
            }
            b'{' => self.braced_parameter(start, context)?,
            b'[' => self.bracket_arithmetic()?,
            b'\'' if context == DollarContext::Plain => Part::AnsiC(self.ansi_c()?),
            b'"' if context == DollarContext::Plain => self.double_quoted()?,
            b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' | b'0'..=b'9' => {
                self.pos += 1;
                self.simple_parameter(char::from(byte).to_string(), start)
            }
            byte if is_name_byte(byte) => {
                let Some((name, end)) = self.identifier(self.pos) else {
                    return Err(self.unexpected());
                };
                self.pos = end;
                self.simple_parameter(name, start)
            }
            _ => {
                push_literal(parts, "$");
                return Ok(());
            }
        };
        parts.push(part);
        Ok(())
    }

    fn simple_parameter(&self, name: String, start: usize) -> Part {
        Part::Param(Box::new(Param {
            name,
            index: None,
            indirect: false,
            op: ParamOp::Plain,
            span: self.span(start, self.pos),
        }))
    }

    fn command_part(&self, body: Script, backtick: bool, start: usize) -> Part {
        Part::Command(Box::new(CommandSub { body, backtick, span: self.span(start, self.pos) }))
    }

    /// The commands between parentheses, at the opening one.
    pub(crate) fn substitution(&mut self) -> Parse<Script> {
        if let Some((end, script)) = self.substitutions.remove(&self.pos) {
            self.pos = end;
            return Ok(script);
        }
        if self.peek_second() == Some(b'(') {
            // Bash only counts the parentheses of `<((…)…)` before it runs the line.
            let end = self.closing(self.pos + 1, Group::Parenthesis)?;
            self.pos += 1;
            let body = self.later(end)?;
            self.pos = end + 1;
            return Ok(body);
        }
        self.enter()?;
        let open = self.pos;
        self.pos += 1;
        let last = self.last;
        let outer = std::mem::take(&mut self.pending);
        let inside = std::mem::replace(&mut self.in_substitution, true);
        let body = self.list()?;
        self.skip_blank();
        if self.peek().is_none() {
            return Err(self.unclosed(open, "a parenthesis"));
        }
        self.expect(b')')?;
        if self.pending.is_empty() {
            self.pending = outer;
        } else {
            self.postpone_here_docs(outer)?;
        }
        self.in_substitution = inside;
        self.after_redirect = false;
        self.last = last;
        self.leave();
        Ok(Script { body, ..Script::default() })
    }

    /// Bash reads a here-document that `$(…)` leaves open after the current line.
    fn postpone_here_docs(&mut self, outer: Vec<PendingHereDoc>) -> Parse<()> {
        let line_end = self.distance(self.pos, b'\n').map_or(self.end, |found| self.pos + found);
        for left in &mut self.pending {
            left.due.get_or_insert(line_end);
        }
        self.pending.extend(outer);
        self.check_pending()
    }

    /// `<(…)` or `>(…)`, at the angle bracket.
    pub(crate) fn process_substitution(&mut self) -> Parse<Part> {
        let start = self.pos;
        let output = self.raw(self.pos) == Some(b'>');
        self.pos = self.next_offset(self.pos + 1);
        let body = self.substitution()?;
        let span = self.span(start, self.pos);
        Ok(Part::Process(Box::new(ProcessSub { output, body, span })))
    }

    /// `$[…]`, at the bracket.
    fn bracket_arithmetic(&mut self) -> Parse<Part> {
        self.enter()?;
        let inner = self.pos + 1;
        let close = self.closing(inner, Group::Bracket)?;
        let word = self.arithmetic(inner, close)?;
        self.pos = close + 1;
        self.leave();
        Ok(Part::Arith(Box::new(word)))
    }

    /// `$((…))` or `$((…) …)`, at the first parenthesis.
    fn double_parenthesis(&mut self, start: usize) -> Parse<Part> {
        self.enter()?;
        let first = self.pos;
        let inner = self.next_offset(first + 1) + 1;
        let close = self.closing(inner, Group::Parenthesis)?;
        let part = if self.raw(close + 1) == Some(b')') {
            let word = self.arithmetic(inner, close)?;
            self.pos = close + 2;
            Part::Arith(Box::new(word))
        } else {
            let end = self.closing(close + 1, Group::Parenthesis)?;
            self.pos = first + 1;
            let body = self.later(end)?;
            self.pos = end + 1;
            self.command_part(body, false, start)
        };
        self.leave();
        Ok(part)
    }

    /// Commands up to `end` that Bash parses only when it runs the line.
    fn later(&mut self, end: usize) -> Parse<Script> {
        self.enter()?;
        let depth = self.depth;
        let (last, after) = (self.last, self.after_redirect);
        let outer = std::mem::take(&mut self.pending);
        let inside = std::mem::replace(&mut self.in_substitution, false);
        let mut script = Script::default();
        let result = self.up_to(end, |parser| parser.lines(&mut script));
        self.depth = depth;
        self.leave();
        self.pending = outer;
        self.in_substitution = inside;
        (self.last, self.after_redirect) = (last, after);
        if let Err(error) = result {
            self.defer(error)?;
        }
        Ok(script)
    }

    /// `` `…` ``, at the opening one. `quoted`: inside double quotes.
    pub(crate) fn backticks(&mut self, quoted: bool) -> Parse<Part> {
        self.enter()?;
        let start = self.pos;
        let mut text = String::new();
        let mut at = start + 1;
        let mut copied = at;
        loop {
            match self.raw(at) {
                None => return Err(self.unclosed(start, "a backtick")),
                Some(b'`') => break,
                Some(b'\\') => {
                    let next = self.raw(at + 1);
                    if matches!(next, Some(b'$' | b'`' | b'\\')) || (quoted && next == Some(b'"')) {
                        text.push_str(self.slice(copied, at));
                        copied = at + 1;
                    } else if next == Some(b'\n') {
                        text.push_str(self.slice(copied, at));
                        copied = at + 2;
                    }
                    at += 2;
                }
                Some(_) => at += 1,
            }
        }
        text.push_str(self.slice(copied, at));
        self.pos = at + 1;
        let span = self.span(start, self.pos);
        let mut body = Script::default();
        let result = self.within(&text, span, |parser| parser.lines(&mut body));
        if let Err(error) = result {
            self.defer(error)?;
        }
        self.leave();
        Ok(self.command_part(body, true, start))
    }

    /// The arithmetic of `((…))` at the cursor, if it is one.
    pub(crate) fn arithmetic_command(&mut self) -> Parse<Option<(usize, usize)>> {
        let inner = self.next_offset(self.pos + 1) + 1;
        let close = self.closing(inner, Group::Parenthesis)?;
        Ok((self.raw(close + 1) == Some(b')')).then_some((inner, close)))
    }

    /// The text between `start` and `end` as arithmetic.
    pub(crate) fn arithmetic(&mut self, start: usize, end: usize) -> Parse<Word> {
        let mut parts = Vec::new();
        self.pos = start;
        self.expanded_later(end, |parser| parser.text(ExpandedText::Arith, &mut parts))?;
        Ok(Word { parts, span: self.span(start, end) })
    }

    /// Reads a part of known extent that Bash looks into only when it expands it.
    pub(crate) fn expanded_later(
        &mut self,
        end: usize,
        read: impl FnOnce(&mut Self) -> Parse<()>,
    ) -> Parse<()> {
        let (depth, last) = (self.depth, self.last);
        let result = self.up_to(end, read);
        (self.depth, self.last) = (depth, last);
        match result {
            Ok(()) => Ok(()),
            Err(error) => self.defer(error),
        }
    }
}
