//! Smoothing on the device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each, require};
use super::flat;
use super::points::{DevicePoints, PointsParameter};
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

/// Smooths, and waits for the answers by point number.
pub(crate) fn run(driver: &Arc<dyn Driver>, request: &Request<'_>) -> Result<Vec<Smoothed>> {
    let count = request.values.len();
    let bytes = DevicePoints::bytes(count) + count * (8 + 24 + size_of::<AnswerParameter>());
    require(driver.as_ref(), bytes, "Smoothing over neighbours")?;
    let points = DevicePoints::new(driver, request.points.places())?;
    let values = Buffer::of(driver, request.values)?;
    let normals = Buffer::of(driver, flat::of_vectors(request.normals))?;
    let answers = Buffer::<AnswerParameter>::new(driver, count)?;
    let parameter = RequestParameter { points: points.parameter(), values: values.place(), normals: normals.place() };
    let place = answers.place();
    launch_each(driver.as_ref(), "smooth", count, &[bytes_of(&parameter), bytes_of(&place)])?;
    let all: Vec<Smoothed> = answers.read_as(|answer| Smoothed {
        value: answer.value,
        reach_mm2: answer.reach_mm2,
        neighbours: answer.count,
        links: answer.links,
    })?;
    Ok(request.wanted.iter().map(|&number| all[number as usize]).collect())
}
