//! Secret shown to a coding agent.
//!
//! # What
//!
//! A secret of the project or of the environment is printed where a coding agent reads the output: the content of `.env`
//! and similar files, variables whose names say that they hold a token, a password or a key. Programs that only use
//! the secret do not count, nor do names without values.
//!
//! # Why
//!
//! What an agent reads goes to the provider of its model and into the records of both. A secret that was there
//! once has to be changed. Whom it is asked about is the setting `AEGISH_SHOWN_SECRETS`: a person at a prompt sees
//! the own secrets unasked.
//!
//! # Example
//!
//! ```text
//! cat .env
//! env | grep -i token
//! echo "$GITHUB_TOKEN"
//! ```
//!
//! # Instead
//!
//! Ask whether it is set (`[ -n "$GITHUB_TOKEN" ]`), look at the names (`cut -d= -f1 .env`), or hand it to the program
//! that needs it.
//!
//! # Answers
//!
//! ```toml
//! [shown]
//! all = "warn"
//! confidence = 0.85
//! instead = "Ask whether it is set (`[ -n \"$NAME\" ]`), or print the names only (`cut -d= -f1 .env`)."
//! ```

use crate::action::Action;
use crate::finding::{Findings, Rule};
use crate::paths::glob::Match;
use crate::paths::{ClassifiedPath, ReadClass};
use crate::table::kinds::secret_shown as kind;
use crate::table::manuals;
use crate::variables::is_secret_name;
use crate::view::{View, show_text};
use aegish_effects::{EffectKind, Source, Value};

pub(crate) const RULE: Rule = Rule {
    id: "secret-shown",
    name: "secret-shown",
    title: "Secret shown to a coding agent",
    summary: "Prints a secret of the project or of the environment for a coding agent.",
    action: Action::Warn,
    manual: manuals::SECRET_SHOWN,
    kinds: kind::ALL,
};

pub(crate) fn check(view: &View<'_>, out: &mut Findings<'_>) {
    let Some(EffectKind::Show { taint }) = view.effect() else { return };
    let Some(what) = taint.sources().find_map(|source| secret(view, source)) else { return };
    out.add(&RULE, &kind::SHOWN, Match::Must, || {
        format!("prints {what}, and a coding agent reads it")
    });
}

/// The secret that comes from there, in words.
fn secret(view: &View<'_>, source: &Source) -> Option<String> {
    match source {
        Source::File(path) => {
            let place = ClassifiedPath::of(&Value::known(path.as_str()), view.setting)?;
            let secret = place.read_class() == Some(ReadClass::ProjectSecret);
            secret.then(|| format!("{}, which holds secrets of a project", show_text(path)))
        }
        Source::Environment(name) if name.is_empty() => {
            Some("every variable of the environment".to_owned())
        }
        Source::Environment(name) if holds_secret(name) => Some(format!("the variable {name}")),
        Source::FilteredEnvironment(pattern) if chooses_secrets(pattern) => {
            Some(format!("the variables that `{}` finds", show_text(pattern)))
        }
        _ => None,
    }
}

/// Whether an environment variable of this name, in capitals, holds a secret, not something about one (`TOKEN_FILE`) or a number of tokens.
fn holds_secret(name: &str) -> bool {
    const ABOUT: [&str; 14] = [
        "COUNT", "DIR", "ENABLED", "FILE", "ID", "LENGTH", "LIMIT", "MODE", "NAME", "PATH", "TTL",
        "TYPE", "URL", "VERSION",
    ];
    const AMOUNTS: [&str; 8] =
        ["COMPLETION", "CONTEXT", "INPUT", "MAX", "MIN", "NUM", "OUTPUT", "TOTAL"];
    let words: Vec<&str> = name.split('_').collect();
    let is_amount = words.iter().any(|word| AMOUNTS.contains(word));
    let is_number = |word: &str| word.starts_with("TOKENI") || (word == "TOKENS" && is_amount);
    let rest: Vec<&str> = words.iter().copied().filter(|word| !is_number(word)).collect();
    let in_capitals = !name.bytes().any(|byte| byte.is_ascii_lowercase());
    in_capitals
        && is_secret_name(&rest.join("_"))
        && !words.last().is_some_and(|last| ABOUT.contains(last))
}

/// Whether a pattern of a filter chooses variables by words for secrets.
fn chooses_secrets(pattern: &str) -> bool {
    let pattern = pattern.to_ascii_uppercase();
    let is_secret = |word: &str| {
        matches!(word, "AUTH" | "KEY" | "KEYS")
            || word.starts_with("PASS")
            || word.starts_with("CRED")
    };
    is_secret_name(&pattern) || pattern.split(|c: char| !c.is_ascii_alphanumeric()).any(is_secret)
}
