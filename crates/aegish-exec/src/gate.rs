//! The gate: bash reads a command only while its standard input is the guard's socket.
//!
//! A line can do anything to bash's descriptors, options and limits, and then bash's input may be the terminal:
//! `set -o vi; set +o vi` makes it read the terminal, and so does closing the copy of descriptor 0 that bash
//! keeps while a line runs. Bash runs `PROMPT_COMMAND` before it reads a command from any stream, wherever it
//! is, so that is where descriptor 0 is compared with the socket. `PROMPT_COMMAND` only names a function, because
//! bash parses it anew each time and an alias could change a keyword in it. The function is read-only and was
//! parsed before any line ran; its check consists of keywords and constants. It is left by an error that bash answers
//! by going on, because a `RETURN` trap could run when it returned. If the check fails, bash is killed; if even that
//! fails because the names of builtins mean something else, it never ends and bash reads nothing.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use nix::fcntl::{OFlag, open};
use nix::sys::stat::Mode;
use nix::unistd::getpid;

/// A descriptor that has the identity of a socket but does not keep it open: bash's death still closes it.
pub(crate) fn identity_of(socket: &impl AsFd) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", socket.as_fd().as_raw_fd());
    open(path.as_str(), OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty()).map_err(|error| {
        io::Error::other(format!("/proc is needed to guard bash's input: {error}"))
    })
}

/// The test that holds as long as bash's input is the socket.
pub(crate) fn condition(identity: &OwnedFd) -> String {
    let (pid, number) = (getpid(), identity.as_raw_fd());
    format!("/proc/self/fd/0 -ef /proc/{pid}/fd/{number}")
}
