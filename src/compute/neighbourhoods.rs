//! Local properties of the surface at each point from its nearest neighbours: normal, flatness and point spacing.
//!
//! The normal is the direction of least variance about the neighbours' mean (Hoppe et al., "Surface reconstruction from
//! unorganized points", 1992); its sign is undetermined, see [`geometry::normals`].

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result};

use geometry::{SearchablePoints, Vector};

/// Maximum number of neighbours, the point itself included.
pub const MAX_NEIGHBOURS: usize = 64;

/// A request for the neighbourhoods of all points.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The points, mm; finite.
    pub points: &'a SearchablePoints<'a>,
    /// Number of neighbours per point, the point itself included; clamped to 1..=[`MAX_NEIGHBOURS`].
    pub neighbours: usize,
}

impl Request<'_> {
    /// Number of neighbours per point after clamping.
    pub fn neighbour_count(&self) -> usize {
        self.neighbours.clamp(1, MAX_NEIGHBOURS)
    }
}

/// Neighbourhood of one point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Neighbourhood {
    /// Unit direction of least variance, its component of largest magnitude positive. Arbitrary if the neighbours do
    /// not span a plane.
    pub normal: Vector,
    /// Surface variation (Pauly et al. 2002): share of the variance along the normal, 0 on a plane, 1/3 if isotropic.
    pub variation: f64,
    /// Mean distance to the other neighbours, mm; 0 if there are none.
    pub mean_mm: f64,
    /// Distance to the farthest neighbour, mm.
    pub reach_mm: f64,
    /// Number of neighbours found, the point itself included.
    pub neighbours: u32,
}

impl Neighbourhood {
    /// Surface area represented by the point, mm²: the disc through its farthest neighbour, divided by the number of
    /// neighbours. As a weight it removes the influence of uneven point density from a fit.
    pub fn area_mm2(&self) -> f64 {
        std::f64::consts::PI * self.reach_mm * self.reach_mm / f64::from(self.neighbours.max(1))
    }
}

impl Capability for Request<'_> {
    type Answer = Vec<Neighbourhood>;

    const LABEL: &'static str = "Analysing neighbourhoods";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::neighbourhoods::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        let job = cuda.prepare_neighbourhoods(self)?;
        job.launch()?;
        job.read()
    }
}
