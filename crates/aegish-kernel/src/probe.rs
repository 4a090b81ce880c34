//! What the running kernel gives, found out by doing it in a child that ends at once.

use std::fs;
use std::os::fd::AsFd;

use nix::errno::Errno;
use nix::libc;
use nix::sched::{CloneFlags, unshare};
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;

use crate::confinement::{install, no_new_privileges, restrict};
use crate::filter::{Filter, Sockets, Watch};
use crate::trace;

/// Whether a thing can be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// It works here.
    Works,
    /// It is in use by somebody who started this process.
    Taken,
    /// It does not work; this is the error.
    Fails(Errno),
}

/// Asks for the version instead of making a set of rules.
const VERSION: libc::c_uint = 1;

/// The version of Landlock's interface; nothing if the kernel has none or it is switched off.
#[must_use]
pub fn landlock_version() -> Option<u32> {
    let nothing = std::ptr::null::<libc::c_void>();
    // SAFETY: with this flag, no attributes and size 0 the call only returns a number.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0 as libc::size_t, VERSION)
    };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

/// Whether Landlock's rules hold: a child forbids itself to list directories, and tries.
#[must_use]
pub fn landlock() -> Support {
    in_child(|| {
        // `LANDLOCK_ACCESS_FS_READ_DIR`, which no rule allows anywhere.
        let handled: u64 = 1 << 3;
        // SAFETY: the attributes are eight bytes, which live until the call returns.
        let made = unsafe {
            libc::syscall(libc::SYS_landlock_create_ruleset, &raw const handled, 8_usize, 0)
        };
        let ruleset = Errno::result(made)? as i32;
        no_new_privileges()?;
        restrict(ruleset)?;
        let flags = libc::O_RDONLY | libc::O_DIRECTORY;
        // SAFETY: the path is a constant with a NUL at its end.
        match Errno::result(unsafe { libc::open(c"/".as_ptr(), flags) }) {
            Err(Errno::EACCES) => Ok(()),
            _ => Err(Errno::ENOSYS),
        }
    })
}

/// Whether executions can be reported and answered for.
#[must_use]
pub fn notification() -> Support {
    let filter = Filter {
        executions: Watch::Reported,
        connections: Watch::Free,
        listening: Watch::Free,
        openings: Watch::Free,
        sockets: Sockets::Any,
    };
    let program = filter.program();
    in_child(|| {
        no_new_privileges()?;
        install(&program, (1 << 3) | (1 << 5)).map(drop)
    })
}

/// Whether the kernel knows how to report executions, without trying it.
#[must_use]
pub fn knows_notification() -> bool {
    let flags = (1 << 3) | (1 << 5);
    // SAFETY: without a filter the call fails; the error says whether the flags are known.
    let tried = unsafe {
        libc::syscall(
            libc::SYS_seccomp,
            1,
            flags as libc::c_ulong,
            std::ptr::null::<libc::c_void>(),
        )
    };
    Errno::result(tried) == Err(Errno::EFAULT)
}

/// Whether processes may trace their children: Yama can forbid it to all but administrators.
#[must_use]
pub fn allows_tracing() -> bool {
    let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    matches!(scope.trim(), "" | "0" | "1")
}

/// Whether a child can be traced.
#[must_use]
pub fn tracing() -> Support {
    with_child(trace::seize)
}

/// Whether a socket of a child can be fetched.
#[must_use]
pub fn fetching() -> Support {
    with_child(|child| match crate::socket::fetch(child, 0) {
        // This process may have no standard input.
        Ok(_) | Err(Errno::EBADF) => Ok(()),
        Err(error) => Err(error),
    })
}

/// Does something to a child that only waits.
fn with_child(act: impl FnOnce(Pid) -> Result<(), Errno>) -> Support {
    // SAFETY: the child only waits, and ends by a signal.
    let child = match Errno::result(unsafe { libc::fork() }) {
        Ok(0) => loop {
            // SAFETY: the call takes nothing.
            unsafe { libc::pause() };
        },
        Ok(child) => Pid::from_raw(child),
        Err(error) => return Support::Fails(error),
    };
    let done = act(child);
    let _ = kill(child, Signal::SIGKILL);
    let _ = waitpid(child, None);
    match done {
        Ok(()) => Support::Works,
        Err(error) => Support::Fails(error),
    }
}

/// Whether this process may connect to other machines. Begins a connection to an address that no machine has, and does
/// not wait for an answer.
#[must_use]
pub fn reaches_far() -> bool {
    use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
    let (family, flags) = (AddressFamily::Inet, SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC);
    let Ok(made) = socket(family, SockType::Stream, flags, None) else { return false };
    let mut nobody = [0; 16];
    nobody[..2].copy_from_slice(&(libc::AF_INET as u16).to_ne_bytes());
    nobody[2..4].copy_from_slice(&443_u16.to_be_bytes());
    nobody[4..8].copy_from_slice(&[192, 0, 2, 1]);
    crate::socket::connect(made.as_fd(), &nobody) != Err(Errno::EACCES)
}

/// Whether user and mount namespaces can be made.
#[must_use]
pub fn user_namespaces() -> Support {
    in_child(|| unshare(CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWNS))
}

/// Runs a function in a child, and tells its error.
fn in_child(act: impl Fn() -> Result<(), Errno>) -> Support {
    // SAFETY: the child has one thread, the caller's. The functions passed here make system calls only, as must
    // one after a fork of a process with several threads, and then it ends without running anything else.
    let child = unsafe { libc::fork() };
    match Errno::result(child) {
        Ok(0) => {
            let status = match act() {
                Ok(()) => 0,
                Err(error) => error as i32,
            };
            // SAFETY: the call takes a number and does not return.
            unsafe { libc::_exit(status) }
        }
        Ok(child) => match waitpid(Pid::from_raw(child), None) {
            Ok(WaitStatus::Exited(_, 0)) => Support::Works,
            Ok(WaitStatus::Exited(_, number)) => match Errno::from_raw(number) {
                Errno::EBUSY => Support::Taken,
                error => Support::Fails(error),
            },
            Ok(_) => Support::Fails(Errno::ENOSYS),
            Err(error) => Support::Fails(error),
        },
        Err(error) => Support::Fails(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_probed_does_not_stay_on_this_process() {
        let before = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let all = [landlock(), notification(), tracing(), fetching(), user_namespaces()];
        let after = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let bound = |text: &str| {
            let of =
                |name: &str| text.lines().find(|line| line.starts_with(name)).map(str::to_owned);
            (of("NoNewPrivs"), of("Seccomp:"), of("CapEff"))
        };
        assert_eq!(bound(&before), bound(&after), "{all:?}");
    }

    #[test]
    fn landlock_holds_where_it_says_that_it_is_there() {
        assert_eq!(landlock() == Support::Works, landlock_version().is_some());
    }
}
