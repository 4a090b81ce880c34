//! Ctrl-C and its like: a run ends cleanly.

use std::io;
use std::sync::Arc;
use std::thread;

use nix::sys::signal::{SigSet, Signal};

use super::stop::Stopper;

/// Lets the terminal and the system end a run: the first signal stops it once what is under way is done, the
/// second at once. To be called before any other thread is started, which would get the signals instead.
///
/// # Errors
/// If the system does not let signals be waited for; they then end the process, as usual.
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
