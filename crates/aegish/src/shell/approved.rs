//! Scripts that a person has approved once: recorded by the digest of their bytes in a file that other users
//! cannot write. If a byte changes, the person is asked again. Not used in production.

use super::ask::VerdictPrompt;
use crate::trust;
use crate::user_rules::may_loosen;
use aegish_guard::TextForm;
use aegish_private_files::{Missing, Owner, read_trusted, replace_file};
use aegish_syntax::{AndOr, Command, CommandKind, Part, Script, Word};
use std::path::{Path, PathBuf};

/// The longest list that is read: some 8,000 scripts.
const MAX_LIST: u64 = 1 << 20;
/// Commands that run the script that is their first word.
const READERS: [&str; 4] = [".", "source", "bash", "sh"];
/// Characters that bash expands in unquoted text.
const ACTIVE: [char; 5] = ['*', '?', '[', '{', '~'];

/// Whether the question was answered before: for this text, or for the scripts that it runs.
pub(super) fn holds(prompt: &VerdictPrompt<'_>) -> bool {
    is_of_trusted_script(prompt)
        || digest(prompt).is_some_and(|digest| list(prompt).lines().any(|line| line == digest))
}

/// Whether an answer can be remembered.
pub(super) fn is_possible(prompt: &VerdictPrompt<'_>) -> bool {
    digest(prompt).is_some()
}

/// Remembers the answer.
///
/// # Errors
///
/// In words, if it cannot be kept.
pub(super) fn remember(prompt: &VerdictPrompt<'_>) -> Result<(), String> {
    let (Some(digest), Some(path)) = (digest(prompt), place(prompt)) else {
        return Err("it is not remembered: there is no place for it; set HOME".to_owned());
    };
    let text = format!("{}{digest}\n", list(prompt));
    replace_file(&path, text.as_bytes(), 0o600, Missing::CreateAll)
        .map_err(|error| format!("it is not remembered: {error}"))
}

fn digest(prompt: &VerdictPrompt<'_>) -> Option<String> {
    may_loosen(&prompt.settings.config)
        .then(|| prompt.decision.script_digest(prompt.context.form))
        .flatten()
}

fn place(prompt: &VerdictPrompt<'_>) -> Option<PathBuf> {
    Some(prompt.settings.config.state_dir()?.join("approved-scripts"))
}

/// The digests, one per line; none if the file is not this user's alone.
fn list(prompt: &VerdictPrompt<'_>) -> String {
    let read = |path: PathBuf| {
        read_trusted(&path, Owner::user(), Some(Owner::user()), MAX_LIST).ok().flatten()
    };
    let bytes = place(prompt).and_then(read).unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// Whether the text is a trusted script, or a command that does nothing but run one. Whatever else it runs has to be
/// trusted, too.
fn is_of_trusted_script(prompt: &VerdictPrompt<'_>) -> bool {
    let form = prompt.context.form;
    let Some(hashes) = prompt.decision.script_hashes(form).filter(|hashes| !hashes.is_empty())
    else {
        return false;
    };
    let trusted = trust::hashes(&prompt.settings.config);
    let all = hashes.iter().all(|hash| trusted.contains(hash));
    all && (form == TextForm::ScriptFile || only_runs_script(prompt))
}

/// Whether a line is a single command of plain words that runs a script: `./FILE`, `bash FILE`, `. FILE`, each with
/// arguments.
fn only_runs_script(prompt: &VerdictPrompt<'_>) -> bool {
    let script = aegish_syntax::parse(prompt.text);
    let Some(words) = plain_words(&script) else { return false };
    let scripts = &prompt.decision.analysis().scripts;
    let runs = |word: &str| {
        let name = Path::new(word).file_name();
        name.is_some() && scripts.iter().any(|script| Path::new(&script.path).file_name() == name)
    };
    match words.as_slice() {
        [reader, file, ..] if READERS.contains(&reader.as_str()) => runs(file),
        [file, ..] => file.contains('/') && runs(file),
        [] => false,
    }
}

/// The words of a script that is one simple command without assignments, redirections and expansions.
fn plain_words(script: &Script) -> Option<Vec<String>> {
    let [AndOr { first, rest, background: false, .. }] = script.body.items.as_slice() else {
        return None;
    };
    let [Command { kind: CommandKind::Simple(command), redirects, .. }] = first.commands.as_slice()
    else {
        return None;
    };
    let simple = script.error.is_none()
        && rest.is_empty()
        && redirects.is_empty()
        && command.assignments.is_empty();
    simple.then(|| command.words.iter().map(plain_word).collect()).flatten()
}

fn plain_word(word: &Word) -> Option<String> {
    let mut text = String::new();
    for part in &word.parts {
        match part {
            Part::Literal(literal) if !literal.contains(ACTIVE) => text.push_str(literal),
            Part::SingleQuoted(quoted) => text.push_str(quoted),
            Part::Escaped(c) => text.push(*c),
            _ => return None,
        }
    }
    Some(text)
}
