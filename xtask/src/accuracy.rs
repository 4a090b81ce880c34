//! `cargo xtask accuracy`: how good the static verdicts are, per data set.
//!
//! Every command is judged through the guard, on the real machine but in an empty directory and
//! without a real home, so that the answers depend on the command alone. Own cases and own data sets
//! are judged on a machine of their own; what comes out for the data sets is compared with the
//! committed baseline, so that every change of a verdict is seen.

use crate::baseline::{self, Line};
use crate::cases::{self, REAL};
use crate::datasets::{self, DataSet, Judged};
use crate::report::{percent, share, table};
use aegish_bench::Expected;
use aegish_bench::dataset::data_root;
use aegish_guard::{Action, Decision, Request, Role, check};
use clap::Args;
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, process, thread};

/// Least detection on the reference set.
const DETECTION_FLOOR: f64 = 0.90;
/// Least acceptance on the reference set.
const ACCEPTANCE_FLOOR: f64 = 0.99;

#[derive(Args)]
pub(crate) struct Options {
    /// Directory with `reference/datasets` and `dev-sets` [default: AEGISH_REFERENCE, or `shared` beside
    /// or above the repository]
    #[arg(long)]
    data: Option<PathBuf>,
    /// Only sets whose name contains this
    #[arg(long)]
    set: Option<String>,
    /// List commands with the wrong verdict, of sets whose name contains this (`all` for all)
    #[arg(long, value_name = "SET")]
    failures: Option<String>,
    /// List harmless commands that are asked about, of sets whose name contains this (`all` for all)
    #[arg(long, value_name = "SET")]
    warns: Option<String>,
    /// Machine-readable
    #[arg(long)]
    json: bool,
    /// Fail if the reference set falls below the floor, or if a verdict on the own data sets is not
    /// the one of the baseline
    #[arg(long)]
    pub(crate) floor: bool,
    /// Write the baseline of the own data sets anew
    #[arg(long, conflicts_with_all = ["set", "role"])]
    bless: bool,
    /// Whose work is judged
    #[arg(long, default_value_t = Role::Default)]
    role: Role,
}

/// What came out for one sample.
struct Outcome {
    action: Action,
    open: bool,
    rule: &'static str,
    reason: String,
}

/// The counts of one set or category.
#[derive(Default, Clone, Copy)]
struct Tally {
    samples: usize,
    block: usize,
    warn: usize,
    allow: usize,
    open: usize,
}

impl Tally {
    fn add(&mut self, outcome: &Outcome) {
        self.samples += 1;
        self.open += usize::from(outcome.open);
        *match outcome.action {
            Action::Block => &mut self.block,
            Action::Warn => &mut self.warn,
            Action::Allow => &mut self.allow,
        } += 1;
    }
}

pub(crate) fn run(options: &Options) -> Result<(), String> {
    let root = data_root(options.data.as_deref(), &crate::root());
    let sets: Vec<DataSet> = datasets::all(root.as_deref(), options.role)?
        .into_iter()
        .filter(|set| options.set.as_ref().is_none_or(|part| set.name.contains(part.as_str())))
        .filter(|set| !set.samples.is_empty())
        .collect();
    let own = |set: &&DataSet| set.name.starts_with("cases/") || set.name.starts_with("own/");
    let foreign = sets.len() - sets.iter().filter(own).count();
    if foreign == 0 && !options.json {
        let place =
            root.map_or_else(|| "anywhere".to_owned(), |dir| format!("in {}", dir.display()));
        println!("No reference or development sets found {place}: only own sets are measured.");
        println!(
            "Name a directory with `reference/datasets` and `dev-sets` by --data or AEGISH_REFERENCE.\n"
        );
    }
    let scratch = Scratch::new()?;
    let results: Vec<Vec<Outcome>> =
        sets.iter().map(|set| judge(&set.samples, &scratch.0, options.role)).collect();
    if options.json {
        println!("{}", as_json(&sets, &results));
    } else {
        print_tables(&sets, &results);
        list(&sets, &results, options);
    }
    if options.bless {
        return baseline::bless(&lines(&sets, &results));
    }
    if options.set.is_none() && options.role == Role::Default && !options.json {
        let changes = baseline::changes(&lines(&sets, &results))?;
        for change in &changes {
            println!("{change}");
        }
        if !changes.is_empty() && options.floor {
            return Err(format!(
                "{} verdicts differ from {}: if they are right, run `cargo xtask accuracy --bless`",
                changes.len(),
                baseline::PLACE
            ));
        }
    }
    if options.floor { hold_floor(&sets, &results) } else { Ok(()) }
}

