//! The parts of which a word is put together before it is split.

use aegish_values::{Piece, Value};

/// A part of a word that is expanded.
#[derive(Clone)]
pub(crate) enum Element {
    /// A piece; `split` if it came from an unquoted expansion.
    Piece { piece: Piece, quoted: bool, split: bool },
    /// One of several values, of which some have unknown parts.
    Value { value: Value, quoted: bool, split: bool },
    /// A boundary between the elements of `$@`, or of `$*` if `joined`.
    Break { joined: bool },
    /// Quotes: the field exists even if it is empty.
    Quotes,
    /// The field stands for any number of words.
    Several,
}
