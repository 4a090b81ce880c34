//! No code runs that was not judged: not by keys, completion, values that are typed while a line runs, options or
//! variables.

use crate::channel::{listed, settle, tried, type_line};
use crate::harness::Home;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

const ATTACKS: &str = include_str!("unjudged.txt");
/// Refused if it is judged, and leaves a file behind if it runs.
const CODE: &str = "wc -l < ~/.ssh/id_ed25519 > ~/proof";

/// Whether the code ran.
fn runs(home: &Home, steps: &[&str]) -> bool {
    home.write(".ssh/id_ed25519", "secret\n");
    home.write("code", &format!("{CODE}\n"));
    for name in ["sort", "git", "evil"] {
        use std::os::unix::fs::PermissionsExt;
        let path = home.write(name, &format!("#!/bin/bash\n{CODE}\n"));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    home.write("Makefile", &format!("X := $(shell {CODE})\nall:\n"));
    let mut terminal = home.shell().open();
    for step in steps {
        let before = terminal.ready();
        if let Some(keys) = step.strip_prefix("keys: ") {
            if !terminal.try_keys(&unescaped(keys)) {
                break;
            }
            thread::sleep(Duration::from_millis(400));
        } else if type_line(&mut terminal, step) {
            settle(&mut terminal, before, "n");
        }
    }
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(1) {
        if home.at("proof").exists() {
            return true;
        }
        thread::sleep(Duration::from_millis(50));
    }
    false
}

/// `^X` is a control key, `M-` the escape key.
fn unescaped(keys: &str) -> String {
    let mut text = String::new();
    let mut rest = keys.replace("M-", "\x1b");
    while let Some((before, after)) = rest.split_once('^') {
        text.push_str(before);
        let key = after.bytes().next().unwrap_or(b'@') & 0x1f;
        text.push(char::from(key));
        rest = after.get(1..).unwrap_or_default().to_owned();
    }
    text + &rest
}

#[test]
fn no_code_runs_that_was_not_judged() {
    let attacks = ATTACKS.replace("CODE", CODE);
    let attacks = listed(&attacks);
    let bad = tried(&attacks, |home, steps| runs(home, steps).then(|| "runs".to_owned()));
    assert!(bad.is_empty(), "{} of {}:\n{}", bad.len(), attacks.len(), bad.join("\n"));
}

#[test]
fn the_code_would_leave_its_mark() {
    let home = Home::new();
    home.write(".ssh/id_ed25519", "secret\n");
    let status =
        std::process::Command::new("bash").args(["-c", CODE]).env("HOME", home.path()).status();
    assert!(status.unwrap().success() && home.at("proof").exists());
}
