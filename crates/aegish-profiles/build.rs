//! Compiles `programs/*.toml` into bytes and an index of names; `src/codec.rs` explains the format.
//!
//! Every mistake (unknown field, role, effect, a name used twice) stops the build and names the file.

#![allow(clippy::print_stderr, clippy::print_stdout)] // cargo reads the output of build scripts

#[path = "src/codec.rs"]
mod codec;
#[path = "src/name_hash.rs"]
mod name_hash;
#[path = "src/schema.rs"]
mod schema;
#[path = "src/system.rs"]
#[allow(dead_code, unreachable_pub)] // the build script uses only a part
mod system;
#[path = "src/table.rs"]
#[allow(dead_code, unreachable_pub)]
mod table;
#[path = "src/vocabulary.rs"]
#[allow(dead_code, unreachable_pub)]
mod vocabulary;

use codec::{ByteReader, Code};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, process};
use table::{ArgumentRole, Profile};

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
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src");
    let mut profiles = Vec::new();
    for file in schema::load(&folder)? {
        profiles.push(schema::profile(&file).map_err(|e| format!("{}.toml: {e}", file.name))?);
    }
    let out = env::var("OUT_DIR").map_err(|e| e.to_string())?;
    let write = |name: &str, content: &[u8]| {
        let path = Path::new(&out).join(name);
        fs::write(&path, content).map_err(|e| format!("{}: {e}", path.display()))
    };
    let mut code = String::new();
    write("profiles.bin", &encoded(&profiles, &mut code)?)?;
    write("names.txt", names(&profiles, &mut code)?.as_bytes())?;
    write("personal-inputs.bin", &personal_inputs(&profiles))?;
    write("profiles.rs", code.as_bytes())
}

/// Encodes all profiles, and writes the offset of each.
fn encoded(profiles: &[Profile], code: &mut String) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let _ = write!(code, "pub(crate) static STARTS: [u32; {}] = [", profiles.len());
    for profile in profiles {
        let _ = write!(code, "{}, ", bytes.len());
        let mut own = Vec::new();
        profile.encode(&mut own);
        bytes.extend_from_slice(&own);
        let own: &'static [u8] = own.leak();
        let read = Profile::decode(&mut ByteReader(own));
        let mut again = Vec::new();
        read.iter().for_each(|read| read.encode(&mut again));
        if own != again || format!("{read:?}") != format!("{:?}", Some(profile)) {
            return Err(format!("{}.toml: it is not read as it was written", profile.name));
        }
    }
    code.push_str("];\n");
    Ok(bytes)
}

/// All names in one text, each with its place and program, and a hash table of their numbers, counted from 1.
fn names(profiles: &[Profile], code: &mut String) -> Result<String, String> {
    let mut text = String::new();
    let mut programs: HashMap<&str, &str> = HashMap::new();
    let mut names = Vec::new();
    let mut rows = String::new();
    for (program, profile) in profiles.iter().enumerate() {
        for name in std::iter::once(&profile.name).chain(profile.aliases) {
            if let Some(other) = programs.insert(name, profile.name) {
                return Err(format!("{}.toml: `{name}` is already in {other}.toml", profile.name));
            }
            let (start, length) = (text.len(), name.len());
            let _ =
                write!(rows, "Name {{ start: {start}, length: {length}, program: {program} }}, ");
            text.push_str(name);
            names.push(name);
        }
    }
    let slots = slots(&names);
    let _ = writeln!(code, "pub(crate) static NAMES: [Name; {}] = [{rows}];", names.len());
    let _ = writeln!(code, "pub(crate) static SLOTS: [u16; {}] = {slots:?};", slots.len());
    Ok(text)
}

/// A hash table with open addressing, at most half full; 0 is a free slot.
fn slots(names: &[&&str]) -> Vec<usize> {
    let size = (names.len() * 2).next_power_of_two();
    let mut slots = vec![0; size];
    for (number, name) in (1..).zip(names) {
        let first = name_hash::slot(name, size);
        let free = (first..).map(|slot| slot % size).find(|slot| slots.get(*slot) == Some(&0));
        if let Some(slot) = free.and_then(|slot| slots.get_mut(slot)) {
            *slot = number;
        }
    }
    slots
}

/// Files that programs read at every start in any working directory.
fn personal_inputs(profiles: &[Profile]) -> Vec<u8> {
    let mut found: Vec<((&'static str, ArgumentRole), usize)> = Vec::new();
    for (program, profile) in profiles.iter().enumerate() {
        let personal = |path: &str| path.starts_with("~/") || path.starts_with("**/");
        let own = profile.inputs.iter().filter(|(path, _)| personal(path));
        found.extend(own.map(|input| (*input, program)));
    }
    let mut bytes = Vec::new();
    let found: &'static [_] = found.leak();
    found.encode(&mut bytes);
    bytes
}
