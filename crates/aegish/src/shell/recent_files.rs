//! The files of the machine, without the contents of those that lie there unchanged.
//!
//! What a program is that was installed before is not read again each time it is started: what it starts is judged
//! anyway. What was written lately, by the session or for it, is read.

use aegish_guard::{FileView, Machine, OsMachine};
use std::fs;
use std::os::fd::RawFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long before the session a file counts as written lately: an agent starts a session for each command.
const BEFORE: Duration = Duration::from_secs(60 * 60);

/// The real machine. Older files look like compiled programs.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecentFiles {
    /// In seconds of the clock that no user can set for a file.
    since: i64,
    /// A directory in which programs see what is their root directory.
    root: Option<RawFd>,
}

impl RecentFiles {
    /// For a session that begins now, and whose programs have this root directory if not the one of this process. The
    /// descriptor has to stay open.
    pub(super) fn from_now(root: Option<RawFd>) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let since = now.saturating_sub(BEFORE).as_secs();
        Self { since: i64::try_from(since).unwrap_or(0), root }
    }

    fn place(&self, path: &str) -> String {
        match self.root {
            Some(root) if path.starts_with('/') => format!("/proc/self/fd/{root}{path}"),
            _ => path.to_owned(),
        }
    }

    /// Whether a file lies there as it did before.
    pub(super) fn is_unchanged(&self, path: &Path) -> bool {
        let place = self.place(&path.to_string_lossy());
        fs::metadata(place).is_ok_and(|meta| meta.is_file() && meta.ctime() < self.since)
    }
}

impl Machine for RecentFiles {
    fn read(&self, path: &str, limit: usize) -> FileView {
        match self.is_unchanged(Path::new(path)) {
            true => FileView::Binary,
            false => OsMachine::read_through(path, &self.place(path), limit),
        }
    }

    fn list(&self, dir: &str, limit: usize) -> Option<Vec<String>> {
        OsMachine.list(&self.place(dir), limit)
    }

    fn is_directory(&self, path: &str) -> bool {
        OsMachine.is_directory(&self.place(path))
    }

    fn without_links(&self, path: &str) -> Option<String> {
        OsMachine.without_links(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_just_written_is_read_and_an_old_one_is_not() {
        let path = std::env::temp_dir().join(format!("aegish-recent-{}", std::process::id()));
        assert!(fs::write(&path, "echo new\n").is_ok());
        let name = path.to_string_lossy();
        assert_eq!(
            RecentFiles::from_now(None).read(&name, 100),
            FileView::Text("echo new\n".to_owned())
        );
        assert_eq!(RecentFiles { since: i64::MAX, root: None }.read(&name, 100), FileView::Binary);
        assert_eq!(
            RecentFiles { since: i64::MAX, root: None }.read("/no/such/file", 100),
            FileView::Missing
        );
        let _ = fs::remove_file(&path);
    }
}
