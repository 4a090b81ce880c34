//! Bundles of a fleet: settings, roles and rules for many machines, in one TOML file with a head.
//!
//! The file is signed by comments at its end (`aegish-fleet`). What is read here was verified when it was pulled, and
//! since then root alone could write it, like every other file of the system.

use std::path::Path;

use jiff::Timestamp;
use toml::de::DeValue;

use crate::keys::SourceContent;
use crate::origin::{ConfigOrigin, ConfigSource, Problems};
use crate::table::Preset::Unset;
use crate::table::{Empty, PEOPLE, Setting, Tighter, ValueType};
use crate::tables::{self, LineIndex};
use crate::user_rules::Bases;

/// The table that makes a file a bundle.
pub(crate) const BUNDLE: &str = "bundle";
const KEYS: [&str; 3] = ["fleet", "version", "expires"];
/// A bundle cannot change where the next one comes from.
const MACHINE: &[ConfigSource] = &[ConfigSource::SystemKeys, ConfigSource::SystemTables];

pub(crate) const FLEET_SOURCE: Setting = Setting {
    name: "AEGISH_FLEET_SOURCE",
    kind: ValueType::Text,
    default: Unset("none"),
    by: MACHINE,
    tighter: Tighter::Neither,
    doc: "where `aegish policy pull` finds the fleet's bundle: a path, `https://…`, or `git+URL#REF:PATH`",
};

pub(crate) const FLEET_KEYS: Setting = Setting {
    name: "AEGISH_FLEET_KEYS",
    kind: ValueType::List { empty: Empty::Mistake },
    default: Unset("none; no bundle is trusted"),
    by: MACHINE,
    tighter: Tighter::Fewer,
    doc: "public keys that may sign the fleet's bundle, as `aegish policy keygen` prints them",
};

pub(crate) const CACHE_SERVER: Setting = Setting {
    name: "AEGISH_CACHE_SERVER",
    kind: ValueType::Text,
    default: Unset("opinions stay on this machine"),
    by: PEOPLE,
    tighter: Tighter::Neither,
    doc: "a Redis server on which machines share models' opinions: `rediss://USER@HOST:PORT`",
};

pub(crate) const CACHE_PASSWORD_FILE: Setting = Setting {
    name: "AEGISH_CACHE_PASSWORD_FILE",
    kind: ValueType::Path,
    default: Unset("no password"),
    by: PEOPLE,
    tighter: Tighter::Neither,
    doc: "a file with the password for `AEGISH_CACHE_SERVER`",
};

/// What a bundle says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleHead {
    /// The fleet it is for.
    pub fleet: String,
    /// A later bundle has a higher number.
    pub version: u64,
    /// The end of its time, in UTC, like `2026-02-08T12:34:56Z`.
    pub expires: String,
}

impl BundleHead {
    /// Whether its time is over.
    #[must_use]
    pub fn has_expired(&self) -> bool {
        moment(&self.expires).is_none_or(|end| end <= Timestamp::now())
    }
}

/// The head of a bundle, if all of it can be used: settings, roles and rules are those of this version.
///
/// # Errors
///
/// What is wrong with it, line by line.
pub fn read_bundle(path: &Path, text: &str) -> Result<BundleHead, Problems> {
    let mut page = tables::file(path, text.as_bytes(), ConfigSource::Fleet, &Bases::default());
    match page.bundle.take() {
        Some(head) if page.problems.is_empty() => Ok(head),
        _ => Err(Problems(page.problems)),
    }
}

/// Reads the table.
pub(crate) fn head(
    page: &mut SourceContent,
    value: &DeValue<'_>,
    source: ConfigSource,
    place: ConfigOrigin,
    lines: &LineIndex<'_>,
) {
    if source != ConfigSource::Fleet {
        let what =
            "a bundle is not written here; sign it, and let machines pull it: aegish policy sign";
        return page.problem(place, what);
    }
    let DeValue::Table(table) = value else {
        return page.problem(place, "bundle is a table: write [bundle]");
    };
    for key in table.keys().filter(|key| !KEYS.contains(&key.get_ref().as_ref())) {
        let what = format!("a bundle has {}, and nothing else", KEYS.join(", "));
        page.problem(lines.at(key.span().start), what);
    }
    let text = |key: &str| match table.get(key).map(|value| value.get_ref()) {
        Some(DeValue::String(text)) => text.to_string(),
        Some(DeValue::Datetime(moment)) => moment.to_string(),
        Some(DeValue::Integer(number)) => number.to_string(),
        _ => String::new(),
    };
    let (fleet, expires) = (text("fleet"), text("expires"));
    let version = text("version").parse().ok().filter(|version| *version > 0);
    if fleet.is_empty() || fleet.chars().any(|c| !(c.is_ascii_alphanumeric() || "-_.".contains(c)))
    {
        let what = "write fleet = \"NAME\" with letters, digits, dots and dashes";
        return page.problem(place, what);
    }
    let Some(version) = version else {
        return page.problem(place, "write version = NUMBER, from 1");
    };
    if moment(&expires).is_none() {
        return page.problem(place, "write expires in UTC, like 2026-02-08T12:34:56Z");
    }
    page.bundle = Some(BundleHead { fleet, version, expires });
}

/// A moment in UTC, as it is written in files.
fn moment(text: &str) -> Option<Timestamp> {
    text.parse().ok().filter(|_| text.ends_with('Z'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_is_read_as_a_whole_or_not_at_all() {
        let head = "[bundle]\nfleet = 'acme'\nversion = 7\nexpires = 2999-01-01T00:00:00Z\n";
        let read = |text: &str| read_bundle(Path::new("/b.toml"), text);
        let good = read(&format!("fail_mode = 'safe'\n{head}[roles.groups]\nops = 'sysadmin'\n"));
        let good = good.expect("a bundle");
        assert_eq!((good.fleet.as_str(), good.version, good.has_expired()), ("acme", 7, false));
        for (text, what) in [
            ("fail_mode = 'safe'\n".to_owned(), "it is no bundle"),
            (format!("fail_mod = 'safe'\n{head}"), "did you mean fail_mode?"),
            (format!("fleet_keys = ['x']\n{head}"), "fleet_keys cannot be set in a fleet file"),
            (head.replace("7", "0"), "version = NUMBER"),
            (head.replace("2999-01-01T00:00:00Z", "'tomorrow'"), "write expires in UTC"),
            (format!("{head}channel = 'x'\n"), "and nothing else"),
            (format!("{head}[[rule]]\nverdict = 'deny'\n"), "a rule is about a program"),
        ] {
            let problems = read(&text).expect_err(&text).to_string();
            assert!(problems.contains(what), "{text}: {problems}");
        }
    }
}
