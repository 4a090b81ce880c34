//! Full disks, limits on the size of files, and a system without `/proc`.
//!
//! Each case runs in its own process: the test starts itself again, in a private mount namespace where
//! needed.

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::support::Scratch;
use aegish_private_files::{Missing, Owner, PrivateDir};

const DIR: &str = "AEGISH_TEST_DIR";
const SOON: Duration = Duration::from_secs(1);

/// Runs a test of this file in a shell after some commands; returns false if the commands cannot be run.
fn run(before: &str, test: &str, dir: &std::path::Path) -> bool {
    let script = format!("{before} || exit 77; exec \"$0\" --exact {test} --ignored --nocapture");
    let (program, first) = if before.contains("mount") {
        ("unshare", vec!["-m", "sh", "-c"])
    } else {
        ("bash", vec!["-c"])
    };
    let run = Command::new(program)
        .args(first)
        .arg(script)
        .arg(std::env::current_exe().unwrap())
        .env(DIR, dir)
        .output();
    let Ok(run) = run else { return false };
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    let complaint = String::from_utf8_lossy(&run.stderr).into_owned();
    if run.status.code() == Some(77) || complaint.starts_with("unshare:") {
        eprintln!("SKIPPED: {test}: {complaint}");
        return false;
    }
    assert!(run.status.success() && said.contains("1 passed"), "{said}{complaint}");
    true
}

fn dir() -> PrivateDir {
    let path = PathBuf::from(std::env::var_os(DIR).unwrap()).join("dir");
    PrivateDir::open(&path, Owner::user(), Missing::CreateAll).unwrap()
}

#[test]
fn a_full_disk_leaves_the_old_content() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("disk")).unwrap();
    let disk = scratch.path("disk");
    let mount = format!("mount -t tmpfs -o size=64k,mode=700 tmpfs {}", disk.display());
    run(&mount, "limits::when_there_is_no_room", &disk);
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_and_does_not_end_the_process() {
    let scratch = Scratch::new();
    run("ulimit -f 40", "limits::when_there_is_no_room", &scratch.path(""));
}

#[test]
#[ignore = "started by another test"]
fn when_there_is_no_room() {
    let (dir, file, log) = (dir(), OsStr::new("file"), OsStr::new("log"));
    let (small, large) = (vec![b'a'; 5000], vec![b'b'; 100_000]);
    dir.replace(file, &small, 0o600).unwrap();
    assert!(dir.replace(file, &large, 0o600).is_err());
    assert_eq!(dir.read(file, 1 << 20).unwrap().unwrap(), small);
    assert_eq!(dir.names().unwrap(), ["file"], "nothing unfinished is left");
    let line = [vec![b'x'; 2999], vec![b'\n']].concat();
    let lock = dir.lock(log, SOON).unwrap();
    let failed = (0..100).filter(|_| lock.append(&line).is_err()).count();
    assert!(failed > 50 && failed < 100, "{failed}");
    let text = dir.read(log, 1 << 20).unwrap().unwrap();
    assert_eq!(text.len() % line.len(), 0, "no half line is left");
    assert_eq!(text.len() / line.len(), 100 - failed);
}

#[test]
fn nothing_depends_on_proc() {
    let scratch = Scratch::new();
    run("mount -t tmpfs tmpfs /proc", "limits::without_proc", &scratch.path(""));
}

#[test]
#[ignore = "started by another test"]
fn without_proc() {
    assert!(!std::path::Path::new("/proc/self").exists());
    let (dir, file) = (dir(), OsStr::new("file"));
    dir.replace(file, b"text", 0o600).unwrap();
    dir.lock(OsStr::new("log"), SOON).unwrap().append(b"line\n").unwrap();
    assert_eq!(dir.read(file, 100).unwrap().unwrap(), b"text");
    if nix::unistd::geteuid().is_root() {
        std::os::unix::fs::chown(dir.path().join("file"), Some(12345), None).unwrap();
        assert!(dir.read(file, 100).unwrap_err().refusal().is_some());
    }
}
