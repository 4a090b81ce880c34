//! Hang-up of the terminal: a window is closed, a connection breaks.
//!
//! This process reads the terminal, so it has to tell bash. Bash then sends a hang-up to its jobs and runs
//! its exit trap. The end of its input alone would leave the jobs running.

use std::io;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{SigSet, Signal, kill};
use nix::sys::termios::{SetArg, tcsetattr};
use nix::unistd::Pid;

use crate::outcome::{self, ChildChange};
use crate::signals;
use crate::terminal::Terminal;

/// How long bash may take for its traps.
const TRAP_TIMEOUT: Duration = Duration::from_secs(5);
/// How often it is checked whether bash has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Starts a thread that waits for a hang-up and then ends this process.
pub(crate) fn watch(bash: Pid, terminal: &Terminal) -> io::Result<()> {
    let mut only = SigSet::empty();
    only.add(Signal::SIGHUP);
    only.thread_block()?;
    // The new thread must not receive signals that are meant for this one.
    let own = SigSet::thread_get_mask()?;
    SigSet::all().thread_block()?;
    let (fd, state) = (terminal.fd().try_clone_to_owned()?, terminal.state().clone());
    let started = thread::Builder::new().spawn(move || {
        if only.wait().is_ok() {
            // Leave the terminal in a usable state for other processes.
            let _ = tcsetattr(fd.as_fd(), SetArg::TCSANOW, &state);
            pass_on(bash);
        }
    });
    own.thread_set_mask()?;
    started.map(drop)
}

/// Whether bash was notified. A second hang-up would end it without running its trap.
static TOLD: AtomicBool = AtomicBool::new(false);

/// Sends a hang-up to bash, waits for its end, and ends this process in the same way.
pub(crate) fn pass_on(bash: Pid) {
    let deadline = Instant::now() + TRAP_TIMEOUT;
    if !TOLD.swap(true, Ordering::Relaxed) {
        let _ = kill(bash, Signal::SIGHUP);
        // A stopped bash would not receive the hang-up.
        let _ = kill(bash, Signal::SIGCONT);
    }
    while Instant::now() < deadline
        && matches!(outcome::change_of(bash), Ok(ChildChange::None | ChildChange::Stopped(_)))
    {
        thread::sleep(POLL_INTERVAL);
    }
    signals::die_by(Signal::SIGHUP as i32);
}
