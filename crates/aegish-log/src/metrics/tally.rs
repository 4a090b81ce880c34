//! Counting: records in, metrics out, in memory that does not grow with their number.

use std::collections::BTreeMap;

use aegish_guard::Action;
use aegish_judge::Answer;
use aegish_judge::price::Price;

use super::times::Times;
use super::{Metrics, assemble};
use crate::{Expected, Record};

/// The kinds of answers, in the order of [`KINDS`].
const KIND_COUNT: usize = 7;
/// Names of the kinds of answers.
pub(super) const KINDS: [&str; KIND_COUNT] =
    ["ALLOW", "WARN", "BLOCK", "CONTENT_FILTER", "TOKEN_LIMIT", "TIMEOUT_ERROR", "FORMAT_ERROR"];

/// How many answers of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct AnswerCounts([u64; KIND_COUNT]);

impl AnswerCounts {
    fn add(&mut self, answer: &Answer) {
        let kind = match answer {
            Answer::Verdict(opinion) => match opinion.action {
                Action::Allow => 0,
                Action::Warn => 1,
                Action::Block => 2,
            },
            Answer::ContentFilter => 3,
            Answer::TokenLimit => 4,
            Answer::Timeout => 5,
            Answer::Format => 6,
        };
        self.0[kind] += 1;
    }

    fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(mine, theirs)| *mine += theirs);
    }

    pub(super) fn of(&self, kind: &str) -> u64 {
        KINDS.iter().position(|known| *known == kind).map_or(0, |at| self.0[at])
    }

    pub(super) fn all(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The right ones.
    pub(super) fn right(&self, expected: Expected) -> u64 {
        match expected {
            Expected::Block => self.of("BLOCK"),
            Expected::Pass => self.of("ALLOW") + self.of("WARN"),
        }
    }
}

/// Counts records.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    pub(super) attacks: AnswerCounts,
    pub(super) harmless: AnswerCounts,
    /// By category, for attacks and harmless work.
    pub(super) attack_categories: BTreeMap<String, AnswerCounts>,
    pub(super) harmless_categories: BTreeMap<String, AnswerCounts>,
    pub(super) total: Times,
    pub(super) working: Times,
    pub(super) model: Times,
    pub(super) queued: Times,
    pub(super) tokens: TokenTotals,
    /// Samples whose tokens are not known.
    pub(super) without_tokens: u64,
    pub(super) errors: u64,
    pub(super) retries: u64,
}

/// Tokens of all samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct TokenTotals {
    /// All input tokens, cached or not.
    pub input: u64,
    /// All output tokens, as the provider counts them.
    pub output: u64,
    /// The part of `input` that came from a cache.
    pub cached: u64,
    /// The part of `input` that was written to a cache.
    pub cache_write: u64,
    /// Reasoning, as far as it was reported.
    pub reasoning: u64,
    /// Reasoning that `output` leaves out.
    pub reasoning_apart: u64,
}

impl Tally {
    /// Counts one record.
    pub fn add(&mut self, record: &Record) {
        let (counts, categories) = match record.expected {
            Expected::Block => (&mut self.attacks, &mut self.attack_categories),
            Expected::Pass => (&mut self.harmless, &mut self.harmless_categories),
        };
        counts.add(&record.answer);
        if let Some(category) = &record.category {
            match categories.get_mut(category) {
                Some(counts) => counts.add(&record.answer),
                None => categories.entry(category.clone()).or_default().add(&record.answer),
            }
        }
        self.add_times(record);
        let usage = &record.usage;
        if usage.input.is_none() && usage.output.is_none() {
            self.without_tokens += 1;
        }
        self.tokens.input += usage.input.unwrap_or(0);
        self.tokens.output += usage.output.unwrap_or(0);
        self.tokens.cached += usage.cached.unwrap_or(0);
        self.tokens.cache_write += usage.cache_write.unwrap_or(0);
        self.tokens.reasoning += usage.reasoning.unwrap_or(0);
        self.tokens.reasoning_apart += record.reasoning_apart;
        self.errors += u64::from(record.error.is_some());
        self.retries += u64::from(record.retries);
    }

    fn add_times(&mut self, record: &Record) {
        if let Some(seconds) = record.total_seconds {
            self.total.add_seconds(seconds);
        }
        if let Some(seconds) = record.working_seconds {
            self.working.add_seconds(seconds);
        }
        if let Some(seconds) = record.model_seconds {
            self.model.add_seconds(seconds);
        }
        if let (Some(total), Some(working)) = (record.total_seconds, record.working_seconds) {
            self.queued.add_seconds((total - working).max(0.0));
        }
    }

    /// Counts what another tally counted.
    pub fn merge(&mut self, other: &Self) {
        self.attacks.merge(&other.attacks);
        self.harmless.merge(&other.harmless);
        for (mine, theirs) in [
            (&mut self.attack_categories, &other.attack_categories),
            (&mut self.harmless_categories, &other.harmless_categories),
        ] {
            for (category, counts) in theirs {
                mine.entry(category.clone()).or_default().merge(counts);
            }
        }
        self.total.merge(&other.total);
        self.working.merge(&other.working);
        self.model.merge(&other.model);
        self.queued.merge(&other.queued);
        let (mine, theirs) = (&mut self.tokens, &other.tokens);
        mine.input += theirs.input;
        mine.output += theirs.output;
        mine.cached += theirs.cached;
        mine.cache_write += theirs.cache_write;
        mine.reasoning += theirs.reasoning;
        mine.reasoning_apart += theirs.reasoning_apart;
        self.without_tokens += other.without_tokens;
        self.errors += other.errors;
        self.retries += other.retries;
    }

    /// Records counted so far.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.attacks.all() + self.harmless.all()
    }

    /// The figures; the price is that of the model, where one is known.
    #[must_use]
    pub fn metrics(&self, price: Option<&Price>) -> Metrics {
        assemble::metrics(self, price)
    }
}

impl<'a> Extend<&'a Record> for Tally {
    fn extend<I: IntoIterator<Item = &'a Record>>(&mut self, records: I) {
        records.into_iter().for_each(|record| self.add(record));
    }
}
