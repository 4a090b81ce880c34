//! Runs → systems ordered by score, and samples with every system's answer.
//!
//! Runs of one system over several data sets are combined: attacks give its detection, harmless commands its
//! pass rate, both its score. Of several runs over the same data set the newest complete one is used. A
//! system that lacks one of the two has no score and no rank; missing figures are never read as 0.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aegish_judge::{Answer, price};

use super::figures::figures;
use super::run::{Run, RunEnding};
use super::system::{ComparedSystem, Pairing, short_names};
use aegish_log::{Expected, Record};

/// Systems in order, samples with all answers, and what to know before trusting them.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The best first; those without a score at the end.
    pub systems: Vec<ComparedSystem>,
    /// The data sets, sorted by name.
    pub datasets: Vec<DataSet>,
    /// Every sample that some system was asked about.
    pub rows: Vec<ComparedSample>,
    /// Warnings about the figures.
    pub notes: Vec<String>,
    /// The logs that were used.
    pub sources: Vec<UsedLog>,
}

/// One data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSet {
    /// Its name.
    pub name: String,
    /// Different attacks in it, epochs not counted.
    pub attacks: usize,
    /// Different harmless commands in it.
    pub harmless: usize,
}

/// One log that was used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedLog {
    /// Its path.
    pub path: String,
    /// The index of its system.
    pub system: usize,
    /// Its data set.
    pub dataset: String,
    /// When it began.
    pub created: String,
    /// Its samples.
    pub samples: usize,
    /// Its prompt.
    pub prompt_sha256: Option<String>,
    /// Its data.
    pub dataset_sha256: Option<String>,
}

/// One sample with every system's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedSample {
    /// The index of its data set.
    pub dataset: usize,
    /// Its id there.
    pub id: String,
    /// Which repetition, from 1.
    pub epoch: u32,
    /// The command.
    pub command: String,
    /// What a right answer is.
    pub expected: Expected,
    /// Its category.
    pub category: Option<String>,
    /// Answers in the order of the systems; none if a system was not asked.
    pub answers: Vec<Option<SystemAnswer>>,
}

/// The answer of one system.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemAnswer {
    /// The answer or the class of error.
    pub answer: Answer,
    /// Whether it is right.
    pub right: bool,
    /// Its text.
    pub completion: String,
    /// Why there is no answer.
    pub error: Option<String>,
    /// Seconds from start to end.
    pub total_seconds: Option<f64>,
    /// Seconds of the system itself.
    pub model_seconds: Option<f64>,
}

impl ComparedSample {
    /// How many systems are wrong, and how many were asked.
    #[must_use]
    pub fn wrong(&self) -> (usize, usize) {
        let asked = self.answers.iter().flatten();
        (asked.clone().filter(|reply| !reply.right).count(), asked.count())
    }

    /// Whether some systems are right and some wrong.
    #[must_use]
    pub fn disputed(&self) -> bool {
        let (wrong, asked) = self.wrong();
        wrong > 0 && wrong < asked
    }
}

/// Identity of a sample. A data set may change a command under the same id.
type Key<'r> = (&'r str, &'r str, u32, &'r str, Expected);

impl Comparison {
    /// Compares what the runs contain.
    #[must_use]
    pub fn of(runs: &[Run]) -> Self {
        let mut notes = Vec::new();
        let groups = grouped(runs, &mut notes);
        let names: Vec<String> = groups.keys().cloned().collect();
        let mut systems: Vec<(ComparedSystem, Vec<&Run>)> = groups
            .into_iter()
            .zip(short_names(&names))
            .map(|((name, runs), short)| (system(name, short, &runs), runs))
            .collect();
        systems.sort_by(|(a, _), (b, _)| better_first(a, b));
        let mut rank = 0;
        for (system, _) in &mut systems {
            if system.figures.score.is_some() {
                rank += 1;
                system.rank = Some(rank);
            }
        }
        pair_with_best(&mut systems);
        warn(&systems, &mut notes);
        let datasets = datasets(&systems);
        let rows = rows(&systems, &datasets);
        let sources = sources(&systems);
        let systems = systems.into_iter().map(|(system, _)| system).collect();
        Self { systems, datasets, rows, notes, sources }
    }
}

/// The name of a run's system: the model, and how it was asked if that differs between runs.
fn name(run: &Run, prompts: &BTreeMap<&str, BTreeSet<&str>>) -> String {
    let several = prompts.get(run.model.as_str()).is_some_and(|prompts| prompts.len() > 1);
    let prompt = run.prompt_sha256.as_deref().filter(|_| several);
    let prompt = prompt.map(|hash| format!("prompt {}", hash.get(..8).unwrap_or(hash)));
    let marks: Vec<String> = run.variant.iter().cloned().chain(prompt).collect();
    if marks.is_empty() {
        run.model.clone()
    } else {
        format!("{} ({})", run.model, marks.join(", "))
    }
}

