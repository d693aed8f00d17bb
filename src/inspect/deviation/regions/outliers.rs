//! Points or facets out of tolerance that belong to no region.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::samples::Samples;
use super::sides::Sides;

/// Points out of tolerance outside regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outliers {
    /// Number of points or facets.
    pub count: usize,
    /// The deviation of largest magnitude among them, signed, mm.
    pub largest_mm: f64,
    /// Number of those that lie over an edge and are in tolerance to each face beside it.
    #[serde(default)]
    pub over_edges: usize,
}

/// Membership of samples in regions.
pub(super) struct Membership<'a> {
    samples: &'a Samples,
    inside: Vec<bool>,
}

impl<'a> Membership<'a> {
    pub fn new(samples: &'a Samples) -> Self {
        Self { samples, inside: vec![false; samples.len()] }
    }

    pub fn add(&mut self, members: &[u32]) {
        members.iter().for_each(|&i| self.inside[i as usize] = true);
    }

    /// The samples out of tolerance outside regions, among the first `count`; by sample, whether it is one of `over_edges`.
    pub fn outliers(&self, count: usize, sides: &Sides<'_>, over_edges: &[bool]) -> Outliers {
        let outlier = |i: usize| {
            let raw_mm = self.samples.raw_mm(i);
            let is_over_edge = over_edges.get(i) == Some(&true);
            let own = Outliers { count: 1, largest_mm: raw_mm, over_edges: is_over_edge.into() };
            (!self.inside[i] && sides.of(i as u32, raw_mm) != 0).then_some(own)
        };
        let none = Outliers::default;
        (0..count).into_par_iter().filter_map(outlier).reduce(none, Outliers::and)
    }
}

impl Outliers {
    fn and(self, other: Self) -> Self {
        // Of equal magnitudes the positive one, regardless of order.
        let key = |own: &Self| (own.largest_mm.abs(), own.largest_mm);
        let largest_mm = if key(&other) > key(&self) { other.largest_mm } else { self.largest_mm };
        Self { count: self.count + other.count, largest_mm, over_edges: self.over_edges + other.over_edges }
    }
}
