//! No signal for each program that the supervisor looks at.
//!
//! The supervisor stops every program before its first instruction, and the kernel sends its process `SIGCHLD` for each
//! stop. Where that signal is waited for, each execution would wake a thread that has nothing to do.

use std::io;
use std::thread;

use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, kill, sigaction};
use nix::unistd::{Pid, getpid};

use crate::outcome;

/// While it lives, `SIGCHLD` arrives for ends of children, and for stops of one child only.
pub(crate) struct QuietStops {
    before: SigAction,
}

impl QuietStops {
    /// Stops of this child are told.
    pub(crate) fn of(child: Pid) -> io::Result<Self> {
        let own = SigSet::thread_get_mask()?;
        SigSet::all().thread_block()?;
        let watch = move || {
            outcome::watch(child, || {
                let _ = kill(getpid(), Signal::SIGCHLD);
            });
        };
        let started = thread::Builder::new().name("stops".to_owned()).spawn(watch);
        own.thread_set_mask()?;
        started?;
        let action = SigAction::new(SigHandler::SigDfl, SaFlags::SA_NOCLDSTOP, SigSet::empty());
        // SAFETY: no function of ours becomes a handler.
        let before = unsafe { sigaction(Signal::SIGCHLD, &action) }?;
        Ok(Self { before })
    }
}

impl Drop for QuietStops {
    fn drop(&mut self) {
        // SAFETY: what it was before; no function of ours is one of its handlers.
        let _ = unsafe { sigaction(Signal::SIGCHLD, &self.before) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::signalfd::{SfdFlags, SignalFd};
    use nix::sys::wait::waitpid;
    use std::process::Command;

    #[test]
    fn a_stop_and_the_end_of_the_child_are_told() -> io::Result<()> {
        let mut only = SigSet::empty();
        only.add(Signal::SIGCHLD);
        only.thread_block()?;
        let arrivals = SignalFd::with_flags(&only, SfdFlags::SFD_CLOEXEC)?;
        let child = Command::new("sleep").arg("60").spawn()?;
        let pid = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
        let quiet = QuietStops::of(pid)?;
        kill(pid, Signal::SIGSTOP)?;
        let stopped = |change| change == outcome::ChildChange::Stopped(Signal::SIGSTOP);
        while !stopped(outcome::change_of(pid)?) {
            arrivals.read_signal()?;
        }
        kill(pid, Signal::SIGKILL)?;
        arrivals.read_signal()?;
        waitpid(pid, None)?;
        drop(quiet);
        Ok(())
    }
}
