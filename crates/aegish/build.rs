#![allow(clippy::print_stdout)] // how a build script talks to cargo
//! Links the binary at a fixed address where the platform allows it.
//!
//! The program profiles are static tables full of pointers. In a position-independent executable the
//! loader would have to write every one of them at each start, which takes longer than the verdict.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|found| found == value);
    if is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
