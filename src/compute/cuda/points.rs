//! Points on the device, and their tree, built there.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each};
use super::flat;
use super::tree::{self, CurveParameter};
use base::Result;
use geometry::{Aabb, Point};

/// Points in a leaf, at most.
const LEAF_SIZE: u32 = 8;
/// Bytes of a point in the sieve.
const SIEVE_BYTES: usize = 16;

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
    places: u64,
    sieve: u64,
    centre: [f64; 3],
    reach_mm: f64,
}

/// Points resident on a device, in tree order.
pub struct DevicePoints {
    nodes: Buffer<u8>,
    numbers: Buffer<u32>,
    places: Buffer<f64>,
    sieve: Buffer<u8>,
    count: usize,
    centre: [f64; 3],
    reach_mm: f64,
}

impl DevicePoints {
    /// Bytes that `count` points take at most.
    pub fn bytes(count: usize) -> usize {
        count * (24 + 32 + SIEVE_BYTES) + tree::bytes(count)
    }

    /// Uploads `points` and builds their tree.
    pub fn new(driver: &Arc<dyn Driver>, points: &[Point]) -> Result<Self> {
        let bounds = Aabb::of_many(points);
        let (curve, count) = (CurveParameter::new(&bounds), points.len());
        let uploaded = Buffer::of(driver, flat::of_points(points))?;
        let cloud = CloudParameter { points: uploaded.place(), count: count as u32, pad: 0, curve };
        let (keys, numbers) = tree::sorted_keys(driver, "point_keys", bytes_of(&cloud), count)?;
        let (places, sieve) = (Buffer::<f64>::new(driver, 4 * count)?, Buffer::<u8>::new(driver, SIEVE_BYTES * count)?);
        let (number_place, place, sieve_place) = (numbers.place(), places.place(), sieve.place());
        let order: [&[u8]; 4] = [bytes_of(&cloud), bytes_of(&number_place), bytes_of(&place), bytes_of(&sieve_place)];
        launch_each(driver.as_ref(), "point_order", count, &order)?;
        let nodes = tree::nodes(driver, &keys, count, LEAF_SIZE, "point_boxes", &curve.centre, place)?;
        Ok(Self { nodes, numbers, places, sieve, count, centre: curve.centre, reach_mm: 0.5 * bounds.size().max() })
    }

    /// The number of each point in tree order.
    pub(super) fn numbers(&self) -> &Buffer<u32> {
        &self.numbers
    }

    pub(super) fn parameter(&self) -> PointsParameter {
        PointsParameter {
            nodes: self.nodes.place(),
            root: tree::root(self.count, LEAF_SIZE),
            count: self.count as u32,
            places: self.places.place(),
            sieve: self.sieve.place(),
            centre: self.centre,
            reach_mm: self.reach_mm,
        }
    }
}
