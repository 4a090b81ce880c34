//! A recorded command, and words as a command line.

use jiff::Timestamp;

/// One command that ran.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct CommandRecord {
    /// When it started.
    pub(crate) time: Option<Timestamp>,
    /// The machine.
    pub(crate) host: Option<String>,
    /// The user who logged in, by name or number.
    pub(crate) user: Option<String>,
    /// Facts carry over between commands with the same key.
    pub(crate) session: String,
    /// The process.
    pub(crate) pid: Option<u64>,
    /// The directory.
    pub(crate) cwd: Option<String>,
    /// The text as a shell would read it.
    pub(crate) command: String,
    /// The file that ran, if the first word of the command is the name of another one. Whoever starts a program is free
    /// to choose that word.
    pub(crate) program: Option<String>,
    /// Whether a part of the command is missing in the log.
    pub(crate) cut: bool,
    /// The line of the input on which it ends.
    pub(crate) line: u64,
}

/// The time of a number of seconds since 1970.
pub(crate) fn seconds(seconds: i64, nanoseconds: i32) -> Option<Timestamp> {
    Timestamp::new(seconds, nanoseconds).ok()
}

/// A command line that a shell reads as exactly these words.
pub(crate) fn quoted<W: AsRef<str>>(words: impl IntoIterator<Item = W>) -> String {
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        quote(word.as_ref(), &mut line);
    }
    line
}

fn quote(word: &str, line: &mut String) {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        line.push_str(word);
        return;
    }
    line.push('\'');
    line.push_str(&word.replace('\'', "'\\''"));
    line.push('\'');
}

/// The file that ran, if it is not the one that the first word names: `ls -e /bin/sh` may be `/usr/bin/nc`.
pub(crate) fn disguised(first: &str, file: &str) -> Option<String> {
    let file = file.strip_suffix(" (deleted)").unwrap_or(file);
    let base = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
    let (named, ran) = (base(first), base(file));
    // A login shell has a dash before its name.
    let named = named.strip_prefix('-').unwrap_or(&named);
    let is_shell = |name: &str| SHELLS.contains(&name);
    // `python3` is a link to `python3.11`, `sh` one to `dash`.
    let is_version =
        |rest: &str| rest.is_empty() || rest.starts_with(['.', '-']) || starts_with_digit(rest);
    let same = ran.strip_prefix(named).is_some_and(is_version) && !named.is_empty();
    let same = ran.is_empty() || same || (is_shell(named) && is_shell(&ran));
    (!same).then(|| file.to_owned())
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// Shells whose `-c` takes the rest of a line.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "ksh", "zsh"];

/// A command line for words that were joined by spaces, with or without double quotes around some. The borders of words
/// are lost where there are no quotes, except that all behind a shell's `-c` is one word.
pub(crate) fn joined(text: &str) -> String {
    let mut words: Vec<String> = split(text);
    let name = words.first().map(|name| name.rsplit('/').next().unwrap_or(name).to_owned());
    if name.is_some_and(|name| SHELLS.contains(&name.trim_start_matches('-'))) {
        let option = words.iter().position(|word| {
            word.starts_with('-') && !word.starts_with("--") && word.ends_with('c')
        });
        if let Some(at) = option
            && words.len() > at + 2
        {
            let script = rest_behind(text, at + 1).unwrap_or_default();
            words.truncate(at + 1);
            words.push(script.to_owned());
        }
    }
    quoted(&words)
}

/// The text behind a number of words.
fn rest_behind(text: &str, count: usize) -> Option<&str> {
    let mut rest = text.trim_start();
    for _ in 0..count {
        rest = rest.split_once(char::is_whitespace)?.1.trim_start();
    }
    Some(rest)
}

fn split(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let quoted = rest.strip_prefix('"').and_then(|inner| inner.split_once('"'));
        // A quote in the middle of a word is a part of it.
        let quoted = quoted.filter(|(_, after)| after.is_empty() || after.starts_with(' '));
        let (word, after) = match quoted {
            Some(found) => found,
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        words.push(word.to_owned());
        rest = after.trim_start();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{disguised, joined, quoted};

    #[test]
    fn a_first_word_that_names_another_file_is_seen() {
        for (first, file) in [
            ("ls", "/usr/bin/ls"),
            ("-bash", "/usr/bin/bash"),
            ("/bin/sh", "/usr/bin/dash"),
            ("python3", "/usr/bin/python3.11"),
            ("vim", "/usr/bin/vim.basic"),
            ("./x", "/srv/x (deleted)"),
        ] {
            assert_eq!(disguised(first, file), None, "{first} {file}");
        }
        for (first, file) in [
            ("ls", "/usr/bin/nc"),
            ("n", "/usr/bin/nc"),
            ("", "/usr/bin/nc"),
            ("awk", "/usr/bin/mawk"),
            ("ls", "/usr/bin/bash"),
        ] {
            assert_eq!(disguised(first, file).as_deref(), Some(file), "{first} {file}");
        }
        assert_eq!(disguised("ls", "/memfd:x (deleted)").as_deref(), Some("/memfd:x"));
    }

    #[test]
    fn words_are_read_back_as_the_same_words() {
        assert_eq!(
            quoted(["ls", "-la", "a b", "", "it's", "$x"]),
            r"ls -la 'a b' '' 'it'\''s' '$x'"
        );
        assert_eq!(quoted(["x=1", "y"]), "'x=1' y");
    }

    #[test]
    fn a_script_behind_an_option_of_a_shell_is_one_word() {
        assert_eq!(
            joined("/bin/bash -lc cat /etc/shadow | wc -l"),
            "/bin/bash -lc 'cat /etc/shadow | wc -l'"
        );
        assert_eq!(joined("sh -c id"), "sh -c id");
        assert_eq!(joined("sh -c \"a b\""), "sh -c 'a b'");
        assert_eq!(joined("grep a;b x.txt"), "grep 'a;b' x.txt");
        assert_eq!(joined("bash script.sh -x -c 1 2"), "bash script.sh -x -c '1 2'");
    }
}
