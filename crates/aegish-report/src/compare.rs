//! Runs → systems ordered by score, and samples with every system's answer.
//!
//! Runs of one system over several data sets are combined: attacks give its detection, harmless commands its
//! pass rate, both its score. Of several runs over the same data set the newest complete one is used. A
//! system that lacks one of the two has no score and no rank; missing figures are never read as 0.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aegish_judge::Answer;

use super::common::{League, MeasuredRun, SampleKey, Values, leagues, pairings, values};
use super::figures::figures;
use super::identity::DataSets;
use super::run::{Run, RunEnding};
use super::system::{ComparedSystem, Pairing, short_names};
use aegish_log::metrics::Calibration;
use aegish_log::{Expected, Record, UNSCORED};

/// Systems in order, samples with all answers, and warnings.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The best first; those without a score at the end.
    pub systems: Vec<ComparedSystem>,
    /// The data sets, sorted by name.
    pub datasets: Vec<DataSet>,
    /// Every sample that some system was asked about.
    pub rows: Vec<ComparedSample>,
    /// Each pair of systems on the samples that both answered, as indices into `systems`.
    pub pairings: Vec<((usize, usize), Pairing)>,
    /// Warnings about the figures.
    pub notes: Vec<String>,
    /// The logs that were used.
    pub sources: Vec<UsedLog>,
}

/// One data set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataSet {
    /// Its name, with digits of its hash where there are several of that name.
    pub name: String,
    /// The hash of its bytes, if a log contains it.
    pub sha256: Option<String>,
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
    /// The right answer.
    pub expected: Expected,
    /// Its category.
    pub category: Option<String>,
    /// Answers in the order of the systems; none if a system was not asked.
    pub answers: Vec<Option<SystemAnswer>>,
}

/// The answer of one system.
#[derive(Debug, Clone, PartialEq)]
pub struct SystemAnswer {
    /// The answer or the class of error in it; none if the sample failed and has no score.
    pub answer: Option<Answer>,
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

impl SystemAnswer {
    /// The word for the answer.
    #[must_use]
    pub fn word(&self) -> &'static str {
        self.answer.as_ref().map_or(UNSCORED, Answer::as_str)
    }
}

impl ComparedSample {
    /// How many systems are wrong, and how many have a score.
    #[must_use]
    pub fn wrong(&self) -> (usize, usize) {
        let asked = self.answers.iter().flatten().filter(|reply| reply.answer.is_some());
        (asked.clone().filter(|reply| !reply.right).count(), asked.count())
    }

    /// Whether some systems are right and some wrong.
    #[must_use]
    pub fn disputed(&self) -> bool {
        let (wrong, asked) = self.wrong();
        wrong > 0 && wrong < asked
    }
}

impl Comparison {
    /// Compares runs.
    #[must_use]
    pub fn of(runs: &[Run]) -> Self {
        let mut notes = Vec::new();
        let sets = DataSets::of(runs);
        for (name, number) in DataSets::shared_names(runs, &sets.of_run) {
            notes.push(format!("There are {number} data sets named {name}: they are kept apart."));
        }
        let groups = grouped(runs, &sets, &mut notes);
        let names: Vec<String> = groups.keys().cloned().collect();
        let mut candidates: Vec<Candidate<'_>> = groups
            .into_iter()
            .zip(short_names(&names))
            .map(|((name, runs), short)| Candidate::new(name, short, runs, &sets))
            .collect();
        rank(&mut candidates, &mut notes);
        let values: Vec<Values<'_>> =
            candidates.iter_mut().map(|candidate| std::mem::take(&mut candidate.values)).collect();
        let pairings = pairings(&values);
        for ((one, other), pairing) in &pairings {
            if *one == 0 && candidates.first().is_some_and(|best| best.system.rank.is_some()) {
                candidates[*other].system.against_best = Some(*pairing);
            }
        }
        warn(&candidates, &mut notes);
        let datasets = datasets(&candidates, &sets);
        let rows = rows(&candidates, datasets.len());
        let sources = sources(&candidates, &sets);
        let systems = candidates.into_iter().map(|candidate| candidate.system).collect();
        Self { systems, datasets, rows, pairings, notes, sources }
    }
}

/// A system with its runs.
struct Candidate<'r> {
    system: ComparedSystem,
    runs: Vec<MeasuredRun<'r>>,
    values: Values<'r>,
}

impl<'r> Candidate<'r> {
    fn new(name: String, short: String, runs: Vec<MeasuredRun<'r>>, sets: &DataSets) -> Self {
        let set = |measured: &MeasuredRun<'_>| sets.names.get(measured.dataset).cloned();
        let records: Vec<&Record> =
            runs.iter().flat_map(|measured| &measured.run.records).collect();
        let (metrics, figures) = measure(&runs, &records);
        let system = ComparedSystem {
            name,
            short,
            rank: None,
            league: 0,
            datasets: runs.iter().filter_map(set).collect(),
            metrics,
            figures,
            against_best: None,
            calibration: calibration(&records),
        };
        Self { system, values: values(&runs), runs }
    }

