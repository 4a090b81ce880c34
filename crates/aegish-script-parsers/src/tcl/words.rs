//! Commands and their words.

use super::escapes::{blanks, escape, joined_lines};
use super::lists::closing;
use super::{Mode, Parsed, Rejected, Tcl, UNKNOWN_PART, constant, text, value_of};
use crate::ir::{Argument, Block, Expr};
use crate::lowering::Lowering;
use std::rc::Rc;

/// Where a script ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    /// At the end of the text.
    End,
    /// At the bracket that closes a substitution.
    Bracket,
}

/// A place in a text.
pub(super) struct Cursor<'t> {
    rest: &'t str,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { rest: text }
    }

    pub(super) fn rest(&self) -> &'t str {
        self.rest
    }

    pub(super) fn next(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or("");
    }

    /// Skips blanks and continued lines. Returns whether there were any.
    pub(super) fn blanks(&mut self) -> bool {
        let before = self.rest.len();
        loop {
            let next = self.rest.trim_start_matches(is_blank);
            self.rest = next;
            match next.strip_prefix("\\\n") {
                Some(behind) => self.rest = behind,
                None => return self.rest.len() < before,
            }
        }
    }

    /// Skips a comment: to the end of the line that no backslash continues.
    fn comment(&mut self) {
        let mut bytes = self.rest.bytes().enumerate();
        while let Some((at, byte)) = bytes.next() {
            match byte {
                b'\\' => {
                    bytes.next();
                }
                b'\n' => return self.skip(at),
                _ => {}
            }
        }
        self.rest = "";
    }
}

pub(super) fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\x0b' | '\x0c')
}

/// A part of a word.
#[derive(Debug)]
pub(super) enum Part {
    Text(String),
    Value(Expr),
}

/// A word of a command.
#[derive(Debug)]
pub(super) struct Word {
    parts: Vec<Part>,
    /// `{*}`: its items are words.
    pub(super) spread: bool,
}

impl Word {
    pub(super) fn of(parts: Vec<Part>) -> Self {
        Self { parts, spread: false }
    }

    /// The text, if nothing in it is substituted.
    pub(super) fn literal(&self) -> Option<&str> {
        if self.spread {
            return None;
        }
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text(text)] if text != UNKNOWN_PART => Some(text),
            _ => None,
        }
    }

    /// The value; a spread word gives its list.
    pub(super) fn value(self) -> Expr {
        let mut parts: Vec<Expr> = self
            .parts
            .into_iter()
            .map(|part| match part {
                Part::Text(text) => constant(&text),
                Part::Value(value) => value,
            })
            .collect();
        match parts.len() {
            0 => text(""),
            1 => parts.pop().unwrap_or(Expr::Unknown),
            _ => Expr::Build(parts),
        }
    }

    pub(super) fn argument(self) -> Argument {
        if self.spread { Argument::Spread(self.value()) } else { Argument::One(self.value()) }
    }
}

/// Words as arguments.
pub(super) fn arguments(words: impl IntoIterator<Item = Word>) -> Vec<Argument> {
    words.into_iter().map(Word::argument).collect()
}

