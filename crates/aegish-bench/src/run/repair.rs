//! Asks again about the samples of a log that timed out or failed, and keeps the others.
//!
//! The first original is kept in `originals` beside the log. Only an answer replaces a sample; a sample that
//! times out or fails again stays as it was. The metrics are recomputed over the whole log.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use aegish_judge::Answer;
use aegish_judge::price::Price;
use aegish_wire::Usage;

use super::open_task::{TaskOutcome, count};
use super::pool::{Pool, SampleSource, Sink};
use super::progress::Progress;
use super::session::{RunSession, lock};
use super::settings::RunSettings;
use super::solve::Solved;
use super::stop::{StopReason, Stopper};
use super::task::TaskError;
use crate::system::{Billing, System};
use aegish_log::metrics::Cost;
use aegish_log::{FinalStatus, Header, Log, LogError, LogStatus, Writer, keep_original};
use aegish_log::{Record, Sample};

/// A log and what is to be asked again.
pub struct Repair {
    path: PathBuf,
    header: Header,
    again: Vec<(Sample, u32)>,
    samples: u64,
    lock: File,
}

impl Repair {
    /// Finds the samples that timed out or failed.
    ///
    /// # Errors
    ///
    /// If the log cannot be read, or another process is writing to it.
    pub fn of(path: &Path) -> Result<Self, TaskError> {
        let lock = lock(path)?;
        let log = Log::open(path)?;
        let (mut again, mut samples) = (Vec::new(), 0);
        for entry in log.entries()? {
            let entry = entry?;
            samples += 1;
            if is_lost(&entry.record) {
                again.push((entry.sample, entry.record.epoch));
            }
        }
        Ok(Self { path: path.to_owned(), header: log.header().clone(), again, samples, lock })
    }

    /// The header of the log.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// How many samples are to be asked again.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.again.len() as u64
    }

    /// How many samples there are.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// Counters for a progress display.
    #[must_use]
    pub fn progress(&self) -> Arc<Progress> {
        Arc::new(Progress::new(self.lost(), 0))
    }

    /// Asks again and merges the answers. Returns the outcome and the number of samples that were replaced.
    ///
    /// # Errors
    /// If the original cannot be kept, or the log not be written.
    pub fn run(
        self,
        system: Arc<dyn System>,
        settings: &RunSettings,
        session: &RunSession,
        progress: Arc<Progress>,
    ) -> Result<(TaskOutcome, u64), TaskError> {
        let Self { path, header, again, lock: _lock, .. } = self;
        keep_original(&path)?;
        let tally = count(&path)?;
        let info = system.info();
        // As the report counts them: the log says at which price its answers were had.
        let price = header.price().or(info.price);
        let charged = info.price.filter(|_| info.billing == Billing::PerAnswer);
        let known = charged.and_then(|price| tally.metrics(Some(price)).cost);
        let mut sink = AnswerSink { writer: Writer::resume(&path)?, repaired: 0 };
        sink.writer.set_limits(settings.time_limit.as_secs_f64(), settings.cost_limit);
        let pool = Pool {
            limiter: session.limiter(&*system, settings.max_connections),
            system,
            // A sample that fails again stays unchanged; that does not end the run.
            settings: RunSettings {
                fail_on_error: 1.0,
                scoring: header.scoring(),
                ..settings.clone()
            },
            stop: Arc::new(Stopper::child_of(&session.stop)),
            budget: Arc::clone(&session.budget),
            price: charged,
            expected_cost: charged.map_or(0.0, |price| usual_cost(price, known, &header)),
            progress,
        };
        let questions = again.len() as u64;
        let reason = pool.run(Box::new(RetryList(again.into_iter())), questions, &mut sink);
        let AnswerSink { mut writer, repaired } = sink;
        writer.flush()?;
        let metrics = count(&path)?.metrics(price);
        writer.finish(&status(&header, reason.as_ref()), &metrics, SystemTime::now())?;
        Ok((TaskOutcome { path, metrics, reason, batches_out: 0 }, repaired))
    }
}

/// Whether the sample timed out, failed, or has an empty answer without a known cause.
fn is_lost(record: &Record) -> bool {
    record.limit.is_some() || matches!(record.answer, None | Some(Answer::Timeout))
}

/// What an answer cost so far, or what one of a hundred tokens to the prompt of the log would cost.
fn usual_cost(price: &Price, known: Option<Cost>, header: &Header) -> f64 {
    if let Some(cost) = known.filter(|cost| cost.known_per_1000_usd > 0.0) {
        return cost.known_per_1000_usd / 1000.0;
    }
    let prompt = header.prompt.as_ref().map_or(0, |prompt| prompt.len() as u64);
    // English has about four characters to a token.
    let usage = Usage { input: Some(prompt / 4), output: Some(100), ..Usage::default() };
    price.seed_cost(&usage).unwrap_or(0.0)
}

/// A complete log stays complete, and an incomplete one can still be resumed.
fn status(header: &Header, reason: Option<&StopReason>) -> FinalStatus {
    match (header.status, reason) {
        (_, Some(StopReason::Failed(why))) => FinalStatus::Error(why.clone()),
        (LogStatus::Success, _) => FinalStatus::Success,
        (LogStatus::Error, None) => FinalStatus::Error(header.error.clone().unwrap_or_default()),
        (LogStatus::Started | LogStatus::Cancelled | LogStatus::Error, _) => FinalStatus::Cancelled,
    }
}

struct RetryList(std::vec::IntoIter<(Sample, u32)>);

impl SampleSource for RetryList {
    fn next(&mut self) -> Option<Result<(Sample, u32), String>> {
        self.0.next().map(Ok)
    }
}

/// Writes answers and drops everything else.
struct AnswerSink {
    writer: Writer,
    repaired: u64,
}

impl Sink for AnswerSink {
    fn take(&mut self, sample: &Sample, solved: &Solved) -> Result<(), String> {
        let Solved { exchange, record } = solved;
        if is_lost(record) {
            return Ok(());
        }
        self.repaired += 1;
        let written: Result<(), LogError> = self.writer.append(sample, exchange, record);
        written.map_err(|error| error.to_string())
    }

    fn flush(&mut self) -> Result<(), String> {
        self.writer.flush().map_err(|error| error.to_string())
    }
}
