//! Hosts that programs may connect to, as a list of them names each.

use crate::user_rules::HostPattern;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// The ports that are meant where an entry names none: those of the web.
const OF_THE_WEB: [u16; 2] = [80, 443];
/// The name of this machine.
const THIS_MACHINE: &str = "localhost";

/// A host that programs may connect to: `example.org`, `*.example.org`, `example.org:22`, `localhost`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHost {
    host: HostPattern,
    /// None for the ports of the web, or for all of this machine.
    port: Option<u16>,
}

impl AllowedHost {
    /// Takes an entry of a list.
    ///
    /// # Errors
    ///
    /// If it is more than a host and a port.
    pub fn new(text: &str) -> Result<Self, String> {
        let (host, port) = host_and_port(text);
        let port = match port.map(str::parse) {
            None => None,
            Some(Ok(port)) if port > 0 => Some(port),
            Some(_) => {
                return Err(format!("`{text}` has no port from 1 to 65535 behind its colon"));
            }
        };
        let known = |c: char| c.is_ascii_alphanumeric() || "-._*".contains(c);
        let is_host = !host.is_empty() && host.chars().all(known);
        if !is_host && host.parse::<Ipv6Addr>().is_err() {
            return Err(format!(
                "`{text}` is no host; write example.org, *.example.org or example.org:22"
            ));
        }
        Ok(Self { host: HostPattern::new(host.trim_end_matches('.'))?, port })
    }

    /// One host at one port.
    ///
    /// # Errors
    ///
    /// If it is no host.
    pub fn at(host: &str, port: u16) -> Result<Self, String> {
        Ok(Self { port: Some(port), ..Self::new(host)? })
    }

    /// Whether this host is meant, at this port.
    #[must_use]
    pub fn fits(&self, host: &str, port: u16) -> bool {
        self.fits_port(port) && self.host.fits(host)
    }

    fn fits_port(&self, port: u16) -> bool {
        match self.port {
            Some(own) => own == port,
            None => self.is_this_machine() || OF_THE_WEB.contains(&port),
        }
    }

    /// Whether it names exactly this address.
    #[must_use]
    pub fn is_address(&self, address: IpAddr) -> bool {
        self.host.as_str().parse() == Ok(address)
    }

    /// Whether this machine itself is meant.
    #[must_use]
    pub fn is_this_machine(&self) -> bool {
        let host = self.host.as_str();
        host == THIS_MACHINE || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }

    /// Whether programs may connect to this port of this machine.
    #[must_use]
    pub fn opens_own_port(&self, port: u16) -> bool {
        self.is_this_machine() && self.fits_port(port)
    }

    /// Whether everything that the other means is meant by this one.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        let ports = match other.port {
            Some(port) => self.fits_port(port),
            None => self.port.is_none() && (self.is_this_machine() || !other.is_this_machine()),
        };
        ports && self.host.fits(other.host.as_str())
    }
}

impl fmt::Display for AllowedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.port, self.host.as_str().contains(':')) {
            (None, _) => self.host.fmt(f),
            (Some(port), false) => write!(f, "{}:{port}", self.host),
            (Some(port), true) => write!(f, "[{}]:{port}", self.host),
        }
    }
}

/// The host and the port of `host`, `host:port`, `[address]`, `[address]:port` and of a bare address.
fn host_and_port(text: &str) -> (&str, Option<&str>) {
    if let Some((inside, behind)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return (inside, behind.strip_prefix(':').or((!behind.is_empty()).then_some(behind)));
    }
    match text.split_once(':') {
        Some((host, port)) if !port.contains(':') => (host, Some(port)),
        _ => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> AllowedHost {
        AllowedHost::new(text).expect("an entry")
    }

    #[test]
    fn an_entry_is_read_and_written() {
        for text in
            ["example.org", "*.example.org", "a-b.example:22", "[::1]:80", "::1", "10.0.0.1"]
        {
            assert_eq!(host(text).to_string(), text);
        }
        assert_eq!(host("Example.ORG.").to_string(), "example.org");
        for wrong in
            ["", "a b", "https://x", "x/y", "u@x", "x:", "x:0", "x:70000", "[::1]x", "x:1:"]
        {
            assert!(AllowedHost::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn names_fit_whole_and_ports_are_those_of_the_web() {
        assert!(
            host("example.org").fits("EXAMPLE.org.", 443)
                && host("example.org").fits("example.org", 80)
        );
        assert!(
            !host("example.org").fits("example.org", 22)
                && host("example.org:22").fits("example.org", 22)
        );
        assert!(
            !host("example.org").fits("a.example.org", 443)
                && !host("example.org").fits("xexample.org", 443)
        );
        assert!(
            host("*.example.org").fits("a.b.example.org", 443)
                && host("*.example.org").fits("example.org", 443)
        );
        assert!(!host("*.example.org").fits("example.org.evil.test", 443));
        assert!(!host("*.example.org").fits("xexample.org", 443));
        assert!(
            host("localhost").opens_own_port(3000) && !host("localhost:80").opens_own_port(3000)
        );
    }

    #[test]
    fn less_is_covered() {
        let covers = |one: &str, other: &str| host(one).covers(&host(other));
        assert!(
            covers("*.example.org", "a.example.org") && covers("*.example.org", "*.b.example.org")
        );
        assert!(covers("example.org", "example.org:443") && covers("localhost", "localhost:3000"));
        assert!(
            !covers("a.example.org", "*.example.org") && !covers("example.org:443", "example.org")
        );
        assert!(!covers("example.org", "example.org:22"));
    }
}
