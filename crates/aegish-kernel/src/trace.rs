//! Stops a process behind an execution, before the first instruction of the new program.
//!
//! The kernel reads the arguments of an execution again after the supervisor has answered, and another thread
//! can have changed them. So the caller is traced from before the answer until the execution is over. At that
//! stop the new program is loaded, and its file and arguments are what will run.
//!
//! The thread that seized a process has to be the one that waits for it and lets it go.

use nix::errno::Errno;
use nix::sys::ptrace::{self, Event, Options};
use nix::sys::signal::Signal;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

/// How an execution ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The new program is loaded in this process and has not begun.
    Executed(Pid),
    /// The call failed, and the old program is about to go on, with this signal if one arrived.
    Failed(Pid, Option<Signal>),
    /// The process has ended.
    Gone,
}

/// Begins to trace the thread, which waits for the answer to its report.
///
/// # Errors
///
/// `EPERM` if it cannot be traced.
pub fn seize(thread: Pid) -> Result<(), Errno> {
    // If this process is killed, what it has not looked at must not run.
    ptrace::seize(thread, Options::PTRACE_O_TRACEEXEC | Options::PTRACE_O_EXITKILL)?;
    // A failed call makes no event. This one makes the thread stop in both cases; if the call succeeds, the stop
    // behind it comes first. The thread still waits for its answer, so that no processor has to be told.
    match ptrace::interrupt(thread) {
        Ok(()) | Err(Errno::ESRCH | Errno::EIO) => Ok(()),
        Err(_) => {
            // It could not be let go any more.
            let _ = nix::sys::signal::kill(thread, Signal::SIGKILL);
            Err(Errno::ESRCH)
        }
    }
}

/// Where the stack of a process begins that stopped behind an execution: the number of its arguments, then pointers to
/// them and to its variables, of eight bytes each. None for programs of 32 bits.
#[must_use]
pub fn first_stack(process: Pid) -> Option<u64> {
    #[cfg(target_arch = "x86_64")]
    {
        /// The code segment of 64-bit programs.
        const LONG: u64 = 0x33;
        let registers = ptrace::getregs(process).ok()?;
        (registers.cs == LONG).then_some(registers.rsp)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = process;
        None
    }
}

/// Waits until the execution that was just answered has succeeded or failed. The end of the process `own` is not
/// collected here, because the caller waits for that process elsewhere.
///
/// # Errors
///
/// If the thread cannot be waited for.
pub fn behind_exec(own: Pid) -> Result<Stop, Errno> {
    let both = WaitPidFlag::WSTOPPED | WaitPidFlag::WEXITED;
    let mine = WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
    loop {
        // Another thread of the process may have become its first one, so that the number differs from the one
        // that was seized. This thread traces nothing else.
        let seen = match waitid(Id::All, both | mine | WaitPidFlag::WNOWAIT) {
            Err(Errno::EINTR) => continue,
            Err(Errno::ECHILD) => return Ok(Stop::Gone),
            seen => seen?,
        };
        match seen {
            WaitStatus::Exited(process, _) | WaitStatus::Signaled(process, ..) => {
                if process != own {
                    let _ = waitid(Id::Pid(process), WaitPidFlag::WEXITED | mine);
                }
                return Ok(Stop::Gone);
            }
            WaitStatus::PtraceEvent(process, signal, event) => {
                consume(process)?;
                return Ok(if event == Event::PTRACE_EVENT_EXEC as i32 {
                    Stop::Executed(process)
                } else {
                    // Without an event it is a signal on its way to the process.
                    Stop::Failed(process, (event == 0).then_some(signal))
                });
            }
            _ => return Ok(Stop::Gone),
        }
    }
}

fn consume(process: Pid) -> Result<(), Errno> {
    let flags = WaitPidFlag::WSTOPPED | WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
    waitid(Id::Pid(process), flags | WaitPidFlag::WNOHANG).map(drop)
}

/// Lets a stopped process go on, untraced, with the signal that was on its way to it.
///
/// # Errors
///
/// If it is no longer there.
pub fn release(process: Pid, signal: Option<Signal>) -> Result<(), Errno> {
    ptrace::detach(process, signal)
}

/// Kills a process that stopped behind an execution, before it runs an instruction. Its parent is told when this
/// thread has taken note of its end; the end of `own` is left for the place that waits for it.
pub fn kill(process: Pid, own: Pid) {
    let _ = nix::sys::signal::kill(process, Signal::SIGKILL);
    if process == own {
        return;
    }
    let ended = WaitPidFlag::WEXITED | WaitPidFlag::__WALL | WaitPidFlag::__WNOTHREAD;
    while waitid(Id::Pid(process), ended) == Err(Errno::EINTR) {}
}
