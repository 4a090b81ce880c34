//! Reports of bash after each line: status, last word, statuses of the pipe, options, directory, scope
//! (all variables or some), variables, aliases.
//!
//! A report consists of `MARK SEQ`, these eight fields and `END`, each followed by NUL. The mark is random
//! for each shell, so a line cannot print a valid report. No value contains a NUL, so no value can end a
//! field.

use std::collections::HashMap;

use crate::prompts;

/// The state of bash after a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// `$?`
    pub status: u8,
    /// `$_`
    pub last_word: Vec<u8>,
    /// `${PIPESTATUS[@]}`; empty if the line was interrupted.
    pub pipe: Vec<u8>,
    /// `$-`
    pub options: String,
    /// `$PWD`
    pub cwd: String,
    /// Variables, exported or not, without arrays: those that may differ from the report before, and those that are
    /// read between lines.
    pub variables: HashMap<String, String>,
    /// Aliases.
    pub aliases: HashMap<String, String>,
    /// The part that may differ from the report before.
    pub changed: ChangedVariables,
}

/// Variables that are read between lines: by the driver, the prompts and the editor.
const READ_BETWEEN_LINES: [&str; 9] =
    ["EDITOR", "IGNOREEOF", "PATH", "PS1", "PS2", "SHELLOPTS", "VISUAL", "__aegish_bound", KEYS];
/// The keys that a line chose, `vi` or `emacs`.
pub(crate) const KEYS: &str = "__aegish_mode";

/// The part that may differ from the report before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ChangedVariables {
    /// Everything.
    #[default]
    All,
    /// These variables.
    Variables(Vec<String>),
}

impl Report {
    /// Fills in values that bash was not asked for: only the requested variables could have changed.
    pub(crate) fn complete(&mut self, before: &mut Self, asked: &[String]) {
        let reported =
            std::mem::replace(&mut self.variables, std::mem::take(&mut before.variables));
        for name in asked {
            self.variables.remove(name);
        }
        self.variables.extend(reported);
        self.aliases = std::mem::take(&mut before.aliases);
        self.changed = ChangedVariables::Variables(asked.to_vec());
    }

    /// Drops all variables that are not read between lines.
    pub(crate) fn forget_variables(&mut self) {
        self.variables.retain(|name, _| READ_BETWEEN_LINES.contains(&name.as_str()));
        self.variables.shrink_to_fit();
    }

    /// The keys that a line chose, `vi` or `emacs`. None if none did.
    #[must_use]
    pub fn keys(&self) -> Option<&str> {
        self.variables.get(KEYS).map(String::as_str).filter(|keys| !keys.is_empty())
    }

    /// The options that are on, by their names (`SHELLOPTS`).
    pub fn options_by_name(&self) -> impl Iterator<Item = &str> {
        self.variables.get("SHELLOPTS").into_iter().flat_map(|options| options.split(':'))
    }
}

/// The report with this number, if it is complete. If there are several, the last one is used: bash may have
/// been interrupted while it wrote the others.
pub(crate) fn find(bytes: &[u8], mark: &str, sequence: u64) -> Option<Report> {
    let head = format!("{mark}{sequence}\0");
    let start =
        bytes.windows(head.len()).rposition(|window| window == head.as_bytes())? + head.len();
    let mut parts = bytes.get(start..)?.split(|byte| *byte == 0);
    let mut fields = [&bytes[..0]; 8];
    for field in &mut fields {
        *field = parts.next()?;
    }
    // After the last NUL there is one more part, which is empty.
    if parts.next()? != b"END" || parts.next().is_none() {
        return None;
    }
    let [status, last_word, pipe, options, cwd, scope, variables, aliases] = fields;
    let text = String::from_utf8_lossy;
    let mut variables = declarations(&text(variables));
    prompts::rename(&mut variables);
    Some(Report {
        status: text(status).parse().unwrap_or(255),
        last_word: last_word.to_vec(),
        pipe: text(pipe).split(' ').filter_map(|status| status.parse().ok()).collect(),
        options: text(options).into_owned(),
        cwd: text(cwd).into_owned(),
        variables,
        aliases: aliases_of(&text(aliases)),
        // The caller that requested them fills them in.
        changed: if scope == b"some" {
            ChangedVariables::Variables(Vec::new())
        } else {
            ChangedVariables::All
        },
    })
}

