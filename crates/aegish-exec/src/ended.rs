//! Why a session's bash gives no more reports.

use std::fmt;
use std::io;

use nix::libc;

use crate::outcome::Outcome;
use crate::pin::Changed;

/// Why there was no report after a line.
#[derive(Debug)]
pub enum Ended {
    /// Bash has ended: `exit`, `exec`, or it was killed.
    Gone(Outcome),
    /// A file changed after it was judged. The line was not run, and bash still runs.
    Changed(Changed),
    /// Bash reads its input but no longer answers, and was killed: a line redefined words that the driver
    /// uses.
    Silent,
    /// Bash no longer reads or answers.
    Broken(io::Error),
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone(Outcome::Exited(status)) => write!(f, "bash ended with status {status}"),
            // The gate kills bash when its descriptors are no longer the guard's.
            Self::Gone(Outcome::Killed(libc::SIGKILL)) => f.write_str(
                "bash was killed: by somebody, or because a command took its input away from the guard",
            ),
            Self::Gone(Outcome::Killed(signal)) => write!(f, "bash was ended by signal {signal}"),
            Self::Changed(changed) => changed.fmt(f),
            Self::Silent => f.write_str(
                "bash no longer answers the guard, because a command changed how it reads or reports; it was ended",
            ),
            Self::Broken(error) => write!(f, "bash cannot be spoken to any more: {error}"),
        }
    }
}

impl std::error::Error for Ended {}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::Broken(error)
    }
}
