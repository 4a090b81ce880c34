//! Errors: why a file was not used.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error, with the file or directory that it concerns.
#[derive(Debug)]
pub struct Error {
    path: PathBuf,
    problem: Problem,
}

/// The cause of an error.
#[derive(Debug)]
pub enum Problem {
    /// Another user could have written or replaced the file, or it has the wrong type.
    Refused(Refusal),
    /// It is longer than this many bytes.
    TooLong(u64),
    /// Another process held its lock for too long.
    Locked,
    /// Only a part of the bytes could be appended. That part was removed again.
    NoSpace {
        /// The number of bytes that were written.
        written: usize,
        /// The number of bytes to write.
        all: usize,
    },
    /// The system reported an error.
    Io(io::Error),
}

/// The reason why a file or directory is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is a symbolic link in a place where links are not followed.
    Link,
    /// It is a symbolic link of another user.
    ForeignLink {
        /// The owner of the link.
        owner: u32,
    },
    /// It is a directory, FIFO, device or socket.
    NotRegular,
    /// A directory was expected.
    NotADirectory,
    /// It belongs to the wrong user.
    Owner {
        /// The user that it belongs to.
        found: u32,
        /// The user that it must belong to.
        wanted: u32,
    },
    /// Its group or all users can write it.
    Writable {
        /// Its permission bits.
        mode: u32,
    },
    /// It has several hard links, so writing would change a file with another name.
    HardLinks,
}

impl Error {
    pub(crate) fn new(path: impl Into<PathBuf>, problem: impl Into<Problem>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }

    /// The path of the file, or of a directory on the way to it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The cause.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The reason for a refusal, if the file was refused.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        match self.problem {
            Problem::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }

    /// Whether the file does not exist.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(&self.problem, Problem::Io(error) if is_absent(error))
    }

    /// The kind of the error, as in [`std::io::Error`].
    #[must_use]
    pub fn kind(&self) -> io::ErrorKind {
        match &self.problem {
            Problem::Refused(_) => io::ErrorKind::PermissionDenied,
            Problem::TooLong(_) => io::ErrorKind::InvalidData,
            Problem::Locked => io::ErrorKind::TimedOut,
            Problem::NoSpace { .. } => io::ErrorKind::StorageFull,
            Problem::Io(error) => error.kind(),
        }
    }

    /// A command or action that makes the file usable, if there is one.
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        let path = self.path.display();
        Some(match self.refusal()? {
            Refusal::Link | Refusal::ForeignLink { .. } => {
                format!("put a real file or directory in place of the link {path}")
            }
            Refusal::NotRegular | Refusal::NotADirectory => format!("move {path} away"),
            Refusal::Owner { wanted, .. } => {
                format!("if its content is right: chown {wanted} {path}")
            }
            Refusal::Writable { .. } => format!("if its content is right: chmod go-w {path}"),
            Refusal::HardLinks => format!("move {path} away"),
        })
    }
}

/// Whether the file does not exist, or a directory on the way to it is a file.
pub(crate) fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.problem)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refusal) => refusal.fmt(f),
            Self::TooLong(most) if most % (1 << 20) == 0 => {
                write!(f, "it is longer than {} MiB", most >> 20)
            }
            Self::TooLong(most) => write!(f, "it is longer than {most} bytes"),
            Self::Locked => f.write_str("another process does not let go of its lock"),
            Self::NoSpace { written, all } => {
                write!(f, "only {written} of {all} bytes fit: the disk or a limit is full")
            }
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Link => f.write_str("it is a link"),
            Self::ForeignLink { owner } => write!(f, "it is a link of user {owner}"),
            Self::NotRegular => f.write_str("it is not a regular file"),
            Self::NotADirectory => f.write_str("it is not a directory"),
            Self::Owner { found, .. } => write!(f, "it belongs to user {found}"),
            Self::Writable { mode } => write!(f, "others can write it (mode {mode:04o})"),
            Self::HardLinks => f.write_str("it has more than one name"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            Problem::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<rustix::io::Errno> for Problem {
    fn from(error: rustix::io::Errno) -> Self {
        Self::Io(error.into())
    }
}

impl From<Error> for io::Error {
    fn from(error: Error) -> Self {
        Self::new(error.kind(), error)
    }
}
