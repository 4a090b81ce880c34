//! Axes: positions of figures, and tick marks.

/// How figures are spread along an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Equal steps for equal differences.
    Linear,
    /// Equal steps for equal ratios; needs figures above 0.
    Log,
    /// The same, with a place for 0 before the smallest figure.
    LogAndZero,
}

/// The part of an axis that is kept for 0.
const ZERO_PART: f64 = 0.12;

/// The least distance between two figures of an axis, in pixels.
const CLOSEST: f64 = 42.0;

/// One axis: a range of figures on a range of pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// Figures from `low` to `high` on pixels from `from` to `to`, which may run backwards.
    pub(crate) fn new(scale: Scale, (low, high): (f64, f64), (from, to): (f64, f64)) -> Self {
        Self { scale, low, high, from, to }
    }

    /// The pixel of a figure; figures beyond the range stay at its ends.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let spread = |value: f64| match self.scale {
            Scale::Linear => value,
            Scale::Log | Scale::LogAndZero => value.max(f64::MIN_POSITIVE).ln(),
        };
        let (low, high) = (spread(self.low), spread(self.high));
        let share = if high > low { (spread(value) - low) / (high - low) } else { 0.5 };
        let share = match self.scale {
            Scale::Linear | Scale::Log => share.clamp(0.0, 1.0),
            Scale::LogAndZero if value <= 0.0 => 0.0,
            Scale::LogAndZero => ZERO_PART + (1.0 - ZERO_PART) * share.clamp(0.0, 1.0),
        };
        self.from + (self.to - self.from) * share
    }

    /// Where the part for 0 ends, if there is one.
    pub(crate) fn zero_end(&self) -> Option<f64> {
        let end = self.from + (self.to - self.from) * ZERO_PART * 0.7;
        (self.scale == Scale::LogAndZero).then_some(end)
    }

    /// Round figures along the axis, at most `most`.
    pub(crate) fn ticks(&self, most: usize) -> Vec<f64> {
        match self.scale {
            Scale::Linear => linear_ticks(self.low, self.high, most),
            Scale::Log | Scale::LogAndZero => log_ticks(self.low, self.high, |marks| {
                let apart = |pair: &[f64]| (self.at(pair[1]) - self.at(pair[0])).abs() >= CLOSEST;
                marks.len() <= most && marks.windows(2).all(apart)
            }),
        }
    }
}

fn linear_ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let step = nice_step(high - low, most);
    let first = (low / step - 1e-9).ceil();
    let last = (high / step + 1e-9).floor();
    let count = (last - first).clamp(0.0, 1000.0) as usize;
    (0..=count).map(|index| (first + index as f64) * step).collect()
}

/// 1, 2 or 5 times a power of ten, so that at most `most` of them fit into the range.
fn nice_step(range: f64, most: usize) -> f64 {
    let rough = range.max(f64::MIN_POSITIVE) / most.max(1) as f64;
    let power = 10f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= rough)
        .unwrap_or(10.0 * power)
}

/// The finest of several sets of round figures that `fits`.
fn log_ticks(low: f64, high: f64, fits: impl Fn(&[f64]) -> bool) -> Vec<f64> {
    let marks = |factors: &[f64], every: usize| -> Vec<f64> {
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        (first..=last)
            .step_by(every)
            .flat_map(|power| factors.iter().map(move |factor| factor * 10f64.powi(power)))
            .filter(|mark| *mark >= low * (1.0 - 1e-9) && *mark <= high * (1.0 + 1e-9))
            .collect()
    };
    let choices: [&[f64]; 5] = [
        &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
        &[1.0, 1.5, 2.0, 3.0, 4.0, 6.0],
        &[1.0, 2.0, 5.0],
        &[1.0, 3.0],
        &[1.0],
    ];
    let fine = choices.into_iter().map(|factors| marks(factors, 1)).find(|found| fits(found));
    fine.or_else(|| (2..40).map(|every| marks(&[1.0], every)).find(|found| fits(found)))
        .unwrap_or_default()
}

/// A range that holds all figures with a margin and ends at round numbers.
pub(crate) fn log_range(values: &[f64]) -> (f64, f64) {
    let (low, high) = extremes(values).unwrap_or((1.0, 10.0));
    // One lonely figure still needs an axis around it.
    let (low, high) =
        if high / low < 4.0 { (low / 2.0, high * 2.0) } else { (low / 1.4, high * 1.4) };
    (low, high)
}

/// A range from 0 to a little more than the largest.
pub(crate) fn range_from_zero(values: &[f64]) -> (f64, f64) {
    let (_, high) = extremes(values).unwrap_or((0.0, 1.0));
    let high = if high > 0.0 { high } else { 1.0 };
    (0.0, 1.02 * high)
}

/// A range of shares in percent that ends at 100 and begins at a round figure below all.
pub(crate) fn percent_range(values: &[f64]) -> (f64, f64) {
    let (low, _) = extremes(values).unwrap_or((0.0, 100.0));
    let low = ((low - 1.0) / 5.0).floor() * 5.0;
    (low.clamp(0.0, 90.0), 100.0)
}

fn extremes(values: &[f64]) -> Option<(f64, f64)> {
    let finite = values.iter().copied().filter(|value| value.is_finite());
    finite.fold(None, |found, value| match found {
        None => Some((value, value)),
        Some((low, high)) => Some((f64::min(low, value), f64::max(high, value))),
    })
}

#[cfg(test)]
mod tests {
    use super::{Axis, Scale, log_range, percent_range, range_from_zero};

    #[test]
    fn figures_find_their_pixels() {
        let linear = Axis::new(Scale::Linear, (0.0, 10.0), (100.0, 200.0));
        assert!((linear.at(5.0) - 150.0).abs() < 1e-9);
        assert!((linear.at(50.0) - 200.0).abs() < 1e-9);
        let upwards = Axis::new(Scale::Log, (1.0, 100.0), (200.0, 0.0));
        assert!((upwards.at(10.0) - 100.0).abs() < 1e-9);
        assert!((upwards.at(0.0) - 200.0).abs() < 1e-9);
    }

    #[test]
    fn marks_are_round_and_few() {
        let axis = |scale, range| Axis::new(scale, range, (0.0, 500.0));
        assert_eq!(
            axis(Scale::Linear, (70.0, 100.0)).ticks(7),
            [70.0, 75.0, 80.0, 85.0, 90.0, 95.0, 100.0]
        );
        assert_eq!(axis(Scale::Log, (0.3, 30.0)).ticks(8), [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]);
        assert_eq!(axis(Scale::Log, (0.3, 30.0)).ticks(4), [1.0, 10.0]);
        assert!(axis(Scale::Log, (1e-9, 1e9)).ticks(5).len() <= 5);
    }

    #[test]
    fn ranges_hold_their_figures() {
        assert_eq!(percent_range(&[97.0, 74.2]), (70.0, 100.0));
        assert_eq!(percent_range(&[100.0]), (90.0, 100.0));
        assert_eq!(percent_range(&[0.0]), (0.0, 100.0));
        assert_eq!(range_from_zero(&[100.0, 1.0]), (0.0, 102.0));
        assert_eq!(range_from_zero(&[]), (0.0, 1.02));
        let (low, high) = log_range(&[2.0]);
        assert!(low < 2.0 && high > 2.0);
    }
}
