//! The names of systems on a command line and in logs.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// A system to measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SystemName {
    /// `PROVIDER/MODEL`: a model alone.
    Model(String),
    /// `static`: the guard without a judge.
    Static,
    /// `guard` or `guard:MODEL`: the whole guard, with the configured judge or with this model.
    Guard(Option<String>),
    /// `replay/LOG`: the answers of a log.
    Replay(PathBuf),
    /// `exec:COMMAND`: a program that speaks the protocol of `docs/reference/exec-protocol.md`.
    Exec(String),
}

/// A word that names no system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSystem(String);

impl fmt::Display for UnknownSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "nothing was asked: `{}` names no system; write PROVIDER/MODEL, static, guard, guard:PROVIDER/MODEL, \
             replay/LOG or exec:COMMAND",
            self.0
        )
    }
}

impl std::error::Error for UnknownSystem {}

impl FromStr for SystemName {
    type Err = UnknownSystem;

    fn from_str(word: &str) -> Result<Self, UnknownSystem> {
        let named = |rest: &str| (!rest.trim().is_empty()).then(|| rest.to_owned());
        let found = match word {
            "static" => Some(Self::Static),
            "guard" => Some(Self::Guard(None)),
            _ => None,
        };
        found
            .or_else(|| named(word.strip_prefix("guard:")?).map(|model| Self::Guard(Some(model))))
            .or_else(|| named(word.strip_prefix("exec:")?).map(Self::Exec))
            .or_else(|| named(word.strip_prefix("replay/")?).map(|log| Self::Replay(log.into())))
            .or_else(|| {
                let has_both = word.split_once('/').is_some_and(|(a, b)| {
                    !a.is_empty() && !b.is_empty() && !["exec:", "replay", "guard:"].contains(&a)
                });
                has_both.then(|| Self::Model(word.to_owned()))
            })
            .ok_or_else(|| UnknownSystem(word.chars().take(80).collect()))
    }
}

impl fmt::Display for SystemName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Model(id) => f.write_str(id),
            Self::Static => f.write_str("static"),
            Self::Guard(None) => f.write_str("guard"),
            Self::Guard(Some(model)) => write!(f, "guard:{model}"),
            Self::Replay(log) => write!(f, "replay/{}", log.display()),
            Self::Exec(command) => write!(f, "exec:{command}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed_and_printed_alike() {
        for name in [
            "openai/gpt-5.1",
            "hf-inference-providers/fdtn-ai/Foundation-Sec-8B-Instruct:featherless-ai",
            "static",
            "guard",
            "guard:openai/gpt-5-mini",
            "replay/logs/a.eval",
            "replay//tmp/a.eval",
            "exec:python3 rival.py --strict",
        ] {
            assert_eq!(
                name.parse::<SystemName>().map(|name| name.to_string()).as_deref(),
                Ok(name)
            );
        }
    }

    #[test]
    fn a_word_that_names_no_system_is_refused() {
        for name in ["", "gpt-5.1", "exec:", "exec: ", "replay/", "guard:", "/x", "x/"] {
            assert!(name.parse::<SystemName>().is_err(), "{name}");
        }
    }
}
