//! How many requests a provider gets at once.
//!
//! The limit doubles per round of served requests, as in TCP slow start. "Too many requests" halves it, once
//! per round; after that it grows by one per round. While a provider asks to wait, no request is sent. Waiting
//! here is queueing, not model time, and is measured separately.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::stop::Stopper;
use crate::system::Concurrency;

/// How often a waiting thread checks whether the run is over.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Requests at once for a local model server.
const LOCAL_SERVER_LIMIT: u32 = 4;

/// The bounds of a limiter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConcurrencyBounds {
    /// Requests at once at the start.
    pub first: u32,
    /// Upper bound.
    pub most: u32,
}

impl ConcurrencyBounds {
    /// Found out while running: from 20 up to 100.
    pub const ADAPTIVE: Self = Self { first: 20, most: 100 };

    /// This many from the start; fewer only while the provider says so.
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
    in_flight: u32,
    waiting: u32,
    /// Counts the halvings: a request that started before the last halving does not halve again.
    round: u64,
    paused_until: Option<Instant>,
    slowed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Growth {
    /// One more per served request: doubles each round.
    Doubling,
    /// One more per round.
    Linear,
}

/// The right to send one request.
#[derive(Debug)]
#[must_use]
pub struct Slot {
    round: u64,
}

/// What a request says about the provider's capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestOutcome {
    /// It was served.
    Served,
    /// It was rejected as too many, possibly with a time to wait.
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
    /// Threads that wait to send one.
    pub waiting: u32,
    /// How often the provider has said "too many".
    pub slowed: u64,
    /// How long the provider still asks to wait.
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
            in_flight: 0,
            waiting: 0,
            round: 0,
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
        Some(Slot { round: state.round })
    }

    /// Returns a slot with the outcome of its request.
    #[expect(clippy::needless_pass_by_value, reason = "a slot is good for one request")]
    pub fn release(&self, slot: Slot, outcome: RequestOutcome) {
        let Slot { round } = slot;
        let mut state = self.lock();
        let before = state.whole();
        match outcome {
            RequestOutcome::Served => state.grow(),
            RequestOutcome::TooMany(wait) => state.halve(round, wait),
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
    /// How long to wait before trying again, if no slot is free.
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

    fn grow(&mut self) {
        // Requests far below the limit are no evidence that more would be served.
        if self.in_flight * 2 < self.whole() {
            return;
        }
        self.limit += match self.growth {
            Growth::Doubling => 1.0,
            Growth::Linear => 1.0 / self.limit,
        };
        self.limit = self.limit.min(self.most);
    }

    fn halve(&mut self, round: u64, wait: Option<Duration>) {
        self.slowed += 1;
        if let Some(wait) = wait {
            let until = Instant::now() + wait;
            self.paused_until = Some(self.paused_until.map_or(until, |at| at.max(until)));
        }
        if round == self.round {
            self.round += 1;
            self.growth = Growth::Linear;
            self.limit = (self.limit / 2.0).max(1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    fn filled(limiter: &Limiter) -> Vec<Slot> {
        let stop = Stopper::default();
        let limit = limiter.status().limit;
        (0..limit).filter_map(|_| limiter.acquire(&stop)).collect()
    }

    #[test]
    fn a_provider_that_serves_gets_twice_as_many_each_round() {
        let limiter = Limiter::new(ConcurrencyBounds { first: 4, most: 20 });
        let stop = Stopper::default();
        let mut round = filled(&limiter);
        for expected in [8, 16, 20, 20] {
            let mut next = Vec::new();
            for slot in round {
                limiter.release(slot, RequestOutcome::Served);
                // Others take the free places at once.
                while limiter.status().in_flight < limiter.status().limit {
                    next.extend(limiter.acquire(&stop));
                }
            }
            assert_eq!(next.len(), expected);
            round = next;
        }
    }

    #[test]
    fn a_limit_that_is_not_reached_does_not_grow() {
        let limiter = Limiter::new(ConcurrencyBounds { first: 10, most: 100 });
        for _ in 0..50 {
            let slot = limiter.acquire(&Stopper::default()).expect("open");
            limiter.release(slot, RequestOutcome::Served);
        }
        assert_eq!(limiter.status().limit, 10);
    }

    #[test]
    fn a_round_of_refusals_halves_the_limit_once() {
        let limiter = Limiter::new(ConcurrencyBounds::fixed(16));
        for slot in filled(&limiter) {
            limiter.release(slot, RequestOutcome::TooMany(None));
        }
        assert_eq!(limiter.status().limit, 8);
        assert_eq!(limiter.status().slowed, 16);
        for slot in filled(&limiter) {
            limiter.release(slot, RequestOutcome::TooMany(None));
        }
        assert_eq!(limiter.status().limit, 4);
    }

    #[test]
    fn one_request_is_always_allowed_and_growth_is_careful_afterwards() {
        let limiter = Limiter::new(ConcurrencyBounds::fixed(8));
        for _ in 0..10 {
            for slot in filled(&limiter) {
                limiter.release(slot, RequestOutcome::TooMany(None));
            }
        }
        assert_eq!(limiter.status().limit, 1);
        for limit in [2, 3, 4] {
            for slot in filled(&limiter) {
                limiter.release(slot, RequestOutcome::Served);
            }
            assert!(limiter.status().limit <= limit, "{:?}", limiter.status());
        }
        assert!(limiter.status().limit > 1);
    }

    #[test]
    fn no_request_is_sent_while_the_provider_asks_to_wait() {
        let limiter = Limiter::new(ConcurrencyBounds::fixed(4));
        let stop = Stopper::default();
        let first = limiter.acquire(&stop).expect("open");
        let wait = Duration::from_millis(120);
        let told = Instant::now();
        limiter.release(first, RequestOutcome::TooMany(Some(wait)));
        let second = limiter.acquire(&stop).expect("open again");
        assert!(told.elapsed() >= wait, "{:?}", told.elapsed());
        limiter.release(second, RequestOutcome::Served);
    }

    #[test]
    fn waiting_threads_leave_when_the_run_is_over() {
        let limiter = Arc::new(Limiter::new(ConcurrencyBounds::fixed(1)));
        let stop = Arc::new(Stopper::default());
        let _inside = limiter.acquire(&stop).expect("open");
        let waiting = thread::spawn({
            let (limiter, stop) = (Arc::clone(&limiter), Arc::clone(&stop));
            move || limiter.acquire(&stop).is_none()
        });
        while limiter.status().waiting == 0 {
            thread::yield_now();
        }
        stop.cancel();
        assert!(waiting.join().expect("no panic"));
        assert_eq!(limiter.status().waiting, 0);
    }

    #[test]
    fn never_more_than_the_limit_are_inside() {
        let limiter = Limiter::new(ConcurrencyBounds::fixed(3));
        let (in_flight, most) = (AtomicU32::new(0), AtomicU32::new(0));
        let stop = Stopper::default();
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let Some(slot) = limiter.acquire(&stop) else { return };
                        most.fetch_max(
                            in_flight.fetch_add(1, Ordering::SeqCst) + 1,
                            Ordering::SeqCst,
                        );
                        thread::yield_now();
                        in_flight.fetch_sub(1, Ordering::SeqCst);
                        limiter.release(slot, RequestOutcome::Served);
                    }
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 3);
    }
}
