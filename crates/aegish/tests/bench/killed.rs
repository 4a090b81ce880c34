//! Runs killed with `kill -9` at random points: no sample is lost or repeated, and the metrics are the same.

use crate::folder::{BenchFolder, content, records, slow_server};
use crate::model_server::ModelServer;
use aegish_log::{Log, LogStatus};
use std::hash::{BuildHasher, RandomState};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

const SAMPLES: u32 = 150;
const CONNECTIONS: u64 = 3;
/// Answers that wait to be written, and the one that is being written.
const ON_ITS_WAY: u64 = 33;
const KILLS: u32 = 60;
const ARGUMENTS: [&str; 8] = [
    "run",
    "--model=openai/gpt-5-mini",
    "--dataset=set.jsonl",
    "--max-connections=3",
    "--epochs=2",
    "--time-limit=20",
    "--yes",
    "--log-dir=logs",
];

fn random(below: u64) -> u64 {
    RandomState::new().hash_one(Instant::now()) % below
}

fn start(folder: &BenchFolder, server: &ModelServer) -> Child {
    let mut command = folder.bench(Some(server), &ARGUMENTS);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Waits until the server has received this many requests, or the run is over.
fn wait_for(server: &ModelServer, requests: u64, child: &mut Child) {
    while server.counts().requests.load(Ordering::SeqCst) < requests
        && child.try_wait().unwrap().is_none()
    {
        thread::sleep(Duration::from_micros(200));
    }
}

#[test]
fn a_run_that_is_killed_again_and_again_ends_like_one_that_never_was() {
    let folder = BenchFolder::new("killed", SAMPLES);
    let server = slow_server(Duration::from_millis(2));
    assert!(folder.run(Some(&server), &ARGUMENTS).status.success());
    let logs = folder.logs();
    assert_eq!(logs.len(), 1);
    let undisturbed = content(&logs[0]);
    assert_eq!(undisturbed.answers.len(), 2 * SAMPLES as usize);
    drop(server);

    let (mut killed, mut in_the_middle, mut rounds) = (0, 0, 0);
    while killed < KILLS {
        rounds += 1;
        folder.forget_logs();
        let server = slow_server(Duration::from_millis(2));
        let mut kills = 0;
        loop {
            let mut child = start(&folder, &server);
            // Sometimes at the very start, mostly within the next samples.
            if random(8) == 0 {
                thread::sleep(Duration::from_millis(random(40)));
            } else {
                let asked = server.counts().requests.load(Ordering::SeqCst);
                wait_for(&server, asked + 1 + random(60), &mut child);
                thread::sleep(Duration::from_micros(random(4000)));
            }
            if child.try_wait().unwrap().is_some_and(|status| status.success()) {
                break;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
            for log in folder.logs() {
                let empty = std::fs::metadata(&log).unwrap().len() == 0;
                assert!(empty || Log::open(&log).is_ok(), "{} cannot be read", log.display());
            }
            // A log without samples is smaller than the prompt in it.
            let begun =
                |log: &PathBuf| std::fs::metadata(log).is_ok_and(|meta| meta.len() > 20_000);
            in_the_middle += u32::from(folder.logs().iter().any(begun));
            if killed + kills >= KILLS {
                assert!(folder.run(Some(&server), &ARGUMENTS).status.success());
                break;
            }
        }
        killed += kills;
        let logs = folder.logs();
        assert_eq!(logs.len(), 1, "one log, however often it was continued: {logs:?}");
        assert_eq!(content(&logs[0]), undisturbed);
        // Only requests in flight, and answers that are not in the log yet, are asked again.
        let answers = server.counts().answers.load(Ordering::SeqCst);
        let most = u64::from(2 * SAMPLES) + u64::from(kills) * (CONNECTIONS + ON_ITS_WAY);
        assert!(answers <= most, "{answers} answers for {kills} kills");
        let left: Vec<_> = std::fs::read_dir(folder.0.join("logs")).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing is left beside the log");
    }
    assert!(in_the_middle >= KILLS / 2, "{in_the_middle} of {killed} kills left samples behind");
    assert!(rounds > 1);
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn ctrl_c_ends_cleanly_and_the_same_command_resumes() {
    for name in ["-INT", "-TERM"] {
        let folder = BenchFolder::new(&format!("stopped{name}"), SAMPLES);
        let server = slow_server(Duration::from_millis(5));
        let mut child = start(&folder, &server);
        wait_for(&server, 50, &mut child);
        signal(&child, name);
        assert_eq!(child.wait().unwrap().code(), Some(3));
        let logs = folder.logs();
        let stopped = Log::open(&logs[0]).unwrap();
        assert_eq!(stopped.header().status, LogStatus::Cancelled);
        assert!(stopped.header().results.is_some());
        let finished = records(&logs[0]).len() as u64;
        assert!((40..290).contains(&finished), "{finished}");
        assert_eq!(server.counts().answers.load(Ordering::SeqCst), finished);
        let again = folder.run(Some(&server), &ARGUMENTS);
        assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
        assert_eq!(folder.logs(), logs);
        assert_eq!(content(&logs[0]).answers.len(), 2 * SAMPLES as usize);
        assert_eq!(server.counts().answers.load(Ordering::SeqCst), u64::from(2 * SAMPLES));
    }
}

#[test]
fn a_second_ctrl_c_does_not_wait() {
    use crate::model_server::ServerResponse;
    let folder = BenchFolder::new("twice", SAMPLES);
    let server = ModelServer::scripted(|asked| {
        if asked.number < 20 { ServerResponse::Answer } else { ServerResponse::Hang }
    })
    .unwrap();
    let mut child = start(&folder, &server);
    wait_for(&server, 22, &mut child);
    signal(&child, "-INT");
    thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it waits for what is under way");
    let asked = Instant::now();
    signal(&child, "-INT");
    assert_eq!(child.wait().unwrap().code(), Some(3));
    assert!(asked.elapsed() < Duration::from_secs(3));
    let logs = folder.logs();
    assert_eq!(Log::open(&logs[0]).unwrap().header().status, LogStatus::Cancelled);
    assert_eq!(records(&logs[0]).len(), 20);
}
