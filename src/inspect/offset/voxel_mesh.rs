//! The mesh around a volume of which no more is known than its voxels.

use std::cell::Cell;

use base::{Progress, Result};
use geometry::voxels::contour::{Crossing, contour};
use geometry::voxels::{Lattice, VoxelTree};
use geometry::{Mesh, Point, Vector};

/// Voxels on each side whose states tell the direction of the surface.
const WINDOW: i32 = 2;

/// The closed mesh halfway between voxels inside and outside, its facets in the direction that the voxels around show.
pub(super) fn mesh(tree: &VoxelTree, progress: &Progress) -> Result<Mesh> {
    let lattice = *tree.lattice();
    let crossing = |last: &mut Cell<Option<([i32; 3], Vector)>>, inner: Point, outer: Point| {
        let voxel = voxel_at(&lattice, &inner);
        let normal = match last.get().filter(|(own, _)| *own == voxel) {
            Some((_, normal)) => normal,
            None => normal(tree, voxel).unwrap_or_else(|| (outer - inner).normalize()),
        };
        last.set(Some((voxel, normal)));
        Crossing { point: nalgebra::center(&inner, &outer), normal }
    };
    contour(tree, crossing, progress)
}

fn voxel_at(lattice: &Lattice, point: &Point) -> [i32; 3] {
    lattice.coordinates(point).map(|coordinate| coordinate.floor() as i32)
}

/// The outward direction in which there is least of the volume about a voxel; `None` if there is none.
fn normal(tree: &VoxelTree, voxel: [i32; 3]) -> Option<Vector> {
    let mut outward = Vector::zeros();
    for x in -WINDOW..=WINDOW {
        for y in -WINDOW..=WINDOW {
            for z in -WINDOW..=WINDOW {
                if !tree.is_in([voxel[0] + x, voxel[1] + y, voxel[2] + z]) {
                    outward += Vector::new(f64::from(x), f64::from(y), f64::from(z));
                }
            }
        }
    }
    outward.try_normalize(1e-9)
}
