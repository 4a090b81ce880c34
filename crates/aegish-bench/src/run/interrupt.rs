//! Stops a run cleanly on SIGINT, SIGTERM and SIGHUP.

use std::io;
use std::sync::Arc;
use std::thread;

use nix::sys::signal::{SigSet, Signal};

use super::stop::Stopper;

/// Stops the run on a signal: the first one waits for requests in flight, the second one does not. Must be
/// called before any other thread is started, because another thread could receive the signals.
///
/// # Errors
/// If the signals cannot be blocked; they then end the process, as usual.
pub fn stop_on_signals(stop: &Arc<Stopper>) -> io::Result<()> {
    let mut signals = SigSet::empty();
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP] {
        signals.add(signal);
    }
    signals.thread_block()?;
    let stop = Arc::clone(stop);
    thread::Builder::new().stack_size(64 << 10).spawn(move || {
        while signals.wait().is_ok() {
            stop.cancel();
        }
    })?;
    Ok(())
}
