//! The text that bash is sent for a line: the line in single quotes, and code around it that restores and
//! saves the state which lines see.

use std::os::fd::RawFd;

use crate::prompts::PromptVariables;
use crate::report::{Report, position};

/// How bash executes a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Execution {
    Eval,
    /// As a sourced file. `set -o vi` makes an interactive bash read everything that follows with its own
    /// editor, the rest of the text that `eval` executes included. While it sources a file, it does not.
    Source,
}

/// Descriptors of the driver in bash.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DriverFds {
    /// The input of lines.
    pub(crate) input: RawFd,
    pub(crate) report: RawFd,
}

impl DriverFds {
    /// Holds the text of a line that is sourced. Behind those that bash needs to keep the other two.
    pub(crate) fn script(self) -> RawFd {
        self.report + 9
    }
}

/// A line as bash gets it.
pub(crate) fn driven(
    last: &Report,
    line: &[u8],
    how: Execution,
    prompts: PromptVariables,
    fds: DriverFds,
) -> Vec<u8> {
    let DriverFds { input, report } = fds;
    let status = last.status;
    let mut text = b"{ { ".to_vec();
    // A line that begins with a blank is not stored, as in bash.
    if !line.starts_with(b" ") {
        text.extend(b"\\builtin history -s -- ");
        text.extend(single_quoted(line));
        text.extend(b"; ");
    }
    if prompts == PromptVariables::Given {
        text.extend(b"__aegish_give; ");
    }
    // Off between lines, because bash comes through the gate by an error.
    if last.options.contains('e') {
        text.extend(b"\\builtin set -e; ");
    }
    text.extend(format!("__aegish_set {status} ").as_bytes());
    text.extend(single_quoted(&last.last_word));
    if position(line, b"PIPESTATUS").is_some() {
        text.extend(pipe(last).as_bytes());
    }
    let joint = if status == 0 { "&&" } else { "||" };
    text.extend(format!("; }} 2>/dev/null {joint} \\builtin ").as_bytes());
    let script = fds.script();
    text.extend(
        match how {
            Execution::Eval => "eval ".to_owned(),
            Execution::Source => format!(". /dev/fd/{script} {script}<<<"),
        }
        .as_bytes(),
    );
    if how == Execution::Source {
        text.extend(b"\"$__aegish_chosen\"");
    }
    if last.options.contains('x') {
        text.extend(b"\"$__aegish_head\"");
    }
    text.extend(single_quoted(line));
    // `__aegish_set` closes both for the line. They are not closed here: bash keeps what a redirection closes from 10
    // upwards, where it would undo an `exec 10>FILE` of the line, and what one replaces above the number that is copied.
    let hidden = format!("0<&{input} {report}>&{input} {input}<&{report}");
    text.extend(format!("\"$__aegish_tail\"; }} {hidden}; ").as_bytes());
    text.extend(b"{ __aegish_unedited; __aegish_close \"$?\"; } 2>/dev/null\n");
    text
}

/// How much bash reads at once, into one buffer.
const READ_AT_ONCE: usize = 1024;
/// Switches bash's own editor off. Until then, bash does not come to the gate before it reads.
const BEHIND: &[u8] = b"__aegish_behind 2>/dev/null\n";

/// A line, and behind it a line of its own that switches bash's editor off: an interrupt makes bash drop the rest of the
/// first. Blanks before them see to it that bash reads the end of the first line together with the second, because
/// what it reads next could come from elsewhere.
pub(crate) fn with_behind(line: Vec<u8>) -> Vec<u8> {
    let end = line.len() % READ_AT_ONCE;
    let apart = end == 0 || end + BEHIND.len() > READ_AT_ONCE;
    let blanks = if apart { READ_AT_ONCE - end + 1 } else { 0 };
    [b" ".repeat(blanks), line, BEHIND.to_vec()].concat()
}

