//! Processes of the session.

use aegish_kernel::process::{self, ProcessInfo};
use nix::unistd::Pid;

/// A process: its number is given again, but not at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ProcessId {
    pub(super) number: i32,
    /// A number that is not given again, or when the process began.
    start: u64,
}

/// The process of a thread, and its parent.
pub(super) fn process_of(thread: Pid) -> Option<(ProcessId, Pid)> {
    match process::info(thread) {
        Some(info) => Some(told(info)),
        None => identity(leader(thread)),
    }
}

fn told(info: ProcessInfo) -> (ProcessId, Pid) {
    (ProcessId { number: info.process.as_raw(), start: info.unique }, info.parent)
}

fn leader(thread: Pid) -> Pid {
    let status = process::read(thread, "status").unwrap_or_default();
    let status = String::from_utf8_lossy(&status);
    let number = status.lines().find_map(|line| line.strip_prefix("Tgid:")?.trim().parse().ok());
    number.map_or(thread, Pid::from_raw)
}

/// What a process is, and its parent.
pub(super) fn identity(process: Pid) -> Option<(ProcessId, Pid)> {
    if let Some(info) = process::info(process) {
        return Some(told(info));
    }
    let stat = process::read(process, "stat").ok()?;
    // The name is in parentheses and may hold any character.
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let parent = fields.nth(1)?.parse().ok()?;
    let start = fields.nth(17)?.parse().ok()?;
    Some((ProcessId { number: process.as_raw(), start }, Pid::from_raw(parent)))
}

/// The name of the program that a process runs.
pub(super) fn name_of(process: Pid) -> String {
    let name = process::read(process, "comm").unwrap_or_default();
    String::from_utf8_lossy(&name).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_number_and_start() {
        let own = identity(nix::unistd::getpid());
        assert_eq!(own.map(|(_, parent)| parent), Some(nix::unistd::getppid()));
    }
}
