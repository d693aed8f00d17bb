//! Builds trees on the device from Morton keys.

use std::sync::Arc;

use bytemuck::bytes_of;

use super::driver::{Buffer, Driver, launch_each};
use super::sort;
use crate::base::Result;

const LEAF_BIT: u32 = 1 << 31;
/// Bits of a Morton key.
const KEY_BITS: u32 = 30;
/// Cells of a Morton key along the longest side of the box.
const CELLS: f64 = 1023.0;
/// Bytes of a node of tree.cuh.
const NODE_BYTES: usize = 64;

/// What a kernel multiplies places with to get cells.
pub fn cells_per_mm(longest_mm: f64) -> f64 {
    if longest_mm > 0.0 { CELLS / longest_mm } else { 0.0 }
}

/// The code of the root: a node, or the only leaf. Of at least one primitive.
pub fn root(count: usize, leaf_size: u32) -> u32 {
    if count <= leaf_size as usize { LEAF_BIT | (count as u32).saturating_sub(1) } else { 0 }
}

/// Keys and numbers of `count` primitives in key order; `kernel` writes the keys of what `of` describes.
pub fn sorted_keys(
    driver: &Arc<dyn Driver>,
    kernel: &'static str,
    of: &[u8],
    count: usize,
) -> Result<(Buffer<u32>, Buffer<u32>)> {
    let (keys, numbers) = (Buffer::<u32>::new(driver, count)?, Buffer::<u32>::new(driver, count)?);
    let (key_place, number_place) = (keys.place(), numbers.place());
    launch_each(driver.as_ref(), kernel, count, &[of, bytes_of(&key_place), bytes_of(&number_place)])?;
    sort::by_key(driver, keys, numbers, count, KEY_BITS)
}

/// The nodes over primitives with sorted keys. `boxes` is the kernel that brings the boxes of `primitives`, which are
/// in tree order, up the tree.
pub fn nodes(
    driver: &Arc<dyn Driver>,
    keys: &Buffer<u32>,
    count: usize,
    leaf_size: u32,
    boxes: &'static str,
    centre: &[f64; 3],
    primitives: u64,
) -> Result<Buffer<u8>> {
    let nodes = Buffer::<u8>::new(driver, NODE_BYTES * count.saturating_sub(1))?;
    if count < 2 {
        return Ok(nodes);
    }
    let (node_parents, leaf_parents) = (Buffer::<u32>::new(driver, count)?, Buffer::<u32>::new(driver, count)?);
    let arrivals = Buffer::<u32>::zeros(driver, count)?;
    let (key_place, node_place, number) = (keys.place(), nodes.place(), count as u32);
    let (of_nodes, of_leaves, arrived) = (node_parents.place(), leaf_parents.place(), arrivals.place());
    let links: [&[u8]; 6] = [
        bytes_of(&key_place),
        bytes_of(&number),
        bytes_of(&leaf_size),
        bytes_of(&node_place),
        bytes_of(&of_nodes),
        bytes_of(&of_leaves),
    ];
    launch_each(driver.as_ref(), "tree_links", count - 1, &links)?;
    let climb: [&[u8]; 7] = [
        bytes_of(centre),
        bytes_of(&primitives),
        bytes_of(&number),
        bytes_of(&node_place),
        bytes_of(&of_nodes),
        bytes_of(&of_leaves),
        bytes_of(&arrived),
    ];
    launch_each(driver.as_ref(), boxes, count, &climb)?;
    Ok(nodes)
}
