//! Why a log could not be written or read.

use std::path::{Path, PathBuf};
use std::{error, fmt, io};

/// Why a log could not be written or read. The message says what did not happen, then what to do.
#[derive(Debug)]
pub struct LogError {
    path: PathBuf,
    problem: LogProblem,
}

#[derive(Debug)]
enum LogProblem {
    /// Reading the file failed.
    Unread(io::Error),
    /// Writing the file failed.
    Unwritten(io::Error),
    /// The content is not a log.
    Broken(String),
    /// A sample is invalid.
    Sample { name: String, what: String },
}

impl LogError {
    pub(crate) fn unread(path: &Path, error: io::Error) -> Self {
        Self { path: path.to_owned(), problem: LogProblem::Unread(error) }
    }

    pub(crate) fn unwritten(path: &Path, error: io::Error) -> Self {
        Self { path: path.to_owned(), problem: LogProblem::Unwritten(error) }
    }

    pub(crate) fn broken(path: &Path, what: impl Into<String>) -> Self {
        Self { path: path.to_owned(), problem: LogProblem::Broken(what.into()) }
    }

    pub(crate) fn sample(path: &Path, name: &str, what: impl Into<String>) -> Self {
        let (name, what) = (name.to_owned(), what.into());
        Self { path: path.to_owned(), problem: LogProblem::Sample { name, what } }
    }
}

impl fmt::Display for LogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.problem {
            LogProblem::Unread(error) => write!(f, "{path} was not read: {error}"),
            LogProblem::Unwritten(error) => {
                write!(f, "{path} was not written: {error}; make room or choose another folder")
            }
            LogProblem::Broken(what) => write!(f, "{path} was not read: {what}"),
            LogProblem::Sample { name, what } => {
                write!(f, "{path}: the sample `{name}` was not read: {what}")
            }
        }
    }
}

impl error::Error for LogError {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.problem {
            LogProblem::Unread(error) | LogProblem::Unwritten(error) => Some(error),
            LogProblem::Broken(_) | LogProblem::Sample { .. } => None,
        }
    }
}
