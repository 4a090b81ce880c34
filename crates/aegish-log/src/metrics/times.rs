//! Means and quantiles of times: exact for few times, in bounded memory for many.

use serde::Serialize;

/// Up to this number times are stored exactly; more are counted in classes.
const KEPT: usize = 1 << 16;
/// Classes per doubling: a class has a width of 0.02 %.
const CLASSES: u32 = 4096;
/// From a microsecond to about 36 hours, in milliseconds.
const SMALLEST: f64 = 1e-3;
const DOUBLINGS: u32 = 37;

/// How long things took, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Latency {
    /// The arithmetic mean.
    pub mean: f64,
    /// The median.
    pub p50: f64,
    /// The 90th percentile.
    pub p90: f64,
    /// The 99th percentile.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// Collects times.
#[derive(Debug, Clone, Default)]
pub(super) struct Times {
    count: u64,
    sum: f64,
    max: f64,
    kept: Vec<f64>,
    classes: Vec<u32>,
}

impl Times {
    pub(super) fn add_seconds(&mut self, seconds: f64) {
        self.add_milliseconds(seconds * 1000.0);
    }

    fn add_milliseconds(&mut self, time: f64) {
        self.max = if self.count == 0 { time } else { self.max.max(time) };
        self.count += 1;
        self.sum += time;
        self.file(time);
    }

    fn file(&mut self, time: f64) {
        if self.classes.is_empty() {
            self.kept.push(time);
            if self.kept.len() > KEPT {
                self.classes = vec![0; (CLASSES * DOUBLINGS) as usize];
                for time in std::mem::take(&mut self.kept) {
                    self.file(time);
                }
            }
        } else {
            self.classes[class(time)] += 1;
        }
    }

    /// The summary; `None` if nothing was timed.
    pub(super) fn latency(&self) -> Option<Latency> {
        if self.count == 0 {
            return None;
        }
        let mean = self.sum / self.count as f64;
        let [p50, p90, p99] = if self.classes.is_empty() {
            let mut sorted = self.kept.clone();
            sorted.sort_by(f64::total_cmp);
            [50, 90, 99].map(|percent| quantile(&sorted, percent))
        } else {
            [50, 90, 99].map(|percent| self.counted_quantile(percent).min(self.max))
        };
        Some(Latency { mean, p50, p90, p99, max: self.max })
    }

    fn counted_quantile(&self, percent: u64) -> f64 {
        let wanted = percent * (self.count - 1) / 100;
        let mut seen = 0;
        for (class, count) in self.classes.iter().enumerate() {
            seen += u64::from(*count);
            if seen > wanted {
                return SMALLEST * ((class as f64 + 0.5) / f64::from(CLASSES)).exp2();
            }
        }
        self.max
    }
}

fn class(time: f64) -> usize {
    let place = (time.max(SMALLEST) / SMALLEST).log2() * f64::from(CLASSES);
    (place as usize).min((CLASSES * DOUBLINGS) as usize - 1)
}

/// The inclusive quantile: the smallest value is the 0th percentile, the largest the 100th. Between two
/// values it is interpolated.
#[must_use]
pub fn quantile(sorted: &[f64], percent: u64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    let place = percent * last as u64;
    let (index, rest) = ((place / 100) as usize, (place % 100) as f64);
    let next = sorted[(index + 1).min(last)];
    (sorted[index] * (100.0 - rest) + next * rest) / 100.0
}

#[cfg(test)]
mod tests {
    use super::{KEPT, Times, quantile};

    #[test]
    fn quantiles_are_inclusive() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(
            [0, 50, 90, 100].map(|percent| quantile(&sorted, percent)),
            [1.0, 2.5, 3.7, 4.0]
        );
        assert_eq!(quantile(&[7.0], 99), 7.0);
    }

    #[test]
    fn very_many_times_are_counted_to_a_fiftieth_of_a_percent() {
        let mut times = Times::default();
        let mut all: Vec<f64> =
            (0..3 * KEPT).map(|n| (n as f64 * 0.618).fract() * 60.0 + 0.01).collect();
        all.iter().for_each(|seconds| times.add_seconds(*seconds));
        all.sort_by(f64::total_cmp);
        let latency = times.latency().unwrap_or_else(|| unreachable!());
        for (percent, found) in [(50, latency.p50), (90, latency.p90), (99, latency.p99)] {
            let exact = quantile(&all, percent) * 1000.0;
            assert!((found / exact - 1.0).abs() < 2e-4, "{percent}: {found} {exact}");
        }
        assert!((latency.max - all[all.len() - 1] * 1000.0).abs() < 1e-9);
    }
}
