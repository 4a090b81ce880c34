//! What is refused, and what is used.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown, lchown, symlink};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::{Scratch, is_root};
use aegish_private_files::{
    Missing, Owner, PrivateDir, Refusal, open_regular, read_regular, read_trusted,
};

const STRANGER: u32 = 12345;
const SOON: Duration = Duration::from_millis(200);
const MOST: u64 = 1 << 20;

fn name(text: &str) -> &OsStr {
    OsStr::new(text)
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn open(path: &Path) -> Result<PrivateDir, aegish_private_files::Error> {
    PrivateDir::open(path, Owner::user(), Missing::CreateAll)
}

fn refusal_of(path: &Path) -> Option<Refusal> {
    open(path).unwrap_err().refusal()
}

/// Every way to open a file gives the same refusal.
fn refused_everywhere(dir: &PrivateDir, file: &str, wanted: Refusal) {
    let path = dir.path().join(file);
    assert_eq!(dir.read(name(file), MOST).unwrap_err().refusal(), Some(wanted));
    assert_eq!(dir.check_append(name(file)).unwrap_err().refusal(), Some(wanted));
    assert_eq!(dir.lock(name(file), SOON).unwrap_err().refusal(), Some(wanted));
    if wanted != Refusal::Link {
        let found = read_trusted(&path, Owner::user(), None, MOST).unwrap_err().refusal();
        assert_eq!(found, Some(wanted));
    }
}

#[test]
fn new_files_and_directories_are_private() {
    let scratch = Scratch::new();
    let dir = open(&scratch.path("a/b/c")).unwrap();
    dir.replace(name("file"), b"new", 0o600).unwrap();
    dir.lock(name("log"), SOON).unwrap().append(b"line\n").unwrap();
    let mode = |path: &str| fs::metadata(scratch.path(path)).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("a"), mode("a/b"), mode("a/b/c")), (0o700, 0o700, 0o700));
    assert_eq!((mode("a/b/c/file"), mode("a/b/c/log")), (0o600, 0o600));
    assert_eq!(dir.read(name("file"), MOST).unwrap().unwrap(), b"new");
    assert_eq!(dir.read(name("none"), MOST).unwrap(), None);
    assert!(dir.read(name("file"), 2).is_err());
    let mut names = dir.names().unwrap();
    names.sort();
    assert_eq!(names, ["file", "log"]);
}

#[test]
fn a_file_that_is_a_link_is_refused() {
    let scratch = Scratch::new();
    let dir = open(&scratch.path("dir")).unwrap();
    let outside = scratch.write("outside", "secret");
    symlink(&outside, scratch.path("dir/link")).unwrap();
    refused_everywhere(&dir, "link", Refusal::Link);
    assert_eq!(open_regular(&scratch.path("dir/link")).unwrap_err().refusal(), Some(Refusal::Link));
    // The link itself is replaced; its target stays.
    dir.replace(name("link"), b"new", 0o600).unwrap();
    assert_eq!(fs::read_to_string(outside).unwrap(), "secret");
    assert_eq!(dir.read(name("link"), MOST).unwrap().unwrap(), b"new");
}

#[test]
fn a_private_directory_is_not_a_link_but_its_parents_may_be() {
    let scratch = Scratch::new();
    open(&scratch.path("real/dir")).unwrap();
    symlink(scratch.path("real/dir"), scratch.path("link")).unwrap();
    assert_eq!(refusal_of(&scratch.path("link")), Some(Refusal::Link));
    symlink("real", scratch.path("parent")).unwrap();
    open(&scratch.path("parent/dir")).unwrap();
    symlink("loop", scratch.path("loop")).unwrap();
    assert!(open(&scratch.path("loop/dir")).is_err());
}

#[test]
fn a_link_of_another_user_on_the_way_is_refused() {
    if !is_root("links of another user") {
        return;
    }
    let scratch = Scratch::new();
    let outside = open(&scratch.path("outside/dir")).unwrap();
    outside.replace(name("file"), b"secret", 0o600).unwrap();
    fs::create_dir(scratch.path("shared")).unwrap();
    set_mode(&scratch.path("shared"), 0o1777);
    let link = scratch.path("shared/way");
    symlink(scratch.path("outside"), &link).unwrap();
    lchown(&link, Some(STRANGER), None).unwrap();
    let wanted = Some(Refusal::ForeignLink { owner: STRANGER });
    assert_eq!(refusal_of(&link.join("dir")), wanted);
    let file = link.join("dir/file");
    let found = read_trusted(&file, Owner::user(), None, MOST).unwrap_err().refusal();
    assert_eq!(found, wanted);
    let last = scratch.path("shared/file");
    symlink(scratch.path("outside/dir/file"), &last).unwrap();
    lchown(&last, Some(STRANGER), None).unwrap();
    let found = read_trusted(&last, Owner::user(), None, MOST).unwrap_err().refusal();
    assert_eq!(found, wanted);
    lchown(&last, Some(0), None).unwrap();
    assert!(read_trusted(&last, Owner::user(), None, MOST).unwrap().is_some());
}

