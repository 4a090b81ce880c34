//! How the shell is called: as bash is.
//!
//! `aegish [-l] [-i]`, `aegish -c TEXT [NAME [ARGUMENT…]]`, `aegish [-s [ARGUMENT…]]` and `aegish SCRIPT
//! [ARGUMENT…]`. Everything else is a task for the other command line.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The options of bash that make sense here.
const LETTERS: &[u8] = b"cils";

/// What is to be run.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// Lines that are typed, or standard input if nobody types.
    Lines {
        /// Standard input is read even if parameters are given.
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
        /// As it was named.
        path: PathBuf,
        /// The parameters.
        arguments: Vec<OsString>,
    },
}

/// A call of the shell.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Invocation {
    pub(crate) start: Start,
    /// `-l`, or a name that begins with `-`.
    pub(crate) login: bool,
    /// `-i`
    pub(crate) interactive: bool,
}

/// Reads the words of a call: `Ok(None)` if it is not a call of the shell.
pub(crate) fn parse(
    words: impl IntoIterator<Item = OsString>,
    is_task: impl Fn(&str) -> bool,
) -> Result<Option<Invocation>, String> {
    let mut words = words.into_iter();
    let name = words.next().unwrap_or_default();
    let mut login = name.as_bytes().starts_with(b"-");
    let (mut interactive, mut text, mut input) = (false, false, false);
    let mut rest: Vec<OsString> = words.collect();
    let mut first = true;
    while let Some(word) = rest.first() {
        let bytes = word.as_bytes();
        match bytes {
            b"--login" => login = true,
            // What bash would read at its start is never read here.
            b"--norc" | b"--noprofile" | b"--posix" if !first || rest.len() > 1 => {}
            b"--" | b"-" => {
                rest.remove(0);
                break;
            }
            [b'-', letters @ ..]
                if !letters.is_empty() && letters.iter().all(|letter| LETTERS.contains(letter)) =>
            {
                login |= letters.contains(&b'l');
                interactive |= letters.contains(&b'i');
                text |= letters.contains(&b'c');
                input |= letters.contains(&b's');
            }
            [b'-', ..] if first => return Ok(None),
            [b'-', ..] => return Err(format!("unknown option {}", word.to_string_lossy())),
            _ => break,
        }
        first = false;
        rest.remove(0);
    }
    if first && rest.first().is_some_and(|word| word.to_str().is_some_and(&is_task)) {
        return Ok(None);
    }
    let start = if text {
        if rest.is_empty() {
            return Err("-c: a command is missing".to_owned());
        }
        let text = rest.remove(0);
        Start::Text { text, words: rest }
    } else if input || rest.is_empty() {
        Start::Lines { arguments: rest }
    } else {
        let path = PathBuf::from(rest.remove(0));
        Start::File { path, arguments: rest }
    };
    Ok(Some(Invocation { start, login, interactive }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(words: &[&str]) -> Result<Option<Invocation>, String> {
        let words = words.iter().map(OsString::from).collect::<Vec<_>>();
        parse(words, |word| word == "check" || word == "help")
    }

    fn start(words: &[&str]) -> Start {
        call(words)
            .ok()
            .flatten()
            .map(|call| call.start)
            .unwrap_or(Start::Lines { arguments: vec!["?".into()] })
    }

    #[test]
    fn it_is_called_as_bash_is() {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        assert_eq!(start(&["aegish"]), Start::Lines { arguments: vec![] });
        assert_eq!(
            start(&["aegish", "-c", "echo $0 $1", "n", "-x"]),
            Start::Text { text: "echo $0 $1".into(), words: words(&["n", "-x"]) }
        );
        assert_eq!(
            start(&["aegish", "-lc", "ls"]),
            Start::Text { text: "ls".into(), words: vec![] }
        );
        assert_eq!(
            start(&["aegish", "./x.sh", "-a"]),
            Start::File { path: "./x.sh".into(), arguments: words(&["-a"]) }
        );
        assert_eq!(start(&["aegish", "-s", "a"]), Start::Lines { arguments: words(&["a"]) });
        assert_eq!(
            start(&["aegish", "-c", "--", "-x"]),
            Start::Text { text: "-x".into(), words: vec![] }
        );
    }

    #[test]
    fn a_leading_dash_or_an_option_means_login() {
        assert!(call(&["-aegish"]).is_ok_and(|call| call.is_some_and(|call| call.login)));
        assert!(call(&["aegish", "-l"]).is_ok_and(|call| call.is_some_and(|call| call.login)));
        assert!(call(&["aegish"]).is_ok_and(|call| call.is_some_and(|call| !call.login)));
    }

    #[test]
    fn tasks_and_other_options_are_left_to_the_command_line() {
        assert_eq!(call(&["aegish", "check", "--", "ls"]), Ok(None));
        assert_eq!(call(&["aegish", "--help"]), Ok(None));
        assert!(call(&["aegish", "-c"]).is_err());
        assert!(call(&["aegish", "-l", "-z"]).is_err());
    }
}
