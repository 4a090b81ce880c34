//! Processes that a run left behind in its namespace.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

/// How long they may take to end by themselves when they are told to.
const PATIENCE: Duration = Duration::from_secs(1);
const STEP: Duration = Duration::from_millis(5);

/// Ends all processes that still see a namespace, so that what they see does not change any more.
pub(crate) fn end(mounts: BorrowedFd<'_>) {
    let Ok(namespace) = fs::read_link(format!("/proc/self/fd/{}", mounts.as_raw_fd())) else {
        return;
    };
    let began = Instant::now();
    let mut told = false;
    loop {
        let left = processes(&namespace);
        if left.is_empty() || began.elapsed() > 2 * PATIENCE {
            return;
        }
        let signal = if began.elapsed() > PATIENCE { Signal::KILL } else { Signal::TERM };
        if !told || signal == Signal::KILL {
            for process in left {
                let _ = kill_process(process, signal);
            }
        }
        told = true;
        thread::sleep(STEP);
    }
}

fn processes(namespace: &PathBuf) -> Vec<Pid> {
    let listed = fs::read_dir("/proc").into_iter().flatten().flatten();
    let inside = |name: &str| {
        fs::read_link(format!("/proc/{name}/ns/mnt")).is_ok_and(|link| link == *namespace)
    };
    listed
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let number: i32 = name.parse().ok()?;
            inside(&name).then(|| Pid::from_raw(number)).flatten()
        })
        .collect()
}
