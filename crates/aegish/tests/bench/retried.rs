//! `aegish bench retry`: what timed out or failed is asked again; everything else stays as it is.

use crate::folder::{BenchFolder, content, records};
use crate::model_server::{ModelServer, ServerResponse};
use aegish_log::{Log, LogStatus};
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const RUN: [&str; 5] = [
    "run",
    "--model=openai/gpt-5-mini",
    "--dataset=set.jsonl",
    "--time-limit=0.4",
    "--max-connections=8",
];

/// Five samples hang and three fail permanently, until the server recovers.
fn sick_server(well: &Arc<AtomicBool>) -> ModelServer {
    let well = Arc::clone(well);
    ModelServer::scripted(move |asked| {
        let is = |number: u32| asked.command.contains(&format!("sample {number}\\\""));
        match () {
            () if well.load(Ordering::SeqCst) => ServerResponse::Answer,
            () if [3, 11, 12, 30, 31].into_iter().any(is) => ServerResponse::Hang,
            () if [5, 6, 7].into_iter().any(is) => ServerResponse::Status(400),
            () => ServerResponse::Answer,
        }
    })
    .unwrap()
}

#[test]
fn lost_samples_are_merged_back_and_the_original_is_kept() {
    let folder = BenchFolder::new("retry", 60);
    let well = Arc::new(AtomicBool::new(false));
    let server = sick_server(&well);
    let first = folder.run(Some(&server), &RUN);
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    let log = folder.logs()[0].clone();
    let before = content(&log);
    let lost = |log| {
        let lost = records(log);
        let timed = lost.iter().filter(|record| record.limit.is_some()).count();
        (timed, lost.iter().filter(|record| record.error.is_some()).count())
    };
    assert_eq!(lost(&log), (5, 3));
    let said = String::from_utf8_lossy(&first.stdout).into_owned();
    assert!(said.contains("3 of 60 answers failed and have no score"), "{said}");
    let header = Log::open(&log).unwrap().header().clone();
    let results = header.results.unwrap();
    assert_eq!(results["scores"][0]["unscored_samples"], 3);
    assert_eq!(results["metadata"]["aegish"]["answers"]["TIMEOUT_ERROR"], 5);
    assert_eq!(results["metadata"]["aegish"]["timeouts"], 5);
    let original = fs::read(&log).unwrap();

    // The server still fails: nothing is repaired, and nothing becomes worse.
    let name = log.display().to_string();
    let retry = ["retry", &name, "--time-limit=0.5"];
    let vain = folder.run(Some(&server), &retry);
    let said = String::from_utf8_lossy(&vain.stdout).into_owned();
    assert!(said.contains("0 of 8 samples repaired"), "{said}");
    assert_eq!(content(&log), before);
    let kept = log.parent().unwrap().join("originals").join(log.file_name().unwrap());
    assert_eq!(fs::read(&kept).unwrap(), original);

    well.store(true, Ordering::SeqCst);
    let done = folder.run(Some(&server), &["retry", &name, "--time-limit=5"]);
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success() && said.contains("8 of 8 samples repaired"), "{said}");
    let after = content(&log);
    assert_eq!((after.answers.len(), lost(&log)), (60, (0, 0)));
    for (key, answer) in &before.answers {
        if answer.1 != "TIMEOUT_ERROR" && answer.1 != "ERROR" {
            assert_eq!(after.answers.get(key), Some(answer), "{key:?} was answered before");
        }
    }
    let header = Log::open(&log).unwrap().header().clone();
    assert_eq!(header.status, LogStatus::Success);
    assert_eq!(header.eval.config["time_limit"], 5, "the limit that was used");
    assert_eq!(header.eval.metadata["time_limit_seconds"], 5.0);
    let results = header.results.unwrap();
    assert_eq!(results["scores"][0]["scored_samples"], 60);
    assert_eq!(
        results["metadata"]["aegish"]["errors"], 0,
        "the counts are those of the mended log"
    );
    assert_eq!(fs::read(&kept).unwrap(), original, "the first original stays");
    let nothing = folder.run(Some(&server), &["retry", &name]);
    assert!(String::from_utf8_lossy(&nothing.stdout).contains("nothing to repair"));
}

#[test]
fn failed_samples_are_asked_again_when_a_run_is_resumed() {
    let folder = BenchFolder::new("errors", 12);
    let well = Arc::new(AtomicBool::new(false));
    let broken = Arc::clone(&well);
    let server = ModelServer::scripted(move |_| {
        if broken.load(Ordering::SeqCst) {
            ServerResponse::Answer
        } else {
            ServerResponse::Status(400)
        }
    })
    .unwrap();
    let failed = folder.run(Some(&server), &RUN);
    assert_eq!(failed.status.code(), Some(3));
    let log = folder.logs()[0].clone();
    assert_eq!(Log::open(&log).unwrap().header().status, LogStatus::Error);
    well.store(true, Ordering::SeqCst);
    assert!(folder.run(Some(&server), &RUN).status.success());
    assert_eq!(folder.logs(), std::slice::from_ref(&log));
    let content = content(&log);
    assert_eq!(content.answers.len(), 12);
    assert!(content.answers.values().all(|(_, answer)| answer != "TIMEOUT_ERROR"));
}

#[test]
fn a_log_of_another_program_can_be_repaired_with_a_system_of_ones_own() {
    let folder = BenchFolder::new("foreign", 10);
    let well = Arc::new(AtomicBool::new(false));
    let server = sick_server(&well);
    assert!(folder.run(Some(&server), &RUN).status.success());
    let log = folder.logs()[0].display().to_string();
    let answer = concat!(
        "while IFS= read -r line; do id=${line#*'\"id\":\"'}; id=${id%%'\"'*}; ",
        "printf '{\"id\":\"%s\",\"action\":\"warn\"}\\n' \"$id\"; done"
    );
    fs::write(folder.0.join("guard.sh"), answer).unwrap();
    let done = folder.run(None, &["retry", &log, "--system=exec:sh guard.sh"]);
    let said = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(said.contains("4 of 4 samples repaired"), "{said}");
    let repaired = content(&folder.logs()[0]);
    assert_eq!(repaired.answers[&("s-0003".to_owned(), 1)].1, "WARN");
}

#[test]
fn the_cost_limit_of_a_retry_holds_from_its_first_question() {
    let folder = BenchFolder::new("retry-cost", 60);
    let well = Arc::new(AtomicBool::new(false));
    let server = sick_server(&well);
    assert!(folder.run(Some(&server), &RUN).status.success());
    well.store(true, Ordering::SeqCst);
    let answers = || server.counts().answers.load(Ordering::SeqCst);
    let before = answers();
    let name = folder.logs()[0].display().to_string();
    // Enough for two of the eight answers.
    let retry = ["retry", &name, "--cost-limit=0.002", "--max-connections=8"];
    assert_eq!(folder.run(Some(&server), &retry).status.code(), Some(3));
    assert_eq!(answers() - before, 2);
}
