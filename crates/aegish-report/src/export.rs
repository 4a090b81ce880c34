//! A comparison as JSON and CSV.

use std::io;

use aegish_judge::Answer;
use serde_json::{Value, json};

use super::compare::{ComparedSample, Comparison, DataSet, SystemAnswer};
use super::escape::field;
use super::system::ComparedSystem;

/// Everything except the samples: systems in order with their metrics, data sets, logs, notes.
///
/// # Errors
///
/// If a figure is NaN or infinite, which JSON cannot represent.
pub fn json(comparison: &Comparison) -> io::Result<String> {
    let system = |system: &ComparedSystem| -> Result<Value, serde_json::Error> {
        Ok(json!({
            "rank": system.rank,
            "league": system.league,
            "system": system.name,
            "short": system.short,
            "datasets": system.datasets,
            "metrics": serde_json::to_value(&system.metrics)?,
            "against_best": system.against_best,
            "calibration": system.calibration,
        }))
    };
    let systems = comparison.systems.iter().map(system).collect::<Result<Vec<_>, _>>()?;
    let datasets: Vec<Value> = comparison
        .datasets
        .iter()
        .map(|set| {
            let DataSet { name, sha256, attacks, harmless } = set;
            json!({ "name": name, "sha256": sha256, "attacks": attacks, "harmless": harmless })
        })
        .collect();
    let logs: Vec<Value> = comparison
        .sources
        .iter()
        .map(|source| {
            json!({
                "path": source.path,
                "system": comparison.systems.get(source.system).map(|system| &system.name),
                "dataset": source.dataset,
                "created": source.created,
                "samples": source.samples,
                "prompt_sha256": source.prompt_sha256,
                "dataset_sha256": source.dataset_sha256,
            })
        })
        .collect();
    let name = |at: usize| comparison.systems.get(at).map(|system| system.name.as_str());
    let pairings: Vec<Value> = comparison
        .pairings
        .iter()
        .map(|((one, other), pairing)| {
            json!({ "first": name(*one), "second": name(*other), "test": pairing })
        })
        .collect();
    let whole = json!({
        "systems": systems,
        "datasets": datasets,
        "logs": logs,
        "pairings": pairings,
        "notes": comparison.notes,
    });
    Ok(serde_json::to_string_pretty(&whole)? + "\n")
}

const RANKING: [&str; 35] = [
    "rank",
    "system",
    "datasets",
    "samples",
    "detection_rate",
    "detection_low",
    "detection_high",
    "detection_rate_macro",
    "detection_macro_se",
    "pass_rate",
    "pass_low",
    "pass_high",
    "friction",
    "aegish_score",
    "aegish_score_se",
    "aegish_score_low",
    "aegish_score_high",
    "cost_total_usd",
    "cost_per_1000_usd",
    "cost_billed_per_1000_usd",
    "cost_unknown_samples",
    "latency_mean_ms",
    "latency_p50_ms",
    "latency_p90_ms",
    "latency_p99_ms",
    "model_p50_ms",
    "model_p90_ms",
    "failed",
    "timeouts",
    "content_filter",
    "format_errors",
    "token_limit",
    "best_p_value",
    "best_p_holm",
    "best_shared",
];

/// One line for each system; missing values are empty.
///
/// # Errors
///
/// None: it is written to memory.
pub fn ranking_csv(comparison: &Comparison) -> io::Result<String> {
    let mut table = Table::new(RANKING)?;
    for system in &comparison.systems {
        table.put(&ranking_row(system))?;
    }
    table.text()
}

