//! Best fit within tolerance: the part is moved no further than needed to bring its deviations within their limits, and
//! where that cannot be, to where they exceed them least.

use nalgebra::{Matrix6, Vector6};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Main;
use crate::alignment::Alignment;
use crate::deviation::Tolerance;
use crate::parts::{Actual, Nominal};
use base::{Progress, Result, UserError};
use compute::point_deviation::{self, PointDeviation};
use compute::{Backend, Compute as _};
use geometry::{Point, Pose, Vector, transform};

const MAX_STEPS: usize = 60;
/// Motion that ends the fit, mm.
const STEP_LIMIT_MM: f64 = 1e-9;
/// Greatest number of halvings of a step that does not lower the excess.
const MAX_HALVINGS: usize = 12;
/// How far inside their limits deviations are brought, mm: at the very limit, rounding decides.
const MARGIN_MM: f64 = 1e-6;
/// Points summed at a time, so that sums do not depend on the number of threads.
const CHUNK: usize = 4096;

/// The limits, and which points count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToleranceFit {
    /// The limits of the deviations.
    pub tolerance: Tolerance,
    /// Maximum distance of a point from the nominal, mm.
    pub max_distance_mm: f64,
    /// Maximum angle between the normals of a point and its facet, degrees.
    pub max_angle_deg: f64,
}

/// The deviations beyond the limits in a pose.
struct Excess {
    /// Sum of squares, with a margin, mm².
    squares: f64,
    largest_mm: f64,
    /// Points beyond the limits themselves.
    points: usize,
    /// Points near the nominal.
    matched: usize,
    /// Normal equations of the squares: rotation x, y, z about the pivot times the lever, then translation.
    hessian: Matrix6<f64>,
    gradient: Vector6<f64>,
}

/// Aligns from `start`.
///
/// Returns an error if the limits are invalid, no point is near the nominal, the backend fails or the work is
/// cancelled.
pub fn align(
    backend: &dyn Backend,
    nominal: &Nominal,
    actual: &Actual,
    wanted: &ToleranceFit,
    start: &Pose,
    progress: &Progress,
) -> Result<Alignment> {
    wanted.tolerance.check()?;
    let bounds = nominal.surface.bounds();
    let (pivot, lever_mm) = (bounds.centre(), (0.5 * bounds.diagonal()).max(f64::MIN_POSITIVE));
    let excess = |pose: &Pose, progress: &Progress| -> Result<Excess> {
        let request = point_deviation::Request {
            surface: &nominal.surface,
            points: &actual.prepared.ordered,
            normals: &actual.prepared.normals,
            oriented: actual.prepared.oriented,
            nominal_from_scan: pose,
            max_distance_mm: wanted.max_distance_mm.max(2.0 * wanted.tolerance.largest_mm()),
            max_angle_rad: wanted.max_angle_deg.to_radians(),
        };
        let deviations = backend.compute(&request, progress)?;
        Ok(summed(nominal, &actual.cloud.points, &deviations, &wanted.tolerance, pose, (&pivot, lever_mm)))
    };
    let silent = Progress::silent();
    let mut pose = *start;
    let mut now = excess(&pose, progress)?;
    if now.matched == 0 {
        return Err(UserError::input(format!(
            "No point lies within {} mm of the nominal; align the scan first.",
            wanted.max_distance_mm
        )));
    }
    let (mut iterations, mut converged) = (0, now.points == 0);
    while iterations < MAX_STEPS && !converged {
        progress.report(iterations as f32 / MAX_STEPS as f32, "Fitting within tolerance")?;
        iterations += 1;
        // Directions that no excess acts on are left alone.
        let Ok(inverse) = now.hessian.pseudo_inverse(1e-9 * now.hessian.trace()) else { break };
        let mut step = -(inverse * now.gradient);
        let length_mm = |step: &Vector6<f64>| step.fixed_rows::<3>(0).norm() + step.fixed_rows::<3>(3).norm();
        converged = true;
        for _ in 0..MAX_HALVINGS {
            if length_mm(&step) < STEP_LIMIT_MM {
                break;
            }
            let turn = Vector::new(step[0], step[1], step[2]) / lever_mm;
            let shift = Vector::new(step[3], step[4], step[5]);
            let mut moved = transform::step_about(&pivot, turn, shift) * pose;
            moved.rotation.renormalize();
            let then = excess(&moved, &silent)?;
            // Points that leave the vicinity of the nominal would otherwise lower the sum.
            if then.squares < now.squares && then.matched >= now.matched - now.matched / 1000 {
                converged = then.squares == 0.0;
                (pose, now) = (moved, then);
                break;
            }
            progress.check()?;
            step *= 0.5;
        }
    }
    let main = Main::WithinTolerance {
        tolerance: wanted.tolerance,
        points_beyond: now.points,
        largest_excess_mm: now.largest_mm,
        is_moved: pose != *start,
    };
    let overlap = now.matched as f64 / actual.cloud.points.len().max(1) as f64;
    Ok(Alignment { iterations, converged, overlap, main: Some(main), ..Alignment::given(pose) })
}

/// The excess of the deviations, with its derivatives by a motion of the part.
fn summed(
    nominal: &Nominal,
    points: &[Point],
    deviations: &[PointDeviation],
    tolerance: &Tolerance,
    pose: &Pose,
    (pivot, lever_mm): (&Point, f64),
) -> Excess {
    let margin_mm = MARGIN_MM.min(0.25 * (tolerance.high_mm - tolerance.low_mm));
    let of_chunk = |(points, deviations): (&[Point], &[PointDeviation])| {
        let mut sum = Excess::default();
        for (point, deviation) in points.iter().zip(deviations) {
            let Some(value_mm) = deviation.value() else { continue };
            sum.matched += 1;
            let excess_mm = value_mm - value_mm.clamp(tolerance.low_mm, tolerance.high_mm);
            sum.points += usize::from(excess_mm != 0.0);
            sum.largest_mm = sum.largest_mm.max(excess_mm.abs());
            let aimed_mm = value_mm - value_mm.clamp(tolerance.low_mm + margin_mm, tolerance.high_mm - margin_mm);
            if aimed_mm == 0.0 {
                continue;
            }
            let normal = nominal.surface.mesh().normal(deviation.facet as usize);
            let turn = (pose * point - pivot).cross(&normal) / lever_mm;
            let row = Vector6::new(turn.x, turn.y, turn.z, normal.x, normal.y, normal.z);
            sum.squares += aimed_mm * aimed_mm;
            sum.hessian += row * row.transpose();
            sum.gradient += row * aimed_mm;
        }
        sum
    };
    let chunks = points.par_chunks(CHUNK).zip(deviations.par_chunks(CHUNK));
    let sums: Vec<Excess> = chunks.map(of_chunk).collect();
    sums.into_iter().fold(Excess::default(), |mut sum, own| {
        sum.matched += own.matched;
        sum.points += own.points;
        sum.squares += own.squares;
        sum.largest_mm = sum.largest_mm.max(own.largest_mm);
        sum.hessian += own.hessian;
        sum.gradient += own.gradient;
        sum
    })
}

impl Default for Excess {
    fn default() -> Self {
        let (hessian, gradient) = (Matrix6::zeros(), Vector6::zeros());
        Self { squares: 0.0, largest_mm: 0.0, points: 0, matched: 0, hessian, gradient }
    }
}
