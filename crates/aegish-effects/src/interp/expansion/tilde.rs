//! Directories that a tilde stands for, and the characters at which words are split.

use super::{BLANKS, Interp};
use aegish_shell_state::Way;
use aegish_values::{MAX_ALTERNATIVES, Value, join_values};

impl Interp<'_> {
    /// The directory that a tilde at the beginning of a text stands for, and the rest; `alone`: nothing follows the text.
    pub(super) fn leading_tilde<'t>(&self, text: &'t str, alone: bool) -> (Option<Value>, &'t str) {
        let end = text.find('/').unwrap_or(text.len());
        let home = match alone || end < text.len() {
            true => self.tilde(text.get(..end).unwrap_or_default()),
            false => None,
        };
        match home {
            Some(home) => (Some(home), text.get(end..).unwrap_or_default()),
            None => (None, text),
        }
    }

    fn tilde(&self, prefix: &str) -> Option<Value> {
        match prefix {
            "~" => Some(self.home()),
            "~+" => Some(match self.lookup("PWD") {
                Some(Some(set)) if self.state.variables.contains_key("PWD") => {
                    join_values(&set, &self.state.cwd)
                }
                _ => self.state.cwd.clone(),
            }),
            "~-" => Some(self.previous_directory()),
            "~root" => Some(Value::known("/root")),
            _ => {
                let user = prefix.get(1..).unwrap_or_default();
                if let Some(entry) = self.stacked_directory(user) {
                    return Some(entry);
                }
                let plain =
                    user.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'));
                plain.then(|| Value::known(format!("/home/{user}")))
            }
        }
    }

    /// The home directory; symbolic (`~`) if the context does not know it.
    pub(crate) fn home(&self) -> Value {
        match self.lookup_scalar("HOME") {
            Some(value) => value,
            None if self.ctx.home.is_empty() => Value::known("~"),
            None => Value::known(self.ctx.home.as_str()),
        }
    }

    /// The characters that fields may be split at; `None` among them if `$IFS` cannot be known.
    pub(crate) fn possible_ifs(&self) -> Vec<Option<String>> {
        let usual = || Some(BLANKS.to_owned());
        let Some(variable) = self.state.variables.get("IFS") else { return vec![usual()] };
        let ways: Vec<Option<Value>> = match variable.ways() {
            Some(ways) => ways.iter().map(Way::scalar).collect(),
            None => vec![variable.content.scalar()],
        };
        let mut all: Vec<Option<String>> = Vec::new();
        for way in ways {
            let texts = match way {
                None => vec![usual()],
                Some(value) => match value.readings(MAX_ALTERNATIVES) {
                    Some(texts) => texts.into_iter().map(Some).collect(),
                    None => vec![None],
                },
            };
            all.extend(texts);
        }
        if variable.perhaps_unset {
            all.push(usual());
        }
        all.sort();
        all.dedup();
        all
    }
}
