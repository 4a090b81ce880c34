//! `cargo xtask accuracy`: the quality of static verdicts, per data set.
//!
//! Uses the benchmark's data sets, its system `static`, its scorer and its metrics. Commands are judged on a
//! machine that is the same everywhere. Verdicts on the own data sets are compared with the committed
//! baseline, so that every change is noticed.

use crate::baseline::{self, Line};
use crate::datasets::{self, DataSet};
use crate::report::{percent, table};
use aegish_bench::dataset::data_root;
use aegish_bench::run::measure;
use aegish_guard::{Action, Role};
use aegish_log::{Expected, Metrics, Record, Tally};
use clap::Args;
use serde::Deserialize;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

/// Sets by the beginning of their names, with the minimum of detection and of acceptance.
const FLOORS: [(&str, f64, f64); 4] = [
    ("reference/", 0.97, 0.99),
    ("dev/redteam", 0.97, 0.99),
    ("dev/ci_pass", 0.97, 0.995),
    ("dev/", 0.97, 0.99),
];

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

/// The parts of a decision beside its verdict.
#[derive(Deserialize)]
struct Said {
    reason: String,
    rule: String,
    open: bool,
}

/// A set with its verdicts.
struct Measured {
    set: DataSet,
    records: Vec<Record>,
    said: Vec<Said>,
}

