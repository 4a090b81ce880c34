//! A control group (version 2) for the processes of a session.
//!
//! A group can be made beside the one of this process if its parent is writable and passes the controllers on, as in a
//! user's own part of systemd's tree. The group is removed when the last process in it has ended.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// Where the tree is mounted.
const ROOTS: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
/// How groups of sessions are called, before the number of the process.
const PREFIX: &str = "aegish-";

/// What a group limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GroupLimits {
    /// The most processes and threads.
    pub processes: Option<u64>,
    /// The most bytes of memory.
    pub memory: Option<u64>,
}

/// The group of a session.
#[derive(Debug)]
pub struct ControlGroup {
    path: PathBuf,
}

impl ControlGroup {
    /// Makes one with these limits; nothing if none can be had here.
    #[must_use]
    pub fn make(limits: GroupLimits) -> Option<Self> {
        if limits == GroupLimits::default() {
            return None;
        }
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?.to_owned();
        ROOTS.iter().find_map(|root| {
            let own = Path::new(root).join(&own);
            let parent = if own == Path::new(root) { own.as_path() } else { own.parent()? };
            Self::below(parent, limits)
        })
    }

    fn below(parent: &Path, limits: GroupLimits) -> Option<Self> {
        let passed = fs::read_to_string(parent.join("cgroup.subtree_control")).ok()?;
        let has = |name: &str| passed.split_ascii_whitespace().any(|one| one == name);
        if (limits.processes.is_some() && !has("pids"))
            || (limits.memory.is_some() && !has("memory"))
        {
            return None;
        }
        remove_empty(parent);
        let path = parent.join(format!("{PREFIX}{}", std::process::id()));
        fs::create_dir(&path).ok()?;
        let group = Self { path };
        group.set("pids.max", limits.processes).ok()?;
        group.set("memory.max", limits.memory).ok()?;
        Some(group)
    }

    fn set(&self, file: &str, most: Option<u64>) -> io::Result<()> {
        let Some(most) = most else { return Ok(()) };
        fs::write(self.path.join(file), most.to_string())
    }

    /// The file to which a process writes `0` to join.
    ///
    /// # Errors
    ///
    /// If it may not be written.
    pub fn entrance(&self) -> io::Result<OwnedFd> {
        OpenOptions::new().write(true).open(self.path.join("cgroup.procs")).map(OwnedFd::from)
    }
}

impl Drop for ControlGroup {
    fn drop(&mut self) {
        // Programs in the background keep it. The next session removes it.
        let _ = fs::remove_dir(&self.path);
    }
}

/// Removes groups of sessions that have ended.
fn remove_empty(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let ended = |number: &str| !Path::new("/proc").join(number).exists();
        if entry.file_name().to_str().and_then(|name| name.strip_prefix(PREFIX)).is_some_and(ended)
        {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_made_where_the_controllers_are_and_nowhere_else() -> io::Result<()> {
        let parent = std::env::temp_dir().join(format!("aegish-group-{}", std::process::id()));
        fs::create_dir_all(&parent)?;
        let limits = GroupLimits { processes: Some(100), memory: None };
        assert!(ControlGroup::below(&parent, limits).is_none());
        fs::write(parent.join("cgroup.subtree_control"), "cpu memory\n")?;
        assert!(ControlGroup::below(&parent, limits).is_none());
        fs::write(parent.join("cgroup.subtree_control"), "cpu memory pids\n")?;
        fs::create_dir(parent.join("aegish-4194999"))?;
        let group = ControlGroup::below(&parent, limits);
        let made = group.as_ref().map(|group| fs::read_to_string(group.path.join("pids.max")));
        assert!(made.is_some_and(|most| most.is_ok_and(|most| most == "100")));
        assert!(!parent.join("aegish-4194999").exists(), "no process has this number");
        fs::remove_dir_all(&parent)
    }
}
