//! One question: through the chain, within one deadline.

use std::thread;
use std::time::{Duration, Instant};

use aegish_policy::Role;
use aegish_wire::{Endpoint, Limits, Usage};

use super::exchange::{self, NONCE_SCHEMA, PreparedQuestion, TOO_LATE};
use super::{Judge, Link, OpinionSource, Ruling};
use crate::cache::{CacheEntry, CacheKey, Question, seconds_now};
use crate::state::{Admission, AdmissionChecks, SchemaUse, StateSharing};
use crate::{Evidence, Marker, NoOpinion, Note, Opinion, Prompt, SkipReason, enriched};

/// Attempts beyond the first: the next model is as good as another try.
const RETRIES: u32 = 1;
const FIRST_DELAY: Duration = Duration::from_millis(300);
/// A provider that asks for a longer wait is left for the next one.
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// Time limit of the chain, as a multiple of that of one model.
const CHAIN: u32 = 2;

impl Judge {
    /// Asks the chain about a command.
    ///
    /// Takes at most about twice the time-out. Sends nothing if the opinion is cached, if the command is
    /// longer than [`MAX_COMMAND_LENGTH`](crate::MAX_COMMAND_LENGTH), or if the day's budget is spent.
    #[must_use]
    pub fn ask(&self, evidence: &Evidence<'_>, role: Role) -> Ruling {
        let prompt = self.prompt(role);
        let mut progress = ChainProgress::new(self);
        // Never sent: it only identifies the question. Scripts are identified separately.
        let naming = Evidence { scripts: &[], ..*evidence };
        let message = match enriched(&naming, &Marker::fixed(0)) {
            Ok(message) => message.text,
            Err(why) => {
                progress.notes.push(Note::NotSent(why));
                return progress.ruling(None, prompt);
            }
        };
        let question =
            Question { prompt: &prompt.hash, form: NONCE_SCHEMA, evidence, message: &message };
        let mut asked: Option<PreparedQuestion<'_>> = None;
        for link in self.in_order() {
            let endpoint = match &link.endpoint {
                Ok(endpoint) => endpoint,
                Err(why) => {
                    progress.notes.push(link.skipped(why.clone()));
                    continue;
                }
            };
            let key = CacheKey::new(&question, endpoint);
            if let Some(entry) = self.cache.as_ref().and_then(|cache| cache.get(&key)) {
                return progress.ruling(Some((link, entry.opinion, OpinionSource::Cache)), prompt);
            }
            if let Some(entry) = progress.fetch(&key) {
                return progress.ruling(Some((link, entry.opinion, OpinionSource::Cache)), prompt);
            }
            let asked = match &asked {
                Some(asked) => asked,
                None => match PreparedQuestion::new(prompt, evidence) {
                    Ok(new) => asked.insert(new),
                    Err(why) => {
                        progress.notes.push(Note::NotSent(why));
                        return progress.ruling(None, prompt);
                    }
                },
            };
            if let Some(opinion) = progress.try_link(link, endpoint, asked) {
                progress.keep(&key, &opinion);
                return progress.ruling(Some((link, opinion, OpinionSource::Model)), prompt);
            }
        }
        progress.ruling(None, prompt)
    }
}

/// Whether models may still be asked.
#[derive(PartialEq)]
enum Money {
    Left,
    /// Cached opinions may still be used.
    Gone,
}

/// State while the chain is asked.
struct ChainProgress<'a> {
    judge: &'a Judge,
    started: Instant,
    notes: Vec<Note>,
    usage: Usage,
    /// None if one cost is unknown.
    cost: Option<f64>,
    money: Money,
}

/// Permission to ask a model.
struct Reservation {
    wait: Duration,
    schema: SchemaUse,
    reserved: f64,
}

impl<'a> ChainProgress<'a> {
    fn new(judge: &'a Judge) -> Self {
        Self {
            judge,
            started: Instant::now(),
            notes: Vec::new(),
            usage: Usage::default(),
            cost: Some(0.0),
            money: Money::Left,
        }
    }

    fn left(&self) -> Duration {
        let all = self.judge.settings.timeout.saturating_mul(CHAIN);
        all.saturating_sub(self.started.elapsed())
    }

