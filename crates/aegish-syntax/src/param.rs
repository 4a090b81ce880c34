//! `${…}`.
//!
//! Starts at the brace, returns the parameter with its operator. When Bash parses, it only searches the
//! closing brace. What it calls a bad substitution at run time becomes a parameter with an empty name and
//! [`ParamOp::Error`], and a deferred error.

use crate::cursor::{Parse, Parser};
use crate::quotes::{DollarContext, ExpandedText};
use crate::word::WordEnd;
use crate::{Param, ParamOp, Part, ReplaceScope, SyntaxErrorKind, Word};

impl Parser<'_> {
    /// `${…}`, at the brace.
    pub(crate) fn braced_parameter(&mut self, start: usize, context: DollarContext) -> Parse<Part> {
        self.enter()?;
        self.pos += 1;
        let mut param = Param {
            name: String::new(),
            index: None,
            indirect: false,
            op: ParamOp::Plain,
            span: self.span(start, start),
        };
        let inside = self.pos;
        let understood = self.parameter(&mut param, context)? && self.peek() == Some(b'}');
        if !understood {
            // The parts read so far go into the word, so that nothing is parsed twice.
            let error = self.error(SyntaxErrorKind::Deferred, inside, "bad substitution");
            let mut word = param.index.take().unwrap_or_default();
            let rest = self.parameter_word(context)?;
            word.parts.extend(rest.parts);
            word.span = self.span(inside, self.pos);
            param.name.clear();
            param.indirect = false;
            param.op = ParamOp::Error { colon: true, word };
            if self.peek() != Some(b'}') {
                return Err(self.unclosed(start, "`${`"));
            }
            self.defer(error)?;
        }
        self.pos += 1;
        param.span = self.span(start, self.pos);
        self.leave();
        Ok(Part::Param(Box::new(param)))
    }

    /// Reads up to the closing brace; `false` for a bad substitution.
    fn parameter(&mut self, param: &mut Param, context: DollarContext) -> Parse<bool> {
        match self.peek() {
            Some(b'#') if self.is_length() => {
                self.pos += 1;
                param.op = ParamOp::Length;
                return self.parameter_name(param);
            }
            Some(b'!') if self.is_indirect() => {
                self.pos += 1;
                param.indirect = true;
            }
            _ => {}
        }
        if !self.parameter_name(param)? {
            return Ok(false);
        }
        if param.indirect && param.index.is_none() && self.is_name_list() {
            param.op = ParamOp::Names(self.peek() == Some(b'@'));
            self.pos += 1;
            return Ok(true);
        }
        match self.operator(context)? {
            Some(op) => param.op = op,
            None => return Ok(false),
        }
        Ok(true)
    }

    /// Whether `#` is the length operator: only a parameter follows it.
    fn is_length(&self) -> bool {
        let next = self.next_offset(self.pos + 1);
        let Some(byte) = self.raw(next) else {
            return false;
        };
        if matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') {
            let after = self.next_offset(next + 1);
            return self.raw(after) == Some(b'}')
                || (matches!(byte, b'@' | b'*') && self.raw(after) != Some(b'}'));
        }
        byte.is_ascii_alphanumeric() || byte == b'_'
    }

    fn is_indirect(&self) -> bool {
        let next = self.next_offset(self.pos + 1);
        match self.raw(next) {
            Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                let after = self.next_offset(next + 1);
                self.raw(after) == Some(b'}')
                    || matches!(self.raw(next), Some(b'@' | b'*' | b'#' | b'$' | b'!'))
            }
            Some(byte) => byte.is_ascii_alphanumeric() || byte == b'_',
            None => false,
        }
    }

    fn is_name_list(&mut self) -> bool {
        matches!(self.peek(), Some(b'@' | b'*')) && self.peek_second() == Some(b'}')
    }

    /// Name and subscript; `false` if there is no name.
    fn parameter_name(&mut self, param: &mut Param) -> Parse<bool> {
        let Some(byte) = self.peek() else {
            return Ok(false);
        };
        if byte.is_ascii_digit() {
            while let Some(digit @ b'0'..=b'9') = self.peek() {
                param.name.push(char::from(digit));
                self.pos += 1;
            }
            return Ok(true);
        }
        if let Some((name, end)) = self.identifier(self.pos) {
            param.name = name;
            self.pos = end;
        } else if byte == b'$'
            && matches!(self.peek_second(), Some(b'{' | b'(' | b'[' | b'\'' | b'"'))
        {
            return Ok(false);
        } else if matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') {
            param.name.push(char::from(byte));
            self.pos += 1;
            return Ok(true);
        } else {
            return Ok(false);
        }
        if self.peek() == Some(b'[') {
            self.pos += 1;
            param.index = Some(self.text_word(ExpandedText::Bracket(true))?);
            if self.peek() != Some(b']') {
                return Ok(false);
            }
            self.pos += 1;
        }
        Ok(true)
    }

    fn operator(&mut self, context: DollarContext) -> Parse<Option<ParamOp>> {
        let Some(byte) = self.peek() else {
            return Ok(None);
        };
        if byte == b'}' {
            return Ok(Some(ParamOp::Plain));
        }
        if !b":-=?+#%/^,~@".contains(&byte) {
            return Ok(None);
        }
        self.pos += 1;
        let doubled = self.peek() == Some(byte);
        Ok(Some(match byte {
            b':' => match self.peek() {
                Some(operator @ (b'-' | b'=' | b'?' | b'+')) => {
                    self.pos += 1;
                    self.fallback(operator, true, context)?
                }
                _ => self.substring()?,
            },
            b'-' | b'=' | b'?' | b'+' => self.fallback(byte, false, context)?,
            b'#' | b'%' => {
                self.pos += usize::from(doubled);
                let pattern = self.word_until(WordEnd::Brace)?;
                if byte == b'#' {
                    ParamOp::RemovePrefix { longest: doubled, pattern }
                } else {
                    ParamOp::RemoveSuffix { longest: doubled, pattern }
                }
            }
            b'/' => self.replacement()?,
            b'^' | b',' | b'~' => {
                self.pos += usize::from(doubled);
                let pattern = if byte == b'~' {
                    self.parameter_word(context)?
                } else {
                    self.word_until(WordEnd::Brace)?
                };
                let pattern = (!pattern.parts.is_empty()).then_some(pattern);
                ParamOp::Case { change: char::from(byte), all: doubled, pattern }
            }
            b'@' => match self.peek() {
                Some(operator) if operator.is_ascii_alphabetic() => {
                    self.pos += 1;
                    ParamOp::Transform(char::from(operator))
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        }))
    }

    fn fallback(&mut self, operator: u8, colon: bool, context: DollarContext) -> Parse<ParamOp> {
        let word = self.parameter_word(context)?;
        Ok(match operator {
            b'-' => ParamOp::Default { colon, word },
            b'=' => ParamOp::Assign { colon, word },
            b'?' => ParamOp::Error { colon, word },
            _ => ParamOp::Alternative { colon, word },
        })
    }

    /// A word up to the closing brace, quoted like the whole expansion.
    fn parameter_word(&mut self, context: DollarContext) -> Parse<Word> {
        match context {
            DollarContext::Plain => self.word_until(WordEnd::Brace),
            DollarContext::Quoted => self.text_word(ExpandedText::Brace),
            DollarContext::Here => self.text_word(ExpandedText::BraceHere),
        }
    }

    fn substring(&mut self) -> Parse<ParamOp> {
        let offset = self.text_word(ExpandedText::Offset)?;
        let length = if self.peek() == Some(b':') {
            self.pos += 1;
            Some(self.text_word(ExpandedText::Length)?)
        } else {
            None
        };
        Ok(ParamOp::Substring { offset, length })
    }

    /// `/pattern/word` behind the first slash.
    fn replacement(&mut self) -> Parse<ParamOp> {
        let scope = match self.peek() {
            Some(b'/') => ReplaceScope::All,
            Some(b'#') => ReplaceScope::Prefix,
            Some(b'%') => ReplaceScope::Suffix,
            _ => ReplaceScope::First,
        };
        let start = self.pos;
        let mut parts = Vec::new();
        if scope != ReplaceScope::First {
            self.pos += 1;
        }
        // A slash right behind `//` is part of the pattern.
        if scope == ReplaceScope::All && self.peek() == Some(b'/') {
            parts.push(Part::Literal("/".to_owned()));
            self.pos += 1;
        }
        self.parts(WordEnd::BraceSlash, &mut parts)?;
        let pattern = Word { parts, span: self.span(start, self.pos) };
        let with = if self.peek() == Some(b'/') {
            self.pos += 1;
            Some(self.word_until(WordEnd::Brace)?)
        } else {
            None
        };
        Ok(ParamOp::Replace { scope, pattern, with })
    }
}
