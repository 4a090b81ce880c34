//! Addresses that carry data away: `https://example.net/?d=$(…)`, `dig "$(…).example.net"`.
//!
//! Takes the address of a fetch or lookup, gives its part that is known only at run time. A host, a user name
//! or a bare variable only chooses the destination; a query, a path or a label before a known domain is read
//! by the owner of the destination.

use crate::paths::glob::{encode, has_unknown};
use aegish_effects::Value;

/// The position of the unknown part in the address; later is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AddressPart {
    /// In the path.
    Path,
    /// In a label of the host name, before a known domain.
    Label,
    /// The part after a question mark.
    Query,
}

/// The worst part of the address that does not come from the command's own text.
pub(crate) fn carried(address: &Value) -> Option<AddressPart> {
    if address.taint().is_none() {
        return None;
    }
    let text = encode(address, 0);
    if !has_unknown(&text) {
        // The value is known by now, but not its position in the address.
        return Some(if text.contains(&b'?') { AddressPart::Query } else { AddressPart::Path });
    }
    let start = text.windows(3).position(|window| window == b"://").map_or(0, |at| at + 3);
    let rest = text.get(start..).unwrap_or_default();
    let end = rest.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let query = rest.iter().position(|byte| b"?#".contains(byte)).unwrap_or(rest.len());
    let (path, query) = rest.split_at(query);
    if has_unknown(query) {
        return Some(AddressPart::Query);
    }
    let host = authority.rsplit(|byte| *byte == b'@').next().unwrap_or(authority);
    let behind = host.iter().rposition(|byte| has_unknown(&[*byte])).map(|at| host.split_at(at).1);
    // A domain of two labels at least, or the unknown part would simply be the host.
    let label =
        behind.is_some_and(|domain| domain.iter().filter(|byte| **byte == b'.').count() > 1);
    if label {
        return Some(AddressPart::Label);
    }
    has_unknown(path).then_some(AddressPart::Path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aegish_effects::{Piece, Source, Taint};

    fn address(before: &str, after: &str) -> Value {
        let mut value = Value::known(before);
        value.push(Piece::Unknown("output"));
        value.push_str(after);
        value.tainted(&Taint::from(Source::Program("id".to_owned())))
    }

    #[test]
    fn a_query_carries_more_than_a_path() {
        assert_eq!(carried(&address("https://example.net/?x=", "")), Some(AddressPart::Query));
        assert_eq!(
            carried(&address("https://example.net/v", "/tool.tgz")),
            Some(AddressPart::Path)
        );
    }

    #[test]
    fn a_label_before_a_domain_carries_something() {
        assert_eq!(carried(&address("", ".x.example.net")), Some(AddressPart::Label));
        assert_eq!(carried(&address("https://", ".x.example.net/")), Some(AddressPart::Label));
    }

    #[test]
    fn the_place_to_go_to_carries_nothing() {
        for (before, after) in
            [("https://", "/health"), ("", ""), ("https://", "@example.net/repo"), ("", ":8080")]
        {
            assert_eq!(carried(&address(before, after)), None, "{before}…{after}");
        }
    }

    #[test]
    fn text_of_the_command_itself_is_not_carried() {
        assert_eq!(carried(&Value::known("https://example.net/?q=kiwi")), None);
    }
}
