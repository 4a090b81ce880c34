//! Patterns for words, paths and hosts, in which `*` stands for anything.

use crate::action::PolicyContext;
use crate::paths::glob::{self, Match};
use crate::paths::route::{Base, Route};
use aegish_effects::Value;
use std::fmt;

/// Longer patterns are a mistake.
const LONGEST: usize = 1024;

/// A word in which `*` matches any characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPattern(String);

impl TextPattern {
    /// Takes the pattern as written.
    ///
    /// # Errors
    ///
    /// If it is empty, too long, or has control characters.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("an empty pattern fits nothing; leave it out".to_owned());
        }
        if text.len() > LONGEST || text.chars().any(char::is_control) {
            return Err(format!("a pattern has at most {LONGEST} characters, all of them visible"));
        }
        Ok(Self(text.to_owned()))
    }

    /// The pattern as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this text matches.
    #[must_use]
    pub fn fits(&self, text: &str) -> bool {
        wild(self.0.as_bytes(), text.as_bytes())
    }

    /// Whether a value matches, of which parts may be unknown.
    pub(crate) fn fit(&self, value: &Value) -> Match {
        every_reading(value, |text| {
            if glob::is_special(text) {
                let whole = self.0 == "*";
                if whole { Match::Must } else { Match::May }
            } else {
                sure(wild(self.0.as_bytes(), text))
            }
        })
    }
}

impl fmt::Display for TextPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A path in which `*` matches a part of a name and `**` any number of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern(String);

impl PathPattern {
    /// Takes a pattern; `~` and relative ones are completed with these directories.
    ///
    /// # Errors
    ///
    /// If it is no pattern, or its directory is not known.
    pub fn new(text: &str, home: &str, cwd: &str) -> Result<Self, String> {
        TextPattern::new(text)?;
        let unknown = |what: &str| format!("`{text}` hangs on {what}, which is not known");
        let absolute = match text.strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                if home.is_empty() {
                    return Err(unknown("the home directory"));
                }
                format!("{home}{rest}")
            }
            _ if text.starts_with('/') => text.to_owned(),
            _ if cwd.is_empty() => return Err(unknown("the working directory")),
            _ => format!("{cwd}/{text}"),
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in absolute.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        Ok(Self(format!("/{}", parts.join("/"))))
    }

    /// The pattern, absolute.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a path matches.
    pub(crate) fn fit(&self, value: &Value, setting: &PolicyContext<'_>) -> Match {
        every_reading(value, |text| {
            let route = Route::new(text, setting);
            if route.base != Base::Absolute {
                return Match::May;
            }
            self.walk(route.parts())
        })
    }

    /// Whether a directory is this one or below.
    pub(crate) fn holds(&self, directory: &str) -> bool {
        let parts: Vec<&[u8]> =
            directory.split('/').filter(|part| !part.is_empty()).map(str::as_bytes).collect();
        (0..=parts.len())
            .any(|end| parts.get(..end).is_some_and(|parts| self.walk(parts) == Match::Must))
    }

    fn walk(&self, parts: &[&[u8]]) -> Match {
        let pattern: Vec<&str> = self.0.split('/').filter(|part| !part.is_empty()).collect();
        components(&pattern, parts)
    }
}

impl fmt::Display for PathPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A host in which `*` matches any characters; `*.example.org` also matches `example.org`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern(TextPattern);

impl HostPattern {
    /// Takes a host name or address.
    ///
    /// # Errors
    ///
    /// If it is an address of something on a host, or no pattern.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.contains('/') || text.contains('@') {
            return Err(format!("`{text}` is more than a host; write the name alone"));
        }
        Ok(Self(TextPattern::new(&text.to_ascii_lowercase())?))
    }

    /// The pattern as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Whether the host of an address matches.
    pub(crate) fn fit(&self, address: &Value) -> Match {
        let Some(text) = address.as_known() else {
            // `https://host/$x`: the unknown part comes after the host.
            let prefix = address.known_prefix();
            let host = prefix.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
            return host.map_or(Match::May, |(host, _)| sure(self.fits(host_of(host))));
        };
        sure(self.fits(host_of(text)))
    }

    /// Whether this host matches.
    #[must_use]
    pub fn fits(&self, host: &str) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let bare = self.as_str().strip_prefix("*.").is_some_and(|rest| rest == host);
        bare || self.0.fits(&host)
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The host of a URL, of `user@host:path`, of `host:port`.
pub(crate) fn host_of(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let authority = rest.get(..end).unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if let Some((inside, _)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return inside;
    }
    match host.split_once(':') {
        // More than one colon: an IPv6 address.
        Some((name, rest)) if !rest.contains(':') => name,
        _ => host,
    }
}

fn sure(fits: bool) -> Match {
    if fits { Match::Must } else { Match::No }
}

