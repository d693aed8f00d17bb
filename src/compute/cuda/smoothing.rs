//! Median smoothing on a CUDA device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each, require};
use super::flat;
use super::points::{DevicePoints, PointsParameter};
use crate::Capability;
use crate::smoothing::{LINKS, Request, Smoothed};
use base::Result;

/// `Request` of smoothing.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    points: PointsParameter,
    values: u64,
    normals: u64,
}

/// `Smoothed` of smoothing.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct AnswerParameter {
    value: f64,
    reach_mm2: f64,
    links: [u32; LINKS],
    count: u32,
    pad: u32,
}

/// Points with values, resident on a device; the computation can be repeated.
pub struct SmoothingJob {
    driver: Arc<dyn Driver>,
    points: DevicePoints,
    values: Buffer<f64>,
    normals: Buffer<f64>,
    answers: Buffer<AnswerParameter>,
    wanted: Vec<u32>,
}

impl SmoothingJob {
    /// Uploads points, values and normals.
    pub(super) fn new(driver: &Arc<dyn Driver>, request: &Request<'_>) -> Result<Self> {
        let count = request.values.len();
        let bytes = DevicePoints::bytes(count) + count * (8 + 24 + size_of::<AnswerParameter>());
        require(driver.as_ref(), bytes, Request::LABEL)?;
        Ok(Self {
            driver: Arc::clone(driver),
            points: DevicePoints::new(driver, request.points.points())?,
            values: Buffer::from_slice(driver, request.values)?,
            normals: Buffer::from_slice(driver, flat::of_vectors(request.normals))?,
            answers: Buffer::new(driver, count)?,
            wanted: request.wanted.to_vec(),
        })
    }

    /// Launches the smoothing of all points, without waiting for it.
    pub fn launch(&self) -> Result<()> {
        let parameter = RequestParameter {
            points: self.points.parameter(),
            values: self.values.address(),
            normals: self.normals.address(),
        };
        let answers = self.answers.address();
        let count = self.answers.count();
        launch_each(self.driver.as_ref(), "smooth", count, &[bytes_of(&parameter), bytes_of(&answers)])
    }

    /// Waits for the answers and downloads those requested.
    pub fn read(&self) -> Result<Vec<Smoothed>> {
        let all: Vec<Smoothed> = self.answers.read_as(|answer| Smoothed {
            value: answer.value,
            reach_mm2: answer.reach_mm2,
            neighbours: answer.count,
            links: answer.links,
        })?;
        Ok(self.wanted.iter().map(|&index| all[index as usize]).collect())
    }
}
