//! Files that other users could write are refused.

use crate::{ROOMY, Scratch, decision, who};
use aegish_audit::{AuditLog, LogLocation, Recorder};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn refusal(recorder: &mut Recorder) -> String {
    recorder.record(&decision("true")).unwrap_err().to_string()
}

#[test]
fn the_directory_and_the_file_are_private() {
    let scratch = Scratch::new();
    scratch.recorder(ROOMY).record(&decision("true")).unwrap();
    assert_eq!((mode(&scratch.dir()), mode(&scratch.log())), (0o700, 0o600));
    set_mode(&scratch.log(), 0o644);
    scratch.recorder(ROOMY).record(&decision("true")).unwrap();
    assert_eq!(mode(&scratch.log()), 0o600);
}

#[test]
fn links_and_other_file_types_are_refused() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(ROOMY);
    let target = scratch.path().join("target");
    fs::write(&target, "").unwrap();
    fs::create_dir(scratch.dir()).unwrap();
    set_mode(&scratch.dir(), 0o700);
    symlink(&target, scratch.log()).unwrap();
    assert!(refusal(&mut recorder).contains("it is a link"));
    fs::remove_file(scratch.log()).unwrap();
    fs::hard_link(&target, scratch.log()).unwrap();
    assert!(refusal(&mut recorder).contains("more than one name"));
    fs::remove_file(scratch.log()).unwrap();
    nix::unistd::mkfifo(&scratch.log(), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert!(refusal(&mut recorder).contains("not a regular file"));
    fs::remove_dir_all(scratch.dir()).unwrap();
    fs::create_dir(scratch.path().join("elsewhere")).unwrap();
    symlink(scratch.path().join("elsewhere"), scratch.dir()).unwrap();
    assert!(refusal(&mut recorder).contains("it is a link"));
    assert_eq!(fs::read(&target).unwrap(), b"");
}

#[test]
fn where_others_can_write_nothing_is_written() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(ROOMY);
    recorder.record(&decision("true")).unwrap();
    set_mode(&scratch.log(), 0o620);
    assert!(refusal(&mut recorder).contains("others can write it (mode 0620)"));
    set_mode(&scratch.log(), 0o600);
    set_mode(&scratch.dir(), 0o777);
    assert!(refusal(&mut recorder).contains("others can write it (mode 0777)"));
}

#[test]
fn a_home_that_is_not_there_is_not_made() {
    let scratch = Scratch::new();
    let home = scratch.path().join("home");
    let place = LogLocation::own(home.join(".aegish"), "ada");
    let mut recorder = Recorder::new(who(), Some(AuditLog::new(place, ROOMY)), Vec::new());
    assert!(refusal(&mut recorder).contains("there has to be a home directory"));
    assert!(!home.exists());
}

#[test]
fn in_production_each_user_has_a_file_in_a_closed_directory() {
    let scratch = Scratch::new();
    let place = LogLocation::system(scratch.dir(), "ada");
    assert_eq!(place.file(), scratch.dir().join("ada.log"));
    let mut recorder = Recorder::new(who(), Some(AuditLog::new(place.clone(), ROOMY)), Vec::new());
    recorder.record(&decision("true")).unwrap();
    assert_eq!((mode(&scratch.dir()), mode(place.file())), (0o755, 0o600));
    // Root may let a group read it.
    set_mode(place.file(), 0o640);
    recorder.record(&decision("true")).unwrap();
    assert_eq!(mode(place.file()), 0o640);
    assert_eq!(place.check(), Ok(()));
    // The directory of the seed's set-up, in which everybody can create files.
    set_mode(&scratch.dir(), 0o1733);
    let why = refusal(&mut recorder);
    assert!(why.contains("others can write it (mode 1733)"), "{why}");
    assert!(why.contains("root makes it with: install -d -m 0755"), "{why}");
    assert!(place.check().is_err());
}

#[test]
fn a_file_is_prepared_for_its_user_once() {
    let scratch = Scratch::new();
    let place = LogLocation::system(scratch.dir(), "ada");
    let (uid, gid) = (nix::unistd::geteuid().as_raw(), nix::unistd::getegid().as_raw());
    place.prepare(uid, gid).unwrap();
    assert_eq!((mode(&scratch.dir()), mode(place.file())), (0o755, 0o600));
    let mut recorder = Recorder::new(who(), Some(AuditLog::new(place.clone(), ROOMY)), Vec::new());
    recorder.record(&decision("true")).unwrap();
    place.prepare(uid, gid).unwrap();
    assert!(fs::metadata(place.file()).unwrap().len() > 0, "what is there stays");
    let why = place.prepare(uid + 1, gid).unwrap_err().to_string();
    assert!(why.contains(&format!("it belongs to user {uid}")), "{why}");
}

#[test]
fn a_name_never_becomes_a_path() {
    assert_eq!(LogLocation::system("/l", "../../etc/x").file(), Path::new("/l/.._.._etc_x.log"));
}
