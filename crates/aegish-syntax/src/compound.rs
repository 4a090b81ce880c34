//! Compound commands: groups, loops, branches, functions, coprocesses.
//!
//! Reads the compound command at the cursor, if there is one.

use crate::cursor::{Parse, Parser};
use crate::keyword::Keyword;
use crate::quotes::ExpandedText;
use crate::word::is_meta;
use crate::{CaseArm, CaseEnd, Command, CommandKind, List, Word};

impl Parser<'_> {
    /// The compound command, function or coprocess at the cursor; `None` for a simple command.
    pub(crate) fn compound_command(&mut self) -> Parse<Option<Command>> {
        if self.peek() == Some(b'(') {
            return self.body().map(Some);
        }
        let Some((keyword, end)) = self.keyword() else {
            return Ok(None);
        };
        match keyword {
            Keyword::Function => self.function(end).map(Some),
            Keyword::Coproc => self.coprocess(end).map(Some),
            keyword if keyword.opens() => self.body().map(Some),
            _ => Err(self.unexpected()),
        }
    }

    /// A compound command that can be the body of a function, with its redirections.
    fn body(&mut self) -> Parse<Command> {
        self.enter()?;
        self.skip_blank();
        let start = self.pos;
        let kind = if self.peek() == Some(b'(') {
            self.parentheses()?
        } else {
            match self.keyword() {
                Some((keyword, end)) if keyword.opens() => self.keyword_command(keyword, end)?,
                _ => return Err(self.unexpected()),
            }
        };
        let redirects = self.redirects()?;
        self.after_redirect = !redirects.is_empty();
        let span = self.span_from(start);
        self.leave();
        Ok(Command { kind, redirects, span })
    }

    fn parentheses(&mut self) -> Parse<CommandKind> {
        if self.peek_second() == Some(b'(')
            && let Some((start, end)) = self.arithmetic_command()?
        {
            let word = self.arithmetic(start, end)?;
            self.take(end + 2);
            return Ok(CommandKind::Arith(word));
        }
        let open = self.pos;
        self.pos += 1;
        let list = self.list()?;
        if self.peek().is_none() {
            return Err(self.unclosed(open, "a parenthesis"));
        }
        if list.items.is_empty() {
            return Err(self.unexpected());
        }
        self.expect(b')')?;
        Ok(CommandKind::Subshell(list))
    }

    fn keyword_command(&mut self, keyword: Keyword, end: usize) -> Parse<CommandKind> {
        self.take(end);
        match keyword {
            Keyword::OpenBrace => {
                let list = self.full_list()?;
                self.expect_keyword(Keyword::CloseBrace)?;
                Ok(CommandKind::Group(list))
            }
            Keyword::If => self.branches(),
            Keyword::While | Keyword::Until => {
                let condition = self.full_list()?;
                self.expect_keyword(Keyword::Do)?;
                let body = self.full_list()?;
                self.expect_keyword(Keyword::Done)?;
                Ok(CommandKind::While { until: keyword == Keyword::Until, condition, body })
            }
            Keyword::For => self.for_loop(),
            Keyword::Select => {
                self.skip_blank();
                let (name, words, body) = self.loop_over_words()?;
                Ok(CommandKind::Select { name, words, body })
            }
            Keyword::Case => self.case(),
            _ => self.conditional(),
        }
    }

    /// Behind `if`.
    fn branches(&mut self) -> Parse<CommandKind> {
        let mut branches = Vec::new();
        loop {
            let condition = self.full_list()?;
            self.expect_keyword(Keyword::Then)?;
            branches.push((condition, self.full_list()?));
            if !self.eat_keyword(Keyword::Elif) {
                break;
            }
        }
        let otherwise =
            if self.eat_keyword(Keyword::Else) { Some(self.full_list()?) } else { None };
        self.expect_keyword(Keyword::Fi)?;
        Ok(CommandKind::If { branches, otherwise })
    }

    fn for_loop(&mut self) -> Parse<CommandKind> {
        self.skip_blank();
        if self.peek() == Some(b'(') {
            return self.arithmetic_for();
        }
        let (name, words, body) = self.loop_over_words()?;
        Ok(CommandKind::For { name, words, body })
    }

    /// `((…;…;…))` and the body.
    fn arithmetic_for(&mut self) -> Parse<CommandKind> {
        if self.peek_second() != Some(b'(') {
            return Err(self.unexpected());
        }
        let Some((start, end)) = self.arithmetic_command()? else {
            return Err(self.invalid(self.pos, "a loop needs `((…;…;…))`"));
        };
        self.pos = start;
        let mut expressions: Vec<Word> = Vec::new();
        self.up_to(end, |parser| {
            loop {
                expressions.push(parser.text_word(ExpandedText::ArithFor)?);
                if parser.peek() != Some(b';') {
                    return Ok(());
                }
                parser.pos += 1;
            }
        })?;
        let Ok([init, condition, step]) = <[Word; 3]>::try_from(expressions) else {
            return Err(self.invalid(start, "a loop needs three expressions"));
        };
        self.take(end + 2);
        self.skip_blank();
        if self.peek() == Some(b';') {
            self.pos += 1;
        }
        self.skip_newlines()?;
        let body = self.loop_body()?;
        Ok(CommandKind::ForArith { init, condition, step, body })
    }

    /// `name [in words]` and the body.
    fn loop_over_words(&mut self) -> Parse<(String, Option<Vec<Word>>, List)> {
        if !self.at_word() {
            return Err(self.unexpected());
        }
        let name = self.name_word()?;
        self.skip_blank();
        if self.peek() == Some(b';') && !matches!(self.peek_second(), Some(b';' | b'&')) {
            self.pos += 1;
            self.skip_newlines()?;
            return Ok((name, None, self.loop_body()?));
        }
        let separated = self.peek() == Some(b'\n');
        self.skip_newlines()?;
        match self.keyword() {
            Some((Keyword::In, end)) => self.take(end),
            Some((Keyword::OpenBrace, _)) if !separated => return Err(self.unexpected()),
            _ => return Ok((name, None, self.loop_body()?)),
        }
        let mut words = Vec::new();
        loop {
            self.skip_blank();
            if !self.at_word() {
                break;
            }
            words.push(self.word()?);
        }
        match self.peek() {
            Some(b';') if !matches!(self.peek_second(), Some(b';' | b'&')) => self.pos += 1,
            Some(b'\n') => {}
            _ => return Err(self.unexpected()),
        }
        self.skip_newlines()?;
        let body = self.loop_body()?;
        Ok((name, Some(words), body))
    }

    /// `do …; done` or `{ …; }`
    fn loop_body(&mut self) -> Parse<List> {
        let close = match self.keyword() {
            Some((Keyword::Do, end)) => {
                self.take(end);
                Keyword::Done
            }
            Some((Keyword::OpenBrace, end)) => {
                self.take(end);
                Keyword::CloseBrace
            }
            _ => return Err(self.unexpected()),
        };
        let body = self.full_list()?;
        self.expect_keyword(close)?;
        Ok(body)
    }

    /// Behind `case`.
    fn case(&mut self) -> Parse<CommandKind> {
        self.skip_blank();
        if !self.at_word() {
            return Err(self.unexpected());
        }
        let word = self.word()?;
        self.skip_newlines()?;
        self.expect_keyword(Keyword::In)?;
        let mut arms = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.eat_keyword(Keyword::Esac) {
                return Ok(CommandKind::Case { word, arms });
            }
            let (arm, last) = self.case_arm()?;
            arms.push(arm);
            if last {
                self.expect_keyword(Keyword::Esac)?;
                return Ok(CommandKind::Case { word, arms });
            }
        }
    }

    /// One arm, and whether it ends without `;;`.
    fn case_arm(&mut self) -> Parse<(CaseArm, bool)> {
        if self.eat(b'(') {
            self.skip_blank();
        }
        let mut patterns = Vec::new();
        loop {
            self.skip_blank();
            if !self.at_word() {
                return Err(self.unexpected());
            }
            patterns.push(self.word()?);
            self.skip_blank();
            if self.eat(b')') {
                break;
            }
            if self.peek() != Some(b'|') || self.peek_second() == Some(b'|') {
                return Err(self.unexpected());
            }
            self.pos += 1;
        }
        let body = self.list()?;
        let (end, last) = match (self.peek(), self.peek_second()) {
            (Some(b';'), Some(b';')) => {
                self.pos = self.next_offset(self.pos + 1) + 1;
                if self.peek() == Some(b'&') {
                    self.pos += 1;
                    (CaseEnd::TryNext, false)
                } else {
                    (CaseEnd::Break, false)
                }
            }
            (Some(b';'), Some(b'&')) => {
                self.pos = self.next_offset(self.pos + 1) + 1;
                (CaseEnd::FallThrough, false)
            }
            _ => (CaseEnd::Break, true),
        };
        Ok((CaseArm { patterns, body, end }, last))
    }

    /// `function name [()] body`, with `function` ending at `end`.
    fn function(&mut self, end: usize) -> Parse<Command> {
        let start = self.pos;
        self.take(end);
        self.skip_blank();
        if !self.at_word() {
            return Err(self.unexpected());
        }
        let name = self.name_word()?;
        self.skip_blank();
        if self.peek() == Some(b'(') {
            let open = self.pos;
            self.pos += 1;
            self.skip_blank();
            if !self.eat(b')') {
                self.pos = open;
            }
        }
        self.skip_newlines()?;
        self.function_body(start, name)
    }

    /// `() body` behind a name.
    pub(crate) fn function_parentheses(&mut self, start: usize, name: String) -> Parse<Command> {
        self.expect(b'(')?;
        self.skip_blank();
        self.expect(b')')?;
        self.skip_newlines()?;
        self.function_body(start, name)
    }

    fn function_body(&mut self, start: usize, name: String) -> Parse<Command> {
        let body = Box::new(self.body()?);
        let kind = CommandKind::Function { name, body };
        Ok(Command { kind, redirects: Vec::new(), span: self.span_from(start) })
    }

    /// `coproc [NAME] command`, with `coproc` ending at `end`.
    fn coprocess(&mut self, end: usize) -> Parse<Command> {
        self.enter()?;
        let start = self.pos;
        self.take(end);
        self.skip_blank();
        let mut name = None;
        if let Some(after) = self.coprocess_name()? {
            name = Some(self.slice(self.pos, after).replace("\\\n", ""));
            self.pos = after;
            self.skip_blank();
        }
        let body = if self.at_body() {
            self.body()?
        } else if self.keyword().is_some_and(|(keyword, _)| keyword != Keyword::Time) {
            return Err(self.unexpected());
        } else {
            self.no_function = true;
            self.simple_command()?
        };
        let kind = CommandKind::Coproc { name, body: Box::new(body) };
        let span = self.span_from(start);
        self.leave();
        Ok(Command { kind, redirects: Vec::new(), span })
    }

    fn at_body(&mut self) -> bool {
        self.peek() == Some(b'(') || self.keyword().is_some_and(|(keyword, _)| keyword.opens())
    }

    /// The offset after a plain word that is followed by a compound command.
    fn coprocess_name(&mut self) -> Parse<Option<usize>> {
        if self.at_body() || !self.at_word() {
            return Ok(None);
        }
        let start = self.pos;
        let mut at = start;
        while let Some(byte) = self.raw(at) {
            if is_meta(byte) {
                break;
            }
            let escaped_newline = byte == b'\\' && self.raw(at + 1) == Some(b'\n');
            if matches!(byte, b'\'' | b'"' | b'`' | b'$' | b'\\' | b'=') && !escaped_newline {
                return Ok(None);
            }
            at += if escaped_newline { 2 } else { 1 };
        }
        self.pos = at;
        self.skip_blank();
        let found = self.at_body();
        let reserved = matches!(self.keyword(), Some((keyword, _)) if keyword != Keyword::Time);
        if reserved && !found {
            return Err(self.unexpected());
        }
        self.pos = start;
        Ok(found.then_some(at))
    }

    /// A word that Bash uses as a name without expanding it.
    fn name_word(&mut self) -> Parse<String> {
        let start = self.pos;
        self.word()?;
        Ok(self.raw_text(start, self.pos))
    }

    /// The source between two offsets, without escaped newlines.
    pub(crate) fn raw_text(&self, start: usize, end: usize) -> String {
        self.slice(start, end).replace("\\\n", "")
    }
}
