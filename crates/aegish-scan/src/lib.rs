//! Files that hold shell commands → the commands, each with its place in the file.
//!
//! Takes a path and the text of a file, gives [`Embedded`] commands as bash would get them. Reads Dockerfiles, makefiles,
//! workflows, package scripts, crontabs and units; judges nothing and opens no file.

#![cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]

mod crontab;
mod dockerfile;
mod embedded;
mod github;
mod gitlab;
mod kind;
mod makefile;
mod package_json;
mod quote;
mod systemd;
mod yaml;

pub use embedded::{CommandForm, Embedded};
pub use kind::FileKind;

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
