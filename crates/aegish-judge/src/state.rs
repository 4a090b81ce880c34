//! State that the processes of a user share: request rates, paused providers, spending.
//!
//! One small file, replaced as a whole under an advisory lock that the kernel releases when its holder dies.
//! It is used only when a model is asked, which takes a thousand times longer. If it cannot be locked, read
//! or written, the process continues with its own limits and reports that; a damaged file is replaced. With a
//! budget, models are asked only while spending can be recorded.

mod breaker;
mod bucket;

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use aegish_private_files::{Error, LockedFile, Missing, Owner, PrivateDir};
use breaker::Breaker;
pub(crate) use breaker::{Blame, blame};
use bucket::Bucket;

const FILE: &str = "judge.json";
/// Maximum wait for the lock, which is held only while a small file is written.
const LONGEST_LOCK: Duration = Duration::from_secs(1);
/// Time before a process without the file tries it again.
const ALONE: Duration = Duration::from_secs(60);
const LONGEST_FILE: u64 = 1 << 20;
const DAY: u64 = 86_400_000;
/// Days whose totals are stored.
const MOST_DAYS: usize = 32;
/// Time for which a model that refused a schema is asked without one.
const WITHOUT_SCHEMA: u64 = DAY;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
struct SharedState {
    /// By provider.
    buckets: BTreeMap<String, Bucket>,
    /// By model or provider, each with its address.
    breakers: BTreeMap<String, Breaker>,
    /// Models that are asked without a schema, and until when.
    plain: BTreeMap<String, u64>,
    /// US dollars by day since 1970, UTC.
    spent: BTreeMap<u64, f64>,
}

/// The recipient of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    /// The provider, for its rate.
    pub(crate) provider: String,
    /// The provider at its address.
    pub(crate) address: String,
    /// The model at its address.
    pub(crate) model: String,
}

/// The checks of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AdmissionChecks {
    /// All checks; waits at most this long for the rate limit.
    All(Duration),
    /// Only the budget: for a health check, which asks paused models too.
    Budget,
}

/// The limits in force.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bounds {
    pub(crate) per_minute: u32,
    pub(crate) budget: Option<f64>,
    /// How long a question may take.
    pub(crate) timeout: Duration,
}

/// Whether a question may be asked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Admission {
    /// After this time; `reserved` US dollars were set aside for it.
    Go { wait: Duration, schema: SchemaUse, reserved: f64 },
    /// Model or provider failed recently and is paused for this time.
    Paused { left: Duration },
    /// The budget of the day is used up.
    Spent { spent: f64, budget: f64 },
    /// The rate limit would make it wait this long.
    Crowded { wait: Duration },
}

/// Whether a model is sent a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemaUse {
    Send,
    Omit,
}

/// The result of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum QuestionOutcome {
    /// The model answered.
    Answered,
    /// The model answered, but only without a schema.
    AnsweredPlain,
    /// It failed; names the model or provider at fault, and the pause that the provider asked for.
    Failed(Blame, Option<Duration>),
}

/// Whether other processes see the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StateSharing {
    Shared,
    /// The file was damaged and was replaced.
    Anew,
    /// Only this process has the state, for this reason.
    Alone(String),
}

#[derive(Debug)]
struct LocalState {
    state: SharedState,
    alone: Option<(Instant, String)>,
}

/// The shared state, as one process sees it.
#[derive(Debug)]
pub(crate) struct StateStore {
    dir: Option<PathBuf>,
    local: Mutex<LocalState>,
}

impl StateStore {
    /// No file is read or created before the first question.
    pub(crate) fn new(dir: Option<PathBuf>) -> Self {
        Self { dir, local: Mutex::new(LocalState { state: SharedState::default(), alone: None }) }
    }

    /// Checks whether a question may be asked now. If so, counts it and reserves `estimate` US dollars.
    pub(crate) fn admit(
        &self,
        target: &Target,
        checks: AdmissionChecks,
        bounds: &Bounds,
        estimate: f64,
    ) -> (Admission, StateSharing) {
        self.update(|state, now| state.admit(target, checks, bounds, estimate, now))
    }

    /// Records the result and the cost of a question.
    pub(crate) fn settle(
        &self,
        target: &Target,
        outcome: QuestionOutcome,
        reserved: f64,
        cost: f64,
    ) -> StateSharing {
        self.update(|state, now| state.settle(target, outcome, cost - reserved, now)).1
    }

    /// Changes the shared state, or the state of this process if the file cannot be used.
    fn update<R>(&self, change: impl FnOnce(&mut SharedState, u64) -> R) -> (R, StateSharing) {
        let mut local = self.local();
        let now = now();
        let Some(dir) = &self.dir else {
            let why = "no directory is set for it".to_owned();
            return (change(&mut local.state, now), StateSharing::Alone(why));
        };
        if let Some((since, why)) = &local.alone
            && since.elapsed() < ALONE
        {
            let why = why.clone();
            return (change(&mut local.state, now), StateSharing::Alone(why));
        }
        let alone = |local: &mut LocalState, error: &io::Error| {
            let why = error.to_string();
            local.alone = Some((Instant::now(), why.clone()));
            StateSharing::Alone(why)
        };
        let held = match LockedState::take(dir) {
            Ok(held) => held,
            Err(error) => {
                let result = change(&mut local.state, now);
                return (result, alone(&mut local, &error.into()));
            }
        };
        let (mut state, mut sharing) = held.state();
        if local.alone.take().is_some() {
            state.add_spending_of(&local.state);
        }
        let before = state.clone();
        let result = change(&mut state, now);
        state.forget(now);
        if state != before
            && let Err(error) = held.replace(&state)
        {
            local.state = state;
            sharing = alone(&mut local, &error);
        }
        (result, sharing)
    }

