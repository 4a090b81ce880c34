//! Standard errors, intervals and tests.

use std::f64::consts::SQRT_2;

/// The standard normal's 97.5 % point.
const Z: f64 = 1.959_963_984_540_054;
/// Up to this number of disagreements the exact distribution is used.
const EXACT_UP_TO: u64 = 1000;

/// √(p(1−p)/n), as the seed defines it; 0 without samples.
#[must_use]
pub fn standard_error(rate: f64, samples: u64) -> f64 {
    if samples == 0 { 0.0 } else { (rate * (1.0 - rate) / samples as f64).sqrt() }
}

/// √(p(1−p)/(n−1)), as Inspect computes it and the seed's published table has it; 0 for one sample.
#[must_use]
pub fn sample_standard_error(rate: f64, samples: u64) -> f64 {
    standard_error(rate, samples.saturating_sub(1))
}

/// The 95 % Wilson interval of a share.
#[must_use]
pub fn wilson(hits: u64, samples: u64) -> Option<[f64; 2]> {
    if samples == 0 {
        return None;
    }
    let (n, p) = (samples as f64, hits as f64 / samples as f64);
    let centre = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    Some([(centre - half).max(0.0), (centre + half).min(1.0)])
}

/// Whether two systems that judged the same samples differ by more than chance.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct McNemar {
    /// Samples that only the first got right.
    pub only_first: u64,
    /// Samples that only the second got right.
    pub only_second: u64,
    /// Two-sided.
    pub p_value: f64,
    /// The method.
    pub method: McNemarMethod,
}

/// How a p-value was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum McNemarMethod {
    /// Binomial distribution.
    Exact,
    /// χ² with continuity correction, for many disagreements.
    ChiSquared,
}

impl McNemar {
    /// The test, from the samples that only one of the two got right.
    #[must_use]
    pub fn of(only_first: u64, only_second: u64) -> Self {
        let (fewer, all) = (only_first.min(only_second), only_first + only_second);
        let (p_value, method) = if all <= EXACT_UP_TO {
            (binomial_two_sided(fewer, all), McNemarMethod::Exact)
        } else {
            let difference = (only_first.abs_diff(only_second) as f64 - 1.0).max(0.0);
            let root = difference / (all as f64).sqrt();
            (complementary_error(root / SQRT_2), McNemarMethod::ChiSquared)
        };
        Self { only_first, only_second, p_value, method }
    }
}

/// Twice the probability of at most this number of heads in fair throws, at most 1.
fn binomial_two_sided(heads: u64, throws: u64) -> f64 {
    // With logarithms, because 2⁻¹⁰⁰⁰ underflows.
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
    use super::{McNemar, McNemarMethod, complementary_error, standard_error, wilson};

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

    #[test]
    fn mcnemar_is_exact_where_counts_are_small() {
        let test = McNemar::of(1, 9);
        assert_eq!(test.method, McNemarMethod::Exact);
        assert!(near(test.p_value, 22.0 / 1024.0), "{}", test.p_value);
        assert!(near(McNemar::of(0, 0).p_value, 1.0));
        assert!(near(McNemar::of(5, 5).p_value, 1.0));
    }

    #[test]
    fn mcnemar_agrees_with_itself_where_the_method_changes() {
        let (exact, approximate) = (McNemar::of(470, 530), McNemar::of(471, 531));
        assert_eq!(approximate.method, McNemarMethod::ChiSquared);
        assert!((exact.p_value - approximate.p_value).abs() < 1e-3);
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
