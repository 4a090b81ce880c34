//! Shared by the tests of runs: a model server on the loopback, samples, and a sink that keeps results.
#![allow(dead_code)] // no test uses all of it

pub(crate) use aegish_test_support::model_server;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aegish_bench::run::{
    Budget, ConcurrencyBounds, Limiter, Pool, Progress, RunSettings, Sink, Solved, StopReason,
};
use aegish_bench::run::{SampleSource, Stopper};
use aegish_bench::system::{ModelOptions, ModelSystem, System};
use aegish_guard::Role;
use aegish_judge::{Prompt, price};
use aegish_log::{Expected, Record, Sample};
use aegish_wire::{Client, Endpoint, Limits, TransportOptions};
use model_server::ModelServer;

/// `n` commands, half of them to be blocked.
pub(crate) fn samples(n: u32) -> Vec<Sample> {
    let sample = |i: u32| Sample {
        id: format!("s-{i:05}"),
        command: format!("printf '%s\\n' \"sample {i}\""),
        expected: if i.is_multiple_of(2) { Expected::Block } else { Expected::Pass },
        category: Some(["shell", "file-read", "upload"][(i % 3) as usize].to_owned()),
        metadata: serde_json::Map::new(),
    };
    (0..n).map(sample).collect()
}

/// Settings that make a test fast.
pub(crate) fn quick() -> RunSettings {
    RunSettings {
        time_limit: Duration::from_secs(5),
        base_delay: Duration::from_millis(2),
        max_delay: Duration::from_millis(20),
        grace: Duration::from_secs(2),
        ..RunSettings::default()
    }
}

/// A model of OpenAI, served by the loopback server.
pub(crate) fn model(server: &ModelServer) -> Arc<dyn System> {
    model_with(server, ModelOptions::new(Prompt::built_in(Role::Default)))
}

pub(crate) fn model_with(server: &ModelServer, options: ModelOptions) -> Arc<dyn System> {
    let settings = aegish_wire::EndpointSettings {
        base_url: Some(server.base_url()),
        ..aegish_wire::EndpointSettings::default()
    };
    let key = |_: &str| Some("sk-test-0123456789".to_owned());
    let endpoint = Endpoint::resolve("openai/gpt-5-mini", &key, &settings).expect("an endpoint");
    let client = Client::new(TransportOptions::default(), Limits::default());
    Arc::new(ModelSystem::new(endpoint, client, options).expect("a model"))
}

/// Samples from memory.
pub(crate) struct List(pub(crate) std::vec::IntoIter<Sample>);

impl SampleSource for List {
    fn next(&mut self) -> Option<Result<(Sample, u32), String>> {
        self.0.next().map(|sample| Ok((sample, 1)))
    }
}

/// A sink that keeps all results.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) solved: Vec<Solved>,
}

impl Sink for Memory {
    fn take(&mut self, sample: &Sample, solved: &Solved) -> Result<(), String> {
        assert_eq!(sample.id, solved.record.id);
        self.solved.push(solved.clone());
        Ok(())
    }

    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }
}

impl Memory {
    /// The results by id; a repeated one is an error.
    pub(crate) fn records(&self) -> BTreeMap<String, Record> {
        let mut all = BTreeMap::new();
        for Solved { record, .. } in &self.solved {
            assert!(all.insert(record.id.clone(), record.clone()).is_none(), "{} twice", record.id);
        }
        all
    }
}

/// A run and everything that a test may inspect afterwards.
pub(crate) struct Run {
    pub(crate) memory: Memory,
    pub(crate) reason: Option<StopReason>,
    pub(crate) progress: Arc<Progress>,
    pub(crate) limiter: Arc<Limiter>,
    pub(crate) budget: Arc<Budget>,
}

pub(crate) fn run(system: Arc<dyn System>, samples: Vec<Sample>, settings: &RunSettings) -> Run {
    run_until(system, samples, settings, &Arc::default())
}

pub(crate) fn run_until(
    system: Arc<dyn System>,
    samples: Vec<Sample>,
    settings: &RunSettings,
    stop: &Arc<Stopper>,
) -> Run {
    let bounds =
        settings.max_connections.map_or(ConcurrencyBounds::ADAPTIVE, ConcurrencyBounds::fixed);
    let limiter = Arc::new(Limiter::new(bounds));
    let budget = Arc::new(Budget::new(settings.cost_limit));
    let count = samples.len() as u64;
    let progress = Arc::new(Progress::new(count, 0));
    let pool = Pool {
        price: price::find(&system.info().model),
        system,
        limiter: Arc::clone(&limiter),
        settings: settings.clone(),
        stop: Arc::clone(stop),
        budget: Arc::clone(&budget),
        expected_cost: 0.001,
        progress: Arc::clone(&progress),
    };
    let mut memory = Memory::default();
    let reason = pool.run(Box::new(List(samples.into_iter())), count, &mut memory);
    Run { memory, reason, progress, limiter, budget }
}
