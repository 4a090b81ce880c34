//! The settings: names, types, who may set them, and which value is tighter.

use crate::origin::ConfigSource;
use crate::{answers, bundle, kernel};

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueType {
    /// One of these words; if one is tighter than another, from loose to tight.
    Word(&'static [&'static str]),
    /// `on` or `off`; also written 1 and 0, true and false, yes and no.
    Switch,
    /// A whole number in these bounds.
    Count {
        /// The least.
        least: u64,
        /// The most.
        most: u64,
    },
    /// A number above or at the first and up to the second.
    Decimal {
        /// The least.
        least: f64,
        /// The most.
        most: f64,
    },
    /// A number with `s`, `m`, `h` or `d`.
    Time,
    /// Any text.
    Text,
    /// A path from the root.
    Path,
    /// Words separated by commas; in TOML a list.
    List {
        /// What an empty list means.
        empty: Empty,
    },
    /// `allow` or `deny`, for everything or for single kinds: `package-install=allow`. These are the kinds.
    Answers(&'static [&'static str]),
    /// A SHA-256: 64 hexadecimal digits.
    Hash,
    /// `open`, `ports:` or `hosts:` with a list, `loopback` or `off`.
    Network,
}

/// What an empty list means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Empty {
    /// An empty list.
    Nothing,
    /// A mistake.
    Mistake,
}

/// The default value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// The same in both modes.
    Always(&'static str),
    /// One per mode.
    ByMode {
        /// In development.
        development: &'static str,
        /// In production.
        production: &'static str,
    },
    /// No value, and its meaning.
    Unset(&'static str),
}

/// The direction in which a setting is tightened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tighter {
    /// A word further down its list.
    LaterWord,
    /// Off.
    Off,
    /// A smaller number or a shorter time.
    Less,
    /// A larger number.
    More,
    /// A subset of the list; a list instead of none; fewer kinds that are allowed; a network that reaches less far.
    Fewer,
    /// Any value instead of none.
    Any,
    /// It cannot be tightened, so a source that may only tighten cannot set it.
    Neither,
    /// Safety does not depend on it: every named source may set it.
    Harmless,
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// As a variable and in `/etc/aegish/config`.
    pub name: &'static str,
    /// Its type.
    pub kind: ValueType,
    /// Its default.
    pub default: Preset,
    /// The sources that may set it.
    pub by: &'static [ConfigSource],
    /// The direction in which it is tightened.
    pub tighter: Tighter,
    /// Its meaning, in one line.
    pub doc: &'static str,
}

impl Setting {
    /// As a key in TOML files: the name in small letters, without `AEGISH_`.
    #[must_use]
    pub fn key(&self) -> String {
        self.name.trim_start_matches("AEGISH_").to_ascii_lowercase()
    }
}

use ConfigSource::{Environment, Fleet, Project, SystemKeys, SystemTables, User};
use Preset::{Always, ByMode, Unset};

pub(crate) const ANYBODY: &[ConfigSource] =
    &[Fleet, SystemKeys, SystemTables, User, Project, Environment];
/// A project cannot know the preferences of a person or a machine.
pub(crate) const PEOPLE: &[ConfigSource] = &[Fleet, SystemKeys, SystemTables, User, Environment];
const OUTSIDE: &[ConfigSource] = &[Fleet, SystemKeys, SystemTables, Environment];

