//! A task whose questions are handed in as batches.
//!
//! Takes the samples that are not in the log; hands in those that are in no batch yet, waits for the batches, and
//! writes each outcome to the log. A stopped run leaves its batches at the provider, and the next one picks them up
//! by the journal beside the log, so nothing is paid twice.

mod journal;

use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use aegish_judge::Scoring;
use aegish_wire::{BatchState, Failure, Prepared, RowOutcome};

use super::budget::Reserved;
use super::ids;
use super::pool::{Pool, SampleSource, Sink};
use super::solve::{Attempts, SampleEnd, solved};
use super::stop::StopReason;
use crate::system::{BatchReply, BatchSystem, Fault, FaultKind, RequestForm, RowFault};
use aegish_log::Sample;
use journal::{Batch, Key};

pub(super) use journal::{ENDING, Journal};

/// The longest wait between two looks at a batch.
const SLOWEST_POLL: Duration = Duration::from_secs(30);

/// A sample that has no outcome yet.
struct Waiting {
    sample: Sample,
    reserved: Option<Reserved>,
    /// Why earlier batches have no answer to it.
    failures: Vec<String>,
}

/// A run in batches.
pub(super) struct BatchRun {
    pool: Pool,
    journal: Journal,
    waiting: HashMap<Key, Waiting>,
    /// Batches that may be the one with this label, for a batch whose id was lost.
    candidates: HashMap<String, Vec<String>>,
}

/// Why there is nothing more to do: the run was stopped, or something broke.
enum Halt {
    Stopped,
    Failed(String),
}

impl From<io::Error> for Halt {
    fn from(error: io::Error) -> Self {
        Self::Failed(format!("the journal of batches cannot be written: {error}"))
    }
}

impl BatchRun {
    pub(super) fn new(pool: Pool, journal: Journal) -> Self {
        Self { pool, journal, waiting: HashMap::new(), candidates: HashMap::new() }
    }

    /// Runs until every sample has an outcome or the run is stopped. Returns the reason if it ended early, and how
    /// many batches are still out.
    pub(super) fn run(
        mut self,
        source: Box<dyn SampleSource>,
        sink: &mut dyn Sink,
    ) -> (Option<StopReason>, usize) {
        let system = Arc::clone(&self.pool.system);
        let worked = match system.batches() {
            Some(batches) => self.work(batches, source, sink),
            None => Err(Halt::Failed("the system takes no batches".to_owned())),
        };
        if let Err(Halt::Failed(why)) = worked {
            self.pool.stop.stop(StopReason::Failed(why));
        }
        self.pool.progress.end();
        let out = self.journal.open.len();
        self.journal.close();
        (self.pool.stop.reason(), out)
    }

    fn work(
        &mut self,
        batches: &dyn BatchSystem,
        source: Box<dyn SampleSource>,
        sink: &mut dyn Sink,
    ) -> Result<(), Halt> {
        let (fresh, limit) = self.collect(source)?;
        for label in self.unsent() {
            self.recover(batches, &label)?;
        }
        self.hand_in(batches, fresh, RequestForm::Usual, 0)?;
        self.wait(batches, sink)?;
        if limit == Limit::Reached {
            self.pool.stop.stop(StopReason::CostLimit);
        }
        Ok(())
    }

    /// Takes all samples; gives those that are in no batch, as far as the cost limit allows.
    fn collect(&mut self, mut source: Box<dyn SampleSource>) -> Result<(Vec<Key>, Limit), Halt> {
        let out = self.journal.samples();
        let (mut fresh, mut limit) = (Vec::new(), Limit::Kept);
        while let Some(next) = source.next() {
            let (sample, epoch) = next.map_err(Halt::Failed)?;
            let key = (sample.id.clone(), epoch);
            let is_out = out.contains(&key);
            let reserved = self.pool.budget.reserve(self.pool.expected_cost);
            if !is_out && reserved.is_none() {
                limit = Limit::Reached;
                continue;
            }
            if !is_out {
                fresh.push(key.clone());
            }
            self.pool.progress.begin_sample();
            self.waiting.insert(key, Waiting { sample, reserved, failures: Vec::new() });
        }
        Ok((fresh, limit))
    }

