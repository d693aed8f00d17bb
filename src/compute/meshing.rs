//! Meshing of measured points: the facets of their alpha shape along the surface (Edelsbrunner, Kirkpatrick and Seidel,
//! "On the shape of a set of points in the plane", 1983), so that holes wider than a few point spacings stay open.
//!
//! Each point finds its Delaunay neighbours in its own tangent plane; a facet stands where its three corners agree on it.
//! Points in which no facet ends, such as stray ones, are left out.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result};
use geometry::OrderedPoints;

/// A request to mesh points.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The points, mm; finite.
    pub points: &'a OrderedPoints,
}

/// Facets between measured points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facets {
    /// Indices of the corners in the points, in no particular sense of rotation, in an order that keeps neighbours together.
    pub corners: Vec<[u32; 3]>,
    /// Unit normal of the surface at each point, of either sign; zero where there are too few neighbours.
    pub normals: Vec<[f32; 3]>,
    /// Mean distance between neighbouring points, mm: of points spread evenly, the edge of the square that each has.
    pub spacing_mm: f64,
    /// Number of points that are a corner of no facet.
    pub left_out: usize,
}

impl Facets {
    /// Of so many points, between which there are none.
    pub(super) fn none(points: usize) -> Self {
        Self { normals: vec![[0.0; 3]; points], left_out: points, ..Self::default() }
    }

    /// Allocated memory, bytes.
    pub fn bytes(&self) -> u64 {
        (self.corners.capacity() * size_of::<[u32; 3]>() + self.normals.capacity() * size_of::<[f32; 3]>()) as u64
    }
}

impl Capability for Request<'_> {
    type Answer = Facets;

    const LABEL: &'static str = "Meshing";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::meshing::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, progress: &Progress) -> Result<Self::Answer> {
        match cuda.prepare_meshing(self)? {
            Some(job) => job.read(&job.launch(progress)?),
            None => Ok(Facets::none(self.points.points.len())),
        }
    }
}
