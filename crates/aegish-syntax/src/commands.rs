//! Scripts, lists, pipelines and simple commands.
//!
//! [`Parser::lines`] is the outermost rule: it reads line by line, as Bash does.

use crate::assign::is_declaration;
use crate::cursor::{Parse, Parser};
use crate::keyword::Keyword;
use crate::{
    AndOr, Command, CommandKind, Connector, List, Pipeline, Redirect, Script, SimpleCommand,
    SyntaxErrorKind,
};

impl Parser<'_> {
    /// All lines up to the end. On an error, `script` holds those before it.
    pub(crate) fn lines(&mut self, script: &mut Script) -> Parse<()> {
        loop {
            self.skip_newlines()?;
            if self.peek().is_none() {
                return Ok(());
            }
            let mut items = Vec::new();
            self.line(&mut items)?;
            match self.peek() {
                None => self.close_here_docs(),
                Some(b'\n') => self.newline()?,
                Some(_) => return Err(self.unexpected()),
            }
            self.place_here_docs(&mut items);
            script.body.items.append(&mut items);
        }
    }

    /// One line, up to its newline.
    fn line(&mut self, items: &mut Vec<AndOr>) -> Parse<()> {
        loop {
            let mut item = self.and_or()?;
            self.skip_blank();
            let separated = self.separator(&mut item)?;
            items.push(item);
            self.skip_blank();
            if !separated || matches!(self.peek(), None | Some(b'\n')) {
                return Ok(());
            }
        }
    }

    /// Consumes `;` or `&`.
    fn separator(&mut self, item: &mut AndOr) -> Parse<bool> {
        match self.peek() {
            Some(b';') if !matches!(self.peek_second(), Some(b';' | b'&')) => self.pos += 1,
            Some(b'&') if !matches!(self.peek_second(), Some(b'&' | b'>')) => {
                self.pos += 1;
                item.background = true;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A list that must not be empty.
    pub(crate) fn full_list(&mut self) -> Parse<List> {
        let list = self.list()?;
        if list.items.is_empty() { Err(self.unexpected()) } else { Ok(list) }
    }

    /// Commands up to a closing word, `)`, `;;` or the end, which are not consumed.
    pub(crate) fn list(&mut self) -> Parse<List> {
        let mut list = List::default();
        loop {
            self.skip_newlines()?;
            if self.at_list_end() {
                return Ok(list);
            }
            let mut item = self.and_or()?;
            self.skip_blank();
            let separated = self.separator(&mut item)?;
            list.items.push(item);
            if !separated && self.peek() != Some(b'\n') {
                let closed = matches!(self.peek(), None | Some(b')' | b';'));
                if !closed && (self.after_redirect || !self.at_list_end()) {
                    return Err(self.unexpected());
                }
                return Ok(list);
            }
        }
    }

    fn at_list_end(&mut self) -> bool {
        match self.peek() {
            None | Some(b')') => true,
            Some(b';') => matches!(self.peek_second(), Some(b';' | b'&')),
            _ => self.keyword().is_some_and(|(keyword, _)| keyword.closes()),
        }
    }

    fn and_or(&mut self) -> Parse<AndOr> {
        self.skip_blank();
        let start = self.pos;
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let end = self.last;
            self.skip_blank();
            let connector = match (self.peek(), self.peek_second()) {
                (Some(b'&'), Some(b'&')) => Connector::And,
                (Some(b'|'), Some(b'|')) => Connector::Or,
                _ => {
                    self.last = end;
                    let span = self.span_from(start);
                    return Ok(AndOr { first, rest, background: false, span });
                }
            };
            self.pos = self.next_offset(self.pos + 1) + 1;
            self.skip_newlines()?;
            rest.push((connector, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Parse<Pipeline> {
        self.skip_blank();
        let start = self.pos;
        let mut pipeline = Pipeline {
            negated: false,
            timed: false,
            commands: Vec::new(),
            with_stderr: Vec::new(),
            span: self.span(start, start),
        };
        let mut prefixed = false;
        loop {
            match self.keyword() {
                Some((Keyword::Bang, end)) => {
                    if self.raw(end) == Some(b'(') {
                        self.negation_or_glob(&mut pipeline, end)?;
                        break;
                    }
                    self.take(end);
                    pipeline.negated = !pipeline.negated;
                }
                Some((Keyword::Time, end)) => {
                    self.take(end);
                    pipeline.timed = true;
                    self.time_options();
                }
                _ => break,
            }
            prefixed = true;
            self.skip_blank();
        }
        if pipeline.commands.is_empty() {
            let ended = match self.peek() {
                None | Some(b'\n') => true,
                Some(b';') => !matches!(self.peek_second(), Some(b';' | b'&')),
                _ => false,
            };
            if prefixed && ended {
                pipeline.span = self.span_from(start);
                return Ok(pipeline);
            }
            // Room for exactly one stage: nearly all pipelines have one, and commands are large.
            pipeline.commands = vec![self.command()?];
        }
        self.stages(&mut pipeline)?;
        pipeline.span = self.span_from(start);
        Ok(pipeline)
    }

    /// The commands behind the first.
    fn stages(&mut self, pipeline: &mut Pipeline) -> Parse<()> {
        loop {
            self.skip_blank();
            if self.peek() != Some(b'|') {
                return Ok(());
            }
            let second = self.peek_second();
            if second == Some(b'|') {
                return Ok(());
            }
            self.pos += 1;
            let with_stderr = second == Some(b'&');
            if with_stderr {
                self.pos = self.next_offset(self.pos) + 1;
            }
            self.skip_newlines()?;
            pipeline.with_stderr.push(with_stderr);
            let command = match self.keyword() {
                Some((Keyword::Bang, end)) if self.raw(end) != Some(b'(') => {
                    return Err(self.unexpected());
                }
                Some((Keyword::Bang | Keyword::Time, _)) => self.simple_command()?,
                _ => self.command()?,
            };
            pipeline.commands.push(command);
        }
    }

    /// `!(…)`: a negated subshell, or a pattern with `extglob`. `extglob` is off by default, so the subshell
    /// is tried first.
    fn negation_or_glob(&mut self, pipeline: &mut Pipeline, behind: usize) -> Parse<()> {
        let (start, last, depth) = (self.pos, self.last, self.depth);
        let comments = self.comments.len();
        let (pending, deferred) = (self.pending.clone(), self.deferred.clone());
        self.take(behind);
        match self.command() {
            Ok(command) => {
                pipeline.negated = !pipeline.negated;
                pipeline.commands.push(command);
                Ok(())
            }
            Err(error) if error.kind == SyntaxErrorKind::Limit || self.retries == 0 => Err(error),
            Err(_) => {
                self.retries -= 1;
                (self.pos, self.last, self.depth) = (start, last, depth);
                (self.pending, self.deferred) = (pending, deferred);
                self.comments.truncate(comments);
                pipeline.commands.push(self.simple_command()?);
                Ok(())
            }
        }
    }

    /// `-p` and `--` behind `time`.
    fn time_options(&mut self) {
        for option in [b"-p", b"--"] {
            self.skip_blank();
            if let Some(end) = self.plain_word(option) {
                self.take(end);
            }
        }
    }

    /// A command with its redirections.
    pub(crate) fn command(&mut self) -> Parse<Command> {
        self.skip_blank();
        if let Some(command) = self.compound_command()? {
            return Ok(command);
        }
        self.simple_command()
    }

    /// Assignments, words and redirections, or a function definition.
    pub(crate) fn simple_command(&mut self) -> Parse<Command> {
        self.enter()?;
        let start = self.pos;
        let mut simple = SimpleCommand::default();
        let mut redirects: Vec<Redirect> = Vec::new();
        let mut declares = false;
        let no_function = std::mem::take(&mut self.no_function);
        let mut first_end = start;
        loop {
            self.skip_blank();
            let Some(byte) = self.peek() else { break };
            match byte {
                b'\n' | b';' | b'|' | b')' => break,
                b'(' => {
                    let alone = simple.words.len() == 1 && simple.assignments.is_empty();
                    if alone && redirects.is_empty() && !no_function {
                        let name = self.raw_text(start, first_end);
                        let command = self.function_parentheses(start, name)?;
                        self.leave();
                        return Ok(command);
                    }
                    return Err(self.unexpected());
                }
                b'<' | b'>' | b'&' | b'{' | b'0'..=b'9' => {
                    if let Some(redirect) = self.redirect()? {
                        redirects.push(redirect);
                        // Bash does not treat `declare` as a declaration after a redirection.
                        declares = false;
                        continue;
                    }
                    if byte == b'&' {
                        break;
                    }
                }
                _ => {}
            }
            let word_start = self.pos;
            if simple.words.is_empty() {
                if let Some(assignment) = self.assignment()? {
                    simple.assignments.push(assignment);
                    continue;
                }
                let word = self.first_word()?;
                declares = is_declaration(&word);
                first_end = self.pos;
                simple.words.push(word);
            } else {
                let word = if declares { self.declared_word()? } else { self.word()? };
                simple.words.push(word);
            }
            if byte == b'{' {
                self.refuse_computed_fd(word_start)?;
            }
        }
        if simple.words.is_empty() && simple.assignments.is_empty() && redirects.is_empty() {
            return Err(self.unexpected());
        }
        self.after_redirect = false;
        let span = self.span_from(start);
        self.leave();
        Ok(Command { kind: CommandKind::Simple(simple), redirects, span })
    }
}

impl List {
    /// A list of this command alone.
    #[must_use]
    pub fn of(command: Command) -> Self {
        let span = command.span;
        let (commands, with_stderr) = (vec![command], Vec::new());
        let first = Pipeline { negated: false, timed: false, commands, with_stderr, span };
        Self { items: vec![AndOr { first, rest: Vec::new(), background: false, span }] }
    }
}