    /// Labels of batches whose id is not known: the process was killed while they were handed in.
    fn unsent(&self) -> Vec<String> {
        let unsent = self.journal.open.iter().filter(|batch| batch.id.is_none());
        unsent.map(|batch| batch.label.clone()).collect()
    }

    /// Looks whether a batch reached the provider, and hands it in if it did not.
    fn recover(&mut self, batches: &dyn BatchSystem, label: &str) -> Result<(), Halt> {
        let Some(batch) = self.journal.open.iter().find(|batch| batch.label == label).cloned()
        else {
            return Ok(());
        };
        let known: HashSet<&str> =
            self.journal.open.iter().filter_map(|batch| batch.id.as_deref()).collect();
        let requests = batch.samples.len() as u64;
        let found = self.again(|| batches.find(label, batch.since, requests))?;
        let mut ids: Vec<String> = found.into_iter().map(|status| status.id).collect();
        ids.retain(|id| !known.contains(id.as_str()));
        match ids.pop() {
            Some(id) => {
                self.candidates.insert(label.to_owned(), ids);
                self.adopt(label, &id);
                Ok(())
            }
            None => self.send(batches, &batch),
        }
    }

    /// Takes a batch for the one with this label. The journal is told when its outcomes say so.
    fn adopt(&mut self, label: &str, id: &str) {
        for batch in self.journal.open.iter_mut().filter(|batch| batch.label == label) {
            batch.id = Some(id.to_owned());
        }
    }

    /// Hands in samples, in as many batches as their size needs.
    fn hand_in(
        &mut self,
        batches: &dyn BatchSystem,
        keys: Vec<Key>,
        form: RequestForm,
        before: u32,
    ) -> Result<(), Halt> {
        let limits = batches.limits();
        let mut rest = keys.into_iter().peekable();
        while rest.peek().is_some() {
            let (mut samples, mut bytes) = (Vec::new(), 0);
            while let Some(key) = rest.peek() {
                let waiting = self.waiting.get(key);
                let size = match waiting.map(|one| batches.request(&one.sample, form)) {
                    Some(Ok(prepared)) => prepared.body.len(),
                    Some(Err(failure)) => return Err(Halt::Failed(failure.to_string())),
                    None => 0,
                };
                let is_full = samples.len() >= limits.requests || bytes + size > limits.bytes;
                if is_full && !samples.is_empty() {
                    break;
                }
                bytes += size;
                samples.extend(rest.next());
            }
            let batch = Batch {
                label: ids::fresh(),
                since: now(),
                before,
                without_schema: form == RequestForm::WithoutSchema,
                samples,
                id: None,
            };
            self.journal.begin(&batch)?;
            self.send(batches, &batch)?;
        }
        Ok(())
    }

    /// Hands in a batch that stands in the journal. After a failure that says nothing it is looked for first.
    fn send(&mut self, batches: &dyn BatchSystem, batch: &Batch) -> Result<(), Halt> {
        let rows = self.rows(batches, batch)?;
        if rows.is_empty() {
            return Ok(self.journal.done(&batch.label)?);
        }
        let requests = batch.samples.len() as u64;
        let mut attempt = 0;
        let id = loop {
            if self.pool.stop.is_over() {
                return Err(Halt::Stopped);
            }
            attempt += 1;
            match batches.submit(&batch.label, &rows) {
                Ok(id) => break id,
                Err(failure) if failure.retryable && attempt <= self.pool.settings.max_retries => {
                    self.pause(attempt, &failure)?;
                    let found = self.again(|| batches.find(&batch.label, batch.since, requests))?;
                    let known = |id: &String| {
                        self.journal.open.iter().any(|other| other.id.as_ref() == Some(id))
                    };
                    let mut ids: Vec<String> = found.into_iter().map(|status| status.id).collect();
                    ids.retain(|id| !known(id));
                    if let Some(id) = ids.pop() {
                        self.candidates.insert(batch.label.clone(), ids);
                        self.adopt(&batch.label, &id);
                        return Ok(());
                    }
                }
                Err(failure) => {
                    // A refused batch does not exist. After other failures it may, and stays in the journal.
                    if !failure.retryable {
                        self.journal.done(&batch.label)?;
                    }
                    return Err(Halt::Failed(failure.to_string()));
                }
            }
        };
        Ok(self.journal.sent(&batch.label, &id)?)
    }

