//! The parser's state: a byte cursor over the text, the bounds, and pending here-documents.
//!
//! Takes only the text; gives bytes, blanks, newlines, spans and errors to the other modules. Bash removes a
//! backslash followed by a newline almost everywhere before it reads the text, so every look-ahead here does
//! so too, except where a module reads raw bytes (single quotes, comments, quoted here-documents).

use std::collections::BTreeMap;

use crate::{Comment, Limits, Script, Span, SyntaxError, SyntaxErrorKind, Word};

/// Inner functions return a boxed error, so that results are small on the stack.
pub(crate) type Parse<T> = Result<T, Box<SyntaxError>>;

/// A here-document whose body has not been reached yet.
#[derive(Debug, Clone)]
pub(crate) struct PendingHereDoc {
    /// Index into [`Parser::bodies`].
    pub(crate) id: usize,
    /// Its delimiter.
    pub(crate) delimiter: String,
    /// Whether the delimiter was quoted, so that nothing is expanded.
    pub(crate) quoted: bool,
    /// `<<-`
    pub(crate) strip_tabs: bool,
    /// Set for a here-document of a closed `$(…)`: it must be read at the newline at this offset.
    pub(crate) due: Option<usize>,
}

/// The state of one parse.
pub(crate) struct Parser<'s> {
    pub(crate) source: &'s str,
    pub(crate) bytes: &'s [u8],
    /// Offset of the next byte.
    pub(crate) pos: usize,
    /// The current end of the text; lowered while a part of known extent is read.
    pub(crate) end: usize,
    /// Offset after the last token.
    pub(crate) last: usize,
    pub(crate) depth: usize,
    pub(crate) max_depth: usize,
    /// Number of parts of words that may still be read.
    pub(crate) parts_left: usize,
    /// Set while reading text that is not part of the original source.
    pub(crate) fixed: Option<Span>,
    pub(crate) pending: Vec<PendingHereDoc>,
    /// Bodies of here-documents, put into the tree when the line is complete.
    pub(crate) bodies: Vec<Option<Word>>,
    /// Whether the text ended before the delimiter of a here-document.
    pub(crate) open_here_doc: bool,
    /// Whether this is inside `$(…)`, where a here-document may end on the line of the closing parenthesis.
    pub(crate) in_substitution: bool,
    /// Whether the last command ended in a redirection, so that no reserved word may follow without a
    /// separator.
    pub(crate) after_redirect: bool,
    /// Whether the next simple command cannot define a function.
    pub(crate) no_function: bool,
    /// The first failure that Bash would only notice when it expands the text.
    pub(crate) deferred: Option<Box<SyntaxError>>,
    /// How often an ambiguous construct may still be read twice.
    pub(crate) retries: usize,
    /// Closing parentheses found while deciding about an enclosing `((`, by offset of the opening.
    pub(crate) closings: BTreeMap<usize, usize>,
    /// Comments, possibly twice: a look-ahead may pass one again.
    pub(crate) comments: Vec<Comment>,
    pub(crate) here_docs: Vec<Span>,
    /// Command substitutions found while searching the end of a group, with the offset after them.
    pub(crate) substitutions: BTreeMap<usize, (usize, Script)>,
}

impl<'s> Parser<'s> {
    pub(crate) fn new(source: &'s str, limits: &Limits) -> Self {
        Self {
            source,
            bytes: source.as_bytes(),
            pos: 0,
            end: source.len(),
            last: 0,
            depth: 0,
            max_depth: limits.max_depth,
            parts_left: limits.max_parts,
            fixed: None,
            pending: Vec::new(),
            bodies: Vec::new(),
            open_here_doc: false,
            in_substitution: false,
            after_redirect: false,
            no_function: false,
            deferred: None,
            retries: 4,
            closings: BTreeMap::new(),
            comments: Vec::new(),
            here_docs: Vec::new(),
            substitutions: BTreeMap::new(),
        }
    }

