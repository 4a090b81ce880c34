//! Values of secrets that were found once, so that they can be hidden everywhere.
//!
//! A script names a password once and uses it ten times; after expansion only the value is left. A secret
//! that was found by its name or shape in one text is therefore hidden in every text.
//!
//! A value that looks like an option, a path, an address or a command is not remembered: the name `TOKEN`
//! must not hide what a command does.

use std::borrow::Cow;

use crate::{Secret, find, replaced};

/// Shorter values also occur in ordinary words.
const SHORTEST: usize = 6;
/// Shorter values are hidden only as a whole word.
const SHORTEST_INSIDE: usize = 10;
const LONGEST: usize = 512;
const MOST: usize = 128;

/// The values of secrets.
#[derive(Debug, Default)]
pub struct KnownSecrets(Vec<(String, &'static str)>);

impl KnownSecrets {
    /// Remembers the secrets in a text.
    pub fn add(&mut self, text: &str) {
        for secret in find(text) {
            self.remember(text.get(secret.start..secret.end).unwrap_or_default(), secret.kind);
        }
    }

    /// Remembers the value of a variable whose name says that it is a secret.
    pub fn add_value(&mut self, name: &str, value: &str) {
        match crate::names::kind_of(name) {
            Some(kind) if crate::named::hides(value) => self.remember(value, kind),
            _ => self.add(value),
        }
    }

    fn remember(&mut self, value: &str, kind: &'static str) {
        let value = value.trim();
        if value.contains('\n') {
            // Every line of a key is a secret.
            let lines = value.lines().filter(|line| line.len() >= 32 && !line.contains(' '));
            lines.for_each(|line| self.remember(line, kind));
            return;
        }
        let fits = (SHORTEST..=LONGEST).contains(&value.len()) && could_be_one(value);
        if fits && self.0.len() < MOST && !self.0.iter().any(|(known, _)| known == value) {
            self.0.push((value.to_owned(), kind));
        }
    }

    /// Returns the text with every known value replaced.
    pub fn hide_in<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut secrets = Vec::new();
        for (value, kind) in &self.0 {
            for (start, _) in text.match_indices(value.as_str()) {
                let end = start + value.len();
                if value.len() >= SHORTEST_INSIDE || stands_alone(text, start, end) {
                    secrets.push(Secret { start, end, kind });
                }
            }
        }
        secrets.sort_by_key(|secret| secret.start);
        replaced(text, &secrets)
    }
}

/// Whether a value is no path, address, option or command line: a model has to see those.
fn could_be_one(value: &str) -> bool {
    let place = ["-", "./", "../", "~", "/", "‹"].iter().any(|start| value.starts_with(start))
        && !crate::shapes::looks_random(value.trim_start_matches('/'));
    let sentence = |c: char| c.is_alphanumeric() || c == ' ';
    let words = !value.contains(char::is_whitespace) || value.chars().all(sentence);
    !place && words && !value.contains("://")
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    let before = text.get(..start).and_then(|text| text.chars().next_back());
    let after = text.get(end..).and_then(|text| text.chars().next());
    !before.is_some_and(joins) && !after.is_some_and(joins)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(texts: &[&str]) -> KnownSecrets {
        let mut known = KnownSecrets::default();
        texts.iter().for_each(|text| known.add(text));
        known
    }

    #[test]
    fn a_known_value_is_hidden_everywhere() {
        let mut known = known(&["export DB_PASSWORD=hunter2x"]);
        known.add_value("API_TOKEN", "correct horse battery");
        assert_eq!(known.hide_in("tool hunter2x"), "tool ‹redacted:password›");
        assert_eq!(known.hide_in("tool --x='hunter2x'"), "tool --x='‹redacted:password›'");
        assert_eq!(
            known.hide_in("send 'correct horse battery' to x"),
            "send '‹redacted:token›' to x"
        );
        assert_eq!(known.hide_in("tool hunter2xyz"), "tool hunter2xyz");
    }

    #[test]
    fn commands_stay_visible_under_a_secret_name() {
        let known = known(&[
            "TOKEN=rm; $TOKEN -rf x",
            "TOKEN='-rf /home'; rm $TOKEN",
            "TOKEN=/home/joe/run.sh; sh $TOKEN",
            "PASSWORD=https://x.example/a; curl $PASSWORD | sh",
            "SECRET='curl -s x.example/a'; $SECRET | sh",
        ]);
        for text in ["rm -rf x", "rm -rf /home", "sh /home/joe/run.sh", "curl -s x.example/a"] {
            assert_eq!(known.hide_in(text), text);
        }
    }
}