    /// Asks one model, if it may be asked now.
    fn try_link(
        &mut self,
        link: &Link,
        endpoint: &Endpoint,
        asked: &PreparedQuestion<'_>,
    ) -> Option<Opinion> {
        if self.money == Money::Gone {
            return None;
        }
        let client = match &self.judge.client {
            Ok(client) => client,
            Err(failure) => {
                self.notes.push(link.skipped(SkipReason::NoWayOut(failure.message.clone())));
                return None;
            }
        };
        let turn = self.turn(link, asked)?;
        thread::sleep(turn.wait);
        let time = || self.judge.settings.timeout.min(self.left());
        let limits = Limits {
            max_retries: RETRIES,
            base_delay: FIRST_DELAY,
            max_delay: LONGEST_WAIT,
            longest_wait: LONGEST_WAIT,
            ..Limits::default()
        };
        let (outcome, told) = asked.put(client, endpoint, turn.schema, limits, time);
        let billed = exchange::billed(link, &told, turn.reserved);
        let sharing = self.judge.shared.settle(&link.target, outcome, turn.reserved, billed);
        self.note_sharing(sharing);
        // A server that takes no key sends no bill.
        let billed_unseen = link.price.is_none() && endpoint.has_key();
        if self.judge.settings.budget_per_day.is_some() && billed_unseen {
            self.notes.push(Note::NoPrice { model: link.id.clone() });
        }
        let opinion = match told {
            Ok(completion) => {
                self.count(&completion.usage, exchange::cost(link, &completion));
                asked.opinion(&completion)
            }
            Err(failure) => Err(NoOpinion::Failure(failure)),
        };
        match opinion {
            Ok(opinion) => Some(opinion),
            Err(why) => {
                self.notes.push(Note::Failed { model: link.id.clone(), why });
                None
            }
        }
    }

    /// Reserves a request to a model; adds a note if it is refused.
    fn turn(&mut self, link: &Link, asked: &PreparedQuestion<'_>) -> Option<Reservation> {
        let left = self.left();
        if left < TOO_LATE {
            self.notes.push(link.skipped(SkipReason::OutOfTime));
            return None;
        }
        let judge = self.judge;
        let checks = AdmissionChecks::All(judge.settings.timeout.min(left - TOO_LATE));
        let bounds = judge.bounds();
        let (admission, sharing) =
            judge.shared.admit(&link.target, checks, &bounds, asked.estimate(link));
        let alone = match &sharing {
            StateSharing::Alone(why) => Some(why.clone()),
            StateSharing::Shared | StateSharing::Anew => None,
        };
        self.note_sharing(sharing);
        let note = match admission {
            Admission::Go { wait, schema, reserved } => match alone.zip(bounds.budget) {
                None => return Some(Reservation { wait, schema, reserved }),
                // Otherwise each process would spend the whole budget.
                Some((why, _)) => {
                    self.money = Money::Gone;
                    Note::BudgetUnkept { why }
                }
            },
            Admission::Spent { spent, budget } => {
                self.money = Money::Gone;
                Note::BudgetSpent { spent, budget }
            }
            Admission::Paused { left } => link.skipped(SkipReason::Paused(left)),
            Admission::Crowded { wait } => link.skipped(SkipReason::Crowded(wait)),
        };
        self.notes.push(note);
        None
    }

    fn count(&mut self, usage: &Usage, cost: Option<f64>) {
        let sum = |all: Option<u64>, one: Option<u64>| match (all, one) {
            (Some(all), Some(one)) => Some(all.saturating_add(one)),
            (one, None) | (None, one) => one,
        };
        let all = self.usage;
        self.usage = Usage {
            input: sum(all.input, usage.input),
            output: sum(all.output, usage.output),
            cached: sum(all.cached, usage.cached),
            cache_write: sum(all.cache_write, usage.cache_write),
            reasoning: sum(all.reasoning, usage.reasoning),
        };
        self.cost = self.cost.zip(cost).map(|(all, one)| all + one);
    }

    fn keep(&mut self, key: &CacheKey, opinion: &Opinion) {
        let Some(cache) = &self.judge.cache else { return };
        let entry = CacheEntry { made: seconds_now(), opinion: opinion.clone() };
        if let Err(error) = cache.put(key, &entry) {
            self.notes.push(Note::NotKept { why: error.to_string() });
        }
        let given = self.judge.store.as_ref().map(|store| cache.give(&**store, key, &entry));
        if let Some(Err(why)) = given {
            self.note_store(why);
        }
    }

    /// The opinion that another machine got.
    fn fetch(&mut self, key: &CacheKey) -> Option<CacheEntry> {
        let (cache, store) = (self.judge.cache.as_ref()?, self.judge.store.as_ref()?);
        match cache.fetch(&**store, key) {
            Ok(found) => found,
            Err(why) => {
                self.note_store(why);
                None
            }
        }
    }

    fn note_store(&mut self, why: String) {
        let note = Note::NotKept { why };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn note_sharing(&mut self, sharing: StateSharing) {
        let note = match sharing {
            StateSharing::Shared => return,
            StateSharing::Anew => Note::StartedAnew,
            StateSharing::Alone(why) => Note::NotShared { why },
        };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    fn ruling(self, found: Option<(&Link, Opinion, OpinionSource)>, prompt: &Prompt) -> Ruling {
        let (model, opinion, source) = match found {
            Some((link, opinion, source)) => (Some(link.id.clone()), Some(opinion), source),
            None => (None, None, OpinionSource::Model),
        };
        Ruling {
            opinion,
            model,
            source,
            latency: self.started.elapsed(),
            usage: self.usage,
            cost: self.cost,
            prompt_hash: prompt.hash.clone(),
            notes: self.notes,
        }
    }
}