#[test]
fn fifos_and_directories_are_refused_without_waiting() {
    let scratch = Scratch::new();
    let dir = open(&scratch.path("dir")).unwrap();
    let fifo = scratch.path("dir/fifo");
    nix::unistd::mkfifo(&fifo, nix::sys::stat::Mode::S_IRWXU).unwrap();
    fs::create_dir(scratch.path("dir/folder")).unwrap();
    let begun = Instant::now();
    refused_everywhere(&dir, "fifo", Refusal::NotRegular);
    refused_everywhere(&dir, "folder", Refusal::NotRegular);
    for path in [&fifo, &scratch.path("dir/folder"), Path::new("/dev/null")] {
        let found = read_regular(path, None, MOST).unwrap_err().refusal();
        assert_eq!(found, Some(Refusal::NotRegular));
        assert_eq!(open_regular(path).unwrap_err().refusal(), Some(Refusal::NotRegular));
    }
    assert_eq!(refusal_of(&fifo), Some(Refusal::NotADirectory));
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
}

#[test]
fn files_that_others_can_write_are_refused() {
    let scratch = Scratch::new();
    let dir = open(&scratch.path("dir")).unwrap();
    let file = scratch.write("dir/file", "text");
    for mode in [0o620, 0o602, 0o666] {
        set_mode(&file, mode);
        refused_everywhere(&dir, "file", Refusal::Writable { mode });
    }
    set_mode(&file, 0o644);
    assert!(dir.read(name("file"), MOST).unwrap().is_some());
    for mode in [0o770, 0o777, 0o1777] {
        set_mode(&scratch.path("dir"), mode);
        assert_eq!(refusal_of(&scratch.path("dir")), Some(Refusal::Writable { mode }));
    }
}

#[test]
fn directories_on_the_way_are_checked_like_the_last() {
    let scratch = Scratch::new();
    open(&scratch.path("way/dir")).unwrap().replace(name("file"), b"text", 0o600).unwrap();
    let (way, file) = (scratch.path("way"), scratch.path("way/dir/file"));
    let trusted = || read_trusted(&file, Owner::user(), None, MOST);
    set_mode(&way, 0o777);
    let error = open(&scratch.path("way/dir")).unwrap_err();
    assert_eq!((error.path(), error.refusal()), (&*way, Some(Refusal::Writable { mode: 0o777 })));
    assert_eq!(trusted().unwrap_err().refusal(), Some(Refusal::Writable { mode: 0o777 }));
    let told = error.remedy().unwrap();
    assert!(told.ends_with(&format!("chmod go-w {}", way.display())), "{told}");
    // In a sticky directory, other users cannot rename files that are not theirs.
    set_mode(&way, 0o1777);
    assert!(open(&scratch.path("way/dir")).is_ok() && trusted().is_ok());
    if is_root("directories of another user") {
        chown(&way, Some(STRANGER), None).unwrap();
        let wanted = Some(Refusal::Owner { found: STRANGER, wanted: 0 });
        assert_eq!(refusal_of(&scratch.path("way/dir")), wanted);
        assert_eq!(trusted().unwrap_err().refusal(), wanted);
    }
}

#[test]
fn files_of_another_user_are_refused() {
    if !is_root("files of another user") {
        return;
    }
    let scratch = Scratch::new();
    let dir = open(&scratch.path("dir")).unwrap();
    let file = scratch.write("dir/file", "text");
    set_mode(&file, 0o600);
    chown(&file, Some(STRANGER), None).unwrap();
    refused_everywhere(&dir, "file", Refusal::Owner { found: STRANGER, wanted: 0 });
    let wanted = Some(Refusal::Owner { found: STRANGER, wanted: 0 });
    let foreign = read_regular(&file, Some(Owner::user_or_root()), MOST);
    assert_eq!(foreign.unwrap_err().refusal(), wanted);
    assert!(read_regular(&file, None, MOST).unwrap().is_some());
    assert!(read_trusted(&file, Owner::OrRoot(STRANGER), None, MOST).unwrap().is_some());
    dir.create_for(name("theirs"), STRANGER, STRANGER).unwrap();
    dir.create_for(name("theirs"), STRANGER, STRANGER).unwrap();
    assert!(dir.create_for(name("theirs"), STRANGER + 1, STRANGER).is_err());
    chown(scratch.path("dir"), Some(STRANGER), None).unwrap();
    assert_eq!(refusal_of(&scratch.path("dir")), wanted);
}

#[test]
fn nothing_is_appended_to_a_file_with_a_second_name() {
    let scratch = Scratch::new();
    let dir = open(&scratch.path("dir")).unwrap();
    let outside = scratch.write("outside", "precious");
    set_mode(&outside, 0o600);
    fs::hard_link(&outside, scratch.path("dir/log")).unwrap();
    assert_eq!(dir.lock(name("log"), SOON).unwrap_err().refusal(), Some(Refusal::HardLinks));
    assert_eq!(dir.check_append(name("log")).unwrap_err().refusal(), Some(Refusal::HardLinks));
    assert_eq!(fs::read_to_string(outside).unwrap(), "precious");
}

#[test]
fn a_lock_is_waited_for_and_belongs_to_the_file_with_the_name() {
    let scratch = Scratch::new();
    let dir = open(&scratch.path("dir")).unwrap();
    let held = dir.lock(name("log"), SOON).unwrap();
    let why = dir.lock(name("log"), SOON).unwrap_err().to_string();
    assert!(why.contains("does not let go of its lock"), "{why}");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            dir.lock(name("log"), Duration::from_secs(20)).unwrap().append(b"new\n").unwrap();
        });
        std::thread::sleep(SOON);
        dir.rename(name("log"), name("old")).unwrap();
        drop(held);
        waiting.join().unwrap();
    });
    assert_eq!(dir.read(name("log"), MOST).unwrap().unwrap(), b"new\n");
    assert_eq!(dir.read(name("old"), MOST).unwrap().unwrap(), b"");
}
