//! Writes under a limit on the size of files.

use std::io;

use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};

/// Runs `write` so that reaching the limit is an error. By default `SIGXFSZ` ends the process.
pub(crate) fn as_error<T>(write: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let mut limit = SigSet::empty();
    limit.add(Signal::SIGXFSZ);
    let before = limit.thread_swap_mask(SigmaskHow::SIG_BLOCK)?;
    let written = write();
    if written.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::FileTooLarge) {
        take_pending(&limit)?;
    }
    before.thread_set_mask()?;
    written
}

/// Consumes a pending signal.
fn take_pending(signals: &SigSet) -> io::Result<()> {
    let arrivals = SignalFd::with_flags(signals, SfdFlags::SFD_NONBLOCK | SfdFlags::SFD_CLOEXEC)?;
    while arrivals.read_signal()?.is_some() {}
    Ok(())
}
