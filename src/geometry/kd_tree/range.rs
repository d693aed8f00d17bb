//! Range searches: all points within a radius, or all leaves that overlap a box.

use super::super::simd::{Column, Lanes, Task, dispatch};
use super::super::tree::{Stack, Visitor, overlapping};
use super::super::{Aabb, Point, Vector};
use super::{KdTree, Neighbour};

impl KdTree {
    /// Calls `each` with every point within `radius_mm` of `query`, inclusive, in an order that depends on the tree
    /// only. Does nothing for a negative radius or a non-finite query.
    pub fn within_radius(&self, query: &Point, radius_mm: f64, each: impl FnMut(Neighbour)) {
        if radius_mm >= 0.0 && query.coords.iter().all(|c| c.is_finite()) {
            dispatch(WithinRadius { tree: self, query, radius_mm, each });
        }
    }

    /// Calls `visitor` with every leaf whose box overlaps `bounds`, in the frame of the points, mm. For range searches
    /// of other shapes; the points of a leaf may lie outside `bounds`.
    #[inline(always)]
    pub fn leaves_in_box<L: Lanes>(&self, bounds: &Aabb, stack: &mut Stack, visitor: &mut impl LeafVisitor) {
        let margin = self.error_mm(bounds.min.coords.amax().max(bounds.max.coords.amax()) + self.centre.coords.amax());
        let low: [f32; 3] = (bounds.min - self.centre).add_scalar(-margin).cast::<f32>().into();
        let high: [f32; 3] = (bounds.max - self.centre).add_scalar(margin).cast::<f32>().into();
        overlapping::<L>(&self.tree, low, high, stack, &mut Leaves { tree: self, visitor });
    }
}

/// Up to eight points of one leaf.
#[derive(Clone, Copy)]
pub struct Leaf<'a> {
    /// The points, mm.
    pub points: &'a [Point],
    /// Index of each point in the slice from which the tree was built.
    pub numbers: &'a [u32],
    /// The points as x, y, z columns, f32 relative to the centre of the tree, for an f32 pre-filter; unused lanes are
    /// infinite.
    pub columns: &'a [Column; 3],
}

/// Action of a box search on the points of a leaf. Implementations are `#[inline(always)]`.
pub trait LeafVisitor {
    /// Processes a leaf.
    fn leaf<L: Lanes>(&mut self, leaf: Leaf<'_>);
}

struct Leaves<'a, V> {
    tree: &'a KdTree,
    visitor: &'a mut V,
}

impl<V: LeafVisitor> Visitor for Leaves<'_, V> {
    #[inline(always)]
    fn visit<L: Lanes>(&mut self, pack: usize, _limit: &mut f32) {
        let (start, end) = (self.tree.tree.pack_starts[pack] as usize, self.tree.tree.pack_starts[pack + 1] as usize);
        self.visitor.leaf::<L>(Leaf {
            points: &self.tree.points[start..end],
            numbers: &self.tree.tree.order[start..end],
            columns: &self.tree.packs[pack].position,
        });
    }
}

struct WithinRadius<'a, E> {
    tree: &'a KdTree,
    query: &'a Point,
    radius_mm: f64,
    each: E,
}

impl<E: FnMut(Neighbour)> Task for WithinRadius<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let reach = Vector::repeat(self.radius_mm);
        let bounds = Aabb { min: self.query - reach, max: self.query + reach };
        let squared_radius = self.radius_mm * self.radius_mm;
        let mut sphere = SphereTest { query: self.query, squared_radius, each: self.each };
        self.tree.leaves_in_box::<L>(&bounds, &mut Stack::default(), &mut sphere);
    }
}

struct SphereTest<'a, E> {
    query: &'a Point,
    squared_radius: f64,
    each: E,
}

impl<E: FnMut(Neighbour)> LeafVisitor for SphereTest<'_, E> {
    #[inline(always)]
    fn leaf<L: Lanes>(&mut self, leaf: Leaf<'_>) {
        for (point, &number) in leaf.points.iter().zip(leaf.numbers) {
            let squared_mm2 = (self.query - point).norm_squared();
            if squared_mm2 <= self.squared_radius {
                (self.each)(Neighbour { number, squared_mm2 });
            }
        }
    }
}
