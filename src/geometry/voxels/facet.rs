//! Whether a facet meets a cube of the lattice: separating axes, with what depends on the facet alone computed once.

use super::Lattice;
use crate::Point;

/// Enlargement of every cube, in voxels, so that rounding leaves no gap between cubes; far below what a voxel resolves.
const MARGIN: f64 = 1e-9;

/// A facet in lattice coordinates, prepared for tests against cubes.
///
/// After Schwarz and Seidel, "Fast parallel surface and solid voxelization on GPUs" (2010): bounding box, plane, and
/// the three edges in each of the three projections.
#[derive(Clone, Copy, Debug)]
pub struct LatticeFacet {
    min: [f64; 3],
    max: [f64; 3],
    /// Normal, and its scalar product with a corner.
    plane: ([f64; 3], f64),
    /// Per projection along an axis and edge: inward normal in the plane of the two following axes, and its scalar
    /// product with a corner.
    edges: [[([f64; 2], f64); 3]; 3],
}

impl LatticeFacet {
    /// Prepares a facet given by its corners, mm.
    pub fn new(lattice: &Lattice, corners: &[Point; 3]) -> Self {
        let corners = corners.map(|corner| lattice.coordinates(&corner));
        let pick = |choose: fn(f64, f64) -> f64| {
            std::array::from_fn(|axis| choose(choose(corners[0][axis], corners[1][axis]), corners[2][axis]))
        };
        let [ab, ac]: [[f64; 3]; 2] = [1, 2].map(|k| std::array::from_fn(|axis| corners[k][axis] - corners[0][axis]));
        let normal: [f64; 3] = std::array::from_fn(|axis| {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            ab[u] * ac[v] - ab[v] * ac[u]
        });
        let of_corner = normal[0] * corners[0][0] + normal[1] * corners[0][1] + normal[2] * corners[0][2];
        let edges = std::array::from_fn(|axis| {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let sign = if normal[axis] < 0.0 { -1.0 } else { 1.0 };
            std::array::from_fn(|edge| {
                let (from, to) = (corners[edge], corners[(edge + 1) % 3]);
                let inward = [-sign * (to[v] - from[v]), sign * (to[u] - from[u])];
                (inward, inward[0] * from[u] + inward[1] * from[v])
            })
        });
        Self { min: pick(f64::min), max: pick(f64::max), plane: (normal, of_corner), edges }
    }

    /// First and last voxel of its bounding box within `[low, high]`, both inclusive; `None` if it lies outside.
    #[inline]
    pub fn voxel_range(&self, axis: usize, low: u32, high: u32) -> Option<[u32; 2]> {
        // Negative coordinates saturate to zero.
        let (first, last) = ((self.min[axis] - MARGIN).floor(), (self.max[axis] + MARGIN).floor());
        if last < f64::from(low) || first > f64::from(high) {
            return None;
        }
        Some([(first as u32).max(low), (last as u32).min(high)])
    }

    /// Whether it meets the closed cube of `edge` voxels at `min`.
    #[inline]
    pub fn meets(&self, min: [u32; 3], edge: u32) -> bool {
        let edge = f64::from(edge);
        let low = min.map(f64::from);
        let is_apart = |axis: usize| low[axis] - MARGIN > self.max[axis] || low[axis] + edge + MARGIN < self.min[axis];
        if is_apart(0) || is_apart(1) || is_apart(2) {
            return false;
        }
        let half = 0.5 * edge + MARGIN;
        let centre = low.map(|low| low + 0.5 * edge);
        let (normal, of_corner) = &self.plane;
        let height = normal[0] * centre[0] + normal[1] * centre[1] + normal[2] * centre[2] - of_corner;
        if height.abs() > half * (normal[0].abs() + normal[1].abs() + normal[2].abs()) {
            return false;
        }
        (0..3).all(|axis| {
            let (u, v) = (centre[(axis + 1) % 3], centre[(axis + 2) % 3]);
            self.edges[axis]
                .iter()
                .all(|([nu, nv], of_corner)| nu * u + nv * v - of_corner >= -half * (nu.abs() + nv.abs()))
        })
    }

