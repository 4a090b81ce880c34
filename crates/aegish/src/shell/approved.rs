//! Scripts that a person has approved once: recorded by the digest of their bytes in a file that other users
//! cannot write. If a byte changes, the person is asked again. Not used in production.

use super::ask::VerdictPrompt;
use super::start_files;
use crate::user_rules::may_loosen;
use aegish_private_files::{Missing, Owner, read_trusted, replace_file};
use std::path::{Path, PathBuf};

/// The longest list that is read: some 8,000 scripts.
const MAX_LIST: u64 = 1 << 20;
/// The longest script file of the system.
const MAX_SCRIPT: u64 = 1 << 20;

/// Whether the question was answered before, or is about start files of the system alone.
pub(super) fn holds(prompt: &VerdictPrompt<'_>) -> bool {
    is_start_file_of_system(prompt)
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

/// The system's own start file is read, and everything that it runs only root can write.
fn is_start_file_of_system(prompt: &VerdictPrompt<'_>) -> bool {
    let root = Owner::Only(0);
    let of_root = |path: &str| {
        matches!(read_trusted(Path::new(path), root, Some(root), MAX_SCRIPT), Ok(Some(_)))
    };
    let scripts = &prompt.decision.analysis().scripts;
    prompt.text == start_files::line(&start_files::system())
        && !scripts.is_empty()
        && scripts.iter().all(|script| of_root(&script.path))
}
