//! Points with a tree that is built on first use.

use std::sync::OnceLock;

use super::super::Point;
use super::KdTree;

/// Points whose k-d tree is built on first use: devices with their own trees do not need it.
pub struct SearchablePoints<'a> {
    points: &'a [Point],
    tree: OnceLock<KdTree>,
}

impl<'a> SearchablePoints<'a> {
    /// `points` must be finite; mm.
    pub fn new(points: &'a [Point]) -> Self {
        Self { points, tree: OnceLock::new() }
    }

    /// The points in their original order, mm.
    pub fn points(&self) -> &'a [Point] {
        self.points
    }

    /// The k-d tree of the points, built on the first call.
    pub fn tree(&self) -> &KdTree {
        base::once::get_or_make(&self.tree, || KdTree::new(self.points))
    }
}
