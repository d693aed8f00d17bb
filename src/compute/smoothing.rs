//! Values of points smoothed over neighbours of the same face.

use super::cuda::Cuda;
use super::{Capability, cpu, cuda};
use base::{Progress, Result};

use geometry::{SearchablePoints, Vector};

/// Neighbours that smooth a value, the point itself included.
pub const NEIGHBOURS: usize = 24;
/// Neighbours that a point is linked to.
pub const LINKS: usize = 8;
/// Marks a link that is not used.
pub const NO_LINK: u32 = u32::MAX;

/// What is smoothed.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The points, mm; finite.
    pub points: &'a SearchablePoints<'a>,
    /// A value for each.
    pub values: &'a [f64],
    /// The normal of the face that each belongs to. Neighbours that look the other way do not count: on a thin sheet
    /// half of them lie on the other face.
    pub normals: &'a [Vector],
    /// The points to smooth, by their numbers.
    pub wanted: &'a [u32],
}

/// One point smoothed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Smoothed {
    /// The median over its neighbours.
    pub value: f64,
    /// Squared distance of the farthest of them, mm².
    pub reach_mm2: f64,
    /// How many they are.
    pub neighbours: u32,
    /// The nearest of them, the point itself left out.
    pub links: [u32; LINKS],
}

impl Capability for Request<'_> {
    type Answer = Vec<Smoothed>;

    const STAGE: &'static str = "Smoothing over neighbours";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::smoothing::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        cuda::smoothing::run(cuda.driver(), self)
    }
}
