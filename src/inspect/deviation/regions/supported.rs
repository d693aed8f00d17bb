//! Number of scan points that support a region of facets: many facets may share one stray point.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::Request;
use super::samples::Samples;
use super::sides::Sides;
use geometry::{KdTree, Point};

/// Radius about a facet's centroid in point spacings.
const REACH_SPACINGS: f64 = 1.5;

/// The scan points that are out of tolerance themselves, nominal frame.
pub(super) struct OutOfTolerance {
    tree: KdTree,
    sides: Vec<i8>,
    reach_mm: f64,
}

impl OutOfTolerance {
    pub fn new(request: &Request<'_>) -> Self {
        let out: Vec<(Point, i8)> = request
            .closest
            .par_iter()
            .zip(request.points)
            .filter_map(|(deviation, point)| {
                let side = deviation.value().map_or(0, |mm| request.limits.on(deviation.facet).side(mm));
                (side != 0).then(|| (request.nominal_from_scan * point, side))
            })
            .collect();
        let (points, sides): (Vec<Point>, Vec<i8>) = out.into_iter().unzip();
        Self { tree: KdTree::new(&points), sides, reach_mm: REACH_SPACINGS * request.footprint.spacing_mm() }
    }

    /// Number of these points at the facets `members` on the same side of the tolerance.
    pub fn supporting(&self, samples: &Samples, sides: &Sides<'_>, members: &[u32]) -> usize {
        let mut found = BTreeSet::new();
        for &member in members {
            let facet = samples.sample(member);
            let facet_side = sides.of(member, facet.raw_mm);
            // The points of a facet's mean lie beside it, as far away as its deviation.
            let reach_mm = self.reach_mm + facet.raw_mm.abs();
            self.tree.within_radius(&facet.point, reach_mm, |near| {
                if self.sides[near.number as usize] == facet_side {
                    found.insert(near.number);
                }
            });
        }
        found.len()
    }
}
