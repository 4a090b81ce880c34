//! Folders that last as long as a test, and the reference data if it is present.

use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// A folder of one test. It is removed when it is dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    /// Creates a folder. `name` is not used twice in one process.
    pub fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("aegish-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    /// Writes a file of the folder and returns its path.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, text).expect("a file");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A part of the reference data, which is not in the repository. Without it the test prints that it is
/// skipped.
pub fn reference(part: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(3);
    let roots = env::var_os("AEGISH_REFERENCE")
        .map(PathBuf::from)
        .into_iter()
        .chain(beside.map(|dir| dir.join("shared")));
    let found = roots.map(|root| root.join("reference").join(part)).find(|path| path.exists());
    if found.is_none() {
        println!("skipped: no reference/{part}; name the folder above it by AEGISH_REFERENCE");
    }
    found
}
