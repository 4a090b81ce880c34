//! Standard errors, intervals and tests.

use std::f64::consts::SQRT_2;

/// The 97.5 % quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;
/// Up to this number of disagreements the exact distribution is used, for samples that are right or wrong.
const EXACT_UP_TO: usize = 1000;
/// The same for other values, as a number of additions.
const EXACT_WORK: u64 = 20_000_000;
/// Up to this number of repetitions a common unit of the values is searched for.
const LARGEST_DENOMINATOR: u32 = 60;

/// √(p(1−p)/n), as the seed defines it; 0 without samples.
#[must_use]
pub fn standard_error(rate: f64, samples: u64) -> f64 {
    if samples == 0 { 0.0 } else { (rate * (1.0 - rate) / samples as f64).sqrt() }
}

/// √(p(1−p)/(n−1)), as in Inspect and in the seed's published table; 0 for one sample.
#[must_use]
pub fn sample_standard_error(rate: f64, samples: u64) -> f64 {
    standard_error(rate, samples.saturating_sub(1))
}

/// The 95 % Wilson interval of a share.
#[must_use]
pub fn wilson(hits: u64, samples: u64) -> Option<[f64; 2]> {
    (samples > 0).then(|| wilson_of_share(hits as f64 / samples as f64, samples as f64))
}

/// The 95 % Wilson interval of a share of this many independent samples.
#[must_use]
pub fn wilson_of_share(p: f64, n: f64) -> [f64; 2] {
    let centre = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    [(centre - half).max(0.0), (centre + half).min(1.0)]
}

/// Whether two systems that judged the same samples differ by more than chance.
///
/// A permutation test: the sign of each sample's difference is flipped at random, and the p-value is how
/// often the sum is at least as large. For samples that are right or wrong this is McNemar's test.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct PairedTest {
    /// Samples that both judged.
    pub shared: u64,
    /// Samples on which the first is better.
    pub gained: u64,
    /// Samples on which the first is worse.
    pub lost: u64,
    /// The mean of the differences.
    pub difference: f64,
    /// The two-sided p-value.
    pub p_value: f64,
    /// The method.
    pub method: PairedMethod,
}

/// How a p-value was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PairedMethod {
    /// Exactly, over all signs.
    Exact,
    /// From the normal distribution with continuity correction, for many disagreements.
    Normal,
}

impl PairedTest {
    /// Runs the test on the values of each sample for the first and the second system.
    #[must_use]
    pub fn of(pairs: &[(f64, f64)]) -> Self {
        let differences: Vec<f64> = pairs.iter().map(|(first, second)| first - second).collect();
        let gained = differences.iter().filter(|difference| **difference > 0.0).count() as u64;
        let lost = differences.iter().filter(|difference| **difference < 0.0).count() as u64;
        let sum: f64 = differences.iter().sum();
        let (p_value, method) = match whole_steps(&differences) {
            Some((steps, _))
                if steps.iter().all(|step| step.abs() <= 1) && steps.len() <= EXACT_UP_TO =>
            {
                (binomial_two_sided(gained.min(lost), gained + lost), PairedMethod::Exact)
            }
            Some((steps, _)) if work(&steps) <= EXACT_WORK => {
                (sign_flips(&steps), PairedMethod::Exact)
            }
            known => {
                let unit = known.map_or(0.0, |(_, unit)| unit);
                let squares: f64 =
                    differences.iter().map(|difference| difference * difference).sum();
                let root = (sum.abs() - unit).max(0.0) / squares.sqrt().max(f64::MIN_POSITIVE);
                (complementary_error(root / SQRT_2), PairedMethod::Normal)
            }
        };
        let shared = pairs.len() as u64;
        let difference = if pairs.is_empty() { 0.0 } else { sum / pairs.len() as f64 };
        Self { shared, gained, lost, difference, p_value, method }
    }
}

/// The non-zero differences as multiples of one unit, and the unit; `None` if there is no such unit.
fn whole_steps(differences: &[f64]) -> Option<(Vec<i64>, f64)> {
    let apart = || differences.iter().filter(|difference| **difference != 0.0);
    let unit = (1..=LARGEST_DENOMINATOR).map(f64::from).find(|denominator| {
        apart().all(|difference| {
            let steps = difference * denominator;
            (steps - steps.round()).abs() < 1e-9
        })
    })?;
    Some((apart().map(|difference| (difference * unit).round() as i64).collect(), 1.0 / unit))
}

/// Additions that [`sign_flips`] needs.
fn work(steps: &[i64]) -> u64 {
    let reach: u64 = steps.iter().map(|step| step.unsigned_abs()).sum();
    reach.saturating_mul(2).saturating_mul(steps.len() as u64)
}

/// The probability that steps with random signs end at least this far from 0.
fn sign_flips(steps: &[i64]) -> f64 {
    let reach: usize = steps.iter().map(|step| step.unsigned_abs() as usize).sum();
    let end = steps.iter().sum::<i64>().unsigned_abs() as usize;
    let mut chance = vec![0.0; 2 * reach + 1];
    if let Some(start) = chance.get_mut(reach) {
        *start = 1.0;
    }
    for step in steps.iter().map(|step| step.unsigned_abs() as usize) {
        let at = |chance: &[f64], place: Option<usize>| {
            place.and_then(|place| chance.get(place)).copied().unwrap_or(0.0)
        };
        let next = (0..chance.len()).map(|place| {
            let (below, above) = (place.checked_sub(step), place.checked_add(step));
            f64::midpoint(at(&chance, below), at(&chance, above))
        });
        chance = next.collect();
    }
    let far =
        |(place, chance): (usize, &f64)| if place.abs_diff(reach) >= end { *chance } else { 0.0 };
    chance.iter().enumerate().map(far).sum::<f64>().min(1.0)
}

