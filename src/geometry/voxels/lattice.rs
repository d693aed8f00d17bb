//! The lattice of voxels that several volumes share, and cubes of it.

use serde::{Deserialize, Serialize};

use crate::{Aabb, Point, Vector};

/// A cubic lattice of voxels. Voxel `[i, j, k]` is the cube from `origin + [i, j, k] * voxel_mm`; all indices from 0 to
/// `voxels - 1` lie in the domain, what lies outside counts as empty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lattice {
    /// Minimum corner of the domain, mm.
    pub origin: Point,
    /// Edge length of a voxel, mm.
    pub voxel_mm: f64,
    /// Number of voxels per axis.
    pub voxels: u32,
}

impl Lattice {
    /// A cubic domain of `edge_mm` about `centre`.
    pub fn about(centre: &Point, edge_mm: f64, voxels: u32) -> Self {
        Self {
            origin: centre - Vector::repeat(0.5 * edge_mm),
            voxel_mm: edge_mm / f64::from(voxels.max(1)),
            voxels: voxels.max(1),
        }
    }

    /// The smallest cubic domain about the centre of `bounds` that has `margin_mm` and at least one voxel to spare on
    /// every side.
    pub fn around(bounds: &Aabb, margin_mm: f64, voxels: u32) -> Self {
        let needed = bounds.size().max() + 2.0 * margin_mm;
        let edge_mm = needed * f64::from(voxels) / f64::from(voxels.saturating_sub(2).max(1));
        Self::about(&bounds.centre(), edge_mm, voxels)
    }

    /// Edge length of the domain, mm.
    pub fn edge_mm(&self) -> f64 {
        self.voxel_mm * f64::from(self.voxels)
    }

    /// The domain as a box, mm.
    pub fn bounds(&self) -> Aabb {
        Aabb { min: self.origin, max: self.origin + Vector::repeat(self.edge_mm()) }
    }

    /// Centre of a voxel, mm; indices may lie outside the domain.
    #[inline]
    pub fn centre(&self, voxel: [i32; 3]) -> Point {
        self.corner_at(voxel.map(|index| f64::from(index) + 0.5))
    }

    /// Position of lattice coordinates, in which voxel `[i, j, k]` spans from `[i, j, k]` to `[i + 1, j + 1, k + 1]`.
    #[inline]
    pub fn corner_at(&self, coordinates: [f64; 3]) -> Point {
        self.origin + Vector::from(coordinates) * self.voxel_mm
    }

    /// Lattice coordinates of a position; see [`Self::corner_at`].
    #[inline]
    pub fn coordinates(&self, position: &Point) -> [f64; 3] {
        ((position - self.origin) / self.voxel_mm).into()
    }

    /// The voxel that contains a position; `None` outside the domain.
    pub fn voxel(&self, position: &Point) -> Option<[u32; 3]> {
        let voxel = self.coordinates(position).map(f64::floor);
        let is_inside = |index: &f64| *index >= 0.0 && *index < f64::from(self.voxels);
        voxel.iter().all(is_inside).then(|| voxel.map(|index| index as u32))
    }
}

/// A cube of voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cube {
    /// Its first voxel.
    pub min: [u32; 3],
    /// Number of voxels per axis.
    pub edge: u32,
}

impl Cube {
    /// Child `index` of `branching`³, of which x varies fastest.
    #[inline]
    pub fn child(&self, branching: u32, index: u32) -> Self {
        let edge = self.edge / branching;
        let steps = [index % branching, index / branching % branching, index / (branching * branching)];
        Self { min: std::array::from_fn(|axis| self.min[axis] + steps[axis] * edge), edge }
    }

    /// Its centre, mm.
    #[inline]
    pub fn centre(&self, lattice: &Lattice) -> Point {
        lattice.corner_at(self.min.map(|min| f64::from(min) + 0.5 * f64::from(self.edge)))
    }

    /// Maximum distance of one of its voxel centres from its centre, mm.
    #[inline]
    pub fn reach_mm(&self, lattice: &Lattice) -> f64 {
        0.5 * 3.0_f64.sqrt() * f64::from(self.edge - 1) * lattice.voxel_mm
    }

    /// Its box, mm.
    pub fn bounds(&self, lattice: &Lattice) -> Aabb {
        Aabb {
            min: lattice.corner_at(self.min.map(f64::from)),
            max: lattice.corner_at(self.min.map(|min| f64::from(min + self.edge))),
        }
    }
}
