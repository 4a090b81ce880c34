//! Counters in the text format of Prometheus.

use aegish_guard::Action;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the buckets, in microseconds.
const BOUNDS: [u64; 10] = [25, 50, 100, 250, 500, 1000, 2500, 10_000, 100_000, 1_000_000];

/// What has been counted since the start.
#[derive(Default)]
pub(crate) struct Metrics {
    allow: AtomicU64,
    warn: AtomicU64,
    block: AtomicU64,
    refused: AtomicU64,
    reloads: AtomicU64,
    failed_reloads: AtomicU64,
    buckets: [AtomicU64; BOUNDS.len()],
    micros: AtomicU64,
}

fn add(counter: &AtomicU64, number: u64) {
    counter.fetch_add(number, Ordering::Relaxed);
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl Metrics {
    pub(crate) fn decided(&self, action: Action, took: Duration) {
        let counter = match action {
            Action::Allow => &self.allow,
            Action::Warn => &self.warn,
            Action::Block => &self.block,
        };
        add(counter, 1);
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        add(&self.micros, micros);
        let bucket = BOUNDS.iter().position(|bound| micros <= *bound);
        if let Some(bucket) = bucket.and_then(|at| self.buckets.get(at)) {
            add(bucket, 1);
        }
    }

    /// A request that could not be understood.
    pub(crate) fn refused(&self) {
        add(&self.refused, 1);
    }

    pub(crate) fn reloaded(&self, worked: bool) {
        add(if worked { &self.reloads } else { &self.failed_reloads }, 1);
    }

    pub(crate) fn text(&self, sessions: usize, listeners: usize) -> String {
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, rows: &[(String, u64)]| {
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
            for (labels, value) in rows {
                let _ = writeln!(text, "{labels} {value}");
            }
        };
        let actions = [("allow", &self.allow), ("warn", &self.warn), ("block", &self.block)];
        let decisions = actions.map(|(action, counter)| {
            (format!("aegish_decisions_total{{action=\"{action}\"}}"), read(counter))
        });
        let all: u64 = decisions.iter().map(|(_, count)| count).sum();
        family("aegish_decisions_total", "counter", "Commands judged.", &decisions);
        let plain = |name: &str, value: u64| [(name.to_owned(), value)];
        let refused = plain("aegish_refused_requests_total", read(&self.refused));
        family("aegish_refused_requests_total", "counter", "Requests not understood.", &refused);
        let worked = |word: &str| format!("aegish_reloads_total{{outcome=\"{word}\"}}");
        let reloads =
            [(worked("ok"), read(&self.reloads)), (worked("failed"), read(&self.failed_reloads))];
        family("aegish_reloads_total", "counter", "Settings read again.", &reloads);
        let sessions = plain("aegish_sessions", sessions as u64);
        family("aegish_sessions", "gauge", "Sessions that are remembered.", &sessions);
        let listeners = plain("aegish_event_streams", listeners as u64);
        family("aegish_event_streams", "gauge", "Open streams of decisions.", &listeners);
        let name = "aegish_decision_seconds";
        let _ = writeln!(text, "# HELP {name} Time to judge.\n# TYPE {name} histogram");
        let mut below = 0;
        for (bound, bucket) in BOUNDS.iter().zip(&self.buckets) {
            below += read(bucket);
            #[allow(clippy::cast_precision_loss)] // bounds are small
            let seconds = *bound as f64 / 1e6;
            let _ = writeln!(text, "{name}_bucket{{le=\"{seconds}\"}} {below}");
        }
        #[allow(clippy::cast_precision_loss)] // microseconds of centuries
        let sum = read(&self.micros) as f64 / 1e6;
        let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {all}");
        let _ = writeln!(text, "{name}_sum {sum}\n{name}_count {all}");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_hold_all_that_was_at_most_as_slow() {
        let metrics = Metrics::default();
        metrics.decided(Action::Allow, Duration::from_micros(20));
        metrics.decided(Action::Block, Duration::from_micros(300));
        metrics.decided(Action::Block, Duration::from_secs(2));
        let text = metrics.text(1, 0);
        for line in [
            "aegish_decisions_total{action=\"block\"} 2",
            "aegish_decision_seconds_bucket{le=\"0.000025\"} 1",
            "aegish_decision_seconds_bucket{le=\"0.0005\"} 2",
            "aegish_decision_seconds_bucket{le=\"1\"} 2",
            "aegish_decision_seconds_bucket{le=\"+Inf\"} 3",
            "aegish_sessions 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
