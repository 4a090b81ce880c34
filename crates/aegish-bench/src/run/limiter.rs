//! Limits the concurrent requests to a provider.
//!
//! Until the first "too many requests" the limit doubles per round of requests, as in TCP slow start.
//! Afterwards it maximises the value of a round: its served requests per second, less the share that was
//! rejected. While the value rises, the limit continues in the same direction; when it falls, the direction
//! reverses. A provider that rejects some requests at any rate is thus not slowed down, and one at its
//! capacity is not overloaded. A round without rejections always raises the limit.
//!
//! A rejected request waits for as long as the provider says; others continue. If a whole round was rejected,
//! or the provider says that no request is left, nothing is sent until then. This wait counts as queueing,
//! not as model time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::stop::Stopper;
use crate::system::Concurrency;

/// How often a waiting thread checks whether the run is over.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Minimum and maximum number of outcomes in a round.
const SHORTEST_ROUND: u32 = 4;
const LONGEST_ROUND: u32 = 200;
/// A smaller relative decrease of a round's value may be random.
const TOLERANCE: f64 = 0.05;
/// How close the limit may come to one that was too high, as a share.
const BELOW_CEILING: f64 = 0.85;
/// After this many rounds without a rejection, a limit that was too high is tried again.
const PROBE_AFTER: u32 = 10;
/// Concurrent requests to a local model server.
const LOCAL_SERVER_LIMIT: u32 = 4;

/// The bounds of a limiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConcurrencyBounds {
    /// Concurrent requests at the start.
    pub first: u32,
    /// Upper bound.
    pub most: u32,
}

impl ConcurrencyBounds {
    /// Adapted during the run, from 20 up to 100.
    pub const ADAPTIVE: Self = Self { first: 20, most: 100 };

    /// This number from the start. Lower only while the provider rejects requests.
    #[must_use]
    pub fn fixed(connections: u32) -> Self {
        let connections = connections.max(1);
        Self { first: connections, most: connections }
    }

    /// `connections` if given, otherwise the default of the system's concurrency.
    #[must_use]
    pub fn of(connections: Option<u32>, width: Concurrency) -> Self {
        match (connections, width) {
            (Some(connections), _) => Self::fixed(connections),
            (None, Concurrency::Adaptive) => Self::ADAPTIVE,
            (None, Concurrency::Few) => Self::fixed(LOCAL_SERVER_LIMIT),
            (None, Concurrency::PerCore) => {
                let cores = thread::available_parallelism().map_or(1, usize::from);
                Self::fixed(u32::try_from(cores).unwrap_or(1))
            }
        }
    }
}

/// Limits the requests to one provider; shared by all systems that use it.
#[derive(Debug)]
pub struct Limiter {
    state: Mutex<LimiterState>,
    changed: Condvar,
}

#[derive(Debug)]
struct LimiterState {
    limit: f64,
    most: f64,
    growth: Growth,
    round: Round,
    /// The value of the round before.
    last_value: f64,
    in_flight: u32,
    waiting: u32,
    /// Counts changes of the limit: a request that started before the last change says nothing about the new
    /// limit.
    generation: u64,
    /// Rejections since the last served request.
    rejected_in_a_row: u32,
    /// A limit at which rejections cost more than the requests gained.
    ceiling: Option<f64>,
    /// Rounds in a row without a rejection.
    clean_rounds: u32,
    paused_until: Option<Instant>,
    slowed: u64,
}

/// The outcomes since the last change of the limit.
#[derive(Debug)]
struct Round {
    began: Instant,
    served: u32,
    rejected: u32,
    /// The peak number of requests in flight.
    peak: u32,
}

