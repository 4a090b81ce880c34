//! `aegish bench data`: data sets, and making them from their sources.

use aegish_bench::dataset::{
    Dataset, DatasetError, DatasetFormat, ReadOptions, SampleCounts, gtfobins, harmless,
    instantiate::instantiate, shipped, today, write,
};
use aegish_log::{Expected, Sample};
use aegish_terminal::{ExitKind, Failure, Screen, Style};
use clap::{Args, Subcommand};
use serde_json::{Map, Value};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[derive(Subcommand)]
pub(crate) enum DataTask {
    /// The sets that come with the program
    List,
    /// What a set holds: origin, hash, numbers per category
    Show {
        #[command(flatten)]
        set: SetOptions,
    },
    /// Read sets from beginning to end and name what is wrong with them
    Check {
        /// Names of our sets, or files [default: all of ours]
        #[arg(value_name = "SET")]
        sets: Vec<String>,
        /// What is expected of rows that say nothing: block or pass
        #[arg(long)]
        expect: Option<Expected>,
    },
    /// Write a set down, in another format if wanted
    Export {
        #[command(flatten)]
        set: SetOptions,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Attacks from a checkout of GTFOBins
    Gtfobins {
        /// The folder that holds `_gtfobins`
        #[arg(long, value_name = "CHECKOUT")]
        from: PathBuf,
        /// Put other names into the attacks, chosen by this number, and add their harmless twins
        #[arg(long, value_name = "NUMBER")]
        instantiate: Option<u64>,
        /// The day that goes into the metadata, YYYY-MM-DD [default: today]
        #[arg(long)]
        date: Option<String>,
        #[command(flatten)]
        output: OutputOptions,
    },
    /// Harmless commands, from a file of prompts and responses
    Harmless {
        /// JSON, JSON Lines or CSV with `prompt` and `response`
        #[arg(long, value_name = "FILE")]
        from: PathBuf,
        /// The day that goes into the metadata, YYYY-MM-DD [default: today]
        #[arg(long)]
        date: Option<String>,
        #[command(flatten)]
        output: OutputOptions,
    },
}

#[derive(Args)]
pub(crate) struct SetOptions {
    /// Name of one of our sets, or a file
    #[arg(value_name = "SET")]
    name: String,
    /// What is expected of rows that say nothing: block or pass
    #[arg(long)]
    expect: Option<Expected>,
    /// Put other names into the attacks, chosen by this number, and add their harmless twins
    #[arg(long, value_name = "NUMBER")]
    instantiate: Option<u64>,
}

#[derive(Args)]
pub(crate) struct OutputOptions {
    /// Where the set goes [default: standard output]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// json, jsonl or csv [default: by the name of the file, else json]
    #[arg(long)]
    format: Option<DatasetFormat>,
}

pub(crate) fn run(task: &DataTask, screen: &mut Screen) -> Result<ExitKind, Failure> {
    match task {
        DataTask::List => list(screen),
        DataTask::Show { set } => show(&open(set)?, screen),
        DataTask::Check { sets, expect } => check(sets, *expect, screen),
        DataTask::Export { set, output } => {
            let set = open(set)?;
            let samples: Vec<Sample> =
                set.samples().and_then(Iterator::collect).map_err(unreadable)?;
            put(&samples, &set.metadata, output)?;
            tell(output, screen, &format!("{} samples of {}\n", samples.len(), set.name));
            Ok(ExitKind::Allow)
        }
        DataTask::Gtfobins { from, instantiate, date, output } => {
            take_gtfobins(from, *instantiate, date.as_deref(), output, screen)
        }
        DataTask::Harmless { from, date, output } => {
            take_harmless(from, date.as_deref(), output, screen)
        }
    }
}

// By value, because it is used in `map_err`.
#[allow(clippy::needless_pass_by_value)]
fn unreadable(error: DatasetError) -> Failure {
    Failure::internal(error.to_string())
}

fn open(set: &SetOptions) -> Result<Dataset, Failure> {
    let found = Dataset::find(&set.name, ReadOptions { format: None, expect: set.expect });
    let found = match set.instantiate {
        Some(seed) => found.and_then(|found| found.instantiated(seed)),
        None => found,
    };
    found.map_err(unreadable)
}

fn list(screen: &mut Screen) -> Result<ExitKind, Failure> {
    for set in shipped() {
        let counts = set.open().map_err(unreadable)?.counts;
        screen.paint(Style::Strong, format_args!("{:<12}", set.name));
        screen.put(format_args!(
            "{:>6} samples: {} to block, {} to pass; {}; sha256 {}\n",
            counts.samples(),
            counts.expecting(Expected::Block),
            counts.expecting(Expected::Pass),
            set.licence,
            set.sha256.get(..12).unwrap_or(&set.sha256)
        ));
        screen.put(format_args!("{:<12}  {}\n", "", set.description));
    }
    Ok(ExitKind::Allow)
}

fn show(set: &Dataset, screen: &mut Screen) -> Result<ExitKind, Failure> {
    screen.paint(Style::Strong, aegish_terminal::visible(&set.name)).end();
    screen.put(format_args!("location  {}\n", aegish_terminal::visible(&set.location)));
    screen.put(format_args!("sha256    {}\n", set.sha256));
    for (name, value) in &set.metadata {
        screen.put(format_args!("{name}: {}\n", aegish_terminal::visible(&value.to_string())));
    }
    screen.put(numbers(&set.counts));
    Ok(ExitKind::Allow)
}

/// How many of each kind, one per line.
fn numbers(counts: &SampleCounts) -> String {
    let mut text = String::new();
    for expected in [Expected::Block, Expected::Pass] {
        let (total, word) = (counts.expecting(expected), word(expected));
        if total == 0 {
            continue;
        }
        text.push_str(&format!("{total:>7}  to {word}\n"));
        for (_, category, number) in counts.kinds().filter(|(found, ..)| *found == expected) {
            let category = aegish_terminal::visible(category.unwrap_or("without category"));
            text.push_str(&format!("{number:>7}    {category}\n"));
        }
    }
    text
}

fn word(expected: Expected) -> &'static str {
    match expected {
        Expected::Block => "block",
        Expected::Pass => "pass",
    }
}

