//! What the tasks of a run share, and opening their logs: new ones, or those of interrupted runs.
//!
//! An open log is locked against other processes.

use std::collections::BTreeMap;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::budget::Budget;
use super::dataset_source::Finished;
use super::ids;
use super::limiter::{ConcurrencyBounds, Limiter};
use super::open_task::{LogOrigin, OpenTask, TaskOutcome, count};
use super::resume::{LogChoice, Logs, RunStamp};
use super::stop::Stopper;
use super::task::{Task, TaskError};
use super::under_way;
use crate::system::{Billing, System};
use aegish_log::clock::{self, Digits};
use aegish_log::{Log, LogStatus, Revision, Writer};

/// Which logs a run resumes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Resume {
    /// Those of the newest run of the same tasks, if it was interrupted.
    Interrupted,
    /// None: start new logs.
    Never,
    /// This log.
    Log(PathBuf),
}

/// What the tasks of one run share.
#[derive(Debug)]
pub struct RunSession {
    /// Stops all tasks.
    pub stop: Arc<Stopper>,
    /// The budget of all tasks.
    pub budget: Arc<Budget>,
    log_dir: PathBuf,
    run_id: String,
    stamp: RunStamp,
    choices: BTreeMap<String, LogChoice>,
    revision: Option<Revision>,
    limiters: Mutex<BTreeMap<String, Arc<Limiter>>>,
}

/// A task whose log is open, or finished.
pub enum Opened {
    /// A task to run.
    Open(Box<OpenTask>),
    /// A finished task: every sample is in a log of the interrupted run.
    Finished(Box<TaskOutcome>),
}

impl RunSession {
    /// A run with logs in this folder. Nothing is asked or written yet.
    #[must_use]
    pub fn new(log_dir: &Path, budget: Budget, revision: Option<Revision>) -> Self {
        let began = clock::iso(SystemTime::now(), Digits::Micros);
        Self {
            stop: Arc::default(),
            budget: Arc::new(budget),
            log_dir: log_dir.to_owned(),
            run_id: ids::fresh(),
            stamp: RunStamp { began, tasks: Vec::new() },
            choices: BTreeMap::new(),
            revision,
            limiters: Mutex::default(),
        }
    }

    /// Finds the logs that the tasks of this run continue. The cost of their answers counts as spent.
    ///
    /// # Errors
    ///
    /// If a log cannot be read.
    pub fn plan<'t>(
        &mut self,
        tasks: impl IntoIterator<Item = &'t Task>,
        resume: &Resume,
    ) -> Result<(), TaskError> {
        let mut logs = match resume {
            Resume::Interrupted => Some(Logs::of(&self.log_dir)?),
            Resume::Never | Resume::Log(_) => None,
        };
        for task in tasks {
            let id = task.id();
            let choice = match (&mut logs, resume) {
                (Some(logs), _) => logs.choose(&id)?,
                (None, Resume::Log(path)) => LogChoice::Continue(path.clone()),
                (None, _) => LogChoice::New,
            };
            if let LogChoice::Continue(path) | LogChoice::Finished(path) = &choice
                && task.settings.cost_limit.is_some()
            {
                self.budget.add_spent(paid(task, path)?);
            }
            if self.choices.insert(id.clone(), choice).is_none() {
                self.stamp.tasks.push(id);
            }
        }
        Ok(())
    }

    pub(super) fn run_id(&self) -> &str {
        &self.run_id
    }

    pub(super) fn stamp(&self) -> &RunStamp {
        &self.stamp
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

    /// Opens the log that [`plan`](Self::plan) found for a task, or a new one. Nothing is asked yet.
    ///
    /// # Errors
    /// [`TaskError`] says why not.
    pub fn open(&self, task: Task) -> Result<Opened, TaskError> {
        match self.choices.get(&task.id()) {
            Some(LogChoice::Continue(path)) => Ok(Opened::Open(Box::new(self.resume(task, path)?))),
            Some(LogChoice::Finished(path)) => {
                let metrics = count(path)?.metrics(task.system.info().price);
                let outcome =
                    TaskOutcome { path: path.clone(), metrics, reason: None, batches_out: 0 };
                Ok(Opened::Finished(Box::new(outcome)))
            }
            Some(LogChoice::New) | None => Ok(Opened::Open(Box::new(self.begin(task)?))),
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

    fn resume(&self, mut task: Task, path: &Path) -> Result<OpenTask, TaskError> {
        let lock = lock(path)?;
        let log = Log::open(path)?;
        // The log is read only once.
        task.settings.scoring = log.scoring();
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
        let mut writer = Writer::resume(path)?;
        let settings = &task.settings;
        writer.set_limits(settings.time_limit.as_secs_f64(), settings.cost_limit);
        Ok(OpenTask::new(task, self, (writer, eval_id), lock, LogOrigin::Continued(finished)))
    }
}

/// The cost of the answers in a log, and of questions that may have been paid without an answer: those that timed out
/// or were under way when a process was killed count as much as an answer usually costs.
#[expect(clippy::cast_precision_loss, reason = "an estimate")]
fn paid(task: &Task, path: &Path) -> Result<f64, TaskError> {
    let info = task.system.info();
    let Some(price) = info.price.filter(|_| info.billing == Billing::PerAnswer) else {
        return Ok(0.0);
    };
    let complain = |error| TaskError::Folder(path.to_owned(), error);
    let (mut dollars, mut known) = (0.0, 0.0);
    let mut lost = under_way::lost(path).map_err(complain)?;
    for record in Log::open(path)?.records()? {
        let record = record?;
        match price.cost(&record.usage) {
            Some(cost) => (dollars, known) = (dollars + cost, known + 1.0),
            None => lost += u64::from(record.limit.is_some()),
        }
    }
    let usual = if known > 0.0 { dollars / known } else { task.expected_cost };
    Ok(dollars + usual * lost as f64)
}

/// Locks a log against other processes, as long as the file is open.
pub(crate) fn lock(path: &Path) -> Result<File, TaskError> {
    let complain = |error| TaskError::Folder(path.to_owned(), error);
    let file = File::open(path).map_err(complain)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(TaskError::Busy(path.to_owned())),
        Err(TryLockError::Error(error)) => Err(complain(error)),
    }
}