/// The first position of `what` in `bytes`.
pub(crate) fn position(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// `declare -x NAME="value"`, one after the other; a value may hold newlines. Arrays are left out.
fn declarations(text: &str) -> HashMap<String, String> {
    let mut all = HashMap::new();
    let mut rest = text;
    while let Some(after) = rest.strip_prefix("declare ") {
        let Some((flags, after)) = after.split_once(' ') else { break };
        let end = after.find(['=', '\n']).unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        let (value, after) = match after.strip_prefix('=') {
            Some(quoted) => word(quoted),
            None => (None, after),
        };
        if let (false, Some(value)) = (flags.contains(['a', 'A']), value) {
            all.insert(name.to_owned(), value);
        }
        rest = after.strip_prefix('\n').unwrap_or(after);
    }
    all
}

/// `alias NAME='text'`, one after the other.
fn aliases_of(text: &str) -> HashMap<String, String> {
    let mut all = HashMap::new();
    let mut rest = text;
    while let Some(after) = rest.strip_prefix("alias ") {
        let after = after.strip_prefix("-- ").unwrap_or(after);
        let Some((name, quoted)) = after.split_once('=') else { break };
        let (value, after) = word(quoted);
        if let Some(value) = value {
            all.insert(name.to_owned(), value);
        }
        rest = after.strip_prefix('\n').unwrap_or(after);
    }
    all
}

/// Reads one word as bash prints it: parts in `"…"`, `'…'`, `$'…'` or bare with backslashes. Returns its text
/// (`None` for an array) and the rest.
fn word(text: &str) -> (Option<String>, &str) {
    if let Some(list) = text.strip_prefix('(') {
        let (_, after) = until(list, ')');
        return (None, after.strip_prefix(')').unwrap_or(after));
    }
    let (value, after) = until(text, '\n');
    (Some(value), after)
}

/// The text up to a character that is not quoted, and the rest from there.
fn until(text: &str, end: char) -> (String, &str) {
    let mut value = String::new();
    let mut chars = text.char_indices().peekable();
    let mut quote = QuoteState::None;
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (QuoteState::None, c) if c == end => {
                return (value, text.get(at..).unwrap_or_default());
            }
            (QuoteState::None, '"') => quote = QuoteState::Double,
            (QuoteState::None, '\'') => quote = QuoteState::Single,
            (QuoteState::None, '$') if chars.peek().is_some_and(|(_, next)| *next == '\'') => {
                chars.next();
                quote = QuoteState::Ansi;
            }
            (QuoteState::Double, '"') | (QuoteState::Single | QuoteState::Ansi, '\'') => {
                quote = QuoteState::None
            }
            (QuoteState::None | QuoteState::Double, '\\') => {
                value.extend(chars.next().map(|(_, c)| c))
            }
            (QuoteState::Ansi, '\\') => value.extend(escape(&mut chars)),
            (_, c) => value.push(c),
        }
    }
    (value, "")
}

#[derive(Clone, Copy, PartialEq)]
enum QuoteState {
    None,
    Single,
    Double,
    Ansi,
}

/// An escape of `$'…'` as bash prints it: a letter or three octal digits.
fn escape(chars: &mut std::iter::Peekable<std::str::CharIndices<'_>>) -> Option<char> {
    let (_, c) = chars.next()?;
    Some(match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        'E' | 'e' => '\u{1b}',
        '0'..='7' => {
            let mut code = c.to_digit(8)?;
            for _ in 0..2 {
                let Some(digit) = chars.peek().and_then(|(_, next)| next.to_digit(8)) else {
                    break;
                };
                code = code * 8 + digit;
                chars.next();
            }
            char::from_u32(code)?
        }
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_complete_report_with_the_right_number_counts() {
        let bytes =
            b"MARK1\x000\0w\x001 0 \0hB\0/a\0all\0\0\0END\0MARK2\x00130\0\0\0\0/b\0all\0\0\0END\0";
        let status = |number| find(bytes, "MARK", number).map(|report| report.status);
        assert_eq!((status(1), status(2), status(3)), (Some(0), Some(130), None));
        let first = find(bytes, "MARK", 1).expect("complete");
        assert_eq!(
            (first.pipe, first.last_word, first.cwd.as_str()),
            (vec![1, 0], b"w".to_vec(), "/a")
        );
        assert!(find(b"MARK3\x000\0\0\0\0/b\0all\0\0", "MARK", 3).is_none());
        assert!(find(b"MARK3\x000\0\0\0\0/b\0all\0\0\0END", "MARK", 3).is_none());
    }

    #[test]
    fn values_that_were_not_requested_stay_unchanged() {
        let of = |pairs: &[(&str, &str)]| -> HashMap<String, String> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let mut before =
            Report { variables: of(&[("A", "1"), ("B", "2"), ("C", "3")]), ..Report::default() };
        let bytes = b"MARK5\x000\0\0\0\0/a\0some\0declare -- B=\"5\"\n\0\0END\0";
        let mut report = find(bytes, "MARK", 5).expect("complete");
        assert_eq!(report.changed, ChangedVariables::Variables(Vec::new()));
        report.complete(&mut before, &["B".to_owned(), "C".to_owned()]);
        assert_eq!(report.variables, of(&[("A", "1"), ("B", "5")]));
        assert_eq!(
            report.changed,
            ChangedVariables::Variables(vec!["B".to_owned(), "C".to_owned()])
        );
    }

    #[test]
    fn a_report_that_was_broken_off_does_not_hide_the_next() {
        let bytes =
            b"MARK4\x000\0\0\0\0/a\0all\0declare -- XMARK4\x00130\0\0\0\0/b\0all\0\0\0END\0";
        assert_eq!(find(bytes, "MARK", 4).map(|report| report.status), Some(130));
    }

    #[test]
    fn a_line_that_learned_the_mark_cannot_hide_the_report() {
        let bytes = b"MARK7\x000\0\0\0\0/a\0all\0declare -- X=\"MARK7\"\n\0\0END\0";
        let report = find(bytes, "MARK", 7).expect("complete");
        assert_eq!(report.variables["X"], "MARK7");
    }

    #[test]
    fn values_are_read_as_bash_prints_them() {
        let text = "declare -x A=\"1 \\\"x\\\" \\$y\"\ndeclare -a B=([0]=\"x\ndeclare -- C=1\")\n\
                    declare -- C=$'a\\nb\\001'\ndeclare -i N=\"5\"\ndeclare -x EMPTY\ndeclare -- L=\"two\nlines\"";
        let all = declarations(text);
        assert_eq!(all["A"], "1 \"x\" $y");
        assert_eq!(all["N"], "5");
        assert_eq!(all["L"], "two\nlines");
        assert!(!all.contains_key("B") && !all.contains_key("EMPTY"));
    }

    #[test]
    fn aliases_are_read_as_bash_prints_them() {
        let all = aliases_of("alias ll='ls -l'\nalias q='it'\\''s'\nalias two='a\nb'");
        assert_eq!(all["ll"], "ls -l");
        assert_eq!(all["q"], "it's");
        assert_eq!(all["two"], "a\nb");
    }
}
