//! The answers of several systems, and their differences.
//!
//! Systems are ranked on the samples that all of them answered. If they have no samples of one kind in
//! common, those that were measured on the same data sets are ranked among themselves.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::run::Run;
use super::system::Pairing;
use aegish_log::metrics::{PairedTest, holm};
use aegish_log::{Expected, Record};

/// What makes a sample the same for two systems: data set, id, command and expectation.
pub(crate) type SampleKey<'r> = (usize, &'r str, &'r str, Expected);

/// A run and its data set.
#[derive(Clone, Copy)]
pub(crate) struct MeasuredRun<'r> {
    pub(crate) run: &'r Run,
    pub(crate) dataset: usize,
}

impl<'r> MeasuredRun<'r> {
    pub(crate) fn key(&self, record: &'r Record) -> SampleKey<'r> {
        (self.dataset, &record.id, &record.command, record.expected)
    }
}

/// The value of each sample that a system answered: its repetitions, reduced.
pub(crate) type Values<'r> = HashMap<SampleKey<'r>, f64>;

pub(crate) fn values<'r>(runs: &[MeasuredRun<'r>]) -> Values<'r> {
    let mut all = Values::new();
    for measured in runs {
        let mut hits: HashMap<SampleKey<'r>, (u32, u32, u32, bool)> = HashMap::new();
        for record in measured.run.records.iter().filter(|record| record.answer.is_some()) {
            let right = record.correct();
            let (hit, count, first_epoch, first) =
                hits.entry(measured.key(record)).or_insert((0, 0, u32::MAX, right));
            if record.epoch < *first_epoch {
                (*first_epoch, *first) = (record.epoch, right);
            }
            *hit += u32::from(right);
            *count += 1;
        }
        let reducer = measured.run.reducer;
        let value = |(key, (hit, count, _, first))| (key, reducer.value(hit, count, first));
        all.extend(hits.into_iter().map(value));
    }
    all
}

/// Systems that are ranked together, and the samples they are ranked on.
pub(crate) struct League<'r> {
    pub(crate) systems: Vec<usize>,
    pub(crate) samples: BTreeSet<SampleKey<'r>>,
}

/// The systems that have a score, in leagues.
pub(crate) fn leagues<'r>(all: &[Values<'r>]) -> Vec<League<'r>> {
    let scored: Vec<usize> = (0..all.len()).filter(|at| all.get(*at).is_some_and(both)).collect();
    let samples = shared(all, &scored);
    if scored.is_empty() {
        return Vec::new();
    }
    if has_both(samples.iter()) {
        return vec![League { systems: scored, samples }];
    }
    let mut by_sets: BTreeMap<BTreeSet<usize>, Vec<usize>> = BTreeMap::new();
    for at in scored {
        let sets = all.get(at).into_iter().flat_map(HashMap::keys).map(|key| key.0).collect();
        by_sets.entry(sets).or_default().push(at);
    }
    let mut leagues: Vec<League<'_>> = Vec::new();
    for systems in by_sets.into_values() {
        let samples = shared(all, &systems);
        if has_both(samples.iter()) {
            leagues.push(League { systems, samples });
            continue;
        }
        // The same sets, but no common part of both kinds: each is ranked separately.
        for at in systems {
            leagues.push(League { systems: vec![at], samples: shared(all, &[at]) });
        }
    }
    leagues.sort_by_key(|league| std::cmp::Reverse(league.systems.len()));
    leagues
}

fn both(values: &Values<'_>) -> bool {
    has_both(values.keys())
}

fn has_both<'k, 'r: 'k>(keys: impl Iterator<Item = &'k SampleKey<'r>>) -> bool {
    let (mut attacks, mut harmless) = (false, false);
    for key in keys {
        match key.3 {
            Expected::Block => attacks = true,
            Expected::Pass => harmless = true,
        }
    }
    attacks && harmless
}

fn shared<'r>(all: &[Values<'r>], systems: &[usize]) -> BTreeSet<SampleKey<'r>> {
    let mut values = systems.iter().filter_map(|at| all.get(*at));
    let Some(first) = values.next() else { return BTreeSet::new() };
    let rest: Vec<_> = values.collect();
    first.keys().filter(|key| rest.iter().all(|other| other.contains_key(*key))).copied().collect()
}

/// The paired test of each two systems, in the order (0, 1), (0, 2), …, (1, 2), …; corrected after Holm.
pub(crate) fn pairings(all: &[Values<'_>]) -> Vec<((usize, usize), Pairing)> {
    let mut tests = Vec::new();
    for (one, first) in all.iter().enumerate() {
        for (other, second) in all.iter().enumerate().skip(one + 1) {
            let mut pairs: Vec<(SampleKey<'_>, (f64, f64))> = second
                .iter()
                .filter_map(|(key, value)| Some((*key, (*value, *first.get(key)?))))
                .collect();
            // Sums of fractions depend on their order.
            pairs.sort_by_key(|pair| pair.0);
            let pairs: Vec<(f64, f64)> = pairs.into_iter().map(|(_, pair)| pair).collect();
            if !pairs.is_empty() {
                tests.push(((one, other), PairedTest::of(&pairs)));
            }
        }
    }
    let corrected = holm(&tests.iter().map(|(_, test)| test.p_value).collect::<Vec<f64>>());
    let pairing = |((pair, test), corrected)| (pair, Pairing::new(&test, corrected));
    tests.into_iter().zip(corrected).map(pairing).collect()
}
