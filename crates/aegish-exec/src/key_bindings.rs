//! What `bind` and `~/.inputrc` bound to keys, as bash lists it.

use std::collections::HashMap;
use std::process::{Command, Stdio};

use crate::bash::Bash;
use crate::ended::Ended;
use crate::report::Report;
use crate::shell::Shell;

/// Bindings of keys, by key sequence as bash writes it (`\\C-x`, `\\e[A`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyBindings {
    /// Functions of readline.
    pub functions: HashMap<String, String>,
    /// Texts that are inserted.
    pub texts: HashMap<String, String>,
    /// Commands that are run: `bind -x`.
    pub commands: HashMap<String, String>,
}

impl KeyBindings {
    /// The bindings of a bash that reads no file.
    ///
    /// # Errors
    ///
    /// If bash cannot be started.
    pub fn of_new(bash: &Bash) -> std::io::Result<Self> {
        let listed = Command::new(bash.path())
            .args(["--norc", "--noprofile", "-c", "builtin bind -p"])
            .env_clear()
            .env("INPUTRC", "/dev/null")
            .envs(std::env::var_os("TERM").map(|term| ("TERM", term)))
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()?;
        let functions = listed_bindings(&String::from_utf8_lossy(&listed.stdout));
        Ok(Self { functions, ..Self::default() })
    }
}

impl Report {
    /// How often lines called `bind`.
    #[must_use]
    pub fn bind_calls(&self) -> u64 {
        self.variables.get("__aegish_bound").and_then(|calls| calls.parse().ok()).unwrap_or(0)
    }
}

impl Shell {
    /// The present bindings. Nothing if bash takes too long to answer.
    ///
    /// # Errors
    ///
    /// If bash ended.
    pub fn key_bindings(&mut self) -> Result<Option<KeyBindings>, Ended> {
        let Some(fields) = self.ask("__aegish_keys", &[])? else { return Ok(None) };
        let mut fields = fields.iter().map(|field| listed_bindings(field));
        let mut next = || fields.next().unwrap_or_default();
        Ok(Some(KeyBindings { functions: next(), texts: next(), commands: next() }))
    }
}

/// Lines `"KEYS": what`; others, such as comments, are left out.
fn listed_bindings(text: &str) -> HashMap<String, String> {
    text.lines().filter_map(binding).collect()
}

fn binding(line: &str) -> Option<(String, String)> {
    let rest = line.strip_prefix('"')?;
    let mut end = None;
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => {
                end = Some(at);
                break;
            }
            _ => {}
        }
    }
    let (keys, rest) = rest.split_at(end?);
    let what = rest.strip_prefix("\":")?.trim_start();
    let what = what.strip_prefix('"').and_then(|inner| inner.strip_suffix('"')).unwrap_or(what);
    Some((keys.to_owned(), what.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_are_read_as_bash_lists_them() {
        let listed = "\n\"\\C-g\": abort\n\"\\\"\": self-insert\n# tty-status (not bound)\n\
                      \"\\C-xg\": \"git status\\C-m\"\n";
        let found = listed_bindings(listed);
        assert_eq!(found["\\C-g"], "abort");
        assert_eq!(found["\\\""], "self-insert");
        assert_eq!(found["\\C-xg"], "git status\\C-m");
        assert_eq!(found.len(), 3);
    }
}
