//! `sudo` in the shell: it is run as it was judged, or not at all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Run, command, finish};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A directory with a `sudo` that leaves a trace.
struct Planted(PathBuf);

impl Planted {
    fn new(test: &str) -> Self {
        let unique = format!("aegish-sudo-{}-{test}", std::process::id());
        let folder = std::env::temp_dir().join(unique);
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("sudo");
        let script = format!("#!/bin/sh\ntouch {}/trace\nexec \"$@\"\n", folder.display());
        fs::write(&file, script).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        Self(folder)
    }

    fn was_run(&self) -> bool {
        self.0.join("trace").exists()
    }
}

impl Drop for Planted {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn run(role: &str, path: &str, line: &str) -> Run {
    let mut command = command();
    command.args(["-c", line]).env("AEGISH_ROLE", role).env("PATH", path);
    finish(command, b"")
}

#[test]
fn a_sudo_that_is_not_the_systems_is_refused() {
    let planted = Planted::new("path");
    let place = planted.0.display();
    for line in ["sudo true", &format!("{place}/sudo true"), "env sudo true", "nice sudo true"] {
        for role in ["default", "sysadmin", "restricted"] {
            let run = run(role, &format!("{place}:/usr/bin:/bin"), line);
            assert_eq!(run.status, 1, "{role} {line}: {}", run.stderr);
            assert!(run.stderr.contains("sudo"), "{}", run.stderr);
            assert!(!planted.was_run(), "{role} {line}");
        }
    }
}

#[test]
fn a_sudo_behind_the_systems_directories_changes_nothing() {
    let planted = Planted::new("behind");
    let run = run("sysadmin", &format!("/usr/bin:/bin:{}", planted.0.display()), "command -v ls");
    assert_eq!(run.status, 0, "{}", run.stderr);
}

#[test]
fn the_restricted_role_gets_no_rights() {
    for line in ["sudo true", "/usr/bin/sudo -n true", "s=sudo; $s true", "doas true"] {
        let run = run("restricted", "/usr/bin:/bin", line);
        assert_eq!(run.status, 1, "{line}: {}", run.stderr);
        assert!(run.stderr.contains("gain rights"), "{line}: {}", run.stderr);
    }
}

#[test]
fn without_sudo_bash_reports_it_and_nothing_runs() {
    if ["/usr/bin/sudo", "/bin/sudo"].iter().any(|file| Path::new(file).exists()) {
        println!("skipped: there is a sudo on this machine");
        return;
    }
    let run = run("sysadmin", "/usr/bin:/bin", "sudo echo ran; echo status=$?");
    assert_eq!(run.stdout, "status=127\n");
    assert!(run.stderr.contains("sudo: command not found"), "{}", run.stderr);
}
