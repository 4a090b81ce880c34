//! Completion by the session's bash: names that it lists, and code of the session that was judged.

use aegish_guard::Permit;

use crate::ended::Ended;
use crate::pin;
use crate::shell::Shell;
use crate::text::single_quoted;

/// Words after which a command starts.
const OPENERS: [&str; 11] =
    ["if", "then", "else", "elif", "while", "until", "do", "!", "{", "time", "exec"];

/// Completions of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions {
    /// The words themselves, unquoted.
    pub words: Vec<String>,
    /// The words are file names: directories get a slash, special characters a backslash.
    pub files: bool,
}

impl Completions {
    pub(crate) fn new(words: impl IntoIterator<Item = String>, files: bool) -> Self {
        let mut words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
        words.sort();
        words.dedup();
        Self { words, files }
    }
}

/// The words of the command at the end of a line, up to the cursor, as bash's completion splits them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedCommand<'a> {
    line: &'a str,
    words: Vec<String>,
    start: usize,
}

/// Kinds of names that bash lists without running anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Names {
    /// Aliases, functions, builtins, keywords and programs.
    Commands,
    /// Files.
    Files,
    /// Variables, with `$` before them.
    Variables,
    /// Those of `complete`'s options, such as `-v` or `-A function`.
    Listed(Vec<String>),
}

impl Names {
    /// The kinds among the options of `complete` that only list names.
    #[must_use]
    pub fn of_options(options: &[String]) -> Option<Self> {
        let is_word = |word: &String| word.bytes().all(|b| b.is_ascii_lowercase());
        let mut listed = Vec::new();
        let mut options = options.iter();
        while let Some(option) = options.next() {
            match option.as_str() {
                "-A" => {
                    let action = options.next().filter(|action| is_word(action))?;
                    listed.extend(["-A".to_owned(), action.clone()]);
                }
                "-o" => drop(options.next()),
                _ => {
                    let letters = option.strip_prefix('-')?;
                    let lists = !letters.is_empty()
                        && letters.bytes().all(|b| b"abcdefgjksuv".contains(&b));
                    listed.push(lists.then(|| option.clone())?);
                }
            }
        }
        (!listed.is_empty()).then_some(Self::Listed(listed))
    }

    fn options(&self) -> Vec<&str> {
        const COMMANDS: [&str; 10] =
            ["-A", "alias", "-A", "function", "-A", "builtin", "-A", "keyword", "-A", "command"];
        match self {
            Self::Commands => COMMANDS.to_vec(),
            Self::Files => vec!["-f"],
            Self::Variables => vec!["-v", "-P", "$"],
            Self::Listed(options) => options.iter().map(String::as_str).collect(),
        }
    }
}

/// How a command of the session is completed: the code that runs for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionCode {
    kind: &'static str,
    code: String,
}

impl CompletionCode {
    /// The code, to be judged.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.code
    }
}

impl Shell {
    /// Names of a kind that begin with a text.
    ///
    /// # Errors
    ///
    /// If bash ended.
    pub fn complete_names(&mut self, names: &Names, beginning: &str) -> Result<Completions, Ended> {
        let beginning = match names {
            Names::Variables => beginning.trim_start_matches('$'),
            _ => beginning,
        };
        let mut arguments = vec![beginning];
        arguments.extend(names.options());
        let fields = self.ask("__aegish_names", &arguments)?.unwrap_or_default();
        Ok(Completions::new(listed(&fields), *names == Names::Files))
    }

    /// What `complete` was told in this session about a command.
    ///
    /// # Errors
    ///
    /// If bash ended.
    pub fn completion_code(
        &mut self,
        command: &CompletedCommand<'_>,
    ) -> Result<Option<CompletionCode>, Ended> {
        let fields = self.ask("__aegish_spec", &[command.name()])?.unwrap_or_default();
        Ok(fields.first().and_then(|spec| command.code(spec)))
    }

    /// Completes a command by code of the session. Takes a permit for that code, so that none runs that was not judged.
    ///
    /// # Errors
    ///
    /// If bash ended.
    pub fn complete_by(
        &mut self,
        code: &CompletionCode,
        command: &CompletedCommand<'_>,
        permit: &Permit,
    ) -> Result<Completions, Ended> {
        if permit.text() != code.code.as_bytes() || pin::verify(permit).is_err() {
            return Ok(Completions::default());
        }
        let (index, point) = (command.index().to_string(), command.line.len().to_string());
        let mut arguments = vec![index.as_str(), command.line, &point, code.kind, &code.code];
        arguments.extend(command.words.iter().map(String::as_str));
        let fields = self.ask("__aegish_call", &arguments)?.unwrap_or_default();
        Ok(Completions::new(listed(&fields), false))
    }
}

/// The lines of the first field.
fn listed(fields: &[String]) -> impl Iterator<Item = String> {
    let lines = fields.first().map(String::as_str).unwrap_or_default().lines();
    lines.map(str::to_owned).collect::<Vec<_>>().into_iter()
}

impl<'a> CompletedCommand<'a> {
    /// The command at the end of a line.
    #[must_use]
    pub fn of(line: &'a str) -> Self {
        words(line)
    }

