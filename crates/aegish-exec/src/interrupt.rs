//! `^C` while this process itself is working, not a command.

use std::io;

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

/// Detects `^C` until it is dropped. Threads that are started in the meantime do not receive the signal.
#[derive(Debug)]
pub struct Interrupts {
    arrivals: SignalFd,
    before: SigSet,
}

impl Interrupts {
    /// Begins to watch.
    ///
    /// # Errors
    /// If the system does not let it.
    pub fn watch() -> io::Result<Self> {
        let mut only = SigSet::empty();
        only.add(Signal::SIGINT);
        let before = SigSet::thread_get_mask()?;
        // A blocked signal can be read here even if it is ignored otherwise.
        only.thread_block()?;
        let flags = SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK;
        match SignalFd::with_flags(&only, flags) {
            Ok(arrivals) => Ok(Self { arrivals, before }),
            Err(error) => {
                before.thread_set_mask()?;
                Err(error.into())
            }
        }
    }

    /// Whether `^C` was pressed since the last call.
    #[must_use]
    pub fn arrived(&self) -> bool {
        matches!(self.arrivals.read_signal(), Ok(Some(_)))
    }
}

impl Drop for Interrupts {
    fn drop(&mut self) {
        // A pending interrupt must not reach the next line.
        while self.arrived() {}
        let _ = self.before.thread_set_mask();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nix::sys::signal::raise;

    #[test]
    fn an_interrupt_is_seen_once_and_ends_nothing() -> io::Result<()> {
        let interrupts = Interrupts::watch()?;
        assert!(!interrupts.arrived());
        raise(Signal::SIGINT)?;
        assert!(interrupts.arrived());
        assert!(!interrupts.arrived());
        raise(Signal::SIGINT)?;
        drop(interrupts);
        Ok(())
    }
}
