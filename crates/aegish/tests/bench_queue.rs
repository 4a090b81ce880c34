//! `aegish bench run --queue` with two workers, and the same run without.
#![cfg(feature = "bench")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod common;

use common::aegish;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, process, thread};

/// Processes and files that are removed at the end.
struct Stage {
    dir: PathBuf,
    children: Vec<Child>,
}

impl Stage {
    fn new() -> Self {
        let dir = env::temp_dir().join(format!("aegish-queue-{}", process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        Self { dir, children: Vec::new() }
    }

    fn path(&self, name: &str) -> String {
        self.dir.join(name).to_string_lossy().into_owned()
    }

    /// Starts a server with a password on a free port; nothing if none is installed.
    fn queue(&mut self) -> Option<String> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""])
            .args(["--requirepass", "open sesame", "--dir", &self.path("")])
            .stdout(Stdio::null())
            .spawn();
        let Ok(server) = server else {
            println!("skipped: redis-server is not installed");
            return None;
        };
        self.children.push(server);
        let until = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(Instant::now() < until, "the server does not answer");
            thread::sleep(Duration::from_millis(20));
        }
        Some(format!("redis://:open%20sesame@127.0.0.1:{port}"))
    }

    fn worker(&mut self, queue: &str) {
        let worker = Command::new(env!("CARGO_BIN_EXE_aegish"))
            .args(["bench", "worker", "--until-done", "--queue", queue])
            .stderr(Stdio::piped())
            .spawn();
        self.children.push(worker.unwrap());
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        for child in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// The lines of the table with metrics, without times.
fn figures(stdout: &str) -> Vec<String> {
    let line = |line: &str| line.split_whitespace().take(9).collect::<Vec<_>>().join(" ");
    stdout
        .lines()
        .filter(|text| text.starts_with("static") || text.starts_with("score"))
        .map(line)
        .collect()
}

#[test]
fn workers_come_to_the_same_figures_as_one_machine() {
    let mut stage = Stage::new();
    let Some(queue) = stage.queue() else { return };
    let (many, one) = (stage.path("many"), stage.path("one"));
    let common = [
        "bench",
        "run",
        "--system",
        "static",
        "-d",
        "malicious",
        "-d",
        "harmless",
        "--limit",
        "200",
    ];
    stage.worker(&queue);
    stage.worker(&queue);
    let with = aegish(&[&common[..], &["--queue", &queue, "--log-dir", &many]].concat(), b"");
    assert_eq!(with.status, 0, "{}", with.stderr);
    let without = aegish(&[&common[..], &["--log-dir", &one]].concat(), b"");
    assert_eq!(without.status, 0, "{}", without.stderr);
    assert_eq!(figures(&with.stdout), figures(&without.stdout));
    assert_eq!(figures(&with.stdout).len(), 3, "{}", with.stdout);
    for mut worker in stage.children.drain(1..) {
        let ended = worker.wait().unwrap();
        assert!(ended.success());
    }
}

#[test]
fn a_wrong_address_is_refused_before_anything_is_asked() {
    let run = aegish(&["bench", "run", "--queue", "localhost"], b"");
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("write redis://HOST:PORT"), "{}", run.stderr);
    let dir = env::temp_dir().join(format!("aegish-no-queue-{}", process::id()));
    let dir = dir.to_string_lossy();
    let run = aegish(
        &["bench", "run", "-d", "obfuscated", "--queue", "redis://127.0.0.1:1", "--log-dir", &dir],
        b"",
    );
    assert_eq!(run.status, 3);
    assert!(
        run.stderr.contains("nothing was asked: the server cannot be reached"),
        "{}",
        run.stderr
    );
    let _ = fs::remove_dir_all(&*dir);
}
