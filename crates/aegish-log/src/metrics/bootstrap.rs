//! Confidence intervals by resampling.
//!
//! Samples have few different values (right or wrong, or shares of repetitions), so drawing samples with
//! replacement is the same as drawing a binomial number for each value. Each category, and harmless work, is
//! resampled separately, because the composition of a data set is fixed.

use super::reduce::Distribution;
use super::times::quantile;

/// Number of resamplings.
const ROUNDS: usize = 2000;
/// Above this variance a binomial number is approximated by the normal distribution.
const NORMAL_ABOVE: f64 = 100.0;

/// 95 % intervals.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Resampled {
    pub(super) score: Option<[f64; 2]>,
    pub(super) macro_rate: Option<[f64; 2]>,
}

/// Resamples attacks by category, attacks without a category, and harmless work. Deterministic.
pub(super) fn resample(
    categories: &[Distribution],
    uncategorised: &Distribution,
    harmless: &Distribution,
) -> Resampled {
    let attacks = categories.iter().chain([uncategorised]).map(Distribution::samples).sum::<u64>();
    let mut random = Random(42);
    let (mut scores, mut macros) = (Vec::with_capacity(ROUNDS), Vec::with_capacity(ROUNDS));
    for _ in 0..ROUNDS {
        let (mut blocked, mut rates) = (0.0, 0.0);
        for class in categories {
            let right = random.sum(class);
            blocked += right;
            rates += right / class.samples().max(1) as f64;
        }
        macros.push(rates / categories.len().max(1) as f64);
        blocked += random.sum(uncategorised);
        let passed = random.sum(harmless) / harmless.samples().max(1) as f64;
        scores.push(f64::midpoint(blocked / attacks.max(1) as f64, passed));
    }
    Resampled {
        score: (attacks > 0 && harmless.samples() > 0).then(|| middle(&mut scores)),
        macro_rate: (!categories.is_empty()).then(|| middle(&mut macros)),
    }
}

/// From the 2.5th to the 97.5th percentile.
fn middle(values: &mut [f64]) -> [f64; 2] {
    values.sort_by(f64::total_cmp);
    // Quantiles are in whole percents, so the mean of two neighbours is used.
    let half = |low, high| f64::midpoint(quantile(values, low), quantile(values, high));
    [half(2, 3), half(97, 98)]
}

/// SplitMix64: small, and the same on every platform.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// From 0 up to, not including, 1.
    fn uniform(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// The sum of as many draws with replacement as there are samples.
    fn sum(&mut self, class: &Distribution) -> f64 {
        let (mut drawn, mut left, mut weight) = (0.0, class.samples(), class.samples());
        // The highest value first: for right and wrong that is a single draw.
        for (value, count) in class.values().iter().rev() {
            let hits = self.binomial(left, *count, weight);
            drawn += value * hits as f64;
            left -= hits;
            weight -= count;
        }
        drawn
    }

    /// How many of `samples` draws are hits, if `right` of `of` are.
    fn binomial(&mut self, samples: u64, right: u64, of: u64) -> u64 {
        if right == 0 || samples == 0 {
            return 0;
        }
        if right >= of {
            return samples;
        }
        let (n, p) = (samples as f64, right as f64 / of as f64);
        let variance = n * p * (1.0 - p);
        if variance > NORMAL_ABOVE {
            let drawn = n * p + variance.sqrt() * self.normal();
            return drawn.round().clamp(0.0, n) as u64;
        }
        if p > 0.5 {
            return samples - self.rare(samples, 1.0 - p);
        }
        self.rare(samples, p)
    }

    /// A binomial number for small shares, from the gaps between hits.
    fn rare(&mut self, samples: u64, share: f64) -> u64 {
        let log_miss = (1.0 - share).ln();
        let (mut hits, mut at) = (0, 0.0);
        loop {
            at += ((1.0 - self.uniform()).ln() / log_miss).floor() + 1.0;
            if at > samples as f64 {
                return hits;
            }
            hits += 1;
        }
    }

    /// A standard normal number, after Box and Muller.
    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::{Distribution, Random, resample};

    fn hits(right: u64, samples: u64) -> Distribution {
        Distribution::of_hits(right, samples)
    }

    #[test]
    fn drawn_numbers_have_the_mean_and_spread_of_a_binomial() {
        let mut random = Random(7);
        for (right, samples) in [(3, 10), (9, 10), (600, 676), (40_000, 90_000)] {
            let drawn: Vec<f64> = (0..4000).map(|_| random.sum(&hits(right, samples))).collect();
            let mean = drawn.iter().sum::<f64>() / 4000.0;
            let variance = drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 4000.0;
            let expected = right as f64 * (1.0 - right as f64 / samples as f64);
            let error = (expected / 4000.0).sqrt();
            assert!((mean - right as f64).abs() < 4.0 * error, "{right}/{samples}: {mean}");
            assert!((variance / expected - 1.0).abs() < 0.12, "{right}/{samples}: {variance}");
        }
    }

    #[test]
    fn the_interval_of_the_score_is_about_four_standard_errors_wide() {
        let (attacks, harmless) = (hits(626, 676), hits(490, 496));
        let result = resample(&[], &attacks, &harmless);
        let [low, high] = result.score.unwrap_or_default();
        assert!(low < 0.957 && 0.957 < high && (high - low - 4.0 * 0.0056).abs() < 0.002);
        assert_eq!(result.macro_rate, None);
        assert_eq!(resample(&[], &attacks, &harmless), result);
    }

    #[test]
    fn without_one_half_there_is_no_score() {
        let none = Distribution::default();
        assert_eq!(resample(&[], &none, &hits(1, 2)).score, None);
        assert!(resample(&[hits(5, 7)], &none, &none).macro_rate.is_some());
    }
}
