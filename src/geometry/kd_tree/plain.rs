//! Reference searches for comparison with the tree search: all leaves (brute force) and a single leaf (approximate).

use super::super::simd::{Lanes, Task, dispatch};
use super::super::tree::{Stack, Visitor, nearest_first};
use super::super::{Point, Pose};
use super::nearest::NearestSearch;
use super::{KdTree, Neighbour};

/// Leaves visited by a reference search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// Every leaf: exact, at the cost of a brute-force search.
    AllLeaves,
    /// The leaf reached by descending to the nearest child box without backtracking (Greenspan and Yurick 2003):
    /// approximate.
    OneLeaf,
}

impl KdTree {
    /// Nearest point in the leaves `which` for each of `queries`, transformed by `tree_from_queries`; on ties that with
    /// the lowest index. `None` for NaN queries and for an empty tree.
    pub fn reference_search(
        &self,
        which: Plain,
        tree_from_queries: &Pose,
        queries: &[Point],
        out: &mut [Option<Neighbour>],
    ) {
        dispatch(Batch { tree: self, which, tree_from_queries, queries, out });
    }
}

struct Batch<'a> {
    tree: &'a KdTree,
    which: Plain,
    tree_from_queries: &'a Pose,
    queries: &'a [Point],
    out: &'a mut [Option<Neighbour>],
}

impl Task for Batch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (mut found, mut stack) = (Vec::new(), Stack::default());
        for (query, out) in self.queries.iter().zip(self.out) {
            let moved = self.tree_from_queries * query;
            found.clear();
            if let Some(mut search) = NearestSearch::new(self.tree, &moved, 1, f64::INFINITY, &mut found) {
                let mut limit = search.limit();
                match self.which {
                    Plain::AllLeaves => {
                        (0..self.tree.packs.len()).for_each(|pack| search.visit::<L>(pack, &mut limit));
                    }
                    Plain::OneLeaf => {
                        let local = search.local();
                        let mut visitor = FirstLeafOnly { search };
                        nearest_first::<L>(&self.tree.tree, local, &mut limit, &mut stack, &mut visitor);
                    }
                }
            }
            *out = found.first().copied();
        }
    }
}

/// Ends a search after its first leaf.
struct FirstLeafOnly<'a> {
    search: NearestSearch<'a>,
}

impl Visitor for FirstLeafOnly<'_> {
    #[inline(always)]
    fn visit<L: Lanes>(&mut self, pack: usize, limit: &mut f32) {
        self.search.visit::<L>(pack, limit);
        *limit = -1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn all_leaves_are_exact_and_one_leaf_is_never_better() {
        let mut random = Random::new(3, 1);
        let mut point = || Point::new(random.normal(), random.normal(), random.normal());
        let points: Vec<Point> = (0..3000).map(|_| point()).collect();
        let queries: Vec<Point> = (0..500).map(|_| point()).chain([Point::new(f64::NAN, 0.0, 0.0)]).collect();
        let tree = KdTree::new(&points);
        let mut exact = vec![None; queries.len()];
        tree.nearest_in_order(&Pose::identity(), &queries, f64::INFINITY, &mut exact);
        let search = |which| {
            let mut found = vec![None; queries.len()];
            tree.reference_search(which, &Pose::identity(), &queries, &mut found);
            found
        };
        assert_eq!(search(Plain::AllLeaves), exact);
        let approximate = search(Plain::OneLeaf);
        let pairs =
            || exact.iter().zip(&approximate).filter_map(|(exact, found)| Some((exact.as_ref()?, found.as_ref()?)));
        assert_eq!(pairs().count(), 500);
        assert!(pairs().all(|(exact, found)| found.squared_mm2 >= exact.squared_mm2));
        let hits = pairs().filter(|(exact, found)| exact == found).count();
        assert!((150..500).contains(&hits), "{hits}");
    }
}
