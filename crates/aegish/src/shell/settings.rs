//! What the shell is told by its environment.

use crate::Failure;
use aegish_guard::Role;
use std::env;
use std::path::PathBuf;
use std::str::FromStr;

/// What the shell is told.
pub(crate) struct Settings {
    pub(crate) role: Role,
    pub(crate) on_warn: OnWarn,
    pub(crate) format: Format,
    pub(crate) live: bool,
    pub(crate) vi: bool,
    pub(crate) prompt: String,
    pub(crate) history: Option<PathBuf>,
    pub(crate) history_size: usize,
}

/// What becomes of a warning when nobody can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnWarn {
    Deny,
    Allow,
}

/// How a refusal is told in `-c` mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
}

/// The prompt, unless told otherwise. `%r` is the role, `%m` the mode, `%w` the directory, `%u` the
/// user, `%h` the host, `%?` the last status if it is not 0, `%%` a percent sign.
const PROMPT: &str = "aegish%r:%w%?> ";

impl Settings {
    pub(crate) fn from_env() -> Result<Self, Failure> {
        let role = match var("AEGISH_ROLE") {
            None => Role::Default,
            Some(word) => Role::from_str(&word)
                .map_err(|error| Failure::usage(format!("AEGISH_ROLE={word}: {error}")))?,
        };
        let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        Ok(Self {
            role,
            on_warn: one_of("AEGISH_ON_WARN", &[("deny", OnWarn::Deny), ("allow", OnWarn::Allow)])?,
            format: one_of("AEGISH_FORMAT", &[("text", Format::Text), ("json", Format::Json)])?,
            live: one_of("AEGISH_LIVE", &[("0", false), ("1", true)])?,
            vi: one_of("AEGISH_EDIT_MODE", &[("emacs", false), ("vi", true)])?,
            prompt: var("AEGISH_PROMPT").unwrap_or_else(|| PROMPT.to_owned()),
            history: home.map(|home| home.join(".aegish_history")),
            history_size: number("AEGISH_HISTORY_SIZE", super::history::KEPT)?,
        })
    }
}

fn var(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The first choice is the default.
fn one_of<T: Copy>(name: &str, choices: &[(&str, T)]) -> Result<T, Failure> {
    let word = var(name);
    let found = match &word {
        None => choices.first(),
        Some(word) => choices.iter().find(|(choice, _)| choice == word),
    };
    found.map(|(_, value)| *value).ok_or_else(|| {
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let word = word.unwrap_or_default();
        Failure::usage(format!("{name}={word}: must be one of {}", words.join(", ")))
    })
}

fn number(name: &str, default: usize) -> Result<usize, Failure> {
    match var(name) {
        None => Ok(default),
        Some(word) => {
            word.parse().map_err(|_| Failure::usage(format!("{name}={word}: must be a number")))
        }
    }
}
