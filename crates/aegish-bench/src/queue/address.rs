//! The address of the queue: `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]`.

use std::fmt;
use std::str::FromStr;

/// The default port of Redis and Valkey.
const PORT: u16 = 6379;

/// The address and credentials of a server.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) user: Option<String>,
    pub(super) password: Option<String>,
    pub(super) database: u32,
}

impl Address {
    /// The same address with a password from another source than the command line.
    #[must_use]
    pub fn with_password(self, password: &str) -> Self {
        Self { password: Some(password.to_owned()), ..self }
    }
}

/// The address without its password, for messages.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host =
            if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        write!(f, "redis://{host}:{}", self.port)?;
        if self.database > 0 { write!(f, "/{}", self.database) } else { Ok(()) }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not an address of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadAddress(&'static str);

impl fmt::Display for BadAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not the address of a queue: {}; write redis://HOST:PORT", self.0)
    }
}

impl std::error::Error for BadAddress {}

impl FromStr for Address {
    type Err = BadAddress;

    fn from_str(text: &str) -> Result<Self, BadAddress> {
        if text.starts_with("rediss://") || text.starts_with("valkeys://") {
            let what = "connections are not encrypted here, use a tunnel or a private network";
            return Err(BadAddress(what));
        }
        let rest = text.strip_prefix("redis://").or_else(|| text.strip_prefix("valkey://"));
        let rest = rest.ok_or(BadAddress("it does not begin with redis://"))?;
        let (rest, database) = match rest.split_once('/') {
            None | Some((_, "")) => (rest.trim_end_matches('/'), 0),
            Some((rest, number)) => {
                let number = number.parse().map_err(|_| BadAddress("the database is no number"))?;
                (rest, number)
            }
        };
        let (login, place) = match rest.rsplit_once('@') {
            Some((login, place)) => (Some(login), place),
            None => (None, rest),
        };
        let (user, password) = match login.map(|login| login.split_once(':')) {
            None => (None, None),
            Some(None) => return Err(BadAddress("write the password as :PASSWORD@")),
            Some(Some((user, password))) => {
                let user = decode(user)?;
                ((!user.is_empty()).then_some(user), Some(decode(password)?))
            }
        };
        let (host, port) = match place.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, port)) => (host, port.strip_prefix(':')),
            None => match place.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (place, None),
            },
        };
        if host.is_empty() {
            return Err(BadAddress("it names no host"));
        }
        let port = port.map_or(Ok(PORT), |port| {
            port.parse().map_err(|_| BadAddress("the port is no number"))
        })?;
        Ok(Self { host: host.to_owned(), port, user, password, database })
    }
}

/// Decodes `%40` and the like, which passwords need.
fn decode(text: &str) -> Result<String, BadAddress> {
    let wrong = BadAddress("a % in the login is not followed by two digits");
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || rest.next().and_then(|byte| char::from(byte).to_digit(16)).ok_or(wrong);
        let value = digit()? * 16 + digit()?;
        bytes.push(u8::try_from(value).map_err(|_| wrong)?);
    }
    String::from_utf8(bytes).map_err(|_| BadAddress("the login is not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::Address;

    fn read(text: &str) -> Result<Address, String> {
        text.parse().map_err(|error: super::BadAddress| error.to_string())
    }

    #[test]
    fn addresses_are_read_with_and_without_their_parts() {
        let plain = read("redis://queue.example.org").unwrap();
        assert_eq!(
            (plain.host.as_str(), plain.port, plain.database),
            ("queue.example.org", 6379, 0)
        );
        let full = read("valkey://me:p%40ss:word@[::1]:7000/3").unwrap();
        assert_eq!((full.host.as_str(), full.port, full.database), ("::1", 7000, 3));
        assert_eq!(full.user.as_deref(), Some("me"));
        assert_eq!(full.password.as_deref(), Some("p@ss:word"));
        assert_eq!(read("redis://:secret@h").unwrap().user, None);
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
    fn an_invalid_address_is_refused_with_advice() {
        for (text, what) in [
            ("localhost:6379", "does not begin with redis://"),
            ("rediss://h", "not encrypted"),
            ("redis://", "no host"),
            ("redis://h:x", "the port is no number"),
            ("redis://h/x", "the database is no number"),
            ("redis://secret@h", ":PASSWORD@"),
            ("redis://:%4@h", "two digits"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(what), "{text}: {error}");
        }
    }
}
