//! Finds the log for each task of a run: a new one, an interrupted one, or none if its log is finished.
//!
//! A run is resumed as a whole. Each log names the tasks and the start time of its run. A run is complete if
//! each of its tasks has a finished log that is no older than the run. If the newest run is not complete, its
//! finished logs are kept and nothing in them is asked again. If it is complete, the same command starts a
//! new run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::batch;
use super::session::lock;
use super::task::TaskError;
use super::under_way;
use aegish_log::{Log, LogStatus};

/// The key of a [`RunStamp`] in a log's metadata.
const KEY: &str = "run";

/// The run that a log belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RunStamp {
    /// When the run began, in a form that sorts by time.
    pub(super) began: String,
    /// The ids of its tasks.
    pub(super) tasks: Vec<String>,
}

impl RunStamp {
    pub(super) fn write(&self, metadata: &mut Map<String, Value>) {
        metadata.insert(KEY.to_owned(), json!({ "began": self.began, "tasks": self.tasks }));
    }

    fn read(metadata: &Map<String, Value>) -> Option<Self> {
        let run = metadata.get(KEY)?;
        let tasks = run.get("tasks")?.as_array()?;
        Some(Self {
            began: run.get("began")?.as_str()?.to_owned(),
            tasks: tasks.iter().filter_map(|id| Some(id.as_str()?.to_owned())).collect(),
        })
    }
}

/// The log that a task writes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LogChoice {
    /// A new one.
    New,
    /// This one, from where it was interrupted.
    Continue(PathBuf),
    /// None: this log is finished, but its run is not.
    Finished(PathBuf),
}

/// The logs of a folder by task, oldest first.
pub(super) struct Logs {
    paths: BTreeMap<String, Vec<PathBuf>>,
    read: BTreeMap<PathBuf, (LogStatus, Option<RunStamp>)>,
}

impl Logs {
    /// Lists the logs of a folder; none if there is no such folder.
    pub(super) fn of(folder: &Path) -> Result<Self, TaskError> {
        let complain = |error| TaskError::Folder(folder.to_owned(), error);
        let mut paths: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        let entries = match fs::read_dir(folder) {
            Ok(entries) => Some(entries),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(complain(error)),
        };
        for entry in entries.into_iter().flatten() {
            let path = entry.map_err(complain)?.path();
            if let Some(task) = task_of(&path) {
                paths.entry(task).or_default().push(path);
            }
        }
        paths.values_mut().for_each(|paths| paths.sort());
        Ok(Self { paths, read: BTreeMap::new() })
    }

    /// The log that a task continues.
    pub(super) fn choose(&mut self, task: &str) -> Result<LogChoice, TaskError> {
        let paths = self.paths.get(task).cloned().unwrap_or_default();
        for path in paths.into_iter().rev() {
            // Its writer was killed before the first byte, so there is nothing to resume.
            if is_empty(&path) {
                discard(&path);
                continue;
            }
            return Ok(match self.header(&path)? {
                (LogStatus::Success, Some(run)) if !self.is_complete(&run)? => {
                    LogChoice::Finished(path)
                }
                (LogStatus::Success, _) => LogChoice::New,
                (LogStatus::Started | LogStatus::Cancelled | LogStatus::Error, _) => {
                    LogChoice::Continue(path)
                }
            });
        }
        Ok(LogChoice::New)
    }

    /// Whether every task of a run has a finished log that is no older than the run.
    fn is_complete(&mut self, run: &RunStamp) -> Result<bool, TaskError> {
        for task in &run.tasks {
            let mut finished = false;
            for path in self.paths.get(task).cloned().unwrap_or_default() {
                if is_empty(&path) {
                    continue;
                }
                let (status, other) = self.header(&path)?;
                let is_younger = other.is_some_and(|other| other.began >= run.began);
                finished |= status == LogStatus::Success && is_younger;
            }
            if !finished {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn header(&mut self, path: &Path) -> Result<(LogStatus, Option<RunStamp>), TaskError> {
        if let Some(known) = self.read.get(path) {
            return Ok(known.clone());
        }
        let log = Log::open(path)?;
        let known = (log.header().status, RunStamp::read(&log.header().eval.metadata));
        self.read.insert(path.to_owned(), known.clone());
        Ok(known)
    }
}

/// The task id at the end of a log's name: `TIME_TASK_ID.eval`.
fn task_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_suffix(".eval")?;
    Some(name.rsplit_once('_')?.1.to_owned())
}

fn is_empty(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|meta| meta.len() == 0)
}

/// Removes an empty log and the files beside it, unless another process is starting it.
fn discard(path: &Path) {
    if lock(path).is_ok() {
        for ending in ["", ".spool", ".index", batch::ENDING, under_way::ENDING] {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            let _ = fs::remove_file(name);
        }
    }
}
