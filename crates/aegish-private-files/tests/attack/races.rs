//! Files and directories that are replaced while they are used, thousands of times.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, lchown, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::support::{Scratch, is_root};
use aegish_private_files::{Missing, Owner, PrivateDir, read_trusted};

const ROUNDS: usize = 4000;
const SOON: Duration = Duration::from_secs(5);
const OUTSIDE: &[u8] = b"outside";

/// Runs `exchange` in another thread until `work` is done.
fn while_exchanging(exchange: impl Fn() + Send + Sync, work: impl FnOnce()) {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                exchange();
            }
        });
        work();
        done.store(true, Ordering::Relaxed);
    });
}

fn open(path: &Path) -> Result<PrivateDir, aegish_private_files::Error> {
    PrivateDir::open(path, Owner::user(), Missing::CreateAll)
}

#[test]
fn a_file_that_becomes_a_link_is_neither_read_nor_written_through_it() {
    let scratch = Scratch::new();
    let dir = open(&scratch.path("dir")).unwrap();
    let outside = scratch.write("outside", "outside");
    fs::set_permissions(&outside, Permissions::from_mode(0o600)).unwrap();
    let (file, link) = (scratch.path("dir/log"), scratch.path("dir/link"));
    let exchange = || {
        let _ = symlink(&outside, &link);
        let _ = fs::rename(&link, &file);
        let _ = fs::remove_file(&file);
        let _ = fs::write(&link, "inside");
        let _ = fs::set_permissions(&link, Permissions::from_mode(0o600));
        let _ = fs::rename(&link, &file);
    };
    let name = OsStr::new("log");
    let (mut used, mut refused) = (0, 0);
    while_exchanging(exchange, || {
        for round in 0..ROUNDS {
            // A replacement waits for the disk, so there are fewer of them.
            let done = match round % 40 {
                1 => dir.replace(name, b"inside", 0o600),
                even if even % 2 == 0 => {
                    dir.read(name, 100).map(|bytes| assert_ne!(bytes.as_deref(), Some(OUTSIDE)))
                }
                _ => dir.lock(name, SOON).and_then(|log| log.append(b"line\n")),
            };
            *if done.is_ok() { &mut used } else { &mut refused } += 1;
        }
    });
    assert_eq!(fs::read(&outside).unwrap(), OUTSIDE);
    assert!(used > 0 && refused > 0, "{used} used, {refused} refused");
}

#[test]
fn a_directory_that_becomes_a_link_of_another_user_is_not_followed() {
    if !is_root("links of another user") {
        return;
    }
    let scratch = Scratch::new();
    let outside = open(&scratch.path("outside/dir")).unwrap();
    outside.replace(OsStr::new("file"), OUTSIDE, 0o600).unwrap();
    let shared = scratch.path("shared");
    fs::create_dir(&shared).unwrap();
    fs::set_permissions(&shared, Permissions::from_mode(0o1777)).unwrap();
    open(&shared.join("real/dir")).unwrap();
    let way = shared.join("way");
    let exchange = || {
        let _ = fs::rename(shared.join("real"), &way);
        // Long enough to be used now and then.
        std::thread::sleep(std::time::Duration::from_micros(100));
        let _ = fs::rename(&way, shared.join("real"));
        let link = shared.join("link");
        let _ = symlink(scratch.path("outside"), &link);
        let _ = lchown(&link, Some(12345), None);
        let _ = fs::rename(&link, &way);
        let _ = fs::remove_file(&way);
    };
    let file = way.join("dir/file");
    let (mut used, mut refused) = (0, 0);
    while_exchanging(exchange, || {
        for _ in 0..ROUNDS {
            let read = read_trusted(&file, Owner::user(), None, 100);
            assert_ne!(read.ok().flatten().as_deref(), Some(OUTSIDE));
            let dir = PrivateDir::open(&way.join("dir"), Owner::user(), Missing::Fail);
            let written = dir.and_then(|dir| dir.replace(OsStr::new("file"), b"inside", 0o600));
            *if written.is_ok() { &mut used } else { &mut refused } += 1;
        }
    });
    assert_eq!(fs::read(scratch.path("outside/dir/file")).unwrap(), OUTSIDE);
    assert!(used > 0 && refused > 0, "{used} used, {refused} refused");
}

#[test]
fn readers_see_the_old_file_or_the_new_one() {
    let scratch = Scratch::new();
    let dir = open(&scratch.path("dir")).unwrap();
    let (old, new) = (vec![b'a'; 100_000], vec![b'b'; 70_000]);
    dir.replace(OsStr::new("file"), &old, 0o600).unwrap();
    let exchange = || {
        dir.replace(OsStr::new("file"), &new, 0o600).unwrap();
        dir.replace(OsStr::new("file"), &old, 0o600).unwrap();
    };
    while_exchanging(exchange, || {
        for _ in 0..300 {
            let read = dir.read(OsStr::new("file"), 1 << 20).unwrap().unwrap();
            assert!(read == old || read == new, "{} bytes", read.len());
        }
    });
    assert_eq!(dir.names().unwrap(), ["file"]);
}

#[test]
fn lines_of_several_writers_and_a_rotation_are_all_there() {
    let scratch = Scratch::new();
    let dir = open(&scratch.path("dir")).unwrap();
    let log = OsStr::new("log");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let dir = &dir;
            scope.spawn(move || {
                for line in 0..100 {
                    let file = dir.lock(log, SOON).unwrap();
                    if file.metadata().unwrap().len() > 500 {
                        let number = dir.names().unwrap().len();
                        dir.rename(log, OsStr::new(&format!("log.{number}"))).unwrap();
                        continue;
                    }
                    file.append(format!("{writer}-{line}\n").as_bytes()).unwrap();
                }
            });
        }
    });
    for name in dir.names().unwrap() {
        let text = dir.read(&name, 1 << 20).unwrap().unwrap();
        assert!(text.ends_with(b"\n") && text.len() < 520, "{name:?}: {} bytes", text.len());
    }
}