impl Round {
    fn begin(now: Instant) -> Self {
        Self { began: now, served: 0, rejected: 0, peak: 0 }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Growth {
    /// No request was rejected yet. The limit doubles each round.
    Doubling,
    /// The limit grows by a quarter each round.
    Up,
    /// The limit falls by a fifth each round.
    Down,
}

/// A permit to send one request.
#[derive(Debug)]
#[must_use]
pub struct Slot {
    generation: u64,
}

/// What the outcome of a request says about the provider's capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestOutcome {
    /// It was served. The provider may add that it accepts no further request for a time.
    Served {
        /// This time.
        exhausted_for: Option<Duration>,
    },
    /// It was rejected as one too many, possibly with a time to wait.
    TooMany(Option<Duration>),
    /// It failed for other reasons.
    Unrelated,
}

/// The present state of a limiter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LimiterStatus {
    /// Requests allowed at once.
    pub limit: u32,
    /// Requests in flight.
    pub in_flight: u32,
    /// Threads that wait for a permit.
    pub waiting: u32,
    /// Number of rejections.
    pub slowed: u64,
    /// Remaining time that the provider asks to wait.
    pub paused_for: Duration,
}

impl Limiter {
    /// A limiter within these bounds.
    #[must_use]
    pub fn new(bounds: ConcurrencyBounds) -> Self {
        let most = f64::from(bounds.most.max(1));
        let state = LimiterState {
            limit: f64::from(bounds.first.max(1)).min(most),
            most,
            growth: Growth::Doubling,
            round: Round::begin(Instant::now()),
            last_value: 0.0,
            in_flight: 0,
            waiting: 0,
            generation: 0,
            rejected_in_a_row: 0,
            ceiling: None,
            clean_rounds: 0,
            paused_until: None,
            slowed: 0,
        };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits for a slot; `None` if the run is stopped before.
    pub fn acquire(&self, stop: &Stopper) -> Option<Slot> {
        let mut state = self.lock();
        if let Some(first) = state.wait_time() {
            let mut wait_time = Some(first);
            state.waiting += 1;
            while let Some(wait) = wait_time {
                let waited = self.changed.wait_timeout(state, wait);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                if stop.is_over() {
                    state.waiting -= 1;
                    return None;
                }
                wait_time = state.wait_time();
            }
            state.waiting -= 1;
        }
        state.in_flight += 1;
        state.round.peak = state.round.peak.max(state.in_flight);
        Some(Slot { generation: state.generation })
    }

    /// Returns a slot with the outcome of its request.
    pub fn release(&self, slot: Slot, outcome: RequestOutcome) {
        self.release_at(Instant::now(), slot, outcome);
    }

    #[expect(clippy::needless_pass_by_value, reason = "a slot is good for one request")]
    fn release_at(&self, now: Instant, slot: Slot, outcome: RequestOutcome) {
        let Slot { generation } = slot;
        let mut state = self.lock();
        let before = state.whole();
        match outcome {
            RequestOutcome::Served { exhausted_for } => state.serve(generation, exhausted_for, now),
            RequestOutcome::TooMany(wait) => state.reject(generation, wait, now),
            RequestOutcome::Unrelated => {}
        }
        state.in_flight = state.in_flight.saturating_sub(1);
        let (waiting, grown) = (state.waiting, state.whole() > before);
        drop(state);
        match waiting {
            0 => {}
            _ if grown => self.changed.notify_all(),
            _ => self.changed.notify_one(),
        }
    }

    /// The present state.
    #[must_use]
    pub fn status(&self) -> LimiterStatus {
        let state = self.lock();
        let now = Instant::now();
        LimiterStatus {
            limit: state.whole(),
            in_flight: state.in_flight,
            waiting: state.waiting,
            slowed: state.slowed,
            paused_for: state
                .paused_until
                .map_or(Duration::ZERO, |at| at.saturating_duration_since(now)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, LimiterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LimiterState {
    /// How long to wait before the next try, if no slot is free.
    fn wait_time(&mut self) -> Option<Duration> {
        if let Some(until) = self.paused_until {
            let left = until.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                return Some(left.min(POLL_INTERVAL));
            }
            self.paused_until = None;
        }
        (self.in_flight >= self.whole()).then_some(POLL_INTERVAL)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 1 and `most`"
    )]
    fn whole(&self) -> u32 {
        self.limit as u32
    }

    fn serve(&mut self, generation: u64, exhausted_for: Option<Duration>, now: Instant) {
        self.rejected_in_a_row = 0;
        if let Some(wait) = exhausted_for {
            self.pause(wait, now);
        }
        if self.growth == Growth::Doubling {
            // If far fewer requests than the limit are in flight, their success does not justify a higher
            // limit.
            let is_used = self.in_flight * 2 >= self.whole();
            self.limit = (self.limit + if is_used { 1.0 } else { 0.0 }).min(self.most);
        } else if generation == self.generation {
            self.round.served += 1;
            self.end_round(now);
        }
    }

    fn reject(&mut self, generation: u64, wait: Option<Duration>, now: Instant) {
        self.slowed += 1;
        self.rejected_in_a_row += 1;
        if let Some(wait) = wait.filter(|_| self.rejected_in_a_row >= self.whole()) {
            self.pause(wait, now);
        }
        if self.growth == Growth::Doubling {
            // The generation stays: requests in flight started under this limit and count.
            self.growth = Growth::Up;
            self.round = Round::begin(now);
        }
        if generation == self.generation {
            self.round.rejected += 1;
            self.end_round(now);
        }
    }

    fn pause(&mut self, wait: Duration, now: Instant) {
        let until = now + wait;
        self.paused_until = Some(self.paused_until.map_or(until, |at| at.max(until)));
    }

    /// Computes the value of a finished round and changes the limit.
    fn end_round(&mut self, now: Instant) {
        let Round { began, served, rejected, peak } = self.round;
        if served + rejected < (2 * self.whole()).clamp(SHORTEST_ROUND, LONGEST_ROUND) && served > 0
            || served + rejected < self.whole().min(LONGEST_ROUND)
        {
            return;
        }
        let share = f64::from(rejected) / f64::from(served + rejected);
        let value =
            f64::from(served) / now.duration_since(began).as_secs_f64().max(1e-6) * (1.0 - share);
        let pays = value >= self.last_value * (1.0 - TOLERANCE);
        let before = self.limit;
        if share >= 0.5 {
            self.growth = Growth::Down;
            self.limit /= 2.0;
        } else if rejected == 0 {
            self.clean_rounds += 1;
            self.growth = Growth::Up;
            if peak * 2 >= self.whole() {
                self.rise();
            }
        } else {
            self.growth = match (self.growth, pays) {
                (Growth::Down, false) => Growth::Up,
                (growth, true) => growth,
                (Growth::Up | Growth::Doubling, false) => {
                    self.ceiling = Some(self.limit);
                    Growth::Down
                }
            };
            self.limit *= if self.growth == Growth::Down { 0.8 } else { 1.25 };
        }
        if rejected > 0 {
            self.clean_rounds = 0;
        }
        self.limit = self.limit.clamp(1.0, self.most);
        self.last_value = value;
        self.round = Round::begin(now);
        if (self.limit - before).abs() > f64::EPSILON {
            self.generation += 1;
        }
    }

    /// Raises the limit by half, but not up to one that was too high. After many rounds without rejections,
    /// that limit is tried again.
    fn rise(&mut self) {
        let raised = self.limit * 1.5 + 0.5;
        self.limit = match self.ceiling {
            Some(ceiling) if raised >= ceiling && self.clean_rounds >= PROBE_AFTER => {
                self.ceiling = None;
                self.clean_rounds = 0;
                self.limit.max(ceiling)
            }
            Some(ceiling) => raised.min(self.limit.max(ceiling * BELOW_CEILING)),
            None => raised,
        };
    }
}

#[cfg(test)]
mod tests;
