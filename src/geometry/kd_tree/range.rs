//! All points within a radius or a box, leaf by leaf.

use super::super::simd::{Column, Lanes, Task, dispatch};
use super::super::tree::{Stack, Visitor, overlapping};
use super::super::{Aabb, Point, Vector};
use super::{KdTree, Neighbour};

impl KdTree {
    /// Calls `each` with every point within `radius_mm` of `query` (limits inclusive), in a fixed order.
    pub fn within_radius(&self, query: &Point, radius_mm: f64, each: impl FnMut(Neighbour)) {
        if radius_mm >= 0.0 && query.coords.iter().all(|c| c.is_finite()) {
            dispatch(WithinRadius { tree: self, query, radius_mm, each });
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
        let mut ball = Ball { query: self.query, squared_radius, each: self.each };
        self.tree.leaves_in_box::<L>(&bounds, &mut Stack::default(), &mut ball);
    }
}

struct Ball<'a, E> {
    query: &'a Point,
    squared_radius: f64,
    each: E,
}

impl<E: FnMut(Neighbour)> LeafVisitor for Ball<'_, E> {
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
