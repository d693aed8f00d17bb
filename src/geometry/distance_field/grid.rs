//! Where the samples of a distance field lie.

use crate::{Aabb, Point, Vector};

/// Intervals between the samples of a brick, per axis.
pub const BRICK: u32 = 8;
/// Samples of a brick: those on its faces are also samples of its neighbours.
pub const BRICK_SAMPLES: usize = (BRICK as usize + 1).pow(3);

/// Most root nodes along an axis.
const MAX_ROOTS: u32 = 16;
/// Least root nodes for a level less.
const MIN_ROOTS: u32 = MAX_ROOTS / 2;

/// A grid of root nodes, each of which can be halved `depth` times. Root node `[x, y, z]` is number
/// `(z * roots[1] + y) * roots[0] + x`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldGrid {
    /// Minimum corner, mm.
    pub origin: Point,
    /// Distance of samples in the finest bricks, mm.
    pub spacing_mm: f64,
    /// Number of root nodes along each axis.
    pub roots: [u32; 3],
    /// Levels below the root nodes.
    pub depth: u32,
    /// Distance up to which it holds distances, mm.
    pub reach_mm: f64,
}

impl FieldGrid {
    /// A grid around all within `reach_mm` of `bounds`, with `resolution` of its finest spacings along the longest axis.
    pub fn around(bounds: &Aabb, reach_mm: f64, resolution: u32) -> Self {
        let margin_mm = reach_mm + 1e-6 * bounds.diagonal();
        let size = bounds.size() + Vector::repeat(2.0 * margin_mm);
        let spacing_mm = size.max() / f64::from(resolution.max(BRICK));
        let bricks = resolution.max(BRICK).div_ceil(BRICK);
        let depth = (bricks / MIN_ROOTS).max(1).ilog2();
        let root_mm = spacing_mm * f64::from(BRICK << depth);
        let roots = [size.x, size.y, size.z].map(|size| (size / root_mm).ceil().max(1.0) as u32);
        let grid = Self { origin: Point::origin(), spacing_mm, roots, depth, reach_mm };
        let total = Vector::from(roots.map(|count| f64::from(count) * root_mm));
        Self { origin: bounds.centre() - 0.5 * total, ..grid }
    }

    /// Number of root nodes.
    pub fn root_count(&self) -> usize {
        self.roots.iter().map(|count| *count as usize).product()
    }

    /// First sample of a root node, see [`Self::position`].
    pub fn root_min(&self, number: usize) -> [u32; 3] {
        let [x, y, _] = self.roots.map(|count| count as usize);
        [number % x, number / x % y, number / (x * y)].map(|index| (index as u32 * BRICK) << self.depth)
    }

    /// Size of the grid in finest spacings.
    pub fn size(&self) -> [u32; 3] {
        self.roots.map(|count| (count * BRICK) << self.depth)
    }

    /// Position of a point in finest spacings from the origin, mm.
    #[inline]
    pub fn position(&self, at: [f64; 3]) -> Point {
        self.origin + Vector::from(at) * self.spacing_mm
    }

    /// The grid as a box, mm.
    pub fn bounds(&self) -> Aabb {
        Aabb { min: self.origin, max: self.position(self.size().map(f64::from)) }
    }

    /// Distance that a sample counts in, mm: all distances within reach, and those of samples around them, have a
    /// multiple.
    pub fn unit_mm(&self) -> f64 {
        let beyond_mm = 2.0 * f64::from(1_u32 << self.depth) * self.spacing_mm;
        (self.reach_mm + beyond_mm) / 32_000.0
    }
}
