//! Resolves host names, with a short cache.
//!
//! The HTTP client resolves the name for every request, even on an open connection, and starts a thread each
//! time so that it can give up. A literal address needs neither. A cached name expires after a short time, so
//! that a provider may move.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ureq::Error;
use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// How long a result is cached. The records of providers live for minutes; this is the shortest common bound.
const KEPT: Duration = Duration::from_secs(30);
/// Maximum number of names: a process talks to a few providers.
const MOST_NAMES: usize = 64;

/// Resolves each name at most every half a minute.
#[derive(Debug, Default)]
pub(crate) struct Addresses {
    names: DefaultResolver,
    known: Mutex<HashMap<String, (Instant, Vec<SocketAddr>)>>,
}

impl Resolver for Addresses {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, Error> {
        let Some((scheme, authority)) = uri.scheme().zip(uri.authority()) else {
            return self.names.resolve(uri, config, timeout);
        };
        let Some(name) = DefaultResolver::host_and_port(scheme, authority) else {
            return self.names.resolve(uri, config, timeout);
        };
        if let Some(address) = written_out(&name) {
            return Ok(self.listed(&[address]));
        }
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((asked, addresses)) = known.get(&name)
            && asked.elapsed() < KEPT
        {
            return Ok(self.listed(addresses));
        }
        drop(known);
        let found = self.names.resolve(uri, config, timeout)?;
        known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_NAMES {
            known.clear();
        }
        known.insert(name, (Instant::now(), found.to_vec()));
        Ok(found)
    }
}

impl Addresses {
    fn listed(&self, addresses: &[SocketAddr]) -> ResolvedSocketAddrs {
        let mut list = self.empty();
        for address in addresses {
            list.push(*address);
        }
        list
    }
}

/// `127.0.0.1:80`, `[::1]:80`
fn written_out(name: &str) -> Option<SocketAddr> {
    let (host, port) = name.rsplit_once(':')?;
    let host: IpAddr = host.trim_start_matches('[').trim_end_matches(']').parse().ok()?;
    Some(SocketAddr::new(host, port.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ureq::Agent;

    fn resolve(addresses: &Addresses, uri: &str) -> Result<Vec<SocketAddr>, Error> {
        let config = Agent::config_builder().build();
        let uri: Uri = uri.parse().expect("an address");
        let found = addresses.resolve(&uri, &config, NextTimeout::default())?;
        Ok(found.to_vec())
    }

    #[test]
    fn a_literal_address_is_not_resolved() {
        let addresses = Addresses::default();
        let four = resolve(&addresses, "http://127.0.0.1:8080/v1").expect("an address");
        assert_eq!(four, ["127.0.0.1:8080".parse().expect("an address")]);
        let six = resolve(&addresses, "https://[::1]/v1").expect("an address");
        assert_eq!(six, ["[::1]:443".parse().expect("an address")]);
        assert!(addresses.known.lock().expect("no panic").is_empty());
    }

    #[test]
    fn a_resolved_name_is_cached() {
        let addresses = Addresses::default();
        let first = resolve(&addresses, "http://localhost:8080/v1").expect("localhost");
        let again = resolve(&addresses, "http://localhost:8080/other").expect("localhost");
        assert_eq!(first, again);
        assert_eq!(addresses.known.lock().expect("no panic").len(), 1);
    }
}
