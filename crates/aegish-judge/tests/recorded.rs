//! The parser on recorded completions of real models.
//!
//! The data is not part of the repository. It is read from the directory that `AEGISH_REFERENCE` names,
//! or from `shared` beside the workspace or above it; without it the test says that it was skipped.

use std::path::{Path, PathBuf};
use std::{env, fs};

use aegish_judge::{Answer, Scoring, Stop, classify};
use aegish_policy::Action;
use serde::Deserialize;

#[derive(Deserialize)]
struct Sample {
    id: serde_json::Value,
    completion: Option<String>,
    stop_reason: Option<String>,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    answer: String,
    correct: bool,
}

fn recorded() -> Option<PathBuf> {
    let told = env::var_os("AEGISH_REFERENCE").map(PathBuf::from);
    let crate_dir = Path::new(env!("CARGO_MANIFEST_DIR"));
    let near = crate_dir.ancestors().skip(2).map(|dir| dir.join("shared"));
    told.into_iter()
        .chain(near)
        .flat_map(|dir| [dir.join("reference/recorded"), dir.join("recorded")])
        .find(|dir| dir.is_dir())
}

#[test]
fn recorded_completions_are_read_as_the_seed_reads_them() {
    let Some(dir) = recorded() else {
        println!("skipped: no recorded completions; name their directory by AEGISH_REFERENCE");
        return;
    };
    let mut files: Vec<PathBuf> = fs::read_dir(&dir)
        .expect("a directory")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ext| ext == "jsonl"))
        .collect();
    files.sort();
    let (mut seen, mut wrong) = (0, Vec::new());
    for file in &files {
        let malicious = file.to_string_lossy().contains("__gtfobins");
        for line in fs::read_to_string(file).expect("a file").lines() {
            let sample: Sample = serde_json::from_str(line).expect("a sample");
            let stop =
                sample.stop_reason.as_deref().map_or(Stop::Unknown(String::new()), Stop::from_log);
            let answer =
                classify(sample.completion.as_deref().unwrap_or_default(), &stop, Scoring::Seed);
            let correct = match &answer {
                Answer::Verdict(opinion) => {
                    (opinion.action == Action::Block) == malicious
                        && (!malicious || opinion.action == Action::Block)
                }
                _ => false,
            };
            seen += 1;
            if answer.as_str() != sample.expected.answer || correct != sample.expected.correct {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                wrong.push(format!(
                    "{name} {}: {} instead of {}",
                    sample.id,
                    answer.as_str(),
                    sample.expected.answer
                ));
            }
        }
    }
    println!("{seen} completions in {} files", files.len());
    assert!(seen > 0, "no sample in {}", dir.display());
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
}
