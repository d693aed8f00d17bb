//! Neighbourhoods on the device.

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
    places: u64,
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

/// Points resident on a device: looked at as often as wanted, read when wanted.
pub struct NeighbourhoodsJob {
    driver: Arc<dyn Driver>,
    points: DevicePoints,
    places: Buffer<f64>,
    answers: Buffer<AnswerParameter>,
    neighbours: u32,
}

impl NeighbourhoodsJob {
    /// Uploads what the request needs.
    pub(super) fn new(driver: &Arc<dyn Driver>, request: &Request<'_>) -> Result<Self> {
        let places = request.points.places();
        let bytes = DevicePoints::bytes(places.len()) + places.len() * (24 + size_of::<AnswerParameter>());
        require(driver.as_ref(), bytes, "Looking at neighbours")?;
        Ok(Self {
            driver: Arc::clone(driver),
            points: DevicePoints::new(driver, places)?,
            places: Buffer::of(driver, flat::of_points(places))?,
            answers: Buffer::new(driver, places.len())?,
            neighbours: request.wanted() as u32,
        })
    }

    /// Starts looking.
    pub fn launch(&self) -> Result<()> {
        let parameter = RequestParameter {
            points: self.points.parameter(),
            places: self.places.place(),
            neighbours: self.neighbours,
            pad: 0,
        };
        let answers = self.answers.place();
        let count = self.answers.count();
        launch_each(self.driver.as_ref(), "neighbourhoods", count, &[bytes_of(&parameter), bytes_of(&answers)])
    }

    /// The answers, by point number.
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
