//! Bundles on their way to a machine, opinions that machines share, and reports over their logs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // helpers belong to the tests

mod bundles;
mod opinions;
mod reports;
mod sources;

use aegish_config::SystemDirectory;
use aegish_fleet::{SigningKey, sign};
use aegish_test_support::folder::Folder;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

pub(crate) fn key() -> SigningKey {
    SigningKey::read(&SigningKey::generate().unwrap()).unwrap()
}

/// A signed bundle.
pub(crate) fn bundle(key: &SigningKey, version: u64, rest: &str) -> String {
    sign(&unsigned(version, rest), key).unwrap()
}

pub(crate) fn unsigned(version: u64, rest: &str) -> String {
    format!(
        "{rest}\n[bundle]\nfleet = \"acme\"\nversion = {version}\nexpires = 2999-01-01T00:00:00Z\n"
    )
}

/// A system's directory in a folder of this user.
pub(crate) fn system(folder: &Folder) -> SystemDirectory {
    let dir = folder.0.join("etc");
    fs::create_dir_all(&dir).unwrap();
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).unwrap();
    SystemDirectory::at(dir, nix::unistd::geteuid().as_raw())
}