fn check(
    sets: &[String],
    expect: Option<Expected>,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let ours: Vec<String> = shipped().iter().map(|set| set.name.clone()).collect();
    let sets = if sets.is_empty() { &ours } else { sets };
    let mut wrong = 0;
    for name in sets {
        match Dataset::find(name, ReadOptions { format: None, expect }) {
            Ok(set) => {
                screen.paint(Style::Good, "ok  ").put(aegish_terminal::visible(name));
                screen.put(format_args!(": {} samples, {}\n", set.counts.samples(), set.sha256));
            }
            Err(error) => {
                wrong += 1;
                screen
                    .paint(Style::Bad, "bad ")
                    .put(aegish_terminal::visible(&error.to_string()))
                    .end();
            }
        }
    }
    if wrong == 0 {
        return Ok(ExitKind::Allow);
    }
    Ok(ExitKind::Failure)
}

fn take_gtfobins(
    from: &Path,
    seed: Option<u64>,
    date: Option<&str>,
    output: &OutputOptions,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let date = date.map_or_else(today, str::to_owned);
    let mut taken = gtfobins::extract(from, &date).map_err(unreadable)?;
    let mut text = format!(
        "{} commands found, {} of them once, in {} programs; {} programs only refer to another\n",
        taken.found,
        taken.samples.len(),
        taken.metadata.get("total_binaries").unwrap_or(&Value::Null),
        taken.aliases
    );
    if let Some(seed) = seed {
        let origins = std::mem::take(&mut taken.samples);
        taken.samples = origins.iter().flat_map(|sample| instantiate(sample, seed)).collect();
        taken.metadata.insert("instantiated_with_seed".to_owned(), Value::from(seed));
    }
    put(&taken.samples, &taken.metadata, output)?;
    let mut counts = SampleCounts::default();
    taken.samples.iter().for_each(|sample| counts.add(sample));
    text.push_str(&numbers(&counts));
    let ignored: Vec<String> =
        taken.ignored.iter().map(|(name, number)| format!("{name} ({number})")).collect();
    text.push_str(&format!("left out: {}\n", ignored.join(", ")));
    tell(output, screen, &text);
    if taken.problems.is_empty() {
        return Ok(ExitKind::Allow);
    }
    // The set is written anyway, so that the rows can be inspected.
    Err(Failure::internal(format!(
        "the set was written, but is not as it should be: {}",
        taken.problems.join("; ")
    )))
}

fn take_harmless(
    from: &Path,
    date: Option<&str>,
    output: &OutputOptions,
    screen: &mut Screen,
) -> Result<ExitKind, Failure> {
    let date = date.map_or_else(today, str::to_owned);
    if let Some(out) = &output.out
        && harmless::holds_generated(out, format_of(output)).map_err(unreadable)?
    {
        return Err(Failure::usage(format!(
            "nothing was written: {} holds generated entries, which would be lost; name another file",
            out.display()
        )));
    }
    let taken = harmless::select(from, None, &date).map_err(unreadable)?;
    put(&taken.samples, &taken.metadata, output)?;
    let mut text = format!(
        "{} rows: {} kept, {} excluded, {} repeated\n",
        taken.rows,
        taken.samples.len(),
        taken.excluded(),
        taken.repeated
    );
    for ((name, _), number) in harmless::PATTERNS.iter().zip(&taken.matched) {
        if *number > 0 {
            text.push_str(&format!("{number:>7}  {name}\n"));
        }
    }
    tell(output, screen, &text);
    if taken.samples.len() < harmless::ENOUGH {
        aegish_terminal::complain(&format!(
            "only {} harmless commands: with fewer than {} a difference of one point says little",
            taken.samples.len(),
            harmless::ENOUGH
        ));
    }
    Ok(ExitKind::Allow)
}

fn format_of(output: &OutputOptions) -> DatasetFormat {
    let told = output.out.as_deref().and_then(DatasetFormat::of);
    output.format.or(told).unwrap_or(DatasetFormat::Json)
}

/// Writes a set: to standard output, or to a file that is either complete or missing.
fn put(
    samples: &[Sample],
    metadata: &Map<String, Value>,
    output: &OutputOptions,
) -> Result<(), Failure> {
    let format = format_of(output);
    let Some(out) = &output.out else {
        let mut stdout = io::BufWriter::new(io::stdout().lock());
        let written = write(samples, metadata, format, &mut stdout).and_then(|()| stdout.flush());
        return aegish_terminal::quiet(written)
            .map_err(|error| Failure::internal(format!("the set is not complete: {error}")));
    };
    let mut bytes = Vec::new();
    let mut partial = out.clone().into_os_string();
    partial.push(".partial");
    write(samples, metadata, format, &mut bytes)
        .and_then(|()| fs::write(&partial, bytes))
        .and_then(|()| fs::rename(&partial, out))
        .map_err(|error| Failure::internal(format!("{} was not written: {error}", out.display())))
}

/// Prints what was done to standard error, apart from the set.
fn tell(output: &OutputOptions, screen: &mut Screen, text: &str) {
    match &output.out {
        Some(out) => {
            screen.put(text).put(format_args!("written to {}\n", out.display()));
        }
        None => text.lines().for_each(aegish_terminal::complain),
    }
}
