//! One sample: ask, wait, retry where that may help, and record the result.
//!
//! The time limit covers the time in which the system works. Waiting for a slot or between retries is not
//! counted: a limit that includes it would measure the queue.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use aegish_judge::Answer;
use aegish_wire::retry_delay;

use super::limiter::{Limiter, RequestOutcome};
use super::settings::RunSettings;
use super::stop::{StopReason, Stopped, Stopper};
use crate::system::{Fault, FaultKind, System, SystemReply};
use aegish_log::Exchange;
use aegish_log::{Limit, Record, Sample};

/// The run stops after this many permanent faults without an answer.
const FATAL_FAULTS: u64 = 3;
/// Reasons of failed attempts that are kept per sample.
const KEPT_FAILURES: usize = 32;

/// Numbers of answers and permanent faults.
#[derive(Debug, Default)]
pub struct FaultCounts {
    answered: AtomicU64,
    fatal: AtomicU64,
}

/// What solving a sample needs.
#[derive(Clone, Copy)]
pub struct Solver<'a> {
    /// The system under test.
    pub system: &'a dyn System,
    /// Limits requests to its provider.
    pub limiter: &'a Limiter,
    /// Limits and retries.
    pub settings: &'a RunSettings,
    /// Stops it.
    pub stop: &'a Stopper,
    /// Answers and permanent faults of the task.
    pub health: &'a FaultCounts,
    /// Waits between two attempts, with the reason; fails if the run is stopped.
    pub wait: &'a dyn Fn(Duration, &str) -> Result<(), Stopped>,
}

/// A solved sample.
#[derive(Debug, Clone)]
pub struct Solved {
    /// The request and the reply.
    pub exchange: Exchange,
    /// The scored result.
    pub record: Record,
}

/// The attempts at a sample so far.
pub(super) struct Attempts {
    began: Instant,
    started: SystemTime,
    pub(super) asked: Option<SystemTime>,
    /// Working time of the system.
    worked: Duration,
    /// Failed attempts.
    pub(super) failed: u32,
    /// Failed attempts in the current try.
    in_this_try: u32,
    /// Failed tries.
    tries: u32,
    pub(super) failures: Vec<String>,
}

impl Attempts {
    /// None so far.
    pub(super) fn new() -> Self {
        Self {
            began: Instant::now(),
            started: SystemTime::now(),
            asked: None,
            worked: Duration::ZERO,
            failed: 0,
            in_this_try: 0,
            tries: 0,
            failures: Vec::new(),
        }
    }
}

/// How a sample ended.
pub(super) enum SampleEnd {
    Answer(Box<SystemReply>),
    Error(Fault),
    OutOfTime(Duration),
}

/// The next step after a fault.
enum NextStep {
    /// Retry after this time, with this reason.
    Again(Duration, String),
    SampleEnd(SampleEnd),
}

