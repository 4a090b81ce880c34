#![allow(clippy::print_stdout)] // cargo reads the output of build scripts
//! Links the binary so that it starts fast, where the platform allows it.
//!
//! The unwinder (only good for backtraces here) is linked in. As a shared library it would have to be
//! found, mapped and bound at each start, and asks the processor about itself, which is slow on virtual
//! machines. The linker looks for `libgcc_s` in our directory first and finds a linker script there that
//! names the archive. Only for a build on and for the same platform with the default linker: another one
//! has its own libraries, and gets what it would get without this script.
//!
//! The list of pointers that the loader adjusts is packed (RELR): 8 KB are read at each start instead of 860. The C
//! library must know that form, which it does from 2.36 on.

use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| env::var(name).is_ok_and(|found| found == value);
    // Cargo tells build scripts of a linker that is configured.
    let is_plain = env::var_os("RUSTC_LINKER").is_none() && env::var("HOST") == env::var("TARGET");
    if !is_plain || !is("CARGO_CFG_TARGET_OS", "linux") || !is("CARGO_CFG_TARGET_ENV", "gnu") {
        return;
    }
    if let Some(dir) = static_unwinder() {
        println!("cargo::rustc-link-search=native={}", dir.display());
    }
    if library_version().is_some_and(|version| version >= (2, 36)) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// The version of the C library.
fn library_version() -> Option<(u32, u32)> {
    let asked = Command::new("getconf").arg("GNU_LIBC_VERSION").output().ok()?;
    let answer = String::from_utf8(asked.stdout).ok()?;
    let (major, minor) = answer.trim().strip_prefix("glibc ")?.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// A directory whose `libgcc_s` is a linker script for the archive with the same functions, if there is one.
fn static_unwinder() -> Option<PathBuf> {
    let asked = Command::new("cc").arg("-print-file-name=libgcc_eh.a").output().ok()?;
    let archive = PathBuf::from(String::from_utf8(asked.stdout).ok()?.trim());
    // A compiler without this file prints the name unchanged.
    if !archive.is_absolute() || !archive.is_file() {
        return None;
    }
    let dir = PathBuf::from(env::var_os("OUT_DIR")?).join("unwinder");
    fs::create_dir_all(&dir).ok()?;
    fs::write(dir.join("libgcc_s.so"), format!("INPUT({})\n", archive.display())).ok()?;
    Some(dir)
}