    /// Restricts the figures to the samples on which systems are compared. Returns the number of samples left
    /// out.
    fn restrict(&mut self, samples: &BTreeSet<SampleKey<'_>>) -> usize {
        let left_out = self.values.keys().filter(|key| !samples.contains(*key)).count();
        if left_out > 0 {
            let mut records: Vec<&Record> = Vec::new();
            for measured in &self.runs {
                let shared = |record: &&Record| samples.contains(&measured.key(record));
                records.extend(measured.run.records.iter().filter(shared));
            }
            (self.system.metrics, self.system.figures) = measure(&self.runs, &records);
            self.system.calibration = calibration(&records);
        }
        left_out
    }
}

fn measure(
    runs: &[MeasuredRun<'_>],
    records: &[&Record],
) -> (aegish_log::Metrics, super::system::Figures) {
    let first = runs.first().map(|measured| measured.run);
    let price = first.and_then(|run| run.price);
    figures(records, price, first.map(|run| run.reducer).unwrap_or_default())
}

fn calibration(records: &[&Record]) -> Option<Calibration> {
    let verdict = |record: &&Record| match &record.answer {
        Some(Answer::Verdict(opinion)) => Some((opinion.confidence, record.correct())),
        _ => None,
    };
    Calibration::of(&records.iter().filter_map(verdict).collect::<Vec<_>>())
}

/// Sorts the systems and gives those with a score their ranks.
fn rank(candidates: &mut [Candidate<'_>], notes: &mut Vec<String>) {
    let values: Vec<Values<'_>> = candidates.iter().map(|one| one.values.clone()).collect();
    let leagues: Vec<League<'_>> = leagues(&values);
    for (number, league) in leagues.iter().enumerate() {
        let mut left_out: Vec<(usize, String)> = Vec::new();
        for at in &league.systems {
            let Some(candidate) = candidates.get_mut(*at) else { continue };
            let rest = candidate.restrict(&league.samples);
            candidate.system.rank = Some(0);
            candidate.system.league = if leagues.len() > 1 { number + 1 } else { 0 };
            left_out.push((rest, candidate.system.short.clone()));
        }
        if left_out.iter().any(|(rest, _)| *rest > 0) {
            let named = left_out.iter().filter(|(rest, _)| *rest > 0);
            let named: Vec<String> =
                named.map(|(rest, name)| format!("{rest} of {name}")).collect();
            notes.push(format!(
                "Ranked on the {} samples that all ranked systems answered; further samples are not counted: {}.",
                league.samples.len(),
                named.join(", ")
            ));
        }
    }
    if leagues.len() > 1 {
        notes.push(
            "These systems share no samples of both kinds: those with the same letter are ranked together."
                .to_owned(),
        );
    }
    candidates.sort_by(|one, other| {
        let league = |one: &Candidate<'_>| (one.system.rank.is_none(), one.system.league);
        league(one).cmp(&league(other)).then_with(|| better_first(&one.system, &other.system))
    });
    // Equal figures share a rank.
    let (mut rank, mut position, mut last) = (0, 0, (usize::MAX, [0.0; 3]));
    for candidate in candidates.iter_mut().filter(|one| one.system.rank.is_some()) {
        let now = (candidate.system.league, ranked_by(&candidate.system));
        position = if now.0 == last.0 { position + 1 } else { 1 };
        if now != last {
            (rank, last) = (position, now);
        }
        candidate.system.rank = Some(rank);
    }
}

/// The name of a run's system: the model, and how it differs from other ways of asking it.
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
fn grouped<'r>(
    runs: &'r [Run],
    sets: &DataSets,
    notes: &mut Vec<String>,
) -> BTreeMap<String, Vec<MeasuredRun<'r>>> {
    let mut prompts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for run in runs {
        prompts.entry(&run.model).or_default().extend(run.prompt_sha256.as_deref());
    }
    let mut newest: BTreeMap<(String, usize), &Run> = BTreeMap::new();
    for (run, set) in runs.iter().zip(&sets.of_run) {
        let key = (name(run, &prompts), *set);
        let strength = |run: &'r Run| (run.ending == RunEnding::Complete, run.created.as_str());
        let Some(other) = newest.get(&key).copied() else {
            newest.insert(key, run);
            continue;
        };
        let (kept, dropped) =
            if strength(run) > strength(other) { (run, other) } else { (other, run) };
        notes.push(format!(
            "{} was measured more than once on {}: {} counts, {} does not.",
            key.0,
            sets.names.get(*set).map_or("", String::as_str),
            kept.source,
            dropped.source
        ));
        newest.insert(key, kept);
    }
    let mut groups: BTreeMap<String, Vec<MeasuredRun<'r>>> = BTreeMap::new();
    for ((name, dataset), run) in newest {
        groups.entry(name).or_default().push(MeasuredRun { run, dataset });
    }
    groups
}