    fn local(&self) -> MutexGuard<'_, LocalState> {
        // The numbers are valid even after a panic.
        self.local.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The file, locked against other processes.
struct LockedState {
    dir: PrivateDir,
    _lock: LockedFile,
}

impl LockedState {
    fn take(dir: &Path) -> Result<Self, Error> {
        let dir = PrivateDir::open(dir, Owner::user(), Missing::CreateAll)?;
        let lock = dir.lock(OsStr::new("judge.lock"), LONGEST_LOCK)?;
        Ok(Self { dir, _lock: lock })
    }

    fn state(&self) -> (SharedState, StateSharing) {
        match self.dir.read(OsStr::new(FILE), LONGEST_FILE) {
            Ok(None) => (SharedState::default(), StateSharing::Shared),
            Ok(Some(bytes)) => match serde_json::from_slice(&bytes) {
                Ok(state) => (state, StateSharing::Shared),
                Err(_) => (SharedState::default(), StateSharing::Anew),
            },
            Err(_) => (SharedState::default(), StateSharing::Anew),
        }
    }

    fn replace(&self, state: &SharedState) -> io::Result<()> {
        let text = serde_json::to_vec(state)?;
        Ok(self.dir.replace(OsStr::new(FILE), &text, 0o600)?)
    }
}

impl SharedState {
    fn admit(
        &mut self,
        target: &Target,
        checks: AdmissionChecks,
        bounds: &Bounds,
        estimate: f64,
        now: u64,
    ) -> Admission {
        let circuits = [&target.address, &target.model];
        if let AdmissionChecks::All(_) = checks {
            let pauses = circuits.iter().filter_map(|key| self.breakers.get(*key)?.pause(now));
            if let Some(left) = pauses.max() {
                return Admission::Paused { left };
            }
        }
        let spent = self.spent.get(&(now / DAY)).copied().unwrap_or(0.0);
        if let Some(budget) = bounds.budget.filter(|budget| spent >= *budget) {
            return Admission::Spent { spent, budget };
        }
        let mut wait = Duration::ZERO;
        if let AdmissionChecks::All(most_wait) = checks {
            let per_minute = bounds.per_minute;
            let full = Bucket::full(per_minute, now);
            let bucket = self.buckets.entry(target.provider.clone()).or_insert(full);
            match bucket.take(per_minute, most_wait, now) {
                Ok(turn) => wait = turn,
                Err(wait) => return Admission::Crowded { wait },
            }
            for key in circuits {
                if let Some(breaker) = self.breakers.get_mut(key) {
                    breaker.probe(wait + bounds.timeout, now);
                }
            }
        }
        self.spend(estimate, now);
        let until = self.plain.get(&target.model).copied().unwrap_or(0);
        let known = until > now && until <= now.saturating_add(WITHOUT_SCHEMA);
        let schema = if known { SchemaUse::Omit } else { SchemaUse::Send };
        Admission::Go { wait, schema, reserved: estimate }
    }

    fn settle(&mut self, target: &Target, outcome: QuestionOutcome, difference: f64, now: u64) {
        self.spend(difference, now);
        let mut answered = || {
            self.breakers.remove(&target.model);
            self.breakers.remove(&target.address);
        };
        match outcome {
            QuestionOutcome::Answered | QuestionOutcome::Failed(Blame::Question, _) => answered(),
            QuestionOutcome::AnsweredPlain => {
                answered();
                self.plain.insert(target.model.clone(), now.saturating_add(WITHOUT_SCHEMA));
            }
            QuestionOutcome::Failed(Blame::Model, wish) => {
                self.breakers.remove(&target.address);
                self.breakers.entry(target.model.clone()).or_default().failed(wish, now);
            }
            QuestionOutcome::Failed(Blame::Provider, wish) => {
                self.breakers.entry(target.address.clone()).or_default().failed(wish, now);
            }
            QuestionOutcome::Failed(Blame::Setup, _) => {}
        }
    }

    fn spend(&mut self, dollars: f64, now: u64) {
        if dollars != 0.0 && dollars.is_finite() {
            let total = self.spent.entry(now / DAY).or_default();
            *total = (*total + dollars).max(0.0);
        }
    }

    /// Adds spending from the time when the file could not be written.
    fn add_spending_of(&mut self, other: &Self) {
        for (day, dollars) in &other.spent {
            let total = self.spent.entry(*day).or_default();
            *total = total.max(*dollars);
        }
    }

    /// Drops expired data, so that the file stays small.
    fn forget(&mut self, now: u64) {
        let recent = |at: u64| at.saturating_add(DAY) > now && at <= now.saturating_add(DAY);
        self.buckets.retain(|_, bucket| recent(bucket.last_used()));
        self.breakers.retain(|_, breaker| recent(breaker.last_used()));
        self.plain.retain(|_, until| *until > now && *until <= now.saturating_add(DAY));
        while self.spent.len() > MOST_DAYS {
            self.spent.pop_first();
        }
    }
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
