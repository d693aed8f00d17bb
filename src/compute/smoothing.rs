//! Median smoothing of point values over neighbours on the same face.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result};

use geometry::{SearchablePoints, Vector};

/// Maximum number of neighbours in the median, the point itself included.
pub const NEIGHBOURS: usize = 24;
/// Maximum number of neighbours that a point is linked to.
pub const LINKS: usize = 8;
/// Marks an unused link.
pub const NO_LINK: u32 = u32::MAX;

/// A request to smooth the values of some points.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The points, mm; finite.
    pub points: &'a SearchablePoints<'a>,
    /// One value per point.
    pub values: &'a [f64],
    /// Normal of the face that each point belongs to. Neighbours with an opposed normal are excluded: on a thin sheet
    /// half of the neighbours lie on the opposite face.
    pub normals: &'a [Vector],
    /// Indices of the points to smooth.
    pub wanted: &'a [u32],
}

/// Smoothed value of one point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothed {
    /// Median over its neighbours; NaN if there are none.
    pub value: f64,
    /// Squared distance to the farthest neighbour, mm².
    pub reach_mm2: f64,
    /// Number of neighbours, the point itself included.
    pub neighbours: u32,
    /// Indices of the nearest neighbours without the point itself; [`NO_LINK`] if there are fewer.
    pub links: [u32; LINKS],
}

impl Capability for Request<'_> {
    type Answer = Vec<Smoothed>;

    const LABEL: &'static str = "Smoothing over neighbours";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::smoothing::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        let job = cuda.prepare_smoothing(self)?;
        job.launch()?;
        job.read()
    }
}