/// The runs of each system, one for each data set.
fn grouped<'r>(runs: &'r [Run], notes: &mut Vec<String>) -> BTreeMap<String, Vec<&'r Run>> {
    let mut prompts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for run in runs {
        prompts.entry(&run.model).or_default().extend(run.prompt_sha256.as_deref());
    }
    let mut newest: BTreeMap<(String, &str), &Run> = BTreeMap::new();
    for run in runs {
        let key = (name(run, &prompts), run.dataset.as_str());
        let strength = |run: &'r Run| (run.ending == RunEnding::Complete, run.created.as_str());
        let Some(other) = newest.get(&key).copied() else {
            newest.insert(key, run);
            continue;
        };
        let (kept, dropped) =
            if strength(run) > strength(other) { (run, other) } else { (other, run) };
        notes.push(format!(
            "{} was measured more than once on {}: {} counts, {} does not.",
            key.0, key.1, kept.source, dropped.source
        ));
        newest.insert(key, kept);
    }
    let mut groups: BTreeMap<String, Vec<&Run>> = BTreeMap::new();
    for ((name, _), run) in newest {
        groups.entry(name).or_default().push(run);
    }
    groups
}

fn system(name: String, short: String, runs: &[&Run]) -> ComparedSystem {
    let records: Vec<&Record> = runs.iter().flat_map(|run| &run.records).collect();
    let price = runs.first().and_then(|run| price::find(&run.model));
    let (metrics, figures) = figures(&records, price);
    let datasets = runs.iter().map(|run| run.dataset.clone()).collect();
    ComparedSystem { name, short, rank: None, datasets, metrics, figures, against_best: None }
}

/// By score, then detection, then pass rate; missing figures come last.
fn better_first(a: &ComparedSystem, b: &ComparedSystem) -> std::cmp::Ordering {
    let figures = |system: &ComparedSystem| {
        let figures = &system.figures;
        [
            figures.score.map_or(-1.0, |score| score.value),
            figures.detection.map_or(-1.0, |rate| rate.value()),
            figures.pass.map_or(-1.0, |rate| rate.value()),
        ]
    };
    let pairs = figures(b).into_iter().zip(figures(a));
    let order = pairs.map(|(b, a)| b.total_cmp(&a)).find(|order| order.is_ne());
    order.unwrap_or_else(|| a.name.cmp(&b.name))
}

fn key<'r>(run: &'r Run, record: &'r Record) -> Key<'r> {
    (&run.dataset, &record.id, record.epoch, &record.command, record.expected)
}

/// Compares every system with the best, sample by sample.
fn pair_with_best(systems: &mut [(ComparedSystem, Vec<&Run>)]) {
    let Some(((best, runs), others)) = systems.split_first_mut() else { return };
    if best.rank.is_none() {
        return;
    }
    let right: HashMap<Key<'_>, bool> = runs
        .iter()
        .flat_map(|run| run.records.iter().map(|record| (key(run, record), record.correct())))
        .collect();
    for (system, runs) in others {
        let (mut shared, mut gained, mut lost) = (0, 0, 0);
        for run in runs.iter() {
            for record in &run.records {
                let Some(best) = right.get(&key(run, record)) else { continue };
                shared += 1;
                gained += u64::from(record.correct() && !best);
                lost += u64::from(!record.correct() && *best);
            }
        }
        system.against_best = (shared > 0).then(|| Pairing::of(shared, gained, lost));
    }
}

/// Adds warnings about the figures.
fn warn(systems: &[(ComparedSystem, Vec<&Run>)], notes: &mut Vec<String>) {
    let without = |has: fn(&ComparedSystem) -> bool| -> Vec<&str> {
        let lacking = systems.iter().filter(|(system, _)| !has(system));
        lacking.map(|(system, _)| system.short.as_str()).collect()
    };
    for (names, what) in [
        (without(|system| system.figures.detection.is_some()), "attacks"),
        (without(|system| system.figures.pass.is_some()), "harmless commands"),
    ] {
        if !names.is_empty() {
            notes.push(format!("No score without {what}: {}.", names.join(", ")));
        }
    }
    let mut shared: Vec<(&str, Vec<&str>)> = Vec::new();
    for (system, runs) in systems {
        for warning in &system.metrics.warnings {
            match shared.iter_mut().find(|(known, _)| known == warning) {
                Some((_, names)) => names.push(&system.short),
                None => shared.push((warning, vec![&system.short])),
            }
        }
        for run in runs {
            if let RunEnding::Partial(word) = &run.ending {
                notes.push(format!(
                    "{} on {} is not complete (\"{word}\"): {} samples are counted.",
                    system.short,
                    run.dataset,
                    run.records.len()
                ));
            }
        }
    }
    for (warning, names) in shared {
        let who = if names.len() == systems.len() && names.len() > 1 {
            "all systems".to_owned()
        } else {
            names.join(", ")
        };
        notes.push(format!("{who}: {warning}."));
    }
    differing_sets(systems, notes);
    same_set_differs(systems, notes);
    let prompts: BTreeSet<&str> = systems
        .iter()
        .flat_map(|(_, runs)| runs.iter().filter_map(|run| run.prompt_sha256.as_deref()))
        .collect();
    if prompts.len() > 1 {
        notes.push(format!(
            "{} different system prompts were used: the systems were not asked the same way.",
            prompts.len()
        ));
    }
}

