//! Limits and retries of a run; the defaults are those of the seed (see the glossary).

use std::time::Duration;

use aegish_judge::Scoring;
use aegish_log::metrics::Reducer;

/// Limits and retries of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSettings {
    /// How often every sample is asked.
    pub epochs: u32,
    /// How the answers to a repeated sample are combined.
    pub reducer: Reducer,
    /// The rules by which answers are scored.
    pub scoring: Scoring,
    /// Use only the first samples of a set.
    pub limit: Option<u64>,
    /// Maximum working time of the system on one sample, without queueing.
    pub time_limit: Duration,
    /// Retries of one request.
    pub max_retries: u32,
    /// Retries of one sample whose request failed permanently.
    pub retry_on_error: u32,
    /// The run fails if more than this share of its samples fails.
    pub fail_on_error: f64,
    /// Number of concurrent requests; adapted during the run if not given.
    pub max_connections: Option<u32>,
    /// Cost limit of the whole run, in dollars.
    pub cost_limit: Option<f64>,
    /// The wait before the first retry. It doubles with each retry.
    pub base_delay: Duration,
    /// The longest wait between retries. A provider may ask for more.
    pub max_delay: Duration,
    /// How long a stopped run waits for requests in flight.
    pub grace: Duration,
}

impl Default for RunSettings {
    fn default() -> Self {
        Self {
            epochs: 1,
            reducer: Reducer::Mean,
            scoring: Scoring::Seed,
            limit: None,
            time_limit: Duration::from_secs(180),
            max_retries: 3,
            retry_on_error: 5,
            fail_on_error: 0.5,
            max_connections: None,
            cost_limit: None,
            base_delay: Duration::from_millis(500),
            max_delay: Duration::from_secs(8),
            grace: Duration::from_secs(10),
        }
    }
}

impl RunSettings {
    /// The number of samples used of a set of this size.
    #[must_use]
    pub fn samples(&self, size: u64) -> u64 {
        self.limit.map_or(size, |limit| limit.min(size))
    }

    /// The same, including repetitions.
    #[must_use]
    pub fn questions(&self, size: u64) -> u64 {
        self.samples(size).saturating_mul(u64::from(self.epochs))
    }
}
