//! How the shell is called: as bash is.
//!
//! `aegish [-l] [-i]`, `aegish -c TEXT [NAME [ARGUMENT…]]`, `aegish [-s [ARGUMENT…]]` and `aegish SCRIPT
//! [ARGUMENT…]`, with bash's own options before (`-lc`, `-euo pipefail -c`, `-O extglob`, `+e`).
//! Everything else is a task for the other command line.

use aegish_exec::{BashOptions, Sign};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Options for start-up files and line editing of bash, which are never used here.
const WITHOUT_MEANING: [&[u8]; 3] = [b"--norc", b"--noprofile", b"--noediting"];
/// Such options with a file name.
const FILES: [&[u8]; 2] = [b"--rcfile", b"--init-file"];

/// Names under which a text may start bash.
const BASHES: [&str; 3] = ["bash", "/bin/bash", "/usr/bin/bash"];

/// What to run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ShellInput {
    /// Lines from a terminal, or from standard input.
    Lines {
        /// Whether standard input is read even if there are parameters.
        arguments: Vec<OsString>,
    },
    /// `-c`
    Text {
        /// The command.
        text: OsString,
        /// `$0` and the parameters.
        words: Vec<OsString>,
    },
    /// A script file.
    File {
        /// As named in the call.
        path: PathBuf,
        /// The parameters.
        arguments: Vec<OsString>,
    },
}

/// A call of the shell.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShellCall {
    pub(crate) start: ShellInput,
    /// `-l`, or a name that begins with `-`.
    pub(crate) login: bool,
    /// `-i`
    pub(crate) interactive: bool,
    /// Options for bash.
    pub(crate) options: BashOptions,
}

/// Reads the words of a call: `Ok(None)` if it is not a call of the shell.
pub(crate) fn parse(
    words: impl IntoIterator<Item = OsString>,
    is_task: impl Fn(&str) -> bool,
) -> Result<Option<ShellCall>, String> {
    let mut words = words.into_iter();
    let name = words.next().unwrap_or_default();
    let mut rest: Vec<OsString> = words.collect();
    let mut read = Read { login: name.as_bytes().starts_with(b"-"), ..Read::default() };
    match CalledAs::of(&name) {
        CalledAs::Aegish => {
            let asked = rest.first().map(|word| word.as_bytes());
            let task = rest.first().is_some_and(|word| word.to_str().is_some_and(&is_task));
            if task || matches!(asked, Some(b"-h" | b"--help" | b"-V" | b"--version")) {
                return Ok(None);
            }
        }
        CalledAs::Bash => {}
        CalledAs::Sh => {
            read.options.named(Sign::On, "posix").map_err(|error| error.to_string())?;
        }
    }
    while let Some(word) = rest.first() {
        if !matches!(word.as_bytes(), [b'-' | b'+', ..]) || word.as_bytes() == b"+" {
            break;
        }
        let word = rest.remove(0);
        if matches!(word.as_bytes(), b"-" | b"--") {
            break;
        }
        read.word(&word, &mut rest)?;
    }
    let start = if read.text {
        if rest.is_empty() {
            return Err("-c: a command is missing".to_owned());
        }
        let text = rest.remove(0);
        ShellInput::Text { text, words: rest }
    } else if read.input || rest.is_empty() {
        ShellInput::Lines { arguments: rest }
    } else {
        let path = PathBuf::from(rest.remove(0));
        ShellInput::File { path, arguments: rest }
    };
    let Read { login, interactive, mut options, .. } = read;
    if interactive && !matches!(start, ShellInput::Lines { .. }) {
        options.interactive();
    }
    Ok(Some(ShellCall { start, login, interactive, options }))
}

/// The shell that a call means by its name. A shim is a link to this program with the name of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CalledAs {
    Aegish,
    /// `bash`; also `zsh`, because only what bash reads can be judged.
    Bash,
    /// `sh`: bash in its POSIX mode.
    Sh,
}

impl CalledAs {
    fn of(name: &OsStr) -> Self {
        let name = name.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        match name.strip_prefix(b"-").unwrap_or(name) {
            b"bash" | b"zsh" => Self::Bash,
            b"sh" => Self::Sh,
            _ => Self::Aegish,
        }
    }
}

/// Whether this process was called by the name of a shell.
pub(crate) fn is_called_as_shell() -> bool {
    std::env::args_os().next().is_some_and(|name| CalledAs::of(&name) != CalledAs::Aegish)
}

