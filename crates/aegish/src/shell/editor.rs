//! The helper of the line editor: completions, hints and colours.

use super::completion::SessionCompleter;
use super::keys::{EditWanted, LastWords, Replacement};
use aegish_exec::CompletedCommand;
use aegish_guard::catch_panic;
use aegish_terminal::command_line;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::{CmdKind, Highlighter};
use rustyline::hint::{Hint, Hinter, HistoryHinter};
use rustyline::validate::Validator;
use rustyline::{Context, Helper};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::rc::Rc;

/// Characters that mean something to the shell and get a backslash in names of files.
const SPECIAL: &str = " \t\n\\'\"`$&|;<>()*?[]{}~#!=";

/// Reserved words of bash, after which or as which a command may stand.
const RESERVED_WORDS: &str = "! [[ { } case coproc do done elif else esac fi for function if in select then time \
    until while";

/// State of the session that the editor needs.
#[derive(Default)]
pub(crate) struct Known {
    /// Aliases and functions.
    pub(crate) names: HashSet<String>,
    /// `$PATH`
    pub(crate) path: String,
    /// The working directory.
    pub(crate) cwd: String,
    /// Earlier lines of the current command.
    pub(crate) before: String,
    /// For the key that inserts them.
    pub(crate) last_words: LastWords,
    /// Whether the line was ended in order to edit it.
    pub(crate) edit_wanted: EditWanted,
}

/// Returns the verdict on the typed text, as a hint.
pub(crate) type Live = Box<dyn Fn(&str) -> Option<String>>;

pub(crate) struct LineHelper {
    completer: SessionCompleter,
    pub(crate) known: Rc<RefCell<Known>>,
    pub(crate) live: Option<Live>,
    own_words: HashSet<&'static str>,
    programs: RefCell<HashMap<String, bool>>,
    history: HistoryHinter,
}

impl LineHelper {
    pub(crate) fn new(
        completer: SessionCompleter,
        known: Rc<RefCell<Known>>,
        live: Option<Live>,
    ) -> Self {
        let own_words = RESERVED_WORDS.split_whitespace().chain(aegish_guard::BUILTINS).collect();
        let history = HistoryHinter::new();
        Self { completer, known, live, own_words, programs: RefCell::default(), history }
    }

    /// Forgets known programs, because they may have changed since the last line.
    pub(crate) fn forget_programs(&self) {
        self.programs.borrow_mut().clear();
    }

    fn exists(&self, name: &str) -> bool {
        let known = self.known.borrow();
        if self.own_words.contains(name) || known.names.contains(name) {
            return true;
        }
        if let Some(found) = self.programs.borrow().get(name) {
            return *found;
        }
        let found = if name.contains('/') {
            runnable(&Path::new(&known.cwd).join(name))
        } else {
            std::env::split_paths(&known.path).any(|dir| runnable(&dir.join(name)))
        };
        self.programs.borrow_mut().insert(name.to_owned(), found);
        found
    }
}

fn runnable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

impl Helper for LineHelper {}

/// Enter always ends a line. [`super::input`] checks whether the command is complete.
impl Validator for LineHelper {}

/// Grey text after the cursor: the rest of an earlier line, or a verdict.
pub(crate) enum HintText {
    Rest(String),
    Verdict(String),
}

impl Hint for HintText {
    fn display(&self) -> &str {
        match self {
            Self::Rest(text) | Self::Verdict(text) => text,
        }
    }

    fn completion(&self) -> Option<&str> {
        match self {
            Self::Rest(text) => Some(text),
            Self::Verdict(_) => None,
        }
    }
}

impl Hinter for LineHelper {
    type Hint = HintText;

    fn hint(&self, line: &str, pos: usize, ctx: &Context<'_>) -> Option<HintText> {
        if pos < line.len() || line.trim().is_empty() {
            return None;
        }
        let before = &self.known.borrow().before;
        if let Some(live) = &self.live
            && let Some(text) = live(&format!("{before}{line}"))
        {
            return Some(HintText::Verdict(text));
        }
        // Earlier commands begin at the prompt.
        let first = before.is_empty();
        first.then(|| self.history.hint(line, pos, ctx)).flatten().map(HintText::Rest)
    }
}