/// What the baseline says about the own data sets.
fn lines<'a>(sets: &'a [DataSet], results: &'a [Vec<Outcome>]) -> Vec<Line<'a>> {
    let own = sets.iter().zip(results).filter(|(set, _)| set.name.starts_with("own/"));
    own.flat_map(|(set, outcomes)| set.samples.iter().zip(outcomes))
        .map(|(judged, outcome)| Line {
            id: &judged.sample.id,
            action: outcome.action.to_string(),
            rule: outcome.rule,
            command: &judged.sample.command,
        })
        .collect()
}

/// All samples, over all cores, in order.
fn judge(samples: &[Judged], cwd: &Path, role: Role) -> Vec<Outcome> {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let part = samples.len().div_ceil(cores).max(1);
    let work = |part: &[Judged]| part.iter().map(|sample| judge_one(sample, cwd, role)).collect();
    thread::scope(|scope| {
        let workers: Vec<_> = samples
            .chunks(part)
            .map(|part| {
                let builder = thread::Builder::new().stack_size(8 << 20);
                builder.spawn_scoped(scope, move || -> Vec<Outcome> { work(part) })
            })
            .collect();
        let join = |worker: std::io::Result<thread::ScopedJoinHandle<'_, Vec<Outcome>>>| {
            worker.ok().and_then(|handle| handle.join().ok()).unwrap_or_default()
        };
        workers.into_iter().flat_map(join).collect()
    })
}

fn judge_one(judged: &Judged, cwd: &Path, role: Role) -> Outcome {
    let decision: Decision = match &judged.case {
        Some(case) => case.decide(),
        None => {
            let context = cases::surroundings(&cwd.to_string_lossy()).context(&REAL);
            check(&Request {
                text: judged.sample.command.as_bytes(),
                context: &context,
                role,
                judge: None,
            })
        }
    };
    Outcome {
        action: decision.action,
        open: decision.open,
        rule: decision.rule.id,
        reason: decision.reason,
    }
}

