//! The terminal: its foreground process group and its settings.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::sys::termios::{SetArg, Termios, tcgetattr, tcsetattr};
use nix::unistd::{Pid, getpgrp, getpid, isatty, setpgid, tcgetpgrp, tcsetpgrp};
use rustix::termios::tcgetwinsize;

/// The terminal that standard input is.
#[derive(Debug)]
pub struct Terminal {
    fd: OwnedFd,
    own: Pid,
    first_owner: Pid,
    state: Termios,
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
        let state = tcgetattr(&fd)?;
        let first_owner = tcgetpgrp(&fd)?;
        crate::signals::ignore_as_shell()?;
        // A session leader already leads its own group, and cannot be moved.
        let _ = setpgid(getpid(), getpid());
        let terminal = Self { fd, own: getpgrp(), first_owner, state };
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

    /// Makes this process the foreground process.
    pub(crate) fn take_back(&self) -> io::Result<()> {
        Ok(tcsetpgrp(&self.fd, self.own)?)
    }

    /// Takes the terminal back if another group has it; returns whether it did.
    pub(crate) fn retake(&self) -> bool {
        tcgetpgrp(&self.fd).is_ok_and(|owner| owner != self.own) && self.take_back().is_ok()
    }

    /// The state it should be in.
    pub(crate) fn state(&self) -> &Termios {
        &self.state
    }

    /// Whether the terminal is still connected.
    pub(crate) fn is_there(&self) -> bool {
        tcgetattr(&self.fd).is_ok()
    }

    /// Rows and columns, if it has any.
    pub(crate) fn size(&self) -> Option<(u16, u16)> {
        tcgetwinsize(&self.fd).ok().map(|size| (size.ws_row, size.ws_col))
    }

    /// Stores the current settings as the ones to restore: `stty` at the prompt is intended.
    pub(crate) fn keep_state(&mut self) {
        if let Ok(state) = tcgetattr(&self.fd) {
            self.state = state;
        }
    }

    /// Undoes terminal settings of a killed program (no echo, raw input).
    pub(crate) fn restore_state(&self) {
        let _ = tcsetattr(&self.fd, SetArg::TCSADRAIN, &self.state);
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = tcsetpgrp(&self.fd, self.first_owner);
    }
}
