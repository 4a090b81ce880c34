//! The paths of the system's configuration.

use std::path::{Path, PathBuf};

use crate::config::RULES_DIR;

/// The directory of the system's configuration, and its required owner.
///
/// The program uses [`SystemDirectory::machine`], and nothing at run time can change that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemDirectory {
    dir: PathBuf,
    owner: u32,
}

impl SystemDirectory {
    /// `/etc/aegish`, root's.
    #[must_use]
    pub fn machine() -> Self {
        Self::at("/etc/aegish", 0)
    }

    /// Another directory, of another user: for tests.
    pub fn at(dir: impl Into<PathBuf>, owner: u32) -> Self {
        Self { dir: dir.into(), owner }
    }

    /// The directory.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The file of `KEY=VALUE` lines.
    #[must_use]
    pub fn keys(&self) -> PathBuf {
        self.dir.join("config")
    }

    /// The directory of the system's user rules, one file each.
    #[must_use]
    pub fn rules(&self) -> PathBuf {
        self.dir.join(RULES_DIR)
    }

    /// The directory of what the fleet's signed bundle leaves on this machine.
    #[must_use]
    pub fn fleet(&self) -> PathBuf {
        self.dir.join("fleet")
    }

    /// The bundle in force: the last one that was good.
    #[must_use]
    pub fn bundle(&self) -> PathBuf {
        self.fleet().join("bundle.toml")
    }

    /// The user who must own the files.
    #[must_use]
    pub fn owner(&self) -> u32 {
        self.owner
    }

    /// The TOML file.
    #[must_use]
    pub fn tables(&self) -> PathBuf {
        self.dir.join("config.toml")
    }
}
