//! The expression inside `[[ … ]]`.
//!
//! Starts behind `[[`, returns the expression and consumes `]]`. Refuses what Bash refuses, for instance an
//! operator without operand or a newline before an operator.

use crate::cursor::{Parse, Parser};
use crate::keyword::Keyword;
use crate::word::WordEnd;
use crate::{CommandKind, Cond, Part, Word};

impl Parser<'_> {
    pub(crate) fn conditional(&mut self) -> Parse<CommandKind> {
        let expression = self.cond_or()?;
        self.expect_keyword(Keyword::CloseCond)?;
        Ok(CommandKind::Cond(expression))
    }

    fn cond_or(&mut self) -> Parse<Cond> {
        let mut terms = vec![self.cond_and()?];
        while self.peek() == Some(b'|') && self.peek_second() == Some(b'|') {
            self.pos = self.next_offset(self.pos + 1) + 1;
            terms.push(self.cond_and()?);
        }
        Ok(balance(terms, Cond::Or))
    }

    fn cond_and(&mut self) -> Parse<Cond> {
        let mut terms = vec![self.cond_term()?];
        while self.peek() == Some(b'&') && self.peek_second() == Some(b'&') {
            self.pos = self.next_offset(self.pos + 1) + 1;
            terms.push(self.cond_term()?);
        }
        Ok(balance(terms, Cond::And))
    }

    fn cond_term(&mut self) -> Parse<Cond> {
        self.enter()?;
        self.skip_newlines()?;
        let term = if self.eat(b'(') {
            let inner = self.cond_or()?;
            self.expect(b')')?;
            self.skip_newlines()?;
            inner
        } else if let Some(end) = self.plain_word(b"!") {
            self.take(end);
            Cond::Not(Box::new(self.cond_term()?))
        } else {
            self.cond_test()?
        };
        self.leave();
        Ok(term)
    }

    /// A test on one or two words.
    fn cond_test(&mut self) -> Parse<Cond> {
        let left = self.cond_word()?;
        if let Some(operator) = unary(&left) {
            let operand = self.cond_word()?;
            self.skip_newlines()?;
            return Ok(Cond::Unary(operator, operand));
        }
        self.skip_blank();
        let operator = match self.peek() {
            Some(byte @ (b'<' | b'>'))
                if !matches!(self.peek_second(), Some(b'(' | b'<' | b'>' | b'&' | b'|')) =>
            {
                self.pos += 1;
                char::from(byte).to_string()
            }
            Some(b')') => return Ok(Cond::Word(left)),
            Some(b'&') if self.peek_second() == Some(b'&') => return Ok(Cond::Word(left)),
            Some(b'|') if self.peek_second() == Some(b'|') => return Ok(Cond::Word(left)),
            _ if matches!(self.keyword(), Some((Keyword::CloseCond, _))) => {
                return Ok(Cond::Word(left));
            }
            _ => {
                let at = self.pos;
                let word = self.cond_word()?;
                match binary(&word) {
                    Some(operator) => operator,
                    None => return Err(self.invalid(at, "a conditional operator is expected")),
                }
            }
        };
        let right = if operator == "=~" { self.regex_word()? } else { self.cond_word()? };
        self.skip_newlines()?;
        Ok(Cond::Binary(left, operator, right))
    }

    fn cond_word(&mut self) -> Parse<Word> {
        self.skip_blank();
        if !self.at_word() || matches!(self.keyword(), Some((Keyword::CloseCond, _))) {
            return Err(self.unexpected());
        }
        let start = self.pos;
        let word = self.word()?;
        let digits = self.slice(start, self.pos).bytes().all(|byte| byte.is_ascii_digit());
        if digits && matches!(self.peek(), Some(b'<' | b'>')) {
            return Err(self.unexpected());
        }
        Ok(word)
    }

    fn regex_word(&mut self) -> Parse<Word> {
        self.skip_blank();
        let starts = matches!(self.peek(), Some(b'(' | b'|')) || self.at_word();
        if !starts || matches!(self.keyword(), Some((Keyword::CloseCond, _))) {
            return Err(self.unexpected());
        }
        self.word_until(WordEnd::Regex)
    }
}

/// Joins terms to a tree whose height grows only with the logarithm of their number.
fn balance(mut terms: Vec<Cond>, join: fn(Box<Cond>, Box<Cond>) -> Cond) -> Cond {
    while terms.len() > 1 {
        let mut joined = Vec::with_capacity(terms.len().div_ceil(2));
        let mut rest = terms.into_iter();
        while let Some(left) = rest.next() {
            joined.push(match rest.next() {
                Some(right) => join(Box::new(left), Box::new(right)),
                None => left,
            });
        }
        terms = joined;
    }
    terms.pop().unwrap_or(Cond::Word(Word::default()))
}

fn plain(word: &Word) -> Option<&str> {
    match word.parts.as_slice() {
        [Part::Literal(text)] => Some(text),
        _ => None,
    }
}

fn unary(word: &Word) -> Option<String> {
    let text = plain(word)?;
    let letter = text.strip_prefix('-')?;
    (letter.len() == 1 && "abcdefghknoprstuvwxzGLNORS".contains(letter)).then(|| text.to_owned())
}

fn binary(word: &Word) -> Option<String> {
    let text = plain(word)?;
    let known = matches!(
        text,
        "=" | "=="
            | "!="
            | "=~"
            | "-nt"
            | "-ot"
            | "-ef"
            | "-eq"
            | "-ne"
            | "-lt"
            | "-le"
            | "-gt"
            | "-ge"
    );
    known.then(|| text.to_owned())
}
