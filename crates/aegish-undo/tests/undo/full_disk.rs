//! On a full disk nothing is half done.

use super::ground::{Ground, How, same};
use std::path::PathBuf;
use std::process::Command;

/// What happens on the small disk.
#[test]
#[ignore = "is started by the other test"]
fn on_small_disk() {
    let Some(dir) = std::env::var_os("AEGISH_TEST_GROUND") else { return };
    let elsewhere = Ground::new("elsewhere");
    let mut ground = Ground::at(PathBuf::from(dir));
    ground.prepare("for i in {1..20}; do head -c 20000 /dev/urandom >f$i; done");
    let before = ground.picture();
    // Copies of 400 kB do not fit beside them on a disk of 600 kB.
    let subject = aegish_undo::Subject { command: String::new(), cwd: ground.tree.clone() };
    let paths = [(ground.tree.clone(), aegish_undo::Scope::Tree)];
    assert!(ground.store.begin_copies(subject, &paths).is_err());
    same(&ground.picture(), &before, "unchanged");
    assert!(ground.store.list().is_empty());
    // The overlay lies on another disk, and what it holds does not fit when it is applied.
    ground.store.places = vec![elsewhere.dir.join("store")];
    let script = "for i in {1..20}; do head -c 30000 /dev/urandom >f$i; done";
    let Some(run) = ground.run(How::Overlay, script) else { return };
    let id = run.id();
    assert!(run.keep(u64::MAX).is_err());
    same(&ground.picture(), &before, "unchanged");
    ground.store.undo(id, aegish_undo::Conflicts::Refuse).unwrap();
    same(&ground.picture(), &before, "unchanged");
    println!("held on a full disk");
}

#[test]
fn a_full_disk_leaves_the_files_as_they_were() {
    let ground = Ground::new("full");
    let disk = ground.dir.join("disk");
    std::fs::create_dir(&disk).unwrap();
    let script = "mount -t tmpfs -o size=600k none \"$1\" && exec \"$2\" --exact full_disk::on_small_disk --ignored --nocapture";
    let inside = |options: &[&str]| {
        Command::new("unshare")
            .args(options)
            .args(["sh", "-c", script, "sh"])
            .arg(&disk)
            .arg(std::env::current_exe().unwrap())
            .env("AEGISH_TEST_GROUND", &disk)
            .output()
    };
    let tried = [&["-m"][..], &["-Urm"]].into_iter().filter_map(|options| inside(options).ok());
    for output in tried {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        if text.contains("running 1 test") {
            assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
            return;
        }
    }
    println!("skipped: no disk of our own");
}
