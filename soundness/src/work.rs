//! The worker: generates, judges, runs and compares programs, and reduces failures.

use crate::cover::{Judged, Uncovered};
use crate::generator::{Program, generate};
use crate::run::{Run, Runner};
use aegish_guard::Action;
use std::collections::BTreeMap;
use std::fmt;

/// Maximum number of programs that are tried to reduce a failure.
const MAX_TRIES: usize = 600;

/// Counts of the results.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) programs: u64,
    pub(crate) uncovered: u64,
    critical: u64,
    blocked: u64,
    /// The run did nothing critical, and the verdict is not ALLOW.
    asked: u64,
    harmless: u64,
    /// Bash rejected the program, or it took too long.
    spoiled: u64,
}

impl Tally {
    /// Adds the numbers that a worker printed.
    pub(crate) fn add(&mut self, numbers: &str) {
        let numbers: Vec<u64> =
            numbers.split(' ').filter_map(|number| number.parse().ok()).collect();
        for (sum, number) in self.all().into_iter().zip(numbers) {
            *sum += number;
        }
    }

    fn all(&mut self) -> [&mut u64; 7] {
        [
            &mut self.programs,
            &mut self.uncovered,
            &mut self.critical,
            &mut self.blocked,
            &mut self.asked,
            &mut self.harmless,
            &mut self.spoiled,
        ]
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { programs, uncovered, critical, blocked, asked, harmless, spoiled } = self;
        write!(
            f,
            "{programs} programs: {uncovered} not covered; {critical} critical, {blocked} of them blocked; \
             {harmless} harmless, {asked} of them not allowed; {spoiled} without a use"
        )
    }
}

/// The names of the constructs in failures, with their numbers.
type Classes = BTreeMap<String, usize>;

/// Runs the worker; `words` are the seed, the number of programs, the number of failures to show, and
/// verbosity.
pub(crate) fn work(words: &[String]) -> Result<(), String> {
    let number = |at: usize| words.get(at).and_then(|word| word.parse::<u64>().ok()).unwrap_or(0);
    let (seed, programs, shown) = (number(0), number(1), number(2));
    let verbose = number(3) == 1;
    let mut runner = Runner::new().map_err(|error| format!("runner: {error}"))?;
    let mut tally = Tally::default();
    let mut classes = Classes::new();
    for index in 0..programs {
        let program = generate(seed.wrapping_mul(0x1_0000_0001).wrapping_add(index));
        let (judged, run) = try_out(&mut runner, &program)?;
        tally.programs += 1;
        count(&mut tally, &judged, &run);
        if verbose {
            println!("---- {:?} {:?}\n{}", judged.action(), run, program.text());
        }
        // What a program did that was ended may show in the next run.
        let Some(uncovered) = judged.uncovered(&run).filter(|_| !run.ended) else { continue };
        tally.uncovered += 1;
        if tally.uncovered <= shown {
            let (small, uncovered) = shrink(&mut runner, program, uncovered)?;
            let labels = small.tree.labels().join(" ");
            println!("== {uncovered}\n   [{labels}]{}\n{}\n", small.mode(), small.text());
            *classes.entry(labels).or_default() += 1;
        }
    }
    let numbers: Vec<String> = tally.all().iter().map(|number| number.to_string()).collect();
    println!("TALLY {}", numbers.join(" "));
    Ok(())
}

fn count(tally: &mut Tally, judged: &Judged, run: &Run) {
    let allowed = judged.action() == Action::Allow;
    if Judged::is_critical(run) {
        tally.critical += 1;
        tally.blocked += u64::from(judged.action() == Action::Block);
    } else {
        tally.harmless += 1;
        tally.asked += u64::from(!allowed);
    }
    tally.spoiled += u64::from(run.ended || run.commands.is_empty() && run.opened.is_empty());
}

fn try_out(runner: &mut Runner, program: &Program) -> Result<(Judged, Run), String> {
    let judged = Judged::new(&program.lines(), program.complete);
    let run = runner.run(&program.text()).map_err(|error| format!("running a program: {error}"))?;
    Ok((judged, run))
}

/// The smallest program found with an uncovered action of the same kind.
fn shrink(
    runner: &mut Runner,
    program: Program,
    uncovered: Uncovered,
) -> Result<(Program, Uncovered), String> {
    let mut best = (program, uncovered);
    let mut tries = 0;
    'again: loop {
        for tree in best.0.tree.smaller() {
            tries += 1;
            if tries > MAX_TRIES {
                return Ok(best);
            }
            let candidate = Program { tree, ..best.0 };
            let (judged, run) = try_out(runner, &candidate)?;
            if let Some(found) = judged.uncovered(&run).filter(|found| found.is_like(&best.1)) {
                best = (candidate, found);
                continue 'again;
            }
        }
        return Ok(best);
    }
}
