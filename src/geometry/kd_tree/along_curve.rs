//! Nearest-neighbour searches for a sequence of nearby queries, such as points along a space-filling curve.

use super::super::Point;
use super::{KdTree, Neighbour, Neighbours};

/// Sequential k-nearest searches. The search radius of each is bounded by the result of the previous one.
pub struct AlongCurve<'a> {
    tree: &'a KdTree,
    /// Previous query, and the distance of its farthest neighbour found, mm.
    previous: Option<(Point, f64)>,
    neighbours: Neighbours,
}

impl<'a> AlongCurve<'a> {
    /// Searches in `tree`.
    pub fn new(tree: &'a KdTree) -> Self {
        Self { tree, previous: None, neighbours: Neighbours::default() }
    }

    /// The `k` points nearest to `here`, nearest first. `k` must be the same in every call.
    pub fn k_nearest(&mut self, here: &Point, k: usize) -> &mut Vec<Neighbour> {
        // By the triangle inequality, at least as many points lie within this radius, enlarged by more than rounding.
        let reach_mm = self
            .previous
            .map_or(f64::INFINITY, |(query, radius_mm)| (radius_mm + (here - query).norm()) * (1.0 + 1e-12));
        self.tree.k_nearest(here, k, reach_mm, &mut self.neighbours);
        self.previous = self.neighbours.found.last().map(|last| (*here, last.squared_mm2.sqrt()));
        &mut self.neighbours.found
    }
}
