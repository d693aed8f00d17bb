//! The nearest neighbours of places along a space-filling curve.

use super::super::Point;
use super::{KdTree, Neighbour, Neighbours};

/// Searches one after the other, each no wider than the one before it allows.
pub struct AlongCurve<'a> {
    tree: &'a KdTree,
    /// The place asked about last, and how far the last of its neighbours was, mm.
    before: Option<(Point, f64)>,
    neighbours: Neighbours,
}

impl<'a> AlongCurve<'a> {
    /// In that tree.
    pub fn new(tree: &'a KdTree) -> Self {
        Self { tree, before: None, neighbours: Neighbours::default() }
    }

    /// The `k` nearest points, nearest first; the same `k` at each call.
    pub fn k_nearest(&mut self, here: &Point, k: usize) -> &mut Vec<Neighbour> {
        // By the triangle inequality as many lie within this; widened by more than rounding.
        let reach_mm = self.before.map_or(f64::INFINITY, |(place, mm)| (mm + (here - place).norm()) * (1.0 + 1e-12));
        self.tree.k_nearest(here, k, reach_mm, &mut self.neighbours);
        self.before = self.neighbours.found.last().map(|last| (*here, last.squared_mm2.sqrt()));
        &mut self.neighbours.found
    }
}
