//! Which runs use the same data set.
//!
//! A data set is identified by the hash of its bytes, not by its name. A log without a hash, as Inspect
//! writes it, belongs to the set of the same name that contains all its samples, or else to those of its name
//! without a hash.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::run::Run;
use aegish_log::Expected;

/// Number of digits of a hash that distinguish two data sets of one name.
const SHOWN_DIGITS: usize = 8;

/// The data sets of several runs.
pub(crate) struct DataSets {
    /// Their names, sorted, each unlike all others.
    pub(crate) names: Vec<String>,
    /// The hash of each, if a log contains it.
    pub(crate) hashes: Vec<Option<String>>,
    /// The data set of each run, as an index of `names`.
    pub(crate) of_run: Vec<usize>,
}

type SampleId<'r> = (&'r str, &'r str, Expected);

struct Identity<'r> {
    name: &'r str,
    hash: Option<&'r str>,
    samples: HashSet<SampleId<'r>>,
}

impl DataSets {
    pub(crate) fn of(runs: &[Run]) -> Self {
        let mut known: Vec<Identity<'_>> = Vec::new();
        let mut of_run = vec![0; runs.len()];
        // Runs with a hash first: those without may belong to one of their sets.
        let mut order: Vec<usize> = (0..runs.len()).collect();
        order.sort_by_key(|at| runs.get(*at).is_none_or(|run| run.dataset_sha256.is_none()));
        for at in order {
            let Some(run) = runs.get(at) else { continue };
            let samples = samples(run);
            let found = known.iter().position(|set| set.holds(run, &samples));
            let place = found.unwrap_or_else(|| {
                let hash = run.dataset_sha256.as_deref();
                known.push(Identity { name: &run.dataset, hash, samples: HashSet::new() });
                known.len() - 1
            });
            if let Some(set) = known.get_mut(place) {
                set.samples.extend(samples);
            }
            if let Some(set_of_run) = of_run.get_mut(at) {
                *set_of_run = place;
            }
        }
        Self::sorted(&known, &of_run)
    }

    fn sorted(known: &[Identity<'_>], of_run: &[usize]) -> Self {
        let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
        known.iter().for_each(|set| *uses.entry(set.name).or_default() += 1);
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let mut named: Vec<(String, usize)> = Vec::new();
        for (place, set) in known.iter().enumerate() {
            let digits = set.hash.map(|hash| hash.get(..SHOWN_DIGITS).unwrap_or(hash));
            let mut name = match (uses.get(set.name), digits) {
                (Some(1), _) => set.name.to_owned(),
                (_, Some(digits)) => format!("{} ({digits})", set.name),
                (_, None) => format!("{} (no hash)", set.name),
            };
            while !taken.insert(name.clone()) {
                name.push('′');
            }
            named.push((name, place));
        }
        named.sort();
        let new_place = |old: usize| named.iter().position(|(_, place)| *place == old).unwrap_or(0);
        Self {
            hashes: named
                .iter()
                .map(|(_, place)| Some(known.get(*place)?.hash?.to_owned()))
                .collect(),
            of_run: of_run.iter().map(|place| new_place(*place)).collect(),
            names: named.into_iter().map(|(name, _)| name).collect(),
        }
    }

    /// Names under which there are several data sets, with their number.
    pub(crate) fn shared_names(runs: &[Run], of_run: &[usize]) -> Vec<(String, usize)> {
        let mut sets: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (run, set) in runs.iter().zip(of_run) {
            sets.entry(&run.dataset).or_default().insert(*set);
        }
        let several = sets.into_iter().filter(|(_, sets)| sets.len() > 1);
        several.map(|(name, sets)| (name.to_owned(), sets.len())).collect()
    }
}

impl<'r> Identity<'r> {
    fn holds(&self, run: &Run, samples: &HashSet<SampleId<'r>>) -> bool {
        match (self.hash, run.dataset_sha256.as_deref()) {
            (Some(own), Some(other)) => own == other,
            (Some(_), None) => self.name == run.dataset && samples.is_subset(&self.samples),
            (None, None) => self.name == run.dataset,
            (None, Some(_)) => false,
        }
    }
}

fn samples(run: &Run) -> HashSet<SampleId<'_>> {
    run.records
        .iter()
        .map(|record| (record.id.as_str(), record.command.as_str(), record.expected))
        .collect()
}
