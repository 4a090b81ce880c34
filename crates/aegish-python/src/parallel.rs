//! Rows → results in the same order, on several threads.

use crate::judging::STACK;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Rows that a thread takes at once: a few milliseconds of work.
const CHUNK: usize = 256;

/// Calls `work` for ranges that cover all rows, and returns the results in order. Threads end before this returns, so
/// that a process can be forked at any other time.
///
/// # Errors
///
/// If no thread starts, or `work` panics.
pub(crate) fn in_chunks<T: Send>(
    rows: usize,
    threads: Option<usize>,
    work: impl Fn(Range<usize>) -> T + Sync,
) -> Result<Vec<T>, String> {
    let chunks = rows.div_ceil(CHUNK);
    let cores = || thread::available_parallelism().map_or(1, usize::from);
    let threads = threads.unwrap_or_else(cores).min(chunks).max(1);
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let chunk = next.fetch_add(1, Ordering::Relaxed);
            if chunk >= chunks {
                return done;
            }
            let start = chunk * CHUNK;
            done.push((chunk, work(start..rows.min(start + CHUNK))));
        }
    };
    let mut results: Vec<(usize, T)> = Vec::with_capacity(chunks);
    thread::scope(|scope| {
        let mut running = Vec::new();
        for _ in 0..threads {
            match thread::Builder::new().stack_size(STACK).spawn_scoped(scope, worker) {
                Ok(handle) => running.push(handle),
                Err(error) if running.is_empty() => {
                    return Err(format!("nothing was judged: no thread starts: {error}"));
                }
                // Fewer threads do the same work.
                Err(_) => break,
            }
        }
        for handle in running {
            let done = handle.join().map_err(|_| "a thread failed, and nothing was approved")?;
            results.extend(done);
        }
        Ok(())
    })?;
    results.sort_by_key(|(chunk, _)| *chunk);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
