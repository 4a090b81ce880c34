//! The samples of a data set, epoch by epoch, without the finished ones.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::pool::SampleSource;
use crate::dataset::{Dataset, Samples};
use aegish_log::Sample;

/// The finished samples, as 64-bit hashes of their ids.
#[derive(Debug, Clone, Default)]
pub struct Finished(HashSet<u64>);

impl Finished {
    /// Adds a sample.
    pub fn add(&mut self, id: &str, epoch: u32) {
        self.0.insert(key(id, epoch));
    }

    /// Whether a sample was added.
    #[must_use]
    pub fn has(&self, id: &str, epoch: u32) -> bool {
        !self.0.is_empty() && self.0.contains(&key(id, epoch))
    }

    /// The number of samples.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }
}

fn key(id: &str, epoch: u32) -> u64 {
    let mut hasher = DefaultHasher::new();
    (id, epoch).hash(&mut hasher);
    hasher.finish()
}

/// Reads a data set once per epoch.
pub(crate) struct DatasetSource {
    dataset: Dataset,
    samples: Option<Samples>,
    epoch: u32,
    epochs: u32,
    limit: u64,
    read: u64,
    finished: Finished,
}

impl DatasetSource {
    pub(crate) fn new(dataset: Dataset, epochs: u32, limit: u64, finished: Finished) -> Self {
        Self { dataset, samples: None, epoch: 0, epochs, limit, read: 0, finished }
    }

    /// Opens the next epoch; false if there is none.
    fn next_epoch(&mut self) -> Result<bool, String> {
        if self.epoch == self.epochs {
            return Ok(false);
        }
        self.epoch += 1;
        self.read = 0;
        let samples = self.dataset.samples().map_err(|error| error.to_string())?;
        self.samples = Some(samples);
        Ok(true)
    }
}

impl SampleSource for DatasetSource {
    fn next(&mut self) -> Option<Result<(Sample, u32), String>> {
        loop {
            let sample = match &mut self.samples {
                Some(samples) if self.read < self.limit => samples.next(),
                _ => None,
            };
            let Some(sample) = sample else {
                match self.next_epoch() {
                    Ok(true) => continue,
                    Ok(false) => return None,
                    Err(why) => return Some(Err(why)),
                }
            };
            self.read += 1;
            match sample {
                Ok(sample) if self.finished.has(&sample.id, self.epoch) => {}
                Ok(sample) => return Some(Ok((sample, self.epoch))),
                Err(error) => return Some(Err(error.to_string())),
            }
        }
    }
}
