//! Compares a system's stated confidence with how often it is right.

use serde::Serialize;

/// Number of ranges of confidence.
const BINS: usize = 10;

/// Stated confidence against right answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// Verdicts with a confidence.
    pub samples: u64,
    /// The mean of the stated confidences.
    pub confidence: f64,
    /// The share of right verdicts.
    pub accuracy: f64,
    /// Expected calibration error: the mean distance of the two over the ranges, weighted by their samples.
    pub ece: f64,
    /// How often a right verdict is stated with more confidence than a wrong one; ties count half. Absent if all are
    /// right, or all wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auroc: Option<f64>,
    /// Ten equal ranges of confidence, without empty ones.
    pub bins: Vec<CalibrationBin>,
}

/// One range of confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// Verdicts in it.
    pub samples: u64,
    /// The mean of their stated confidences.
    pub confidence: f64,
    /// The share of right verdicts.
    pub accuracy: f64,
}

impl Calibration {
    /// Computes the calibration from stated confidences and whether each verdict was right; `None` for empty
    /// input.
    #[must_use]
    pub fn of(verdicts: &[(f64, bool)]) -> Option<Self> {
        let bin = |place: usize| {
            let within = verdicts.iter().filter(|(confidence, _)| bin_of(*confidence) == place);
            summary(within)
        };
        let bins: Vec<CalibrationBin> = (0..BINS).filter_map(bin).collect();
        let all = summary(verdicts.iter())?;
        let gap = |bin: &CalibrationBin| bin.samples as f64 * (bin.accuracy - bin.confidence).abs();
        Some(Self {
            samples: all.samples,
            confidence: all.confidence,
            accuracy: all.accuracy,
            ece: bins.iter().map(gap).sum::<f64>() / all.samples as f64,
            auroc: auroc(verdicts),
            bins,
        })
    }
}

fn bin_of(confidence: f64) -> usize {
    ((confidence * BINS as f64) as usize).min(BINS - 1)
}

fn summary<'v>(verdicts: impl Iterator<Item = &'v (f64, bool)>) -> Option<CalibrationBin> {
    let (mut samples, mut confidence, mut right) = (0_u64, 0.0, 0_u64);
    for (stated, is_right) in verdicts {
        samples += 1;
        confidence += stated;
        right += u64::from(*is_right);
    }
    let number = samples as f64;
    let mean = || CalibrationBin {
        samples,
        confidence: confidence / number,
        accuracy: right as f64 / number,
    };
    (samples > 0).then(mean)
}

/// The area under the curve, from ranks.
fn auroc(verdicts: &[(f64, bool)]) -> Option<f64> {
    let mut sorted: Vec<&(f64, bool)> = verdicts.iter().collect();
    sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let right = verdicts.iter().filter(|(_, is_right)| *is_right).count() as f64;
    let wrong = verdicts.len() as f64 - right;
    let (mut rank, mut sum) = (0.0, 0.0);
    for ties in sorted.chunk_by(|one, other| one.0.total_cmp(&other.0).is_eq()) {
        let middle = rank + (ties.len() as f64 + 1.0) / 2.0;
        sum += middle * ties.iter().filter(|(_, is_right)| *is_right).count() as f64;
        rank += ties.len() as f64;
    }
    (right > 0.0 && wrong > 0.0).then(|| (sum - right * (right + 1.0) / 2.0) / (right * wrong))
}

#[cfg(test)]
mod tests {
    use super::Calibration;

    fn near(found: f64, expected: f64) -> bool {
        (found - expected).abs() < 1e-12
    }

    #[test]
    fn a_calibrated_system_has_no_error() {
        let verdicts: Vec<(f64, bool)> = (0..10).map(|place| (0.8, place < 8)).collect();
        let found = Calibration::of(&verdicts).unwrap_or_else(|| unreachable!());
        assert!(near(found.ece, 0.0) && found.auroc.is_some_and(|area| near(area, 0.5)));
        assert_eq!((found.samples, found.bins.len()), (10, 1));
    }

    #[test]
    fn overconfidence_is_the_distance_and_order_is_the_area() {
        let verdicts = [(0.95, true), (0.95, false), (0.55, false), (0.65, true)];
        let found = Calibration::of(&verdicts).unwrap_or_else(|| unreachable!());
        // Distances 0.45, 0.55 and 0.35, weighted 2, 1 and 1.
        assert!(near(found.ece, (2.0 * 0.45 + 0.55 + 0.35) / 4.0), "{}", found.ece);
        // Of the four pairs one is a tie, two are in order, one is not.
        assert!(found.auroc.is_some_and(|area| near(area, 2.5 / 4.0)), "{:?}", found.auroc);
    }

    #[test]
    fn without_verdicts_there_is_no_calibration_and_without_mistakes_no_area() {
        assert_eq!(Calibration::of(&[]), None);
        let all_right = Calibration::of(&[(1.0, true), (0.5, true)]);
        assert_eq!(all_right.and_then(|found| found.auroc), None);
    }
}
