//! Metrics as the results of a log's header.

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::{Value, json};

use super::frame::{Frame, SCORER};
use crate::metrics::Metrics;

/// The results of a header.
#[derive(serde::Serialize)]
pub(super) struct Results<'a> {
    total_samples: u64,
    completed_samples: u64,
    scores: Vec<Score<'a>>,
    metadata: ResultMetadata<'a>,
}

#[derive(serde::Serialize)]
struct Score<'a> {
    name: &'a str,
    scorer: &'static str,
    scored_samples: u64,
    unscored_samples: u64,
    params: Value,
    metrics: FigureList<'a>,
}

/// All metrics, as `aegish bench score` prints them.
#[derive(serde::Serialize)]
struct ResultMetadata<'a> {
    aegish: &'a Metrics,
}

/// Metrics in the order of display.
struct FigureList<'a>(Vec<(&'a str, f64)>);

impl Serialize for FigureList<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, &json!({ "name": name, "value": value, "params": {} }))?;
        }
        map.end()
    }
}

impl<'a> Results<'a> {
    pub(super) fn new(frame: &Frame, metrics: &'a Metrics) -> Self {
        let epochs = number(frame.eval.get("config").and_then(|config| config.get("epochs")));
        let dataset = number(frame.eval.get("dataset").and_then(|dataset| dataset.get("samples")));
        let mut scores = vec![score(SCORER, metrics, main(metrics))];
        if !metrics.per_category.is_empty() {
            let rates = metrics.per_category.iter().map(|(name, (_, rate))| (name.as_str(), *rate));
            scores.push(score("detection_by_category", metrics, rates.collect()));
        }
        Self {
            total_samples: (dataset * epochs.max(1)).max(metrics.samples + metrics.errors),
            completed_samples: metrics.samples,
            scores,
            metadata: ResultMetadata { aegish: metrics },
        }
    }
}

fn number(value: Option<&Value>) -> u64 {
    value.and_then(Value::as_u64).unwrap_or(0)
}

fn score<'a>(name: &'a str, metrics: &Metrics, figures: Vec<(&'a str, f64)>) -> Score<'a> {
    Score {
        name,
        scorer: SCORER,
        scored_samples: metrics.reduced_samples,
        unscored_samples: metrics.unscored,
        params: json!({}),
        metrics: FigureList(figures),
    }
}

/// The metrics that viewers show, the most important first.
fn main(metrics: &Metrics) -> Vec<(&'static str, f64)> {
    let known = [
        ("aegish_score", metrics.aegish_score),
        ("detection_rate", metrics.detection_rate),
        ("pass_rate", metrics.pass_rate),
        ("detection_rate_macro", metrics.detection_rate_macro),
        ("accuracy", Some(metrics.accuracy)),
        ("stderr", Some(metrics.stderr)),
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
