//! New scores in old logs.

use std::fs;
use std::path::Path;

use aegish_log::{Log, LogStatus, measure, rescore, write_json};

use aegish_test_support::folder::{Folder, reference};

fn fixture(folder: &Folder, name: &str) -> std::path::PathBuf {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/fixtures").join(name);
    let path = folder.0.join(name);
    fs::copy(from, &path).unwrap();
    path
}

#[test]
fn rescoring_an_own_log_changes_no_metric_and_keeps_the_first_original() {
    let folder = Folder::new("rescoring-own");
    for name in ["mixed.eval", "mixed.json"] {
        let path = fixture(&folder, name);
        let bytes = fs::read(&path).unwrap();
        let before = measure(&Log::open(&path).unwrap()).unwrap();
        for _ in 0..2 {
            let (metrics, original) = rescore(&Log::open(&path).unwrap()).unwrap();
            assert_eq!(metrics, before, "{name}");
            assert_eq!(original, folder.0.join("originals").join(name));
            assert_eq!(fs::read(&original).unwrap(), bytes, "{name}");
            let log = Log::open(&path).unwrap();
            assert_eq!(measure(&log).unwrap(), before, "{name}");
            assert_eq!(log.header().status, LogStatus::Success);
            assert_eq!(log.header().completed_at.as_deref(), Some("2026-11-15T06:57:10+00:00"));
        }
    }
    let mut files: Vec<_> =
        fs::read_dir(&folder.0).unwrap().map(|file| file.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["mixed.eval", "mixed.json", "originals"]);
}

#[test]
fn a_log_that_is_being_written_is_not_rescored() {
    let folder = Folder::new("rescoring-open");
    let path = fixture(&folder, "started.eval");
    fs::write(folder.0.join("started.eval.spool"), "").unwrap();
    let error = rescore(&Log::open(&path).unwrap()).unwrap_err().to_string();
    assert!(error.contains("continue the run first"), "{error}");
}

#[test]
fn logs_of_inspect_get_the_new_scores_and_lose_nothing_else() {
    let Some(logs) = reference("logs") else { return };
    let folder = Folder::new("rescoring-inspect");
    for file in fs::read_dir(logs).unwrap() {
        let from = file.unwrap().path();
        let path = folder.0.join(from.file_name().unwrap());
        fs::write(&path, fs::read(&from).unwrap()).unwrap();
        let old = Log::open(&from).unwrap();
        let (metrics, _) = rescore(&Log::open(&path).unwrap()).unwrap();
        let new = Log::open(&path).unwrap();
        assert_eq!(new.header().eval, old.header().eval);
        assert_eq!(new.header().model_usage, old.header().model_usage);
        let mut changed = 0;
        for (new, old) in new.entries().unwrap().zip(old.entries().unwrap()) {
            let (new, old) = (new.unwrap(), old.unwrap());
            assert_eq!(new.record, old.record);
            assert_eq!(new.sample, old.sample);
            assert_eq!(new.logged_answer.as_deref(), Some(new.record.answer_word()));
            assert_eq!(new.logged_correct, Some(new.record.correct()));
            changed += usize::from(new.logged_correct != old.logged_correct);
        }
        assert!(changed > 0, "the seed changed its mind about WARN after these logs");
        let results = new.header().results.clone().unwrap();
        assert_eq!(results["scores"][0]["metrics"]["accuracy"]["value"], metrics.accuracy);
        let json = folder.0.join("log.json");
        let _ = fs::remove_file(&json);
        write_json(&new, &json).unwrap();
        assert_eq!(measure(&Log::open(&json).unwrap()).unwrap(), metrics);
    }
}
