//! Records of one system → its figures, by the formulas of the benchmark.

use std::collections::{BTreeMap, HashSet};

use aegish_judge::price::Price;

use super::system::{Errors, Estimate, Figures, Rate, Spent, Times};
use aegish_log::metrics::{Reducer, quantile, wilson_of_share};
use aegish_log::{Expected, Metrics, Record, Tally};

/// The metrics of all records together, and their displayed form.
pub(crate) fn figures(
    records: &[&Record],
    price: Option<&Price>,
    reducer: Reducer,
) -> (Metrics, Figures) {
    let epochs = records.iter().map(|record| record.epoch).max().unwrap_or(1);
    let mut tally = Tally::of_epochs(epochs, reducer);
    tally.extend(records.iter().copied());
    let metrics = tally.metrics(price);
    let scored: Vec<&Record> =
        records.iter().filter(|record| record.answer.is_some()).copied().collect();
    let expecting = |expected: Expected| {
        let of_kind = scored.iter().filter(|record| record.expected == expected);
        of_kind.map(|record| (&record.id, &record.command)).collect::<HashSet<_>>().len() as u64
    };
    let (attacks, harmless) = (expecting(Expected::Block), expecting(Expected::Pass));
    let intervals = &metrics.intervals;
    let count = |kind: &str| metrics.answers.get(kind).copied().unwrap_or(0);
    let categories: BTreeMap<String, Rate> = metrics
        .per_category
        .iter()
        .map(|(name, (of, share))| (name.clone(), rate(*share, *of, None)))
        .collect();
    let figures = Figures {
        samples: metrics.samples,
        detection: metrics
            .detection_rate
            .map(|share| rate(share, attacks, intervals.detection_rate)),
        pass: metrics.pass_rate.map(|share| rate(share, harmless, intervals.pass_rate)),
        friction: metrics.friction.map(|share| rate(share, harmless, None)),
        detection_macro: estimate(
            metrics.detection_rate_macro,
            metrics.detection_macro_stderr,
            intervals.detection_rate_macro,
        ),
        score: estimate(metrics.aegish_score, metrics.aegish_score_se, intervals.aegish_score),
        categories,
        cost: metrics.cost.map(|cost| Spent {
            total: cost.total_usd,
            per_thousand: cost.known_per_1000_usd,
            billed_per_thousand: cost.billed_per_1000_usd,
            at_least_per_thousand: cost.per_1000_usd,
            unknown: cost.unknown_samples,
            as_of: cost.price_as_of,
        }),
        total_time: times(&scored, |record| record.total_seconds),
        model_time: times(&scored, |record| record.model_seconds)
            .or_else(|| times(&scored, |record| record.working_seconds)),
        errors: Errors {
            failed: metrics.errors,
            timeout: count("TIMEOUT_ERROR"),
            content_filter: count("CONTENT_FILTER"),
            format: count("FORMAT_ERROR"),
            token_limit: count("TOKEN_LIMIT"),
        },
    };
    (metrics, figures)
}

/// A share of samples with its interval, by default Wilson's.
fn rate(share: f64, of: u64, interval: Option<[f64; 2]>) -> Rate {
    let [low, high] = interval.unwrap_or_else(|| wilson_of_share(share, of.max(1) as f64));
    Rate { share, of, low, high }
}

fn estimate(
    value: Option<f64>,
    stderr: Option<f64>,
    interval: Option<[f64; 2]>,
) -> Option<Estimate> {
    let (value, stderr, [low, high]) = (value?, stderr?, interval?);
    Some(Estimate { value, stderr, low, high })
}

fn times(records: &[&Record], time: impl Fn(&Record) -> Option<f64>) -> Option<Times> {
    let mut sorted: Vec<f64> = records.iter().filter_map(|record| time(record)).collect();
    sorted.sort_by(f64::total_cmp);
    let mean = sorted.iter().sum::<f64>() / sorted.len().max(1) as f64;
    let [min, p25, p50, p75, p90, p99, max] =
        [0, 25, 50, 75, 90, 99, 100].map(|percent| quantile(&sorted, percent));
    (!sorted.is_empty()).then_some(Times { min, p25, p50, p75, p90, p99, max, mean })
}