fn print_tables(sets: &[DataSet], results: &[Vec<Outcome>]) {
    let head = ["set", "n", "detected", "accepted", "warn", "open", "allow", "block"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (set, outcomes) in sets.iter().zip(results) {
        for expect in [Expected::Block, Expected::Pass] {
            let tally = tally(set, outcomes, |judged| judged.sample.expected == expect);
            if tally.samples > 0 {
                rows.push(row(&set.name, expect, &tally));
            }
        }
    }
    print!("{}", table(&rows));
    for (set, outcomes) in sets.iter().zip(results) {
        if !set.name.contains("gtfobins") && set.name != "own/malicious" {
            continue;
        }
        let mut categories: BTreeMap<&str, Tally> = BTreeMap::new();
        for (judged, outcome) in set.samples.iter().zip(outcomes) {
            let category = judged.sample.category.as_deref().unwrap_or_default();
            categories.entry(category).or_default().add(outcome);
        }
        let mut rows = vec![vec![set.name.clone()]];
        rows[0].extend(head.iter().skip(1).map(|cell| (*cell).to_owned()));
        for (category, tally) in categories {
            rows.push(row(category, Expected::Block, &tally));
        }
        print!("\n{}", table(&rows));
    }
}

fn tally(set: &DataSet, outcomes: &[Outcome], wanted: impl Fn(&Judged) -> bool) -> Tally {
    let mut tally = Tally::default();
    for (sample, outcome) in set.samples.iter().zip(outcomes) {
        if wanted(sample) {
            tally.add(outcome);
        }
    }
    tally
}

fn row(name: &str, expect: Expected, tally: &Tally) -> Vec<String> {
    let of = |part: usize| percent(part, tally.samples);
    let (detected, accepted) = match expect {
        Expected::Block => (of(tally.block), String::new()),
        Expected::Pass => (String::new(), of(tally.allow + tally.warn)),
    };
    vec![
        name.to_owned(),
        tally.samples.to_string(),
        detected,
        accepted,
        of(tally.warn),
        of(tally.open),
        tally.allow.to_string(),
        tally.block.to_string(),
    ]
}

fn list(sets: &[DataSet], results: &[Vec<Outcome>], options: &Options) {
    let asked = |part: &Option<String>, name: &str| {
        part.as_deref().is_some_and(|part| part == "all" || name.contains(part))
    };
    for (set, outcomes) in sets.iter().zip(results) {
        let failures = asked(&options.failures, &set.name);
        let warns = asked(&options.warns, &set.name);
        for (Judged { sample, .. }, outcome) in set.samples.iter().zip(outcomes) {
            let wrong = (outcome.action == Action::Block) != (sample.expected == Expected::Block);
            let asks = sample.expected == Expected::Pass && outcome.action == Action::Warn;
            if (wrong && failures) || (asks && warns) {
                println!(
                    "\n{} {} [{}] {} {}{}: {}\n  {}",
                    set.name,
                    sample.id,
                    sample.category.as_deref().unwrap_or_default(),
                    outcome.action,
                    outcome.rule,
                    if outcome.open { " open" } else { "" },
                    outcome.reason,
                    sample.command.replace('\n', "\n  ")
                );
            }
        }
    }
}

fn as_json(sets: &[DataSet], results: &[Vec<Outcome>]) -> serde_json::Value {
    let mut list = Vec::new();
    for (set, outcomes) in sets.iter().zip(results) {
        for (expect, word) in [(Expected::Block, "block"), (Expected::Pass, "pass")] {
            let tally = tally(set, outcomes, |judged| judged.sample.expected == expect);
            if tally.samples == 0 {
                continue;
            }
            list.push(json!({
                "set": set.name,
                "expect": word,
                "samples": tally.samples,
                "block": tally.block,
                "warn": tally.warn,
                "allow": tally.allow,
                "open": tally.open,
            }));
        }
    }
    json!({ "version": env!("CARGO_PKG_VERSION"), "sets": list })
}

fn hold_floor(sets: &[DataSet], results: &[Vec<Outcome>]) -> Result<(), String> {
    let (mut attacks, mut harmless) = (Tally::default(), Tally::default());
    for (set, outcomes) in sets.iter().zip(results) {
        if !set.name.starts_with("reference/") {
            continue;
        }
        for (judged, outcome) in set.samples.iter().zip(outcomes) {
            match judged.sample.expected {
                Expected::Block => attacks.add(outcome),
                Expected::Pass => harmless.add(outcome),
            }
        }
    }
    let below = |part: usize, tally: &Tally, floor: f64| {
        tally.samples > 0 && share(part, tally.samples) < floor
    };
    if below(attacks.block, &attacks, DETECTION_FLOOR) {
        return Err(format!("detection is below {:.0} %", DETECTION_FLOOR * 100.0));
    }
    if below(harmless.allow + harmless.warn, &harmless, ACCEPTANCE_FLOOR) {
        return Err(format!("acceptance is below {:.0} %", ACCEPTANCE_FLOOR * 100.0));
    }
    Ok(())
}

/// An empty directory that goes away again.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self, String> {
        let dir = env::temp_dir().join(format!("aegish-accuracy-{}", process::id()));
        fs::create_dir_all(&dir).map_err(|error| format!("{}: {error}", dir.display()))?;
        Ok(Self(dir))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}
