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
    use crate::outcome::ChildChange;
    use nix::sys::wait::waitpid;
    use std::process::Command;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    const SOON: Duration = Duration::from_secs(20);

    #[test]
    fn a_stop_and_the_end_of_a_child_are_told() -> io::Result<()> {
        let child = Command::new("sleep").arg("60").spawn()?;
        let pid = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
        let (told, hears) = channel();
        let watch = thread::spawn(move || {
            outcome::watch(pid, || {
                let _ = told.send(());
            });
        });
        kill(pid, Signal::SIGSTOP)?;
        assert_eq!(hears.recv_timeout(SOON), Ok(()));
        assert_eq!(outcome::change_of(pid)?, ChildChange::Stopped(Signal::SIGSTOP));
        while hears.try_recv().is_ok() {}
        kill(pid, Signal::SIGKILL)?;
        assert_eq!(hears.recv_timeout(SOON), Ok(()));
        waitpid(pid, None)?;
        assert!(watch.join().is_ok());
        Ok(())
    }

    #[test]
    fn the_signal_is_as_before_afterwards() -> io::Result<()> {
        let child = Command::new("true").spawn()?;
        let pid = Pid::from_raw(i32::try_from(child.id()).map_err(io::Error::other)?);
        let quiet = QuietStops::of(pid)?;
        waitpid(pid, None)?;
        let before = quiet.before.flags();
        drop(quiet);
        let action = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
        // SAFETY: no function of ours becomes a handler.
        let after = unsafe { sigaction(Signal::SIGCHLD, &action) }?;
        assert_eq!(after.flags(), before);
        Ok(())
    }
}
