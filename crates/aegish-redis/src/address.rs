//! The address of a server, and what proves who we are.
//!
//! `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`, `rediss://…` with TLS, and
//! `redis[s]+sentinel://[[USER]:PASSWORD@]HOST[:PORT][,HOST[:PORT]…]/SERVICE[/DATABASE]` for a server that Sentinels know.
//! The client crate reads the parts, so that a password may contain `%40`.

use std::fmt;
use std::str::FromStr;

use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo as _, RedisConnectionInfo};

/// The default port of Sentinels.
const SENTINEL_PORT: u16 = 26379;
const SCHEMES: [&str; 4] = ["redis://", "rediss://", "valkey://", "valkeys://"];

/// The address and credentials of a server.
#[derive(Clone)]
pub struct Address {
    /// The server, or the Sentinels that know it. All have the same login and database.
    pub(crate) servers: Vec<ConnectionInfo>,
    /// The name under which the Sentinels know the server.
    pub(crate) service: Option<String>,
    pub(crate) certificates: Certificates,
}

/// Certificates in PEM for a connection with TLS.
#[derive(Clone, Default)]
pub struct Certificates {
    /// Those that are trusted, instead of those of this machine.
    pub trusted: Option<Vec<u8>>,
    /// The own certificate and its key.
    pub client: Option<(Vec<u8>, Vec<u8>)>,
}

impl Address {
    /// The same address with a password from another source than the command line.
    #[must_use]
    pub fn with_password(self, password: &str) -> Self {
        let add = |info: ConnectionInfo| {
            let login = info.redis_settings().clone().set_password(password);
            info.set_redis_settings(login)
        };
        Self { servers: self.servers.into_iter().map(add).collect(), ..self }
    }

    /// The same address with certificates.
    ///
    /// # Errors
    /// If the connection is not encrypted.
    pub fn with_certificates(self, certificates: Certificates) -> Result<Self, BadAddress> {
        let given = certificates.trusted.is_some() || certificates.client.is_some();
        if given && !self.is_encrypted() {
            return Err(BadAddress("certificates are given, but it does not begin with rediss"));
        }
        Ok(Self { certificates, ..self })
    }

    pub(crate) fn is_encrypted(&self) -> bool {
        let tls = |info: &ConnectionInfo| matches!(info.addr(), ConnectionAddr::TcpTls { .. });
        self.servers.iter().any(tls)
    }

    /// User, password and database.
    pub(crate) fn login(&self) -> RedisConnectionInfo {
        self.servers.first().map(|info| info.redis_settings().clone()).unwrap_or_default()
    }
}

/// Host and port of a server.
pub(crate) fn place(info: &ConnectionInfo) -> (&str, u16) {
    match info.addr() {
        ConnectionAddr::Tcp(host, port) | ConnectionAddr::TcpTls { host, port, .. } => {
            (host, *port)
        }
        _ => ("", 0),
    }
}

/// The address without its password, for messages.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places: Vec<String> = self
            .servers
            .iter()
            .map(|info| match place(info) {
                (host, port) if host.contains(':') => format!("[{host}]:{port}"),
                (host, port) => format!("{host}:{port}"),
            })
            .collect();
        let scheme = if self.is_encrypted() { "rediss" } else { "redis" };
        let sentinel = if self.service.is_some() { "+sentinel" } else { "" };
        write!(f, "{scheme}{sentinel}://{}", places.join(","))?;
        if let Some(service) = &self.service {
            write!(f, "/{service}")?;
        }
        match self.login().db() {
            0 => Ok(()),
            database => write!(f, "/{database}"),
        }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not an address of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadAddress(&'static str);

impl fmt::Display for BadAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "not the address of a Redis server: {}; write redis://HOST:PORT or rediss://HOST:PORT",
            self.0
        )
    }
}

impl std::error::Error for BadAddress {}

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        if text.contains(['#', '?']) {
            return Err(BadAddress("it takes no options behind # or ?; write them as %23 and %3F"));
        }
        let certificates = Certificates::default();
        let Some((scheme, rest)) = text.split_once("+sentinel://") else {
            return Ok(Self { servers: vec![server(text)?], service: None, certificates });
        };
        let no_service = BadAddress("it names no service of the Sentinels: HOST:PORT/SERVICE");
        let (places, path) = rest.split_once('/').ok_or(no_service)?;
        let (service, database) = path.split_once('/').unwrap_or((path, ""));
        if service.is_empty() {
            return Err(no_service);
        }
        let (login, places) = match places.rsplit_once('@') {
            Some((login, places)) => (format!("{login}@"), places),
            None => (String::new(), places),
        };
        let servers = places.split(',').map(|place| {
            let port = if has_port(place) { String::new() } else { format!(":{SENTINEL_PORT}") };
            server(&format!("{scheme}://{login}{place}{port}/{database}"))
        });
        let servers = servers.collect::<Result<_, _>>()?;
        Ok(Self { servers, service: Some(service.to_owned()), certificates })
    }
}

