//! A task whose log is open: runs it and finishes the log with its metrics.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::batch::{BatchRun, Journal};
use super::budget::Budget;
use super::dataset_source::{DatasetSource, Finished};
use super::limiter::{ConcurrencyBounds, Limiter};
use super::pool::{Pool, RemoteSolver, Sink};
use super::progress::Progress;
use super::session::RunSession;
use super::solve::Solved;
use super::stop::{StopReason, Stopper};
use super::task::Task;
use super::under_way::{self, UnderWay};
use crate::system::Billing;
use aegish_log::Sample;
use aegish_log::metrics::{Metrics, Tally};
use aegish_log::{FinalStatus, Log, LogError, Writer};

/// Whether a log is new or resumed.
pub(super) enum LogOrigin {
    New,
    /// The log already contains these samples, and possibly failed ones.
    Continued(Finished),
}

/// A task whose log is open.
pub struct OpenTask {
    task: Task,
    writer: Writer,
    origin: LogOrigin,
    stop: Arc<Stopper>,
    budget: Arc<Budget>,
    limiter: Arc<Limiter>,
    progress: Arc<Progress>,
    eval_id: String,
    remote_solver: Option<Arc<dyn RemoteSolver>>,
    _lock: File,
}

/// How a task ended.
#[derive(Debug)]
pub struct TaskOutcome {
    /// Its log.
    pub path: PathBuf,
    /// Its metrics.
    pub metrics: Metrics,
    /// Why it ended early, if it did.
    pub reason: Option<StopReason>,
    /// Batches that are still at the provider.
    pub batches_out: usize,
}

impl TaskOutcome {
    /// Forgets questions that were paid without an answer. For logs of a complete run.
    pub fn forget_lost_questions(&self) {
        under_way::forget(&self.path);
    }
}

impl OpenTask {
    pub(super) fn new(
        task: Task,
        session: &RunSession,
        (writer, eval_id): (Writer, String),
        lock: File,
        origin: LogOrigin,
    ) -> Self {
        let before = match &origin {
            LogOrigin::New => 0,
            LogOrigin::Continued(finished) => finished.count(),
        };
        Self {
            eval_id,
            remote_solver: None,
            stop: Arc::new(Stopper::child_of(&session.stop)),
            budget: Arc::clone(&session.budget),
            limiter: session.limiter(&*task.system, task.settings.max_connections),
            progress: Arc::new(Progress::new(task.questions(), before)),
            task,
            writer,
            origin,
            _lock: lock,
        }
    }

    /// The task.
    #[must_use]
    pub fn task(&self) -> &Task {
        &self.task
    }

    /// Its log.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.writer.path()
    }

    /// Counters for a progress display.
    #[must_use]
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// The limiter of its provider, for a progress display.
    #[must_use]
    pub fn limiter(&self) -> Arc<Limiter> {
        Arc::clone(&self.limiter)
    }

    /// The id of this evaluation; it stays the same when the log is resumed.
    #[must_use]
    pub fn eval_id(&self) -> &str {
        &self.eval_id
    }

    /// Stops the task.
    #[must_use]
    pub fn stopper(&self) -> Arc<Stopper> {
        Arc::clone(&self.stop)
    }

    /// Uses a remote solver, `at_once` questions at a time.
    #[must_use]
    pub fn solved_by(self, remote_solver: Arc<dyn RemoteSolver>, at_once: u32) -> Self {
        let limiter = Arc::new(Limiter::new(ConcurrencyBounds::fixed(at_once)));
        Self { remote_solver: Some(remote_solver), limiter, ..self }
    }

    /// Asks until the data or the run ends, and finishes the log.
    ///
    /// # Errors
    ///
    /// If the log cannot be finished. Samples written before are still in it.
    pub fn run(self) -> Result<TaskOutcome, LogError> {
        let Self {
            task,
            writer,
            origin,
            stop,
            budget,
            limiter,
            progress,
            remote_solver,
            _lock,
            ..
        } = self;
        let Task { system, dataset, settings, expected_cost } = task;
        let path = writer.path().to_owned();
        let info = system.info();
        let price = info.price;
        let charged = price.filter(|_| info.billing == Billing::PerAnswer);
        let size = dataset.counts.samples();
        let (finished, continued) = match origin {
            LogOrigin::New => (Finished::default(), false),
            LogOrigin::Continued(finished) => (finished, true),
        };
        let left = settings.questions(size).saturating_sub(finished.count());
        let work = DatasetSource::new(dataset, settings.epochs, settings.samples(size), finished);
        let pool = Pool {
            price: charged,
            system,
            limiter,
            settings,
            stop,
            budget,
            expected_cost,
            progress,
        };
        let tally = Tally::of_epochs(pool.settings.epochs, pool.settings.reducer);
        let mut sink = LogSink { writer, tally };
        let mut batches_out = 0;
        let reason = if pool.system.batches().is_none() {
            // Workers elsewhere go on asking, and their results wait in the queue.
            let noted = remote_solver.is_none() && pool.price.is_some();
            match noted.then(|| UnderWay::of(&path)).transpose() {
                Ok(under_way) => {
                    pool.run_by(remote_solver, under_way, Box::new(work), left, &mut sink)
                }
                Err(error) => Some(StopReason::Failed(format!(
                    "no file for the questions under way can be made: {error}"
                ))),
            }
        } else {
            match Journal::of(&path) {
                Ok(journal) => {
                    let run = BatchRun::new(pool, journal);
                    let (reason, out) = run.run(Box::new(work), &mut sink);
                    batches_out = out;
                    reason
                }
                Err(error) => {
                    let why = format!("the journal of batches cannot be read: {error}");
                    Some(StopReason::Failed(why))
                }
            }
        };
        let LogSink { mut writer, mut tally } = sink;
        if continued {
            writer.flush()?;
            tally = count(&path)?;
        }
        let metrics = tally.metrics(price);
        let status = match &reason {
            None => FinalStatus::Success,
            Some(StopReason::Cancelled | StopReason::CostLimit) => FinalStatus::Cancelled,
            Some(StopReason::Failed(why)) => FinalStatus::Error(why.clone()),
        };
        writer.finish(&status, &metrics, SystemTime::now())?;
        Ok(TaskOutcome { path, metrics, reason, batches_out })
    }
}

/// Counts the samples of a log.
pub(crate) fn count(path: &Path) -> Result<Tally, LogError> {
    Log::open(path)?.tally()
}

/// Writes samples to the log and counts them.
struct LogSink {
    writer: Writer,
    tally: Tally,
}

impl Sink for LogSink {
    fn take(&mut self, sample: &Sample, solved: &Solved) -> Result<(), String> {
        let Solved { exchange, record } = solved;
        self.writer.append(sample, exchange, record).map_err(|error| error.to_string())?;
        self.tally.add(record);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), String> {
        self.writer.flush().map_err(|error| error.to_string())
    }
}
