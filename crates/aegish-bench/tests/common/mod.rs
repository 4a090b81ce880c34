//! Folders of their own for tests, and the reference data where it is at hand.
#![allow(dead_code, clippy::print_stdout)] // not every test needs all of it; skipping is said

use aegish_bench::dataset::data_root;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

/// A folder that goes away again.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = env::temp_dir().join(format!("aegish-bench-{name}-{}", process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
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

/// A part of the reference data. It is no part of the repository; without it the test says that it skips.
pub(crate) fn reference(part: &str) -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
    let found = data_root(None, workspace).map(|root| root.join("reference").join(part));
    let found = found.filter(|path| path.exists());
    if found.is_none() {
        println!("skipped: no reference/{part}; name the folder above it by AEGISH_REFERENCE");
    }
    found
}
