//! Deviation of each scan point: the signed distance to the closest point of the nominal.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result};

use geometry::{OrderedPoints, Pose, Surface, Vector};

/// What is asked.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The nominal.
    pub surface: &'a Surface,
    /// The scan's points along a space-filling curve, scan frame, mm.
    pub points: &'a OrderedPoints,
    /// Unit normals by point number, scan frame; empty where unknown. Needed by the angle gate.
    pub normals: &'a [Vector],
    /// Whether the normals know their sign; otherwise they are compared up to it.
    pub oriented: bool,
    /// Moves the scan onto the nominal.
    pub nominal_from_scan: &'a Pose,
    /// Points farther than this have no data, mm.
    pub max_distance_mm: f64,
    /// Points whose normal leans more than this from the nominal's have no data, rad; π for no gate.
    pub max_angle_rad: f64,
}

/// Points beyond an open rim by more than this lean from the surface's normal have no side, rad.
pub const RIM_TILT_RAD: f64 = 30.0 * std::f64::consts::PI / 180.0;

/// Why a point has a deviation, or none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum MatchState {
    /// It has one.
    Matched,
    /// Farther from the nominal than the largest distance asked for.
    #[default]
    TooFar,
    /// Its normal leans too far from the nominal's.
    WrongAngle,
    /// Beyond an open rim of the nominal, where there is no inside or outside.
    BeyondRim,
}

/// The answer for one point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointDeviation {
    /// Signed deviation, mm: + outside. Meaningless unless matched.
    pub deviation_mm: f64,
    /// The nominal facet it was measured to.
    pub facet: u32,
    /// Whether there is one.
    pub state: MatchState,
}

impl PointDeviation {
    /// The deviation, where there is one.
    #[inline]
    pub fn value(&self) -> Option<f64> {
        (self.state == MatchState::Matched).then_some(self.deviation_mm)
    }
}

impl Capability for Request<'_> {
    type Answer = Vec<PointDeviation>;

    const STAGE: &'static str = "Measuring deviations";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::point_deviation::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        let job = cuda.prepare_point_deviation(self)?;
        job.launch()?;
        job.read()
    }
}