const TABLE: &[Setting] = &[
    Setting {
        name: "AEGISH_MODE",
        kind: ValueType::Word(&["development", "production"]),
        default: Always("development"),
        by: OUTSIDE,
        tighter: Tighter::LaterWord,
        doc: "`development`: all sources count; `production`: the system's files decide, the others can only tighten",
    },
    Setting {
        name: "AEGISH_ROLE",
        kind: ValueType::Word(&["sysadmin", "default", "restricted"]),
        default: Always("default"),
        by: ANYBODY,
        tighter: Tighter::LaterWord,
        doc: "whose work is judged; the system's `[roles]` set it by user and group",
    },
    Setting {
        name: "AEGISH_FAIL_MODE",
        kind: ValueType::Word(&["open", "safe"]),
        default: ByMode { development: "open", production: "safe" },
        by: ANYBODY,
        tighter: Tighter::LaterWord,
        doc: "what is left open and nobody could judge: `open` warns, `safe` blocks",
    },
    answers::ON_WARN,
    answers::SHOWN_SECRETS,
    Setting {
        name: "AEGISH_BASH_HASH",
        kind: ValueType::Hash,
        default: Unset("any bash is run"),
        by: OUTSIDE,
        tighter: Tighter::Any,
        doc: "SHA-256 of the only bash that may be run; `sha256sum /bin/bash` prints it",
    },
    Setting {
        name: "AEGISH_JUDGE",
        kind: ValueType::Word(&["never", "undecided", "always"]),
        default: Always("undecided"),
        by: ANYBODY,
        tighter: Tighter::Neither,
        doc: "when models are asked: `undecided` is about what the static side leaves open; without a key nobody is",
    },
    Setting {
        name: "AEGISH_PRIMARY_MODEL",
        kind: ValueType::Text,
        default: Always("openai/gpt-4"),
        by: ANYBODY,
        tighter: Tighter::Neither,
        doc: "the model that is asked first, as PROVIDER/MODEL",
    },
    Setting {
        name: "AEGISH_FALLBACK_MODELS",
        kind: ValueType::List { empty: Empty::Nothing },
        default: Always("anthropic/claude-3-haiku-20240307"),
        by: ANYBODY,
        tighter: Tighter::Neither,
        doc: "the models that are asked next; an empty list is nobody, and no command leaves for elsewhere",
    },
    Setting {
        name: "AEGISH_ALLOWED_PROVIDERS",
        kind: ValueType::List { empty: Empty::Mistake },
        default: Unset("all"),
        by: ANYBODY,
        tighter: Tighter::Fewer,
        doc: "the only providers that may be asked; `openai-api` stands for all named servers",
    },
    Setting {
        name: "AEGISH_LLM_TIMEOUT",
        kind: ValueType::Decimal { least: 0.1, most: 600.0 },
        default: Always("30"),
        by: PEOPLE,
        tighter: Tighter::Neither,
        doc: "seconds for one model with its retries; the chain has twice as long",
    },
    Setting {
        name: "AEGISH_MAX_QUERIES_PER_MINUTE",
        kind: ValueType::Count { least: 1, most: 100_000 },
        default: Always("30"),
        by: PEOPLE,
        tighter: Tighter::Neither,
        doc: "questions to one provider, by all processes of a user together",
    },
    Setting {
        name: "AEGISH_MIN_CONFIDENCE",
        kind: ValueType::Decimal { least: 0.0, most: 1.0 },
        default: Always("0.6"),
        by: ANYBODY,
        tighter: Tighter::More,
        doc: "an allow that a model is less sure of is a warning",
    },
    Setting {
        name: "AEGISH_BUDGET_USD_PER_DAY",
        kind: ValueType::Decimal { least: 0.0, most: 1e9 },
        default: Unset("no bound"),
        by: PEOPLE,
        tighter: Tighter::Neither,
        doc: "US dollars a day (UTC); when they are spent, the static side decides alone",
    },
    Setting {
        name: "AEGISH_CACHE",
        kind: ValueType::Switch,
        // The user owns the directory and could forge an opinion in it.
        default: ByMode { development: "on", production: "off" },
        by: PEOPLE,
        tighter: Tighter::Off,
        doc: "whether models' opinions are kept and used again",
    },
    Setting {
        name: "AEGISH_CACHE_TTL",
        kind: ValueType::Time,
        default: Always("7d"),
        by: PEOPLE,
        tighter: Tighter::Less,
        doc: "an older opinion is asked for again",
    },
    Setting {
        name: "AEGISH_CACHE_MAX_ENTRIES",
        kind: ValueType::Count { least: 256, most: 10_000_000 },
        default: Always("10000"),
        by: PEOPLE,
        tighter: Tighter::Neither,
        doc: "the oldest opinions beyond this number are removed",
    },
    Setting {
        name: "AEGISH_CACHE_DIR",
        kind: ValueType::Path,
        default: Unset("`$XDG_CACHE_HOME/aegish`, else `~/.cache/aegish`"),
        by: PEOPLE,
        tighter: Tighter::Neither,
        doc: "where opinions are kept",
    },
    Setting {
        name: "AEGISH_STATE_DIR",
        kind: ValueType::Path,
        default: Unset("`$XDG_STATE_HOME/aegish`, else `~/.local/state/aegish`"),
        by: PEOPLE,
        tighter: Tighter::Neither,
        doc: "where rate, circuits, totals and trusted project files are kept",
    },
    Setting {
        name: "AEGISH_CA_FILE",
        kind: ValueType::Path,
        default: Unset("those of the system only"),
        by: PEOPLE,
        tighter: Tighter::Neither,
        doc: "certificates to trust beside those of the system, as PEM",
    },
    Setting {
        name: "AEGISH_AUDIT",
        kind: ValueType::Word(&["off", "best-effort", "required"]),
        default: ByMode { development: "best-effort", production: "required" },
        by: PEOPLE,
        tighter: Tighter::LaterWord,
        doc: "what is not recorded: `required` does not run it, `best-effort` says so once; `off` records nothing",
    },
    Setting {
        name: "AEGISH_AUDIT_OUTPUT",
        kind: ValueType::List { empty: Empty::Mistake },
        default: Always("file"),
        by: PEOPLE,
        tighter: Tighter::Neither,
        doc: "where verdicts are recorded: `file`, `syslog`, `journald`",
    },
    Setting {
        name: "AEGISH_AUDIT_DIR",
        kind: ValueType::Path,
        default: Unset("`~/.aegish` in development, `/var/log/aegish` in production"),
        by: PEOPLE,
        tighter: Tighter::Neither,
        doc: "where the audit log is; in production a file for each user, in a directory that others cannot write",
    },
    Setting {
        name: "AEGISH_AUDIT_MAX_BYTES",
        kind: ValueType::Count { least: 65_536, most: 1 << 40 },
        default: Always("10485760"),
        by: PEOPLE,
        tighter: Tighter::Neither,
        doc: "a longer audit log is rotated",
    },
    Setting {
        name: "AEGISH_AUDIT_FILES",
        kind: ValueType::Count { least: 1, most: 1000 },
        default: Always("9"),
        by: PEOPLE,
        tighter: Tighter::Neither,
        doc: "so many rotated audit logs are kept",
    },
    bundle::FLEET_SOURCE,
    bundle::FLEET_KEYS,
    bundle::CACHE_SERVER,
    bundle::CACHE_PASSWORD_FILE,
    kernel::FILES,
    kernel::READABLE,
    kernel::SUPERVISE,
    kernel::NET,
    kernel::SOCKETS,
    kernel::MAX_PROCESSES,
    kernel::MAX_MEMORY,
    kernel::MAX_FILE_SIZE,
    kernel::MAX_CPU_TIME,
    kernel::UNDO_TIME,
    kernel::UNDO_SIZE,
    Setting {
        name: "AEGISH_FORMAT",
        kind: ValueType::Word(&["text", "json"]),
        default: Always("text"),
        by: PEOPLE,
        tighter: Tighter::Harmless,
        doc: "how a refusal is told when nobody sits at the terminal",
    },
    Setting {
        name: "AEGISH_BANNER",
        kind: ValueType::Switch,
        default: Always("on"),
        by: PEOPLE,
        tighter: Tighter::Harmless,
        doc: "whether an interactive session begins by saying how it is guarded",
    },
    Setting {
        name: "AEGISH_PROMPT",
        kind: ValueType::Text,
        default: Always("aegish%m%r:%w%?> "),
        by: PEOPLE,
        tighter: Tighter::Harmless,
        doc: "`%m` mode unless `development`, `%r` role unless `default`, `%w` directory, `%u` user, `%h` host, `%?` last status unless 0, `%%` a percent sign",
    },
    Setting {
        name: "AEGISH_EDIT_MODE",
        kind: ValueType::Word(&["emacs", "vi"]),
        default: Always("emacs"),
        by: PEOPLE,
        tighter: Tighter::Harmless,
        doc: "the keys of the line editor",
    },
    Setting {
        name: "AEGISH_LIVE",
        kind: ValueType::Switch,
        default: Always("off"),
        by: PEOPLE,
        tighter: Tighter::Harmless,
        doc: "whether the verdict is shown while a line is typed",
    },
    Setting {
        name: "AEGISH_HISTORY_SIZE",
        kind: ValueType::Count { least: 0, most: 1_000_000 },
        default: Always("1000"),
        by: PEOPLE,
        tighter: Tighter::Harmless,
        doc: "lines that are kept in `~/.aegish_history`",
    },
];

