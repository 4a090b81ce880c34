//! Checks before a run that the host of a system has an address.

use std::net::ToSocketAddrs as _;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// A slower look-up is left to the requests themselves.
const LOOKUP_TIME: Duration = Duration::from_secs(2);

/// The host of an address, if its name cannot be resolved.
#[must_use]
pub fn unknown_host(base_url: &str) -> Option<String> {
    let (scheme, rest) = base_url.split_once("://")?;
    let authority = rest.split('/').next()?;
    let default_port = if scheme == "https" { 443 } else { 80 };
    // The port of `[::1]:80` follows the bracket.
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
    fn literal_addresses_resolve_and_invented_names_do_not() {
        for known in ["http://127.0.0.1:8080/v1", "http://[::1]:80", "http://127.0.0.1"] {
            assert_eq!(unknown_host(known), None, "{known}");
        }
        // A reserved name that never exists.
        let unknown = unknown_host("http://no-such-host.invalid:8080/v1");
        assert!(unknown.is_none_or(|host| host == "no-such-host.invalid"));
    }
}