    /// The word that is completed.
    #[must_use]
    pub fn current(&self) -> &str {
        self.words.last().map_or("", String::as_str)
    }

    /// Its position among the words.
    #[must_use]
    pub fn index(&self) -> usize {
        self.words.len().saturating_sub(1)
    }

    /// Where it starts: a byte offset in the line.
    #[must_use]
    pub fn start(&self) -> usize {
        self.start
    }

    /// Whether bash expands nothing in it but a variable or the home directory at its beginning.
    #[must_use]
    pub fn is_plain_path(&self) -> bool {
        let rest = self.current().strip_prefix('$').unwrap_or(self.current());
        !rest.contains(['$', '`', '(', '{', '<', '>'])
    }

    fn name(&self) -> &str {
        self.words.first().map_or("", String::as_str)
    }

    /// Index, line, position and words, as arguments.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let numbers = [self.index().to_string(), self.line.to_owned(), self.line.len().to_string()];
        numbers.into_iter().chain(self.words.iter().cloned()).collect()
    }

    /// The code for which a line of `complete -p` stands.
    fn code(&self, spec: &str) -> Option<CompletionCode> {
        let behind = format!(" {}", self.name());
        let options = spec.strip_prefix("complete ")?.trim_end().strip_suffix(&behind)?;
        let quoted =
            |word: &str| String::from_utf8_lossy(&single_quoted(word.as_bytes())).into_owned();
        let current = quoted(self.current());
        let function = options.split_once("-F ").and_then(|(_, behind)| behind.split(' ').next());
        Some(match function {
            Some(function) => {
                let before = self.index().checked_sub(1).and_then(|at| self.words.get(at));
                let previous = quoted(before.map_or("", String::as_str));
                let code = format!("{function} {} {current} {previous}", quoted(self.name()));
                CompletionCode { kind: "function", code }
            }
            None => {
                CompletionCode { kind: "list", code: format!("compgen {options} -- {current}") }
            }
        })
    }
}

/// Splits at blanks, `=` and `:` as bash does, and removes quotes and backslashes. Words before the last `;`,
/// `|`, `&`, `(` or newline belong to another command and are left out.
fn words(line: &str) -> CompletedCommand<'_> {
    let mut words: Vec<String> = Vec::new();
    let mut start = 0;
    let mut word = String::new();
    let mut open = false;
    let mut quote: Option<char> = None;
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        if quote.is_none() && !open {
            start = at;
        }
        match (quote, c) {
            (None, ' ' | '\t') => {
                if open {
                    words.push(std::mem::take(&mut word));
                    open = false;
                }
                // `then gre` completes `gre`.
                if words.len() == 1 && OPENERS.contains(&words[0].as_str()) {
                    words.clear();
                }
                start = at + c.len_utf8();
            }
            (None, ';' | '|' | '&' | '(' | ')' | '\n') => {
                words.clear();
                word.clear();
                open = false;
                start = at + c.len_utf8();
            }
            (None, '=' | ':' | '<' | '>') => {
                if open {
                    words.push(std::mem::take(&mut word));
                    open = false;
                }
                words.push(c.to_string());
                start = at + c.len_utf8();
            }
            (None, '\'' | '"') => {
                quote = Some(c);
                open = true;
            }
            (Some(end), c) if c == end => quote = None,
            (None | Some('"'), '\\') => {
                open = true;
                word.extend(chars.next().map(|(_, c)| c));
            }
            (_, c) => {
                open = true;
                word.push(c);
            }
        }
    }
    if open {
        words.push(word);
    } else {
        words.push(String::new());
        start = line.len();
    }
    // `A=1 make` completes `make`.
    while words.len() > 3 && words[1] == "=" && is_name(&words[0]) {
        words.drain(..3);
    }
    CompletedCommand { line, words, start }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> (Vec<String>, usize) {
        let CompletedCommand { words, start, .. } = words(line);
        (words, start)
    }

    #[test]
    fn only_plain_names_are_completed_as_files() {
        for name in ["", "src/ma", "~/no", "$HOME/no", "'a b"] {
            assert!(words(&format!("ls {name}")).is_plain_path(), "{name}");
        }
        for name in ["'$(x)/a", "`x`/a", "${a[x]}/b", "a/$b", "$a/$b"] {
            assert!(!words(&format!("ls {name}")).is_plain_path(), "{name}");
        }
    }

    #[test]
    fn the_last_word_is_completed() {
        assert_eq!(split("git che"), (vec!["git".into(), "che".into()], 4));
        assert_eq!(split("git "), (vec!["git".into(), String::new()], 4));
        assert_eq!(split("ls | gre"), (vec!["gre".into()], 5));
        assert_eq!(split("cat 'my fi"), (vec!["cat".into(), "my fi".into()], 4));
        assert_eq!(split("cat my\\ fi"), (vec!["cat".into(), "my fi".into()], 4));
        assert_eq!(split("dd if=fi"), (vec!["dd".into(), "if".into(), "=".into(), "fi".into()], 6));
        assert_eq!(split("if true\nthen gre"), (vec!["gre".into()], 13));
        assert_eq!(split("A=1 make te"), (vec!["make".into(), "te".into()], 9));
    }
}
