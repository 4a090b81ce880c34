//! Text → data: what `read` of both dialects gives.

use super::{Dialect, Parsed, Rejected};
use crate::ir::Name;
use crate::lowering::Lowering;
use std::rc::Rc;

/// A form as read.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Datum {
    Symbol(Name),
    Text(Rc<str>),
    Int(i64),
    /// A number that is not followed.
    Number,
    Bool(bool),
    List(Vec<Datum>),
    /// Items, and what stands behind the dot.
    Dotted(Vec<Datum>, Box<Datum>),
    Vector(Vec<Datum>),
}

impl Datum {
    pub(super) fn symbol(&self) -> Option<&Name> {
        match self {
            Self::Symbol(name) => Some(name),
            _ => None,
        }
    }

    pub(super) fn is(&self, word: &str) -> bool {
        self.symbol().is_some_and(|name| &**name == word)
    }

    /// The items of a list.
    pub(super) fn items(&self) -> Option<&[Self]> {
        match self {
            Self::List(items) => Some(items),
            _ => None,
        }
    }

    /// The first symbol of a list, and the items behind it.
    pub(super) fn head(&self) -> Option<(&Name, &[Self])> {
        let (first, rest) = self.items()?.split_first()?;
        Some((first.symbol()?, rest))
    }
}

pub(super) fn symbol(name: &str) -> Datum {
    Datum::Symbol(Name::from(name))
}

/// A list that starts with a word.
pub(super) fn form(word: &str, rest: Vec<Datum>) -> Datum {
    let mut items = vec![symbol(word)];
    items.extend(rest);
    Datum::List(items)
}

/// What is at the place of a form.
enum Found {
    Form(Datum),
    /// A closing bracket.
    Close(char),
    Dot,
    End,
}

pub(super) struct Reader<'a> {
    pub(super) rest: &'a str,
    pub(super) dialect: Dialect,
    /// Signs that only Common Lisp has were seen.
    pub(super) common: bool,
    /// A backslash in a string stands for nothing but itself.
    pub(super) plain_escapes: bool,
    depth: u32,
}

impl<'a> Reader<'a> {
    pub(super) fn new(dialect: Dialect, code: &'a str) -> Self {
        let mut reader =
            Self { rest: code, dialect, common: false, plain_escapes: false, depth: 0 };
        // The first line may name the interpreter. Where Guile ends that comment with `!#`, what stands between are names.
        if code.starts_with("#!") {
            reader.skip_line();
        }
        reader
    }

    pub(super) fn is_emacs(&self) -> bool {
        self.dialect == Dialect::Emacs
    }

