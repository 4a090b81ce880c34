//! The environment that bash gets.
//!
//! Variables that make bash run code, or that redirect `cd`, are never passed on. Functions are passed on
//! only after they were judged ([`Environment::pass_functions`]). In production only a short list of
//! variables is passed on, and no function.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;

use crate::options;

/// Variables that make bash run code, load a file or change directory.
const NEVER: [&str; 7] =
    ["BASH_ENV", "ENV", "PROMPT_COMMAND", "PS0", "PS1", "CDPATH", "BASH_LOADABLES_PATH"];

/// Whether an option may be named.
type IsKnown = fn(&str) -> bool;
/// Lists of options that bash starts with. Only options that do not change the meaning of a word are passed
/// on.
const LISTS: [(&str, IsKnown); 2] =
    [("SHELLOPTS", options::is_name), ("BASHOPTS", options::is_quiet_shopt)];

/// Variables that would end a session, change something that the driver depends on, or write to its
/// descriptors.
const NOT_IN_SESSIONS: [&str; 4] = ["TMOUT", "BASH_XTRACEFD", "SHELLOPTS", "BASHOPTS"];

/// Functions in the environment: code.
const FUNCTION: &[u8] = b"BASH_FUNC_";
/// Suffix of variables that hold exported functions.
const FUNCTION_END: &[u8] = b"%%";
/// Prefix of their values.
const FUNCTION_BODY: &[u8] = b"() {";

/// The prompt of traces. Bash expands it.
const TRACE: &str = "PS4";

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

/// Prefixes of further variables.
const PREFIXES: [&str; 2] = ["LC_", "XDG_"];

/// The variables bash starts with.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: BTreeMap<OsString, OsString>,
    functions: Vec<(OsString, OsString)>,
    removed: Vec<Removed>,
}

/// A variable that bash does not get, because it would run or change something that was not judged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// Its name.
    pub name: String,
}

impl Environment {
    /// All variables except those that run code: for a personal machine.
    pub fn inherited(all: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut kept = Self::default();
        for (name, value) in all {
            if function_name(&name, &value).is_some() {
                kept.functions.push((name, value));
            } else if let Some((_, known)) = LISTS.iter().find(|(list, _)| name == *list) {
                kept.variables.insert(name, only(*known, &value));
            } else if runs_code(&name, &value) {
                kept.removed.push(Removed { name: name.to_string_lossy().into_owned() });
            } else {
                kept.variables.insert(name, value);
            }
        }
        kept
    }

    /// Only known and needed variables: for users who must not choose.
    pub fn restricted(all: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let mut kept = Self::inherited(all);
        kept.variables.retain(|name, _| passed_on(name));
        kept.functions.clear();
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

    /// Variables that were left out because they would run code or change its meaning.
    #[must_use]
    pub fn removed(&self) -> &[Removed] {
        &self.removed
    }

    /// The definitions of the functions that are not passed on yet, each with `export -f`; empty if there are
    /// none.
    #[must_use]
    pub fn functions(&self) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        for (variable, value) in &self.functions {
            let name = function_name(variable, value)?;
            for part in [name, b" ", value.as_bytes(), b"\nexport -f ", name, b"\n"] {
                text.extend(part);
            }
        }
        (!text.is_empty()).then_some(text)
    }

    /// Passes the functions on, after they were judged.
    pub fn pass_functions(&mut self) {
        self.variables.extend(self.functions.drain(..));
    }

    /// The environment of the bash of a session.
    pub(crate) fn of_session(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        let kept = |name: &OsString| NOT_IN_SESSIONS.iter().all(|never| name != *never);
        self.variables.iter().filter(move |(name, _)| kept(name))
    }

    /// All variables that bash gets.
    pub fn variables(&self) -> impl Iterator<Item = (&OsString, &OsString)> {
        self.variables.iter()
    }
}

fn runs_code(name: &OsStr, value: &OsStr) -> bool {
    name.as_bytes().starts_with(FUNCTION)
        || NEVER.iter().any(|never| name == *never)
        || (name == TRACE && substitutes(value.as_bytes()))
}

/// The parts of a list between colons that are known.
fn only(known: IsKnown, list: &OsStr) -> OsString {
    let list = list.to_string_lossy();
    let kept: Vec<&str> = list.split(':').filter(|part| known(part)).collect();
    kept.join(":").into()
}

/// Whether expanding the value could run a command, directly or through another variable.
fn substitutes(value: &[u8]) -> bool {
    let pairs: [&[u8]; 4] = [b"$(", b"$[", b"@P", b"<("];
    value.contains(&b'`') || pairs.iter().any(|pair| value.windows(2).any(|two| two == *pair))
}

/// The name of the function that a variable makes bash define, if it is a plain word.
fn function_name<'n>(name: &'n OsStr, value: &OsStr) -> Option<&'n [u8]> {
    let word = name.as_bytes().strip_prefix(FUNCTION)?.strip_suffix(FUNCTION_END)?;
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:+".contains(byte);
    let begins = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let good = word.first().is_some_and(begins) && word.iter().all(plain);
    (good && value.as_bytes().starts_with(FUNCTION_BODY)).then_some(word)
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
    fn functions_wait_until_they_are_judged() {
        let all = [("BASH_FUNC_hi%%", "() {  echo hi\n}"), ("BASH_FUNC_a b%%", "() { x\n}")];
        let all = all.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let mut kept = Environment::inherited(all.clone());
        assert!(names(&kept).is_empty());
        assert_eq!(kept.removed().len(), 1);
        assert_eq!(kept.functions().as_deref(), Some(&b"hi () {  echo hi\n}\nexport -f hi\n"[..]));
        kept.pass_functions();
        assert_eq!(names(&kept), ["BASH_FUNC_hi%%"]);
        assert_eq!(kept.functions(), None);
        assert_eq!(Environment::restricted(all).functions(), None);
    }

    #[test]
    fn a_trace_prompt_is_passed_on_unless_it_runs_something() {
        let kept = |value: &str| {
            let kept = Environment::inherited([("PS4".into(), value.into())]);
            !names(&kept).is_empty()
        };
        assert!(kept("+ ${BASH_SOURCE}:${LINENO}: "));
        for value in ["$(date) ", "`date` ", "${x@P}", "$[x]", "$((x))"] {
            assert!(!kept(value), "{value}");
        }
    }

    #[test]
    fn options_of_the_environment_are_sifted() {
        let all =
            [("SHELLOPTS", "errexit:history:keyword"), ("BASHOPTS", "extglob:extdebug:lastpipe")];
        let kept = Environment::inherited(all.map(|(name, value)| (name.into(), value.into())));
        let values: Vec<&OsString> = kept.variables().map(|(_, value)| value).collect();
        assert_eq!(values, ["extglob", "errexit"]);
        assert_eq!(kept.of_session().count(), 0);
    }

    #[test]
    fn variables_that_end_a_session_are_for_scripts_only() {
        let kept = Environment::inherited([("TMOUT".into(), "1".into())]);
        assert_eq!((kept.of_session().count(), kept.variables().count()), (0, 1));
    }

    #[test]
    fn production_passes_on_a_short_list_only() {
        assert_eq!(names(&Environment::restricted(some())), ["LC_ALL", "PATH"]);
    }
}
