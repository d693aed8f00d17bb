//! On which side of the limits that hold where it lies a sample is.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use rayon::prelude::*;

use super::samples::{Sample, Samples};
use crate::deviation::Limits;

/// The limits of samples.
pub(super) struct Sides<'a> {
    /// The limits on each facet of the nominal.
    pub limits: &'a Limits,
    /// By sample: the facet of the nominal that it lies on.
    pub facets: &'a [u32],
}

impl Sides<'_> {
    /// 1 for a deviation above the limits of a sample, -1 for one below them, 0 for one within them and for NaN.
    pub fn of(&self, index: u32, deviation_mm: f64) -> i8 {
        self.limits.on(self.facets[index as usize]).side(deviation_mm)
    }

    /// The sides of all samples by their smoothed deviations.
    pub fn of_all(&self, samples: &Samples) -> Vec<i8> {
        (0..samples.len() as u32).into_par_iter().map(|i| self.of(i, samples.deviation_mm(i as usize))).collect()
    }

    /// Of samples on one side, that which exceeds its limits most, of which a region may have several.
    pub fn worst<'i>(&self, samples: &Samples, indices: impl IntoIterator<Item = &'i u32>) -> Option<u32> {
        indices.into_iter().copied().max_by(|a, b| self.compare(samples, *a, *b))
    }

    /// How far a deviation lies beyond the limits of a sample, mm; negative within them.
    pub fn excess_mm(&self, index: u32, deviation_mm: f64) -> f64 {
        self.limits.on(self.facets[index as usize]).excess_mm(deviation_mm)
    }

    /// How far a deviation lies beyond the limit of a sample on that side, mm; negative within it.
    pub fn beyond_mm(&self, index: u32, side: i8, deviation_mm: f64) -> f64 {
        let limits = self.limits.on(self.facets[index as usize]);
        if side > 0 { deviation_mm - limits.high_mm } else { limits.low_mm - deviation_mm }
    }

    fn compare(&self, samples: &Samples, one: u32, other: u32) -> Ordering {
        let key = |index: u32| {
            let mm = samples.sample(index).deviation_mm;
            // Neighbours often have the same median, and then the same one of them is taken in whatever order they come.
            let Sample { raw_mm, point, .. } = samples.sample(index);
            [self.excess_mm(index, mm), mm.abs(), raw_mm.abs(), point.x, point.y, point.z]
        };
        key(one).iter().zip(&key(other)).map(|(own, other)| own.total_cmp(other)).fold(Ordering::Equal, Ordering::then)
    }

    /// Name of the own tolerance that holds where a sample lies.
    pub fn own_name(&self, index: u32) -> Option<String> {
        Some(self.limits.own()[self.own(index)?].name.clone())
    }

    /// Index of the own tolerance that holds where a sample lies; `None` where the limits of the part hold.
    pub fn own(&self, index: u32) -> Option<usize> {
        self.limits.own_on(self.facets[index as usize])
    }

    /// Samples by the own tolerance that holds where they lie, in their order.
    pub fn by_own(&self, indices: &[u32]) -> BTreeMap<Option<usize>, Vec<u32>> {
        let mut by_own = BTreeMap::<_, Vec<u32>>::new();
        for &index in indices {
            by_own.entry(self.own(index)).or_default().push(index);
        }
        by_own
    }
}
