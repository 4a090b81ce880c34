//! All that accuracy is measured on: own cases, own data sets, and reference and development sets where
//! they are at hand. Those are no part of the repository; `bench/datasets` is.

use crate::cases::{self, Case};
use aegish_bench::dataset::{Dataset, DatasetError, nearby, shipped};
use aegish_bench::{Expected, Sample};
use aegish_guard::{Action, Role};
use serde_json::Map;
use std::collections::BTreeMap;
use std::path::Path;

/// A sample and how it is judged.
pub(crate) struct Judged {
    pub(crate) sample: Sample,
    /// Own cases and own data sets are judged on a machine of their own, so that the answer is the
    /// same everywhere.
    pub(crate) case: Option<Case>,
}

/// A named list of commands.
pub(crate) struct DataSet {
    pub(crate) name: String,
    pub(crate) samples: Vec<Judged>,
}

/// Everything found: own cases first, then own data sets, then what the directory holds.
pub(crate) fn all(root: Option<&Path>, role: Role) -> Result<Vec<DataSet>, String> {
    let mut sets = own()?;
    for set in shipped() {
        let set = set.open().map_err(describe)?;
        sets.push(read(&format!("own/{}", set.name), &set, Some(role)).map_err(describe)?);
    }
    let Some(root) = root else { return Ok(sets) };
    for set in nearby(root).map_err(describe)? {
        sets.push(read(&set.name, &set, None).map_err(describe)?);
    }
    Ok(sets)
}

// By value: it stands in `map_err`.
#[allow(clippy::needless_pass_by_value)]
fn describe(error: DatasetError) -> String {
    error.to_string()
}

fn own() -> Result<Vec<DataSet>, String> {
    let (mut block, mut pass) = (Vec::new(), Vec::new());
    for case in cases::all()? {
        let blocks = case.action == Action::Block;
        let sample = Sample {
            id: case.place.clone(),
            command: case.command.clone(),
            expected: if blocks { Expected::Block } else { Expected::Pass },
            category: Some(case.topic.clone()),
            metadata: Map::new(),
        };
        let judged = Judged { sample, case: Some(case) };
        if blocks { block.push(judged) } else { pass.push(judged) }
    }
    Ok(vec![
        DataSet { name: "cases/block".to_owned(), samples: block },
        DataSet { name: "cases/pass".to_owned(), samples: pass },
    ])
}

/// The samples of a set; with a role, as cases on a machine of their own.
fn read(name: &str, set: &Dataset, role: Option<Role>) -> Result<DataSet, DatasetError> {
    let mut samples = Vec::new();
    for sample in set.samples()? {
        let sample = sample?;
        let case = role.map(|role| Case {
            place: sample.id.clone(),
            topic: sample.category.clone().unwrap_or_default(),
            action: match sample.expected {
                Expected::Block => Action::Block,
                Expected::Pass => Action::Allow,
            },
            rule: None,
            role,
            gap: None,
            command: sample.command.clone(),
            files: BTreeMap::new(),
        });
        samples.push(Judged { sample, case });
    }
    Ok(DataSet { name: name.to_owned(), samples })
}
