//! The terminal: whose turn it is, and the state it is left in.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};
use nix::unistd::{Pid, getpgrp, getpid, isatty, setpgid, tcgetpgrp, tcsetpgrp};

/// The terminal that standard input is.
#[derive(Debug)]
pub struct Terminal {
    fd: OwnedFd,
    own: Pid,
    first_owner: Pid,
    sane: Termios,
}

impl Terminal {
    /// The terminal on standard input; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be taken.
    pub fn of_stdin() -> io::Result<Option<Self>> {
        let stdin = io::stdin();
        if !isatty(&stdin).unwrap_or(false) {
            return Ok(None);
        }
        let fd = stdin.as_fd().try_clone_to_owned()?;
        let sane = tcgetattr(&fd)?;
        let first_owner = tcgetpgrp(&fd)?;
        crate::signals::ignore_as_shell()?;
        // A session leader already is the leader of its own group, and may not be moved.
        let _ = setpgid(getpid(), getpid());
        let terminal = Self { fd, own: getpgrp(), first_owner, sane };
        terminal.take_back()?;
        Ok(Some(terminal))
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }

    /// Lets another process group read from it and be interrupted by it.
    pub(crate) fn give_to(&self, group: Pid) -> io::Result<()> {
        Ok(tcsetpgrp(&self.fd, group)?)
    }

    /// Makes this process the one that reads.
    pub(crate) fn take_back(&self) -> io::Result<()> {
        Ok(tcsetpgrp(&self.fd, self.own)?)
    }

    /// Undoes what a crashed program left behind (no echo, raw input).
    pub(crate) fn make_sane(&self) {
        let _ = tcsetattr(&self.fd, SetArg::TCSADRAIN, &self.sane);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = tcsetpgrp(&self.fd, self.first_owner);
    }
}