/// All settings, in the order in which they are shown.
#[must_use]
pub fn table() -> &'static [Setting] {
    TABLE
}

/// The setting of this name.
#[must_use]
pub fn setting(name: &str) -> Option<&'static Setting> {
    TABLE.iter().find(|setting| setting.name == name)
}

/// Settings of the predecessor program, and their replacements.
pub(crate) const RETIRED: &[(&str, &str)] = &[
    (
        "AEGISH_VAR_CMD_ACTION",
        "a command whose name is not known is left open; AEGISH_FAIL_MODE says what becomes of it",
    ),
    ("AEGISH_SKIP_BASH_HASH", "leave out AEGISH_BASH_HASH instead"),
    ("AEGISH_SANDBOXER_PATH", "there is no library that is loaded into bash; remove the line"),
    ("AEGISH_SANDBOXER_HASH", "there is no library that is loaded into bash; remove the line"),
    ("AEGISH_FILTER_SENSITIVE_VARS", "secrets never reach a model; remove the line"),
    ("AEGISH_USER_PASSWORD", "there is no default password; remove the line"),
];

/// Variables of the benchmark's queue and of this project's tests, which are not settings of the guard.
pub(crate) const NO_SETTINGS: &[&str] = &["AEGISH_REFERENCE", "AEGISH_BLESS"];
/// Prefixes of further variables.
pub(crate) const NO_SETTINGS_PREFIXES: &[&str] =
    &["AEGISH_QUEUE_", "AEGISH_TEST_", "AEGISH_SYNTAX_"];

