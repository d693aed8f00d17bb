//! How many points of the scan stand behind a region of facets: many facets share one stray point.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::places::Places;
use super::{Request, side};
use geometry::{KdTree, Point};

/// Reach about a facet's middle over the spacing of the points.
const REACH: f64 = 1.5;

/// The points that are out of tolerance by themselves.
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
                let side = deviation.value().map_or(0, |mm| side(mm, request.parameters));
                (side != 0).then(|| (request.nominal_from_scan * point, side))
            })
            .collect();
        let (points, sides): (Vec<Point>, Vec<i8>) = out.into_iter().unzip();
        Self { tree: KdTree::new(&points), sides, reach_mm: REACH * request.footprint.spacing_mm() }
    }

    /// How many of them lie at the facets `members`, on the same side of the tolerance.
    pub fn at(&self, places: &Places, members: &[u32], request: &Request<'_>) -> usize {
        let mut found = BTreeSet::new();
        for &member in members {
            let place = places.place(member);
            let wanted = side(place.raw_mm, request.parameters);
            // Beside the facet lies what its mean was made of, as far away as deviations go.
            let reach_mm = self.reach_mm + place.raw_mm.abs();
            self.tree.within_radius(&place.point, reach_mm, |near| {
                if self.sides[near.number as usize] == wanted {
                    found.insert(near.number);
                }
            });
        }
        found.len()
    }
}
