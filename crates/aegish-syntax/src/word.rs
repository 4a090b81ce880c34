//! Words: text, quotes and expansions up to the end of the word.
//!
//! Starts at the cursor, returns the parts of a word. Refuses quotes that are not closed.

use crate::cursor::{Parse, Parser};
use crate::quotes::{DollarContext, push_literal};
use crate::scan::Group;
use crate::{Part, Word};

/// What ends a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordEnd {
    /// A blank, a newline or an operator.
    Word,
    /// The same, but parentheses and `|` belong to the regular expression.
    Regex,
    /// The `}` of `${…}`.
    Brace,
    /// The `}` of `${…}` or the `/` before the replacement.
    BraceSlash,
    /// `|` or `)` of an extended glob.
    Glob,
    /// The end of the text.
    End,
    /// The end of the text, inside of a regular expression.
    RegexEnd,
}

const META: u8 = 1;
const QUOTE: u8 = 2;
const ANGLE: u8 = 4;
const GLOB: u8 = 8;
const BRACE: u8 = 16;
const SLASH: u8 = 32;

static CLASSES: [u8; 256] = classes();

#[expect(
    clippy::indexing_slicing,
    reason = "evaluated by the compiler, which refuses a wrong index"
)]
const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let sets: [(&[u8], u8); 6] = [
        (b" \t\n;&|()", META),
        (b"\\'\"`$", QUOTE),
        (b"<>", ANGLE),
        (b"@*+?!", GLOB),
        (b"}", BRACE),
        (b"/", SLASH),
    ];
    let mut set = 0;
    while set < sets.len() {
        let (bytes, class) = sets[set];
        let mut at = 0;
        while at < bytes.len() {
            table[bytes[at] as usize] = class;
            at += 1;
        }
        set += 1;
    }
    table
}

impl WordEnd {
    fn mask(self) -> u8 {
        match self {
            Self::Word | Self::Regex | Self::Glob => META | QUOTE | ANGLE | GLOB,
            Self::End => QUOTE | ANGLE | GLOB,
            Self::RegexEnd => QUOTE | ANGLE,
            Self::Brace => QUOTE | ANGLE | BRACE,
            Self::BraceSlash => QUOTE | ANGLE | BRACE | SLASH,
        }
    }
}

/// Whether a byte ends a word.
pub(crate) fn is_meta(byte: u8) -> bool {
    class(byte) & (META | ANGLE) != 0
}

#[inline]
#[expect(clippy::indexing_slicing, reason = "a byte is less than the table's length of 256")]
fn class(byte: u8) -> u8 {
    CLASSES[byte as usize]
}

impl Parser<'_> {
    /// A word. The caller has checked that one starts here.
    pub(crate) fn word(&mut self) -> Parse<Word> {
        self.word_until(WordEnd::Word)
    }

    /// A word ended by `stop`; may be empty.
    pub(crate) fn word_until(&mut self, stop: WordEnd) -> Parse<Word> {
        let start = self.pos;
        let mut parts = Vec::new();
        self.parts(stop, &mut parts)?;
        self.last = self.pos;
        Ok(Word { parts, span: self.span(start, self.pos) })
    }

    /// Whether a word starts here.
    pub(crate) fn at_word(&mut self) -> bool {
        match self.peek() {
            None => false,
            Some(b'<' | b'>') => self.peek_second() == Some(b'('),
            Some(byte) => !is_meta(byte),
        }
    }

    /// Reads parts up to `stop`, which stays unread.
    pub(crate) fn parts(&mut self, stop: WordEnd, parts: &mut Vec<Part>) -> Parse<()> {
        let mask = stop.mask();
        let mut nesting = 0usize;
        loop {
            self.count_part()?;
            let start = self.pos;
            while self.raw(self.pos).is_some_and(|byte| class(byte) & mask == 0) {
                self.pos += 1;
            }
            push_literal(parts, self.slice(start, self.pos));
            let stopped = self.pos;
            let Some(byte) = self.peek() else {
                return Ok(());
            };
            if self.pos != stopped {
                continue;
            }
            match class(byte) {
                QUOTE => self.quoted_part(byte, parts)?,
                ANGLE if self.peek_second() == Some(b'(') => {
                    parts.push(self.process_substitution()?);
                }
                GLOB if mask & GLOB != 0
                    && stop != WordEnd::Regex
                    && self.peek_second() == Some(b'(') =>
                {
                    parts.push(self.extended_glob()?);
                }
                class => {
                    match (stop, byte) {
                        (WordEnd::Word, _) if class & (META | ANGLE) != 0 => return Ok(()),
                        (WordEnd::Regex, b'|') => {}
                        (WordEnd::Regex, b'(') => {
                            self.regex_group(parts)?;
                            continue;
                        }
                        (WordEnd::Glob, b'(') => nesting += 1,
                        (WordEnd::Glob, b')') if nesting > 0 => nesting -= 1,
                        (WordEnd::Regex, _) if class & (META | ANGLE) != 0 => {
                            return Ok(());
                        }
                        (WordEnd::Glob, b')') => return Ok(()),
                        (WordEnd::Glob, b'|') if nesting == 0 => return Ok(()),
                        (WordEnd::Brace | WordEnd::BraceSlash, b'}') => return Ok(()),
                        (WordEnd::BraceSlash, b'/') => return Ok(()),
                        _ => {}
                    }
                    push_literal(parts, self.slice(self.pos, self.pos + 1));
                    self.pos += 1;
                }
            }
        }
    }

    fn quoted_part(&mut self, byte: u8, parts: &mut Vec<Part>) -> Parse<()> {
        match byte {
            b'\\' => match self.slice(self.pos + 1, self.end).chars().next() {
                Some(escaped) => {
                    parts.push(Part::Escaped(escaped));
                    self.pos += 1 + escaped.len_utf8();
                }
                None => {
                    push_literal(parts, "\\");
                    self.pos += 1;
                }
            },
            b'\'' => parts.push(self.single_quoted()?),
            b'"' => parts.push(self.double_quoted()?),
            b'`' => parts.push(self.backticks(false)?),
            _ => self.dollar(DollarContext::Plain, parts)?,
        }
        Ok(())
    }

    /// `(…)` in a regular expression, at the parenthesis.
    fn regex_group(&mut self, parts: &mut Vec<Part>) -> Parse<()> {
        let close = self.closing(self.pos + 1, Group::Parenthesis)?;
        push_literal(parts, "(");
        self.pos += 1;
        self.expanded_later(close, |parser| parser.parts(WordEnd::RegexEnd, parts))?;
        push_literal(parts, ")");
        self.pos = close + 1;
        Ok(())
    }

    /// `@(…|…)`, at the character before the parenthesis.
    fn extended_glob(&mut self) -> Parse<Part> {
        self.enter()?;
        let kind = self.raw(self.pos).map_or('@', char::from);
        let inner = self.next_offset(self.pos + 1) + 1;
        let close = self.closing(inner, Group::Parenthesis)?;
        self.pos = inner;
        let mut alternatives = Vec::new();
        self.expanded_later(close, |parser| {
            loop {
                let mut word = Word::default();
                let start = parser.pos;
                let result = parser.parts(WordEnd::Glob, &mut word.parts);
                word.span = parser.span(start, parser.pos.min(parser.end));
                alternatives.push(word);
                result?;
                match parser.peek() {
                    Some(b'|') => parser.pos += 1,
                    Some(_) => return Err(parser.unexpected()),
                    None => return Ok(()),
                }
            }
        })?;
        self.pos = close + 1;
        self.leave();
        Ok(Part::ExtGlob(kind, alternatives))
    }
}
