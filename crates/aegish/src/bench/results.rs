//! The results of a run: a line per system and data set, and the score where both halves were measured.

use crate::bench::progress::short;
use crate::bench::table::{self, Align};
use crate::output::{Screen, visible};
use aegish_bench::run::TaskOutcome;
use aegish_log::metrics::{Latency, composite};
use std::time::Duration;

/// One system on one data set.
pub(crate) struct ResultRow<'a> {
    pub(crate) system: &'a str,
    pub(crate) dataset: &'a str,
    pub(crate) outcome: &'a TaskOutcome,
}

const HEAD: [&str; 11] = [
    "system",
    "data",
    "n",
    "detected",
    "passed",
    "asked",
    "errors",
    "time-outs",
    "model",
    "queued",
    "$",
];

/// Prints the table, the scores and where the logs are.
pub(crate) fn show(rows: &[ResultRow<'_>], screen: &mut Screen) {
    if rows.is_empty() {
        return;
    }
    let mut cells = vec![HEAD.map(str::to_owned).to_vec()];
    cells.extend(rows.iter().map(line));
    let mut aligned = [Align::Right; 11];
    (aligned[0], aligned[1]) = (Align::Left, Align::Left);
    screen.put(table::text(&cells, &aligned));
    for (system, score) in scores(rows) {
        screen.put(format_args!("score of {}: {score}\n", visible(system)));
    }
    for row in rows {
        for warning in &row.outcome.metrics.warnings {
            let (system, dataset) = (visible(row.system), visible(row.dataset));
            screen.put(format_args!("note: {system}, {dataset}: {}\n", visible(warning)));
        }
    }
    for row in rows {
        screen.put(format_args!("log: {}\n", visible(&row.outcome.path.display().to_string())));
    }
}

fn line(row: &ResultRow<'_>) -> Vec<String> {
    let metrics = &row.outcome.metrics;
    let missing = || "–".to_owned();
    let rate = |rate: Option<f64>, error: Option<f64>| match (rate, error) {
        (Some(rate), Some(error)) => format!("{:.1} % ±{:.1}", rate * 100.0, error * 196.0),
        (Some(rate), None) => format!("{:.1} %", rate * 100.0),
        (None, _) => missing(),
    };
    let time = |latency: &Option<Latency>| {
        let of = |latency: &Latency| Duration::try_from_secs_f64(latency.mean / 1000.0).ok();
        latency.as_ref().and_then(of).map_or_else(missing, short)
    };
    let timeouts = metrics.samples - metrics.without_timeouts.samples;
    vec![
        visible(row.system),
        visible(row.dataset),
        metrics.samples.to_string(),
        rate(metrics.detection_rate, metrics.detection_stderr),
        rate(metrics.pass_rate, metrics.pass_stderr),
        rate(metrics.friction, None),
        metrics.errors.to_string(),
        timeouts.to_string(),
        time(&metrics.model_ms),
        time(&metrics.queued_ms),
        metrics.cost.map_or_else(missing, |cost| format!("{:.2}", cost.billed_usd)),
    ]
}

/// The score of systems that were measured on one set of attacks and one of harmless work, or on both in one.
fn scores<'a>(rows: &[ResultRow<'a>]) -> Vec<(&'a str, String)> {
    let mut found: Vec<(&str, String)> = Vec::new();
    for row in rows {
        if found.iter().any(|(system, _)| *system == row.system) {
            continue;
        }
        let of_system = || rows.iter().filter(|other| other.system == row.system);
        let detections: Vec<(f64, f64)> = of_system()
            .map(|row| &row.outcome.metrics)
            .filter(|metrics| metrics.pass_rate.is_none())
            .filter_map(|metrics| metrics.detection_rate.zip(metrics.detection_stderr))
            .collect();
        let passes: Vec<(f64, f64)> = of_system()
            .map(|row| &row.outcome.metrics)
            .filter(|metrics| metrics.detection_rate.is_none())
            .filter_map(|metrics| metrics.pass_rate.zip(metrics.pass_stderr))
            .collect();
        if let ([detection], [pass]) = (detections.as_slice(), passes.as_slice()) {
            let (score, error) = composite(*detection, *pass);
            found.push((row.system, format!("{score:.4} ± {error:.4}")));
        }
    }
    found
}
