//! Construction of trees on the device from Morton keys.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each};
use super::sort;
use base::{Result, UserError};
use geometry::Aabb;

const LEAF_BIT: u32 = 1 << 31;
const NONE: u32 = u32::MAX;
/// Bits of a Morton key.
const KEY_BITS: u32 = 30;
/// Number of cells of a Morton key along the longest side of the bounding box.
const CELLS: f64 = 1023.0;
/// Maximum number of primitives: the leaf codes of tree.cuh hold 28 bits of the first one.
const MAX_PRIMITIVES: usize = 1 << 28;
/// Bytes of `Node` of tree.cuh.
const NODE_BYTES: usize = 64;

/// `Curve` of morton.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct CurveParameter {
    origin: [f64; 3],
    cells_per_mm: f64,
    /// Origin of the f32 coordinates, mm.
    pub centre: [f64; 3],
}

impl CurveParameter {
    /// The curve through the cells of `bounds`.
    pub fn new(bounds: &Aabb) -> Self {
        let longest_mm = bounds.size().max();
        let cells_per_mm = if longest_mm > 0.0 { CELLS / longest_mm } else { 0.0 };
        Self { origin: bounds.min.into(), cells_per_mm, centre: bounds.centre().into() }
    }
}

/// Code of the root: a node, the only leaf, or `NONE` for an empty tree.
pub fn root(count: usize, leaf_size: u32) -> u32 {
    match count {
        0 => NONE,
        few if few <= leaf_size as usize => LEAF_BIT | (few as u32 - 1),
        _ => 0,
    }
}

/// Device memory for building a tree over `count` primitives, bytes, without the primitives: keys and indices twice,
/// nodes, parents and arrivals.
pub fn bytes(count: usize) -> usize {
    count * (4 * 4 + NODE_BYTES + 3 * 4)
}

/// Returns an error if there are more primitives than a tree can index.
fn check_count(count: usize) -> Result<()> {
    if count > MAX_PRIMITIVES {
        return Err(UserError::input(format!(
            "On a CUDA device, at most {MAX_PRIMITIVES} points or facets can be indexed, but there are {count}."
        )));
    }
    Ok(())
}

/// Morton keys and indices of `count` primitives in key order. `kernel` computes the keys; `primitives` is its first
/// parameter. Returns an error if there are more primitives than a tree can index.
pub fn sorted_keys(
    driver: &Arc<dyn Driver>,
    kernel: &'static str,
    primitives: &[u8],
    count: usize,
) -> Result<(Buffer<u32>, Buffer<u32>)> {
    check_count(count)?;
    let (keys, indices) = (Buffer::<u32>::new(driver, count)?, Buffer::<u32>::new(driver, count)?);
    let (of_keys, of_indices) = (keys.address(), indices.address());
    launch_each(driver.as_ref(), kernel, count, &[primitives, bytes_of(&of_keys), bytes_of(&of_indices)])?;
    sort::by_key(driver, keys, indices, count, KEY_BITS)
}

/// Builds the nodes over primitives with sorted keys. `boxes` is the kernel that computes the bounding boxes from the
/// leaves up; `primitives` is the address of the primitives in tree order.
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
    let (of_keys, of_nodes, count_u32) = (keys.address(), nodes.address(), count as u32);
    let (of_node_parents, of_leaf_parents) = (node_parents.address(), leaf_parents.address());
    let of_arrivals = arrivals.address();
    let links: [&[u8]; 6] = [
        bytes_of(&of_keys),
        bytes_of(&count_u32),
        bytes_of(&leaf_size),
        bytes_of(&of_nodes),
        bytes_of(&of_node_parents),
        bytes_of(&of_leaf_parents),
    ];
    launch_each(driver.as_ref(), "tree_links", count - 1, &links)?;
    let climb: [&[u8]; 7] = [
        bytes_of(centre),
        bytes_of(&primitives),
        bytes_of(&count_u32),
        bytes_of(&of_nodes),
        bytes_of(&of_node_parents),
        bytes_of(&of_leaf_parents),
        bytes_of(&of_arrivals),
    ];
    launch_each(driver.as_ref(), boxes, count, &climb)?;
    Ok(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_primitives_than_leaf_codes_can_hold_are_an_error() {
        assert!(check_count(MAX_PRIMITIVES).is_ok());
        assert!(check_count(MAX_PRIMITIVES + 1).is_err());
    }
}