/// Score, detection and pass rate; what is missing comes last.
fn ranked_by(system: &ComparedSystem) -> [f64; 3] {
    let figures = &system.figures;
    [
        figures.score.map_or(-1.0, |score| score.value),
        figures.detection.map_or(-1.0, |rate| rate.value()),
        figures.pass.map_or(-1.0, |rate| rate.value()),
    ]
}

/// By score, then detection, then pass rate; missing values come last.
fn better_first(a: &ComparedSystem, b: &ComparedSystem) -> std::cmp::Ordering {
    let pairs = ranked_by(b).into_iter().zip(ranked_by(a));
    let order = pairs.map(|(b, a)| b.total_cmp(&a)).find(|order| order.is_ne());
    order.unwrap_or_else(|| a.name.cmp(&b.name))
}

/// Adds warnings about the figures.
fn warn(candidates: &[Candidate<'_>], notes: &mut Vec<String>) {
    let without = |has: fn(&ComparedSystem) -> bool| -> Vec<&str> {
        let lacking = candidates.iter().map(|one| &one.system).filter(|system| !has(system));
        lacking.map(|system| system.short.as_str()).collect()
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
    for Candidate { system, runs, .. } in candidates {
        for warning in &system.metrics.warnings {
            match shared.iter_mut().find(|(known, _)| known == warning) {
                Some((_, names)) => names.push(&system.short),
                None => shared.push((warning, vec![&system.short])),
            }
        }
        for MeasuredRun { run, .. } in runs {
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
        let who = if names.len() == candidates.len() && names.len() > 1 {
            "all systems".to_owned()
        } else {
            names.join(", ")
        };
        notes.push(format!("{who}: {warning}."));
    }
    let sets: BTreeSet<&[String]> =
        candidates.iter().map(|one| one.system.datasets.as_slice()).collect();
    if sets.len() > 1 {
        notes.push("Not all systems were measured on the same data sets.".to_owned());
    }
    let runs = candidates.iter().flat_map(|one| &one.runs);
    let prompts: BTreeSet<&str> =
        runs.filter_map(|measured| measured.run.prompt_sha256.as_deref()).collect();
    if prompts.len() > 1 {
        notes.push(format!(
            "{} different system prompts were used: the systems were not asked the same way.",
            prompts.len()
        ));
    }
}

fn datasets(candidates: &[Candidate<'_>], sets: &DataSets) -> Vec<DataSet> {
    let set = |(place, name): (usize, &String)| {
        let (mut attacks, mut harmless) = (BTreeSet::new(), BTreeSet::new());
        let runs = candidates.iter().flat_map(|one| &one.runs);
        for MeasuredRun { run, .. } in runs.filter(|measured| measured.dataset == place) {
            for record in &run.records {
                match record.expected {
                    Expected::Block => attacks.insert(&record.id),
                    Expected::Pass => harmless.insert(&record.id),
                };
            }
        }
        DataSet {
            name: name.clone(),
            sha256: sets.hashes.get(place).cloned().flatten(),
            attacks: attacks.len(),
            harmless: harmless.len(),
        }
    };
    sets.names.iter().enumerate().map(set).collect()
}

/// Every sample once, in the order of the logs.
fn rows(candidates: &[Candidate<'_>], datasets: usize) -> Vec<ComparedSample> {
    let mut index: HashMap<(SampleKey<'_>, u32), usize> = HashMap::new();
    let mut rows: Vec<ComparedSample> = Vec::new();
    for dataset in 0..datasets {
        for (system, candidate) in candidates.iter().enumerate() {
            for measured in candidate.runs.iter().filter(|measured| measured.dataset == dataset) {
                for record in &measured.run.records {
                    let key = (measured.key(record), record.epoch);
                    let at = *index.entry(key).or_insert_with(|| {
                        rows.push(ComparedSample {
                            dataset,
                            id: record.id.clone(),
                            epoch: record.epoch,
                            command: record.command.clone(),
                            expected: record.expected,
                            category: record.category.clone(),
                            answers: vec![None; candidates.len()],
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

fn sources(candidates: &[Candidate<'_>], sets: &DataSets) -> Vec<UsedLog> {
    let of_system = |(system, candidate): (usize, &Candidate<'_>)| {
        let source = |MeasuredRun { run, dataset }: &MeasuredRun<'_>| UsedLog {
            path: run.source.clone(),
            system,
            dataset: sets.names.get(*dataset).cloned().unwrap_or_default(),
            created: run.created.clone(),
            samples: run.records.len(),
            prompt_sha256: run.prompt_sha256.clone(),
            dataset_sha256: run.dataset_sha256.clone(),
        };
        candidate.runs.iter().map(source).collect::<Vec<_>>()
    };
    candidates.iter().enumerate().flat_map(of_system).collect()
}
