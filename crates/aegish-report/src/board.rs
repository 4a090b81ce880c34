//! All logs of a folder → a leaderboard for each data set.
//!
//! Takes [`Run`]s one by one and keeps their figures only, so that a folder of many logs fits into memory. A data
//! set is known by its hash. Each complete log has a row; the newest one of each system has a place.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::figures::figures;
use super::run::{Run, RunEnding};
use super::system::Figures;
use aegish_log::{Metrics, Record};

/// The leaderboards of a folder.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Board {
    sets: BTreeMap<(String, Option<String>), Vec<BoardRow>>,
}

/// One log.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardRow {
    /// The system, with a note if it was asked in an unusual way.
    pub system: String,
    /// Its place among the newest complete logs of all systems, from 1; none for other logs.
    pub place: Option<usize>,
    /// Whether the log is complete, and if it is not, its status.
    pub ending: RunEnding,
    /// When it began, as the log writes it.
    pub created: String,
    /// The program that wrote it, with its version.
    pub version: Option<String>,
    /// The hash of the system prompt.
    pub prompt_sha256: Option<String>,
    /// Its path.
    pub path: String,
    /// Its figures, under the benchmark's names.
    pub metrics: Metrics,
    /// The same as shown.
    pub figures: Figures,
}

/// The logs of one data set, the best first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoardSet<'b> {
    /// The name of the data set.
    pub name: &'b str,
    /// The hash of its bytes, where a log says it.
    pub sha256: Option<&'b str>,
    /// Its logs.
    pub rows: &'b [BoardRow],
}

impl Board {
    /// Adds a log.
    pub fn add(&mut self, run: &Run) {
        let records: Vec<&Record> = run.records.iter().collect();
        let (metrics, figures) = figures(&records, run.price, run.reducer);
        let system = match &run.variant {
            Some(variant) => format!("{} ({variant})", run.model),
            None => run.model.clone(),
        };
        let row = BoardRow {
            system,
            place: None,
            ending: run.ending.clone(),
            created: run.created.clone(),
            version: run.version.clone(),
            prompt_sha256: run.prompt_sha256.clone(),
            path: run.source.clone(),
            metrics,
            figures,
        };
        let key = (run.dataset.clone(), run.dataset_sha256.clone());
        let rows = self.sets.entry(key).or_default();
        rows.push(row);
        rank(rows);
    }

    /// The data sets by name.
    pub fn sets(&self) -> impl Iterator<Item = BoardSet<'_>> {
        self.sets.iter().map(|((name, sha256), rows)| BoardSet {
            name,
            sha256: sha256.as_deref(),
            rows,
        })
    }

    /// Everything as JSON.
    ///
    /// # Errors
    /// If a figure is NaN or infinite, which JSON cannot represent.
    pub fn json(&self) -> std::io::Result<String> {
        let row = |row: &BoardRow| -> Result<Value, serde_json::Error> {
            Ok(json!({
                "place": row.place,
                "system": row.system,
                "status": row.status(),
                "created": row.created,
                "version": row.version,
                "prompt_sha256": row.prompt_sha256,
                "log": row.path,
                "metrics": serde_json::to_value(&row.metrics)?,
            }))
        };
        let mut sets = Vec::new();
        for set in self.sets() {
            let rows = set.rows.iter().map(row).collect::<Result<Vec<_>, _>>()?;
            sets.push(json!({ "name": set.name, "sha256": set.sha256, "logs": rows }));
        }
        Ok(serde_json::to_string_pretty(&json!({ "datasets": sets }))? + "\n")
    }
}

impl BoardRow {
    /// What the row is ranked by: the score, or the part of it that the data set allows.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        let Figures { score, detection, pass, .. } = &self.figures;
        let part = || detection.or(*pass).map(|rate| rate.value());
        score.map(|score| score.value).or_else(part)
    }

    /// The status of the log.
    #[must_use]
    pub fn status(&self) -> &str {
        match &self.ending {
            RunEnding::Complete => "success",
            RunEnding::Partial(status) => status,
        }
    }
}

/// Sorts the logs of a data set, and gives the newest complete one of each system its place.
fn rank(rows: &mut [BoardRow]) {
    let mut newest: BTreeMap<String, String> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.ending == RunEnding::Complete) {
        let date = newest.entry(row.system.clone()).or_default();
        if row.created > *date {
            date.clone_from(&row.created);
        }
    }
    let is_ranked = |row: &BoardRow| {
        row.ending == RunEnding::Complete
            && row.value().is_some()
            && newest.get(&row.system) == Some(&row.created)
    };
    rows.sort_by(|a, b| {
        let value = |row: &BoardRow| row.value().unwrap_or(-1.0);
        is_ranked(b)
            .cmp(&is_ranked(a))
            .then(value(b).total_cmp(&value(a)))
            .then(b.created.cmp(&a.created))
            .then(a.system.cmp(&b.system))
    });
    // Equal values share a place.
    let (mut place, mut last) = (0, None);
    for (index, row) in rows.iter_mut().enumerate() {
        if row.value() != last {
            (place, last) = (index + 1, row.value());
        }
        row.place = is_ranked(row).then_some(place);
    }
}
