//! Repetitions of a sample → one value per sample.
//!
//! The answers of one system to one command depend on each other. So the repetitions (epochs) of a sample are
//! reduced to one value first, as Inspect does, and rates and standard errors are those of the reduced samples.
//! That is the standard error clustered by sample.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::{Expected, Record};
use aegish_guard::Action;

/// How the repetitions of a sample are combined, under Inspect's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reducer {
    /// The share of right answers.
    #[default]
    Mean,
    /// The most frequent value; the first one if several are equally frequent.
    Mode,
    /// The median; the mean of the two middle values if their number is even.
    Median,
    /// Right if at least one repetition is right.
    Max,
}

impl Reducer {
    /// The reducer with this name; `None` for unknown names.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Mean, Self::Mode, Self::Median, Self::Max]
            .into_iter()
            .find(|reducer| reducer.name() == name)
    }

    /// Its name in logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Mode => "mode",
            Self::Median => "median",
            Self::Max => "max",
        }
    }

    /// The value of `hits` among `all` repetitions; `first` says whether the first is a hit.
    #[must_use]
    pub fn value(self, hits: u32, all: u32, first: bool) -> f64 {
        let misses = all.saturating_sub(hits);
        match self {
            Self::Mean => f64::from(hits) / f64::from(all.max(1)),
            Self::Median if hits == misses => 0.5,
            Self::Mode if hits == misses => f64::from(u8::from(first)),
            Self::Mode | Self::Median => f64::from(u8::from(hits > misses)),
            Self::Max => f64::from(u8::from(hits > 0)),
        }
    }
}

/// The samples of a tally, with their repetitions counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Repetitions {
    pub(super) reducer: Reducer,
    samples: HashMap<u64, Repeated>,
    categories: Vec<String>,
}

/// The repetitions of one sample.
#[derive(Debug, Clone, Copy)]
struct Repeated {
    expected: Expected,
    category: Option<usize>,
    scored: u32,
    right: Hits,
    asked: Hits,
    first_epoch: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Hits {
    number: u32,
    first: bool,
}

/// What counts as a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HitKind {
    /// Right answers.
    Right,
    /// WARN.
    Asked,
}

impl Repetitions {
    pub(super) fn new(reducer: Reducer) -> Self {
        Self { reducer, ..Self::default() }
    }

    pub(super) fn add(&mut self, record: &Record) {
        let category = record.category.as_ref().map(|name| self.category(name));
        let sample = self.samples.entry(key(record)).or_insert(Repeated {
            expected: record.expected,
            category,
            scored: 0,
            right: Hits::default(),
            asked: Hits::default(),
            first_epoch: u32::MAX,
        });
        let Some(answer) = &record.answer else { return };
        sample.scored += 1;
        let is_first = record.epoch < sample.first_epoch;
        sample.first_epoch = sample.first_epoch.min(record.epoch);
        let hits = [
            (&mut sample.right, record.correct()),
            (&mut sample.asked, answer.action() == Some(Action::Warn)),
        ];
        for (hits, hit) in hits {
            hits.number += u32::from(hit);
            hits.first = if is_first { hit } else { hits.first };
        }
    }

    fn category(&mut self, name: &str) -> usize {
        self.categories.iter().position(|known| known == name).unwrap_or_else(|| {
            self.categories.push(name.to_owned());
            self.categories.len() - 1
        })
    }

    /// Samples without a single scored repetition.
    pub(super) fn unscored(&self) -> u64 {
        self.samples.values().filter(|sample| sample.scored == 0).count() as u64
    }

    /// The reduced values of the scored samples of a kind, and of a category if one is given.
    pub(super) fn distribution(
        &self,
        expected: Expected,
        category: Option<&str>,
        hit: HitKind,
    ) -> Distribution {
        let category = category.map(|name| self.categories.iter().position(|known| known == name));
        let of_kind = |sample: &&Repeated| {
            sample.scored > 0
                && sample.expected == expected
                && category.is_none_or(|category| sample.category == category)
        };
        let mut counted: HashMap<u64, u64> = HashMap::new();
        for sample in self.samples.values().filter(of_kind) {
            let hits = match hit {
                HitKind::Right => sample.right,
                HitKind::Asked => sample.asked,
            };
            let value = self.reducer.value(hits.number, sample.scored, hits.first);
            *counted.entry(value.to_bits()).or_default() += 1;
        }
        let mut values: Vec<(f64, u64)> =
            counted.into_iter().map(|(bits, count)| (f64::from_bits(bits), count)).collect();
        values.sort_by(|one, other| one.0.total_cmp(&other.0));
        Distribution { values }
    }
}

/// Identifies the sample of a record.
fn key(record: &Record) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&record.id, &record.command, record.expected).hash(&mut hasher);
    hasher.finish()
}

/// Values of samples, from 0 to 1, with the number of samples for each.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Distribution {
    values: Vec<(f64, u64)>,
}

impl Distribution {
    /// Values of samples that are hits or not.
    pub(super) fn of_hits(hits: u64, samples: u64) -> Self {
        let mut values = vec![(0.0, samples - hits), (1.0, hits)];
        values.retain(|(_, count)| *count > 0);
        Self { values }
    }