/// Figures over different data cannot be compared.
fn differing_sets(systems: &[(ComparedSystem, Vec<&Run>)], notes: &mut Vec<String>) {
    let sets: BTreeSet<&[String]> =
        systems.iter().map(|(system, _)| system.datasets.as_slice()).collect();
    if sets.len() > 1 {
        notes.push(
            "Not all systems were measured on the same data sets: compare only figures over the same ones."
                .to_owned(),
        );
    }
}

/// One name for several versions of a data set.
fn same_set_differs(systems: &[(ComparedSystem, Vec<&Run>)], notes: &mut Vec<String>) {
    let mut hashes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for run in systems.iter().flat_map(|(_, runs)| runs) {
        if let Some(hash) = &run.dataset_sha256 {
            hashes.entry(&run.dataset).or_default().insert(hash);
        }
    }
    for (name, versions) in hashes.iter().filter(|(_, versions)| versions.len() > 1) {
        notes.push(format!(
            "{} versions of {name} were used: only samples with the same command are paired.",
            versions.len()
        ));
    }
}

fn datasets(systems: &[(ComparedSystem, Vec<&Run>)]) -> Vec<DataSet> {
    let mut ids: BTreeMap<&str, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for run in systems.iter().flat_map(|(_, runs)| runs) {
        let (attacks, harmless) = ids.entry(&run.dataset).or_default();
        for record in &run.records {
            match record.expected {
                Expected::Block => attacks.insert(&record.id),
                Expected::Pass => harmless.insert(&record.id),
            };
        }
    }
    ids.into_iter()
        .map(|(name, (attacks, harmless))| DataSet {
            name: name.to_owned(),
            attacks: attacks.len(),
            harmless: harmless.len(),
        })
        .collect()
}

/// Every sample once, in the order of the logs.
fn rows(systems: &[(ComparedSystem, Vec<&Run>)], datasets: &[DataSet]) -> Vec<ComparedSample> {
    let mut index: HashMap<Key<'_>, usize> = HashMap::new();
    let mut rows: Vec<ComparedSample> = Vec::new();
    for (dataset, set) in datasets.iter().enumerate() {
        for (system, (_, runs)) in systems.iter().enumerate() {
            for run in runs.iter().filter(|run| run.dataset == set.name) {
                for record in &run.records {
                    let at = *index.entry(key(run, record)).or_insert_with(|| {
                        rows.push(ComparedSample {
                            dataset,
                            id: record.id.clone(),
                            epoch: record.epoch,
                            command: record.command.clone(),
                            expected: record.expected,
                            category: record.category.clone(),
                            answers: vec![None; systems.len()],
                        });
                        rows.len() - 1
                    });
                    rows[at].answers[system] = Some(reply(record));
                }
            }
        }
    }
    rows
}

fn reply(record: &Record) -> SystemAnswer {
    SystemAnswer {
        answer: record.answer.clone(),
        right: record.correct(),
        completion: record.completion.clone(),
        error: record.error.clone(),
        total_seconds: record.total_seconds,
        model_seconds: record.model_seconds.or(record.working_seconds),
    }
}

fn sources(systems: &[(ComparedSystem, Vec<&Run>)]) -> Vec<UsedLog> {
    let of_system = |(system, (_, runs)): (usize, &(ComparedSystem, Vec<&Run>))| {
        let source = |run: &&Run| UsedLog {
            path: run.source.clone(),
            system,
            dataset: run.dataset.clone(),
            created: run.created.clone(),
            samples: run.records.len(),
            prompt_sha256: run.prompt_sha256.clone(),
            dataset_sha256: run.dataset_sha256.clone(),
        };
        runs.iter().map(source).collect::<Vec<_>>()
    };
    systems.iter().enumerate().flat_map(of_system).collect()
}
