//! The results of a run: a line per system and data set, and the score where both halves were measured.

use crate::progress::short;
use crate::table::{self, Align};
use aegish_bench::run::TaskOutcome;
use aegish_log::metrics::{Cost, Latency, composite};
use aegish_terminal::{Screen, visible};
use std::time::Duration;

/// One system on one data set.
pub(crate) struct ResultRow<'a> {
    pub(crate) system: &'a str,
    pub(crate) dataset: &'a str,
    pub(crate) outcome: &'a TaskOutcome,
}

const HEAD: [&str; 12] = [
    "system",
    "data",
    "n",
    "detected",
    "passed",
    "asked",
    "failed",
    "time-outs",
    "empty",
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
    let mut aligned = [Align::Right; HEAD.len()];
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
    let rate = |rate: Option<f64>, interval: Option<[f64; 2]>| match (rate, interval) {
        (Some(rate), Some(interval)) => format!("{:.1} % {}", rate * 100.0, half(interval, 1)),
        (Some(rate), None) => format!("{:.1} %", rate * 100.0),
        (None, _) => missing(),
    };
    let time = |latency: &Option<Latency>| {
        let of = |latency: &Latency| Duration::try_from_secs_f64(latency.mean / 1000.0).ok();
        latency.as_ref().and_then(of).map_or_else(missing, short)
    };
    let dollars = |cost: Cost| {
        let sign = if cost.unknown_samples > 0 { "≥ " } else { "" };
        format!("{sign}{:.2}", cost.billed_usd)
    };
    vec![
        visible(row.system),
        visible(row.dataset),
        metrics.samples.to_string(),
        rate(metrics.detection_rate, metrics.intervals.detection_rate),
        rate(metrics.pass_rate, metrics.intervals.pass_rate),
        rate(metrics.friction, None),
        metrics.errors.to_string(),
        metrics.timeouts.to_string(),
        metrics.empty.to_string(),
        time(&metrics.model_ms),
        time(&metrics.queued_ms),
        metrics.cost.map_or_else(missing, dollars),
    ]
}

/// `±2.8`: half of a 95 % interval in percent with this many decimals, never `±0.0`.
pub(crate) fn half([low, high]: [f64; 2], decimals: usize) -> String {
    let text = format!("{:.decimals$}", 50.0 * (high - low));
    if text.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
        return format!("±{text}");
    }
    format!("±<{:.decimals$}", 10f64.powi(-i32::try_from(decimals).unwrap_or(0)))
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
            found.push((row.system, format!("{score:.4}, standard error {error:.4}")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::half;

    #[test]
    fn an_interval_is_never_wider_than_everything_and_never_nothing() {
        assert_eq!(half([0.90, 0.94], 1), "±2.0");
        assert_eq!(half([0.0, 0.000_4], 1), "±<0.1");
        assert_eq!(half([0.0, 1.0], 1), "±50.0");
    }
}
