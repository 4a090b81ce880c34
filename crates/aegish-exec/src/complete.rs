//! Completion, done by bash itself: its programmable completion where that is installed, names of
//! commands, variables and files otherwise.

use crate::ended::Ended;
use crate::shell::Shell;

/// Words after which a command starts.
const OPENERS: [&str; 11] =
    ["if", "then", "else", "elif", "while", "until", "do", "!", "{", "time", "exec"];

/// Completions of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Completions {
    /// Start of the word that they replace: a byte offset in the line.
    pub start: usize,
    /// The words themselves, unquoted.
    pub words: Vec<String>,
    /// The words are file names: directories get a slash, special characters a backslash.
    pub files: bool,
}

/// The words of a line up to the cursor, as bash's completion splits them, and the start of the last one.
#[derive(Debug, PartialEq, Eq)]
struct CommandWords {
    words: Vec<String>,
    start: usize,
}

impl Shell {
    /// Completions for the command at the end of `line`.
    ///
    /// # Errors
    ///
    /// If bash ended.
    pub fn complete(&mut self, line: &str) -> Result<Completions, Ended> {
        let CommandWords { words, start } = words(line);
        if words.is_empty() {
            return Ok(Completions::default());
        }
        self.completed = true;
        let (index, point) = ((words.len() - 1).to_string(), line.len().to_string());
        let mut arguments = vec![index.as_str(), line, &point];
        arguments.extend(words.iter().map(String::as_str));
        let fields = self.ask("__aegish_complete", &arguments)?;
        let mut fields = fields.unwrap_or_default().into_iter();
        let files = fields.next().as_deref() == Some("files");
        let mut words: Vec<String> = fields.filter(|word| !word.is_empty()).collect();
        words.sort();
        words.dedup();
        Ok(Completions { start, words, files })
    }
}

/// Splits at blanks, `=` and `:` as bash does, and removes quotes and backslashes. Words before the last `;`,
/// `|`, `&`, `(` or newline belong to another command and are left out.
fn words(line: &str) -> CommandWords {
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
    CommandWords { words, start }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> (Vec<String>, usize) {
        let CommandWords { words, start } = words(line);
        (words, start)
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