    pub(super) fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or("");
    }

    pub(super) fn skip_line(&mut self) {
        let end = self.rest.find('\n').unwrap_or(self.rest.len());
        self.skip(end);
    }

    /// The next form of the text; none at its end.
    pub(super) fn next(&mut self, lowering: &mut Lowering) -> Parsed<Option<Datum>> {
        match self.item(lowering)? {
            Found::Form(datum) => Ok(Some(datum)),
            Found::End => Ok(None),
            Found::Close(_) | Found::Dot => Err(Rejected),
        }
    }

    /// A form that must be there.
    pub(super) fn required(&mut self, lowering: &mut Lowering) -> Parsed<Datum> {
        self.next(lowering)?.ok_or(Rejected)
    }

    /// Blanks and comments.
    fn blanks(&mut self, lowering: &mut Lowering) -> Parsed<()> {
        loop {
            self.rest =
                self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            if self.rest.starts_with(';') {
                self.skip_line();
            } else if self.is_emacs() {
                return Ok(());
            } else if self.rest.starts_with("#|") {
                self.block_comment()?;
            } else if self.rest.starts_with("#;") {
                self.skip(2);
                self.required(lowering)?;
            } else {
                return Ok(());
            }
        }
    }

    /// A comment between `#|` and `|#`, in which others may stand.
    fn block_comment(&mut self) -> Parsed<()> {
        let mut nested = 0u32;
        let bytes = self.rest.as_bytes();
        let mut at = 0;
        loop {
            match (bytes.get(at), bytes.get(at + 1)) {
                (Some(b'#'), Some(b'|')) => {
                    nested += 1;
                    at += 2;
                }
                (Some(b'|'), Some(b'#')) => {
                    nested -= 1;
                    at += 2;
                    if nested == 0 {
                        self.skip(at);
                        return Ok(());
                    }
                }
                (Some(_), _) => at += 1,
                (None, _) => return Err(Rejected),
            }
        }
    }

    fn item(&mut self, lowering: &mut Lowering) -> Parsed<Found> {
        self.blanks(lowering)?;
        if !lowering.enter() {
            return Err(Rejected);
        }
        self.depth += 1;
        let found = self.item_inside(lowering)?;
        self.depth -= 1;
        lowering.leave();
        Ok(found)
    }

    fn item_inside(&mut self, lowering: &mut Lowering) -> Parsed<Found> {
        let Some(first) = self.rest.chars().next() else { return Ok(Found::End) };
        let datum = match first {
            '(' => {
                self.skip(1);
                self.list(')', lowering)?
            }
            '[' => {
                self.skip(1);
                match self.list(']', lowering)? {
                    Datum::List(items) if self.is_emacs() => Datum::Vector(items),
                    other => other,
                }
            }
            '{' if !self.is_emacs() => {
                self.skip(1);
                self.list('}', lowering)?
            }
            ')' | ']' => {
                self.skip(1);
                return Ok(Found::Close(first));
            }
            '}' if !self.is_emacs() => {
                self.skip(1);
                return Ok(Found::Close(first));
            }
            '\'' => self.prefixed(1, "quote", lowering)?,
            '`' => self.prefixed(1, "quasiquote", lowering)?,
            ',' if self.rest.starts_with(",@") => self.prefixed(2, "unquote-splicing", lowering)?,
            ',' => self.prefixed(1, "unquote", lowering)?,
            '"' => {
                self.skip(1);
                Datum::Text(self.string()?.into())
            }
            '?' if self.is_emacs() => {
                self.skip(1);
                Datum::Int(self.emacs_character()?)
            }
            '#' => return self.sharp(lowering),
            '|' if !self.is_emacs() => self.word()?,
            '.' if self.is_dot() => {
                self.skip(1);
                return Ok(Found::Dot);
            }
            _ => self.word()?,
        };
        Ok(Found::Form(datum))
    }

    fn is_dot(&self) -> bool {
        self.rest.chars().nth(1).is_none_or(|c| c.is_whitespace() || "()[]\"';,`".contains(c))
    }

    /// A form behind a sign, as the list that it is short for.
    pub(super) fn prefixed(
        &mut self,
        length: usize,
        word: &str,
        lowering: &mut Lowering,
    ) -> Parsed<Datum> {
        self.skip(length);
        let inner = self.required(lowering)?;
        Ok(form(word, vec![inner]))
    }

    /// The items up to a closing bracket.
    pub(super) fn list(&mut self, close: char, lowering: &mut Lowering) -> Parsed<Datum> {
        let mut items = Vec::new();
        loop {
            match self.item(lowering)? {
                Found::Form(datum) => items.push(datum),
                Found::Close(found) if found == close => return Ok(Datum::List(items)),
                Found::Dot => {
                    let last = self.required(lowering)?;
                    match self.item(lowering)? {
                        Found::Close(found) if found == close => {}
                        // `(a . + . b)` of Racket is `(+ a b)`.
                        Found::Dot if !self.is_emacs() => {
                            items.insert(0, last);
                            continue;
                        }
                        _ => return Err(Rejected),
                    }
                    return Ok(match last {
                        Datum::List(more) => {
                            items.extend(more);
                            Datum::List(items)
                        }
                        Datum::Dotted(more, end) => {
                            items.extend(more);
                            Datum::Dotted(items, end)
                        }
                        Datum::Symbol(name) if &*name == "nil" => Datum::List(items),
                        other if items.is_empty() => other,
                        other => Datum::Dotted(items, Box::new(other)),
                    });
                }
                Found::Close(_) | Found::End => return Err(Rejected),
            }
        }
    }

    /// What starts with `#`.
    fn sharp(&mut self, lowering: &mut Lowering) -> Parsed<Found> {
        let after = self.rest.get(1..).unwrap_or("");
        let second = after.chars().next().unwrap_or(' ');
        let datum = match second {
            '\'' => self.prefixed(2, "function", lowering)?,
            '(' if self.is_emacs() => {
                // A text with properties.
                self.skip(2);
                match self.list(')', lowering)? {
                    Datum::List(items) => items.into_iter().next().ok_or(Rejected)?,
                    _ => return Err(Rejected),
                }
            }
            '(' | '[' | '{' if !self.is_emacs() => {
                self.skip(1);
                match self.required(lowering)? {
                    Datum::List(items) => Datum::Vector(items),
                    _ => return Err(Rejected),
                }
            }
            '\\' if !self.is_emacs() => {
                self.skip(2);
                Datum::Text(self.scheme_character()?.to_string().into())
            }
            ':' => {
                self.skip(1);
                self.word()?
            }
            '_' if self.is_emacs() => {
                self.skip(2);
                self.word()?
            }
            '.' if !self.is_emacs() => {
                self.common = true;
                self.prefixed(2, "#.", lowering)?
            }
            '+' | '-' if !self.is_emacs() => {
                // Which forms are left out depends on the implementation. Inside of a list that moves arguments.
                self.common = true;
                lowering.cut |= self.depth > 1;
                self.skip(2);
                self.required(lowering)?;
                self.required(lowering)?
            }
            '"' if !self.is_emacs() => {
                self.skip(2);
                Datum::Text(self.string()?.into())
            }
            '&' if !self.is_emacs() => {
                self.skip(2);
                Datum::Vector(vec![self.required(lowering)?])
            }
            '`' => self.prefixed(2, "quasiquote", lowering)?,
            ',' => self.prefixed(2, "unquote", lowering)?,
            '{' => {
                let end = after.find("}#").ok_or(Rejected)?;
                let name = symbol(after.get(1..end).unwrap_or(""));
                self.skip(end + 3);
                name
            }
            '<' if after.starts_with("<<") => self.here_string()?,
            's' if self.is_emacs() && after.starts_with("s(") => {
                self.skip(3);
                match self.list(')', lowering)? {
                    Datum::List(items) => Datum::Vector(items),
                    _ => return Err(Rejected),
                }
            }
            _ => return self.sharp_word(lowering),
        };
        Ok(Found::Form(datum))
    }

    fn sharp_word(&mut self, lowering: &mut Lowering) -> Parsed<Found> {
        let after = self.rest.get(1..).unwrap_or("");
        let end = after
            .find(|c: char| c.is_whitespace() || "()[]{}\"';,`".contains(c))
            .unwrap_or(after.len());
        let word = after.get(..end).unwrap_or("").to_ascii_lowercase();
        let next = after.get(end..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
        let number = |digits: Option<&str>, base: u32| {
            digits.and_then(|digits| i64::from_str_radix(digits, base).ok())
        };
        let based = match word.chars().next().unwrap_or(' ') {
            'x' => number(word.get(1..), 16),
            'o' => number(word.get(1..), 8),
            'b' => number(word.get(1..), 2),
            'd' => number(word.get(1..), 10),
            _ => word.split_once('r').and_then(|(base, digits)| {
                let base = base.parse().ok().filter(|base| (2..=36).contains(base))?;
                number(Some(digits), base)
            }),
        };
        if let Some(number) = based {
            self.skip(end + 1);
            return Ok(Found::Form(Datum::Int(number)));
        }
        if self.is_emacs() {
            // Byte code, labels, skipped text: what they stand for is not read.
            return Err(Rejected);
        }
        let datum = match (word.as_str(), next) {
            ("t" | "true", _) => Datum::Bool(true),
            ("f" | "false", _) => Datum::Bool(false),
            ("px" | "rx", '"' | '#') => {
                self.skip(end + 1);
                self.rest = self.rest.strip_prefix('#').unwrap_or(self.rest);
                return Ok(Found::Form(self.required(lowering)?));
            }
            ("p", '"') => {
                self.common = true;
                self.skip(end + 1);
                return Ok(Found::Form(self.required(lowering)?));
            }
            ("lang", _) => {
                self.skip(end + 1);
                let line = self.rest.get(..self.rest.find('\n').unwrap_or(self.rest.len()));
                let language = line.unwrap_or("").trim();
                // Others have a grammar of their own.
                let plain =
                    ["racket", "scheme", "typed/", "r5rs", "r6rs", "sicp", "s-exp", "br/quicklang"];
                if !plain.iter().any(|name| language.starts_with(name)) {
                    return Err(Rejected);
                }
                self.skip_line();
                return Ok(Found::Form(Datum::Bool(false)));
            }
            (
                "vu8" | "u8" | "s8" | "u16" | "fx" | "fl" | "s" | "hash" | "hasheq" | "hasheqv"
                | "hashalw",
                '(' | '[',
            ) => {
                self.skip(end + 1);
                let items = self.required(lowering)?;
                return Ok(Found::Form(match items {
                    Datum::List(items) if !word.starts_with("hash") => Datum::Vector(items),
                    other => other,
                }));
            }
            ("c", '(') => {
                self.skip(end + 1);
                self.required(lowering)?;
                return Ok(Found::Form(Datum::Number));
            }
            (
                "!eof" | "!default" | "!optional" | "!rest" | "!unspecific" | "!fold-case"
                | "!no-fold-case" | "!r6rs" | "!r7rs",
                _,
            ) => Datum::Bool(false),
            (word, _) if word.starts_with('%') => {
                let name = symbol(&format!("#{}", after.get(..end).unwrap_or("")));
                self.skip(end + 1);
                return Ok(Found::Form(name));
            }
            (word, _)
                if word.starts_with('*') || word.starts_with(['e', 'i']) && word.len() > 1 =>
            {
                Datum::Number
            }
            _ => return Err(Rejected),
        };
        self.skip(end + 1);
        Ok(Found::Form(datum))
    }
}
