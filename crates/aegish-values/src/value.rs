//! Abstract strings: what is known about a word before it is run.

use crate::taint::{Source, Taint};
use ecow::EcoString;
use smallvec::{SmallVec, smallvec};
use std::fmt;
use std::sync::Arc;

/// A string of which some pieces may be unknown, with its sources.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Value {
    /// Most values are one piece, which needs no list on the heap.
    pieces: SmallVec<[Piece; 1]>,
    /// Bytes of known text in the pieces.
    length: usize,
    taint: Taint,
    /// What it is on each way that led here, where the pieces do not say that.
    each: Option<Arc<Vec<Value>>>,
    /// Whether it stands for any number of words.
    several: bool,
}

/// A piece of a [`Value`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Exactly this text.
    Text(EcoString),
    /// One of these texts (branches that were joined, items of a loop).
    OneOf(Vec<String>),
    /// An unquoted `*` that the shell expands against the file system.
    AnyString,
    /// An unquoted `?`.
    AnyChar,
    /// An unquoted bracket expression, as written, including the brackets.
    AnyOf(String),
    /// An unknown text, with the reason.
    Unknown(&'static str),
}

/// Longest known text of a value in bytes.
const MAX_LENGTH: usize = 1 << 20;
/// Most pieces of a value.
const MAX_PIECES: usize = 4096;
/// Most texts of which a value is one.
pub const MAX_ALTERNATIVES: usize = 32;
/// Why a value is not known that was set in one of several ways.
pub const BRANCH: &str = "value set in a branch";
const TOO_LONG: &str = "very long text";
/// Why own text is not known that something changed.
pub(crate) const LOST: &str = "changed text";
/// Why a value is not known that is one of more values than are kept, of which parts come from outside.
const MANY: &str = "one of many values";
/// Why a value is not known that is one of more texts than are kept.
pub(crate) const TOO_MANY: &str = "one of many texts";

impl Value {
    /// The empty string.
    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// The name of the variable whose value this is, if the text did not set that variable.
    #[must_use]
    pub fn environment_variable(&self) -> Option<&str> {
        let [Piece::Unknown(crate::origin::VARIABLE)] = self.pieces() else { return None };
        let mut sources = self.taint.sources();
        match (sources.next(), sources.next()) {
            (Some(Source::Environment(name)), None) => Some(name),
            _ => None,
        }
    }

    /// A fully known text.
    #[must_use]
    pub fn known(text: impl Into<EcoString>) -> Self {
        let text = text.into();
        let length = text.len();
        let pieces = if text.is_empty() { SmallVec::new() } else { smallvec![Piece::Text(text)] };
        Self { pieces, length, ..Self::default() }
    }

    /// An unknown text.
    #[must_use]
    pub fn unknown(why: &'static str) -> Self {
        Self { pieces: smallvec![Piece::Unknown(why)], ..Self::default() }
    }

    /// One of several texts; duplicates are dropped, a single one is simply known.
    #[must_use]
    pub fn one_of(texts: impl IntoIterator<Item = String>) -> Self {
        let mut list: Vec<String> = Vec::new();
        for text in texts {
            if !list.contains(&text) {
                list.push(text);
            }
        }
        match list.len() {
            1 => Self::known(list.remove(0)),
            _ => Self { pieces: smallvec![Piece::OneOf(list)], ..Self::default() },
        }
    }

    /// The same value with another origin added.
    #[must_use]
    pub fn tainted(mut self, taint: &Taint) -> Self {
        self.taint.absorb(taint);
        self
    }

    /// The same value as an element of a list, in which it may stand for any number of words: something unknown that the
    /// shell splits.
    #[must_use]
    pub fn with_several(self, several: bool) -> Self {
        Self { several, ..self }
    }

    /// Whether it stands for any number of words, so that the places of those behind it are not known.
    #[must_use]
    pub fn is_several(&self) -> bool {
        self.several
    }

    /// The text, if it is fully known.
    #[must_use]
    pub fn as_known(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether every piece is known text.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.as_known().is_some()
    }

    /// Whether any of its text is known, apart from blanks.
    #[must_use]
    pub fn has_text(&self) -> bool {
        let text = |piece: &Piece| matches!(piece, Piece::Text(text) if !text.trim().is_empty());
        self.pieces.iter().any(text)
    }