    /// Calls `found` for every voxel of the cube of `edge` voxels at `min` that it meets. Walks the columns along the
    /// axis nearest to its normal, in which its plane crosses few voxels.
    #[inline]
    pub fn each_voxel(&self, min: [u32; 3], edge: u32, mut found: impl FnMut([u32; 3])) {
        let range = |axis: usize| self.voxel_range(axis, min[axis], min[axis] + edge - 1);
        let (Some(x), Some(y), Some(z)) = (range(0), range(1), range(2)) else {
            return;
        };
        let ranges = [x, y, z];
        let (normal, of_corner) = &self.plane;
        let w = (1..3).fold(0, |w, axis| if normal[axis].abs() > normal[w].abs() { axis } else { w });
        let (u, v) = ((w + 1) % 3, (w + 2) % 3);
        let spread = 0.5 * (normal[u].abs() + normal[v].abs()) / normal[w].abs() + 1e-6;
        for i in ranges[u][0]..=ranges[u][1] {
            for j in ranges[v][0]..=ranges[v][1] {
                let height =
                    (of_corner - normal[u] * (f64::from(i) + 0.5) - normal[v] * (f64::from(j) + 0.5)) / normal[w];
                let [mut first, mut last] = ranges[w];
                // A degenerate facet has no plane: all voxels of the column are tested.
                if height.is_finite() && spread.is_finite() {
                    first = first.max((height - spread).floor().max(0.0) as u32);
                    last = last.min((height + spread).floor().max(0.0) as u32);
                    if height + spread < 0.0 {
                        continue;
                    }
                }
                for k in first..=last {
                    let mut voxel = [0; 3];
                    (voxel[u], voxel[v], voxel[w]) = (i, j, k);
                    if self.meets(voxel, 1) {
                        found(voxel);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    /// Whether a triangle meets a box, by clipping it with the six planes.
    fn meets_by_clipping(corners: &[Point; 3], min: [f64; 3], edge: f64) -> bool {
        let mut polygon: Vec<Point> = corners.to_vec();
        for axis in 0..3 {
            for (sign, limit) in [(1.0, -min[axis]), (-1.0, min[axis] + edge)] {
                let height = |point: &Point| sign * point[axis] + limit;
                let mut clipped = Vec::new();
                for (index, from) in polygon.iter().enumerate() {
                    let to = &polygon[(index + 1) % polygon.len()];
                    let (a, b) = (height(from), height(to));
                    if a >= 0.0 {
                        clipped.push(*from);
                    }
                    if (a < 0.0) != (b < 0.0) {
                        clipped.push(from + (to - from) * (a / (a - b)));
                    }
                }
                polygon = clipped;
            }
        }
        !polygon.is_empty()
    }

    #[test]
    fn a_facet_meets_exactly_the_voxels_that_clipping_finds() {
        let lattice = Lattice { origin: Point::origin(), voxel_mm: 1.0, voxels: 16 };
        let mut random = Random::new(7, 0);
        let mut found_in_all = 0;
        for size in [0.3, 2.0, 12.0, 40.0] {
            for _ in 0..60 {
                let mut draw =
                    |spread: f64| Point::from(nalgebra::Vector3::from_fn(|_, _| 8.0 + random.normal() * spread));
                let first = draw(4.0);
                let corners = [first, first + (draw(size) - draw(size)), first + (draw(size) - draw(size))];
                let facet = LatticeFacet::new(&lattice, &corners);
                let mut found = std::collections::BTreeSet::new();
                facet.each_voxel([0; 3], 16, |voxel| assert!(found.insert(voxel)));
                for number in 0..16_u32.pow(3) {
                    let voxel = [number % 16, number / 16 % 16, number / 256];
                    let expected = meets_by_clipping(&corners, voxel.map(f64::from), 1.0);
                    assert_eq!(found.contains(&voxel), expected, "{corners:?} {voxel:?}");
                    assert_eq!(facet.meets(voxel, 1), expected);
                }
                assert_eq!(facet.meets([4, 8, 0], 8), meets_by_clipping(&corners, [4.0, 8.0, 0.0], 8.0));
                found_in_all += found.len();
            }
        }
        assert!(found_in_all > 5000, "{found_in_all}");
    }

    #[test]
    fn a_facet_in_the_plane_between_two_layers_meets_both() {
        let lattice = Lattice { origin: Point::origin(), voxel_mm: 0.5, voxels: 8 };
        let corners = [Point::new(0.1, 0.1, 2.0), Point::new(3.9, 0.1, 2.0), Point::new(0.1, 3.9, 2.0)];
        let facet = LatticeFacet::new(&lattice, &corners);
        let mut layers = [0; 8];
        facet.each_voxel([0; 3], 8, |voxel| layers[voxel[2] as usize] += 1);
        assert!(layers[3] == layers[4] && layers[3] > 30 && layers.iter().sum::<i32>() == 2 * layers[3], "{layers:?}");
    }
}
