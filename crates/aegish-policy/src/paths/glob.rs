//! Matches path components, which may have unknown parts, against patterns.
//!
//! Values are bytes. Pieces that are not text are single bytes that cannot occur in UTF-8, so that a known
//! path is matched without a copy.

use aegish_effects::{Piece, Value};
use std::borrow::Cow;

/// An unquoted `*`.
pub(crate) const ANY: u8 = 0xFF;
/// An unquoted `?`.
pub(crate) const ONE: u8 = 0xFE;
/// A part that is known only at run time.
pub(crate) const UNKNOWN: u8 = 0xFD;
/// Before the inside of a bracket expression.
pub(crate) const OPEN: u8 = 0xFC;
/// After it.
const CLOSE: u8 = 0xFB;
/// All bytes from here on are one of the above.
const SPECIAL: u8 = 0xF8;

/// How sure a match is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Match {
    /// Cannot be.
    No,
    /// Some reading matches.
    May,
    /// Every reading matches.
    Must,
}

/// Whether the bytes contain anything but text.
pub(crate) fn is_special(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| *byte >= SPECIAL)
}

/// Whether the bytes contain a part that is known only at run time.
pub(crate) fn has_unknown(bytes: &[u8]) -> bool {
    bytes.contains(&UNKNOWN)
}

/// Whether any character is literal.
pub(crate) fn has_text(bytes: &[u8]) -> bool {
    let mut inside = false;
    bytes.iter().any(|byte| {
        match *byte {
            OPEN => inside = true,
            CLOSE => inside = false,
            _ => {}
        }
        !inside && *byte < SPECIAL
    })
}

/// Readings of a value that are looked at one by one.
const MOST: usize = 64;

/// How many readings [`encode`] has for a value. Where there are too many, one more stands for all that are left out.
pub(crate) fn readings(value: &Value) -> usize {
    value.possible().iter().map(readings_of_pieces).sum()
}

fn readings_of_pieces(value: &Value) -> usize {
    let product = value.pieces().iter().fold(1_usize, |count, piece| match piece {
        Piece::OneOf(texts) => count.saturating_mul(texts.len().max(1)),
        _ => count,
    });
    if product > MOST { MOST + 1 } else { product }
}

/// The bytes of the reading with this number. Behind the readings that are looked at one by one, whatever is one of
/// several texts is a pattern that any of them fits.
pub(crate) fn encode(value: &Value, mut number: usize) -> Cow<'_, [u8]> {
    let mut value = value;
    for one in value.each() {
        let count = readings_of_pieces(one);
        value = one;
        if number < count {
            break;
        }
        number -= count;
    }
    let all = number >= MOST;
    if let Some(text) = value.as_known() {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(32);
    for piece in value.pieces() {
        match piece {
            Piece::Text(text) => bytes.extend_from_slice(text.as_bytes()),
            Piece::OneOf(_) if all => bytes.push(ANY),
            Piece::OneOf(texts) => {
                let count = texts.len().max(1);
                if let Some(text) = texts.get(number % count) {
                    bytes.extend_from_slice(text.as_bytes());
                }
                number /= count;
            }
            Piece::AnyString => bytes.push(ANY),
            Piece::AnyChar => bytes.push(ONE),
            Piece::AnyOf(class) => {
                let inside = class.strip_prefix('[').unwrap_or(class);
                let inside = inside.strip_suffix(']').unwrap_or(inside);
                bytes.push(OPEN);
                // A slash is never matched by a bracket expression and would split the component.
                bytes.extend(inside.bytes().filter(|byte| *byte != b'/'));
                bytes.push(CLOSE);
            }
            Piece::Unknown(_) => bytes.push(UNKNOWN),
        }
    }
    Cow::Owned(bytes)
}

/// Matches one component against one pattern, in which only `*` is special.
///
/// An unknown piece never equals literal text of the pattern: it is empty or matched by a `*`.
pub(crate) fn component(pattern: &[u8], value: &[u8]) -> Match {
    let special = is_special(value);
    if !special {
        return if plain(pattern, value) { Match::Must } else { Match::No };
    }
    // Globs match hidden files only with a literal dot.
    if pattern.first() == Some(&b'.') && matches!(value.first(), Some(&(ANY | ONE | OPEN))) {
        return Match::No;
    }
    if asks_for_other_files(pattern, value) {
        return Match::No;
    }
    if simulate(pattern, value) { Match::May } else { Match::No }
}

/// `*.jpg` names a kind of file. A critical file that happens to have such a name does not matter.
fn asks_for_other_files(pattern: &[u8], value: &[u8]) -> bool {
    let last = value.iter().rposition(|byte| matches!(*byte, ANY | ONE | CLOSE | UNKNOWN));
    let ending = last.and_then(|at| value.get(at + 1..)).unwrap_or_default();
    value.first() == Some(&ANY)
        && ending.first() == Some(&b'.')
        && pattern.contains(&b'*')
        && !pattern.ends_with(ending)
}

/// Whether every reading of `value` ends in, or is, this exception.
pub(crate) fn surely(except: &[u8], value: &[u8]) -> bool {
    match except.strip_prefix(b"*") {
        Some(suffix) => value.ends_with(suffix),
        None => value == except,
    }
}

fn plain(pattern: &[u8], value: &[u8]) -> bool {
    let Some(star) = pattern.iter().position(|byte| *byte == b'*') else {
        return pattern == value;
    };
    let (head, rest) = pattern.split_at(star);
    let tail = rest.get(1..).unwrap_or_default();
    if !value.starts_with(head) {
        return false;
    }
    if !tail.contains(&b'*') {
        return value.len() >= head.len() + tail.len() && value.ends_with(tail);
    }
    simulate(pattern, value)
}