impl Highlighter for LineHelper {
    fn highlight<'l>(&self, line: &'l str, _pos: usize) -> Cow<'l, str> {
        let known = self.known.borrow();
        let coloured = || command_line::coloured(&known.before, line, &|name| self.exists(name));
        catch_panic(coloured).unwrap_or(Cow::Borrowed(line))
    }

    fn highlight_hint<'h>(&self, hint: &'h str) -> Cow<'h, str> {
        Cow::Owned(format!("\u{1b}[2m{hint}\u{1b}[0m"))
    }

    fn highlight_char(&self, _line: &str, _pos: usize, kind: CmdKind) -> bool {
        kind != CmdKind::MoveCursor
    }
}

impl Completer for LineHelper {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _ctx: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let before_cursor = line.get(..pos).unwrap_or(line);
        if let Some(found) = self.known.borrow().last_words.replacement(before_cursor) {
            let Replacement { start, word, .. } = found;
            return Ok((start, vec![Pair { display: word.clone(), replacement: word }]));
        }
        let above = self.known.borrow().before.len();
        let line = [&self.known.borrow().before, before_cursor].concat();
        // If bash fails, there are no completions. The failure is reported with the next line.
        let command = CompletedCommand::of(&line);
        let Ok(found) = self.completer.complete(&command) else {
            return Ok((pos, Vec::new()));
        };
        // A word that began on an earlier line cannot be replaced.
        let Some(start) = command.start().checked_sub(above) else { return Ok((pos, Vec::new())) };
        let word = line.get(command.start()..).unwrap_or_default();
        let quote = word.chars().next().filter(|c| matches!(c, '\'' | '"'));
        let single = found.words.len() == 1;
        let cwd = self.known.borrow().cwd.clone();
        let pairs = found.words.iter().map(|name| {
            let directory = found.files && is_directory(&cwd, name);
            let display = if found.files { last_part(name, directory) } else { name.clone() };
            let mut replacement = quoted(name, quote, found.files);
            if directory {
                replacement.push('/');
            } else if single {
                replacement.extend(quote);
                if !name.ends_with([' ', '=', '/', ':']) {
                    replacement.push(' ');
                }
            }
            Pair { display, replacement }
        });
        Ok((start, pairs.collect()))
    }
}

fn is_directory(cwd: &str, name: &str) -> bool {
    let name = match name.strip_prefix("~/") {
        Some(rest) => Path::new(&std::env::var("HOME").unwrap_or_default()).join(rest),
        None => Path::new(cwd).join(name),
    };
    !name.to_string_lossy().ends_with('/') && name.is_dir()
}

fn last_part(name: &str, directory: bool) -> String {
    let part = name.trim_end_matches('/').rsplit('/').next().unwrap_or(name);
    if directory || name.ends_with('/') { format!("{part}/") } else { part.to_owned() }
}

/// A file name in the style that the person started with: in quotes or with backslashes.
fn quoted(name: &str, quote: Option<char>, file: bool) -> String {
    match quote {
        Some(quote) => format!("{quote}{name}"),
        None if !file => name.to_owned(),
        None => {
            let mut out = String::with_capacity(name.len());
            for (at, c) in name.char_indices() {
                // A leading tilde is the home directory.
                if SPECIAL.contains(c) && !(at == 0 && c == '~') {
                    out.push('\\');
                }
                out.push(c);
            }
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_keep_the_style_of_quotes() {
        assert_eq!(quoted("my file", None, true), "my\\ file");
        assert_eq!(quoted("my file", Some('"'), true), "\"my file");
        assert_eq!(quoted("~/x y", None, true), "~/x\\ y");
        assert_eq!(quoted("--all", None, false), "--all");
        assert_eq!(last_part("a/b c", true), "b c/");
    }
}