/// Whether a call of a shim only asks for the version of its shell.
pub(crate) fn asks_for_version(words: &[OsString]) -> bool {
    matches!(words, [name, option] if CalledAs::of(name) != CalledAs::Aegish && option == "--version")
}

/// The options read so far.
#[derive(Default)]
struct Read {
    login: bool,
    interactive: bool,
    text: bool,
    input: bool,
    options: BashOptions,
}

impl Read {
    /// Reads one word of options; some options take the next word.
    fn word(&mut self, word: &OsString, rest: &mut Vec<OsString>) -> Result<(), String> {
        let bytes = word.as_bytes();
        let said = |error: aegish_exec::Refused| error.to_string();
        match bytes {
            b"--login" => self.login = true,
            b"--posix" => self.options.named(Sign::On, "posix").map_err(said)?,
            b"--restricted" => self.options.letter(Sign::On, b'r').map_err(said)?,
            b"--verbose" => self.options.letter(Sign::On, b'v').map_err(said)?,
            known if WITHOUT_MEANING.contains(&known) => {}
            known if FILES.contains(&known) => {
                next(word, rest)?;
            }
            [b'-', b'-', ..] => {
                return Err(format!(
                    "nothing was run: {}: no option of this shell; see `aegish --help`",
                    word.to_string_lossy()
                ));
            }
            [sign, letters @ ..] => {
                let sign = if *sign == b'-' { Sign::On } else { Sign::Off };
                for letter in letters {
                    self.letter(sign, *letter, word, rest)?;
                }
            }
            [] => {}
        }
        Ok(())
    }