impl Solver<'_> {
    /// Asks about one sample until it is answered or fails permanently; returns `None` if the run is stopped
    /// before.
    #[must_use]
    pub fn solve(&self, sample: &Sample, epoch: u32) -> Option<Solved> {
        let mut attempts = Attempts::new();
        loop {
            let slot = self.limiter.acquire(self.stop)?;
            attempts.asked = Some(SystemTime::now());
            let began = Instant::now();
            let left = self.settings.time_limit.saturating_sub(attempts.worked);
            let outcome = self.system.ask(sample, epoch, left);
            attempts.worked += began.elapsed();
            self.limiter.release(slot, capacity(&outcome));
            let next = match outcome {
                Ok(reply) => NextStep::SampleEnd(SampleEnd::Answer(Box::new(reply))),
                Err(fault) => self.after(fault, &mut attempts),
            };
            match next {
                NextStep::SampleEnd(end) => {
                    self.count_health(&end);
                    let limit = self.settings.time_limit;
                    return Some(solved(self.system, (sample, epoch), attempts, end, limit));
                }
                NextStep::Again(wait, why) => (self.wait)(wait, &why).ok()?,
            }
        }
    }

    fn after(&self, fault: Fault, attempts: &mut Attempts) -> NextStep {
        let RunSettings { max_retries, retry_on_error, base_delay, max_delay, time_limit, .. } =
            *self.settings;
        attempts.failed += 1;
        attempts.in_this_try += 1;
        if attempts.failures.len() < KEPT_FAILURES {
            attempts.failures.push(fault.message.clone());
        }
        let out_of_time = fault.kind == FaultKind::OutOfTime || attempts.worked >= time_limit;
        if out_of_time {
            return NextStep::SampleEnd(SampleEnd::OutOfTime(fault.took));
        }
        let (again, wait) = match fault.kind {
            FaultKind::TooMany { retry_after } => {
                (true, retry_delay(attempts.failed, base_delay, max_delay, retry_after))
            }
            FaultKind::Transient => {
                (true, retry_delay(attempts.failed, base_delay, max_delay, None))
            }
            FaultKind::Broken => {
                attempts.in_this_try = max_retries.saturating_add(1);
                (true, base_delay)
            }
            FaultKind::Sample | FaultKind::Fatal | FaultKind::OutOfTime => (false, Duration::ZERO),
        };
        if attempts.in_this_try > max_retries {
            attempts.tries += 1;
            attempts.in_this_try = 0;
        }
        if again && attempts.tries <= retry_on_error {
            NextStep::Again(wait, fault.message)
        } else {
            NextStep::SampleEnd(SampleEnd::Error(fault))
        }
    }

    /// Stops a run that cannot succeed, for example with a wrong key.
    fn count_health(&self, end: &SampleEnd) {
        let FaultCounts { answered, fatal } = self.health;
        match end {
            SampleEnd::Answer(_) => {
                answered.fetch_add(1, Ordering::Relaxed);
            }
            SampleEnd::Error(fault) if fault.kind == FaultKind::Fatal => {
                let failed = fatal.fetch_add(1, Ordering::Relaxed) + 1;
                if failed >= FATAL_FAULTS && answered.load(Ordering::Relaxed) == 0 {
                    self.stop.stop(StopReason::Failed(fault.message.clone()));
                }
            }
            SampleEnd::Error(_) | SampleEnd::OutOfTime(_) => {}
        }
    }
}

/// Records how a sample ended.
pub(super) fn solved(
    system: &dyn System,
    (sample, epoch): (&Sample, u32),
    attempts: Attempts,
    end: SampleEnd,
    time_limit: Duration,
) -> Solved {
    let mut exchange = Exchange {
        asked: attempts.asked,
        failures: attempts.failures,
        ..Exchange::new(system.input(sample), attempts.started, SystemTime::now())
    };
    let mut record = Record {
        total_seconds: Some(attempts.began.elapsed().as_secs_f64()),
        working_seconds: Some(attempts.worked.as_secs_f64()),
        retries: attempts.failed,
        ..Record::new(sample, epoch)
    };
    match end {
        SampleEnd::Answer(reply) => {
            record = record.answered(reply.completion, reply.stop);
            record.usage = reply.usage;
            record.reasoning_apart = reply.reasoning_apart;
            record.model_seconds = Some(reply.took.as_secs_f64());
            exchange.sent_as = reply.sent_as;
            exchange.reasoning = reply.reasoning;
            exchange.model = reply.model;
            exchange.request_id = reply.request_id;
            exchange.bodies = reply.bodies.map(|kept| kept.0);
        }
        SampleEnd::Error(fault) => {
            record.error = Some(fault.message);
            record.retries = record.retries.saturating_sub(1);
            // The last failure is in the record.
            exchange.failures.pop();
        }
        SampleEnd::OutOfTime(took) => {
            let value = time_limit.as_secs_f64();
            // Scored as in the seed: no answer in time.
            record.answer = Some(Answer::Timeout);
            record.limit = Some(Limit { kind: "time".to_owned(), value });
            record.model_seconds = Some(took.as_secs_f64());
            record.retries = record.retries.saturating_sub(1);
        }
    }
    Solved { exchange, record }
}

fn capacity(outcome: &Result<SystemReply, Fault>) -> RequestOutcome {
    match outcome {
        Ok(reply) => RequestOutcome::Served { exhausted_for: reply.exhausted_for },
        Err(Fault { kind: FaultKind::TooMany { retry_after }, .. }) => {
            RequestOutcome::TooMany(*retry_after)
        }
        Err(_) => RequestOutcome::Unrelated,
    }
}
