//! Exact order statistics in two parallel passes: counting by leading bits, then selection within one bucket.

use rayon::prelude::*;

/// Right shift that leaves the leading bits of a non-negative double, which select its bucket: the exponent and four
/// bits of the mantissa.
const SHIFT: u32 = 48;
const BUCKETS: usize = 1 << (63 - SHIFT);
/// Minimum number of values per task.
const CHUNK: usize = 1 << 16;

/// The values of a list, counted by bucket; NaN are ignored.
pub(super) struct OrderStatistics<'a, T, F> {
    items: &'a [T],
    value: F,
    counts: Vec<u32>,
    count: usize,
}

impl<'a, T: Sync, F: Fn(&T) -> f64 + Sync> OrderStatistics<'a, T, F> {
    /// Counts `value` of each of `items`, which must not be negative.
    pub fn new(items: &'a [T], value: F) -> Self {
        let count_chunk = |chunk: &[T]| {
            let mut counts = vec![0_u32; BUCKETS];
            chunk.iter().map(&value).filter(|value| !value.is_nan()).for_each(|value| counts[bucket(value)] += 1);
            counts
        };
        let counts = items.par_chunks(items.len().div_ceil(16).max(CHUNK)).map(count_chunk).reduce(
            || vec![0; BUCKETS],
            |mut sum, other| {
                sum.iter_mut().zip(&other).for_each(|(sum, other)| *sum += other);
                sum
            },
        );
        let count = counts.iter().map(|&count| count as usize).sum();
        Self { items, value, counts, count }
    }

    /// Number of values that are not NaN.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The value at `rank` in ascending order, from 1; 0 if there is none.
    pub fn at_rank(&self, rank: usize) -> f64 {
        let mut before = 0;
        let contains_rank = |&count: &u32| {
            let end = before + count as usize;
            let found = (before..end).contains(&(rank.max(1) - 1));
            if !found {
                before = end;
            }
            found
        };
        let Some(selected) = self.counts.iter().position(contains_rank) else {
            return 0.0;
        };
        let mut candidates: Vec<f64> = self
            .items
            .par_iter()
            .map(&self.value)
            .filter(|&value| !value.is_nan() && bucket(value) == selected)
            .collect();
        *candidates.select_nth_unstable_by(rank.max(1) - 1 - before, f64::total_cmp).1
    }
}

#[inline]
fn bucket(value: f64) -> usize {
    (value.abs().to_bits() >> SHIFT) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn ranks_agree_with_sorting_over_all_magnitudes() {
        let mut random = Random::new(9, 0);
        let mut values: Vec<f64> =
            (0..200_000).map(|_| random.normal().abs() * 10_f64.powf(random.range(-9.0, 9.0))).collect();
        values.extend([0.0, -0.0, f64::INFINITY, f64::NAN]);
        values.extend_from_within(0..5000);
        let statistics = OrderStatistics::new(&values, |value| *value);
        let mut sorted: Vec<f64> = values.iter().map(|value| value.abs()).filter(|value| !value.is_nan()).collect();
        sorted.sort_by(f64::total_cmp);
        assert_eq!(statistics.count(), sorted.len());
        for rank in [1, 2, 3, 77, 50_000, 102_500, sorted.len() - 1, sorted.len()] {
            assert_eq!(statistics.at_rank(rank).abs(), sorted[rank - 1], "{rank}");
        }
        assert_eq!(OrderStatistics::new(&[f64::NAN], |value| *value).at_rank(1), 0.0);
    }
}
