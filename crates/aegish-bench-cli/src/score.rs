//! `aegish bench score`: the figures of logs, from the completions in them. No model, no key.

use crate::results::half;
use aegish_judge::Scoring;
use aegish_log::Metrics;
use aegish_log::metrics::Latency;
use aegish_log::{Log, LogError, LogStatus, measure, rescore};
use aegish_terminal::{ExitKind, Failure, Screen, Style, visible};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Args)]
pub(crate) struct ScoreOptions {
    /// Logs (`.eval`, `.json`), or recorded completions (`<model>__<data set>.jsonl`)
    #[arg(value_name = "LOG", required = true)]
    logs: Vec<PathBuf>,
    /// How to print the figures
    #[arg(long, value_enum, default_value_t = ScoreFormat::Text)]
    format: ScoreFormat,
    /// Whose rules answers are read by: seed or original [default: those the log names, else the seed's]
    #[arg(long, value_name = "NAME", value_parser = crate::run::scoring)]
    scoring: Option<Scoring>,
    /// Write the new scores into the logs; the first originals are kept in `originals` beside them
    #[arg(long)]
    write: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ScoreFormat {
    /// For people
    Text,
    /// One object per log, one per line
    Json,
}

/// The result for one log.
#[derive(Serialize)]
struct Scored<'a> {
    log: String,
    model: &'a str,
    dataset: String,
    samples: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    original: Option<String>,
    metrics: Metrics,
}

pub(crate) fn run(options: &ScoreOptions, screen: &mut Screen) -> Result<ExitKind, Failure> {
    let mut failed = 0;
    for path in &options.logs {
        // A log that cannot be read does not stop the others.
        if let Err(error) = one(path, options, screen) {
            aegish_terminal::complain(&error.to_string());
            failed += 1;
        }
    }
    if failed > 0 {
        aegish_terminal::complain(&format!(
            "{failed} of {} logs were not scored",
            options.logs.len()
        ));
        return Ok(ExitKind::Failure);
    }
    Ok(ExitKind::Allow)
}

fn one(path: &Path, options: &ScoreOptions, screen: &mut Screen) -> Result<(), LogError> {
    let log = Log::open(path)?;
    let scoring = options.scoring.unwrap_or_else(|| log.scoring());
    let log = log.scored_by(scoring);
    let (metrics, original) = if options.write {
        let (metrics, original) = rescore(&log)?;
        (metrics, Some(original.display().to_string()))
    } else {
        (measure(&log)?, None)
    };
    let scored = Scored {
        log: path.display().to_string(),
        model: &log.header().eval.model,
        dataset: log.dataset()?,
        samples: metrics.samples,
        original,
        metrics,
    };
    match options.format {
        ScoreFormat::Json => {
            // Plain data: serializing it cannot fail.
            screen.put(serde_json::to_string(&scored).unwrap_or_default()).end();
        }
        ScoreFormat::Text => text(&scored, log.header().status, screen),
    }
    Ok(())
}

fn text(scored: &Scored<'_>, status: LogStatus, screen: &mut Screen) {
    let metrics = &scored.metrics;
    screen.paint(Style::Strong, visible(scored.model)).put("  ").put(visible(&scored.dataset));
    screen.put(format_args!("  {} samples", scored.samples));
    match status {
        LogStatus::Success => {}
        LogStatus::Started => drop(screen.paint(Style::Doubtful, "  unfinished")),
        LogStatus::Cancelled => drop(screen.paint(Style::Doubtful, "  cancelled")),
        LogStatus::Error => drop(screen.paint(Style::Bad, "  failed")),
    }
    screen.end();
    if let Some(reducer) = metrics.reducer {
        screen.put(format_args!(
            "  {:<14}{} samples, their repetitions reduced by {}\n",
            "repeated",
            metrics.reduced_samples,
            reducer.name()
        ));
    }
    let intervals = &metrics.intervals;
    screen.put(format_args!("  {:<14}{:>8}  95 %    standard error\n", "", ""));
    rate("score", metrics.aegish_score, metrics.aegish_score_se, intervals.aegish_score, screen);
    rate(
        "detection",
        metrics.detection_rate,
        metrics.detection_stderr,
        intervals.detection_rate,
        screen,
    );
    rate(
        "by category",
        metrics.detection_rate_macro,
        metrics.detection_macro_stderr,
        intervals.detection_rate_macro,
        screen,
    );
    for (category, (count, share)) in &metrics.per_category {
        let name = visible(category);
        screen.put(format_args!("    {name:<14}{:>6.1} %  of {count}\n", share * 100.0));
    }
    rate("pass", metrics.pass_rate, metrics.pass_stderr, intervals.pass_rate, screen);
    if let Some(friction) = metrics.friction {
        screen.put(format_args!(
            "  {:<14}{:>6.1} %  of harmless work\n",
            "asked about",
            friction * 100.0
        ));
    }
    let answers: Vec<String> =
        metrics.answers.iter().map(|(answer, count)| format!("{answer} {count}")).collect();
    screen.put(format_args!("  {:<14}{}\n", "answers", answers.join(", ")));
    if metrics.errors > 0 {
        screen.put(format_args!("  {:<14}{} without a score\n", "failed", metrics.errors));
    }
    if metrics.timeout_error_rate > 0.0 {
        let rest = &metrics.without_timeouts;
        screen.put(format_args!(
            "  {:<14}{:>6.1} %  right of the {} that neither timed out nor came back empty\n",
            "in time",
            rest.accuracy * 100.0,
            rest.samples
        ));
    }
    times("latency", metrics.latency_ms, screen);
    times("of the model", metrics.model_ms, screen);
    if let Some(cost) = &metrics.cost {
        let at_least = if cost.unknown_samples > 0 { "at least " } else { "" };
        screen.put(format_args!(
            "  {:<14}{at_least}${:.4}, {at_least}${:.4} per 1,000 commands; as billed {at_least}${:.4} (prices of {})\n",
            "cost", cost.total_usd, cost.per_1000_usd, cost.billed_usd, cost.price_as_of
        ));
        if cost.unknown_samples > 0 {
            screen.put(format_args!(
                "  {:<14}${:.4} per 1,000 commands whose cost is known; that of {} is not\n",
                "", cost.known_per_1000_usd, cost.unknown_samples
            ));
        }
    }
    for warning in &metrics.warnings {
        screen.put("  ").paint(Style::Doubtful, "note: ").put(visible(warning)).end();
    }
    if let Some(original) = &scored.original {
        screen.put(format_args!("  written; the first original is {}\n", visible(original)));
    }
}

/// `detection  92.6 % ±2.0   0.0099  (90.4 to 94.3)`
fn rate(
    name: &str,
    rate: Option<f64>,
    error: Option<f64>,
    interval: Option<[f64; 2]>,
    screen: &mut Screen,
) {
    let (Some(rate), Some(error), Some(interval)) = (rate, error, interval) else { return };
    let [low, high] = interval.map(|bound| bound * 100.0);
    let half = half(interval, 1);
    screen.put(format_args!(
        "  {name:<14}{:>6.1} %  {half:<7} {error:.4}  ({low:.1} to {high:.1})\n",
        rate * 100.0
    ));
}

fn times(name: &str, times: Option<Latency>, screen: &mut Screen) {
    let Some(Latency { mean, p50, p90, p99, max }) = times else { return };
    screen.put(format_args!(
        "  {name:<14}mean {mean:.0} ms, p50 {p50:.0}, p90 {p90:.0}, p99 {p99:.0}, max {max:.0}\n"
    ));
}
