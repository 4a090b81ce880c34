//! How long it takes to prepare a run and to throw it away: `cargo bench -p aegish-undo`.
#![allow(clippy::print_stdout, clippy::unwrap_used)] // a measurement

use aegish_undo::{Store, Subject};
use std::fs;
use std::time::{Duration, Instant};

const RUNS: usize = 100;

fn main() {
    let dir = std::env::temp_dir().join(format!("aegish-undo-bench-{}", std::process::id()));
    let root = dir.join("tree");
    for number in 0..2000 {
        let part = root.join((number % 50).to_string());
        fs::create_dir_all(&part).unwrap();
        fs::write(part.join(number.to_string()), "content").unwrap();
    }
    let places = vec![dir.join("store")];
    let store = Store { places, kept_for: Duration::from_secs(60), most: u64::MAX };
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let subject = Subject { command: "bench".to_owned(), cwd: root.clone() };
        let began = Instant::now();
        match store.begin_overlay(subject, std::slice::from_ref(&root)) {
            Ok(run) => {
                times.push(began.elapsed());
                run.discard().unwrap();
            }
            Err(error) => {
                println!("skipped: {error}");
                break;
            }
        }
    }
    times.sort();
    if let (Some(median), Some(slowest)) = (times.get(times.len() / 2), times.last()) {
        println!(
            "set-up of an overlay of 2000 files: median {median:?}, slowest of {RUNS} {slowest:?}"
        );
    }
    fs::remove_dir_all(&dir).unwrap();
}
