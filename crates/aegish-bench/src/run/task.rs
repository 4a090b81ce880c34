//! One system on one data set, with its log: begun, interrupted, continued, ended.
//!
//! A task has an id that follows from what is measured (system, prompt, data, repetitions), and its logs carry
//! that id in their names. So a run with the same arguments finds the log of one that was interrupted and
//! goes on from there. Nobody else may write to it meanwhile.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value};

use super::budget::Budget;
use super::crew::{Crew, Elsewhere, Sink};
use super::gate::{Bounds, Gate};
use super::ids;
use super::progress::Progress;
use super::settings::Settings;
use super::solve::Solved;
use super::source::{Finished, Source};
use super::stop::{Reason, Stopper};
use crate::Sample;
use crate::dataset::Dataset;
use crate::log::{
    Config, DatasetSpec, Log, LogError, Progress as LogProgress, PromptCopies, PromptSpec,
    Revision, Spec, Status, Writer,
};
use crate::metrics::{Metrics, Tally};
use crate::system::{Spends, System};

/// Logs of more samples name their ids only at the end, and keep the prompt once.
const MANY: u64 = 20_000;

/// One system on one data set.
#[derive(Clone)]
pub struct Task {
    /// Whoever is asked.
    pub system: Arc<dyn System>,
    /// About what.
    pub dataset: Dataset,
    /// The rules.
    pub settings: Settings,
    /// What one answer is expected to cost, for a limit on the cost.
    pub expected_cost: f64,
}

impl Task {
    /// What is measured, the same for the same: the task's part of a log's name.
    #[must_use]
    pub fn id(&self) -> String {
        let about = self.system.about();
        let prompt = about.prompt.as_ref().map_or("", |prompt| &prompt.sha256);
        let solvers = about.solvers.join(",");
        let sent = Value::Object(about.generate.clone()).to_string();
        let known = Value::Object(about.metadata.clone()).to_string();
        let epochs = self.settings.epochs.to_string();
        let limit = self.settings.samples(self.dataset.counts.samples()).to_string();
        let data = &self.dataset.sha256;
        ids::of(&[&about.model, prompt, &solvers, &sent, &known, data, &epochs, &limit])
    }

    /// The name that logs and viewers show: `aegish_gtfobins`, `aegish_harmless`, ….
    #[must_use]
    pub fn name(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let name: String = self.dataset.name.chars().map(plain).collect();
        format!("aegish_{}", name.strip_suffix("_commands").unwrap_or(&name))
    }

    /// Questions in all.
    #[must_use]
    pub fn questions(&self) -> u64 {
        self.settings.questions(self.dataset.counts.samples())
    }

    fn spec(&self, session: &Session, created: SystemTime) -> Result<Spec, TaskError> {
        let about = self.system.about().clone();
        let Settings { epochs, limit, max_retries, retry_on_error, fail_on_error, .. } =
            self.settings;
        let few = self.questions() <= MANY;
        let samples = self.settings.samples(self.dataset.counts.samples());
        let mut generate = about.generate;
        generate.insert("max_retries".to_owned(), max_retries.into());
        let copies = if few { PromptCopies::EverySample } else { PromptCopies::HeaderOnly };
        let mut task_args = Map::new();
        let aloud = about.solvers.iter().any(|solver| solver == "chain_of_thought");
        task_args.insert("cot".to_owned(), aloud.into());
        Ok(Spec {
            eval_id: ids::fresh(),
            run_id: session.run_id.clone(),
            task_id: self.id(),
            created,
            task: self.name(),
            task_args,
            dataset: DatasetSpec {
                name: self.dataset.name.clone(),
                location: Some(self.dataset.location.clone()),
                sha256: Some(self.dataset.sha256.clone()),
                samples,
                sample_ids: if few { Some(self.ids(samples)?) } else { None },
            },
            model: about.model,
            model_base_url: about.base_url,
            generate,
            config: Config {
                epochs,
                limit,
                time_limit: Some(self.settings.time_limit.as_secs_f64()),
                cost_limit: self.settings.cost_limit,
                max_retries: Some(max_retries),
                retry_on_error: Some(retry_on_error),
                fail_on_error: Some(fail_on_error),
                max_connections: self.settings.max_connections,
            },
            prompt: about.prompt.map(|prompt| PromptSpec { copies, ..prompt }),
            solvers: about.solvers,
            revision: session.revision.clone(),
            metadata: about.metadata,
        })
    }

    fn ids(&self, samples: u64) -> Result<Vec<String>, TaskError> {
        let all = self.dataset.samples().map_err(|error| TaskError::Data(error.to_string()))?;
        let first = all.take(usize::try_from(samples).unwrap_or(usize::MAX));
        let ids: Result<_, _> = first.map(|sample| sample.map(|sample| sample.id)).collect();
        ids.map_err(|error| TaskError::Data(error.to_string()))
    }
}

/// Which log a task goes on with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Continue {
    /// The newest one of this task, if it was interrupted.
    Interrupted,
    /// None: a new one.
    Never,
    /// This one.
    Log(PathBuf),
}

