//! Signed closest-point deviation on the device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, coordinates, launch_each};
use super::surface::DeviceSurface;
use crate::base::Result;
use crate::compute::point_deviation::{MatchState, PointDeviation, RIM_TILT_RAD, Request};
use crate::geometry::Pose;

/// `Request` of closest_point.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    points: u64,
    normals: u64,
    count: u32,
    oriented: u32,
    pose: [f64; 7],
    max_distance_mm: f64,
    least_cosine: f64,
    rim_tangent: f64,
}

/// Quaternion (i, j, k, w) and translation, as kernels take a pose.
fn pose_parameter(pose: &Pose) -> [f64; 7] {
    let (q, t) = (pose.rotation.quaternion(), pose.translation.vector);
    [q.i, q.j, q.k, q.w, t.x, t.y, t.z]
}

/// One request resident on a device: launched as often as wanted, read when wanted.
pub struct PointDeviationJob<'a> {
    driver: Arc<dyn Driver>,
    surface: Arc<DeviceSurface>,
    request: Request<'a>,
    points: Buffer<f64>,
    normals: Option<Buffer<f64>>,
    deviations: Buffer<f64>,
    facets: Buffer<u32>,
    states: Buffer<u8>,
}

impl<'a> PointDeviationJob<'a> {
    /// Uploads the points. `surface` is the resident twin of the request's.
    pub(super) fn new(driver: &Arc<dyn Driver>, surface: Arc<DeviceSurface>, request: &Request<'a>) -> Result<Self> {
        let count = request.points.points.len();
        let points = coordinates(request.points.points.iter().map(|point| &point.coords));
        let gated = !request.normals.is_empty() && request.max_angle_rad < std::f64::consts::PI;
        let in_order = request.points.numbers.iter().map(|&number| &request.normals[number as usize]);
        let normals = gated.then(|| coordinates(in_order));
        Ok(Self {
            driver: Arc::clone(driver),
            surface,
            request: *request,
            points: Buffer::of(driver, &points)?,
            normals: normals.map(|normals| Buffer::of(driver, &normals)).transpose()?,
            deviations: Buffer::new(driver, count)?,
            facets: Buffer::new(driver, count)?,
            states: Buffer::new(driver, count)?,
        })
    }

    /// Starts the search.
    pub fn launch(&self) -> Result<()> {
        let request = &self.request;
        let count = request.points.points.len();
        let parameter = RequestParameter {
            points: self.points.place(),
            normals: self.normals.as_ref().map_or(0, Buffer::place),
            count: count as u32,
            oriented: u32::from(request.oriented),
            pose: pose_parameter(request.nominal_from_scan),
            max_distance_mm: request.max_distance_mm,
            least_cosine: request.max_angle_rad.cos(),
            rim_tangent: RIM_TILT_RAD.tan(),
        };
        let (surface, deviations) = (self.surface.parameter(), self.deviations.place());
        let (facets, states) = (self.facets.place(), self.states.place());
        let arguments: [&[u8]; 5] =
            [bytes_of(&surface), bytes_of(&parameter), bytes_of(&deviations), bytes_of(&facets), bytes_of(&states)];
        launch_each(self.driver.as_ref(), "signed_closest", count, &arguments)
    }

    /// Waits for what was launched.
    pub fn wait(&self) -> Result<()> {
        self.driver.synchronize()
    }

    /// The answers, by point number.
    pub fn read(&self) -> Result<Vec<PointDeviation>> {
        let (deviations, facets, states) = (self.deviations.read()?, self.facets.read()?, self.states.read()?);
        let answers = deviations
            .iter()
            .zip(&facets)
            .zip(&states)
            .map(|((&deviation_mm, &facet), &state)| PointDeviation { deviation_mm, facet, state: state_of(state) });
        Ok(self.request.points.scatter(&answers.collect::<Vec<_>>()))
    }
}

fn state_of(code: u8) -> MatchState {
    [MatchState::Matched, MatchState::TooFar, MatchState::WrongAngle]
        .into_iter()
        .find(|&state| state as u8 == code)
        .unwrap_or(MatchState::BeyondRim)
}
