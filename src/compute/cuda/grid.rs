//! Points on a CUDA device, and the grid of cubic cells that they are sorted into.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each};
use super::{flat, sort};
use base::Result;
use geometry::Point;

/// `Grid` of lib/grid.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct GridParameter {
    points: u64,
    pub count: u32,
    pad: u32,
    origin: [f64; 3],
    cell_mm: f64,
}

/// Points resident on a device.
pub struct DeviceGrid {
    /// What `parameter` points to.
    _points: Buffer<f64>,
    pub parameter: GridParameter,
}

impl DeviceGrid {
    /// Uploads `points`; `origin` is the min corner of the grid.
    pub fn new(driver: &Arc<dyn Driver>, points: &[Point], origin: &Point, cell_mm: f64) -> Result<Self> {
        let uploaded = Buffer::from_slice(driver, flat::of_points(points))?;
        let (count, origin) = (points.len() as u32, (*origin).into());
        let parameter = GridParameter { points: uploaded.address(), count, pad: 0, origin, cell_mm };
        Ok(Self { _points: uploaded, parameter })
    }

    /// Point indices sorted by the keys that `kernel` computes, the least significant first: each with its code and its
    /// number of bits. Points with equal keys keep their order.
    pub fn sorted(&self, driver: &Arc<dyn Driver>, kernel: &'static str, keys: &[(u32, u32)]) -> Result<Buffer<u32>> {
        let count = self.parameter.count as usize;
        let first: Vec<u32> = (0..self.parameter.count).collect();
        let mut order = Buffer::from_slice(driver, &first)?;
        for &(key, bits) in keys {
            let values = Buffer::<u32>::new(driver, count)?;
            let (from, to) = (order.address(), values.address());
            let arguments: [&[u8]; 4] = [bytes_of(&self.parameter), bytes_of(&key), bytes_of(&from), bytes_of(&to)];
            launch_each(driver.as_ref(), kernel, count, &arguments)?;
            (_, order) = sort::by_key(driver, values, order, count, bits)?;
        }
        Ok(order)
    }
}
