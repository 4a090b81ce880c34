//! Classes of hosts.
//!
//! Takes a URL, a `host`, `user@host:path` or an address as far as known, gives its [`HostClass`]. Names are
//! not resolved.

use crate::paths::glob::{encode, is_special, readings};
use crate::table::places_in_the_net::{NAMES, NETWORKS};
use aegish_effects::Value;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The class of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HostClass {
    /// This machine.
    Loopback,
    /// The local network.
    Private,
    /// Known only at run time, or no host was named.
    Unknown,
    /// Anywhere else.
    Public,
    /// A service that provides credentials of this machine.
    Metadata,
}

/// Addresses that start with the same bits; IPv4 in its IPv6-mapped form.
pub(crate) struct Network {
    pub(crate) address: u128,
    pub(crate) bits: u32,
    pub(crate) class: HostClass,
}

impl HostClass {
    /// The worst class of several possible values.
    pub(crate) fn of(value: &Value) -> Self {
        (0..readings(value))
            .map(|number| Self::of_text(&encode(value, number)))
            .max()
            .unwrap_or(Self::Unknown)
    }

    fn of_text(text: &[u8]) -> Self {
        let host = host_part(text);
        if host.is_empty() || is_special(host) {
            // An unknown path may follow an address without a slash.
            let end = host.iter().position(|byte| is_special(&[*byte])).unwrap_or(0);
            let known =
                host.get(..end).and_then(|known| std::str::from_utf8(known).ok()).unwrap_or("");
            return match address(known).map(class_of) {
                Some(Self::Metadata) if known.split('.').count() == 4 => Self::Metadata,
                _ => Self::Unknown,
            };
        }
        let Ok(host) = std::str::from_utf8(host) else {
            return Self::Unknown;
        };
        let host = host.strip_suffix('.').unwrap_or(host);
        if let Some(number) = address(host) {
            return class_of(number);
        }
        let name = NAMES.iter().find(|(pattern, _)| match pattern.strip_prefix('*') {
            Some(suffix) => {
                host.len() > suffix.len()
                    && host
                        .get(host.len() - suffix.len()..)
                        .is_some_and(|end| end.eq_ignore_ascii_case(suffix))
            }
            None => host.eq_ignore_ascii_case(pattern),
        });
        match name {
            Some((_, class)) => *class,
            // A single word is a name of the local network, a container or an alias of ssh.
            None if !host.contains('.') => Self::Private,
            None => Self::Public,
        }
    }
}

/// The class of an address; IPv4 in its IPv6-mapped form.
fn class_of(number: u128) -> HostClass {
    let network = NETWORKS.iter().find(|network| {
        let shift = 128_u32.saturating_sub(network.bits);
        number.checked_shr(shift).unwrap_or(0) == network.address.checked_shr(shift).unwrap_or(0)
    });
    network.map_or(HostClass::Public, |network| network.class)
}

/// Whether an address leads to this machine or to what only this machine reaches. A name that stands for a host elsewhere
/// does not lead there, unless somebody made it do so.
#[must_use]
pub fn stays_inside(address: IpAddr) -> bool {
    let address = address.to_canonical();
    let (number, local) = match address {
        IpAddr::V4(address) => {
            let local = address.is_link_local() || address.is_broadcast();
            (u128::from(address.to_ipv6_mapped()), local)
        }
        IpAddr::V6(address) => (u128::from(address), address.is_unicast_link_local()),
    };
    let inside = matches!(class_of(number), HostClass::Loopback | HostClass::Metadata);
    inside || local || address.is_unspecified() || address.is_multicast()
}

/// Whether an address that is listened on can be reached from this machine only.
pub(crate) fn is_local_binding(value: &Value) -> bool {
    match value.as_known() {
        Some("" | "*" | "0" | "0.0.0.0" | "::" | "[::]") => false,
        // A socket in the file system.
        Some(text) if text.starts_with(['/', '@']) || text.starts_with("unix:") => true,
        _ => HostClass::of(value) == HostClass::Loopback,
    }
}

/// Whether a URL is public and not authenticated: without encryption, or with an address instead of a name.
pub(crate) fn is_unvouched(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else { return false };
    if HostClass::of(&Value::known(url)) != HostClass::Public {
        return false;
    }
    let plain =
        matches!(scheme.rsplit('+').next().unwrap_or(scheme), "http" | "ftp" | "git" | "svn");
    let host = host_part(url.as_bytes());
    plain || !rest.is_empty() && std::str::from_utf8(host).is_ok_and(|host| address(host).is_some())
}

