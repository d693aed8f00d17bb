//! An offset as a level set: signed distances within a band of voxels around its surface, for NanoVDB files.

use std::path::Path;

use rayon::prelude::*;

use super::meshing::Offset;
use super::sides::Prepared;
use super::{Method, OffsetVolume, Part};
use base::{Progress, Result, UserError};
use geometry::voxels::{Lattice, VoxelTree};
use geometry::{Point, Sides, Surface, Vector};
use io::voxels::nanovdb::{self, BLOCK, BLOCK_VOXELS, Block, LevelSet};

/// Half the width of the band, voxels; that of level sets elsewhere.
pub const BAND: f64 = 3.0;

/// Writes the level set of an offset of `surface` as a NanoVDB file.
///
/// Returns an error if the offset was not made by exact distance, if nothing is left of the part, if the file cannot be
/// written, or if the work is cancelled.
pub fn write(path: &Path, volume: &OffsetVolume, surface: &Surface, progress: &Progress) -> Result<()> {
    if volume.parameters.method != Method::Exact {
        return Err(UserError::usage(
            "Only an offset by exact distance has the distances of a level set; templates have voxels alone (.hdt).",
        ));
    }
    let part = Part { surface, is_sheet: volume.sides == Sides::Open };
    let mut prepared = super::volume::prepared(part, &volume.parameters);
    if prepared.sides != volume.sides {
        prepared = Prepared::decided_by(volume.sides, Vec::new());
    }
    let solid = prepared.solid(surface);
    let (lattice, distance_mm) = (*volume.tree.lattice(), volume.parameters.distance_mm);
    let field =
        Band { offset: Offset { solid: &solid, distance_mm, lattice }, lattice, band_mm: BAND * lattice.voxel_mm };
    let mins = blocks(&volume.tree);
    let counter = progress.part(0.0, 0.9).counter(mins.len(), "Measuring the level set");
    let blocks = mins.par_iter().filter(|_| counter.step()).map(|min| field.block(*min)).collect();
    progress.report(0.9, "Writing the level set")?;
    let set = LevelSet { name: "offset", lattice, band_mm: field.band_mm as f32, blocks };
    nanovdb::write(path, &set, |voxel| volume.tree.is_in(voxel))
}

/// First voxels of the blocks that contain a leaf or touch one: the skin and the band around it lie in them.
fn blocks(tree: &VoxelTree) -> Vec<[i32; 3]> {
    let (edge, last) = (tree.layout().leaf as i32, (tree.lattice().voxels as i32 - 1) / BLOCK);
    let around = |origin: &[u32; 3]| {
        let first = origin.map(|index| index as i32 / BLOCK - 1);
        let count = edge / BLOCK + 2;
        (0..count.pow(3)).map(move |own| {
            let steps = [own / (count * count), own / count % count, own % count];
            std::array::from_fn::<i32, 3, _>(|axis| first[axis] + steps[axis])
        })
    };
    let mut keys: Vec<[i32; 3]> = tree
        .leaf_origins()
        .par_iter()
        .flat_map_iter(around)
        .filter(|key| key.iter().all(|index| (0..=last).contains(index)))
        .collect();
    keys.par_sort_unstable();
    keys.dedup();
    keys.into_iter().map(|key| key.map(|index| BLOCK * index)).collect()
}

/// Distances within a band around an offset surface.
struct Band<'a> {
    offset: Offset<'a>,
    lattice: Lattice,
    band_mm: f64,
}

impl Band<'_> {
    fn block(&self, min: [i32; 3]) -> Block {
        let mut values = Box::new([0.0; BLOCK_VOXELS]);
        self.fill(min, [0; 3], BLOCK, None, &mut values);
        Block { min, distances_mm: values }
    }

    /// Sets the voxels of a cube of `edge` voxels at `at` in the block at `min`, by parts where the band reaches into it.
    fn fill(&self, min: [i32; 3], at: [i32; 3], edge: i32, facet: Option<u32>, values: &mut [f32; BLOCK_VOXELS]) {
        let first: [i32; 3] = std::array::from_fn(|axis| min[axis] + at[axis]);
        let half_mm = 0.5 * f64::from(edge - 1) * self.lattice.voxel_mm;
        let centre: Point = self.lattice.centre(first) + Vector::repeat(half_mm);
        let (signed_mm, facet) = self.offset.signed_mm(&centre, facet);
        let reach_mm = 3.0_f64.sqrt() * half_mm;
        if edge == 1 || signed_mm.abs() - reach_mm > self.band_mm {
            let value = signed_mm.clamp(-self.band_mm, self.band_mm) as f32;
            for number in 0..edge.pow(3) {
                let own = [number / (edge * edge), number / edge % edge, number % edge];
                let [x, y, z] = std::array::from_fn::<usize, 3, _>(|axis| (at[axis] + own[axis]) as usize);
                values[(x * 8 + y) * 8 + z] = value;
            }
            return;
        }
        let half = edge / 2;
        for part in 0..8 {
            let at = std::array::from_fn(|axis| at[axis] + (part >> axis & 1) * half);
            self.fill(min, at, half, facet, values);
        }
    }
}
