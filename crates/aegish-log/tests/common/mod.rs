//! Folders of their own for tests, and the reference data where it is at hand.
#![allow(dead_code)] // not every test needs all of it

use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// A folder that is removed when it is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("aegish-log-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A part of the reference data. It is not in the repository; without it the test says that it skips.
pub(crate) fn reference(part: &str) -> Option<PathBuf> {
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
