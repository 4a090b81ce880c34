//! Memory that a session no longer needs goes back to the system.
//!
//! Each line allocates and frees a little. What stays allocated lies between what was freed, so a process that lives for
//! thousands of lines would keep pages of which most is free.

use nix::libc;

/// Lines after which free pages are returned. It takes about as long as one line.
const INTERVAL: u64 = 50;

/// Returns free pages after every [`INTERVAL`] lines.
pub(crate) fn trim_after(lines: u64) {
    #[cfg(target_env = "gnu")]
    if lines.is_multiple_of(INTERVAL) {
        // SAFETY: the call only gives free pages of the allocator back.
        unsafe { libc::malloc_trim(0) };
    }
}