/// Follows all positions in the pattern at once; patterns have at most 60 bytes (see `build.rs`).
fn simulate(pattern: &[u8], value: &[u8]) -> bool {
    if pattern.len() > 62 {
        return false;
    }
    let all = (1_u64 << (pattern.len() + 1)) - 1;
    let mut states = close(1, pattern);
    let mut rest = value;
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        match *first {
            ANY => states = (u64::MAX << states.trailing_zeros()) & all,
            UNKNOWN => {}
            ONE => states = advance(states, pattern, |_| true),
            OPEN => {
                let end = rest.iter().position(|byte| *byte == CLOSE).unwrap_or(rest.len());
                let (set, after) = rest.split_at(end);
                rest = after.get(1..).unwrap_or_default();
                states = advance(states, pattern, |byte| in_set(set, byte));
            }
            byte => states = advance(states, pattern, |wanted| wanted == byte),
        }
        if states == 0 {
            return false;
        }
    }
    states >> pattern.len() & 1 == 1
}

fn close(mut states: u64, pattern: &[u8]) -> u64 {
    for (at, byte) in pattern.iter().enumerate() {
        if *byte == b'*' && states >> at & 1 == 1 {
            states |= 1 << (at + 1);
        }
    }
    states
}

fn advance(states: u64, pattern: &[u8], fits: impl Fn(u8) -> bool) -> u64 {
    let mut next = 0;
    for (at, byte) in pattern.iter().enumerate() {
        if states >> at & 1 == 1 {
            if *byte == b'*' {
                next |= 1 << at;
            } else if fits(*byte) {
                next |= 1 << (at + 1);
            }
        }
    }
    close(next, pattern)
}

/// A bracket expression; named classes and anything beyond ASCII are taken to contain every byte.
fn in_set(set: &[u8], byte: u8) -> bool {
    let (negated, set) = match set.split_first() {
        Some((b'!' | b'^', rest)) => (true, rest),
        _ => (false, set),
    };
    if set.contains(&b'[') || !set.is_ascii() {
        return true;
    }
    let mut found = false;
    let mut at = 0;
    while let Some(low) = set.get(at) {
        match (set.get(at + 1), set.get(at + 2)) {
            (Some(b'-'), Some(high)) => {
                found |= (*low..=*high).contains(&byte);
                at += 3;
            }
            _ => {
                found |= *low == byte;
                at += 1;
            }
        }
    }
    found != negated
}

#[cfg(test)]
mod tests {
    use super::{ANY, MOST, Match, component, encode, readings};
    use aegish_effects::{Piece, Value};

    fn value(pieces: &[Piece]) -> Value {
        let mut value = Value::empty();
        for piece in pieces {
            value.push(piece.clone());
        }
        value
    }

    fn text(text: &str) -> Piece {
        Piece::Text(text.into())
    }

    #[test]
    fn known_text_matches_surely_or_not_at_all() {
        for (pattern, text, expected) in [
            ("shadow", "shadow", Match::Must),
            ("shadow", "shadows", Match::No),
            ("id_*", "id_rsa", Match::Must),
            ("id_*", "id", Match::No),
            ("*.key", "server.key", Match::Must),
            ("*_key*", "ssh_host_rsa_key", Match::Must),
            ("a*a", "a", Match::No),
        ] {
            assert_eq!(
                component(pattern.as_bytes(), text.as_bytes()),
                expected,
                "{pattern} {text}"
            );
        }
    }

    #[test]
    fn globs_may_match_all_their_expansions() {
        for (pattern, pieces, expected) in [
            ("shadow", vec![text("sh"), Piece::AnyChar, text("dow")], Match::May),
            ("shadow", vec![text("sha"), Piece::AnyString], Match::May),
            ("shadow", vec![Piece::AnyOf("[r-t]".to_owned()), text("hadow")], Match::May),
            ("shadow", vec![Piece::AnyOf("[!s]".to_owned()), text("hadow")], Match::No),
            ("shadow", vec![Piece::AnyString, text(".conf")], Match::No),
            (".netrc", vec![Piece::AnyString], Match::No),
            (".netrc", vec![text("."), Piece::AnyString], Match::May),
            ("id_*", vec![Piece::AnyString], Match::May),
            ("id_*", vec![Piece::AnyString, text(".jpg")], Match::No),
            ("*.key", vec![Piece::AnyString, text(".key")], Match::May),
        ] {
            let value = value(&pieces);
            assert_eq!(
                component(pattern.as_bytes(), &encode(&value, 0)),
                expected,
                "{pattern} {value}"
            );
        }
    }

    #[test]
    fn unknown_pieces_alone_never_make_a_match() {
        let unknown = || Piece::Unknown("variable");
        for (pattern, pieces, expected) in [
            ("shadow", vec![unknown()], Match::No),
            ("shadow", vec![text("sha"), unknown(), text("dow")], Match::May),
            ("shadow", vec![text("sha"), unknown()], Match::No),
            ("id_*", vec![text("id_"), unknown()], Match::May),
        ] {
            let value = value(&pieces);
            assert_eq!(
                component(pattern.as_bytes(), &encode(&value, 0)),
                expected,
                "{pattern} {value}"
            );
        }
    }

    #[test]
    fn alternatives_are_read_one_by_one() {
        let value = Value::one_of(["a".to_owned(), "b".to_owned()]);
        assert_eq!(readings(&value), 2);
        let mut many = Value::known("/etc/");
        for _ in 0..7 {
            many.append(&Value::one_of(["a".to_owned(), "b".to_owned()]));
        }
        assert_eq!(readings(&many), MOST + 1);
        assert_eq!(encode(&many, MOST).first(), Some(&b'/'));
        assert!(encode(&many, MOST).contains(&ANY));
        assert_eq!(&*encode(&value, 1), b"b");
    }
}
