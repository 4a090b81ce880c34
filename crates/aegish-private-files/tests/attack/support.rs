//! Scratch directories.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A directory for one test, removed at its end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("aegish-private-files-{}-{count}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, rest: impl AsRef<Path>) -> PathBuf {
        self.0.join(rest)
    }

    pub(crate) fn write(&self, rest: &str, text: &str) -> PathBuf {
        let path = self.path(rest);
        fs::write(&path, text).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whether files can be given to another user. If not, prints which tests are skipped.
pub(crate) fn is_root(what: &str) -> bool {
    let root = nix::unistd::geteuid().is_root();
    if !root {
        eprintln!("SKIPPED: {what}: only root can make them");
    }
    root
}
