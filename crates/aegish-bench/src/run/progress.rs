//! Progress counters of a run. Reading them does not slow the run.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use aegish_log::Record;

/// The counters of one task.
#[derive(Debug)]
pub struct Progress {
    total: u64,
    before: u64,
    started: Instant,
    done: AtomicU64,
    correct: AtomicU64,
    errors: AtomicU64,
    timeouts: AtomicU64,
    retries: AtomicU64,
    under_way: AtomicU64,
    queued_micros: AtomicU64,
    model_micros: AtomicU64,
    cost_nanos: AtomicU64,
    ended_micros: AtomicU64,
    answered_micros: AtomicU64,
    /// Why the next attempt waits; `None` after an answer.
    obstacle: Mutex<Option<String>>,
}

/// The counters at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Snapshot {
    /// Questions in all, repetitions included.
    pub total: u64,
    /// Answered in earlier runs of this log.
    pub before: u64,
    /// Answered by this run.
    pub done: u64,
    /// Right answers of this run.
    pub correct: u64,
    /// Samples that ended in an error.
    pub errors: u64,
    /// Samples that reached the time limit.
    pub timeouts: u64,
    /// Attempts beyond the first.
    pub retries: u64,
    /// Samples that are in flight.
    pub under_way: u64,
    /// Mean time that a sample waited for a permit and between attempts.
    pub queued: Duration,
    /// Mean time of the system itself.
    pub model: Duration,
    /// Dollars, if the price is known.
    pub cost: f64,
    /// Time since the start of this run, or its duration if it is over.
    pub elapsed: Duration,
    /// Time since the last answer, or since the start.
    pub silent: Duration,
}

impl Progress {
    /// A task of `total` questions, of which `before` were answered earlier.
    #[must_use]
    pub fn new(total: u64, before: u64) -> Self {
        Self {
            total,
            before,
            started: Instant::now(),
            done: AtomicU64::new(0),
            correct: AtomicU64::new(0),
            errors: AtomicU64::new(0),
            timeouts: AtomicU64::new(0),
            retries: AtomicU64::new(0),
            under_way: AtomicU64::new(0),
            queued_micros: AtomicU64::new(0),
            model_micros: AtomicU64::new(0),
            cost_nanos: AtomicU64::new(0),
            ended_micros: AtomicU64::new(0),
            answered_micros: AtomicU64::new(0),
            obstacle: Mutex::new(None),
        }
    }

    pub(crate) fn begin_sample(&self) {
        self.under_way.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn leave_sample(&self) {
        self.under_way.fetch_sub(1, Ordering::Relaxed);
    }

    pub(crate) fn add(&self, record: &Record, cost: f64) {
        let add = |counter: &AtomicU64, number: u64| counter.fetch_add(number, Ordering::Relaxed);
        add(&self.done, 1);
        if record.answer.is_some() && record.limit.is_none() {
            *self.obstacle.lock().unwrap_or_else(PoisonError::into_inner) = None;
            self.answered_micros.store(self.micros(), Ordering::Relaxed);
        }
        add(&self.correct, u64::from(record.correct()));
        add(&self.errors, u64::from(record.error.is_some()));
        add(&self.timeouts, u64::from(record.limit.is_some()));
        add(&self.retries, u64::from(record.retries));
        let queued = record.total_seconds.unwrap_or(0.0) - record.working_seconds.unwrap_or(0.0);
        add(&self.queued_micros, whole(queued * 1e6));
        add(&self.model_micros, whole(record.model_seconds.unwrap_or(0.0) * 1e6));
        add(&self.cost_nanos, whole(cost * 1e9));
    }

    /// Notes why an attempt waits, until the next answer.
    pub(crate) fn wait_because(&self, why: &str) {
        let mut obstacle = self.obstacle.lock().unwrap_or_else(PoisonError::into_inner);
        if obstacle.as_deref() != Some(why) {
            *obstacle = Some(why.to_owned());
        }
    }

    /// Why the next attempt waits, unless an answer came since.
    #[must_use]
    pub fn obstacle(&self) -> Option<String> {
        self.obstacle.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn end(&self) {
        self.ended_micros.store(self.micros().max(1), Ordering::Relaxed);
    }

    fn micros(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Samples of this run that ended in an error.
    pub(crate) fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// Dollars per answered question so far.
    #[expect(clippy::cast_precision_loss, reason = "a mean")]
    pub(crate) fn mean_cost(&self) -> Option<f64> {
        let done = self.done.load(Ordering::Relaxed);
        let cost = self.cost_nanos.load(Ordering::Relaxed) as f64 / 1e9;
        (done > 0).then(|| cost / done as f64)
    }

    /// The counters now.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "dollars for people")]
    pub fn snapshot(&self) -> Snapshot {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let done = of(&self.done);
        let mean = |micros: u64| Duration::from_micros(micros.checked_div(done).unwrap_or(0));
        let ended = of(&self.ended_micros);
        let elapsed = if ended > 0 { Duration::from_micros(ended) } else { self.started.elapsed() };
        Snapshot {
            total: self.total,
            before: self.before,
            done,
            correct: of(&self.correct),
            errors: of(&self.errors),
            timeouts: of(&self.timeouts),
            retries: of(&self.retries),
            under_way: of(&self.under_way),
            queued: mean(of(&self.queued_micros)),
            model: mean(of(&self.model_micros)),
            cost: of(&self.cost_nanos) as f64 / 1e9,
            elapsed,
            silent: elapsed.saturating_sub(Duration::from_micros(of(&self.answered_micros))),
        }
    }
}

/// A number of parts, never negative.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, as wanted")]
fn whole(parts: f64) -> u64 {
    parts.max(0.0).round() as u64
}

impl Snapshot {
    /// Answers per second.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a rate for people")]
    pub fn rate(&self) -> f64 {
        let seconds = self.elapsed.as_secs_f64();
        if seconds > 0.0 { self.done as f64 / seconds } else { 0.0 }
    }

    /// Remaining time at this rate, if there is a rate.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "an estimate for people")]
    pub fn time_left(&self) -> Option<Duration> {
        let left = self.total.saturating_sub(self.before + self.done);
        let rate = self.rate();
        (rate > 0.0).then(|| Duration::try_from_secs_f64(left as f64 / rate).ok()).flatten()
    }
}
