//! All sets for measuring accuracy: own cases, own data sets (`crates/aegish-bench/datasets`), and reference
//! and development sets if they are present. The latter are not part of the repository.

use aegish_bench::dataset::{Dataset, DatasetError, external_sets, shipped};
use aegish_bench::system::{
    Concurrency, Fault, FaultKind, StaticGuard, System, SystemInfo, SystemReply, decision_json,
};
use aegish_guard::{Action, Role};
use aegish_log::{Expected, Sample};
use aegish_test_support::cases::{self, Case};
use serde_json::Map;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A named list of commands, and the system that judges them.
pub(crate) struct DataSet {
    pub(crate) name: String,
    pub(crate) samples: Vec<Sample>,
    pub(crate) system: Arc<dyn System>,
}

/// All sets: own cases first, then own data sets, then those in the directory.
pub(crate) fn all(root: Option<&Path>, role: Role) -> Result<Vec<DataSet>, String> {
    let guard: Arc<dyn System> = Arc::new(StaticGuard::new(role));
    let mut sets = own()?;
    for set in shipped() {
        let set = set.open().map_err(describe)?;
        sets.push(read(format!("own/{}", set.name), &set, &guard).map_err(describe)?);
    }
    let Some(root) = root else { return Ok(sets) };
    for set in external_sets(root).map_err(describe)? {
        sets.push(read(set.name.clone(), &set, &guard).map_err(describe)?);
    }
    Ok(sets)
}

// By value, because it is passed to `map_err`.
#[allow(clippy::needless_pass_by_value)]
fn describe(error: DatasetError) -> String {
    error.to_string()
}

fn own() -> Result<Vec<DataSet>, String> {
    let (mut block, mut pass) = (Vec::new(), Vec::new());
    let mut cases = HashMap::new();
    for case in cases::all()? {
        let blocks = case.action == Action::Block;
        let sample = Sample {
            id: case.place.clone(),
            command: case.command.clone(),
            expected: if blocks { Expected::Block } else { Expected::Pass },
            category: Some(case.topic.clone()),
            metadata: Map::new(),
        };
        cases.insert(case.place.clone(), case);
        if blocks { block.push(sample) } else { pass.push(sample) }
    }
    let info = SystemInfo::plain("cases", "static", "guard", Concurrency::PerCore);
    let system: Arc<dyn System> = Arc::new(CaseGuard { info, cases });
    let set = |name: &str, samples: Vec<Sample>| DataSet {
        name: name.to_owned(),
        samples,
        system: Arc::clone(&system),
    };
    Ok(vec![set("cases/block", block), set("cases/pass", pass)])
}

fn read(name: String, set: &Dataset, system: &Arc<dyn System>) -> Result<DataSet, DatasetError> {
    let samples = set.samples()?.collect::<Result<_, _>>()?;
    Ok(DataSet { name, samples, system: Arc::clone(system) })
}

/// The guard with the files and role of each case.
struct CaseGuard {
    info: SystemInfo,
    cases: HashMap<String, Case>,
}

impl System for CaseGuard {
    fn info(&self) -> &SystemInfo {
        &self.info
    }

    fn ask(&self, sample: &Sample, _epoch: u32, _time: Duration) -> Result<SystemReply, Fault> {
        let started = Instant::now();
        let case =
            self.cases.get(&sample.id).ok_or_else(|| Fault::new(FaultKind::Sample, "no case"))?;
        Ok(SystemReply::new(decision_json(&case.decide()), started.elapsed()))
    }

    fn stack_bytes(&self) -> usize {
        8 << 20
    }
}
