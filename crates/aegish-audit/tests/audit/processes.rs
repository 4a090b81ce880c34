//! Several concurrent processes, processes that die, and a full disk.

use crate::{ROOMY, Scratch, decision, recorder, whole};
use aegish_audit::{Size, lines};
use std::collections::{HashMap, HashSet};
use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Not a test: the tests start it as a separate process. It writes entries and prints the number of each
/// after writing it.
#[test]
#[ignore = "a part of the other tests"]
fn writer() {
    let Some(dir) = env::var_os("AEGISH_TEST_DIR") else { return };
    let number = |name: &str| env::var(name).unwrap().parse::<u64>().unwrap();
    let size = Size { bytes: number("AEGISH_TEST_BYTES"), files: 1000 };
    let mut recorder = recorder(Path::new(&dir), size);
    let name = env::var("AEGISH_TEST_NAME").unwrap();
    let mut out = std::io::stdout().lock();
    for count in 0..number("AEGISH_TEST_COUNT") {
        let event = decision(&format!("{name} {count} {}", "x".repeat(300)));
        match recorder.record(&event) {
            Ok(seq) => writeln!(out, "wrote {seq} {name} {count}").unwrap(),
            Err(_) if env::var_os("AEGISH_TEST_KEEP").is_some() => {
                recorder.keep(&event).unwrap();
                writeln!(out, "kept {name} {count}").unwrap();
            }
            Err(error) => writeln!(out, "failed {error}").unwrap(),
        }
        out.flush().unwrap();
    }
}

