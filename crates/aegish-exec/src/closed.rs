//! Standard descriptors that were closed when this process was started.
//!
//! Before `main`, the Rust runtime opens `/dev/null` in their place. Bash would inherit that, and its output
//! would be lost without an error. So the descriptors are checked before the runtime starts, and bash gets
//! them closed again.

use std::os::fd::RawFd;
use std::sync::atomic::{AtomicU8, Ordering};

use nix::libc;

/// Standard input, output and error.
const STANDARD: [RawFd; 3] = [0, 1, 2];

/// A bit for each that was closed.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// Called by the loader before any Rust code runs.
#[used]
// SAFETY: the section holds pointers to functions that take nothing and return nothing, as this one.
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    for fd in STANDARD {
        // SAFETY: reading the flags of a descriptor changes nothing, for any number.
        if unsafe { libc::fcntl(fd, libc::F_GETFD) } == -1 {
            CLOSED.fetch_or(1 << fd, Ordering::Relaxed);
        }
    }
}

/// The standard descriptors that were closed.
pub(crate) fn at_the_start() -> impl Iterator<Item = RawFd> {
    let closed = CLOSED.load(Ordering::Relaxed);
    STANDARD.into_iter().filter(move |fd| closed & (1 << fd) != 0)
}
