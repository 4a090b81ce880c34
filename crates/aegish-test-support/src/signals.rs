//! Signals that the caller of the tests ignores → their default meaning in the programs that tests start.
//!
//! `nohup cargo test` ignores `SIGHUP`, and a background job of a script `SIGINT` and `SIGQUIT`. Children inherit that,
//! and tests of these signals would wait in vain. A signal with a handler gets its default meaning when another program
//! is started, so each ignored one gets a handler that does nothing.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Once};

/// `SIGPIPE` is ignored by every Rust program, and reset for children by the standard library.
const PIPE: i32 = 13;
/// Signals with names; the signals after them are for programs.
const LAST: i32 = 31;

/// Gives ignored signals their default meaning in all programs that this process starts from now on.
pub fn default_in_children() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap_or_default();
        let mask = u64::from_str_radix(mask.trim(), 16).unwrap_or(0);
        for signal in (1..=LAST).filter(|signal| *signal != PIPE && mask >> (signal - 1) & 1 == 1) {
            let unused = Arc::new(AtomicBool::new(false));
            signal_hook::flag::register(signal, unused).expect("a handler");
        }
    });
}
