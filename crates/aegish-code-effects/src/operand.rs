//! Questions about the operands of calls, asked in every language.

use aegish_values::{Piece, Source, Taint, Value};

/// Whether a text is a URL.
#[must_use]
pub fn is_url(value: &Value) -> bool {
    let text = value.known_prefix();
    ["http://", "https://", "ftp://", "ftps://", "tftp://"]
        .iter()
        .any(|scheme| text.get(..scheme.len()).is_some_and(|t| t.eq_ignore_ascii_case(scheme)))
}

/// Whether no part of a path is known.
#[must_use]
pub fn is_unnamed(path: &Value) -> bool {
    path.has_unknown()
        && !path.pieces().iter().any(|piece| matches!(piece, Piece::Text(_) | Piece::OneOf(_)))
}

/// The file that content was read from, if there is one.
#[must_use]
pub fn file_in(taint: &Taint) -> Option<Value> {
    taint.sources().find_map(|source| {
        if let Source::File(path) = source { Some(Value::known(path.clone())) } else { None }
    })
}

/// `[a-z]` is a letter, `{one,other}` any text.
fn without_sets(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(at) = rest.find(['[', '{']) {
        let (before, set) = rest.split_at(at);
        let (close, sign) = if set.starts_with('[') { (']', '?') } else { ('}', '*') };
        let Some(end) = set.find(close) else { break };
        out.push_str(before);
        out.push(sign);
        rest = set.get(end + 1..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// A pattern with its stars as pieces.
#[must_use]
pub fn globbed(path: &Value) -> Value {
    let mut value = Value::empty().tainted(path.taint());
    for piece in path.pieces() {
        match piece {
            Piece::Text(text) => {
                let simple = without_sets(text);
                for part in simple.split_inclusive(['*', '?']) {
                    if let Some(before) = part.strip_suffix('*') {
                        value.push_str(before);
                        value.push(Piece::AnyString);
                    } else if let Some(before) = part.strip_suffix('?') {
                        value.push_str(before);
                        value.push(Piece::AnyChar);
                    } else {
                        value.push_str(part);
                    }
                }
            }
            other => value.push(other.clone()),
        }
    }
    value
}

/// `host:port`, `tcp://host:port`, `[v6]:port`.
#[must_use]
pub fn split_address(value: &Value) -> Option<(Value, Value)> {
    let text = value.as_known()?;
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let (host, port) = rest.rsplit_once(':')?;
    let digits = port.trim_end_matches('/');
    if digits.parse::<u16>().is_err() {
        return None;
    }
    Some((Value::known(host.trim_matches(['[', ']'])), Value::known(digits)))
}

/// `<&3`, `0>&4`: redirections to descriptors beyond the standard ones.
#[must_use]
pub fn speaks_to_descriptor(text: &str) -> bool {
    text.match_indices(['<', '>']).any(|(at, _)| {
        let rest = text.get(at + 1..).unwrap_or("").trim_start();
        rest.strip_prefix('&').is_some_and(|rest| {
            rest.trim_start().starts_with(['3', '4', '5', '6', '7', '8', '9', '‹'])
        })
    })
}

/// Flags of the C kind as a mode.
#[must_use]
pub fn flags_to_mode(flags: &str) -> String {
    let write = ["WRONLY", "RDWR", "CREAT", "TRUNC"].iter().any(|flag| flags.contains(flag));
    if flags.contains("APPEND") {
        "a".into()
    } else if write {
        "w".into()
    } else {
        "r".into()
    }
}
