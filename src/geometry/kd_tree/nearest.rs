//! Nearest-neighbour searches: one, k, or one for each of a batch of queries.

use super::super::simd::{Lanes, Task, dispatch};
use super::super::tree::{Stack, Visitor, nearest_first};
use super::super::{Point, Pose};
use super::{FILTER_ERROR, KdTree};

/// A point found by a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Index of the point in the slice from which the tree was built.
    pub number: u32,
    /// Squared distance to the query, mm².
    pub squared_mm2: f64,
}

/// Result of a search, and its working memory: reuse one per thread.
#[derive(Default)]
pub struct Neighbours {
    /// Neighbours found, nearest first; ties in order of index.
    pub found: Vec<Neighbour>,
    stack: Stack,
}

impl KdTree {
    /// The nearest point within `max_distance_mm`, inclusive; on ties that with the lowest index.
    pub fn nearest(&self, query: &Point, max_distance_mm: f64) -> Option<Neighbour> {
        let mut neighbours = Neighbours::default();
        self.k_nearest(query, 1, max_distance_mm, &mut neighbours);
        neighbours.found.first().copied()
    }

    /// Writes the `k` nearest points within `max_distance_mm`, inclusive, to `neighbours.found`; none for a non-finite
    /// query.
    pub fn k_nearest(&self, query: &Point, k: usize, max_distance_mm: f64, neighbours: &mut Neighbours) {
        neighbours.found.clear();
        if k > 0 {
            dispatch(Nearest { tree: self, query, k, max_distance_mm, neighbours });
        }
    }

    /// Local spacing, mm, of points on a surface about `point`, one of the points of the tree: square root of the area
    /// per point within its six nearest neighbours. Not zero if only a few points coincide.
    pub fn local_spacing_mm(&self, point: &Point, neighbours: &mut Neighbours) -> f64 {
        const NEIGHBOURS: usize = 6;
        self.k_nearest(point, NEIGHBOURS + 1, f64::INFINITY, neighbours);
        let around = neighbours.found.len().saturating_sub(1).max(1) as f64;
        let farthest_mm2 = neighbours.found.last().map_or(0.0, |farthest| farthest.squared_mm2);
        (std::f64::consts::PI * farthest_mm2 / around).sqrt()
    }

    /// Nearest point within `max_distance_mm` for each of `queries`, transformed by `tree_from_queries`. Fast if the
    /// queries are ordered along a space-filling curve: each search radius is bounded by the result of the previous
    /// one.
    pub fn nearest_in_order(
        &self,
        tree_from_queries: &Pose,
        queries: &[Point],
        max_distance_mm: f64,
        out: &mut [Option<Neighbour>],
    ) {
        dispatch(Batch { tree: self, tree_from_queries, queries, max_distance_mm, out });
    }
}

struct Nearest<'a> {
    tree: &'a KdTree,
    query: &'a Point,
    k: usize,
    max_distance_mm: f64,
    neighbours: &'a mut Neighbours,
}

impl Task for Nearest<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        search::<L>(self.tree, self.query, self.k, self.max_distance_mm, self.neighbours);
    }
}

struct Batch<'a> {
    tree: &'a KdTree,
    tree_from_queries: &'a Pose,
    queries: &'a [Point],
    max_distance_mm: f64,
    out: &'a mut [Option<Neighbour>],
}

impl Task for Batch<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let mut neighbours = Neighbours::default();
        let mut previous: Option<(Point, f64)> = None;
        for (query, out) in self.queries.iter().zip(self.out) {
            let moved = self.tree_from_queries * query;
            // Bound by the triangle inequality, enlarged by more than rounding.
            let reach_mm = previous.map_or(f64::INFINITY, |(previous_point, distance_mm)| {
                (distance_mm + (moved - previous_point).norm()) * (1.0 + 1e-12)
            });
            neighbours.found.clear();
            // `min` ignores the bound where it is NaN.
            search::<L>(self.tree, &moved, 1, reach_mm.min(self.max_distance_mm), &mut neighbours);
            *out = neighbours.found.first().copied();
            if let Some(neighbour) = out {
                previous = Some((moved, neighbour.squared_mm2.sqrt()));
            }
        }
    }
}

#[inline(always)]
fn search<L: Lanes>(tree: &KdTree, query: &Point, k: usize, max_distance_mm: f64, neighbours: &mut Neighbours) {
    if let Some(mut search) = NearestSearch::new(tree, query, k, max_distance_mm, &mut neighbours.found) {
        let (local, mut limit) = (search.local, search.limit());
        nearest_first::<L>(&tree.tree, local, &mut limit, &mut neighbours.stack, &mut search);
    }
}

/// State of one search: the best candidates so far.
pub(super) struct NearestSearch<'a> {
    tree: &'a KdTree,
    query: &'a Point,
    local: [f32; 3],
    k: usize,
    error_mm: f64,
    /// Squared distance beyond which candidates are rejected, mm².
    squared: f64,
    found: &'a mut Vec<Neighbour>,
}

impl<'a> NearestSearch<'a> {
    /// `None` if the largest coordinate of the query is not finite.
    #[inline(always)]
    pub fn new(
        tree: &'a KdTree,
        query: &'a Point,
        k: usize,
        max_distance_mm: f64,
        found: &'a mut Vec<Neighbour>,
    ) -> Option<Self> {
        let (local, error_mm) = tree.local(query);
        let squared = max_distance_mm * max_distance_mm;
        error_mm.is_finite().then_some(Self { tree, query, local, k, error_mm, squared, found })
    }

    /// The query relative to the centre of the tree.
    #[inline(always)]
    pub fn local(&self) -> [f32; 3] {
        self.local
    }

    /// Squared distance beyond which candidates are rejected, enlarged by the f32 error.
    #[inline(always)]
    pub fn limit(&self) -> f32 {
        let widened = self.squared.sqrt() + self.error_mm;
        (widened * widened * (1.0 + 4.0 * FILTER_ERROR)) as f32
    }
}

impl Visitor for NearestSearch<'_> {
    #[inline(always)]
    fn visit<L: Lanes>(&mut self, pack: usize, limit: &mut f32) {
        let columns = &self.tree.packs[pack].position;
        let mut squared = L::splat(0.0);
        for axis in 0..3 {
            let offset = L::sub(L::load(&columns[axis]), L::splat(self.local[axis]));
            squared = L::mul_add(offset, offset, squared);
        }
        let start = self.tree.tree.pack_starts[pack] as usize;
        let count = self.tree.tree.pack_starts[pack + 1] as usize - start;
        let mut candidates = L::le(squared, L::splat(*limit)) & ((1 << count) - 1);
        while candidates != 0 {
            let lane = candidates.trailing_zeros() as usize;
            candidates &= candidates - 1;
            let neighbour = Neighbour {
                number: self.tree.tree.order[start + lane],
                squared_mm2: (self.query - self.tree.points[start + lane]).norm_squared(),
            };
            if neighbour.squared_mm2 > self.squared {
                continue;
            }
            let is_nearer =
                |other: &Neighbour| (other.squared_mm2, other.number) < (neighbour.squared_mm2, neighbour.number);
            let position = self.found.partition_point(is_nearer);
            if position < self.k {
                self.found.insert(position, neighbour);
                self.found.truncate(self.k);
                if let Some(last) = self.found.get(self.k - 1) {
                    self.squared = last.squared_mm2;
                    *limit = self.limit();
                }
            }
        }
    }
}
