//! A folder with a data set and logs, and the program in it.

use crate::model_server::{ModelRequest, ModelServer, ServerResponse};
use aegish_log::{Log, LogStatus};
use aegish_log::{Metrics, Record, Tally};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

pub(crate) struct BenchFolder(pub(crate) PathBuf);

impl BenchFolder {
    /// With `n` commands, half of them to be blocked.
    pub(crate) fn new(name: &str, n: u32) -> Self {
        let dir = std::env::temp_dir().join(format!("aegish-bench-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        let folder = Self(dir);
        folder.add_set("set.jsonl", n);
        folder
    }

    /// A data set of `n` commands, half of them to be blocked; no other set has the same commands.
    pub(crate) fn add_set(&self, name: &str, n: u32) {
        let mut rows = String::new();
        let of = if name == "set.jsonl" { String::new() } else { format!(" of {name}") };
        for i in 0..n {
            let expect = if i.is_multiple_of(2) { "block" } else { "pass" };
            let category = ["shell", "upload", "download"][(i % 3) as usize];
            writeln!(
                rows,
                r#"{{"id":"s-{i:04}","command":"echo \"sample {i}{of}\"","expect":"{expect}","category":"{category}"}}"#
            )
            .unwrap();
        }
        fs::write(self.0.join(name), rows).unwrap();
    }

    /// `aegish bench TASK …` here, against a server.
    pub(crate) fn bench(&self, server: Option<&ModelServer>, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_aegish"));
        command.current_dir(&self.0).arg("bench").args(arguments).stdin(Stdio::null());
        command.env_remove("OPENAI_API_KEY").env_remove("HTTP_PROXY").env_remove("http_proxy");
        if let Some(server) = server {
            command.env("OPENAI_API_KEY", "sk-test-0123456789");
            command.env("OPENAI_BASE_URL", server.base_url());
        }
        command
    }

    pub(crate) fn run(&self, server: Option<&ModelServer>, arguments: &[&str]) -> Output {
        self.bench(server, arguments).output().unwrap()
    }

    /// All logs, oldest first.
    pub(crate) fn logs(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.0.join("logs")) else { return Vec::new() };
        let mut logs: Vec<PathBuf> = entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "eval"))
            .collect();
        logs.sort();
        logs
    }

    pub(crate) fn forget_logs(&self) {
        let _ = fs::remove_dir_all(self.0.join("logs"));
    }
}

impl Drop for BenchFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Everything of a log that does not depend on time.
#[derive(Debug, PartialEq)]
pub(crate) struct Content {
    pub(crate) answers: BTreeMap<(String, u32), (String, String)>,
    pub(crate) figures: Vec<f64>,
}

pub(crate) fn records(path: &Path) -> Vec<Record> {
    Log::open(path).unwrap().records().unwrap().map(|record| record.unwrap()).collect()
}

/// The content of a complete log; a sample that is there twice is an error.
pub(crate) fn content(path: &Path) -> Content {
    let log = Log::open(path).unwrap();
    assert_eq!(log.header().status, LogStatus::Success, "{}", path.display());
    let mut answers = BTreeMap::new();
    let mut tally = Tally::of_epochs(log.header().epochs(), log.header().reducer());
    for record in records(path) {
        tally.add(&record);
        let key = (record.id.clone(), record.epoch);
        let word = record.answer_word().to_owned();
        let value = (record.completion, word);
        assert!(answers.insert(key, value).is_none(), "{} is there twice", record.id);
    }
    let recounted = figures(&tally.metrics(None));
    // The header of the log agrees with its samples.
    let logged = log.header().results.clone().unwrap();
    let accuracy = logged["scores"][0]["metrics"]["accuracy"]["value"].as_f64().unwrap();
    assert!((accuracy - recounted[1]).abs() < 1e-12);
    let scored = answers.values().filter(|(_, answer)| answer != aegish_log::UNSCORED).count();
    assert_eq!(logged["completed_samples"].as_u64(), Some(scored as u64));
    Content { answers, figures: recounted }
}

fn figures(metrics: &Metrics) -> Vec<f64> {
    let of = |rate: Option<f64>| rate.unwrap_or(-1.0);
    vec![
        metrics.samples as f64,
        metrics.accuracy,
        of(metrics.detection_rate),
        of(metrics.detection_rate_macro),
        of(metrics.pass_rate),
        of(metrics.aegish_score),
        of(metrics.aegish_score_se),
        metrics.timeout_error_rate,
        metrics.format_error_rate,
    ]
}

/// A server that answers after a short delay and records its requests.
pub(crate) fn slow_server(delay: Duration) -> ModelServer {
    let answer: Box<dyn Fn(ModelRequest<'_>) -> ServerResponse + Send + Sync> =
        Box::new(|_| ServerResponse::Answer);
    ModelServer::at("127.0.0.1:0", delay, Some(answer)).unwrap()
}
