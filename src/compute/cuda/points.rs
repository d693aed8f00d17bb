//! Points on the device and the tree over them, which is built there.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each};
use super::flat;
use super::tree::{self, CurveParameter};
use base::Result;
use geometry::{Aabb, Point};

/// Maximum number of points per leaf.
const LEAF_SIZE: u32 = 8;
/// Bytes of a point in the pre-filter.
const PRE_FILTER_BYTES: usize = 16;

/// `Cloud` of point_tree.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct CloudParameter {
    points: u64,
    count: u32,
    pad: u32,
    curve: CurveParameter,
}

/// `Points` of points.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct PointsParameter {
    nodes: u64,
    root: u32,
    count: u32,
    positions: u64,
    pre_filter: u64,
    centre: [f64; 3],
    half_extent_mm: f64,
}

/// Points resident on a device, in tree order.
pub struct DevicePoints {
    nodes: Buffer<u8>,
    indices: Buffer<u32>,
    positions: Buffer<f64>,
    pre_filter: Buffer<u8>,
    count: usize,
    centre: [f64; 3],
    half_extent_mm: f64,
}

impl DevicePoints {
    /// Maximum device memory for `count` points and building their tree, bytes.
    pub fn bytes(count: usize) -> usize {
        count * (24 + 32 + PRE_FILTER_BYTES) + tree::bytes(count)
    }

    /// Uploads `points` and builds their tree.
    pub fn new(driver: &Arc<dyn Driver>, points: &[Point]) -> Result<Self> {
        let bounds = Aabb::of_points_parallel(points);
        let (curve, count) = (CurveParameter::new(&bounds), points.len());
        let uploaded = Buffer::from_slice(driver, flat::of_points(points))?;
        let cloud = CloudParameter { points: uploaded.address(), count: count as u32, pad: 0, curve };
        let (keys, indices) = tree::sorted_keys(driver, "point_keys", bytes_of(&cloud), count)?;
        let positions = Buffer::<f64>::new(driver, 4 * count)?;
        let pre_filter = Buffer::<u8>::new(driver, PRE_FILTER_BYTES * count)?;
        let (of_indices, of_positions, of_pre_filter) = (indices.address(), positions.address(), pre_filter.address());
        let arguments: [&[u8]; 4] =
            [bytes_of(&cloud), bytes_of(&of_indices), bytes_of(&of_positions), bytes_of(&of_pre_filter)];
        launch_each(driver.as_ref(), "point_order", count, &arguments)?;
        let nodes = tree::nodes(driver, &keys, count, LEAF_SIZE, "point_boxes", &curve.centre, of_positions)?;
        let half_extent_mm = 0.5 * bounds.size().max();
        Ok(Self { nodes, indices, positions, pre_filter, count, centre: curve.centre, half_extent_mm })
    }

    /// Point indices in tree order.
    pub(super) fn indices(&self) -> &Buffer<u32> {
        &self.indices
    }

    pub(super) fn parameter(&self) -> PointsParameter {
        PointsParameter {
            nodes: self.nodes.address(),
            root: tree::root(self.count, LEAF_SIZE),
            count: self.count as u32,
            positions: self.positions.address(),
            pre_filter: self.pre_filter.address(),
            centre: self.centre,
            half_extent_mm: self.half_extent_mm,
        }
    }
}
