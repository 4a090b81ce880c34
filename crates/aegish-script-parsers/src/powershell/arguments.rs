//! The words behind the name of a command.

use super::cursor::{ends_word, is_dash, is_double_quote, is_name, is_single_quote};
use super::strings::Parts;
use super::{Parsed, Reader, Rejected, name, text};
use crate::ir::{Argument, Constant, Expr, Item};

impl Reader<'_> {
    /// All arguments up to the end of the command.
    pub(super) fn command_arguments(
        &mut self,
        out: &mut Vec<Argument>,
        redirections: &mut Vec<[Expr; 3]>,
    ) -> Parsed<()> {
        loop {
            self.blanks();
            match self.peek() {
                None | Some('\n' | '\r' | ';' | '|' | ')' | '}') => return Ok(()),
                Some('&') => {
                    return Ok(());
                }
                Some('<') => return Err(Rejected),
                _ => {}
            }
            if self.redirection(redirections)? {
                continue;
            }
            if self.starts("--%") && self.rest().get(3..4).is_none_or(ends_word_text) {
                self.at += 3;
                self.verbatim(out);
                return Ok(());
            }
            if self.peek().is_some_and(is_dash)
                && self.second().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '?')
            {
                self.parameter(out)?;
                continue;
            }
            let value = self.argument_list()?;
            out.push(Argument::One(value));
        }
    }

    /// `-Name` or `-Name:value`.
    fn parameter(&mut self, out: &mut Vec<Argument>) -> Parsed<()> {
        let start = self.at;
        self.bump();
        let word = self.while_is(|c| !ends_word(c) && c != ':' && c != '\'' && c != '"');
        let plain = !word.contains(['$', '`'])
            && !word.chars().any(|c| is_single_quote(c) || is_double_quote(c));
        let behind = self.peek();
        if !plain || !matches!(behind, None | Some(':')) && !behind.is_some_and(ends_word) {
            // A word of a program: `-o"$x"`.
            self.at = start;
            let value = self.argument_list()?;
            out.push(Argument::One(value));
            return Ok(());
        }
        if behind == Some(':') {
            self.bump();
            out.push(Argument::One(name(&format!("-{word}:"))));
            if self.peek().is_none_or(|c| c.is_whitespace() || ")};|".contains(c)) {
                self.blanks();
                if self.peek().is_none_or(|c| "\r\n)};|".contains(c)) {
                    return Ok(());
                }
            }
            let value = self.argument_list()?;
            out.push(Argument::One(value));
            return Ok(());
        }
        out.push(Argument::One(name(&format!("-{word}"))));
        Ok(())
    }

    /// An argument, or a list of several with commas between them.
    fn argument_list(&mut self) -> Parsed<Expr> {
        let mut items = vec![self.argument()?];
        loop {
            let start = self.at;
            self.blanks();
            if !self.takes(",") {
                self.at = start;
                break;
            }
            self.lines();
            items.push(self.argument()?);
        }
        match items.len() {
            1 => items.pop().ok_or(Rejected),
            _ => Ok(Expr::List(items.into_iter().map(Item::One).collect())),
        }
    }

    /// One argument.
    pub(super) fn argument(&mut self) -> Parsed<Expr> {
        self.enter()?;
        let value = self.argument_at()?;
        self.lowering.leave();
        Ok(value)
    }

    fn argument_at(&mut self) -> Parsed<Expr> {
        let c = self.peek().ok_or(Rejected)?;
        match c {
            '$' if self.second().is_some_and(|c| is_name(c) || "({?^$".contains(c)) => {
                let value = self.primary()?;
                // `$x/name` is one word.
                if self.peek().is_none_or(ends_word) || self.starts("[") {
                    return Ok(value);
                }
                let mut parts = Parts::default();
                parts.add(value);
                self.word_parts(&mut parts)?;
                Ok(parts.finish())
            }
            '(' | '{' => self.primary(),
            '@' => match self.second() {
                Some('(' | '{') => self.primary(),
                Some(c) if is_single_quote(c) || is_double_quote(c) => self.primary(),
                Some(c) if is_name(c) => {
                    // The items of a variable are arguments of their own.
                    let value = self.variable()?;
                    Ok(Expr::Tuple(vec![Item::One(name("<splat>")), Item::One(value)]))
                }
                _ => self.bare_word(),
            },
            ',' => {
                self.bump();
                self.lines();
                let value = self.argument()?;
                Ok(Self::list_of(vec![value]))
            }
            c if is_single_quote(c) || is_double_quote(c) => self.primary(),
            c if ends_word(c) => Err(Rejected),
            _ => {
                let word = self.bare_word()?;
                Ok(number_in(word))
            }
        }
    }

    /// A word without quotes around it.
    pub(super) fn bare_word(&mut self) -> Parsed<Expr> {
        let mut parts = Parts::default();
        self.word_parts(&mut parts)?;
        Ok(parts.finish())
    }

    fn word_parts(&mut self, parts: &mut Parts) -> Parsed<()> {
        while let Some(c) = self.peek() {
            if ends_word(c) {
                break;
            }
            if is_single_quote(c) {
                let quoted = self.single_quoted()?;
                parts.push_str(&quoted);
            } else if is_double_quote(c) {
                let quoted = self.double_quoted()?;
                parts.add(quoted);
            } else if self.starts("`e") {
                // A newer escape, which makes no sense in a word.
                self.at += 2;
                parts.push('e');
            } else if self.starts("`\n") || self.starts("`\r\n") {
                break;
            } else {
                self.text_part(parts)?;
            }
        }
        Ok(())
    }

    /// The words behind `--%`: only the end of the line and a pipe end them.
    fn verbatim(&mut self, out: &mut Vec<Argument>) {
        let line = self.while_is(|c| c != '\n' && c != '\r' && c != '|');
        let mut word = String::new();
        let mut quoted = false;
        let mut any = false;
        for c in line.chars() {
            match c {
                '"' => {
                    quoted = !quoted;
                    any = true;
                }
                c if c.is_whitespace() && !quoted => {
                    if any {
                        out.push(Argument::One(expanded(&std::mem::take(&mut word))));
                        any = false;
                    }
                }
                c => {
                    word.push(c);
                    any = true;
                }
            }
        }
        if any {
            out.push(Argument::One(expanded(&word)));
        }
    }
}

/// A word behind `--%`; variables such as `%HOME%` are not followed.
fn expanded(word: &str) -> Expr {
    if word.matches('%').count() > 1 { Expr::Unknown } else { text(word) }
}

fn ends_word_text(text: &str) -> bool {
    text.chars().all(ends_word)
}

/// A word that is written like a number is one.
fn number_in(word: Expr) -> Expr {
    match &word {
        Expr::Constant(Constant::Text(text)) => match text.parse::<i64>() {
            Ok(number) if number.to_string() == **text => Expr::Constant(Constant::Int(number)),
            _ => word,
        },
        _ => word,
    }
}
