//! Metrics as the results of a log's header.

use serde_json::{Map, Value, json};

use super::frame::{Frame, SCORER};
use crate::metrics::Metrics;

/// The results of a header.
pub(super) fn results(frame: &Frame, metrics: &Metrics) -> Value {
    let epochs = number(frame.eval.get("config").and_then(|config| config.get("epochs"))).max(1);
    let dataset = number(frame.eval.get("dataset").and_then(|dataset| dataset.get("samples")));
    let mut scores = vec![score(SCORER, metrics, main(metrics))];
    if !metrics.per_category.is_empty() {
        let rates = metrics.per_category.iter().map(|(name, (_, rate))| (name.as_str(), *rate));
        scores.push(score("detection_by_category", metrics, rates.collect()));
    }
    json!({
        "total_samples": (dataset * epochs).max(metrics.samples),
        "completed_samples": metrics.samples,
        "scores": scores,
        // All figures, as `aegish bench score` prints them.
        "metadata": { "aegish": metrics },
    })
}

fn number(value: Option<&Value>) -> u64 {
    value.and_then(Value::as_u64).unwrap_or(0)
}

fn score(name: &str, metrics: &Metrics, figures: Vec<(&str, f64)>) -> Value {
    let figures: Map<String, Value> = figures
        .into_iter()
        .map(|(name, value)| {
            (name.to_owned(), json!({ "name": name, "value": value, "params": {} }))
        })
        .collect();
    json!({
        "name": name,
        "scorer": SCORER,
        "scored_samples": metrics.samples,
        "unscored_samples": 0,
        "params": {},
        "metrics": figures,
    })
}

/// The figures that viewers show.
fn main(metrics: &Metrics) -> Vec<(&'static str, f64)> {
    let known = [
        ("accuracy", Some(metrics.accuracy)),
        ("stderr", Some(metrics.stderr)),
        ("detection_rate", metrics.detection_rate),
        ("detection_rate_macro", metrics.detection_rate_macro),
        ("pass_rate", metrics.pass_rate),
        ("aegish_score", metrics.aegish_score),
        ("aegish_score_se", metrics.aegish_score_se),
        ("friction", metrics.friction),
        ("timeout_error_rate", Some(metrics.timeout_error_rate)),
        ("content_filter_rate", Some(metrics.content_filter_rate)),
        ("format_error_rate", Some(metrics.format_error_rate)),
        ("token_limit_rate", Some(metrics.token_limit_rate)),
    ];
    known.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Tokens of all samples, as Inspect counts them.
pub(super) fn usage(metrics: &Metrics) -> Value {
    let tokens = &metrics.tokens;
    let cached = tokens.cached + tokens.cache_write;
    json!({
        "input_tokens": tokens.input.saturating_sub(cached),
        "output_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output + tokens.reasoning_apart,
        "input_tokens_cache_read": tokens.cached,
        "input_tokens_cache_write": tokens.cache_write,
        "reasoning_tokens": tokens.reasoning,
    })
}
