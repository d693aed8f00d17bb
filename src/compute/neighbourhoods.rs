//! What the nearest neighbours of each point say of the surface there: its normal, how flat it is, how dense the points.
//!
//! The normal is the direction of least spread about the neighbours' mean (Hoppe et al., "Surface reconstruction from
//! unorganized points", 1992); its sign is open, see [`geometry::normals`].

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result};

use geometry::{SearchablePoints, Vector};

/// The most neighbours that can be asked for, the point itself included.
pub const MOST: usize = 64;

/// What is asked.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The points, mm; finite.
    pub points: &'a SearchablePoints<'a>,
    /// Neighbours of each, the point itself included; taken as at least 1 and at most [`MOST`].
    pub neighbours: usize,
}

impl Request<'_> {
    /// Neighbours looked for.
    pub fn wanted(&self) -> usize {
        self.neighbours.clamp(1, MOST)
    }
}

/// One point's neighbourhood.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Neighbourhood {
    /// Unit direction of least spread; of two signs the one whose largest coordinate is positive. Any direction where
    /// the neighbours do not span a plane.
    pub normal: Vector,
    /// Share of the spread along the normal: 0 on a plane, 1/3 in a ball (Pauly et al. 2002, surface variation).
    pub variation: f64,
    /// Mean distance of the other neighbours, mm; 0 where there is none.
    pub mean_mm: f64,
    /// Distance of the farthest, mm.
    pub reach_mm: f64,
    /// How many neighbours there are, the point itself included.
    pub neighbours: u32,
}

impl Neighbourhood {
    /// The area that the point stands for, mm²: its share of the disc that its neighbours fill. As a weight it takes
    /// from a fit what uneven density would bring in.
    pub fn area_mm2(&self) -> f64 {
        std::f64::consts::PI * self.reach_mm * self.reach_mm / f64::from(self.neighbours.max(1))
    }
}

impl Capability for Request<'_> {
    type Answer = Vec<Neighbourhood>;

    const STAGE: &'static str = "Looking at neighbours";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::neighbourhoods::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        let job = cuda.prepare_neighbourhoods(self)?;
        job.launch()?;
        job.read()
    }
}
