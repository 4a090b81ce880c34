//! How many requests a provider gets at once.
//!
//! Starts small and doubles with every round that goes well, like a network connection that does not know its
//! line; halves when the provider says "too many", once per round, and then grows by one per round. While a
//! provider asks to wait, nobody enters. Whoever waits here waits for us, not for the model: that time is
//! measured apart.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::stop::Stopper;
use crate::system::Width;

/// How often somebody who waits looks whether the run is over.
const GLANCE: Duration = Duration::from_millis(100);
/// What a server on a desk answers at once.
const FEW: u32 = 4;

/// The bounds of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Requests at once in the beginning.
    pub first: u32,
    /// Never more.
    pub most: u32,
}

impl Bounds {
    /// Found out while running: from 20 up to 100.
    pub const ADAPTIVE: Self = Self { first: 20, most: 100 };

    /// This many from the start; fewer only while the provider says so.
    #[must_use]
    pub fn fixed(connections: u32) -> Self {
        let connections = connections.max(1);
        Self { first: connections, most: connections }
    }

    /// As told, or as suits a system.
    #[must_use]
    pub fn of(connections: Option<u32>, width: Width) -> Self {
        match (connections, width) {
            (Some(connections), _) => Self::fixed(connections),
            (None, Width::Waiting) => Self::ADAPTIVE,
            (None, Width::Few) => Self::fixed(FEW),
            (None, Width::Computing) => {
                let cores = thread::available_parallelism().map_or(1, usize::from);
                Self::fixed(u32::try_from(cores).unwrap_or(1))
            }
        }
    }
}

/// The door to one provider, shared by all who ask it.
#[derive(Debug)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    limit: f64,
    most: f64,
    growth: Growth,
    inside: u32,
    waiting: u32,
    /// Counts the cuts: a request that entered before the last one says nothing about it.
    round: u64,
    closed_until: Option<Instant>,
    slowed: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Growth {
    /// One more per good answer: doubles each round.
    Doubling,
    /// One more per round.
    Careful,
}

/// The right to send one request.
#[derive(Debug)]
#[must_use]
pub struct Pass {
    round: u64,
}

/// What came of a request, as far as the provider's capacity goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It was served.
    Fine,
    /// It was too much; maybe with a time to wait.
    TooMany(Option<Duration>),
    /// It failed for other reasons.
    Unrelated,
}

/// What a gate looks like now.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Traffic {
    /// Requests allowed at once.
    pub limit: u32,
    /// Requests under way.
    pub inside: u32,
    /// Those who wait to send one.
    pub waiting: u32,
    /// How often the provider has said "too many".
    pub slowed: u64,
    /// How long the provider still asks to wait.
    pub closed_for: Duration,
}

