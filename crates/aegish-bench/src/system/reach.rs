//! Whether the host of a system is known by name, before anything is asked.

use std::net::ToSocketAddrs as _;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// A look-up that takes longer is left to the requests themselves.
const LOOKUP_TIME: Duration = Duration::from_secs(2);

/// The host of an address, if nobody knows its name.
#[must_use]
pub fn unknown_host(base_url: &str) -> Option<String> {
    let (scheme, rest) = base_url.split_once("://")?;
    let authority = rest.split('/').next()?;
    let default_port = if scheme == "https" { 443 } else { 80 };
    // Of `[::1]:80` the port follows the bracket.
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok()?),
        _ => (authority, default_port),
    };
    let host = host.trim_matches(['[', ']']).to_owned();
    let asked = host.clone();
    let (tell, told) = channel();
    let lookup = move || {
        let known =
            (asked.as_str(), port).to_socket_addrs().is_ok_and(|mut found| found.next().is_some());
        let _ = tell.send(known);
    };
    thread::Builder::new().spawn(lookup).ok()?;
    matches!(told.recv_timeout(LOOKUP_TIME), Ok(false)).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::unknown_host;

    #[test]
    fn written_out_addresses_are_known_and_invented_names_are_not() {
        for known in ["http://127.0.0.1:8080/v1", "http://[::1]:80", "http://127.0.0.1"] {
            assert_eq!(unknown_host(known), None, "{known}");
        }
        // Reserved: no such name exists.
        let unknown = unknown_host("http://no-such-host.invalid:8080/v1");
        assert!(unknown.is_none_or(|host| host == "no-such-host.invalid"));
    }
}
