//! A system's answers to a few samples, held in memory: for checks that need no log.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::thread;

use super::budget::Budget;
use super::crew::{Crew, Sink, Work};
use super::gate::{Bounds, Gate};
use super::progress::Progress;
use super::settings::Settings;
use super::solve::Solved;
use super::stop::Reason;
use crate::system::System;
use aegish_log::{Record, Sample};

/// Asks about every sample once, over all cores; gives the records in the order of the samples.
///
/// # Errors
/// Why there are not all.
pub fn measure(system: Arc<dyn System>, samples: &[Sample]) -> Result<Vec<Record>, String> {
    let questions = samples.len() as u64;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let crew = Crew {
        system,
        gate: Arc::new(Gate::new(Bounds::fixed(u32::try_from(cores).unwrap_or(1)))),
        settings: Settings::default(),
        stop: Arc::default(),
        budget: Arc::new(Budget::default()),
        price: None,
        expected_cost: 0.0,
        progress: Arc::new(Progress::new(questions, 0)),
    };
    let mut shelf = Shelf(HashMap::new());
    let work = List(samples.iter().cloned().collect());
    let reason = crew.run(Box::new(work), questions, &mut shelf);
    let mut records = Vec::with_capacity(samples.len());
    for sample in samples {
        match shelf.0.remove(&sample.id) {
            Some(record) => records.push(record),
            None => {
                let why = match reason {
                    Some(Reason::Failed(why)) => why,
                    _ => "the run ended early".to_owned(),
                };
                return Err(format!("`{}` was not judged: {why}", sample.id));
            }
        }
    }
    Ok(records)
}

struct List(VecDeque<Sample>);

impl Work for List {
    fn next(&mut self) -> Option<Result<(Sample, u32), String>> {
        self.0.pop_front().map(|sample| Ok((sample, 1)))
    }
}

struct Shelf(HashMap<String, Record>);

impl Sink for Shelf {
    fn take(&mut self, sample: &Sample, solved: &Solved) -> Result<(), String> {
        match self.0.insert(sample.id.clone(), solved.record.clone()) {
            None => Ok(()),
            Some(_) => Err(format!("the id `{}` is there twice", sample.id)),
        }
    }

    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }
}
