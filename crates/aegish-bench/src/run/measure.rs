//! A system's answers to a list of samples, in memory: for checks that need no log.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::thread;

use super::budget::Budget;
use super::limiter::{ConcurrencyBounds, Limiter};
use super::pool::{Pool, SampleSource, Sink};
use super::progress::Progress;
use super::settings::RunSettings;
use super::solve::Solved;
use super::stop::StopReason;
use crate::system::System;
use aegish_log::{Record, Sample};

/// Asks about every sample once, on all cores; returns the records in the order of the samples.
///
/// # Errors
/// Why a record is missing.
pub fn measure(system: Arc<dyn System>, samples: &[Sample]) -> Result<Vec<Record>, String> {
    let questions = samples.len() as u64;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let pool = Pool {
        system,
        limiter: Arc::new(Limiter::new(ConcurrencyBounds::fixed(
            u32::try_from(cores).unwrap_or(1),
        ))),
        settings: RunSettings::default(),
        stop: Arc::default(),
        budget: Arc::new(Budget::default()),
        price: None,
        expected_cost: 0.0,
        progress: Arc::new(Progress::new(questions, 0)),
    };
    let mut sink = MemorySink(HashMap::new());
    let source = SampleList(samples.iter().cloned().collect());
    let reason = pool.run(Box::new(source), questions, &mut sink);
    let mut records = Vec::with_capacity(samples.len());
    for sample in samples {
        match sink.0.remove(&sample.id) {
            Some(record) => records.push(record),
            None => {
                let why = match reason {
                    Some(StopReason::Failed(why)) => why,
                    _ => "the run ended early".to_owned(),
                };
                return Err(format!("`{}` was not judged: {why}", sample.id));
            }
        }
    }
    Ok(records)
}

struct SampleList(VecDeque<Sample>);

impl SampleSource for SampleList {
    fn next(&mut self) -> Option<Result<(Sample, u32), String>> {
        self.0.pop_front().map(|sample| Ok((sample, 1)))
    }
}

struct MemorySink(HashMap<String, Record>);

impl Sink for MemorySink {
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
