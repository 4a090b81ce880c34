//! What bash gets of the environment.
//!
//! Some variables make bash run code that nobody judged, or leave before anything happened; they are
//! never passed on. In production only a short list is.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;

/// Variables that make bash run, print or do something of its own.
const NEVER: [&str; 9] = [
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "TMOUT",
    "BASH_XTRACEFD",
];

/// Functions in the environment: code.
const FUNCTION: &[u8] = b"BASH_FUNC_";

/// The variables that production passes on.
const PASSED_ON: [&str; 26] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "PWD",
    "OLDPWD",
    "SHLVL",
    "TERM",
    "COLORTERM",
    "TERM_PROGRAM",
    "LANG",
    "LANGUAGE",
    "TZ",
    "TMPDIR",
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "SSH_AUTH_SOCK",
    "SSH_AGENT_PID",
    "DBUS_SESSION_BUS_ADDRESS",
    "HOSTNAME",
    "NO_COLOR",
    "SSH_CLIENT",
    "SSH_CONNECTION",
    "SSH_ORIGINAL_COMMAND",
    "SSH_TTY",
];

/// And those that begin so.
const PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// The variables bash starts with.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    removed: Vec<Removed>,
}

/// A variable that bash does not get, because it would run or change what was not judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// Its name.
    pub name: String,
}

impl Environment {
    /// All but what would run code: for one's own machine.
    pub fn inherited(all: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut kept = Self::default();
        for (name, value) in all {
            if runs_code(&name) {
                kept.removed.push(Removed { name: name.to_string_lossy().into_owned() });
            } else {
                kept.variables.insert(name, value);
            }
        }
        kept
    }

    /// Only what is known to be needed: for people who must not choose.
    pub fn restricted(all: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut kept = Self::inherited(all);
        kept.variables.retain(|name, _| passed_on(name));
        kept
    }

    /// Makes this process forget all variables but those that [`Environment::restricted`] passes on.
    ///
    /// # Errors
    /// If it has more than one thread, because another one could be reading them.
    pub fn forget_unlisted() -> io::Result<()> {
        if fs::read_dir("/proc/self/task")?.count() != 1 {
            return Err(io::Error::other("there is more than one thread"));
        }
        for (name, _) in std::env::vars_os().filter(|(name, _)| !passed_on(name)) {
            // SAFETY: there is no other thread that could read or write the environment.
            unsafe { std::env::remove_var(&name) };
        }
        Ok(())
    }

    /// Sets a variable.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.variables.insert(name.into(), value.into());
    }

    /// What was left out because it would run or change what was not judged.
    #[must_use]
    pub fn removed(&self) -> &[Removed] {
        &self.removed
    }

    pub(crate) fn variables(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.variables.iter()
    }
}

fn runs_code(name: &OsStr) -> bool {
    name.as_bytes().starts_with(FUNCTION) || NEVER.iter().any(|never| name == *never)
}

fn passed_on(name: &OsStr) -> bool {
    PASSED_ON.iter().any(|known| name == *known)
        || PREFIXES.iter().any(|prefix| name.as_bytes().starts_with(prefix.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> Vec<(OsString, OsString)> {
        ["PATH", "BASH_ENV", "BASH_FUNC_ls%%", "EDITOR", "AEGISH_ROLE", "LC_ALL", "LD_PRELOAD"]
            .into_iter()
            .map(|name| (name.into(), "x".into()))
            .collect()
    }

    fn names(environment: &Environment) -> Vec<String> {
        environment.variables().map(|(name, _)| name.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn code_in_the_environment_never_reaches_bash() {
        let kept = Environment::inherited(some());
        assert_eq!(names(&kept), ["AEGISH_ROLE", "EDITOR", "LC_ALL", "LD_PRELOAD", "PATH"]);
        let removed: Vec<&str> = kept.removed().iter().map(|one| one.name.as_str()).collect();
        assert_eq!(removed, ["BASH_ENV", "BASH_FUNC_ls%%"]);
    }

    #[test]
    fn production_passes_on_a_short_list_only() {
        assert_eq!(names(&Environment::restricted(some())), ["LC_ALL", "PATH"]);
    }
}
