//! Expect: patterns with the code that runs when a program prints what matches.

use super::words::{Cursor, Until, Word, arguments, is_blank};
use super::{Mode, Parsed, Tcl};
use crate::ir::{Block, Expr, Statement};

/// Deepest nesting of commands whose clauses are lowered twice.
const DEEPEST: u32 = 3;

impl Tcl<'_> {
    /// `expect`, `interact` and their relatives.
    pub(super) fn expect_command(
        &mut self,
        name: &str,
        words: &mut Vec<Word>,
        mode: &Mode,
        out: &mut Block,
    ) -> Parsed<bool> {
        let listed = match words.as_slice() {
            [only] => only.literal().and_then(braced),
            [option, only] if option.literal() == Some("-brace") => only.literal(),
            _ => None,
        };
        let code = listed.map(str::to_owned);
        if code.is_none() && words.len() < 2 {
            return Ok(false);
        }
        let given = std::mem::take(words);
        let first = match &code {
            Some(code) => self.clause_words(code)?,
            None => given,
        };
        let outer = std::mem::replace(&mut self.again, false);
        self.expects += 1;
        let (branches, rest) = self.clauses(first);
        out.extend(rest);
        out.push(Statement::Branch(branches));
        let repeats = std::mem::replace(&mut self.again, outer);
        // `exp_continue` waits again: the clauses see what other clauses did.
        if repeats || name != "expect" {
            match &code {
                Some(code) if self.expects <= DEEPEST => {
                    let words = self.clause_words(code)?;
                    let (branches, rest) = self.clauses(words);
                    out.extend(rest);
                    out.push(Statement::Branch(branches));
                    self.again = outer;
                }
                Some(_) => self.lowering.cut = true,
                None => {}
            }
        }
        self.expects -= 1;
        let value = self.call(name, Vec::new());
        Self::give(mode, value, out);
        Ok(true)
    }

    /// The words of clauses that are written in one pair of braces.
    fn clause_words(&mut self, code: &str) -> Parsed<Vec<Word>> {
        let mut cursor = Cursor::new(code);
        let mut words = Vec::new();
        loop {
            cursor.blanks();
            match cursor.next() {
                None => return Ok(words),
                Some('\n' | ';') => cursor.skip(1),
                Some('#') => {
                    let length = cursor.rest().find('\n').unwrap_or(cursor.rest().len());
                    cursor.skip(length);
                }
                Some(_) => words.push(self.word(&mut cursor, Until::End)?),
            }
        }
    }

    /// Each clause may run, or none. The values of patterns may run commands.
    fn clauses(&mut self, words: Vec<Word>) -> (Vec<(Option<Expr>, Block)>, Block) {
        let mut branches = Vec::new();
        let mut values = Vec::new();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match word.literal() {
                Some("-i" | "-timeout" | "-input" | "-output" | "-u") => {
                    values.extend(words.next());
                }
                Some(flag)
                    if flag.len() > 1
                        && flag.starts_with('-')
                        && flag.bytes().skip(1).all(|b| b.is_ascii_lowercase()) => {}
                _ => {
                    values.push(word);
                    if let Some(code) = words.next() {
                        let body = self.body_of(code, &Mode::Drop);
                        branches.push((Some(Expr::Unknown), body));
                    }
                }
            }
        }
        let mut before = Vec::new();
        let dynamic = values.into_iter().filter(|word| word.literal().is_none());
        for argument in arguments(dynamic) {
            if let crate::ir::Argument::One(value) | crate::ir::Argument::Spread(value) = argument {
                before.push(Statement::Expr(value));
            }
        }
        branches.push((None, Vec::new()));
        (branches, before)
    }
}

/// The clauses of a single word: one that begins with the end of a line.
fn braced(text: &str) -> Option<&str> {
    text.trim_start_matches(is_blank).starts_with('\n').then_some(text)
}
