//! The distance between the skins of two volumes on a CUDA device.

use std::sync::Arc;

use bytemuck::bytes_of;

use super::driver::{Buffer, Driver, launch_each};
use super::voxels::DeviceTree;
use crate::voxel_error::{Answer, Request};
use base::Result;

/// Distance beyond that of the offset up to which voxels are counted, voxels.
const BEYOND: f64 = 64.0;

/// Measures an offset volume; `None` if a voxel lies farther from the source than is counted on the device.
pub(super) fn measure(driver: &Arc<dyn Driver>, request: &Request<'_>) -> Result<Option<Answer>> {
    let source = DeviceTree::new(driver, request.source)?;
    let source_bits = source.bits("active_bits", &[])?;
    let offset = DeviceTree::new(driver, request.offset)?;
    let active = offset.bits("active_bits", &[])?;
    let limit = (request.distance.abs() + BEYOND).powi(2) as u32;
    let counts = Buffer::<u32>::zeros(driver, limit as usize + 1)?;
    let (tree, count) = (source.parameter(&source_bits), offset.leaves.count() as u32);
    let (of_leaves, of_active, of_counts) = (offset.leaves.address(), active.address(), counts.address());
    let arguments: [&[u8]; 6] = [
        bytes_of(&tree),
        bytes_of(&of_leaves),
        bytes_of(&of_active),
        bytes_of(&count),
        bytes_of(&limit),
        bytes_of(&of_counts),
    ];
    let columns = (request.offset.layout().leaf as usize).pow(2);
    launch_each(driver.as_ref(), "voxel_errors", offset.leaves.count() * columns, &arguments)?;
    let counts = counts.read()?;
    if counts[limit as usize] > 0 {
        return Ok(None);
    }
    let counted = (0_u64..).zip(counts).filter(|(_, count)| *count > 0);
    Ok(Some(Answer::of(&counted.map(|(squared, count)| (squared, u64::from(count))).collect(), 0, request.distance)))
}
