//! Files of a project → the shell commands in them, judged in place.
//!
//! [`find`] lists the files, [`commands`] gives the [`Embedded`] commands of one as bash would get them, [`FileJudge`]
//! puts each to the guard. Prints nothing.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod baseline;
mod comment;
mod crontab;
mod dockerfile;
mod embedded;
mod github;
mod gitlab;
mod judged;
mod kind;
mod makefile;
mod package_json;
mod project;
mod quote;
pub mod sarif;
mod systemd;
mod yaml;

pub use baseline::Baseline;
pub use embedded::{CommandForm, Embedded};
pub use judged::{FileJudge, JudgedFile, Position, ScanFinding, Suppression};
pub use kind::{CrontabFields, FileKind};
pub use project::{ProjectFile, find};

/// Why a scan did not happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScanError {
    /// A path or a file that was named is wrong.
    WrongPath(String),
    /// Something could not be read or written.
    Incomplete(String),
}

/// A file that is not what its name says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Why, in one sentence without the file's name.
    pub why: String,
    /// The line, counted from 1, if it is known.
    pub line: Option<usize>,
}

/// The commands in a file, in the order of their places.
///
/// # Errors
///
/// If the text is not of that kind.
pub fn commands(kind: FileKind, text: &str) -> Result<Vec<Embedded>, Unreadable> {
    match kind {
        FileKind::Shell => Ok(vec![Embedded::whole(text)]),
        FileKind::Dockerfile => Ok(dockerfile::commands(text)),
        FileKind::Makefile => Ok(makefile::commands(text)),
        FileKind::GithubWorkflow => github::workflow(text),
        FileKind::GithubAction => github::action(text),
        FileKind::GitlabCi => gitlab::commands(text),
        FileKind::PackageJson => package_json::commands(text),
        FileKind::Crontab(fields) => Ok(crontab::commands(text, fields)),
        FileKind::SystemdUnit => Ok(systemd::commands(text)),
    }
}
