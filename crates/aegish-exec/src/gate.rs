//! The gate: bash reads a command only while its standard input is the guard's socket.
//!
//! A line can change bash's descriptors, options and limits so that bash reads the terminal: `set -o vi; set
//! +o vi` does that, and closing the copy of descriptor 0 that bash keeps while a line runs. Bash runs
//! `PROMPT_COMMAND` before it reads a command from any stream, so descriptor 0 is compared with the socket
//! there. `PROMPT_COMMAND` only names a function, because bash parses it each time and an alias could change
//! a keyword in it. The function is read-only and was parsed before any line ran; its check consists of
//! keywords and constants. The function ends by an error, after which bash goes on, because a `RETURN` trap could
//! run when it returned. If the check fails, bash is killed. If that fails too, because names of builtins were
//! redefined, the function never ends and bash reads nothing.

use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use aegish_kernel::Confinement;
use nix::fcntl::{OFlag, open};
use nix::sys::stat::{Mode, fstat};
use nix::unistd::getpid;

/// A descriptor that identifies a socket without keeping it open: the socket is still closed when bash ends.
pub(crate) fn identity_of(socket: &impl AsFd) -> io::Result<OwnedFd> {
    let path = format!("/proc/self/fd/{}", socket.as_fd().as_raw_fd());
    open(path.as_str(), OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty()).map_err(|error| {
        io::Error::other(format!("/proc is needed to guard bash's input: {error}"))
    })
}

/// The test that holds as long as bash's input is the socket. A bash that must not look into this process knows the
/// socket by its number.
pub(crate) fn condition(identity: &OwnedFd, confinement: &Confinement) -> io::Result<String> {
    if !confinement.separates() {
        let (pid, number) = (getpid(), identity.as_raw_fd());
        return Ok(format!("/proc/self/fd/0 -ef /proc/{pid}/fd/{number}"));
    }
    let number = fstat(identity)?.st_ino;
    // Numbers are unique among sockets only.
    let socket = "-S /proc/self/fd/0";
    let same = format!(r"$(</proc/self/fdinfo/0)$'\n' == *$'\nino:\t{number}\n'*");
    Ok(format!("{socket} && {same}"))
}