    /// Parses `text`, which is derived from the source at `span`, with a new parser.
    pub(crate) fn within<T>(
        &mut self,
        text: &str,
        span: Span,
        read: impl FnOnce(&mut Parser<'_>) -> Parse<T>,
    ) -> Parse<T> {
        let limits =
            Limits { max_bytes: usize::MAX, max_depth: self.max_depth, max_parts: self.parts_left };
        let mut inner = Parser::new(text, &limits);
        inner.fixed = Some(span);
        inner.depth = self.depth;
        inner.retries = self.retries;
        let result = read(&mut inner);
        self.retries = inner.retries;
        self.parts_left = inner.parts_left;
        self.comments.append(&mut inner.comments);
        if self.deferred.is_none() {
            self.deferred = inner.deferred;
        }
        result
    }

    /// Runs `read` with the text ending at `end`.
    pub(crate) fn up_to<T>(
        &mut self,
        end: usize,
        read: impl FnOnce(&mut Self) -> Parse<T>,
    ) -> Parse<T> {
        let outer = std::mem::replace(&mut self.end, end);
        let result = read(self);
        self.end = outer;
        result
    }

    /// Enters one level. Levels are not left on errors: an error ends the parse or restores the state.
    pub(crate) fn enter(&mut self) -> Parse<()> {
        if self.depth >= self.max_depth {
            return Err(self.error(SyntaxErrorKind::Limit, self.pos, "nested too deeply"));
        }
        self.depth += 1;
        Ok(())
    }

    /// Counts one more part of a word.
    pub(crate) fn count_part(&mut self) -> Parse<()> {
        match self.parts_left.checked_sub(1) {
            Some(left) => {
                self.parts_left = left;
                Ok(())
            }
            None => Err(self.error(SyntaxErrorKind::Limit, self.pos, "too many words")),
        }
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Skips escaped newlines.
    #[inline]
    pub(crate) fn join_lines(&mut self) {
        self.pos = self.next_offset(self.pos);
    }

    /// The next byte, or `None` at the end.
    #[inline]
    pub(crate) fn peek(&mut self) -> Option<u8> {
        self.join_lines();
        self.raw(self.pos)
    }

    /// The byte after the next one.
    #[inline]
    pub(crate) fn peek_second(&mut self) -> Option<u8> {
        self.join_lines();
        let next = self.next_offset(self.pos + 1);
        self.raw(next)
    }

    /// `offset`, or the offset after escaped newlines at `offset`.
    #[inline]
    pub(crate) fn next_offset(&self, mut offset: usize) -> usize {
        while self.raw(offset) == Some(b'\\') && self.raw(offset + 1) == Some(b'\n') {
            offset += 2;
        }
        offset
    }

    /// The byte at `offset`, ignoring escaped newlines.
    #[inline]
    pub(crate) fn raw(&self, offset: usize) -> Option<u8> {
        if offset < self.end { self.bytes.get(offset).copied() } else { None }
    }

    /// The text between two offsets, which are inside the text and at character boundaries.
    #[inline]
    pub(crate) fn slice(&self, from: usize, to: usize) -> &'s str {
        self.source.get(from..to).unwrap_or_default()
    }

    /// The distance from `offset` to the next `byte`.
    pub(crate) fn distance(&self, offset: usize, byte: u8) -> Option<usize> {
        let rest = self.bytes.get(offset..self.end).unwrap_or_default();
        rest.iter().position(|&found| found == byte)
    }

    /// Whether a name could start at `offset`.
    pub(crate) fn starts_name(&self, offset: usize) -> bool {
        self.raw(offset).is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
    }

    /// Consumes the next byte if it is `byte`.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        if self.peek() == Some(byte) {
            self.pos += 1;
            self.last = self.pos;
            return true;
        }
        false
    }

    /// Consumes `byte` or fails.
    pub(crate) fn expect(&mut self, byte: u8) -> Parse<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Skips blanks, escaped newlines and a comment.
    pub(crate) fn skip_blank(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'#') => {
                    let start = self.pos;
                    while self.raw(self.pos).is_some_and(|byte| byte != b'\n') {
                        self.pos += 1;
                    }
                    let text = self.slice(start, self.pos).to_owned();
                    self.comments.push(Comment { span: self.span(start, self.pos), text });
                }
                _ => return,
            }
        }
    }

    /// Skips blanks, comments and newlines; reads here-documents on the way.
    pub(crate) fn skip_newlines(&mut self) -> Parse<()> {
        loop {
            self.skip_blank();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    /// Consumes a newline and the here-documents behind it.
    pub(crate) fn newline(&mut self) -> Parse<()> {
        let at = self.pos;
        self.pos += 1;
        if self.pending.is_empty() { Ok(()) } else { self.read_here_docs(at) }
    }

    /// A span in the text of the outermost parser.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        self.fixed.unwrap_or_else(|| Span::new(start, end))
    }

    /// From `start` to the last token.
    pub(crate) fn span_from(&self, start: usize) -> Span {
        self.span(start, self.last.max(start))
    }

    pub(crate) fn error(
        &self,
        kind: SyntaxErrorKind,
        at: usize,
        message: impl Into<String>,
    ) -> Box<SyntaxError> {
        let end = self
            .source
            .get(at..)
            .unwrap_or_default()
            .chars()
            .next()
            .map_or(at, |found| at + found.len_utf8());
        Box::new(SyntaxError { kind, span: self.span(at, end), message: message.into() })
    }

    /// The text ends inside something that must be closed by `closing`.
    pub(crate) fn unclosed(&self, at: usize, opening: &str) -> Box<SyntaxError> {
        let whole = self.fixed.is_none() && self.end == self.source.len();
        let kind = if whole { SyntaxErrorKind::Incomplete } else { SyntaxErrorKind::Invalid };
        self.error(kind, at, format!("{opening} is never closed"))
    }

    /// The error for an unexpected token at the cursor.
    pub(crate) fn unexpected(&mut self) -> Box<SyntaxError> {
        match self.peek() {
            None if self.fixed.is_none() && self.end == self.source.len() => {
                self.error(SyntaxErrorKind::Incomplete, self.pos, "the text ends too early")
            }
            None => self.error(SyntaxErrorKind::Invalid, self.pos, "a part ends too early"),
            Some(b'\n') => self.error(SyntaxErrorKind::Invalid, self.pos, "unexpected end of line"),
            Some(_) => {
                let found = self.slice(self.pos, self.source.len()).chars().next().unwrap_or(' ');
                self.error(SyntaxErrorKind::Invalid, self.pos, format!("unexpected `{found}`"))
            }
        }
    }

    pub(crate) fn invalid(&self, at: usize, message: &str) -> Box<SyntaxError> {
        self.error(SyntaxErrorKind::Invalid, at, message)
    }

    /// Records a failure that Bash only notices while expanding; bounds stay hard errors.
    pub(crate) fn defer(&mut self, error: Box<SyntaxError>) -> Parse<()> {
        if error.kind == SyntaxErrorKind::Limit {
            return Err(error);
        }
        if self.deferred.is_none() {
            let mut error = error;
            error.kind = SyntaxErrorKind::Deferred;
            self.deferred = Some(error);
        }
        Ok(())
    }

    /// An identifier at `offset`, with the offset after it.
    pub(crate) fn identifier(&self, offset: usize) -> Option<(String, usize)> {
        let mut at = self.next_offset(offset);
        let mut name = String::new();
        loop {
            let start = at;
            while self.raw(at).is_some_and(is_name_byte) {
                at += 1;
            }
            name.push_str(self.slice(start, at));
            let next = self.next_offset(at);
            if next == at {
                break;
            }
            at = next;
        }
        match name.bytes().next() {
            Some(first) if !first.is_ascii_digit() => Some((name, at)),
            _ => None,
        }
    }
}

/// Letters, digits and the underscore.
#[inline]
pub(crate) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