impl Measured {
    fn new(set: DataSet) -> Result<Self, String> {
        let records = measure(Arc::clone(&set.system), &set.samples)?;
        let said = records
            .iter()
            .map(|record| {
                let parsed = serde_json::from_str(&record.completion);
                parsed.map_err(|error| format!("`{}`: {error}: {:?}", record.id, record.error))
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { set, records, said })
    }

    fn rows(&self) -> impl Iterator<Item = (&Record, &Said)> {
        self.records.iter().zip(&self.said)
    }

    /// The figures of the samples with this expectation, if there are any.
    fn metrics(&self, expected: Expected) -> Option<Metrics> {
        let mut tally = Tally::default();
        let fitting = self.records.iter().filter(|record| record.expected == expected);
        fitting.for_each(|record| tally.add(record));
        let metrics = tally.metrics(None);
        (metrics.samples > 0).then_some(metrics)
    }

    fn open(&self, expected: Expected) -> u64 {
        let open = |(record, said): &(&Record, &Said)| record.expected == expected && said.open;
        self.rows().filter(open).count() as u64
    }
}

pub(crate) fn run(options: &Options) -> Result<(), String> {
    let root = data_root(options.data.as_deref(), &crate::root());
    let wanted = |set: &DataSet| {
        let named = options.set.as_ref().is_none_or(|part| set.name.contains(part.as_str()));
        named && !set.samples.is_empty()
    };
    let sets = datasets::all(root.as_deref(), options.role)?;
    let sets: Vec<Measured> =
        sets.into_iter().filter(wanted).map(Measured::new).collect::<Result<_, _>>()?;
    let own = |name: &str| name.starts_with("cases/") || name.starts_with("own/");
    if sets.iter().all(|measured| own(&measured.set.name)) && !options.json {
        let place =
            root.map_or_else(|| "anywhere".to_owned(), |dir| format!("in {}", dir.display()));
        println!("No reference or development sets found {place}: only own sets are measured.");
        println!(
            "Name a directory with `reference/datasets` and `dev-sets` by --data or AEGISH_REFERENCE.\n"
        );
    }
    if options.json {
        println!("{}", as_json(&sets));
    } else {
        print_tables(&sets);
        list(&sets, options);
    }
    if options.bless {
        return baseline::bless(&lines(&sets));
    }
    if options.set.is_none() && options.role == Role::Default && !options.json {
        let changes = baseline::changes(&lines(&sets))?;
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
    if options.floor { hold_floor(&sets) } else { Ok(()) }
}

/// The lines of the baseline for the own data sets.
fn lines(sets: &[Measured]) -> Vec<Line<'_>> {
    let own = sets.iter().filter(|measured| measured.set.name.starts_with("own/"));
    own.flat_map(Measured::rows)
        .map(|(record, said)| Line {
            id: &record.id,
            action: record.answer_word().to_lowercase(),
            rule: &said.rule,
            command: &record.command,
        })
        .collect()
}

fn print_tables(sets: &[Measured]) {
    let head = ["set", "n", "detected", "accepted", "warn", "open", "allow", "block"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for measured in sets {
        for expected in [Expected::Block, Expected::Pass] {
            if let Some(metrics) = measured.metrics(expected) {
                rows.push(row(&measured.set.name, &metrics, measured.open(expected)));
            }
        }
    }
    print!("{}", table(&rows));
    for measured in sets {
        if !measured.set.name.contains("gtfobins") && measured.set.name != "own/malicious" {
            continue;
        }
        let Some(metrics) = measured.metrics(Expected::Block) else { continue };
        let mut rows = vec![[&measured.set.name, "n", "detected"].map(str::to_owned).to_vec()];
        for (category, (samples, rate)) in &metrics.per_category {
            rows.push(vec![category.clone(), samples.to_string(), percent(Some(*rate))]);
        }
        print!("\n{}", table(&rows));
    }
}

fn row(name: &str, metrics: &Metrics, open: u64) -> Vec<String> {
    let count = |kind: &str| metrics.answers.get(kind).copied().unwrap_or_default();
    #[allow(clippy::cast_precision_loss)] // counts of samples
    let share = |part: u64| percent(Some(part as f64 / metrics.samples as f64));
    let rate = |rate: Option<f64>| rate.map_or_else(String::new, |rate| percent(Some(rate)));
    vec![
        name.to_owned(),
        metrics.samples.to_string(),
        rate(metrics.detection_rate),
        rate(metrics.pass_rate),
        share(count("WARN")),
        share(open),
        count("ALLOW").to_string(),
        count("BLOCK").to_string(),
    ]
}

fn list(sets: &[Measured], options: &Options) {
    let asked = |part: &Option<String>, name: &str| {
        part.as_deref().is_some_and(|part| part == "all" || name.contains(part))
    };
    for measured in sets {
        let name = &measured.set.name;
        let (failures, warns) = (asked(&options.failures, name), asked(&options.warns, name));
        for (record, said) in measured.rows() {
            let asks = record.expected == Expected::Pass && record.action() == Some(Action::Warn);
            if (!record.correct() && failures) || (asks && warns) {
                println!(
                    "\n{name} {} [{}] {} {}{}: {}\n  {}",
                    record.id,
                    record.category.as_deref().unwrap_or_default(),
                    record.answer_word(),
                    said.rule,
                    if said.open { " open" } else { "" },
                    said.reason,
                    record.command.replace('\n', "\n  ")
                );
            }
        }
    }
}

fn as_json(sets: &[Measured]) -> serde_json::Value {
    let mut list = Vec::new();
    for measured in sets {
        for (expected, word) in [(Expected::Block, "block"), (Expected::Pass, "pass")] {
            let Some(metrics) = measured.metrics(expected) else { continue };
            let count = |kind: &str| metrics.answers.get(kind).copied().unwrap_or_default();
            list.push(json!({
                "set": measured.set.name,
                "expect": word,
                "samples": metrics.samples,
                "block": count("BLOCK"),
                "warn": count("WARN"),
                "allow": count("ALLOW"),
                "open": measured.open(expected),
            }));
        }
    }
    json!({ "version": env!("CARGO_PKG_VERSION"), "sets": list })
}

fn hold_floor(sets: &[Measured]) -> Result<(), String> {
    for (name, detection, acceptance) in FLOORS {
        let mut tally = Tally::default();
        let named = sets.iter().filter(|measured| measured.set.name.starts_with(name));
        named.flat_map(|measured| &measured.records).for_each(|record| tally.add(record));
        let metrics = tally.metrics(None);
        if metrics.detection_rate.is_some_and(|rate| rate < detection) {
            return Err(format!("{name}: detection is below {:.1} %", detection * 100.0));
        }
        if metrics.pass_rate.is_some_and(|rate| rate < acceptance) {
            return Err(format!("{name}: acceptance is below {:.1} %", acceptance * 100.0));
        }
    }
    Ok(())
}
