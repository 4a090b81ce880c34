//! The project's file: its path, and whether its user trusts it, so that it may loosen.

use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

/// The name of a project's file.
pub const PROJECT_FILE: &str = ".aegish.toml";

/// SHA-256 as hexadecimal digits.
#[must_use]
pub fn hash(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}

/// The nearest file in this directory or above it.
pub(crate) fn find(cwd: &Path) -> Option<PathBuf> {
    let place = |dir: &Path| dir.join(PROJECT_FILE);
    cwd.ancestors().map(place).find(|path| path.symlink_metadata().is_ok())
}

/// Project files that a user trusts, each by path and hash: one line `HASH  PATH` per file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trusted {
    files: Vec<(String, String)>,
}

impl Trusted {
    /// The file in the state directory that holds the list.
    #[must_use]
    pub fn path(state_dir: &Path) -> PathBuf {
        state_dir.join("trusted-projects")
    }

    /// Reads the list.
    ///
    /// # Errors
    ///
    /// The number of the first invalid line.
    pub fn parse(text: &str) -> Result<Self, usize> {
        let mut files = Vec::new();
        for (number, line) in (1..).zip(text.lines()) {
            let (hash, path) = line.split_once("  ").ok_or(number)?;
            let digits = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !digits || !path.starts_with('/') {
                return Err(number);
            }
            files.push((hash.to_owned(), path.to_owned()));
        }
        Ok(Self { files })
    }

    /// Whether this file with this content is trusted.
    #[must_use]
    pub fn holds(&self, path: &Path, hash: &str) -> bool {
        let path = path.to_str();
        self.files.iter().any(|(known, file)| known == hash && Some(file.as_str()) == path)
    }

    /// The list with this file added; its earlier hash is removed.
    ///
    /// # Errors
    ///
    /// If the path is not absolute, or cannot be written in a line.
    pub fn with(mut self, path: &Path, hash: &str) -> Result<Self, String> {
        let text = path.to_str().filter(|text| text.starts_with('/') && !text.contains('\n'));
        let Some(text) = text else {
            return Err(format!("{} is not a path that can be written down", path.display()));
        };
        self.files.retain(|(_, file)| file != text);
        self.files.push((hash.to_owned(), text.to_owned()));
        Ok(self)
    }

    /// The list as a file.
    #[must_use]
    pub fn text(&self) -> String {
        self.files.iter().map(|(hash, path)| format!("{hash}  {path}\n")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_trusted_until_it_changes() {
        let (one, other) = (hash(b"one"), hash(b"other"));
        let path = Path::new("/srv/my project/.aegish.toml");
        let list = Trusted::default().with(path, &one).unwrap_or_default();
        assert!(list.holds(path, &one));
        assert!(!list.holds(path, &other), "its content changed");
        assert!(!list.holds(Path::new("/srv/.aegish.toml"), &one), "it is a copy");
        assert_eq!(Trusted::parse(&list.text()), Ok(list.clone()));
        let later = list.with(path, &other).unwrap_or_default();
        assert!(later.holds(path, &other) && !later.holds(path, &one));
        assert_eq!(later.text().lines().count(), 1);
    }

    #[test]
    fn a_damaged_list_is_not_believed() {
        assert_eq!(Trusted::parse("nonsense\n"), Err(1));
        let line = format!("{}  /a\n", hash(b""));
        assert_eq!(Trusted::parse(&format!("{line}{}", line.replace("  /a", "  a"))), Err(2));
        assert!(Trusted::default().with(Path::new("relative"), "x").is_err());
    }
}