/// A certain match needs all readings; one is enough for a possible match.
fn every_reading(value: &Value, fit: impl Fn(&[u8]) -> Match) -> Match {
    let count = glob::readings(value);
    let mut all: Option<Match> = None;
    for number in 0..count {
        let one = fit(&glob::encode(value, number));
        all = Some(match all {
            None => one,
            Some(before) if before == one => one,
            Some(_) => Match::May,
        });
    }
    all.unwrap_or(Match::No)
}

/// Names of a path against names of a pattern.
fn components(pattern: &[&str], parts: &[&[u8]]) -> Match {
    let Some((first, rest)) = pattern.split_first() else {
        return sure(parts.is_empty());
    };
    if *first == "**" {
        // A part that is known only at run time may contain `..`.
        let led_away = parts.iter().any(|part| glob::has_unknown(part));
        if rest.is_empty() {
            return if led_away { Match::May } else { Match::Must };
        }
        return (0..=parts.len())
            .filter_map(|skip| parts.get(skip..))
            .map(|tail| components(rest, tail))
            .max()
            .unwrap_or(Match::No);
    }
    let Some((part, others)) = parts.split_first() else { return Match::No };
    let here = if glob::has_unknown(part) {
        Match::May
    } else if !glob::is_special(part) {
        sure(wild(first.as_bytes(), part))
    } else if *first == "*" {
        Match::Must
    } else {
        glob::component(first.as_bytes(), part)
    };
    here.min(if here == Match::No { Match::No } else { components(rest, others) })
}

/// `*` matches any bytes. Backtracks to the last star only, so the work is at most length × length.
fn wild(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while read < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                back = Some((at, read));
                at += 1;
            }
            Some(byte) if text.get(read) == Some(byte) => {
                at += 1;
                read += 1;
            }
            _ => match back {
                Some((star, from)) => {
                    at = star + 1;
                    read = from + 1;
                    back = Some((star, read));
                }
                None => return false,
            },
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;
    use aegish_effects::Piece;

    fn setting() -> PolicyContext<'static> {
        PolicyContext { role: Role::Default, cwd: "/srv/app", home: "/home/kim", user_rules: &[] }
    }

    fn path(pattern: &str, value: &Value) -> Match {
        PathPattern::new(pattern, "/home/kim", "/srv/app")
            .map_or(Match::No, |pattern| pattern.fit(value, &setting()))
    }

    fn pieces(pieces: &[Piece]) -> Value {
        let mut value = Value::empty();
        for piece in pieces {
            value.push(piece.clone());
        }
        value
    }

    #[test]
    fn stars_match_anything() {
        for (pattern, text, fits) in [
            ("*", "", true),
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "acd", false),
            ("*.rs", "src/main.rs", true),
            ("a*b*c", "a1b2b3c", true),
            ("a", "A", false),
        ] {
            assert_eq!(wild(pattern.as_bytes(), text.as_bytes()), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn paths_fit_as_the_kernel_would_walk_them() {
        for (pattern, text, fits) in [
            ("build/**", "build/a/b", Match::Must),
            ("build/**", "./build/../src", Match::No),
            ("build/**", "/srv/app/build", Match::Must),
            ("~/tmp/*", "/home/kim/tmp/x", Match::Must),
            ("~/tmp/*", "/home/kim/tmp/x/y", Match::No),
            ("/**/*.log", "/var/log/a/b.log", Match::Must),
            ("/srv/*/cache", "/srv/app/cache", Match::Must),
            ("../other", "/srv/other", Match::Must),
        ] {
            assert_eq!(path(pattern, &Value::known(text)), fits, "{pattern} {text}");
        }
    }

    #[test]
    fn globs_stay_in_their_directory() {
        let text = |text: &str| Piece::Text(text.into());
        let all = pieces(&[text("build/"), Piece::AnyString]);
        assert_eq!(path("build/**", &all), Match::Must);
        assert_eq!(path("build/*", &all), Match::Must);
        assert_eq!(path("build/a*", &all), Match::May);
        let unknown = pieces(&[text("build/"), Piece::Unknown("variable")]);
        assert_eq!(path("build/**", &unknown), Match::May);
        assert_eq!(path("src/**", &unknown), Match::No);
    }

    #[test]
    fn hosts_are_found_in_addresses() {
        let pattern = HostPattern::new("*.example.org").expect("a pattern");
        for (address, fits) in [
            ("https://api.example.org/v1?x=evil.net", Match::Must),
            ("https://example.org", Match::Must),
            ("kim@git.example.org:repo.git", Match::Must),
            ("API.EXAMPLE.ORG:8080", Match::Must),
            ("https://api.example.org@evil.net/", Match::No),
            ("https://example.org.evil.net/", Match::No),
        ] {
            assert_eq!(pattern.fit(&Value::known(address)), fits, "{address}");
        }
        let text = |text: &str| Piece::Text(text.into());
        let tail = pieces(&[text("https://a.example.org/"), Piece::Unknown("variable")]);
        assert_eq!(pattern.fit(&tail), Match::Must);
        let host = pieces(&[text("https://a.example.org"), Piece::Unknown("variable")]);
        assert_eq!(pattern.fit(&host), Match::May);
        assert!(HostPattern::new("https://x/").is_err());
    }
}
