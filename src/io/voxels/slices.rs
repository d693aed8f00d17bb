//! The layers of a voxel volume as grey pictures: outside black, skin grey, inside white.

use std::path::Path;

use image::{GrayImage, Luma};
use rayon::prelude::*;

use crate::atomic;
use base::{Progress, Result, UserError};
use geometry::voxels::{Voxel, VoxelTree};

/// Grey values of outside, skin and inside.
pub const GREYS: [u8; 3] = [0, 128, 255];

/// Layers written at a time between two looks at whether to go on.
const AT_A_TIME: usize = 16;

/// Writes every `step`-th layer across an axis (0 to 2 for x to z) as `layer-00000.png` and so on into a folder, which is
/// made. In the pictures the two following axes go right and up. Returns the number of pictures.
pub fn write(folder: &Path, tree: &VoxelTree, axis: usize, step: u32, progress: &Progress) -> Result<usize> {
    base::folder::make(folder)?;
    let layers: Vec<u32> = (0..tree.lattice().voxels).step_by(step.max(1) as usize).collect();
    for (number, some) in layers.chunks(AT_A_TIME).enumerate() {
        progress.report((number * AT_A_TIME) as f32 / layers.len() as f32, "Writing the layers")?;
        some.par_iter().try_for_each(|&layer| {
            let mut bytes = std::io::Cursor::new(Vec::new());
            let written = picture(tree, axis, layer).write_to(&mut bytes, image::ImageFormat::Png);
            written.map_err(|error| UserError::internal(format!("A layer could not be packed: {error}.")))?;
            atomic::write_bytes(&folder.join(format!("layer-{layer:05}.png")), bytes.get_ref())
        })?;
    }
    Ok(layers.len())
}

/// Layer `layer` across an axis.
fn picture(tree: &VoxelTree, axis: usize, layer: u32) -> GrayImage {
    let voxels = tree.lattice().voxels;
    GrayImage::from_fn(voxels, voxels, |right, down| {
        let (u, v) = (right as i32, (voxels - 1 - down) as i32);
        let w = layer as i32;
        let state = tree.voxel(match axis {
            0 => [w, u, v],
            1 => [v, w, u],
            _ => [u, v, w],
        });
        let [empty, skin, full] = GREYS;
        Luma([match state {
            Voxel::Empty => empty,
            Voxel::Surface => skin,
            Voxel::Full => full,
        }])
    })
}
