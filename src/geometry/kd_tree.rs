//! A k-d tree over points: nearest, k nearest, within a radius, within a box. Filters in f32, decides in f64.

use super::simd::{Column, Lanes, Task, dispatch};
use super::tree::{PrimitiveBox, SplitRule, Stack, Tree, Visitor, build, nearest_first, overlapping};
use super::{Aabb, Point, Vector};

const FILTER_ERROR: f64 = 8.0 / (1_u64 << 24) as f64;

/// Points arranged for search. Non-finite points must have been dropped before.
#[derive(Debug, Default)]
pub struct KdTree {
    tree: Tree,
    packs: Vec<PointPack>,
    /// The points in leaf order, f64.
    points: Vec<Point>,
    centre: Point,
    reach_mm: f64,
}

#[repr(C, align(32))]
#[derive(Clone, Debug)]
struct PointPack {
    place: [Column; 3],
}

/// A found point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// Its number in the list the tree was built from.
    pub number: u32,
    /// Squared distance, mm².
    pub squared_mm2: f64,
}

impl KdTree {
    /// Arranges `points`.
    pub fn new(points: &[Point]) -> Self {
        let bounds = Aabb::of_points(points);
        let centre = bounds.centre();
        let local = |point: &Point| -> [f32; 3] { (point - centre).cast::<f32>().into() };
        let boxes: Vec<PrimitiveBox> =
            points.iter().map(|point| PrimitiveBox { min: local(point), max: local(point) }).collect();
        let tree = build(&boxes, SplitRule::Median);
        let packs = (0..tree.packs())
            .map(|pack| {
                let mut place = [[f32::INFINITY; 8]; 3];
                for (lane, &number) in tree.pack(pack).iter().enumerate() {
                    let point = boxes[number as usize].min;
                    (0..3).for_each(|axis| place[axis][lane] = point[axis]);
                }
                PointPack { place }
            })
            .collect();
        let ordered = tree.order.iter().map(|&number| points[number as usize]).collect();
        Self { tree, packs, points: ordered, centre, reach_mm: 0.5 * bounds.size().max() }
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.points.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// The nearest point within `max_distance_mm`; the lowest-numbered one on ties.
    pub fn nearest(&self, query: &Point, max_distance_mm: f64) -> Option<Neighbour> {
        let mut found = Vec::with_capacity(1);
        self.k_nearest(query, 1, max_distance_mm, &mut found);
        found.first().copied()
    }

    /// The `k` nearest points within `max_distance_mm` into `found`, nearest first; ties by number.
    pub fn k_nearest(&self, query: &Point, k: usize, max_distance_mm: f64, found: &mut Vec<Neighbour>) {
        found.clear();
        if k > 0 && query.coords.iter().all(|c| c.is_finite()) {
            dispatch(Nearest { tree: self, query, k, max_distance_mm, found });
        }
    }

    /// Calls `each` with every point within `radius_mm` of `query` (limits inclusive), in a fixed order.
    pub fn within_radius(&self, query: &Point, radius_mm: f64, mut each: impl FnMut(Neighbour)) {
        let radius = Vector::repeat(radius_mm);
        let squared_radius = radius_mm * radius_mm;
        self.in_box(&Aabb { min: query - radius, max: query + radius }, &mut Stack::default(), |number, point| {
            let squared_mm2 = (query - point).norm_squared();
            if squared_mm2 <= squared_radius {
                each(Neighbour { number, squared_mm2 });
            }
        });
    }

    /// Calls `each` with the number and place of every point in leaves that overlap `bounds`: all points inside it and
    /// some around it.
    pub fn in_box(&self, bounds: &Aabb, stack: &mut Stack, each: impl FnMut(u32, &Point)) {
        if !bounds.is_empty() {
            dispatch(InBox { tree: self, bounds, stack, each });
        }
    }

    /// The points of the tree in leaf order, the box test and their numbers, for searches of other shapes.
    #[inline(always)]
    pub fn leaves_in_box<L: Lanes>(&self, bounds: &Aabb, stack: &mut Stack, visitor: &mut impl LeafVisitor) {
        let margin = self.error_mm(bounds.min.coords.amax().max(bounds.max.coords.amax()) + self.centre.coords.amax());
        let low: [f32; 3] = (bounds.min - self.centre).add_scalar(-margin).cast::<f32>().into();
        let high: [f32; 3] = (bounds.max - self.centre).add_scalar(margin).cast::<f32>().into();
        overlapping::<L>(&self.tree, low, high, stack, &mut Leaves { tree: self, visitor });
    }

    /// A place as f32 about the tree's centre, and how far a distance from it may be off through that, mm.
    pub fn local(&self, place: &Point) -> ([f32; 3], f64) {
        let away = place - self.centre;
        (away.cast::<f32>().into(), self.error_mm(away.amax()))
    }

    fn error_mm(&self, query_reach_mm: f64) -> f64 {
        FILTER_ERROR * (self.reach_mm + query_reach_mm)
    }
}

/// Up to eight points of one leaf.
#[derive(Clone, Copy)]
pub struct Leaf<'a> {
    /// Their places, mm.
    pub points: &'a [Point],
    /// Their numbers.
    pub numbers: &'a [u32],
    /// Their places by columns, f32 about the tree's centre, for a first sieve; unused lanes are infinite.
    pub columns: &'a [Column; 3],
}