    /// The requests of a batch.
    fn rows(
        &self,
        batches: &dyn BatchSystem,
        batch: &Batch,
    ) -> Result<Vec<(String, Prepared)>, Halt> {
        let mut rows = Vec::with_capacity(batch.samples.len());
        for (index, key) in batch.samples.iter().enumerate() {
            let Some(waiting) = self.waiting.get(key) else { continue };
            let prepared = batches.request(&waiting.sample, batch.form());
            let prepared = prepared.map_err(|failure| Halt::Failed(failure.to_string()))?;
            rows.push((batch.custom_id(index), prepared));
        }
        Ok(rows)
    }

    /// Waits until no batch is out.
    fn wait(&mut self, batches: &dyn BatchSystem, sink: &mut dyn Sink) -> Result<(), Halt> {
        let mut pause = self.pool.settings.base_delay;
        while !self.journal.open.is_empty() {
            let (mut done, mut total, mut ended) = (0, 0, false);
            for batch in self.journal.open.clone() {
                let Some(id) = &batch.id else {
                    self.recover(batches, &batch.label)?;
                    continue;
                };
                let status = self.again(|| batches.status(id))?;
                match status.state {
                    BatchState::Running => {
                        done += status.done;
                        total += status.total.max(batch.samples.len() as u64);
                    }
                    BatchState::Failed(why) => {
                        self.journal.done(&batch.label)?;
                        return Err(Halt::Failed(why));
                    }
                    BatchState::Ended { files } => {
                        let outcomes = self.again(|| batches.outcomes(&files))?;
                        self.settle(batches, &batch, outcomes, sink)?;
                        ended = true;
                    }
                }
            }
            if self.pool.stop.is_over() {
                return Err(Halt::Stopped);
            }
            if ended || self.journal.open.is_empty() {
                pause = self.pool.settings.base_delay;
                continue;
            }
            let out = self.journal.open.len();
            let provider = &self.pool.system.info().provider;
            let name = if out == 1 { "a batch" } else { "batches" };
            self.pool.progress.wait_because(&format!(
                "{name} at {provider} with {done} of {total} requests done"
            ));
            self.pool.stop.wait(pause).map_err(|_| Halt::Stopped)?;
            pause = (pause * 2).min(SLOWEST_POLL);
        }
        Ok(())
    }

