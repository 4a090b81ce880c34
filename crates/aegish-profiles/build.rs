//! Compiles `data/programs/*.toml` into static tables.
//!
//! Every mistake (unknown field, role, effect, a name used twice) stops the build and names the file.

#![allow(clippy::print_stderr, clippy::print_stdout)] // how a build script talks to cargo

#[path = "src/schema.rs"]
mod schema;
#[path = "src/system.rs"]
#[allow(dead_code, unreachable_pub)] // the rest is for those who use the profiles
mod system;
#[path = "src/vocabulary.rs"]
#[allow(dead_code, unreachable_pub)]
mod vocabulary;

use std::path::Path;
use std::{env, fs, process};

fn main() {
    if let Err(error) = run() {
        eprintln!("program profiles were not compiled: {error}");
        process::exit(1);
    }
}

fn run() -> Result<(), String> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(|e| e.to_string())?;
    let folder = Path::new(&root).join("programs");
    println!("cargo::rerun-if-changed={}", folder.display());
    println!("cargo::rerun-if-changed=src/schema.rs");
    println!("cargo::rerun-if-changed=src/schema");
    println!("cargo::rerun-if-changed=src/system.rs");
    println!("cargo::rerun-if-changed=src/vocabulary.rs");
    let profiles = schema::load(&folder)?;
    let code = schema::render(&profiles)?;
    let out = Path::new(&env::var("OUT_DIR").map_err(|e| e.to_string())?).join("profiles.rs");
    fs::write(&out, code).map_err(|e| format!("{}: {e}", out.display()))
}