/// What a box search does with the points of a leaf. Implementations are `#[inline(always)]`.
pub trait LeafVisitor {
    /// Looks at a leaf.
    fn leaf<L: Lanes>(&mut self, leaf: Leaf<'_>);
}

struct Leaves<'a, V> {
    tree: &'a KdTree,
    visitor: &'a mut V,
}

impl<V: LeafVisitor> Visitor for Leaves<'_, V> {
    #[inline(always)]
    fn visit<L: Lanes>(&mut self, pack: usize, _limit: &mut f32) {
        let (from, to) = (self.tree.tree.pack_starts[pack] as usize, self.tree.tree.pack_starts[pack + 1] as usize);
        self.visitor.leaf::<L>(Leaf {
            points: &self.tree.points[from..to],
            numbers: &self.tree.tree.order[from..to],
            columns: &self.tree.packs[pack].place,
        });
    }
}

struct InBox<'a, E> {
    tree: &'a KdTree,
    bounds: &'a Aabb,
    stack: &'a mut Stack,
    each: E,
}

impl<E: FnMut(u32, &Point)> Task for InBox<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        struct Each<E>(E);
        impl<E: FnMut(u32, &Point)> LeafVisitor for Each<E> {
            #[inline(always)]
            fn leaf<L: Lanes>(&mut self, leaf: Leaf<'_>) {
                for (point, number) in leaf.points.iter().zip(leaf.numbers) {
                    (self.0)(*number, point);
                }
            }
        }
        self.tree.leaves_in_box::<L>(self.bounds, self.stack, &mut Each(self.each));
    }
}

struct Nearest<'a> {
    tree: &'a KdTree,
    query: &'a Point,
    k: usize,
    max_distance_mm: f64,
    found: &'a mut Vec<Neighbour>,
}

impl Task for Nearest<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let local: [f32; 3] = (self.query - self.tree.centre).cast::<f32>().into();
        let mut search = NearestSearch {
            tree: self.tree,
            query: self.query,
            local,
            k: self.k,
            error_mm: self.tree.error_mm((self.query - self.tree.centre).amax()),
            squared: self.max_distance_mm * self.max_distance_mm,
            found: self.found,
        };
        let mut limit = search.limit();
        nearest_first::<L>(&self.tree.tree, local, &mut limit, &mut Stack::default(), &mut search);
    }
}

struct NearestSearch<'a> {
    tree: &'a KdTree,
    query: &'a Point,
    local: [f32; 3],
    k: usize,
    error_mm: f64,
    squared: f64,
    found: &'a mut Vec<Neighbour>,
}

impl NearestSearch<'_> {
    #[inline(always)]
    fn limit(&self) -> f32 {
        let widened = self.squared.sqrt() + self.error_mm;
        (widened * widened * (1.0 + 4.0 * FILTER_ERROR)) as f32
    }
}

impl Visitor for NearestSearch<'_> {
    #[inline(always)]
    fn visit<L: Lanes>(&mut self, pack: usize, limit: &mut f32) {
        let columns = &self.tree.packs[pack].place;
        let mut squared = L::splat(0.0);
        for axis in 0..3 {
            let away = L::sub(L::load(&columns[axis]), L::splat(self.local[axis]));
            squared = L::mul_add(away, away, squared);
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
            let before =
                |other: &Neighbour| (other.squared_mm2, other.number) < (neighbour.squared_mm2, neighbour.number);
            let place = self.found.partition_point(before);
            if place < self.k {
                self.found.insert(place, neighbour);
                self.found.truncate(self.k);
                if let Some(last) = self.found.get(self.k - 1) {
                    self.squared = last.squared_mm2;
                    *limit = self.limit();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

    #[test]
    fn agrees_with_brute_force_with_duplicates_and_far_offsets() {
        let mut random = Random::new(4, 0);
        for offset in [0.0, 1e4] {
            let mut points: Vec<Point> = (0..3000)
                .map(|_| Point::new(offset + random.normal(), random.normal(), 0.01 * random.normal()))
                .collect();
            points.extend_from_within(0..200);
            let tree = KdTree::new(&points);
            let mut found = Vec::new();
            for _ in 0..300 {
                let query = Point::new(offset + random.normal(), random.normal(), random.normal());
                tree.k_nearest(&query, 7, f64::INFINITY, &mut found);
                let mut all: Vec<(f64, u32)> =
                    points.iter().enumerate().map(|(i, point)| ((query - point).norm_squared(), i as u32)).collect();
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                let got: Vec<(f64, u32)> = found.iter().map(|n| (n.squared_mm2, n.number)).collect();
                assert_eq!(got, all[..7]);
                let mut inside = 0;
                tree.within_radius(&query, 1.0, |_| inside += 1);
                assert_eq!(inside, all.iter().filter(|(squared, _)| *squared <= 1.0).count());
            }
        }
    }

    #[test]
    fn empty_and_single_trees_answer() {
        assert_eq!(KdTree::new(&[]).nearest(&Point::origin(), 1.0), None);
        let one = KdTree::new(&[Point::new(1.0, 0.0, 0.0)]);
        assert_eq!(one.nearest(&Point::origin(), 1.0).map(|n| n.number), Some(0));
        assert_eq!(one.nearest(&Point::origin(), 0.99), None);
        assert_eq!(one.nearest(&Point::new(f64::NAN, 0.0, 0.0), 9.0), None);
    }
}
