//! Folders of their own for tests, and the reference data where it is at hand.
#![allow(dead_code)] // not every test needs all of it

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

/// A part of the reference data: in the folder that `AEGISH_REFERENCE` names, or in `shared` beside or
/// above the workspace. It is no part of the repository; without it the test says that it skips.
pub(crate) fn reference(part: &str) -> Option<PathBuf> {
    let told = env::var_os("AEGISH_REFERENCE").map(PathBuf::from);
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let beside = here.ancestors().skip(2).map(|dir| dir.join("shared"));
    let found = told.into_iter().chain(beside).map(|root| root.join("reference").join(part));
    let found = found.into_iter().find(|path| path.exists());
    if found.is_none() {
        println!("skipped: no reference/{part}; name its folder by AEGISH_REFERENCE");
    }
    found
}
