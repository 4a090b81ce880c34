//! Compares words with those of real Bash.
//!
//! Bash runs every script of `oracle/words.txt` in a prepared directory, with a program `rec` on its path
//! that records its arguments. The same script is analysed, and the words of its `rec` commands must be the
//! same, in the same order.

#![allow(clippy::unwrap_used)] // a test that cannot prepare its directory has to stop

use aegish_effects::{Context, FileView, Machine, TextForm, Value, analyze};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The prepared directory, seen by the analysis as Bash sees it.
struct Real;

impl Machine for Real {
    fn read(&self, path: &str, limit: usize) -> FileView {
        match fs::read_to_string(path) {
            Ok(text) if text.len() <= limit => FileView::Text(text),
            Ok(text) => FileView::Long(text.chars().take(limit).collect()),
            Err(_) => FileView::Missing,
        }
    }

    fn list(&self, dir: &str, limit: usize) -> Option<Vec<String>> {
        let names: Vec<String> = fs::read_dir(dir)
            .ok()?
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        (names.len() <= limit).then_some(names)
    }
}

struct Prepared {
    root: PathBuf,
}

impl Prepared {
    fn new() -> Self {
        let root = std::env::temp_dir().join(format!("aegish-words-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for dir in ["bin", "home"] {
            fs::create_dir_all(root.join(dir)).unwrap();
        }
        let rec = root.join("bin/rec");
        fs::write(&rec, "#!/bin/sh\n{ for a; do printf '%s\\0' \"$a\"; done; printf 'END-OF-CALL\\0'; } >>\"$REC_OUT\"\n").unwrap();
        fs::set_permissions(&rec, fs::Permissions::from_mode(0o755)).unwrap();
        Self { root }
    }

    /// A fresh working directory, so that scripts cannot see files of others.
    fn work(&self) -> PathBuf {
        let work = self.root.join("work");
        let _ = fs::remove_dir_all(&work);
        fs::create_dir_all(work.join("dir/sub")).unwrap();
        for file in [
            "a.txt",
            "b.txt",
            "c.md",
            ".hidden",
            "dir/x.txt",
            "dir/y.md",
            "dir/sub/z",
            "with space",
        ] {
            fs::write(work.join(file), format!("content of {file}\n")).unwrap();
        }
        fs::write(work.join("lib.sh"), "lib_var=from_lib\nlib_fn() { rec lib \"$@\"; }\n").unwrap();
        work
    }

    /// The arguments that Bash passes to `rec`, call by call.
    fn by_bash(&self, script: &str) -> Vec<Vec<String>> {
        let out = self.root.join("out");
        fs::write(&out, "").unwrap();
        let file = self.root.join("script");
        fs::write(&file, script).unwrap();
        Command::new("bash")
            .args(["--norc", "--noprofile", "-O", "extglob"])
            .arg(&file)
            .current_dir(self.work())
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", self.root.join("bin").display()))
            .env("LC_ALL", "C.UTF-8")
            .env("HOME", self.root.join("home"))
            .env("REC_OUT", &out)
            .output()
            .unwrap();
        let mut calls = Vec::new();
        let mut current = Vec::new();
        for field in fs::read(&out).unwrap().split(|byte| *byte == 0) {
            if field == b"END-OF-CALL" {
                calls.push(std::mem::take(&mut current));
            } else {
                current.push(String::from_utf8_lossy(field).into_owned());
            }
        }
        calls
    }

    /// The words of the analysis.
    fn by_analysis(&self, script: &str) -> Vec<Vec<String>> {
        let home = self.root.join("home").display().to_string();
        let context = Context {
            cwd: self.work().display().to_string(),
            home: home.clone(),
            variables: HashMap::from([("HOME".to_owned(), Value::known(home))]),
            aliases: HashMap::new(),
            positional: Some(Vec::new()),
            zero: None,
            interactive: false,
            stdin: aegish_effects::StandardInput::Other,
            reader: aegish_effects::OutputReader::Trusted,
            form: TextForm::CommandLine,
            complete: true,
            machine: &Real,
        };
        let analysis = analyze(script, &aegish_syntax::parse(script), &context);
        analysis
            .commands
            .iter()
            .filter(|command| command.argv.first().and_then(Value::as_known) == Some("rec"))
            .map(|command| command.argv[1..].iter().map(ToString::to_string).collect())
            .collect()
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

#[test]
fn words_are_what_bash_computes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../oracle/words.txt");
    let text = fs::read_to_string(path).unwrap();
    let prepared = Prepared::new();
    let mut failures = String::new();
    let mut count = 0;
    for script in text.split("\n%%\n").flat_map(blocks) {
        count += 1;
        let (ours, theirs) = (prepared.by_analysis(&script), prepared.by_bash(&script));
        if ours != theirs {
            let _ = writeln!(failures, "{script}\n    bash: {theirs:?}\n    ours: {ours:?}");
        }
    }
    assert!(failures.is_empty(), "of {count} scripts these differ:\n{failures}");
    assert!(count >= 300, "only {count} scripts");
}

/// A block that starts with `%lines` holds one script per line; any other block is one script.
/// Lines that start with `##` are comments.
fn blocks(block: &str) -> Vec<String> {
    let lines: Vec<&str> = block.lines().filter(|line| !line.starts_with("##")).collect();
    match lines.split_first() {
        Some((&"%lines", rest)) => rest
            .iter()
            .filter(|line| !line.trim().is_empty())
            .map(|line| (*line).to_owned())
            .collect(),
        _ => {
            let script = lines.join("\n").trim().to_owned();
            if script.is_empty() { Vec::new() } else { vec![script] }
        }
    }
}
