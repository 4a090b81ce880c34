//! How a command ended.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use nix::libc;
use nix::sys::signal::Signal;
use nix::unistd::Pid;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It exited with this status.
    Exited(u8),
    /// It was killed by this signal.
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

/// Change of a child's state since the last check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChildChange {
    None,
    Stopped(Signal),
    Ended(Outcome),
}

/// Checks a child without waiting. Reports every signal, including those without a name.
pub(crate) fn change_of(pid: Pid) -> io::Result<ChildChange> {
    let mut status = 0;
    // SAFETY: the pointer is valid for the call, and nothing else is touched.
    let found =
        unsafe { libc::waitpid(pid.as_raw(), &raw mut status, libc::WNOHANG | libc::WUNTRACED) };
    if found == -1 {
        return Err(io::Error::last_os_error());
    }
    if found == 0 {
        return Ok(ChildChange::None);
    }
    let status = ExitStatus::from_raw(status);
    Ok(match status.stopped_signal() {
        Some(signal) => ChildChange::Stopped(Signal::try_from(signal).unwrap_or(Signal::SIGSTOP)),
        None => ChildChange::Ended(Outcome::from(status)),
    })
}