    /// Writes the outcomes of a batch to the log, and hands in again what another batch may help.
    fn settle(
        &mut self,
        batches: &dyn BatchSystem,
        batch: &Batch,
        mut outcomes: HashMap<String, RowOutcome>,
        sink: &mut dyn Sink,
    ) -> Result<(), Halt> {
        let is_ours = outcomes.keys().any(|id| id.starts_with(&batch.label));
        if let Some(others) = self.candidates.get_mut(&batch.label) {
            match (is_ours, others.pop()) {
                (true, _) => {}
                (false, Some(id)) => {
                    self.adopt(&batch.label, &id);
                    return Ok(());
                }
                // None of them was ours: it never reached the provider.
                (false, None) => {
                    self.candidates.remove(&batch.label);
                    return self.send(batches, batch);
                }
            }
            self.candidates.remove(&batch.label);
        }
        let elsewhere = self.elsewhere(&batch.label);
        let mut again: Vec<(Key, RequestForm)> = Vec::new();
        for (index, key) in batch.samples.iter().enumerate() {
            let outcome = outcomes.remove(&batch.custom_id(index));
            let Some(waiting) = self.waiting.get(key).filter(|_| !elsewhere.contains(key)) else {
                continue;
            };
            let reply = match outcome {
                Some(outcome) => batches.reply(&waiting.sample, batch.form(), outcome),
                None => Err(RowFault::NotExecuted("the batch has no outcome for it".to_owned())),
            };
            match reply {
                Err(RowFault::Again(form, why))
                    if batch.before < self.pool.settings.retry_on_error =>
                {
                    if let Some(waiting) = self.waiting.get_mut(key) {
                        waiting.failures.push(why);
                    }
                    again.push((key.clone(), form));
                }
                reply => self.write(key, batch, reply, sink)?,
            }
        }
        sink.flush().map_err(Halt::Failed)?;
        if !self.pool.stop.is_over() {
            for form in [RequestForm::Usual, RequestForm::WithoutSchema] {
                let keys = again.iter().filter(|(_, other)| *other == form);
                let keys: Vec<Key> = keys.map(|(key, _)| key.clone()).collect();
                self.hand_in(batches, keys, form, batch.before + 1)?;
            }
        }
        Ok(self.journal.done(&batch.label)?)
    }

    /// Samples that are in another batch as well: it was handed in for what failed in this one.
    fn elsewhere(&self, label: &str) -> HashSet<Key> {
        let others = self.journal.open.iter().filter(|other| other.label != label);
        others.flat_map(|other| other.samples.iter().cloned()).collect()
    }

    fn write(
        &mut self,
        key: &Key,
        batch: &Batch,
        reply: BatchReply,
        sink: &mut dyn Sink,
    ) -> Result<(), Halt> {
        let Some(Waiting { sample, reserved, failures }) = self.waiting.remove(key) else {
            return Ok(());
        };
        let mut attempts = Attempts::new();
        let seconds = u64::try_from(batch.since).unwrap_or_default();
        attempts.asked = Some(UNIX_EPOCH + Duration::from_secs(seconds));
        attempts.failures = failures;
        let end = match reply {
            Ok(reply) => SampleEnd::Answer(reply),
            Err(RowFault::Again(_, why) | RowFault::NotExecuted(why) | RowFault::Failed(why)) => {
                attempts.failures.push(why.clone());
                SampleEnd::Error(Fault::new(FaultKind::Sample, why))
            }
        };
        attempts.failed = u32::try_from(attempts.failures.len()).unwrap_or(u32::MAX);
        let pool = &self.pool;
        let limit = pool.settings.time_limit;
        let mut solved = solved(&*pool.system, (&sample, key.1), attempts, end, limit);
        // How long a request of a batch took is not known.
        solved.record.total_seconds = None;
        solved.record.working_seconds = None;
        solved.record.model_seconds = None;
        if pool.settings.scoring != Scoring::Seed {
            solved.record.score_by(pool.settings.scoring);
        }
        pool.progress.leave_sample();
        pool.write(&sample, &solved, reserved, sink).map_err(Halt::Failed)
    }

    /// Asks the provider until it answers, or says something that waiting does not change.
    fn again<T>(&self, ask: impl Fn() -> Result<T, Failure>) -> Result<T, Halt> {
        let mut attempt = 0;
        loop {
            match ask() {
                Ok(answer) => return Ok(answer),
                Err(failure) if failure.retryable => {
                    attempt += 1;
                    self.pause(attempt, &failure)?;
                }
                Err(failure) => return Err(Halt::Failed(failure.to_string())),
            }
        }
    }

    fn pause(&self, attempt: u32, failure: &Failure) -> Result<(), Halt> {
        let settings = &self.pool.settings;
        let asked = failure.retry_after();
        let wait = aegish_wire::retry_delay(attempt, settings.base_delay, SLOWEST_POLL, asked);
        self.pool.progress.wait_because(&failure.to_string());
        self.pool.stop.wait(wait).map_err(|_| Halt::Stopped)
    }
}

/// Whether the cost limit kept samples out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Limit {
    Kept,
    Reached,
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}
