//! How a command ended.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// By itself, with this status.
    Exited(u8),
    /// By this signal.
    Killed(i32),
}

impl Outcome {
    /// The status a shell reports: 128 and the signal's number for one that was killed.
    #[must_use]
    pub fn status(self) -> u8 {
        match self {
            Self::Exited(status) => status,
            Self::Killed(signal) => u8::try_from(128 + signal).unwrap_or(255),
        }
    }
}

impl From<ExitStatus> for Outcome {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exited(u8::try_from(code & 0xff).unwrap_or(255)),
            (None, Some(signal)) => Self::Killed(signal),
            (None, None) => Self::Exited(255),
        }
    }
}