impl Gate {
    /// A gate within these bounds.
    #[must_use]
    pub fn new(bounds: Bounds) -> Self {
        let most = f64::from(bounds.most.max(1));
        let state = State {
            limit: f64::from(bounds.first.max(1)).min(most),
            most,
            growth: Growth::Doubling,
            inside: 0,
            waiting: 0,
            round: 0,
            closed_until: None,
            slowed: 0,
        };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Waits for a turn; nothing if the run is over before it comes.
    pub fn enter(&self, stop: &Stopper) -> Option<Pass> {
        let mut state = self.lock();
        if let Some(first) = state.obstacle() {
            let mut obstacle = Some(first);
            state.waiting += 1;
            while let Some(wait) = obstacle {
                let waited = self.changed.wait_timeout(state, wait);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
                if stop.is_over() {
                    state.waiting -= 1;
                    return None;
                }
                obstacle = state.obstacle();
            }
            state.waiting -= 1;
        }
        state.inside += 1;
        Some(Pass { round: state.round })
    }

    /// Says what came of it.
    #[expect(clippy::needless_pass_by_value, reason = "a pass is good for one request")]
    pub fn leave(&self, pass: Pass, verdict: Verdict) {
        let Pass { round } = pass;
        let mut state = self.lock();
        let before = state.whole();
        match verdict {
            Verdict::Fine => state.grow(),
            Verdict::TooMany(wait) => state.cut(round, wait),
            Verdict::Unrelated => {}
        }
        state.inside = state.inside.saturating_sub(1);
        let (waiting, grown) = (state.waiting, state.whole() > before);
        drop(state);
        match waiting {
            0 => {}
            _ if grown => self.changed.notify_all(),
            _ => self.changed.notify_one(),
        }
    }

    /// What it looks like now.
    #[must_use]
    pub fn traffic(&self) -> Traffic {
        let state = self.lock();
        let now = Instant::now();
        Traffic {
            limit: state.whole(),
            inside: state.inside,
            waiting: state.waiting,
            slowed: state.slowed,
            closed_for: state
                .closed_until
                .map_or(Duration::ZERO, |at| at.saturating_duration_since(now)),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// How long to wait before looking again, if nobody may enter now.
    fn obstacle(&mut self) -> Option<Duration> {
        if let Some(until) = self.closed_until {
            let left = until.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                return Some(left.min(GLANCE));
            }
            self.closed_until = None;
        }
        (self.inside >= self.whole()).then_some(GLANCE)
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
        // A limit that nobody comes near is no evidence that more would be served.
        if self.inside * 2 < self.whole() {
            return;
        }
        self.limit += match self.growth {
            Growth::Doubling => 1.0,
            Growth::Careful => 1.0 / self.limit,
        };
        self.limit = self.limit.min(self.most);
    }

    fn cut(&mut self, round: u64, wait: Option<Duration>) {
        self.slowed += 1;
        if let Some(wait) = wait {
            let until = Instant::now() + wait;
            self.closed_until = Some(self.closed_until.map_or(until, |at| at.max(until)));
        }
        if round == self.round {
            self.round += 1;
            self.growth = Growth::Careful;
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

    fn filled(gate: &Gate) -> Vec<Pass> {
        let stop = Stopper::default();
        let limit = gate.traffic().limit;
        (0..limit).filter_map(|_| gate.enter(&stop)).collect()
    }

    #[test]
    fn a_provider_that_serves_gets_twice_as_many_each_round() {
        let gate = Gate::new(Bounds { first: 4, most: 20 });
        let stop = Stopper::default();
        let mut round = filled(&gate);
        for expected in [8, 16, 20, 20] {
            let mut next = Vec::new();
            for pass in round {
                gate.leave(pass, Verdict::Fine);
                // Others take the free places at once.
                while gate.traffic().inside < gate.traffic().limit {
                    next.extend(gate.enter(&stop));
                }
            }
            assert_eq!(next.len(), expected);
            round = next;
        }
    }

    #[test]
    fn a_limit_that_nobody_comes_near_does_not_grow() {
        let gate = Gate::new(Bounds { first: 10, most: 100 });
        for _ in 0..50 {
            let pass = gate.enter(&Stopper::default()).expect("open");
            gate.leave(pass, Verdict::Fine);
        }
        assert_eq!(gate.traffic().limit, 10);
    }

    #[test]
    fn a_round_of_refusals_halves_the_limit_once() {
        let gate = Gate::new(Bounds::fixed(16));
        for pass in filled(&gate) {
            gate.leave(pass, Verdict::TooMany(None));
        }
        assert_eq!(gate.traffic().limit, 8);
        assert_eq!(gate.traffic().slowed, 16);
        for pass in filled(&gate) {
            gate.leave(pass, Verdict::TooMany(None));
        }
        assert_eq!(gate.traffic().limit, 4);
    }

    #[test]
    fn one_request_is_always_allowed_and_growth_is_careful_afterwards() {
        let gate = Gate::new(Bounds::fixed(8));
        for _ in 0..10 {
            for pass in filled(&gate) {
                gate.leave(pass, Verdict::TooMany(None));
            }
        }
        assert_eq!(gate.traffic().limit, 1);
        for limit in [2, 3, 4] {
            for pass in filled(&gate) {
                gate.leave(pass, Verdict::Fine);
            }
            assert!(gate.traffic().limit <= limit, "{:?}", gate.traffic());
        }
        assert!(gate.traffic().limit > 1);
    }

    #[test]
    fn nobody_enters_while_the_provider_asks_to_wait() {
        let gate = Gate::new(Bounds::fixed(4));
        let stop = Stopper::default();
        let first = gate.enter(&stop).expect("open");
        let wait = Duration::from_millis(120);
        let told = Instant::now();
        gate.leave(first, Verdict::TooMany(Some(wait)));
        let second = gate.enter(&stop).expect("open again");
        assert!(told.elapsed() >= wait, "{:?}", told.elapsed());
        gate.leave(second, Verdict::Fine);
    }

    #[test]
    fn whoever_waits_leaves_when_the_run_is_over() {
        let gate = Arc::new(Gate::new(Bounds::fixed(1)));
        let stop = Arc::new(Stopper::default());
        let _inside = gate.enter(&stop).expect("open");
        let waiting = thread::spawn({
            let (gate, stop) = (Arc::clone(&gate), Arc::clone(&stop));
            move || gate.enter(&stop).is_none()
        });
        while gate.traffic().waiting == 0 {
            thread::yield_now();
        }
        stop.cancel();
        assert!(waiting.join().expect("no panic"));
        assert_eq!(gate.traffic().waiting, 0);
    }

    #[test]
    fn never_more_than_the_limit_are_inside() {
        let gate = Gate::new(Bounds::fixed(3));
        let (inside, most) = (AtomicU32::new(0), AtomicU32::new(0));
        let stop = Stopper::default();
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let Some(pass) = gate.enter(&stop) else { return };
                        most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        gate.leave(pass, Verdict::Fine);
                    }
                });
            }
        });
        assert_eq!(most.load(Ordering::SeqCst), 3);
    }
}
