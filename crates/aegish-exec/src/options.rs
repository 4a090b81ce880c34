//! Options of bash that a call may set: those that load no code, and whose effect on a text can be written as
//! a line ([`BashOptions::line`]).
//!
//! Takes letters and names as bash does (`-eu`, `-o pipefail`, `-O extglob`), gives the words for bash.
//! Refuses `-k`, which turns arguments into variables, history expansion, which changes the text, and the
//! debugger, which reads a file.

use std::fmt;

/// Letters of `set`, and letters of a call that do not select the source of the text.
const LETTERS: &[u8] = b"abefhmnprtuvxBCDEPT";

/// Names after `-o`.
const NAMES: [&str; 24] = [
    "allexport",
    "braceexpand",
    "emacs",
    "errexit",
    "errtrace",
    "functrace",
    "hashall",
    "ignoreeof",
    "interactive-comments",
    "monitor",
    "noclobber",
    "noexec",
    "noglob",
    "nolog",
    "notify",
    "nounset",
    "onecmd",
    "physical",
    "pipefail",
    "posix",
    "privileged",
    "verbose",
    "vi",
    "xtrace",
];

/// Names after `-O`.
const SHOPTS: [&str; 32] = [
    "assoc_expand_once",
    "autocd",
    "cdspell",
    "checkhash",
    "checkjobs",
    "checkwinsize",
    "direxpand",
    "dirspell",
    "dotglob",
    "execfail",
    "expand_aliases",
    "extglob",
    "extquote",
    "failglob",
    "force_fignore",
    "globasciiranges",
    "globskipdots",
    "globstar",
    "gnu_errfmt",
    "huponexit",
    "inherit_errexit",
    "lastpipe",
    "localvar_inherit",
    "localvar_unset",
    "nocaseglob",
    "nocasematch",
    "noexpand_translation",
    "nullglob",
    "patsub_replacement",
    "shift_verbose",
    "varredir_close",
    "xpg_echo",
];

/// Whether it is a valid argument of `-o`.
pub(crate) fn is_name(name: &str) -> bool {
    NAMES.contains(&name)
}

/// Whether it is a valid argument of `-O`.
pub(crate) fn is_shopt(name: &str) -> bool {
    SHOPTS.contains(&name)
}

/// Whether the environment may set it too, although that is not judged.
pub(crate) fn is_quiet_shopt(name: &str) -> bool {
    is_shopt(name) && !["lastpipe", "nocaseglob", "nocasematch"].contains(&name)
}

/// Whether an option is switched on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// `-`
    On,
    /// `+`
    Off,
}

impl Sign {
    fn character(self) -> char {
        match self {
            Self::On => '-',
            Self::Off => '+',
        }
    }
}

/// An option that bash does not get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    option: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing was run: {}: no option of this shell; see `aegish --help`", self.option)
    }
}

impl std::error::Error for Refused {}

/// Options for bash, each of them known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BashOptions {
    words: Vec<String>,
}

impl BashOptions {
    /// Adds a letter, as in `-e`.
    ///
    /// # Errors
    /// If bash has no such option, or it is not handed on.
    pub fn letter(&mut self, sign: Sign, letter: u8) -> Result<(), Refused> {
        let word = format!("{}{}", sign.character(), char::from(letter));
        if !LETTERS.contains(&letter) {
            return Err(Refused { option: word });
        }
        self.words.push(word);
        Ok(())
    }

    /// Adds an option by its name, as in `-o pipefail`.
    ///
    /// # Errors
    /// If bash has no such option, or it is not handed on.
    pub fn named(&mut self, sign: Sign, name: &str) -> Result<(), Refused> {
        self.known('o', is_name, sign, name)
    }

    /// Adds one of `shopt`'s, as in `-O extglob`.
    ///
    /// # Errors
    /// If bash has no such option, or it is not handed on.
    pub fn shopt(&mut self, sign: Sign, name: &str) -> Result<(), Refused> {
        self.known('O', is_shopt, sign, name)
    }

    fn known(
        &mut self,
        letter: char,
        known: fn(&str) -> bool,
        sign: Sign,
        name: &str,
    ) -> Result<(), Refused> {
        let option = format!("{}{letter}", sign.character());
        if !known(name) {
            return Err(Refused { option: format!("{option} {name}") });
        }
        self.words.extend([option, name.to_owned()]);
        Ok(())
    }

    /// Adds `-i`: aliases and jobs as in an interactive shell.
    pub fn interactive(&mut self) {
        self.words.push("-i".to_owned());
    }

    /// The line that sets the options in a session, if there are any. Options that only apply at the
    /// start are left out.
    ///
    /// # Errors
    ///
    /// If a session cannot have one of them: a restricted shell could not be driven.
    pub fn line(&self) -> Result<Option<String>, Refused> {
        let mut parts: Vec<String> = Vec::new();
        let mut words = self.words();
        while let Some(word) = words.next() {
            match word {
                "-r" => return Err(Refused { option: "-r".to_owned() }),
                "-n" | "-t" | "-D" | "-p" | "-i" => {}
                "-o" | "+o" => {
                    parts.push(format!("set {word} {}", words.next().unwrap_or_default()))
                }
                "-O" => parts.push(format!("shopt -s {}", words.next().unwrap_or_default())),
                "+O" => parts.push(format!("shopt -u {}", words.next().unwrap_or_default())),
                letter => parts.push(format!("set {letter}")),
            }
        }
        Ok((!parts.is_empty()).then(|| format!(" {}", parts.join("; "))))
    }

    /// The words for bash.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_options_reach_bash() -> Result<(), Refused> {
        let mut options = BashOptions::default();
        options.letter(Sign::On, b'e')?;
        options.letter(Sign::Off, b'B')?;
        options.named(Sign::On, "pipefail")?;
        options.shopt(Sign::On, "extglob")?;
        for letter in *b"cskHiOo-" {
            assert!(options.letter(Sign::On, letter).is_err(), "{}", char::from(letter));
        }
        assert!(options.named(Sign::On, "history").is_err());
        assert!(options.shopt(Sign::On, "extdebug").is_err());
        let words: Vec<&str> = options.words().collect();
        assert_eq!(words, ["-e", "+B", "-o", "pipefail", "-O", "extglob"]);
        Ok(())
    }

    #[test]
    fn a_session_sets_them_by_a_line() -> Result<(), Refused> {
        let mut options = BashOptions::default();
        options.letter(Sign::On, b'n')?;
        assert_eq!(options.line()?, None);
        options.letter(Sign::On, b'e')?;
        options.named(Sign::Off, "pipefail")?;
        options.shopt(Sign::On, "extglob")?;
        assert_eq!(options.line()?.as_deref(), Some(" set -e; set +o pipefail; shopt -s extglob"));
        options.letter(Sign::On, b'r')?;
        assert!(options.line().is_err());
        Ok(())
    }
}