/// The host within a URL, `user@host:path` or `host:port`.
fn host_part(text: &[u8]) -> &[u8] {
    let until = |text: &'_ [u8], stops: &[u8]| {
        text.iter().position(|b| stops.contains(b)).unwrap_or(text.len())
    };
    let scheme = text.windows(3).position(|window| window == b"://");
    let authority = match scheme {
        Some(at) => {
            let rest = text.get(at + 3..).unwrap_or_default();
            let rest = rest.get(..until(rest, b"/?#\\")).unwrap_or_default();
            match rest.iter().rposition(|byte| *byte == b'@') {
                Some(at) => rest.get(at + 1..).unwrap_or_default(),
                None => rest,
            }
        }
        None => {
            let looks_like_v6 = text.iter().filter(|byte| **byte == b':').count() > 1
                && text.iter().all(|byte| byte.is_ascii_hexdigit() || b":.%".contains(byte));
            if looks_like_v6 {
                return text;
            }
            let rest = match text.iter().position(|byte| *byte == b'@') {
                Some(at) if at < until(text, b"/:[") => text.get(at + 1..).unwrap_or_default(),
                _ => text,
            };
            rest.get(..until(rest, b"/?#")).unwrap_or_default()
        }
    };
    if let Some(inside) = authority.strip_prefix(b"[") {
        return inside.get(..until(inside, b"]%")).unwrap_or_default();
    }
    authority.get(..until(authority, b":")).unwrap_or_default()
}

/// The address, if the host is one in any spelling that the C library takes.
fn address(host: &str) -> Option<u128> {
    if host.contains(':') {
        let host = host.split('%').next().unwrap_or(host);
        return host.parse::<Ipv6Addr>().ok().map(u128::from);
    }
    if !host.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut value: u64 = 0;
    let mut parts = host.split('.').peekable();
    let mut number = 0_u32;
    while let Some(part) = parts.next() {
        let digit = number_of(part)?;
        number += 1;
        if parts.peek().is_some() {
            if digit > 255 || number > 3 {
                return None;
            }
            value = value << 8 | digit;
        } else {
            // The last number fills all bytes that are left.
            let bits = 8 * (5 - number);
            if digit >> bits != 0 {
                return None;
            }
            value = value << bits | digit;
        }
    }
    let four = Ipv4Addr::from(u32::try_from(value).ok()?);
    Some(u128::from(four.to_ipv6_mapped()))
}

fn number_of(text: &str) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u64::from_str_radix(digits, 16).ok();
    }
    match text.strip_prefix('0') {
        Some(digits) if !digits.is_empty() => u64::from_str_radix(digits, 8).ok(),
        _ => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::HostClass;
    use aegish_effects::{Piece, Value};

    #[test]
    fn hosts_are_found_in_urls_addresses_and_copy_targets() {
        for (text, expected) in [
            ("http://localhost:8080/x", HostClass::Loopback),
            ("http://127.1/", HostClass::Loopback),
            ("2130706433", HostClass::Loopback),
            ("0x7f.1", HostClass::Loopback),
            ("[::1]:9000", HostClass::Loopback),
            ("::1", HostClass::Loopback),
            ("http://[::ffff:127.0.0.1]/", HostClass::Loopback),
            ("app.localhost", HostClass::Loopback),
            ("10.3.0.9", HostClass::Private),
            ("deploy@192.168.4.2:/srv", HostClass::Private),
            ("nas.local", HostClass::Private),
            ("redis", HostClass::Private),
            ("https://user:pw@example.org/a@b", HostClass::Public),
            ("bob@files.example.net:x", HostClass::Public),
            ("https://localhost.example.org/", HostClass::Public),
            ("https://localhost@example.org/", HostClass::Public),
            ("http://169.254.169.254/latest/", HostClass::Metadata),
            ("http://2852039166/latest/", HostClass::Metadata),
            ("http://0251.0376.0251.0376/", HostClass::Metadata),
            ("http://METADATA.google.internal./v1", HostClass::Metadata),
            ("169.254.1.1", HostClass::Private),
            ("", HostClass::Unknown),
        ] {
            assert_eq!(HostClass::of(&Value::known(text)), expected, "{text}");
        }
    }

    #[test]
    fn an_unknown_port_or_path_does_not_hide_the_host() {
        let mut value = Value::known("http://localhost:");
        value.push(Piece::Unknown("variable"));
        assert_eq!(HostClass::of(&value), HostClass::Loopback);
        let mut value = Value::known("http://");
        value.push(Piece::Unknown("variable"));
        value.push_str("/x");
        assert_eq!(HostClass::of(&value), HostClass::Unknown);
    }

    #[test]
    fn an_unknown_path_directly_after_an_address_does_not_hide_it() {
        let mut value = Value::known("http://169.254.170.2");
        value.push(Piece::Unknown("variable"));
        assert_eq!(HostClass::of(&value), HostClass::Metadata);
        let mut value = Value::known("http://10.0.0.1");
        value.push(Piece::Unknown("variable"));
        assert_eq!(HostClass::of(&value), HostClass::Unknown);
    }

    #[test]
    fn public_addresses_without_a_name_or_encryption_are_unvouched() {
        for url in
            ["http://example.org/x", "git+http://198.51.100.7/x.git", "https://198.51.100.7/x"]
        {
            assert!(super::is_unvouched(url), "{url}");
        }
        for url in [
            "https://example.org/x",
            "http://localhost:4873",
            "http://10.0.0.4/simple",
            "left-pad",
            "git+https://github.com/a/b",
        ] {
            assert!(!super::is_unvouched(url), "{url}");
        }
    }

    #[test]
    fn of_several_hosts_the_worst_counts() {
        let value = Value::one_of(["localhost".to_owned(), "example.org".to_owned()]);
        assert_eq!(HostClass::of(&value), HostClass::Public);
    }
}