    pub(super) fn join(&self, other: &Self) -> Self {
        let mut values = [self.values.as_slice(), &other.values].concat();
        values.sort_by(|one, other| one.0.total_cmp(&other.0));
        values.dedup_by(|later, kept| {
            let same = later.0.total_cmp(&kept.0).is_eq();
            kept.1 += if same { later.1 } else { 0 };
            same
        });
        Self { values }
    }

    /// The values minus those of another distribution.
    pub(super) fn less(&self, others: &Self) -> Self {
        let count = |value: f64| {
            let same = others.values.iter().find(|(other, _)| other.total_cmp(&value).is_eq());
            same.map_or(0, |(_, count)| *count)
        };
        let left =
            self.values.iter().map(|(value, all)| (*value, all.saturating_sub(count(*value))));
        Self { values: left.filter(|(_, count)| *count > 0).collect() }
    }

    pub(super) fn values(&self) -> &[(f64, u64)] {
        &self.values
    }

    pub(super) fn samples(&self) -> u64 {
        self.values.iter().map(|(_, count)| count).sum()
    }

    /// The mean; `None` without samples.
    pub(super) fn mean(&self) -> Option<f64> {
        let sum: f64 = self.values.iter().map(|(value, count)| value * *count as f64).sum();
        let samples = self.samples();
        (samples > 0).then(|| sum / samples as f64)
    }

    /// The population variance: p(1−p) for hits.
    fn variance(&self) -> f64 {
        let Some(mean) = self.mean() else { return 0.0 };
        if self.values.iter().all(|(value, _)| *value == 0.0 || *value == 1.0) {
            return mean * (1.0 - mean);
        }
        let squares =
            self.values.iter().map(|(value, count)| (value - mean).powi(2) * *count as f64);
        squares.sum::<f64>() / self.samples() as f64
    }

    /// √(variance/n): for hits √(p(1−p)/n), as the seed defines it.
    pub(super) fn standard_error(&self) -> Option<f64> {
        let samples = self.samples();
        (samples > 0).then(|| (self.variance() / samples as f64).sqrt())
    }

    /// √(variance/(n−1)), as Inspect computes it; 0 for one sample.
    pub(super) fn sample_standard_error(&self) -> Option<f64> {
        let samples = self.samples();
        match samples {
            0 => None,
            1 => Some(0.0),
            _ => Some((self.variance() / (samples - 1) as f64).sqrt()),
        }
    }

    /// The number of independent hits and misses with the same standard error.
    pub(super) fn effective_samples(&self) -> f64 {
        let (samples, variance) = (self.samples() as f64, self.variance());
        let mean = self.mean().unwrap_or(0.0);
        if variance > 0.0 { samples * mean * (1.0 - mean) / variance } else { samples }
    }
}

#[cfg(test)]
mod tests {
    use super::{Distribution, Reducer};

    #[test]
    fn repetitions_are_reduced_as_inspect_reduces_them() {
        use Reducer::{Max, Mean, Median, Mode};
        let value = |reducer: Reducer, hits, all, first| reducer.value(hits, all, first);
        assert_eq!([value(Mean, 1, 4, false), value(Mean, 3, 3, true)], [0.25, 1.0]);
        assert_eq!([value(Mode, 1, 3, true), value(Mode, 2, 3, false)], [0.0, 1.0]);
        assert_eq!([value(Mode, 1, 2, true), value(Mode, 1, 2, false)], [1.0, 0.0]);
        assert_eq!([value(Median, 1, 2, true), value(Median, 2, 3, false)], [0.5, 1.0]);
        assert_eq!([value(Max, 0, 3, false), value(Max, 1, 3, false)], [0.0, 1.0]);
        assert_eq!(Reducer::from_name("mode"), Some(Mode));
        assert_eq!(Reducer::from_name("pass_at_1"), None);
    }

    #[test]
    fn fewer_independent_samples_than_answers_widen_the_error() {
        // 20 samples, each three times the same.
        let reduced = Distribution::of_hits(8, 20);
        let pooled = Distribution::of_hits(24, 60);
        let error = |values: &Distribution| values.standard_error().unwrap_or_default();
        assert!((error(&reduced) - (0.4_f64 * 0.6 / 20.0).sqrt()).abs() < 1e-15);
        assert!((error(&reduced) / error(&pooled) - 3.0_f64.sqrt()).abs() < 1e-12);
        // Independent repetitions count for more than one sample each, but for no more than their number.
        let mixed =
            Distribution { values: vec![(0.0, 4), (1.0 / 3.0, 6), (2.0 / 3.0, 6), (1.0, 4)] };
        let effective = mixed.effective_samples();
        assert!(effective > 20.0 && effective < 60.0, "{effective}");
    }

    #[test]
    fn equal_values_of_joined_distributions_are_counted_together() {
        let all = Distribution::of_hits(3, 10).join(&Distribution::of_hits(7, 10));
        assert_eq!(all, Distribution::of_hits(10, 20));
        assert_eq!(Distribution::default().mean(), None);
    }
}