/// Why a task did not begin.
#[derive(Debug)]
pub enum TaskError {
    /// Its log.
    Log(LogError),
    /// Its data.
    Data(String),
    /// The folder of its logs.
    Folder(PathBuf, std::io::Error),
    /// Somebody else is at it.
    Busy(PathBuf),
    /// The log is of another task.
    OtherTask(PathBuf),
    /// There is nothing left to do.
    Complete(PathBuf),
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Log(error) => write!(f, "nothing was asked: {error}"),
            Self::Data(error) => write!(f, "nothing was asked: {error}"),
            Self::Folder(path, error) => {
                write!(f, "nothing was asked: {} cannot be read: {error}", path.display())
            }
            Self::Busy(path) => write!(
                f,
                "nothing was asked: another process is writing {}; wait for it, or begin a new log with --fresh",
                path.display()
            ),
            Self::OtherTask(path) => write!(
                f,
                "nothing was asked: {} was made by another system, prompt, data set or number of samples; \
                 use the arguments it was begun with",
                path.display()
            ),
            Self::Complete(path) => write!(
                f,
                "nothing was asked: {} is complete; `aegish bench retry` repeats what timed out or failed",
                path.display()
            ),
        }
    }
}

impl std::error::Error for TaskError {}

impl From<LogError> for TaskError {
    fn from(error: LogError) -> Self {
        Self::Log(error)
    }
}

/// What the tasks of one run share.
#[derive(Debug)]
pub struct Session {
    /// Ends them all.
    pub stop: Arc<Stopper>,
    /// Their money.
    pub budget: Arc<Budget>,
    log_dir: PathBuf,
    run_id: String,
    revision: Option<Revision>,
    gates: Mutex<BTreeMap<String, Arc<Gate>>>,
}

impl Session {
    /// A run whose logs go into this folder.
    #[must_use]
    pub fn new(log_dir: &Path, budget: Budget, revision: Option<Revision>) -> Self {
        Self {
            stop: Arc::default(),
            budget: Arc::new(budget),
            log_dir: log_dir.to_owned(),
            run_id: ids::fresh(),
            revision,
            gates: Mutex::default(),
        }
    }

    /// The door to a system's provider, shared by all that ask it.
    #[must_use]
    pub fn gate(&self, system: &dyn System, connections: Option<u32>) -> Arc<Gate> {
        let about = system.about();
        let bounds = Bounds::of(connections, about.width);
        let mut gates = self.gates.lock().unwrap_or_else(PoisonError::into_inner);
        let gate =
            gates.entry(about.provider.clone()).or_insert_with(|| Arc::new(Gate::new(bounds)));
        Arc::clone(gate)
    }

    /// Opens the log of a task: a new one, or one to go on with. Nothing is asked yet.
    ///
    /// # Errors
    /// [`TaskError`] says why not.
    pub fn open(&self, task: Task, from: &Continue) -> Result<Opened, TaskError> {
        let found = match from {
            Continue::Never => None,
            Continue::Interrupted => self.interrupted(&task)?,
            Continue::Log(path) => Some(path.clone()),
        };
        match found {
            Some(path) => self.resume(task, &path),
            None => self.begin(task),
        }
    }

    fn begin(&self, task: Task) -> Result<Opened, TaskError> {
        let mut created = SystemTime::now();
        let mut spec = task.spec(self, created)?;
        // Names tell seconds; who is faster than that waits for the next one in name only.
        while self.log_dir.join(spec.file_name()).exists() {
            created += Duration::from_secs(1);
            spec.created = created;
        }
        let path = self.log_dir.join(spec.file_name());
        let writer = Writer::create(&path, &spec)?;
        let lock = lock(&path)?;
        Ok(Opened::new(task, self, (writer, spec.eval_id), lock, Origin::New))
    }

    fn resume(&self, task: Task, path: &Path) -> Result<Opened, TaskError> {
        let lock = lock(path)?;
        let log = Log::open(path)?;
        if log.header().eval.task_id.as_deref() != Some(&task.id()) {
            return Err(TaskError::OtherTask(path.to_owned()));
        }
        let mut finished = Finished::default();
        for record in log.records()? {
            let record = record?;
            // What failed is not finished; what timed out is an answer of its kind.
            if record.error.is_none() {
                finished.add(&record.id, record.epoch);
            }
        }
        if log.header().status == LogProgress::Success && finished.count() >= task.questions() {
            return Err(TaskError::Complete(path.to_owned()));
        }
        let eval_id = log.header().eval.eval_id.clone().unwrap_or_default();
        drop(log);
        let writer = Writer::resume(path)?;
        Ok(Opened::new(task, self, (writer, eval_id), lock, Origin::Continued(finished)))
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
            // Its writer was killed before the first byte: there is nothing to go on with.
            if fs::metadata(&path).is_ok_and(|meta| meta.len() == 0) {
                discard(&path);
                continue;
            }
            let unfinished = Log::open(&path)?.header().status != LogProgress::Success;
            return Ok(unfinished.then_some(path));
        }
        Ok(None)
    }
}

/// Removes an empty log and what its writer laid beside it, unless it is just being begun.
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

/// Where a log comes from.
enum Origin {
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
    fn new(
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
