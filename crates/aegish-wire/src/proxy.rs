//! Selects the proxy for an address.
//!
//! Takes the usual variables; gives a proxy or none per address. Addresses of this machine never use a proxy:
//! people choose a local model so that nothing leaves the machine.

use std::fmt;
use std::net::IpAddr;

use ureq::Proxy;
use ureq::http::Uri;

use crate::endpoint::Env;
use crate::failure::{Failure, FailureKind};

/// The proxies of this machine. `Debug` shows no address, because it may contain a password.
#[derive(Clone, Default)]
pub(crate) struct Proxies {
    https: Option<Proxy>,
    http: Option<Proxy>,
    exceptions: Vec<Exception>,
}

impl fmt::Debug for Proxies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proxies")
            .field("https", &self.https.is_some())
            .field("http", &self.http.is_some())
            .field("exceptions", &self.exceptions)
            .finish()
    }
}

/// One entry of `NO_PROXY`.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Exception {
    All,
    /// A host and its subdomains, on one port or all.
    Host(String, Option<u16>),
    Net(IpAddr, u32),
}

impl Proxies {
    pub(crate) fn from_env(env: Env<'_>) -> Result<Self, Failure> {
        let first = |names: &[&'static str]| -> Result<Option<Proxy>, Failure> {
            for &name in names {
                if let Some(value) = env(name).filter(|v| !v.trim().is_empty()) {
                    return parse(value.trim(), name).map(Some);
                }
            }
            Ok(None)
        };
        let list = ["no_proxy", "NO_PROXY"].iter().find_map(|name| env(name)).unwrap_or_default();
        Ok(Self {
            https: first(&["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"])?,
            http: first(&["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"])?,
            exceptions: list.split([',', ' ']).filter_map(Exception::parse).collect(),
        })
    }

    /// The proxy for an address.
    pub(crate) fn pick(&self, url: &str) -> Option<&Proxy> {
        let uri: Uri = url.parse().ok()?;
        let (proxy, default) = match uri.scheme_str() {
            Some("https") => (self.https.as_ref()?, 443),
            _ => (self.http.as_ref()?, 80),
        };
        let host = uri.host()?.trim_matches(['[', ']']).trim_end_matches('.').to_ascii_lowercase();
        let port = uri.port_u16().unwrap_or(default);
        let ip: Option<IpAddr> = host.parse().ok();
        let local = host == "localhost"
            || host.ends_with(".localhost")
            || ip.is_some_and(|ip| ip.is_loopback());
        let excepted = local || self.exceptions.iter().any(|e| e.matches(&host, ip, port));
        (!excepted).then_some(proxy)
    }
}

fn parse(value: &str, name: &str) -> Result<Proxy, Failure> {
    let bad = || {
        Failure::new(
            FailureKind::Setup,
            format!("{name} is not a proxy that can be used; write http://HOST:PORT"),
        )
    };
    let scheme = value.split_once("://").map_or("http", |(scheme, _)| scheme);
    if !matches!(scheme, "http" | "https") {
        return Err(bad());
    }
    Proxy::new(value).map_err(|_| bad())
}

impl Exception {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        if text.is_empty() {
            return None;
        }
        if text == "*" {
            return Some(Self::All);
        }
        if let Some((net, bits)) = text.split_once('/') {
            return Some(Self::Net(net.parse().ok()?, bits.parse().ok()?));
        }
        if let Ok(ip) = text.trim_matches(['[', ']']).parse::<IpAddr>() {
            return Some(Self::Net(ip, 128));
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) => (host, Some(port.parse().ok()?)),
            None => (text.as_str(), None),
        };
        Some(Self::Host(host.trim_start_matches("*.").trim_start_matches('.').to_owned(), port))
    }

    fn matches(&self, host: &str, ip: Option<IpAddr>, port: u16) -> bool {
        match self {
            Self::All => true,
            Self::Host(name, only) => {
                let below = host.strip_suffix(name.as_str());
                only.is_none_or(|p| p == port)
                    && below.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
            Self::Net(IpAddr::V4(net), bits) => match ip {
                Some(IpAddr::V4(ip)) => {
                    shift(u128::from(net.to_bits() ^ ip.to_bits()), 32, *bits) == 0
                }
                _ => false,
            },
            Self::Net(IpAddr::V6(net), bits) => match ip {
                Some(IpAddr::V6(ip)) => shift(net.to_bits() ^ ip.to_bits(), 128, *bits) == 0,
                _ => false,
            },
        }
    }
}

/// The first `bits` of a number with `width` bits.
fn shift(number: u128, width: u32, bits: u32) -> u128 {
    number.checked_shr(width.saturating_sub(bits)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxies(no_proxy: &'static str) -> Proxies {
        let env = move |name: &str| match name {
            "HTTPS_PROXY" => Some("http://user:hunter2@proxy.example:3128".to_owned()),
            "NO_PROXY" => Some(no_proxy.to_owned()),
            _ => None,
        };
        Proxies::from_env(&env).expect("usable")
    }

    #[test]
    fn exceptions_are_hosts_their_children_nets_and_ports() {
        let rows = [
            ("", "https://api.example.org", true),
            ("*", "https://api.example.org", false),
            ("example.org", "https://api.example.org", false),
            (".example.org", "https://api.example.org", false),
            ("example.org", "https://badexample.org", true),
            ("api.example.org:8443", "https://api.example.org", true),
            ("api.example.org:8443", "https://api.example.org:8443", false),
            ("a.b, 10.0.0.0/8", "https://10.20.30.40", false),
            ("10.0.0.0/8", "https://11.20.30.40", true),
            ("10.0.0.1", "https://10.0.0.1", false),
            ("10.0.0.1", "https://10.0.0.2", true),
            ("fd00::/8", "https://[fd12::1]", false),
            ("0.0.0.0/0", "https://8.8.8.8", false),
            ("", "https://localhost:1", true),
        ];
        for (list, url, through) in rows {
            let through = through && !url.contains("localhost");
            assert_eq!(proxies(list).pick(url).is_some(), through, "{list} {url}");
        }
    }

    #[test]
    fn this_machine_is_never_reached_through_a_proxy() {
        for url in
            ["https://127.0.0.1:9", "https://localhost", "https://[::1]:9", "http://10.0.0.1"]
        {
            assert!(proxies("").pick(url).is_none(), "{url}");
        }
    }

    #[test]
    fn a_password_in_a_proxy_is_not_shown() {
        assert!(!format!("{:?}", proxies("")).contains("hunter2"));
        let env =
            |name: &str| (name == "ALL_PROXY").then(|| "socks5://user:hunter2@h:1".to_owned());
        let error = Proxies::from_env(&env).expect_err("not supported");
        assert!(!format!("{error} {error:?}").contains("hunter2"));
        assert!(error.message.contains("all_proxy") || error.message.contains("ALL_PROXY"));
    }
}
