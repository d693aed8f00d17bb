//! Signed distance fields of surfaces, see [`DistanceField`].

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result, UserError};
use geometry::distance_field::{DistanceField, FieldGrid};
use geometry::{Sides, SolidSurface};

/// A request for the distances of a surface at the samples of a grid.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The surface, and what decides on its sides.
    pub solid: &'a SolidSurface<'a>,
    /// Where samples may lie.
    pub grid: FieldGrid,
    /// Deviation from the interpolated distance above which a brick is divided, mm; the finest ones are not.
    pub tolerance_mm: f64,
}

/// Share of the error of a brick that is expected in its children where the distance has a ridge; where it is smooth, it
/// is half of that.
pub(super) const SHARE_OF_CHILDREN: f64 = 0.5;

impl Capability for Request<'_> {
    type Answer = DistanceField;

    const LABEL: &'static str = "Computing the distance field";

    fn check(&self) -> Result<()> {
        let numbers = [self.tolerance_mm, self.grid.spacing_mm, self.grid.reach_mm];
        if numbers.iter().all(|number| number.is_finite() && *number > 0.0) {
            return Ok(());
        }
        Err(UserError::usage("Tolerance, spacing and reach of a distance field must be positive."))
    }

    fn on_cpu(&self, progress: &Progress) -> Result<DistanceField> {
        cpu::distance_field::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, progress: &Progress) -> Result<DistanceField> {
        // Winding numbers are computed on the CPU alone.
        if self.solid.sides() == Sides::WindingNumbers {
            return self.on_cpu(progress);
        }
        cuda.prepare_distance_field(self)?.run(progress)
    }
}