fn ranking_row(system: &ComparedSystem) -> [String; 35] {
    let figures = &system.figures;
    let word = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let (detection, pass) = (figures.detection, figures.pass);
    let (macro_rate, score, cost) = (figures.detection_macro, figures.score, figures.cost);
    let (total, model) = (figures.total_time, figures.model_time);
    let errors = figures.errors;
    [
        system.rank_label().unwrap_or_default(),
        system.name.clone(),
        system.datasets.join(" "),
        figures.samples.to_string(),
        word(detection.map(|rate| rate.value())),
        word(detection.map(|rate| rate.low)),
        word(detection.map(|rate| rate.high)),
        word(macro_rate.map(|rate| rate.value)),
        word(macro_rate.map(|rate| rate.stderr)),
        word(pass.map(|rate| rate.value())),
        word(pass.map(|rate| rate.low)),
        word(pass.map(|rate| rate.high)),
        word(figures.friction.map(|rate| rate.value())),
        word(score.map(|score| score.value)),
        word(score.map(|score| score.stderr)),
        word(score.map(|score| score.low)),
        word(score.map(|score| score.high)),
        word(cost.map(|cost| cost.total)),
        word(cost.map(|cost| cost.per_thousand)),
        word(cost.map(|cost| cost.billed_per_thousand)),
        cost.map(|cost| cost.unknown.to_string()).unwrap_or_default(),
        word(total.map(|times| 1e3 * times.mean)),
        word(total.map(|times| 1e3 * times.p50)),
        word(total.map(|times| 1e3 * times.p90)),
        word(total.map(|times| 1e3 * times.p99)),
        word(model.map(|times| 1e3 * times.p50)),
        word(model.map(|times| 1e3 * times.p90)),
        errors.failed.to_string(),
        errors.timeout.to_string(),
        errors.content_filter.to_string(),
        errors.format.to_string(),
        errors.token_limit.to_string(),
        word(system.against_best.map(|pairing| pairing.p_value)),
        word(system.against_best.map(|pairing| pairing.p_holm)),
        system.against_best.map(|pairing| pairing.shared.to_string()).unwrap_or_default(),
    ]
}

/// One line for each system and category of attacks.
///
/// # Errors
/// None that is known: it is written to memory.
pub fn categories_csv(comparison: &Comparison) -> io::Result<String> {
    let mut table = Table::new(["system", "category", "attacks", "detection_rate", "low", "high"])?;
    for system in &comparison.systems {
        for (category, rate) in &system.figures.categories {
            table.put(&[
                system.name.clone(),
                category.clone(),
                rate.of.to_string(),
                rate.value().to_string(),
                rate.low.to_string(),
                rate.high.to_string(),
            ])?;
        }
    }
    table.text()
}

const SAMPLES: [&str; 13] = [
    "dataset",
    "id",
    "epoch",
    "category",
    "expected",
    "system",
    "answer",
    "right",
    "confidence",
    "reason",
    "total_ms",
    "model_ms",
    "command",
];

/// One line for each answer of each system to each sample.
///
/// # Errors
/// None that is known: it is written to memory.
pub fn samples_csv(comparison: &Comparison) -> io::Result<String> {
    let mut table = Table::new(SAMPLES)?;
    for row in &comparison.rows {
        for (system, reply) in comparison.systems.iter().zip(&row.answers) {
            if let Some(reply) = reply {
                table.put(&sample_row(comparison, row, system, reply))?;
            }
        }
    }
    table.text()
}

fn sample_row(
    comparison: &Comparison,
    row: &ComparedSample,
    system: &ComparedSystem,
    reply: &SystemAnswer,
) -> [String; 13] {
    let milliseconds =
        |time: Option<f64>| time.map(|time| (1e3 * time).round().to_string()).unwrap_or_default();
    let (confidence, reason) = match &reply.answer {
        Some(Answer::Verdict(opinion)) => (opinion.confidence.to_string(), opinion.reason.clone()),
        _ => (String::new(), reply.error.clone().unwrap_or_default()),
    };
    [
        comparison.datasets.get(row.dataset).map(|set| set.name.clone()).unwrap_or_default(),
        row.id.clone(),
        row.epoch.to_string(),
        row.category.clone().unwrap_or_default(),
        row.expected.target().to_owned(),
        system.name.clone(),
        reply.word().to_owned(),
        reply.answer.as_ref().map(|_| u8::from(reply.right).to_string()).unwrap_or_default(),
        confidence,
        reason,
        milliseconds(reply.total_seconds),
        milliseconds(reply.model_seconds),
        row.command.clone(),
    ]
}

/// The lines of a table.
struct Table(csv::Writer<Vec<u8>>);

impl Table {
    fn new<const N: usize>(heads: [&str; N]) -> io::Result<Self> {
        let lines =
            csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(Vec::new());
        let mut table = Self(lines);
        table.put(&heads.map(str::to_owned))?;
        Ok(table)
    }

    fn put<const N: usize>(&mut self, fields: &[String; N]) -> io::Result<()> {
        let fields = fields.iter().map(|text| field(text).into_owned());
        Ok(self.0.write_record(fields)?)
    }

    fn text(self) -> io::Result<String> {
        let bytes = self.0.into_inner().map_err(csv::IntoInnerError::into_error)?;
        String::from_utf8(bytes).map_err(io::Error::other)
    }
}
