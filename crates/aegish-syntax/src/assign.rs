//! Assignments and array literals.
//!
//! Starts where a word starts, returns the assignment if it is one: an unquoted valid name, an optional
//! subscript, and `=` or `+=`. Refuses operators inside of array literals.

use crate::cursor::{Parse, Parser};
use crate::quotes::{ExpandedText, push_literal};
use crate::scan::Group;
use crate::word::WordEnd;
use crate::{ArrayElement, Assignment, AssignmentValue, Part, Word};

/// Whether the word is a command whose arguments may contain array literals.
pub(crate) fn is_declaration(word: &Word) -> bool {
    let [Part::Literal(name)] = word.parts.as_slice() else {
        return false;
    };
    matches!(
        name.as_str(),
        "alias" | "declare" | "eval" | "export" | "let" | "local" | "readonly" | "typeset"
    )
}

impl Parser<'_> {
    /// The assignment at the cursor, if there is one.
    pub(crate) fn assignment(&mut self) -> Parse<Option<Assignment>> {
        let start = self.pos;
        if !self.starts_name(start) {
            return Ok(None);
        }
        let Some(end) = self.name_end(start) else {
            return Ok(None);
        };
        let mut at = end;
        let mut index = None;
        if self.raw(at) == Some(b'[') {
            let close = self.closing(at + 1, Group::Subscript)?;
            if self.equals(self.next_offset(close + 1)).is_none() {
                return Ok(None);
            }
            index = Some((at + 1, close));
            at = self.next_offset(close + 1);
        }
        let Some((append, value)) = self.equals(at) else {
            return Ok(None);
        };
        let Some((name, _)) = self.identifier(start) else {
            return Ok(None);
        };
        let index = match index {
            Some((from, to)) => {
                self.pos = from;
                Some(self.up_to(to, |parser| parser.text_word(ExpandedText::Bracket(false)))?)
            }
            None => None,
        };
        self.pos = value;
        let value = self.assigned()?;
        Ok(Some(Assignment { name, index, append, value, span: self.span_from(start) }))
    }

    /// The offset after the name at `start`, if an assignment can continue there.
    fn name_end(&self, start: usize) -> Option<usize> {
        let mut at = start;
        while let Some(byte) = self.raw(at) {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' => at += 1,
                b'=' | b'[' | b'+' => return Some(at),
                b'\\' if self.raw(at + 1) == Some(b'\n') => at += 2,
                _ => return None,
            }
        }
        None
    }

    /// `=` or `+=` at `at`: whether it appends, and the offset after it.
    fn equals(&self, at: usize) -> Option<(bool, usize)> {
        match self.raw(at)? {
            b'=' => Some((false, at + 1)),
            b'+' => {
                let next = self.next_offset(at + 1);
                (self.raw(next) == Some(b'=')).then_some((true, next + 1))
            }
            _ => None,
        }
    }

    fn assigned(&mut self) -> Parse<AssignmentValue> {
        if self.peek() != Some(b'(') {
            return Ok(AssignmentValue::Scalar(self.word_until(WordEnd::Word)?));
        }
        let start = self.pos;
        let elements = self.array()?;
        if !self.at_word() {
            return Ok(AssignmentValue::Array(elements));
        }
        // `a=(…)b` is one word in Bash.
        let mut parts = vec![Part::Array(elements)];
        self.parts(WordEnd::Word, &mut parts)?;
        self.last = self.pos;
        Ok(AssignmentValue::Scalar(Word { parts, span: self.span(start, self.pos) }))
    }

    /// `( … )`, at the parenthesis.
    fn array(&mut self) -> Parse<Vec<ArrayElement>> {
        self.enter()?;
        let open = self.pos;
        self.pos += 1;
        let mut elements = Vec::new();
        loop {
            self.skip_newlines()?;
            match self.peek() {
                None => return Err(self.unclosed(open, "a parenthesis")),
                Some(b')') => break,
                Some(_) if self.at_word() => elements.push(self.array_element()?),
                Some(_) => return Err(self.unexpected()),
            }
        }
        self.expect(b')')?;
        self.leave();
        Ok(elements)
    }

    fn array_element(&mut self) -> Parse<ArrayElement> {
        if self.peek() == Some(b'[') {
            let open = self.pos;
            let close = self.closing(open + 1, Group::Subscript)?;
            if let Some((_, value)) = self.equals(self.next_offset(close + 1)) {
                self.pos = open + 1;
                let index =
                    self.up_to(close, |parser| parser.text_word(ExpandedText::Bracket(false)))?;
                self.pos = value;
                return Ok(ArrayElement { index: Some(index), value: self.word()? });
            }
            return Ok(ArrayElement { index: None, value: self.bracketed_word(open, close)? });
        }
        Ok(ArrayElement { index: None, value: self.word()? })
    }

    /// A word with a subscript that is not an assignment: blanks in the brackets belong to it.
    fn bracketed_word(&mut self, open: usize, close: usize) -> Parse<Word> {
        let start = self.pos;
        let mut parts = Vec::new();
        push_literal(&mut parts, &self.slice(start, open + 1).replace("\\\n", ""));
        self.pos = open + 1;
        self.up_to(close, |parser| parser.parts(WordEnd::End, &mut parts))?;
        push_literal(&mut parts, "]");
        self.pos = close + 1;
        self.parts(WordEnd::Word, &mut parts)?;
        self.last = self.pos;
        Ok(Word { parts, span: self.span(start, self.pos) })
    }

    /// The first word of a command, which is not an assignment.
    pub(crate) fn first_word(&mut self) -> Parse<Word> {
        let start = self.pos;
        if self.starts_name(start)
            && let Some(open) = self.name_end(start)
            && self.raw(open) == Some(b'[')
        {
            let close = self.closing(open + 1, Group::Subscript)?;
            return self.bracketed_word(open, close);
        }
        self.word()
    }

    /// An argument of a declaration command, possibly `name=(…)`.
    pub(crate) fn declared_word(&mut self) -> Parse<Word> {
        let start = self.pos;
        let Some((name, end)) = self.identifier(start) else {
            return self.word();
        };
        let Some((append, value)) = self.equals(end) else {
            return self.word();
        };
        let value = self.next_offset(value);
        if self.raw(value) != Some(b'(') {
            return self.word();
        }
        let sign = if append { "+=" } else { "=" };
        let mut parts = vec![Part::Literal(format!("{name}{sign}"))];
        self.pos = value;
        parts.push(Part::Array(self.array()?));
        self.parts(WordEnd::Word, &mut parts)?;
        self.last = self.pos;
        Ok(Word { parts, span: self.span(start, self.pos) })
    }
}