    /// Whether any piece is [`Piece::Unknown`].
    #[must_use]
    pub fn has_unknown(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(_)))
    }

    /// Whether any piece is an active glob.
    #[must_use]
    pub fn has_glob(&self) -> bool {
        use Piece::{AnyChar, AnyOf, AnyString};
        self.pieces.iter().any(|piece| matches!(piece, AnyString | AnyChar | AnyOf(_)))
    }

    /// The text up to the first piece that is not known.
    #[must_use]
    pub fn known_prefix(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// Text after the last piece that is not known.
    #[must_use]
    pub fn known_suffix(&self) -> &str {
        match self.pieces.last() {
            Some(Piece::Text(text)) => text,
            _ => "",
        }
    }

    /// The pieces, in order; adjacent texts are merged.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The origin of the content.
    #[must_use]
    pub fn taint(&self) -> &Taint {
        &self.taint
    }

    /// What the value is on each way that led here, where its pieces do not say that: texts of which a part is unknown
    /// cannot be one of several in a piece.
    #[must_use]
    pub fn each(&self) -> &[Self] {
        self.each.as_ref().map_or(&[], |each| each.as_slice())
    }

    /// The values that this one may be: those on each way, or itself.
    #[must_use]
    pub fn possible(&self) -> &[Self] {
        match self.each() {
            [] => std::slice::from_ref(self),
            each => each,
        }
    }

    fn on_each(&mut self, change: impl Fn(&mut Self)) {
        if let Some(each) = &mut self.each {
            Arc::make_mut(each).iter_mut().for_each(change);
        }
    }

    /// Appends one piece.
    pub fn push(&mut self, piece: Piece) {
        self.on_each(|one| one.push(piece.clone()));
        match piece {
            Piece::Text(text) => self.push_text(&text),
            other if self.pieces.len() < MAX_PIECES => self.pieces.push(other),
            _ => self.cut(),
        }
    }

    /// Appends known text. A value that would become too long ends in an unknown piece instead, so that
    /// repeated doubling of a variable stays cheap.
    pub fn push_str(&mut self, text: &str) {
        self.on_each(|one| one.push_str(text));
        self.push_text(text);
    }

    fn push_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if self.length + text.len() > MAX_LENGTH {
            self.cut();
            return;
        }
        if let Some(Piece::Text(last)) = self.pieces.last_mut() {
            last.push_str(text);
        } else if self.pieces.len() < MAX_PIECES {
            self.pieces.push(Piece::Text(text.into()));
        } else {
            self.cut();
            return;
        }
        self.length += text.len();
    }

    /// Leaves out what would make the value too long.
    fn cut(&mut self) {
        if !matches!(self.pieces.last(), Some(Piece::Unknown(TOO_LONG))) {
            self.pieces.push(Piece::Unknown(TOO_LONG));
        }
    }

    /// Whether something was left out because the value would have become too long, or one of too many.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.each().iter().any(Self::is_cut)
            || self.is_one_of_many()
            || (self.length > MAX_LENGTH / 2 || self.pieces.len() > MAX_PIECES / 2)
                && self.pieces.iter().any(|piece| matches!(piece, Piece::Unknown(TOO_LONG)))
    }

    /// Whether the value was lost, or is one of more texts of the script's own than are kept.
    #[must_use]
    pub fn is_one_of_many(&self) -> bool {
        let lost = |piece: &Piece| matches!(piece, Piece::Unknown(TOO_MANY | LOST));
        self.pieces.iter().any(lost) || self.each().iter().any(Self::is_one_of_many)
    }

    /// Whether the value is a pattern of paths outside of the working directory, all of which is known.
    #[must_use]
    pub fn is_path_pattern(&self) -> bool {
        self.known_prefix().starts_with(['/', '~']) && self.has_glob() && !self.has_unknown()
    }

    /// Whether the value is one of several that the judged text itself says or computes.
    #[must_use]
    pub fn is_one_of_own(&self) -> bool {
        self.pieces.iter().any(|piece| {
            matches!(
                piece,
                Piece::OneOf(_) | Piece::Unknown(TOO_MANY | LOST | crate::origin::COUNTER)
            )
        })
    }

    /// One of more values than are kept, of which parts come from outside. Where it names a file, that may be any.
    #[must_use]
    pub fn one_of_many_values() -> Self {
        Self::unknown(MANY)
    }

    /// Whether a part is one of more values than are kept.
    #[must_use]
    pub fn is_one_of_many_values(&self) -> bool {
        self.pieces.contains(&Piece::Unknown(MANY))
            || self.each().iter().any(Self::is_one_of_many_values)
    }

    /// Text that stands in what is judged and was changed by something that is not followed: it may be
    /// anything.
    #[must_use]
    pub fn lost() -> Self {
        Self::unknown(LOST)
    }

    /// What a change makes of the value that is not followed. A name that the judged text says or computes, other than
    /// in plain letters, may still be there: a pattern of paths, or text that was changed before.
    #[must_use]
    pub fn changed(&self, why: &'static str) -> Self {
        if !self.is_one_of_many() && (self.each.is_some() || self.is_one_of_many_values()) {
            return Self::one_of_many_values().tainted(&self.taint);
        }
        let own = self.is_one_of_many() || self.is_path_pattern();
        Self::unknown(if own { LOST } else { why }).tainted(&self.taint)
    }

    /// Appends another value with its taint.
    pub fn append(&mut self, other: &Self) {
        let each = (self.each.is_some() || other.each.is_some()).then(|| {
            let one = |head: &Self, tail: &Self| {
                let mut whole = head.clone();
                whole.append(tail);
                whole
            };
            let heads = self.possible().iter();
            heads
                .flat_map(|head| other.possible().iter().map(move |tail| one(head, tail)))
                .collect()
        });
        self.each = None;
        for piece in &other.pieces {
            match piece {
                Piece::Text(text) => self.push_text(text),
                piece => self.push(piece.clone()),
            }
        }
        self.taint.absorb(&other.taint);
        if let Some(each) = each {
            self.set_each(each);
        }
    }

    /// Notes what the value is on each way.
    pub(crate) fn set_each(&mut self, values: Vec<Self>) {
        let mut each: Vec<Self> = Vec::new();
        for value in values {
            if !each.contains(&value) {
                each.push(value);
            }
        }
        match each.len() <= MAX_ALTERNATIVES {
            true => self.each = Some(Arc::new(each)),
            false if each.iter().any(Self::is_one_of_many) => {
                self.pieces.push(Piece::Unknown(TOO_MANY));
            }
            false => self.pieces.push(Piece::Unknown(MANY)),
        }
    }

    /// The value without its first `offset` bytes of known text.
    #[must_use]
    pub fn tail(&self, offset: usize) -> Self {
        if self.each.is_some() {
            return self.mapped(|one| one.tail(offset));
        }
        let mut result = Self::empty();
        for (index, piece) in self.pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) if index == 0 => {
                    result.push_str(text.get(offset..).unwrap_or(""));
                }
                other => result.push(other.clone()),
            }
        }
        result.tainted(&self.taint)
    }

    /// The value with every `marker` in its known text replaced by `by`.
    #[must_use]
    pub fn replace(&self, marker: &str, by: &Self) -> Self {
        if self.each.is_some() {
            return self.mapped(|one| one.replace(marker, by));
        }
        let mut result = Self::empty();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) if !marker.is_empty() && text.contains(marker) => {
                    for (index, part) in text.split(marker).enumerate() {
                        if index > 0 {
                            result.append(by);
                        }
                        result.push_str(part);
                    }
                }
                other => result.push(other.clone()),
            }
        }
        result.tainted(&self.taint)
    }

    /// Every fully known reading of the value, at most `limit` of them; `None` if a piece is unknown
    /// or a glob, or if there are more.
    #[must_use]
    pub fn readings(&self, limit: usize) -> Option<Vec<String>> {
        let mut readings = vec![String::new()];
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => readings.iter_mut().for_each(|reading| reading.push_str(text)),
                Piece::OneOf(texts) => {
                    if readings.len() * texts.len() > limit {
                        return None;
                    }
                    readings = readings
                        .iter()
                        .flat_map(|reading| {
                            texts.iter().map(move |text| format!("{reading}{text}"))
                        })
                        .collect();
                }
                _ => return None,
            }
        }
        Some(readings)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::known(text)
    }
}

/// Readable form: unknown pieces are shown as `‹why›`, alternatives as `{a|b}`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [first, rest @ ..] = self.each() {
            write!(f, "{{{first}")?;
            rest.iter().try_for_each(|one| write!(f, "|{one}"))?;
            return f.write_str("}");
        }
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => f.write_str(text)?,
                Piece::OneOf(texts) => write!(f, "{{{}}}", texts.join("|"))?,
                Piece::AnyString => f.write_str("*")?,
                Piece::AnyChar => f.write_str("?")?,
                Piece::AnyOf(class) => f.write_str(class)?,
                Piece::Unknown(why) => write!(f, "‹{why}›")?,
            }
        }
        Ok(())
    }
}
