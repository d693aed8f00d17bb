//! Points whose tree is built when it is first asked for.

use std::sync::OnceLock;

use super::super::Point;
use super::KdTree;

/// Points for devices that bring trees of their own, and for those that want this one.
pub struct SearchablePoints<'a> {
    places: &'a [Point],
    tree: OnceLock<KdTree>,
}

impl<'a> SearchablePoints<'a> {
    /// Of finite points.
    pub fn new(places: &'a [Point]) -> Self {
        Self { places, tree: OnceLock::new() }
    }

    /// The points by their numbers.
    pub fn places(&self) -> &'a [Point] {
        self.places
    }

    /// Their tree.
    pub fn tree(&self) -> &KdTree {
        self.tree.get_or_init(|| KdTree::new(self.places))
    }
}
