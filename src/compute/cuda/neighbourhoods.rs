//! Neighbourhoods on a CUDA device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each, require};
use super::flat;
use super::points::{DevicePoints, PointsParameter};
use crate::neighbourhoods::{Neighbourhood, Request};
use base::Result;
use geometry::Vector;

/// `Request` of neighbourhoods.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    points: PointsParameter,
    positions: u64,
    neighbours: u32,
    pad: u32,
}

/// `Neighbourhood` of neighbourhoods.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct AnswerParameter {
    normal: [f64; 3],
    variation: f64,
    mean_mm: f64,
    reach_mm: f64,
    count: u32,
    pad: u32,
}

/// Points resident on a device; the computation can be repeated.
pub struct NeighbourhoodsJob {
    driver: Arc<dyn Driver>,
    points: DevicePoints,
    /// By point index, unlike those of the tree.
    positions: Buffer<f64>,
    answers: Buffer<AnswerParameter>,
    neighbours: u32,
}

impl NeighbourhoodsJob {
    /// Uploads the points.
    pub(super) fn new(driver: &Arc<dyn Driver>, request: &Request<'_>) -> Result<Self> {
        let points = request.points.points();
        let bytes = DevicePoints::bytes(points.len()) + points.len() * (24 + size_of::<AnswerParameter>());
        require(driver.as_ref(), bytes, "Analysing neighbourhoods")?;
        Ok(Self {
            driver: Arc::clone(driver),
            points: DevicePoints::new(driver, points)?,
            positions: Buffer::from_slice(driver, flat::of_points(points))?,
            answers: Buffer::new(driver, points.len())?,
            neighbours: request.neighbour_count() as u32,
        })
    }

    /// Launches the computation, without waiting for it.
    pub fn launch(&self) -> Result<()> {
        let parameter = RequestParameter {
            points: self.points.parameter(),
            positions: self.positions.address(),
            neighbours: self.neighbours,
            pad: 0,
        };
        let answers = self.answers.address();
        let count = self.answers.count();
        launch_each(self.driver.as_ref(), "neighbourhoods", count, &[bytes_of(&parameter), bytes_of(&answers)])
    }

    /// Waits for the answers and downloads them, by point index.
    pub fn read(&self) -> Result<Vec<Neighbourhood>> {
        self.answers.read_as(|answer| Neighbourhood {
            normal: Vector::from(answer.normal),
            variation: answer.variation,
            mean_mm: answer.mean_mm,
            reach_mm: answer.reach_mm,
            neighbours: answer.count,
        })
    }
}
