//! Here-documents: delimiters, bodies, and inserting the bodies into the tree.
//!
//! A body follows the line of its redirection, when the tree of that line is not complete. So the redirection
//! first gets a placeholder; the body is read at the next newline and inserted when the line is complete. A
//! body without its delimiter reaches to the end of the text, as in Bash.

use crate::cursor::{Parse, Parser, PendingHereDoc};
use crate::quotes::ExpandedText;
use crate::{Part, Span, SyntaxErrorKind, Word};

/// Bash itself allows no more.
const MOST_PENDING: usize = 16;

/// The placeholder of the body with this number.
pub(crate) fn placeholder(id: usize) -> Word {
    Word { parts: Vec::new(), span: Span { start: u32::try_from(id).unwrap_or(0), end: u32::MAX } }
}

/// The number of the body that this placeholder is for.
pub(crate) fn placeholder_id(word: &Word) -> Option<usize> {
    (word.span.end == u32::MAX && word.parts.is_empty()).then_some(word.span.start as usize)
}

impl Parser<'_> {
    /// Registers a here-document; returns its placeholder.
    pub(crate) fn announce_here_doc(
        &mut self,
        raw: &str,
        strip_tabs: bool,
    ) -> Parse<(String, Word)> {
        let (delimiter, quoted) = remove_quotes(raw);
        let id = self.bodies.len();
        self.bodies.push(None);
        self.pending.push(PendingHereDoc {
            id,
            delimiter: delimiter.clone(),
            quoted,
            strip_tabs,
            due: None,
        });
        self.check_pending()?;
        Ok((delimiter, placeholder(id)))
    }

    pub(crate) fn check_pending(&self) -> Parse<()> {
        if self.pending.len() <= MOST_PENDING {
            return Ok(());
        }
        let message = "too many here-documents on one line";
        Err(self.error(SyntaxErrorKind::Limit, self.pos, message))
    }

    /// Reads the bodies after the newline at `newline`.
    pub(crate) fn read_here_docs(&mut self, newline: usize) -> Parse<()> {
        for document in std::mem::take(&mut self.pending) {
            if document.due.is_some_and(|due| due != newline) {
                return Err(self.invalid(newline, "a here-document begins inside of quotes"));
            }
            self.read_here_doc(&document)?;
        }
        Ok(())
    }

    /// Gives an empty body to here-documents without one.
    pub(crate) fn close_here_docs(&mut self) {
        let span = self.span(self.end, self.end);
        for document in std::mem::take(&mut self.pending) {
            self.open_here_doc = true;
            self.fill_here_doc(document.id, Word { parts: Vec::new(), span });
        }
    }

    /// `id` comes from [`Self::announce_here_doc`], which reserved the slot for the body.
    fn fill_here_doc(&mut self, id: usize, body: Word) {
        if let Some(place) = self.bodies.get_mut(id) {
            *place = Some(body);
        }
    }

    fn read_here_doc(&mut self, document: &PendingHereDoc) -> Parse<()> {
        let start = self.pos;
        let mut stripped = String::new();
        let mut end = self.end;
        let mut line = start;
        let mut next = self.end;
        let mut found = false;
        while line < self.end {
            let mut text = line;
            while document.strip_tabs && self.raw(text) == Some(b'\t') {
                text += 1;
            }
            let stop = self.logical_line_end(text, document.quoted);
            if document.due.is_some() && self.ends_oddly(text, stop, document) {
                let message = "a here-document that ends inside of its closed substitution";
                return Err(self.invalid(text, message));
            }
            if let Some(after) = self.ends_here_doc(text, stop, document) {
                end = line;
                next = after;
                found = true;
                break;
            }
            let behind = (stop + 1).min(self.end);
            if document.strip_tabs {
                stripped.push_str(self.slice(text, behind));
            }
            line = behind;
        }
        self.open_here_doc |= !found;
        let span = self.span(start, end);
        self.here_docs.push(span);
        let text = if document.strip_tabs { &stripped } else { self.slice(start, end) };
        let word = if document.quoted {
            Word { parts: vec![Part::SingleQuoted(text.to_owned())], span }
        } else if document.strip_tabs {
            let parts = self.here_doc_parts(start, end, Some((text, span)))?;
            Word { parts, span }
        } else {
            Word { parts: self.here_doc_parts(start, end, None)?, span }
        };
        self.fill_here_doc(document.id, word);
        self.pos = next;
        Ok(())
    }

    /// The expanded text of a body, read in place or from a copy without tabs.
    fn here_doc_parts(
        &mut self,
        start: usize,
        end: usize,
        copy: Option<(&str, Span)>,
    ) -> Parse<Vec<Part>> {
        self.enter()?;
        let depth = self.depth;
        let inside = std::mem::replace(&mut self.in_substitution, false);
        let last = self.last;
        let mut parts = Vec::new();
        let result = match copy {
            Some((text, span)) => self.within(text, span, |parser| {
                let result = parser.text(ExpandedText::Here, &mut parts);
                parser.close_here_docs();
                parser.place_here_docs_in_parts(&mut parts);
                result
            }),
            None => {
                self.pos = start;
                let outer = std::mem::take(&mut self.pending);
                let result = self.up_to(end, |parser| parser.text(ExpandedText::Here, &mut parts));
                self.close_here_docs();
                self.pending = outer;
                result
            }
        };
        self.depth = depth;
        self.in_substitution = inside;
        self.last = last;
        if let Err(error) = result {
            self.defer(error)?;
        }
        self.leave();
        Ok(parts)
    }

    /// The offset of the newline that ends the line at `start`; escaped newlines do not, unless raw.
    fn logical_line_end(&self, start: usize, raw: bool) -> usize {
        let mut at = start;
        while let Some(byte) = self.raw(at) {
            match byte {
                b'\n' => return at,
                b'\\' if !raw => at += 2,
                _ => at += 1,
            }
        }
        self.end
    }

    /// Whether Bash would take the rest of the line as commands of a substitution already read.
    fn ends_oddly(&self, start: usize, stop: usize, document: &PendingHereDoc) -> bool {
        let line = self.slice(start, stop);
        line.strip_prefix(document.delimiter.as_str()).is_some_and(|rest| rest.contains(')'))
    }

    /// If the line is the delimiter, returns the offset after it.
    fn ends_here_doc(&self, start: usize, stop: usize, document: &PendingHereDoc) -> Option<usize> {
        let line = self.slice(start, stop);
        let delimiter = document.delimiter.as_str();
        let joined;
        let text = if !document.quoted && line.contains("\\\n") {
            joined = line.replace("\\\n", "");
            joined.as_str()
        } else {
            line
        };
        if text == delimiter {
            return Some((stop + 1).min(self.end));
        }
        if self.in_substitution && line.starts_with(delimiter) {
            let rest = start + delimiter.len();
            return self.slice(rest, stop).contains(')').then_some(rest);
        }
        None
    }
}

/// The delimiter that `raw` denotes, and whether any part of it was quoted.
fn remove_quotes(raw: &str) -> (String, bool) {
    let mut text = String::with_capacity(raw.len());
    let mut quoted = false;
    let mut double = false;
    let mut rest = raw.chars();
    while let Some(found) = rest.next() {
        match found {
            '\\' => match rest.next() {
                Some('\n') => {}
                Some(escaped) => {
                    quoted = true;
                    if double && !matches!(escaped, '$' | '`' | '"' | '\\') {
                        text.push('\\');
                    }
                    text.push(escaped);
                }
                None => text.push('\\'),
            },
            '\'' if !double => {
                quoted = true;
                text.extend(rest.by_ref().take_while(|&inner| inner != '\''));
            }
            '"' => {
                quoted = true;
                double = !double;
            }
            '$' if !double && rest.as_str().starts_with(['\'', '"']) => {}
            _ => text.push(found),
        }
    }
    (text, quoted)
}