/// The p-values of several tests, corrected by Holm's method, in the same order.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    let value = |at: &usize| p_values.get(*at).copied().unwrap_or(1.0);
    order.sort_by(|one, other| value(one).total_cmp(&value(other)));
    let (mut corrected, mut largest) = (vec![1.0; p_values.len()], 0.0_f64);
    for (rank, at) in order.iter().enumerate() {
        largest = largest.max((value(at) * (p_values.len() - rank) as f64).min(1.0));
        if let Some(place) = corrected.get_mut(*at) {
            *place = largest;
        }
    }
    corrected
}

/// Twice the probability of at most this many heads in fair throws, at most 1.
fn binomial_two_sided(heads: u64, throws: u64) -> f64 {
    // Uses logarithms, because 2⁻¹⁰⁰⁰ underflows.
    let mut log_term = -(throws as f64) * std::f64::consts::LN_2;
    let mut sum = log_term.exp();
    for k in 1..=heads {
        log_term += ((throws - k + 1) as f64 / k as f64).ln();
        sum += log_term.exp();
    }
    (2.0 * sum).min(1.0)
}

/// erfc for arguments that are not negative: a series near 0, a continued fraction beyond.
fn complementary_error(x: f64) -> f64 {
    const ROUNDS: u32 = 200;
    if x < 2.0 {
        let (mut term, mut sum) = (x, x);
        for n in 1..ROUNDS {
            let n = f64::from(n);
            term *= -x * x / n;
            sum += term / (2.0 * n + 1.0);
        }
        1.0 - sum * std::f64::consts::FRAC_2_SQRT_PI
    } else {
        let mut fraction = x;
        for n in (1..ROUNDS).rev() {
            fraction = x + f64::from(n) / 2.0 / fraction;
        }
        (-x * x).exp() / (fraction * std::f64::consts::PI.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::{
        PairedMethod, PairedTest, complementary_error, holm, sign_flips, standard_error, wilson,
    };

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn a_wilson_interval_stays_within_bounds_and_does_not_vanish_at_them() {
        let [low, high] = wilson(10, 10).unwrap_or_default();
        assert!(near(low, 0.722_467_200_1) && near(high, 1.0), "{low} {high}");
        let [low, high] = wilson(324, 431).unwrap_or_default();
        assert!(near(low, 0.708_851_283_3) && near(high, 0.790_181_170_0), "{low} {high}");
        assert_eq!(wilson(0, 0), None);
    }

    #[test]
    fn the_standard_error_divides_by_the_number_of_samples() {
        assert!(near(standard_error(324.0 / 431.0, 431), 0.020_808_869_601_288_48));
        assert!(near(standard_error(0.5, 0), 0.0));
    }

    /// Samples that only the first or only the second system got right.
    fn test(only_first: usize, only_second: usize) -> PairedTest {
        PairedTest::of(&[vec![(1.0, 0.0); only_first], vec![(0.0, 1.0); only_second]].concat())
    }

    #[test]
    fn right_and_wrong_samples_are_tested_after_mcnemar() {
        let result = test(1, 9);
        assert_eq!((result.method, result.gained, result.lost), (PairedMethod::Exact, 1, 9));
        assert!(near(result.p_value, 22.0 / 1024.0), "{}", result.p_value);
        assert!(near(test(0, 0).p_value, 1.0));
        assert!(near(test(5, 5).p_value, 1.0));
    }

    #[test]
    fn both_methods_agree_where_the_method_changes() {
        let (few, more) = (test(470, 530), test(471, 531));
        assert_eq!((few.method, more.method), (PairedMethod::Exact, PairedMethod::Exact));
        assert!((few.p_value - more.p_value).abs() < 1e-3);
        let many = test(5000, 5300);
        assert_eq!(many.method, PairedMethod::Normal);
        assert!((many.p_value - 0.003_22).abs() < 1e-4, "{}", many.p_value);
    }

    #[test]
    fn flipped_signs_generalise_mcnemars_test() {
        assert!(near(sign_flips(&[1, -1, -1, -1, -1, -1, -1, -1, -1, -1]), 22.0 / 1024.0));
        // 2 + 1 + 1: of eight sums, two are 4 away from 0, and six at least 2.
        assert!(near(sign_flips(&[2, 1, 1]), 0.25));
        assert!(near(sign_flips(&[2, 1, -1]), 0.75));
        let thirds = [(1.0, 1.0 / 3.0), (2.0 / 3.0, 1.0 / 3.0), (1.0, 2.0 / 3.0), (0.5, 0.5)];
        let result = PairedTest::of(&thirds);
        assert_eq!((result.shared, result.gained, result.lost), (4, 3, 0));
        assert!(near(result.p_value, 0.25), "{result:?}");
    }

    #[test]
    fn holm_corrects_in_steps_and_keeps_the_order() {
        let corrected = holm(&[0.01, 0.04, 0.03, 0.005]);
        for (found, expected) in corrected.iter().zip([0.03, 0.06, 0.06, 0.02]) {
            assert!(near(*found, expected), "{corrected:?}");
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn the_complementary_error_function_has_its_known_values() {
        for (x, value) in [
            (0.0, 1.0),
            (0.5, 0.479_500_122_186_953_5),
            (1.0, 0.157_299_207_050_285_13),
            (1.999, 0.004_698_443_3),
            (2.001, 0.004_657_109_3),
            (3.0, 2.209_049_699_858_544e-5),
        ] {
            assert!((complementary_error(x) - value).abs() < 1e-9, "{x}");
        }
    }
}