fn start(dir: &Path, name: &str, count: u64, bytes: u64, limit: &str) -> Child {
    Command::new("bash")
        .args(["-c", "$LIMIT; exec \"$@\"", "bash"])
        .arg(env::current_exe().unwrap())
        .args(["--ignored", "--exact", "processes::writer", "--nocapture", "--test-threads=1"])
        .env("LIMIT", limit)
        .env("AEGISH_TEST_DIR", dir)
        .env("AEGISH_TEST_NAME", name)
        .env("AEGISH_TEST_COUNT", count.to_string())
        .env("AEGISH_TEST_BYTES", bytes.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// The output of a writer, line by line.
fn said(child: &mut Child) -> Vec<String> {
    let out = BufReader::new(child.stdout.take().unwrap());
    out.lines().map_while(Result::ok).collect()
}

/// The command of every entry by its number.
fn commands(log: &Path) -> HashMap<u64, String> {
    let mut found = HashMap::new();
    lines(log, |line| {
        if let Some(entry) = line.entry {
            found.insert(entry.seq, entry.command.unwrap_or_default());
        }
        Ok(())
    })
    .unwrap();
    found
}

/// Checks that all reported entries are in the log; returns their number.
fn all_there(log: &Path, said: &[String]) -> usize {
    let found = commands(log);
    let mut count = 0;
    for words in said.iter().filter_map(|line| line.split_once("wrote ")) {
        let mut words = words.1.splitn(2, ' ');
        let seq: u64 = words.next().unwrap().parse().unwrap();
        let what = words.next().unwrap();
        assert!(found[&seq].starts_with(&format!("{what} ")), "{seq} is not {what}");
        count += 1;
    }
    count
}

#[test]
fn several_processes_write_one_chain_through_rotations() {
    let scratch = Scratch::new();
    let mut writers: Vec<Child> =
        (0..6).map(|n| start(&scratch.dir(), &format!("w{n}"), 150, 60_000, ":")).collect();
    let said: Vec<String> = writers.iter_mut().flat_map(said).collect();
    for writer in &mut writers {
        assert!(writer.wait().unwrap().success());
    }
    let verified = whole(&scratch.log());
    assert_eq!((verified.entries, verified.last), (900, 900));
    assert!(verified.files > 5, "{verified:?}");
    assert_eq!(verified.torn, []);
    assert_eq!(all_there(&scratch.log(), &said), 900);
}

#[test]
fn killed_writers_lose_nothing_that_was_written() {
    let scratch = Scratch::new();
    let mut said_all = Vec::new();
    for round in 0..12 {
        let mut writers: Vec<Child> = (0..2)
            .map(|n| start(&scratch.dir(), &format!("r{round}w{n}"), 100_000, 100_000, ":"))
            .collect();
        while !scratch.log().exists() {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(60 + 7 * round));
        for writer in &mut writers {
            writer.kill().unwrap();
        }
        for mut writer in writers {
            said_all.extend(said(&mut writer));
            writer.wait().unwrap();
        }
    }
    recorder(&scratch.dir(), ROOMY).record(&decision("last")).unwrap();
    let verified = whole(&scratch.log());
    assert_eq!(verified.unfinished, None);
    let count = all_there(&scratch.log(), &said_all);
    assert!(count > 0, "nobody came to write anything");
}

#[test]
fn a_full_disk_is_an_error_and_leaves_no_partial_line() {
    let scratch = Scratch::new();
    // In units of 1024 bytes; the limit is reached in the middle of a line.
    let mut writer = start(&scratch.dir(), "full", 40, 10_000_000, "ulimit -f 8");
    let said = said(&mut writer);
    assert!(writer.wait().unwrap().success(), "the limit did not end the process");
    let failed = said.iter().filter(|line| line.contains("failed the audit log was not written"));
    assert!(failed.count() > 10, "{said:?}");
    let count = all_there(&scratch.log(), &said);
    assert!(count > 2, "{said:?}");
    let verified = whole(&scratch.log());
    assert_eq!((verified.entries as usize, verified.unfinished), (count, None));
    // With free space again, writing continues normally.
    recorder(&scratch.dir(), ROOMY).record(&decision("again")).unwrap();
    assert_eq!(whole(&scratch.log()).entries as usize, count + 1);
    assert!(fs::metadata(scratch.log()).unwrap().len() > 0);
}

#[test]
fn what_a_full_disk_did_not_take_is_written_when_there_is_room() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(ROOMY);
    recorder.record(&decision("first")).unwrap();
    // A directory of which nothing can be appended to stands for a disk without room.
    let file = scratch.log();
    let away = scratch.path().join("away");
    fs::rename(&file, &away).unwrap();
    fs::create_dir(&file).unwrap();
    for number in 0..3 {
        let event = decision(&format!("kept {number}"));
        assert!(recorder.record(&event).is_err());
        recorder.keep(&event).unwrap();
    }
    fs::remove_dir(&file).unwrap();
    fs::rename(&away, &file).unwrap();
    // Another process goes on.
    let number = scratch.recorder(ROOMY).record(&decision("last")).unwrap();
    assert_eq!(number, 5);
    let mut commands = Vec::new();
    lines(&file, |line| {
        commands.push(line.entry.unwrap().command.unwrap());
        Ok(())
    })
    .unwrap();
    assert_eq!(commands, ["first", "kept 0", "kept 1", "kept 2", "last"]);
    assert_eq!(whole(&file).entries, 5);
}

#[test]
fn killed_writers_lose_nothing_that_waits_for_room() {
    let scratch = Scratch::new();
    recorder(&scratch.dir(), ROOMY).record(&decision("first")).unwrap();
    let file = scratch.log();
    let away = scratch.path().join("away");
    fs::rename(&file, &away).unwrap();
    fs::create_dir(&file).unwrap();
    let mut kept = Vec::new();
    for round in 0..20 {
        let limit = "export AEGISH_TEST_KEEP=1";
        let mut writer = start(&scratch.dir(), &format!("r{round}"), 100_000, 10_000_000, limit);
        std::thread::sleep(Duration::from_millis(80 + 3 * round));
        writer.kill().unwrap();
        kept.extend(said(&mut writer));
        writer.wait().unwrap();
    }
    fs::remove_dir(&file).unwrap();
    fs::rename(&away, &file).unwrap();
    recorder(&scratch.dir(), ROOMY).record(&decision("last")).unwrap();
    let found: HashSet<String> = commands(&file).into_values().collect();
    let missing = |what: &str| !found.contains(&format!("{what} {}", "x".repeat(300)));
    let kept: Vec<&str> =
        kept.iter().filter_map(|line| Some(line.split_once("kept ")?.1)).collect();
    assert!(kept.len() > 20, "nobody came to keep anything");
    let lost: Vec<&&str> = kept.iter().filter(|what| missing(what)).collect();
    assert!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), kept.len());
    whole(&file);
}

#[test]
fn a_lock_that_is_held_on_purpose_is_not_waited_for_forever() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(ROOMY);
    recorder.record(&decision("one")).unwrap();
    let held = fs::File::open(scratch.log()).unwrap();
    held.lock().unwrap();
    let why = recorder.record(&decision("two")).unwrap_err().to_string();
    assert!(why.contains("does not let go of its lock"), "{why}");
    drop(held);
    recorder.record(&decision("two")).unwrap();
}
