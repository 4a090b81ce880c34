//! Any guard that a command line starts: one JSON object in per line, one out.
//!
//! `docs/reference/exec-protocol.md` describes the protocol. A process gets one question at a time; several
//! processes run concurrently. A process that exits, breaks the protocol or exceeds the time is killed with
//! its process group, and a new one is started for the next question. Commands are passed as data through a
//! pipe, never through a shell.

mod child;

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::Value;

use super::{Concurrency, Fault, FaultKind, System, SystemInfo, SystemReply};
use aegish_log::Sample;
use child::{Child, ChildError};

/// A program under test.
#[derive(Debug)]
pub struct Exec {
    info: SystemInfo,
    command: String,
    idle: Mutex<Vec<Child>>,
}

#[derive(Serialize)]
struct ExecRequest<'a> {
    id: &'a str,
    command: &'a str,
}

impl Exec {
    /// A program that this command line starts at the first question.
    #[must_use]
    pub fn new(command: &str) -> Self {
        let info =
            SystemInfo::plain(&format!("exec:{command}"), "exec", "exec", Concurrency::PerCore);
        Self { info, command: command.to_owned(), idle: Mutex::default() }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Child>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn exchange(&self, sample: &Sample, time: Duration) -> Result<String, (FaultKind, String)> {
        let question = ExecRequest { id: &sample.id, command: &sample.command };
        let line = serde_json::to_string(&question).map_err(|error| {
            (FaultKind::Sample, format!("the question cannot be written: {error}"))
        })?;
        let waiting = self.idle().pop();
        let mut child = match waiting {
            Some(child) => child,
            None => Child::start(&self.command).map_err(|error| {
                (FaultKind::Fatal, format!("`{}` was not started: {error}", self.command))
            })?,
        };
        // A child that is not put back is killed when it is dropped.
        let line = child.ask(line, time).map_err(explain)?;
        let answer = read(&line, &sample.id)?;
        self.idle().push(child);
        Ok(answer)
    }
}

impl System for Exec {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn ask(&self, sample: &Sample, _epoch: u32, time: Duration) -> Result<SystemReply, Fault> {
        let started = Instant::now();
        match self.exchange(sample, time) {
            Ok(completion) => Ok(SystemReply::new(completion, started.elapsed())),
            Err((kind, message)) => Err(Fault { kind, message, took: started.elapsed() }),
        }
    }
}

fn explain(error: ChildError) -> (FaultKind, String) {
    match error {
        ChildError::OutOfTime => {
            (FaultKind::OutOfTime, "the program gave no answer in time".to_owned())
        }
        // The exit status of a shell for a command that it cannot find or run.
        ChildError::Ended { status: Some(126 | 127), said } => {
            (FaultKind::Fatal, format!("the program cannot be run{}", quoted(&said)))
        }
        ChildError::Ended { status, said } => {
            let how = status.map_or_else(String::new, |code| format!(" with status {code}"));
            let message = format!("the program ended{how} instead of answering{}", quoted(&said));
            (FaultKind::Broken, message)
        }
        ChildError::TooLong => {
            (FaultKind::Broken, "the program answered with a line that does not end".to_owned())
        }
        ChildError::NotText => (FaultKind::Broken, "the program's answer is not UTF-8".to_owned()),
    }
}

fn quoted(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}

/// Checks that a line answers this question. The scorer reads its verdict.
fn read(line: &str, id: &str) -> Result<String, (FaultKind, String)> {
    let broken = |what: &str| Err((FaultKind::Broken, format!("the program's answer {what}")));
    let Ok(Value::Object(answer)) = serde_json::from_str::<Value>(line) else {
        return broken("is no JSON object");
    };
    if answer.get("id").and_then(Value::as_str) != Some(id) {
        return broken("has another id than the question");
    }
    if let Some(error) = answer.get("error").and_then(Value::as_str) {
        let error: String = error.chars().take(300).collect();
        return Err((FaultKind::Broken, format!("the program reports an error: {error}")));
    }
    Ok(line.to_owned())
}
