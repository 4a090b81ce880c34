//! Detection of changes.

use crate::{ROOMY, Scratch, decision, whole};
use aegish_audit::{EventKind, lines, verify};
use std::fs;

/// A log of five entries, after a change.
fn after(change: impl Fn(&mut Vec<String>)) -> Result<u64, (u64, String)> {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(ROOMY);
    for number in 1..=5 {
        recorder.record(&decision(&format!("echo {number}"))).unwrap();
    }
    let text = fs::read_to_string(scratch.log()).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    change(&mut lines);
    fs::write(scratch.log(), lines.iter().map(|line| format!("{line}\n")).collect::<String>())
        .unwrap();
    match verify(&scratch.log()).unwrap() {
        Ok(verified) => Ok(verified.entries),
        Err(broken) => Err((broken.line, broken.why)),
    }
}

fn changed(line: u64) -> Result<u64, (u64, String)> {
    Err((line, "this line was changed after it was written".to_owned()))
}

#[test]
fn an_unchanged_log_is_valid() {
    assert_eq!(after(|_| {}), Ok(5));
}

#[test]
fn a_changed_line_is_named() {
    for at in 0..5 {
        let found = after(|lines| lines[at] = lines[at].replace("echo", "ohce"));
        assert_eq!(found, changed(at as u64 + 1));
    }
}

#[test]
fn a_changed_line_with_a_new_hash_of_its_own_is_named() {
    use data_encoding::HEXLOWER;
    use sha2::{Digest, Sha256};
    let found = after(|lines| {
        let json = lines[2].replace("echo", "ohce");
        let json = format!("{}}}", json.split(",\"hash\"").next().unwrap());
        let hash = HEXLOWER.encode(&Sha256::digest(json.as_bytes()));
        lines[2] = format!("{},\"hash\":\"{hash}\"}}", json.strip_suffix('}').unwrap());
    });
    assert_eq!(found, changed(3));
}

#[test]
fn lines_that_were_taken_out_put_in_or_moved_are_noticed() {
    let (line, why) = after(|lines| drop(lines.remove(2))).unwrap_err();
    assert_eq!((line, why.as_str()), (3, "1 entries are missing before this line (3 to 3)"));
    let (line, _) = after(|lines| lines.insert(2, lines[0].clone())).unwrap_err();
    assert_eq!(line, 3);
    assert!(after(|lines| lines.swap(1, 2)).is_err());
    let (line, why) = after(|lines| lines.insert(3, "{}".to_owned())).unwrap_err();
    assert_eq!(line, 4);
    assert!(why.contains("no entry"), "{why}");
    assert_eq!(after(|lines| lines.push("junk".to_owned())).unwrap_err().0, 6);
    assert_eq!(after(|lines| lines[4] = String::new()).unwrap_err().0, 5);
}

#[test]
fn an_old_file_that_is_missing_is_noticed() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(aegish_audit::Size { bytes: 2048, files: 9 });
    for number in 0..20 {
        recorder.record(&decision(&format!("echo {number}"))).unwrap();
    }
    whole(&scratch.log());
    fs::remove_file(scratch.dir().join("audit.log.2")).unwrap();
    let broken = verify(&scratch.log()).unwrap().unwrap_err();
    assert_eq!(broken.file, scratch.dir().join("audit.log.1"));
    assert_eq!(broken.line, 1);
    assert!(broken.why.contains("missing"), "{broken}");
}

#[test]
fn a_partial_line_is_closed_and_reported_by_the_next_writer() {
    // Cut after the first byte, in the middle, and before the line end.
    for kept in [1, 200, usize::MAX] {
        let scratch = Scratch::new();
        let mut recorder = scratch.recorder(ROOMY);
        recorder.record(&decision("one")).unwrap();
        let first = fs::read(scratch.log()).unwrap();
        recorder.record(&decision("two")).unwrap();
        let all = fs::read(scratch.log()).unwrap();
        let length = first.len() + kept.min(all.len() - first.len() - 1);
        fs::write(scratch.log(), &all[..length]).unwrap();
        let unfinished = whole(&scratch.log()).unfinished;
        assert_eq!(unfinished, Some((scratch.log(), 2)), "{kept}");
        recorder.record(&decision("three")).unwrap();
        let verified = whole(&scratch.log());
        assert_eq!(verified.torn, [(scratch.log(), 2)], "{kept}");
        assert_eq!(verified.unfinished, None);
        let mut kinds = Vec::new();
        lines(&scratch.log(), |line| {
            kinds.push(line.entry.map(|entry| entry.event));
            Ok(())
        })
        .unwrap();
        let second = (kept == usize::MAX).then_some(EventKind::Decision);
        let (decision, torn) = (Some(EventKind::Decision), Some(EventKind::Torn));
        assert_eq!(kinds, [decision, second, torn, decision], "{kept}");
        // The rest of the line belongs to the chain as well.
        let text = fs::read(scratch.log()).unwrap();
        let mut forged = text.clone();
        forged[first.len()] = b'[';
        fs::write(scratch.log(), forged).unwrap();
        assert!(verify(&scratch.log()).unwrap().is_err(), "{kept}");
    }
}

#[test]
fn junk_at_the_end_does_not_stop_the_log_and_is_found() {
    let scratch = Scratch::new();
    let mut recorder = scratch.recorder(ROOMY);
    recorder.record(&decision("one")).unwrap();
    let mut text = fs::read(scratch.log()).unwrap();
    text.extend_from_slice(&[b'x'; 100_000]);
    text.push(b'\n');
    fs::write(scratch.log(), text).unwrap();
    assert_eq!(recorder.record(&decision("two")).unwrap(), 2);
    assert_eq!(verify(&scratch.log()).unwrap().unwrap_err().line, 2);
}
