//! Rotation of full files.

use crate::{Scratch, decision, whole};
use aegish_audit::{LogStart, Size, files, last_lines};
use std::fs;

const SMALL: Size = Size { bytes: 4096, files: 3 };

#[test]
fn full_files_are_renamed_and_the_chain_continues() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(SMALL);
    for number in 0..15 {
        recorder.record(&decision(&format!("echo {number}"))).unwrap();
    }
    let files = files(&scratch.log()).unwrap();
    assert!(files.len() > 1 && files.len() <= 4, "{files:?}");
    for file in &files {
        assert!(fs::metadata(file).unwrap().len() <= SMALL.bytes, "{}", file.display());
    }
    let verified = whole(&scratch.log());
    assert_eq!(
        (verified.files, verified.last, verified.start),
        (files.len(), 15, LogStart::Beginning)
    );
    assert_eq!(verified.entries, 15);
}

#[test]
fn the_number_of_old_files_is_bounded() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(SMALL);
    for number in 0..60 {
        recorder.record(&decision(&format!("echo {number}"))).unwrap();
    }
    assert_eq!(files(&scratch.log()).unwrap().len(), 4);
    let verified = whole(&scratch.log());
    assert_eq!(verified.last, 60);
    assert!(matches!(verified.start, LogStart::Later(first) if first > 1), "{verified:?}");
    // The limit is lowered.
    let mut recorder = scratch.recorder(Size { files: 1, ..SMALL });
    for number in 0..20 {
        recorder.record(&decision(&format!("echo {number}"))).unwrap();
    }
    assert_eq!(files(&scratch.log()).unwrap().len(), 2);
    assert_eq!(whole(&scratch.log()).last, 80);
}

#[test]
fn a_rotation_that_was_interrupted_loses_nothing() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(SMALL);
    let mut count = 0;
    while files(&scratch.log()).map_or(0, |files| files.len()) < 2 {
        count += 1;
        recorder.record(&decision("true")).unwrap();
    }
    // Only the first step of a rotation.
    let old = |number: u32| scratch.dir().join(format!("audit.log.{number}"));
    fs::rename(old(1), old(2)).unwrap();
    for _ in 0..10 {
        count += 1;
        recorder.record(&decision("true")).unwrap();
    }
    assert_eq!(whole(&scratch.log()).entries, count);
    assert!(old(1).exists() && old(2).exists());
}

#[test]
fn a_log_rotated_by_another_program_continues_the_chain() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(SMALL);
    recorder.record(&decision("one")).unwrap();
    fs::rename(scratch.log(), scratch.dir().join("audit.log.1")).unwrap();
    recorder.record(&decision("two")).unwrap();
    // As logrotate does with `create`.
    fs::rename(scratch.dir().join("audit.log.1"), scratch.dir().join("audit.log.2")).unwrap();
    fs::rename(scratch.log(), scratch.dir().join("audit.log.1")).unwrap();
    fs::write(scratch.log(), "").unwrap();
    recorder.record(&decision("three")).unwrap();
    let verified = whole(&scratch.log());
    assert_eq!((verified.entries, verified.last), (3, 3));
}

#[test]
fn the_last_lines_come_from_several_files() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(SMALL);
    for number in 0..15 {
        recorder.record(&decision(&format!("echo {number}"))).unwrap();
    }
    let numbers = |most: usize| -> Vec<u64> {
        let lines = last_lines(&scratch.log(), most, |_| true).unwrap();
        lines.iter().map(|line| line.entry.as_ref().unwrap().seq).collect()
    };
    assert_eq!(numbers(3), [13, 14, 15]);
    assert_eq!(numbers(12), (4..=15).collect::<Vec<u64>>());
    assert_eq!(numbers(100), (1..=15).collect::<Vec<u64>>());
    let odd = last_lines(&scratch.log(), 2, |line| line.entry.as_ref().unwrap().seq % 2 == 1);
    let odd: Vec<u64> = odd.unwrap().iter().map(|line| line.entry.as_ref().unwrap().seq).collect();
    assert_eq!(odd, [13, 15]);
}
