//! Robust standard deviations from medians.

/// Ratio of the standard deviation of a normal distribution to its median absolute value.
pub const SIGMA_OF_MEDIAN: f64 = 1.4826;

/// The median; of an even count the larger of the middle two. `None` for no values. Reorders `values`.
pub fn median(values: &mut [f64]) -> Option<f64> {
    let half = values.len() / 2;
    (!values.is_empty()).then(|| *values.select_nth_unstable_by(half, f64::total_cmp).1)
}