/// A pipe with the same statuses as that of the line before: the only way to restore `PIPESTATUS`.
fn pipe(last: &Report) -> String {
    let Report { status, pipe, variables, .. } = last;
    let all_count = variables
        .get("SHELLOPTS")
        .is_some_and(|options| options.split(':').any(|option| option == "pipefail"));
    let counted = if all_count { pipe.as_slice() } else { &pipe[pipe.len().saturating_sub(1)..] };
    let fails = counted.iter().any(|one| *one != 0);
    // A `!` before it inverted the status.
    let negated = if fails == (*status != 0) { "" } else { "! " };
    let parts: Vec<String> = pipe.iter().map(|one| format!("(\\builtin exit {one})")).collect();
    if parts.is_empty() { String::new() } else { format!("; {negated}{}", parts.join(" | ")) }
}

/// An `exit` after one that bash refused because of stopped jobs. Bash checks whether the previous command
/// was `jobs` or `exit`, and would find the driver's own command.
pub(crate) fn last_exit(last: &Report, line: &[u8]) -> Vec<u8> {
    let negated = if last.status == 0 { "" } else { "! " };
    let mut text = format!("{negated}\\builtin jobs >/dev/null; ").into_bytes();
    text.extend(line);
    text.push(b'\n');
    text
}

/// `exit` or `logout`, with a number or without.
pub(crate) fn is_exit(line: &[u8]) -> bool {
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
    let leaves = matches!(words.next(), Some(b"exit" | b"logout"));
    let number = words.next().is_none_or(|word| word.iter().all(u8::is_ascii_digit));
    leaves && number && words.next().is_none()
}

/// Quotes bytes: in single quotes every byte except the quote is literal.
pub(crate) fn single_quoted(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 2);
    out.push(b'\'');
    for byte in bytes {
        match byte {
            b'\'' => out.extend(b"'\\''"),
            other => out.push(*other),
        }
    }
    out.push(b'\'');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_line_is_read_together_with_the_next_one() {
        for length in 2..3000 {
            let line = [vec![b'x'; length - 1], b"\n".to_vec()].concat();
            let sent = with_behind(line);
            let (last, end) = (sent.len() - BEHIND.len() - 1, sent.len() - 1);
            assert_eq!(last / READ_AT_ONCE, end / READ_AT_ONCE, "{length}");
            assert!(sent.trim_ascii_start().len() == length + BEHIND.len(), "{length}");
        }
    }

    fn sent(last: &Report, line: &str) -> String {
        let (fds, empty) = (DriverFds { input: 200, report: 201 }, PromptVariables::Empty);
        let text = driven(last, line.as_bytes(), Execution::Eval, empty, fds);
        String::from_utf8_lossy(&text).into_owned()
    }

    #[test]
    fn a_line_is_quoted_in_single_quotes() {
        let text = sent(&Report::default(), "echo 'a'");
        assert!(text.contains(r"\builtin eval 'echo '\''a'\'''"), "{text}");
        assert!(text.starts_with(r"{ { \builtin history -s -- 'echo "), "{text}");
        assert!(!sent(&Report::default(), " echo hidden").contains("history"));
    }

    #[test]
    fn a_pipe_is_given_back_with_the_status_that_was_seen() {
        let last = |status, pipe: &[u8], options: &str| {
            let variables = [("SHELLOPTS".to_owned(), options.to_owned())].into();
            Report { status, pipe: pipe.to_vec(), variables, ..Report::default() }
        };
        assert_eq!(pipe(&last(0, &[1, 0], "monitor")), "; (\\builtin exit 1) | (\\builtin exit 0)");
        assert_eq!(
            pipe(&last(1, &[1, 0], "monitor")),
            "; ! (\\builtin exit 1) | (\\builtin exit 0)"
        );
        assert_eq!(
            pipe(&last(1, &[1, 0], "monitor:pipefail")),
            "; (\\builtin exit 1) | (\\builtin exit 0)"
        );
        assert_eq!(pipe(&last(0, &[], "")), "");
        assert!(!sent(&last(0, &[1, 0], ""), "ls").contains("builtin exit"));
    }

    #[test]
    fn only_a_plain_exit_is_one() {
        for line in ["exit", "logout", " exit 3 ", "exit\t0"] {
            assert!(is_exit(line.as_bytes()), "{line}");
        }
        for line in ["exit; ls", "exit $x", "exit 1 2", "exitx", "", "exit `id`"] {
            assert!(!is_exit(line.as_bytes()), "{line}");
        }
    }
}