fn has_port(place: &str) -> bool {
    place.rsplit_once(']').map_or(place, |(_, port)| port).contains(':')
}

/// One server, as the client crate reads it.
fn server(text: &str) -> Result<ConnectionInfo, BadAddress> {
    let scheme = SCHEMES.iter().find(|scheme| text.starts_with(**scheme));
    let scheme = scheme.ok_or(BadAddress("it does not begin with redis:// or rediss://"))?;
    if text.len() == scheme.len() {
        return Err(BadAddress("it names no host"));
    }
    if redis::parse_redis_url(text).is_none() {
        return Err(BadAddress("the host or port cannot be read"));
    }
    text.into_connection_info().map_err(|error| {
        let what = error.to_string().to_lowercase();
        BadAddress(if what.contains("database") {
            "the database is no number"
        } else if what.contains("wildcard") {
            "it names every host, not one"
        } else if what.contains("utf-8") {
            "the login is not UTF-8"
        } else {
            "it names no host"
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Address, String> {
        text.parse().map_err(|error: BadAddress| error.to_string())
    }

    #[test]
    fn addresses_are_read_with_and_without_their_parts() {
        let plain = read("redis://queue.example.org").unwrap();
        assert_eq!(place(&plain.servers[0]), ("queue.example.org", 6379));
        assert_eq!((plain.login().db(), plain.login().password()), (0, None));
        let full = read("valkey://me:p%40ss%3Aword@[::1]:7000/3").unwrap();
        assert_eq!(place(&full.servers[0]), ("::1", 7000));
        let login = full.login();
        assert_eq!((login.username(), login.password()), (Some("me"), Some("p@ss:word")));
        assert_eq!(login.db(), 3);
        assert_eq!(read("redis://:secret@h").unwrap().login().username(), None);
        assert!(read("rediss://h").unwrap().is_encrypted());
        let other = plain.with_password("s");
        assert_eq!(other.login().password(), Some("s"));
    }

    #[test]
    fn sentinels_are_read_with_their_service() {
        let address = read("rediss+sentinel://me:s%40@a:1,b,[::1]:3/main/2").unwrap();
        let places: Vec<_> = address.servers.iter().map(place).collect();
        assert_eq!(places, [("a", 1), ("b", 26379), ("::1", 3)]);
        assert_eq!((address.service.as_deref(), address.login().db()), (Some("main"), 2));
        assert_eq!(address.login().password(), Some("s@"));
        assert_eq!(address.to_string(), "rediss+sentinel://a:1,b:26379,[::1]:3/main/2");
    }

    #[test]
    fn the_password_is_never_shown() {
        let address = read("redis://:secret@h:1/2").unwrap();
        assert_eq!(
            (format!("{address}"), format!("{address:?}")),
            ("redis://h:1/2".into(), "redis://h:1/2".into())
        );
    }

    #[test]
    fn certificates_need_tls() {
        let own = || Certificates { trusted: Some(Vec::new()), client: None };
        assert!(read("redis://h").unwrap().with_certificates(own()).is_err());
        assert!(read("rediss://h").unwrap().with_certificates(own()).is_ok());
        assert!(read("redis://h").unwrap().with_certificates(Certificates::default()).is_ok());
    }

    #[test]
    fn an_invalid_address_is_refused_with_advice() {
        for (text, what) in [
            ("localhost:6379", "does not begin with redis://"),
            ("unix:///tmp/x", "does not begin with redis://"),
            ("redis://", "no host"),
            ("redis://h:x", "the host or port"),
            ("redis://h/x", "the database is no number"),
            ("redis://0.0.0.0", "every host"),
            ("rediss://h/#insecure", "no options"),
            ("redis+sentinel://h", "no service"),
            ("redis+sentinel://h/", "no service"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(what), "{text}: {error}");
        }
    }
}
