//! The recorded answers of a log as a system, for scoring without asking a model.
//!
//! Times, tokens and stop reasons are those of the log; samples that failed or timed out there do so here.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use super::{Billing, Concurrency, Fault, FaultKind, System, SystemInfo, SystemReply};
use aegish_log::{Log, LogError};
use aegish_log::{Record, Sample};

/// A log as a system under test.
#[derive(Debug)]
pub struct Replay {
    info: SystemInfo,
    by_id: HashMap<(String, u32), usize>,
    by_command: HashMap<String, usize>,
    records: Vec<Record>,
}

impl Replay {
    /// Reads a log.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let log = Log::open(path)?;
        let mut replay = Self {
            info: SystemInfo::plain(
                &log.header().eval.model,
                "replay",
                "replay",
                Concurrency::PerCore,
            ),
            by_id: HashMap::new(),
            by_command: HashMap::new(),
            records: Vec::new(),
        };
        replay.info.price = log.header().price();
        replay.info.billing = Billing::Free;
        let place = path.display().to_string();
        replay.info.metadata.insert("replay_of".to_owned(), place.into());
        for record in log.records()? {
            let record = record?;
            let index = replay.records.len();
            replay.by_id.insert((record.id.clone(), record.epoch), index);
            replay.by_command.entry(record.command.clone()).or_insert(index);
            replay.records.push(record);
        }
        Ok(replay)
    }

    /// Finds a sample by its id if the command is the same, otherwise by its command.
    fn find(&self, sample: &Sample, epoch: u32) -> Option<&Record> {
        let by_id = self.by_id.get(&(sample.id.clone(), epoch)).and_then(|i| self.records.get(*i));
        by_id
            .filter(|record| record.command == sample.command)
            .or_else(|| self.records.get(*self.by_command.get(&sample.command)?))
    }
}

impl System for Replay {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn ask(&self, sample: &Sample, epoch: u32, _time: Duration) -> Result<SystemReply, Fault> {
        let Some(record) = self.find(sample, epoch) else {
            return Err(Fault::new(FaultKind::Sample, "the log has no answer to this command"));
        };
        let seconds = record.model_seconds.or(record.working_seconds).unwrap_or(0.0);
        let took = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        if let Some(error) = &record.error {
            return Err(Fault { kind: FaultKind::Sample, message: error.clone(), took });
        }
        if record.limit.is_some() {
            let message = "it was out of time when it was recorded".to_owned();
            return Err(Fault { kind: FaultKind::OutOfTime, message, took });
        }
        Ok(SystemReply {
            stop: record.stop.clone(),
            usage: record.usage,
            reasoning_apart: record.reasoning_apart,
            ..SystemReply::new(record.completion.clone(), took)
        })
    }
}