    fn letter(
        &mut self,
        sign: Sign,
        letter: u8,
        word: &OsString,
        rest: &mut Vec<OsString>,
    ) -> Result<(), String> {
        match (sign, letter) {
            (Sign::On, b'c') => self.text = true,
            (Sign::On, b'i') => self.interactive = true,
            (Sign::On, b'l') => self.login = true,
            (Sign::On, b's') => self.input = true,
            (_, b'o') => {
                let name = next(word, rest)?;
                self.options.named(sign, &name).map_err(|error| error.to_string())?;
            }
            (_, b'O') => {
                let name = next(word, rest)?;
                self.options.shopt(sign, &name).map_err(|error| error.to_string())?;
            }
            (_, letter) => {
                self.options.letter(sign, letter).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }
}

/// The next word, as the value of an option.
fn next(option: &OsString, rest: &mut Vec<OsString>) -> Result<String, String> {
    if rest.is_empty() {
        return Err(format!("{}: the name behind it is missing", option.to_string_lossy()));
    }
    Ok(rest.remove(0).to_string_lossy().into_owned())
}

/// Arguments and options of a text that only starts bash to read commands from standard input: `bash -s a b`.
/// That input can be judged as if it was given to this shell.
pub(crate) fn bash_on_input(text: &OsStr) -> Option<(Vec<OsString>, BashOptions)> {
    let text = text.to_str()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || " _-+./:,@%".contains(c);
    if !text.chars().all(plain) {
        return None;
    }
    let words: Vec<OsString> = text.split_ascii_whitespace().map(OsString::from).collect();
    if !BASHES.iter().any(|bash| words.first().is_some_and(|word| word == bash)) {
        return None;
    }
    match parse(words, |_| false) {
        Ok(Some(ShellCall {
            start: ShellInput::Lines { arguments },
            interactive: false,
            options,
            ..
        })) => Some((arguments, options)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(words: &[&str]) -> Result<Option<ShellCall>, String> {
        let words = words.iter().map(OsString::from).collect::<Vec<_>>();
        parse(words, |word| word == "check" || word == "help")
    }

    fn start(words: &[&str]) -> ShellInput {
        call(words)
            .ok()
            .flatten()
            .map(|call| call.start)
            .unwrap_or(ShellInput::Lines { arguments: vec!["?".into()] })
    }

    #[test]
    fn it_is_called_as_bash_is() {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        assert_eq!(start(&["aegish"]), ShellInput::Lines { arguments: vec![] });
        assert_eq!(
            start(&["aegish", "-c", "echo $0 $1", "n", "-x"]),
            ShellInput::Text { text: "echo $0 $1".into(), words: words(&["n", "-x"]) }
        );
        assert_eq!(
            start(&["aegish", "-lc", "ls"]),
            ShellInput::Text { text: "ls".into(), words: vec![] }
        );
        assert_eq!(
            start(&["aegish", "./x.sh", "-a"]),
            ShellInput::File { path: "./x.sh".into(), arguments: words(&["-a"]) }
        );
        assert_eq!(start(&["aegish", "-s", "a"]), ShellInput::Lines { arguments: words(&["a"]) });
        assert_eq!(
            start(&["aegish", "-c", "--", "-x"]),
            ShellInput::Text { text: "-x".into(), words: vec![] }
        );
    }

    #[test]
    fn a_leading_dash_or_an_option_means_login() {
        assert!(call(&["-aegish"]).is_ok_and(|call| call.is_some_and(|call| call.login)));
        assert!(call(&["aegish", "-l"]).is_ok_and(|call| call.is_some_and(|call| call.login)));
        assert!(call(&["aegish"]).is_ok_and(|call| call.is_some_and(|call| !call.login)));
    }

    #[test]
    fn the_options_of_bash_are_handed_on() {
        let options = |words: &[&str]| -> Vec<String> {
            let call = call(words).ok().flatten();
            let call = call.map(|call| (call.options, call.start));
            let Some((options, ShellInput::Text { text, .. })) = call else { return vec![] };
            assert_eq!(text, "x", "{words:?}");
            options.words().map(str::to_owned).collect()
        };
        assert_eq!(options(&["aegish", "-ec", "x"]), ["-e"]);
        assert_eq!(
            options(&["aegish", "-euo", "pipefail", "-c", "x"]),
            ["-e", "-u", "-o", "pipefail"]
        );
        assert_eq!(options(&["aegish", "-ceo", "pipefail", "x"]), ["-e", "-o", "pipefail"]);
        assert_eq!(options(&["aegish", "+e", "-O", "extglob", "-c", "x"]), ["+e", "-O", "extglob"]);
        assert_eq!(options(&["aegish", "--posix", "-lic", "x"]), ["-o", "posix", "-i"]);
        assert_eq!(options(&["aegish", "--norc", "--rcfile", "f", "-c", "x"]), [] as [&str; 0]);
        for words in [
            &["aegish", "-k", "-c", "x"][..],
            &["aegish", "-o", "history", "-c", "x"],
            &["aegish", "--debugger", "-c", "x"],
            &["aegish", "-c", "x", "-o"][..2],
            &["aegish", "-o"],
        ] {
            assert!(call(words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn a_text_that_only_starts_bash_is_recognised() {
        let arguments = |text: &str| bash_on_input(OsStr::new(text)).map(|(words, _)| words);
        assert_eq!(arguments("bash"), Some(vec![]));
        assert_eq!(arguments(" /bin/bash  -es -- a -b "), Some(vec!["a".into(), "-b".into()]));
        assert_eq!(arguments("bash -l"), Some(vec![]));
        for text in [
            "bash -i",
            "bash x.sh",
            "bash -c true",
            "bash -s; ls",
            "bash -s $x",
            "sh",
            "bash --help",
        ] {
            assert_eq!(arguments(text), None, "{text}");
        }
    }

    #[test]
    fn by_the_name_of_a_shell_it_is_that_shell() {
        let text = |text: &str| ShellInput::Text { text: text.into(), words: vec![] };
        assert_eq!(start(&["/opt/shims/bash", "-c", "-l", "ls"]), text("ls"));
        assert_eq!(start(&["zsh", "-lc", "ls"]), text("ls"));
        let script = ShellInput::File { path: "check".into(), arguments: vec![] };
        assert_eq!(start(&["bash", "check"]), script);
        assert_eq!(
            start(&["aegish", "bash"]),
            ShellInput::File { path: "bash".into(), arguments: vec![] }
        );
        let options = |words: &[&str]| -> Vec<String> {
            let call = call(words).ok().flatten();
            call.map_or(vec![], |call| call.options.words().map(str::to_owned).collect())
        };
        assert_eq!(options(&["-sh", "-c", "x"]), ["-o", "posix"]);
        assert_eq!(options(&["-bash", "-c", "x"]), [] as [&str; 0]);
        assert!(asks_for_version(&["/x/bash".into(), "--version".into()]));
        assert!(!asks_for_version(&["aegish".into(), "--version".into()]));
    }

    #[test]
    fn tasks_and_other_options_are_left_to_the_command_line() {
        assert_eq!(call(&["aegish", "check", "--", "ls"]), Ok(None));
        assert_eq!(call(&["aegish", "--help"]), Ok(None));
        assert!(call(&["aegish", "-c"]).is_err());
        assert!(call(&["aegish", "-l", "-z"]).is_err());
    }
}
