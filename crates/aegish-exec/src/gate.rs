//! The gate: bash reads a command only while its descriptors are those that the guard gave it.
//!
//! A line can change bash's descriptors, options and limits so that bash reads the terminal: `set -o vi; set
//! +o vi` does that, and closing the copy of descriptor 0 that bash keeps while a line runs. Bash runs
//! `PROMPT_COMMAND` before it reads a command from any stream, so descriptor 0 is compared with the socket
//! there. The descriptors of lines and reports are compared too, because without them no line runs, or bash
//! waits for an answer of the guard that never comes. `PROMPT_COMMAND` only names a function, because bash
//! parses it each time and an alias could change a keyword in it. The function is read-only and was parsed
//! before any line ran; its check consists of keywords and constants. The function ends by an error, after
//! which bash goes on, because a `RETURN` trap could run when it returned. If the check fails, bash is killed.
//! If that fails too, because names of builtins were redefined, the function never ends and bash reads nothing.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};

use aegish_kernel::Confinement;
use nix::fcntl::{OFlag, open};
use nix::libc;
use nix::sys::stat::{Mode, fstat};
use nix::unistd::getpid;

/// A file that bash must have open under a number.
#[derive(Debug)]
pub(crate) struct Expected {
    number: RawFd,
    /// Identifies the file without keeping it open: a socket is still closed when bash ends.
    identity: OwnedFd,
}

impl Expected {
    /// Expects bash to have `file` open as descriptor `number`.
    pub(crate) fn new(number: RawFd, file: &impl AsFd) -> io::Result<Self> {
        let path = format!("/proc/self/fd/{}", file.as_fd().as_raw_fd());
        let identity = open(path.as_str(), OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty())
            .map_err(|error| {
                io::Error::other(format!("/proc is needed to guard bash's input: {error}"))
            })?;
        Ok(Self { number, identity })
    }

    /// Identifies the file.
    pub(crate) fn identity(&self) -> &OwnedFd {
        &self.identity
    }

    /// The test, in bash, that holds as long as the descriptor is the expected one. A confined bash cannot look into
    /// this process. It knows its input by its number, and of the others whether they are open and of which type:
    /// to know more takes a fork each time, and without them bash only stops to answer.
    pub(crate) fn condition(&self, confinement: &Confinement) -> io::Result<String> {
        let own = format!("/proc/self/fd/{}", self.number);
        if !confinement.separates() {
            let (pid, number) = (getpid(), self.identity.as_raw_fd());
            return Ok(format!("{own} -ef /proc/{pid}/fd/{number}"));
        }
        let found = fstat(&self.identity)?;
        let is_socket = found.st_mode & libc::S_IFMT == libc::S_IFSOCK;
        let kind = if is_socket { "-S" } else { "-e" };
        if self.number != 0 {
            return Ok(format!("{kind} {own}"));
        }
        // Numbers are unique among sockets only.
        let number = found.st_ino;
        let same = format!(r"$(</proc/self/fdinfo/0)$'\n' == *$'\nino:\t{number}\n'*");
        Ok(format!("-S {own} && {same}"))
    }
}
