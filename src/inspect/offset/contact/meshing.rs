//! The mesh around a part and what is left of its stock.

use super::super::meshing::{Measured, Offset};
use base::{Progress, Result};
use geometry::voxels::VoxelTree;
use geometry::voxels::contour::{Crossing, contour};
use geometry::{Aabb, Mesh, Point, Vector};

/// The union of an offset part and an offset cuboid.
pub(super) struct Union<'a> {
    pub part: &'a Offset<'a>,
    /// The stock as it was.
    pub stock: &'a Aabb,
    /// Its offset, mm.
    pub distance_mm: f64,
}

/// Halvings of a voxel in which the surface of the stock is found.
const HALVINGS: usize = 24;

impl Union<'_> {
    /// The mesh around the volume.
    pub fn mesh(&self, tree: &VoxelTree, progress: &Progress) -> Result<Mesh> {
        contour(tree, |last, inner, outer| self.crossing(last, inner, outer), progress)
    }

    /// Where the last of the two is left between a point inside and one outside of both.
    fn crossing(&self, last: &mut Option<Measured>, inner: Point, outer: Point) -> Crossing {
        let along = outer - inner;
        let of_part = self.part.is_in(last, inner).then(|| self.part.crossing(last, inner, outer));
        let of_stock = (self.above_stock(&inner) <= 0.0).then(|| self.stock_crossing(inner, along));
        let share = |crossing: &Crossing| (crossing.point - inner).dot(&along);
        let both = [of_part, of_stock].into_iter().flatten();
        let farthest = both.max_by(|a, b| share(a).total_cmp(&share(b)));
        farthest.unwrap_or_else(|| Crossing { point: inner + 0.5 * along, normal: along.normalize() })
    }

    /// Signed distance from the offset stock, mm.
    fn above_stock(&self, at: &Point) -> f64 {
        let (outside, inside) = self.to_stock(at);
        let signed_mm = if inside.max() < 0.0 { inside.max() } else { outside.norm() };
        signed_mm - self.distance_mm
    }

    /// Distances along the axes beyond the faces of the stock, those of the nearer faces; the first without those
    /// inside.
    fn to_stock(&self, at: &Point) -> (Vector, Vector) {
        let inside = (self.stock.min - at).sup(&(at - self.stock.max));
        (inside.map(|value| value.max(0.0)), inside)
    }

    fn stock_crossing(&self, inner: Point, along: Vector) -> Crossing {
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            *(if self.above_stock(&(inner + along * middle)) > 0.0 { &mut high } else { &mut low }) = middle;
        }
        let point = inner + along * low;
        Crossing { point, normal: self.stock_normal(&point) }
    }

    fn stock_normal(&self, at: &Point) -> Vector {
        let (outside, inside) = self.to_stock(at);
        let mut normal = outside;
        if inside.max() < 0.0 {
            normal = Vector::zeros();
            normal[inside.imax()] = 1.0;
        }
        let centre = self.stock.centre();
        for axis in 0..3 {
            normal[axis] *= if at[axis] < centre[axis] { -1.0 } else { 1.0 };
        }
        normal.try_normalize(0.0).unwrap_or_default()
    }
}
