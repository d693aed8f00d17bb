//! Thickness of walls and width of gaps: how far it is from a point of a surface to the opposite side.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result, UserError};
use geometry::{OrderedPoints, Surface, Vector};
use serde::{Deserialize, Serialize};

/// What lies between the two sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Between {
    /// Material: the thickness of a wall.
    #[default]
    Material,
    /// Air: the width of a gap.
    Air,
}

/// How it is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Diameter of the largest ball that touches the surface at the point and has no opposite side in it; none where that
    /// does not fit between two other sides that face each other.
    #[default]
    Ball,
    /// Length of the normal to the opposite side; none where the normal first leaves through a side at an angle.
    Ray,
}

/// A request for the distance to the opposite side at points of a surface.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The surface, facing outward.
    pub surface: &'a Surface,
    /// Points of the surface along a space-filling curve, mm.
    pub points: &'a OrderedPoints,
    /// Unit normals of their facets, outward, by point index.
    pub normals: &'a [Vector],
    /// What lies between the sides.
    pub between: Between,
    /// How it is measured.
    pub method: Method,
    /// Greatest thickness that is looked for, mm.
    pub max_mm: f64,
}

/// Least cosine between the direction from a point to the opposite side and the direction in which that side faces:
/// walls at right angles to each other are not opposite.
pub(super) const MIN_COSINE: f64 = 0.5;
/// Shrinking of the ball that still counts, relative.
pub(super) const CONVERGED: f64 = 1e-9;
/// Most steps of a shrinking ball.
pub(super) const MAX_STEPS: usize = 64;
/// Sides that face each other at less than this share of the diameter of a ball leave no room for it.
pub(super) const FITS: f64 = 0.95;
/// Distance between surfaces that touch, in extents of the surface.
pub(super) const CONTACT: f64 = 1e-9;

impl Request<'_> {
    /// 1 if directions are those of the normals, -1 if they are reversed.
    pub(super) fn sign(&self) -> f64 {
        match self.between {
            Between::Material => -1.0,
            Between::Air => 1.0,
        }
    }

    /// Distance between surfaces that touch, mm.
    pub(super) fn contact_mm(&self) -> f64 {
        CONTACT * self.surface.bounds().diagonal()
    }
}

impl Capability for Request<'_> {
    /// Thickness, mm, by point index; `None` if there is no opposite side within the greatest thickness.
    type Answer = Vec<Option<f64>>;

    const LABEL: &'static str = "Measuring thickness";

    fn check(&self) -> Result<()> {
        if self.max_mm.is_finite() && self.max_mm > 0.0 {
            return Ok(());
        }
        Err(UserError::usage("The greatest thickness to look for must be a positive number of mm."))
    }

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::thickness::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        // What counts of the answers is decided in one place for all devices.
        let job = cuda.prepare_thickness(self)?;
        job.launch()?;
        Ok(cpu::thickness::confirmed(self, job.read()?))
    }
}
