//! How a command ended.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::thread;
use std::time::Duration;

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
    if !is_changed(pid, libc::WNOHANG)? {
        return Ok(ChildChange::None);
    }
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

/// Waits until a child has ended or stopped.
pub(crate) fn next_change(pid: Pid) -> io::Result<ChildChange> {
    loop {
        if !is_changed(pid, 0)? {
            // The supervisor looks at what the child executes, which takes no longer.
            thread::sleep(SUPERVISION);
            continue;
        }
        match change_of(pid)? {
            ChildChange::None => {}
            change => return Ok(change),
        }
    }
}

/// How long the supervisor may hold a child.
const SUPERVISION: Duration = Duration::from_millis(1);

/// Calls `tell` about each end and stop of a child, until another thread has taken note of its end.
pub(crate) fn watch(pid: Pid, tell: impl Fn()) {
    loop {
        match is_changed(pid, 0) {
            Ok(true) => tell(),
            Ok(false) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        }
        // The change stays until it was taken note of.
        thread::sleep(SUPERVISION);
    }
}

/// Whether a child has ended or stopped. A stop for the supervisor, another thread of this process, is none, and is
/// left for it.
fn is_changed(pid: Pid, flags: libc::c_int) -> io::Result<bool> {
    let id = libc::id_t::try_from(pid.as_raw()).unwrap_or_default();
    let flags = flags | libc::WEXITED | libc::WSTOPPED | libc::WNOWAIT;
    // SAFETY: all zeros is a valid value of this plain structure, and means that nothing changed; the call fills
    // it in. Both fields are set by every change of a child.
    unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        if libc::waitid(libc::P_PID, id, &raw mut info, flags) == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(info.si_pid() != 0 && info.si_code != libc::CLD_TRAPPED)
    }
}
