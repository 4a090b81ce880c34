//! Texts that a session hands to a repository, a database or a directory, and that programs print again.

use super::Interp;
use aegish_analysis::EffectKind;
use aegish_expansion::{Field, arguments};
use aegish_values::{MAX_ALTERNATIVES, Value, join_values, origin};

/// Under this name the texts are kept that a session handed to git. No file is called like this.
const GIT_TEXTS: &str = "/\u{1}git";

/// Commands of git that keep a text of their words.
const GIT_KEEPS: &[&str] = &[
    "add",
    "branch",
    "checkout",
    "commit",
    "config",
    "init",
    "mv",
    "notes",
    "remote",
    "replace",
    "stash",
    "switch",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "worktree",
];

/// Commands of git that print what it keeps.
const GIT_SHOWS: &[&str] = &[
    "branch",
    "config",
    "describe",
    "for-each-ref",
    "log",
    "ls-files",
    "name-rev",
    "notes",
    "reflog",
    "remote",
    "rev-parse",
    "shortlog",
    "show",
    "show-ref",
    "stash",
    "symbolic-ref",
    "tag",
    "worktree",
];

/// Programs that print names of files, or those in an archive.
const LISTS: &[&str] =
    &["ls", "dir", "vdir", "tree", "tar", "bsdtar", "unzip", "zipinfo", "ar", "cpio", "7z", "7za"];

impl Interp<'_> {
    /// Texts that a repository gets from this session: names of branches, messages, values of settings.
    pub(super) fn keep_git_texts(&mut self, fields: &[Field]) {
        let words = arguments(fields);
        let keeps =
            |word: &Field| word.value.as_known().is_some_and(|word| GIT_KEEPS.contains(&word));
        let Some(at) = words.iter().position(keeps) else { return };
        let mut texts: Vec<String> = Vec::new();
        for word in words.get(at + 1..).unwrap_or_default() {
            let text = word.value.as_known().unwrap_or_default();
            let text = match text.split_once('=') {
                Some((option, text)) if option.starts_with('-') => text,
                _ => text,
            };
            if !text.is_empty() && !text.starts_with('-') {
                texts.push(text.to_owned());
            }
        }
        // A command that only asks has no text of its own to keep.
        if texts.is_empty()
            || words.get(at).is_some_and(|word| word.value.as_known() == Some("config"))
                && texts.len() < 2
        {
            return;
        }
        let before = self.written(GIT_TEXTS).and_then(|value| value.readings(MAX_ALTERNATIVES));
        texts.extend(before.unwrap_or_default());
        texts.truncate(MAX_ALTERNATIVES - 1);
        self.remember_file(GIT_TEXTS, Value::one_of(texts), false);
    }

    /// The database of a `sqlite3` command, and its code.
    fn database(fields: &[Field]) -> Option<(String, String)> {
        let words: Vec<&str> =
            arguments(fields).iter().filter_map(|field| field.value.as_known()).collect();
        let takes = |word: &str| {
            let name = word.trim_start_matches('-');
            word.starts_with('-')
                && ["separator", "newline", "nullvalue", "cmd", "init"].contains(&name)
        };
        let is_value = |at: usize| {
            at.checked_sub(1).and_then(|at| words.get(at)).is_some_and(|word| takes(word))
        };
        let mut operands = words
            .iter()
            .enumerate()
            .filter(|(at, word)| !word.starts_with('-') && !is_value(*at))
            .map(|(_, word)| word);
        let path = operands.next().filter(|path| !path.contains([' ', ':']))?;
        let code: Vec<&str> = operands.copied().collect();
        (!path.is_empty()).then(|| ((*path).to_owned(), code.join(";")))
    }

    /// Texts that a database file gets from this session.
    pub(super) fn keep_rows(&mut self, fields: &[Field]) {
        let Some((path, mut code)) = Self::database(fields) else { return };
        if let Some(input) = self.stdin_content().as_known() {
            code.push_str(input);
        }
        let lower = code.to_ascii_lowercase();
        let changes = ["create", "insert", "update", "delete", "drop", "alter", "replace"];
        let in_memory = path == ":memory:" || lower.contains("-readonly");
        if !in_memory && changes.iter().any(|word| lower.contains(word)) {
            let span = fields.first().map(|field| field.span).unwrap_or_default();
            let content = Value::unknown(origin::FILE_CONTENT);
            let path = Value::known(path.as_str());
            self.effect(EffectKind::Write { path, content, append: true }, span);
        }
        if lower.contains(".import") {
            let path = self.absolute(&path);
            return self.remember_file(&path, Value::one_of_many_values(), false);
        }
        if !["insert", "update", "values", "replace"].iter().any(|word| lower.contains(word)) {
            return;
        }
        let path = self.absolute(&path);
        let before = self.written(&path).and_then(|value| value.readings(MAX_ALTERNATIVES));
        let mut texts: Vec<String> = before.unwrap_or_default();
        let quoted = code.split('\'').skip(1).step_by(2).map(|text| format!("{text}\n"));
        texts.extend(quoted);
        texts.truncate(MAX_ALTERNATIVES - 1);
        if !texts.is_empty() {
            self.remember_file(&path, Value::one_of(texts), false);
        }
    }

    /// Names and texts that a program may print because this session made them.
    pub(super) fn names_of_session(&self, base: &str, fields: &[Field]) -> Option<Value> {
        if self.state.files.is_empty() {
            return None;
        }
        let unknown = Value::unknown(origin::PROGRAM_OUTPUT);
        let words = || arguments(fields).iter().filter_map(|field| field.value.as_known());
        if base == "git" {
            words().find(|word| GIT_SHOWS.contains(word))?;
            let texts = self.written(GIT_TEXTS)?.readings(MAX_ALTERNATIVES)?;
            let lines = texts.into_iter().map(|text| format!("{text}\n"));
            return Some(join_values(&Value::one_of(lines), &unknown));
        }
        if base == "sqlite3" {
            let (path, code) = Self::database(fields)?;
            let rows = self.written_at(&path)?;
            let shaped = words().any(|word| word.starts_with("-sep") || word == "-csv")
                || code.contains(".separator")
                || code.contains(".mode");
            return Some(match shaped || code.contains(['|', '(']) {
                true => Value::one_of_many_values(),
                false => join_values(&rows, &unknown),
            });
        }
        if !LISTS.contains(&base) {
            return None;
        }
        let places: Vec<String> = match matches!(base, "ls" | "dir" | "vdir") {
            true => words()
                .filter(|word| !word.starts_with('-'))
                .map(|word| self.absolute(word))
                .collect(),
            false => Vec::new(),
        };
        let here = self.absolute(".");
        let places = if places.is_empty() { vec![here] } else { places };
        let mut names: Vec<String> = Vec::new();
        for place in places {
            let start = format!("{}/", place.trim_end_matches('/'));
            for (path, _) in self.state.files.starting_with(&start) {
                let rest = path.get(start.len()..).unwrap_or_default();
                let name = format!("{}\n", rest.split('/').next().unwrap_or_default());
                if !names.contains(&name) {
                    names.push(name);
                }
                if names.len() >= MAX_ALTERNATIVES - 2 {
                    return Some(join_values(&Value::one_of(names), &unknown));
                }
            }
        }
        // All of them, one after the other.
        if names.len() > 1 {
            names.sort();
            let backwards: Vec<&str> = names.iter().rev().map(String::as_str).collect();
            let all = [names.concat(), backwards.concat()];
            names.extend(all);
        }
        (!names.is_empty()).then(|| join_values(&Value::one_of(names), &unknown))
    }
}
