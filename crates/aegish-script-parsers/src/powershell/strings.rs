//! Quoted texts, here-strings, and what is inserted into them.

use super::cursor::{is_double_quote, is_name, is_single_quote};
use super::{Parsed, Reader, Rejected, text};
use crate::ir::{Constant, Expr};
use std::rc::Rc;

/// The parts of a text; plain text next to each other is one part.
#[derive(Default)]
pub(super) struct Parts {
    list: Vec<Expr>,
    plain: String,
}

impl Parts {
    pub(super) fn push(&mut self, c: char) {
        self.plain.push(c);
    }

    pub(super) fn push_str(&mut self, text: &str) {
        self.plain.push_str(text);
    }

    pub(super) fn add(&mut self, part: Expr) {
        if !self.plain.is_empty() {
            self.list.push(text(&std::mem::take(&mut self.plain)));
        }
        self.list.push(part);
    }

    pub(super) fn finish(mut self) -> Expr {
        if self.list.is_empty() {
            return Expr::Constant(Constant::Text(Rc::from(self.plain)));
        }
        if !self.plain.is_empty() {
            self.list.push(text(&self.plain));
        }
        Expr::Build(self.list)
    }
}

impl Reader<'_> {
    /// A text in single quotes.
    pub(super) fn single_quoted(&mut self) -> Parsed<String> {
        self.bump();
        let mut out = String::new();
        while let Some(c) = self.bump() {
            if is_single_quote(c) {
                if !self.peek().is_some_and(is_single_quote) {
                    return Ok(out);
                }
                self.bump();
            }
            out.push(c);
        }
        Err(Rejected)
    }

    /// A text in double quotes.
    pub(super) fn double_quoted(&mut self) -> Parsed<Expr> {
        self.bump();
        let mut parts = Parts::default();
        loop {
            let Some(c) = self.peek() else { return Err(Rejected) };
            if is_double_quote(c) {
                self.bump();
                if !self.peek().is_some_and(is_double_quote) {
                    return Ok(parts.finish());
                }
                self.bump();
                parts.push(c);
            } else {
                self.text_part(&mut parts)?;
            }
        }
    }

    /// One character of a text, an escape, or what is inserted.
    pub(super) fn text_part(&mut self, parts: &mut Parts) -> Parsed<()> {
        match self.peek() {
            Some('`') => {
                self.bump();
                self.escape(parts);
            }
            Some('$') => match self.inserted()? {
                Some(value) => parts.add(value),
                None => {
                    self.bump();
                    parts.push('$');
                }
            },
            Some(c) => {
                self.bump();
                parts.push(c);
            }
            None => return Err(Rejected),
        }
        Ok(())
    }

    /// A variable or the output of statements inside of a text; none if the dollar sign is plain text.
    fn inserted(&mut self) -> Parsed<Option<Expr>> {
        match self.second() {
            Some('(') => {
                self.at += 1;
                Ok(Some(self.output_of_statements()?))
            }
            Some('{') => Ok(Some(self.variable()?)),
            Some(c) if is_name(c) || matches!(c, '?' | '^' | '$') => Ok(Some(self.variable()?)),
            _ => Ok(None),
        }
    }

    /// What stands behind a backtick.
    pub(super) fn escape(&mut self, parts: &mut Parts) {
        let Some(c) = self.bump() else { return };
        let made = match c {
            '0' => '\0',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' => '\u{1b}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'u' if self.starts("{") => {
                let rest = self.rest();
                let end = rest.find('}').unwrap_or(0);
                let code = rest.get(1..end).and_then(|code| u32::from_str_radix(code, 16).ok());
                match code.and_then(char::from_u32) {
                    Some(made) => {
                        self.at += end + 1;
                        made
                    }
                    None => 'u',
                }
            }
            '\r' if self.starts("\n") => {
                self.at += 1;
                '\n'
            }
            other => other,
        };
        parts.push(made);
    }

    /// `@'…'@` and `@"…"@`.
    pub(super) fn here_string(&mut self) -> Parsed<Expr> {
        self.bump();
        let quote = self.bump().ok_or(Rejected)?;
        let plain = is_single_quote(quote);
        let ends = |c: char| if plain { is_single_quote(c) } else { is_double_quote(c) };
        self.while_is(|c| c == ' ' || c == '\t');
        if !(self.takes("\r\n") || self.takes("\n")) {
            return Err(Rejected);
        }
        let mut parts = Parts::default();
        let mut first = true;
        loop {
            // A line that starts with the closing sign ends the text before the end of the line above.
            let rest = self.rest();
            let line_end = if first {
                0
            } else if rest.starts_with("\r\n") {
                2
            } else {
                usize::from(rest.starts_with('\n'))
            };
            if first || line_end > 0 {
                let below = rest.get(line_end..).unwrap_or("");
                let mut chars = below.chars();
                if let Some(c) = chars.next().filter(|c| ends(*c))
                    && chars.next() == Some('@')
                {
                    self.at += line_end + c.len_utf8() + 1;
                    return Ok(parts.finish());
                }
            }
            first = false;
            if line_end > 0 {
                parts.push_str(rest.get(..line_end).unwrap_or(""));
                self.at += line_end;
            } else if plain {
                parts.push(self.bump().ok_or(Rejected)?);
            } else {
                self.text_part(&mut parts)?;
            }
        }
    }
}