impl Tcl<'_> {
    /// The commands of a script. What stands before a mistake is kept.
    pub(super) fn script(
        &mut self,
        cursor: &mut Cursor<'_>,
        until: Until,
        mode: &Mode,
        out: &mut Block,
    ) -> Parsed<()> {
        let mut pending: Option<Vec<Word>> = None;
        loop {
            cursor.blanks();
            match cursor.next() {
                None if until == Until::Bracket => return Err(Rejected),
                None => break,
                Some(']') if until == Until::Bracket => {
                    cursor.skip(1);
                    break;
                }
                Some('\n' | ';') => cursor.skip(1),
                Some('#') => cursor.comment(),
                Some(_) => {
                    if let Some(words) = pending.take() {
                        self.command(words, &Mode::Drop, out)?;
                    }
                    pending = Some(self.words(cursor, until)?);
                }
            }
        }
        match pending {
            Some(words) => self.command(words, mode, out),
            None => Ok(()),
        }
    }

    /// The words of one command.
    fn words(&mut self, cursor: &mut Cursor<'_>, until: Until) -> Parsed<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            cursor.blanks();
            match cursor.next() {
                None | Some('\n' | ';') => return Ok(words),
                Some(']') if until == Until::Bracket => return Ok(words),
                Some(_) => {
                    let word = self.word(cursor, until)?;
                    words.push(word);
                }
            }
        }
    }

    pub(super) fn word(&mut self, cursor: &mut Cursor<'_>, until: Until) -> Parsed<Word> {
        let spread = cursor.rest().strip_prefix("{*}").is_some_and(|behind| {
            behind.chars().next().is_some_and(|c| {
                !is_blank(c) && c != '\n' && c != ';' && !behind.starts_with("\\\n")
            })
        });
        if spread {
            cursor.skip("{*}".len());
        }
        let parts = match cursor.next() {
            Some('{') => {
                let end = closing(cursor.rest()).ok_or(Rejected)?;
                let inner = cursor.rest().get(1..end).unwrap_or("");
                let inner = joined_lines(inner);
                cursor.skip(end + 1);
                ends_word(cursor, until)?;
                vec![Part::Text(inner)]
            }
            Some('"') => {
                cursor.skip(1);
                let parts = self.parts(cursor, |c| c == '"')?;
                if cursor.next() != Some('"') {
                    return Err(Rejected);
                }
                cursor.skip(1);
                ends_word(cursor, until)?;
                parts
            }
            _ => self.parts(cursor, |c| {
                is_blank(c) || matches!(c, '\n' | ';') || c == ']' && until == Until::Bracket
            })?,
        };
        Ok(Word { parts, spread })
    }

    /// A text with substitutions, up to a character that ends it.
    pub(super) fn parts(
        &mut self,
        cursor: &mut Cursor<'_>,
        ends: impl Fn(char) -> bool,
    ) -> Parsed<Vec<Part>> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let bare = ends(' ');
        while let Some(c) = cursor.next() {
            if ends(c) || bare && cursor.rest().starts_with("\\\n") {
                break;
            }
            let value = match c {
                '\\' => {
                    cursor.skip(1);
                    let length = escape(cursor.rest(), &mut plain);
                    cursor.skip(length);
                    None
                }
                '[' => {
                    cursor.skip(1);
                    Some(self.bracket(cursor)?)
                }
                '$' => {
                    cursor.skip(1);
                    let value = self.variable(cursor)?;
                    if value.is_none() {
                        plain.push('$');
                    }
                    value
                }
                _ => {
                    let stop = |c: char| ends(c) || matches!(c, '\\' | '[' | '$');
                    let length = cursor.rest().find(stop).unwrap_or(cursor.rest().len());
                    let length = length.max(c.len_utf8());
                    plain.push_str(cursor.rest().get(..length).unwrap_or(""));
                    cursor.skip(length);
                    None
                }
            };
            if let Some(value) = value {
                if !plain.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                }
                parts.push(Part::Value(value));
            }
        }
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Ok(parts)
    }

    /// The value of a script in brackets, behind the first of them.
    pub(super) fn bracket(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Expr> {
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        let mut body = Vec::new();
        self.script(cursor, Until::Bracket, &Mode::Value, &mut body)?;
        self.lowering.leave();
        Ok(value_of(body))
    }

    /// A variable, behind the dollar sign; none if the sign stands for itself.
    pub(super) fn variable(&mut self, cursor: &mut Cursor<'_>) -> Parsed<Option<Expr>> {
        self.lowering.size += 1;
        if let Some(inner) = cursor.rest().strip_prefix('{') {
            let end = inner.find('}').ok_or(Rejected)?;
            let name = inner.get(..end).unwrap_or("");
            cursor.skip(end + 2);
            return Ok(Some(variable_named(name)));
        }
        let length = name_length(cursor.rest());
        let name = cursor.rest().get(..length).unwrap_or("");
        let has_key = cursor.rest().get(length..).is_some_and(|behind| behind.starts_with('('));
        if !has_key {
            cursor.skip(length);
            return Ok((length > 0).then(|| variable_named(name)));
        }
        if !self.lowering.enter() {
            return Err(Rejected);
        }
        cursor.skip(length + 1);
        let key = self.parts(cursor, |c| c == ')')?;
        if cursor.next() != Some(')') {
            return Err(Rejected);
        }
        cursor.skip(1);
        self.lowering.leave();
        let key = Word::of(key);
        if let Some(key) = key.literal() {
            return Ok(Some(variable_named(&format!("{name}({key})"))));
        }
        let name = Expr::Build(vec![text(&format!("{name}(")), key.value(), text(")")]);
        Ok(Some(self.call_with("<get>", vec![name])))
    }

    /// A text whose substitutions are made.
    pub(super) fn substitution(&mut self, code: &str) -> Parsed<Expr> {
        let parts = self.parts(&mut Cursor::new(code), |_| false)?;
        Ok(Word::of(parts).value())
    }
}

/// A variable by its name.
pub(super) fn variable_named(name: &str) -> Expr {
    Expr::Name(Rc::from(format!("${name}")))
}

/// The length of the name of a variable that a text starts with.
fn name_length(text: &str) -> usize {
    let mut length = 0;
    let mut rest = text;
    loop {
        let letters = rest.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        let colons =
            rest.get(letters..).map_or(0, |rest| rest.bytes().take_while(|b| *b == b':').count());
        let colons = if colons > 1 { colons } else { 0 };
        if letters + colons == 0 {
            return length;
        }
        length += letters + colons;
        rest = rest.get(letters + colons..).unwrap_or("");
    }
}

/// Behind a word in quotes or braces a blank or the end of the command must stand.
fn ends_word(cursor: &Cursor<'_>, until: Until) -> Parsed<()> {
    match cursor.next() {
        None | Some('\n' | ';') => Ok(()),
        Some(']') if until == Until::Bracket => Ok(()),
        Some(c) if is_blank(c) => Ok(()),
        Some('\\') if cursor.rest().starts_with("\\\n") => Ok(()),
        _ => Err(Rejected),
    }
}

/// The name of a variable as the target of an assignment.
pub(super) fn target_named(name: &str) -> crate::ir::Target {
    crate::ir::Target::Name(Lowering::name(&format!("${name}")))
}

/// Blanks at the start of an expression, which may stand on several lines.
pub(super) fn expression_blanks(cursor: &mut Cursor<'_>) {
    loop {
        let next = cursor.rest().trim_start_matches(|c| is_blank(c) || c == '\n');
        let skipped = cursor.rest().len() - next.len();
        cursor.skip(skipped);
        let Some(behind) = cursor.rest().strip_prefix("\\\n") else { return };
        let length = blanks(behind);
        cursor.skip("\\\n".len() + length);
    }
}
