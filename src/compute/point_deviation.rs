//! Deviation of each scan point: its signed distance from the closest point on the nominal.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result};

use geometry::{OrderedPoints, Pose, Surface, Vector};

/// A request for the deviations of all points.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Surface of the nominal.
    pub surface: &'a Surface,
    /// Points of the scan along a space-filling curve, scan frame, mm.
    pub points: &'a OrderedPoints,
    /// Unit normals by point index, scan frame; empty if unknown. Required by the angle gate.
    pub normals: &'a [Vector],
    /// Whether the normals are consistently oriented; otherwise they are compared up to sign.
    pub oriented: bool,
    /// Transforms the scan into the nominal frame.
    pub nominal_from_scan: &'a Pose,
    /// Maximum distance from the nominal, mm; points farther away have no data.
    pub max_distance_mm: f64,
    /// Maximum angle between the normals of point and nominal, rad; beyond it there is no data. π disables the gate.
    pub max_angle_rad: f64,
}

/// Maximum angle between the surface normal and the direction to a point whose closest point lies on an open rim, rad.
/// Beyond it the point is neither inside nor outside.
pub const MAX_RIM_TILT_RAD: f64 = 30.0 * std::f64::consts::PI / 180.0;

/// Whether a point has a deviation, or why not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum MatchState {
    /// The point has a deviation.
    Matched,
    /// Farther from the nominal than the maximum distance.
    #[default]
    TooFar,
    /// The angle between the normals of point and nominal exceeds the maximum.
    WrongAngle,
    /// Beyond an open rim of the nominal, where inside and outside are undefined.
    BeyondRim,
}

/// Deviation of one point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointDeviation {
    /// Signed deviation, mm, positive outside. Undefined unless matched.
    pub deviation_mm: f64,
    /// Index of the nominal facet closest to the point.
    pub facet: u32,
    /// Whether the deviation is valid.
    pub state: MatchState,
}

impl PointDeviation {
    /// The deviation, or `None` unless matched.
    #[inline]
    pub fn value(&self) -> Option<f64> {
        (self.state == MatchState::Matched).then_some(self.deviation_mm)
    }
}

impl Capability for Request<'_> {
    type Answer = Vec<PointDeviation>;

    const LABEL: &'static str = "Computing deviations";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::point_deviation::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        let job = cuda.prepare_point_deviation(self)?;
        job.launch()?;
        job.read()
    }
}