/// Variables of other programs that models need and that `/etc/aegish/config` may set, in addition to those
/// of providers.
pub const FOREIGN: &[&str] = &[
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "https_proxy",
    "http_proxy",
    "all_proxy",
    "no_proxy",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_of_one_form() {
        let names: BTreeSet<&str> = TABLE.iter().map(|setting| setting.name).collect();
        assert_eq!(names.len(), TABLE.len());
        for name in names {
            let rest = name.strip_prefix("AEGISH_").unwrap_or_default();
            assert!(!rest.is_empty() && rest.bytes().all(|b| b.is_ascii_uppercase() || b == b'_'));
            assert!(RETIRED.iter().all(|(old, _)| *old != name), "{name} is retired");
            assert!(!NO_SETTINGS.contains(&name));
        }
    }

    #[test]
    fn every_default_is_a_value() {
        for setting in TABLE {
            let texts = match setting.default {
                Always(text) => vec![text],
                ByMode { development, production } => vec![development, production],
                Unset(_) => vec![],
            };
            for text in texts {
                let read = value::read(setting.kind, text).map(|value| value.to_string());
                assert_eq!(read.as_deref(), Ok(text), "{}", setting.name);
            }
        }
    }

    #[test]
    fn a_direction_fits_its_kind() {
        for setting in TABLE {
            let fits = match setting.tighter {
                Tighter::LaterWord => matches!(setting.kind, ValueType::Word(_)),
                Tighter::Off => setting.kind == ValueType::Switch,
                Tighter::Less | Tighter::More => {
                    matches!(
                        setting.kind,
                        ValueType::Count { .. } | ValueType::Decimal { .. } | ValueType::Time
                    )
                }
                Tighter::Fewer => {
                    matches!(
                        setting.kind,
                        ValueType::List { .. } | ValueType::Answers(_) | ValueType::Network
                    )
                }
                Tighter::Any => matches!(setting.default, Unset(_)),
                Tighter::Neither | Tighter::Harmless => true,
            };
            assert!(fits, "{}", setting.name);
        }
    }

    #[test]
    fn production_is_never_looser_than_development() {
        for setting in TABLE {
            let ByMode { development, production } = setting.default else { continue };
            let read = |text| value::read(setting.kind, text).ok();
            let (now, next) = (read(development), read(production));
            let change = next.map(|next| value::compare(setting, now.as_ref(), &next));
            assert_eq!(change, Some(value::Strictness::Tighter), "{}", setting.name);
        }
    }
}
