//! A task whose log is open: asked to its end, and the log ended with its figures.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::budget::Budget;
use super::crew::{Crew, Elsewhere, Sink};
use super::gate::{Bounds, Gate};
use super::progress::Progress;
use super::session::Session;
use super::solve::Solved;
use super::source::{Finished, Source};
use super::stop::{Reason, Stopper};
use super::task::Task;
use crate::system::Spends;
use aegish_log::Sample;
use aegish_log::metrics::{Metrics, Tally};
use aegish_log::{Log, LogError, Status, Writer};

/// Where a log comes from.
pub(super) enum Origin {
    New,
    /// It holds these already, and maybe some that failed.
    Continued(Finished),
}

/// A task whose log is open.
pub struct Opened {
    task: Task,
    writer: Writer,
    origin: Origin,
    stop: Arc<Stopper>,
    budget: Arc<Budget>,
    gate: Arc<Gate>,
    progress: Arc<Progress>,
    eval_id: String,
    elsewhere: Option<Arc<dyn Elsewhere>>,
    _lock: File,
}

/// How a task ended.
#[derive(Debug)]
pub struct Outcome {
    /// Its log.
    pub path: PathBuf,
    /// Its figures.
    pub metrics: Metrics,
    /// Why it ended early, if it did.
    pub reason: Option<Reason>,
}

impl Opened {
    pub(super) fn new(
        task: Task,
        session: &Session,
        (writer, eval_id): (Writer, String),
        lock: File,
        origin: Origin,
    ) -> Self {
        let before = match &origin {
            Origin::New => 0,
            Origin::Continued(finished) => finished.count(),
        };
        Self {
            eval_id,
            elsewhere: None,
            stop: Arc::new(Stopper::part_of(&session.stop)),
            budget: Arc::clone(&session.budget),
            gate: session.gate(&*task.system, task.settings.max_connections),
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

    /// How far it is, for whoever looks on.
    #[must_use]
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// The door to its provider, for whoever looks on.
    #[must_use]
    pub fn gate(&self) -> Arc<Gate> {
        Arc::clone(&self.gate)
    }

    /// This evaluation, unlike any other, and the same when it is continued.
    #[must_use]
    pub fn eval_id(&self) -> &str {
        &self.eval_id
    }

    /// What ends it.
    #[must_use]
    pub fn stopper(&self) -> Arc<Stopper> {
        Arc::clone(&self.stop)
    }

    /// Has the asking done elsewhere, so many questions at once.
    #[must_use]
    pub fn asked_by(self, elsewhere: Arc<dyn Elsewhere>, at_once: u32) -> Self {
        let gate = Arc::new(Gate::new(Bounds::fixed(at_once)));
        Self { elsewhere: Some(elsewhere), gate, ..self }
    }

    /// Asks, until the data or the run ends, and ends the log.
    ///
    /// # Errors
    /// If the log cannot be ended. What was written before is still in it.
    pub fn run(self) -> Result<Outcome, LogError> {
        let Self { task, writer, origin, stop, budget, gate, progress, elsewhere, _lock, .. } =
            self;
        let Task { system, dataset, settings, expected_cost } = task;
        let path = writer.path().to_owned();
        let about = system.about();
        let price = about.price;
        let charged = price.filter(|_| about.spends == Spends::Money);
        let size = dataset.counts.samples();
        let (finished, continued) = match origin {
            Origin::New => (Finished::default(), false),
            Origin::Continued(finished) => (finished, true),
        };
        let left = settings.questions(size).saturating_sub(finished.count());
        let work = Source::new(dataset, settings.epochs, settings.samples(size), finished);
        let crew =
            Crew { price: charged, system, gate, settings, stop, budget, expected_cost, progress };
        let mut sink = LogSink { writer, tally: Tally::default() };
        let reason = crew.run_by(elsewhere, Box::new(work), left, &mut sink);
        let LogSink { mut writer, mut tally } = sink;
        if continued {
            writer.flush()?;
            tally = count(&path)?;
        }
        let metrics = tally.metrics(price);
        let status = match &reason {
            None => Status::Success,
            Some(Reason::Cancelled | Reason::CostLimit) => Status::Cancelled,
            Some(Reason::Failed(why)) => Status::Error(why.clone()),
        };
        writer.finish(&status, &metrics, SystemTime::now())?;
        Ok(Outcome { path, metrics, reason })
    }
}

/// Counts everything in a log.
pub(crate) fn count(path: &Path) -> Result<Tally, LogError> {
    Log::open(path)?.tally()
}

/// Writes down and counts.
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
