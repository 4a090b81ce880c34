//! Ancestors of processes.

use std::fs;

use nix::unistd::Pid;

/// Maximum number of ancestors that are checked.
const GENERATIONS: usize = 64;

/// Whether `process` is `ancestor` or a descendant of it. False for a process that no longer exists.
pub(crate) fn includes(ancestor: Pid, process: u32) -> bool {
    let Ok(ancestor) = u32::try_from(ancestor.as_raw()) else { return false };
    let mut at = process;
    for _ in 0..GENERATIONS {
        if at == ancestor {
            return true;
        }
        match parent(at) {
            Some(next) if next > 1 => at = next,
            _ => return false,
        }
    }
    false
}

/// The parent of a process. In `/proc/PID/stat` it is the second field after the name, which is in
/// parentheses and may contain any character.
fn parent(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_descends_and_a_parent_does_not() {
        let own = std::process::id();
        let parent = parent(own).unwrap_or_default();
        let pid = |number: u32| Pid::from_raw(i32::try_from(number).unwrap_or_default());
        assert!(includes(pid(own), own));
        assert!(includes(pid(parent), own));
        assert!(!includes(pid(own), parent));
        assert!(!includes(pid(own), u32::MAX));
    }
}
