//! The distance field of a part: all offsets up to a reach, to be looked at while the distance changes.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::sides::Prepared;
use super::volume::{MAX_RESOLUTION, Part};
use base::limits::format_bytes;
use base::random::Random;
use base::{Progress, Result, UserError};
use compute::{Backend, Compute, distance_field};
use geometry::distance_field::{DistanceField, FieldGrid, Reading};
use geometry::{Sides, Surface, Vector};

/// Parameters of a distance field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Greatest distance to both sides of the part, mm.
    pub reach_mm: f64,
    /// Finest samples along the longest axis of the part with its reach.
    pub resolution: u32,
}

/// Least resolution, samples along the longest axis.
const MIN_RESOLUTION: u32 = 16;
/// Deviation above which a brick is divided, in finest sample spacings.
const TOLERANCE: f64 = 0.1;
/// Points at which the field is compared with the part itself.
const PROBES: usize = 2000;

impl Default for Parameters {
    fn default() -> Self {
        Self { reach_mm: 5.0, resolution: 256 }
    }
}

impl Parameters {
    /// Returns an error if a parameter is out of range.
    pub fn check(&self) -> Result<()> {
        if !(self.reach_mm.is_finite() && self.reach_mm > 0.0) {
            return Err(UserError::usage("The reach of a distance field must be a positive number of mm."));
        }
        if !(MIN_RESOLUTION..=MAX_RESOLUTION).contains(&self.resolution) {
            return Err(UserError::usage(format!(
                "The resolution must be from {MIN_RESOLUTION} to {MAX_RESOLUTION} samples, not {}.",
                self.resolution
            )));
        }
        Ok(())
    }
}

/// How far the field is from the true distance, at random points within reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct FieldError {
    /// Number of points.
    pub points: usize,
    /// Absolute deviation that 95 % of the points do not exceed, mm.
    pub p95_mm: f64,
    /// Greatest absolute deviation, mm.
    pub max_mm: f64,
}

/// The distance field of a part.
#[derive(Debug)]
pub struct PartField {
    /// How it was made.
    pub parameters: Parameters,
    /// Distances, nominal frame.
    pub field: DistanceField,
    /// How exact they are.
    pub error: FieldError,
    /// What decided on the sides of the part.
    pub sides: Sides,
    /// What the field depends on, one sentence each.
    pub notes: Vec<String>,
    /// Time for the field, ms.
    pub field_ms: f64,
}

/// Computes the distance field of a part.
///
/// Returns an error if the part has no facets, a parameter is out of range, or the work is cancelled.
pub fn run<'a>(
    backend: &dyn Backend,
    part: impl Into<Part<'a>>,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<PartField> {
    parameters.check()?;
    let part @ Part { surface, .. } = part.into();
    if surface.mesh().facets.is_empty() {
        return Err(UserError::input("A part without facets has no distance field."));
    }
    let grid = FieldGrid::around(surface.bounds(), parameters.reach_mm, parameters.resolution);
    let prepared = Prepared::of(part, -parameters.reach_mm, 0.5 * grid.spacing_mm);
    let solid = prepared.solid(surface);
    let started = Instant::now();
    let request = distance_field::Request { solid: &solid, grid, tolerance_mm: TOLERANCE * grid.spacing_mm };
    let field = backend.compute(&request, &progress.part(0.0, 0.95))?;
    let field_ms = started.elapsed().as_secs_f64() * 1e3;
    progress.report(0.95, "Measuring the distance field")?;
    let error = error(&field, solid.surface());
    let (sides, notes) = (prepared.sides, prepared.notes.clone());
    Ok(PartField { parameters: parameters.clone(), field, error, sides, notes, field_ms })
}

/// Compares absolute distances, so that doubts about sides do not count.
fn error(field: &DistanceField, surface: &Surface) -> FieldError {
    let (bounds, mut random) = (field.grid().bounds(), Random::new(1, 0xF1E1D));
    let mut deviations = Vec::new();
    for _ in 0..20 * PROBES {
        if deviations.len() == PROBES {
            break;
        }
        let share = Vector::from(std::array::from_fn::<f64, 3, _>(|_| random.uniform()));
        let at = bounds.min + share.component_mul(&bounds.size());
        let Some(hit) = surface.closest_point(&at, field.grid().reach_mm) else { continue };
        let read_mm = match field.read(&at) {
            Reading::Distance(mm) => mm.abs(),
            Reading::FarOutside | Reading::FarInside => field.grid().reach_mm,
        };
        deviations.push((read_mm - hit.distance_mm).abs());
    }
    deviations.sort_by(f64::total_cmp);
    let at = |share: f64| deviations.get((share * deviations.len() as f64) as usize).copied();
    let max_mm = deviations.last().copied().unwrap_or_default();
    FieldError { points: deviations.len(), p95_mm: at(0.95).unwrap_or(max_mm), max_mm }
}

impl PartField {
    /// The result in sentences.
    pub fn sentences(&self) -> Vec<String> {
        let grid = self.field.grid();
        let mut sentences = vec![
            format!(
                "All distances up to {} mm on both sides of the part, in {} bricks ({}) with samples from {:.4} mm apart.",
                self.parameters.reach_mm,
                self.field.bricks(),
                format_bytes(self.field.bytes()),
                grid.spacing_mm
            ),
            format!(
                "At {} random points it deviates from the true distance by up to {:.4} mm, by up to {:.4} mm at 95 % of \
                 them.",
                self.error.points, self.error.max_mm, self.error.p95_mm
            ),
        ];
        sentences.extend(self.notes.iter().cloned());
        sentences
    }
}
