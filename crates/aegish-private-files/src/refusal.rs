//! Why a file was not used.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// A file or directory that was not used, and why.
#[derive(Debug)]
pub struct Error {
    path: PathBuf,
    problem: Problem,
}

/// Why a file was not used.
#[derive(Debug)]
pub enum Problem {
    /// Another user could have written or exchanged it, or it is no file of the wanted type.
    Refused(Refusal),
    /// It is longer than so many bytes.
    TooLong(u64),
    /// Another process holds its lock for too long.
    Locked,
    /// Only a part of the bytes could be appended; the part was removed again.
    NoSpace {
        /// How many were written before.
        written: usize,
        /// How many there were.
        all: usize,
    },
    /// The system reported an error.
    Io(io::Error),
}

/// What is wrong with a file or directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is a symbolic link where none is followed.
    Link,
    /// It is a symbolic link of another user.
    ForeignLink {
        /// Its owner.
        owner: u32,
    },
    /// It is a directory, FIFO, device or socket.
    NotRegular,
    /// A directory was expected.
    NotADirectory,
    /// It belongs to the wrong user.
    Owner {
        /// The user it belongs to.
        found: u32,
        /// The user it should belong to.
        wanted: u32,
    },
    /// Its group or all users can write it.
    Writable {
        /// Its permission bits.
        mode: u32,
    },
    /// It has further hard links, so writing would change a file with another name.
    HardLinks,
}

impl Error {
    pub(crate) fn new(path: impl Into<PathBuf>, problem: impl Into<Problem>) -> Self {
        Self { path: path.into(), problem: problem.into() }
    }

    /// What was not used: the file, or a directory on the way to it.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Why not.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// What another user could have done, if that is the reason.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        match self.problem {
            Problem::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }

    /// Whether there is nothing at the path.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        matches!(&self.problem, Problem::Io(error) if is_absent(error))
    }

    /// The kind of the error, as the system names it.
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

    /// The command or action that makes the file usable, if there is one.
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

/// No such file, also because a directory on the way is a file.
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
