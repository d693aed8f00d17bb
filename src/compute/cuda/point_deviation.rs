//! Signed closest-point deviation on a CUDA device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each, require};
use super::flat;
use super::queries::{Candidates, GateParameter, QueriesParameter, resident_normals};
use super::surface::DeviceSurface;
use crate::point_deviation::{MatchState, PointDeviation, Request};
use base::Result;

/// `Request` of point_deviation.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    queries: QueriesParameter,
    indices: u64,
    gate: GateParameter,
}

/// `Answer` of point_deviation.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct AnswerParameter {
    deviation_mm: f64,
    facet: u32,
    state: u32,
}

/// A request resident on a device; can be launched repeatedly.
pub struct PointDeviationJob<'a> {
    driver: Arc<dyn Driver>,
    surface: Arc<DeviceSurface>,
    request: Request<'a>,
    points: Buffer<f64>,
    indices: Buffer<u32>,
    normals: Option<Buffer<f64>>,
    candidates: Candidates,
    answers: Buffer<AnswerParameter>,
}

impl<'a> PointDeviationJob<'a> {
    /// Uploads the points. `surface` is the resident copy of the surface in the request.
    pub(super) fn new(driver: &Arc<dyn Driver>, surface: Arc<DeviceSurface>, request: &Request<'a>) -> Result<Self> {
        let count = request.points.points.len();
        let normals = if request.normals.is_empty() { 0 } else { 24 };
        require(driver.as_ref(), count * (24 + 4 + normals + Candidates::BYTES + 16), "Computing deviations")?;
        Ok(Self {
            driver: Arc::clone(driver),
            surface,
            request: *request,
            points: Buffer::from_slice(driver, flat::of_points(&request.points.points))?,
            indices: Buffer::from_slice(driver, &request.points.numbers)?,
            normals: resident_normals(driver, request.points, request.normals)?,
            candidates: Candidates::new(driver, count)?,
            answers: Buffer::new(driver, count)?,
        })
    }

    /// Launches the computation, without waiting for it.
    pub fn launch(&self) -> Result<()> {
        let (driver, request) = (self.driver.as_ref(), &self.request);
        let parameter = RequestParameter {
            queries: QueriesParameter::new(&self.points, 1, request.nominal_from_scan, request.max_distance_mm),
            indices: self.indices.address(),
            gate: GateParameter::new(self.normals.as_ref(), request.oriented, request.max_angle_rad),
        };
        let surface = self.surface.parameter();
        let candidates = self.candidates.search(driver, &surface, &parameter.queries)?;
        let answers = self.answers.address();
        let arguments: [&[u8]; 4] =
            [bytes_of(&surface), bytes_of(&parameter), bytes_of(&candidates), bytes_of(&answers)];
        launch_each(driver, "signed_closest", parameter.queries.count(), &arguments)
    }

    /// Waits for everything launched.
    pub fn wait(&self) -> Result<()> {
        self.driver.synchronize()
    }

    /// Waits for the answers and downloads them, by point index.
    pub fn read(&self) -> Result<Vec<PointDeviation>> {
        let convert = |answer: &AnswerParameter| PointDeviation {
            deviation_mm: answer.deviation_mm,
            facet: answer.facet,
            state: state_of(answer.state),
        };
        self.answers.read_as(convert)
    }
}

fn state_of(code: u32) -> MatchState {
    [MatchState::Matched, MatchState::TooFar, MatchState::WrongAngle]
        .into_iter()
        .find(|&state| state as u32 == code)
        .unwrap_or(MatchState::BeyondRim)
}
