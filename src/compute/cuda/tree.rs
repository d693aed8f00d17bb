//! Builds trees on the device from Morton keys.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each};
use super::sort;
use base::Result;
use geometry::Aabb;

const LEAF_BIT: u32 = 1 << 31;
const NONE: u32 = u32::MAX;
/// Bits of a Morton key.
const KEY_BITS: u32 = 30;
/// Cells of a Morton key along the longest side of the box.
const CELLS: f64 = 1023.0;
/// Bytes of a node of tree.cuh.
const NODE_BYTES: usize = 64;

/// `Curve` of morton.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct CurveParameter {
    low: [f64; 3],
    cells_per_mm: f64,
    /// What f32 coordinates are about, mm.
    pub centre: [f64; 3],
}

impl CurveParameter {
    /// Through all places in `bounds`.
    pub fn new(bounds: &Aabb) -> Self {
        let longest_mm = bounds.size().max();
        let cells_per_mm = if longest_mm > 0.0 { CELLS / longest_mm } else { 0.0 };
        Self { low: bounds.min.into(), cells_per_mm, centre: bounds.centre().into() }
    }
}

/// The code of the root: a node, the only leaf, or none where there is nothing.
pub fn root(count: usize, leaf_size: u32) -> u32 {
    match count {
        0 => NONE,
        few if few <= leaf_size as usize => LEAF_BIT | (few as u32 - 1),
        _ => 0,
    }
}

/// Bytes of a tree over `count` primitives and of building it, apart from the primitives: keys and numbers twice, nodes,
/// parents and arrivals.
pub fn bytes(count: usize) -> usize {
    count * (4 * 4 + NODE_BYTES + 3 * 4)
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
