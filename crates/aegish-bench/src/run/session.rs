//! What the tasks of a run share, and opening their logs: new ones, or those of interrupted runs.
//!
//! An open log is locked against other processes.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::budget::Budget;
use super::dataset_source::Finished;
use super::ids;
use super::limiter::{ConcurrencyBounds, Limiter};
use super::open_task::{LogOrigin, OpenTask};
use super::stop::Stopper;
use super::task::{Task, TaskError};
use crate::system::System;
use aegish_log::{Log, LogStatus, Revision, Writer};

/// Which log a task resumes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resume {
    /// The newest one of this task, if it was interrupted.
    Interrupted,
    /// None: start a new log.
    Never,
    /// This one.
    Log(PathBuf),
}
/// What the tasks of one run share.
#[derive(Debug)]
pub struct RunSession {
    /// Stops all of them.
    pub stop: Arc<Stopper>,
    /// Their budget.
    pub budget: Arc<Budget>,
    log_dir: PathBuf,
    run_id: String,
    revision: Option<Revision>,
    limiters: Mutex<BTreeMap<String, Arc<Limiter>>>,
}

impl RunSession {
    /// A run whose logs go into this folder.
    #[must_use]
    pub fn new(log_dir: &Path, budget: Budget, revision: Option<Revision>) -> Self {
        Self {
            stop: Arc::default(),
            budget: Arc::new(budget),
            log_dir: log_dir.to_owned(),
            run_id: ids::fresh(),
            revision,
            limiters: Mutex::default(),
        }
    }

    pub(super) fn run_id(&self) -> &str {
        &self.run_id
    }

    pub(super) fn revision(&self) -> Option<&Revision> {
        self.revision.as_ref()
    }

    /// The limiter of a system's provider, shared by all systems of that provider.
    #[must_use]
    pub fn limiter(&self, system: &dyn System, connections: Option<u32>) -> Arc<Limiter> {
        let info = system.info();
        let bounds = ConcurrencyBounds::of(connections, info.concurrency);
        let mut limiters = self.limiters.lock().unwrap_or_else(PoisonError::into_inner);
        let limiter =
            limiters.entry(info.provider.clone()).or_insert_with(|| Arc::new(Limiter::new(bounds)));
        Arc::clone(limiter)
    }

    /// Opens the log of a task: a new one, or one to resume. Nothing is asked yet.
    ///
    /// # Errors
    /// [`TaskError`] says why not.
    pub fn open(&self, task: Task, from: &Resume) -> Result<OpenTask, TaskError> {
        let found = match from {
            Resume::Never => None,
            Resume::Interrupted => self.interrupted(&task)?,
            Resume::Log(path) => Some(path.clone()),
        };
        match found {
            Some(path) => self.resume(task, &path),
            None => self.begin(task),
        }
    }

    fn begin(&self, task: Task) -> Result<OpenTask, TaskError> {
        let mut created = SystemTime::now();
        let mut spec = task.spec(self, created)?;
        // File names contain seconds; a second log within one second gets the next free name.
        while self.log_dir.join(spec.file_name()).exists() {
            created += Duration::from_secs(1);
            spec.created = created;
        }
        let path = self.log_dir.join(spec.file_name());
        let writer = Writer::create(&path, &spec)?;
        let lock = lock(&path)?;
        Ok(OpenTask::new(task, self, (writer, spec.eval_id), lock, LogOrigin::New))
    }

    fn resume(&self, task: Task, path: &Path) -> Result<OpenTask, TaskError> {
        let lock = lock(path)?;
        let log = Log::open(path)?;
        if log.header().eval.task_id.as_deref() != Some(&task.id()) {
            return Err(TaskError::OtherTask(path.to_owned()));
        }
        let mut finished = Finished::default();
        for record in log.records()? {
            let record = record?;
            // A failed sample is asked again; a sample that timed out is not.
            if record.error.is_none() {
                finished.add(&record.id, record.epoch);
            }
        }
        if log.header().status == LogStatus::Success && finished.count() >= task.questions() {
            return Err(TaskError::Complete(path.to_owned()));
        }
        let eval_id = log.header().eval.eval_id.clone().unwrap_or_default();
        drop(log);
        let writer = Writer::resume(path)?;
        Ok(OpenTask::new(task, self, (writer, eval_id), lock, LogOrigin::Continued(finished)))
    }

    /// The newest log of a task, if it was interrupted.
    fn interrupted(&self, task: &Task) -> Result<Option<PathBuf>, TaskError> {
        let complain = |error| TaskError::Folder(self.log_dir.clone(), error);
        let entries = match fs::read_dir(&self.log_dir) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(complain(error)),
        };
        let ending = format!("_{}.eval", task.id());
        let mut logs = Vec::new();
        for entry in entries {
            let path = entry.map_err(complain)?.path();
            if path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.ends_with(&ending))
            {
                logs.push(path);
            }
        }
        logs.sort();
        while let Some(path) = logs.pop() {
            // Its writer was killed before the first byte, so there is nothing to resume.
            if fs::metadata(&path).is_ok_and(|meta| meta.len() == 0) {
                discard(&path);
                continue;
            }
            let unfinished = Log::open(&path)?.header().status != LogStatus::Success;
            return Ok(unfinished.then_some(path));
        }
        Ok(None)
    }
}

/// Removes an empty log and the files beside it, unless another process is starting it.
fn discard(path: &Path) {
    if lock(path).is_ok() {
        for ending in ["", ".spool", ".index"] {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            let _ = fs::remove_file(name);
        }
    }
}

/// Keeps other processes from writing to a log, for as long as the file is open.
pub(crate) fn lock(path: &Path) -> Result<File, TaskError> {
    let complain = |error| TaskError::Folder(path.to_owned(), error);
    let file = File::open(path).map_err(complain)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(TaskError::Busy(path.to_owned())),
        Err(TryLockError::Error(error)) => Err(complain(error)),
    }
}
