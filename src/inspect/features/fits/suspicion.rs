//! Fits that converge and are nonsense all the same: a plane over an edge, a cylinder through a box.
//!
//! Their residuals are large for the extent of the points, and are no noise: neighbours have nearly the same.

use super::newton::WeightedPoints;
use super::shape::Kind;
use crate::features::noise::{MIN_POINTS, Roughness};
use geometry::Point;

/// RMS as a share of the points' extent from which on residuals are looked at: form errors of real parts are smaller.
const MIN_SHARE: f64 = 5e-3;
/// RMS as a share of the extent that is too large even as noise, and for points too few to tell it.
const MAX_SHARE: f64 = 0.05;
/// Ratio of the RMS to the scatter of neighbours from which on residuals are no noise.
const MIN_STRUCTURE: f64 = 3.0;
/// Maximum number of points on which the scatter of neighbours is evaluated.
const MAX_POINTS: usize = 100_000;

/// Doubts about a fit whose points and `distances`, one per point, are in units of `size_mm`.
pub fn doubts(kind: Kind, points: WeightedPoints<'_>, distances: &[f64], rms: f64, size_mm: f64) -> Vec<String> {
    let used = || (0..points.points.len()).filter(|&i| points.weights.get(i).is_none_or(|weight| *weight > 0.0));
    let reach = used().map(|i| points.points[i].coords.norm()).fold(0.0, f64::max);
    let (extent, name) = (2.0 * reach, kind.name().to_lowercase());
    if rms <= MIN_SHARE * extent {
        return Vec::new();
    }
    // The points stand in random order, so that the first ones are a sample.
    let sample: Vec<usize> = used().take(MAX_POINTS).collect();
    let near: Vec<Point> = sample.iter().map(|&i| points.points[i]).collect();
    let own: Vec<f64> = sample.iter().map(|&i| distances[i]).collect();
    let scatter = if near.len() < MIN_POINTS { None } else { Roughness::of(&near, &own).map(|own| own.noise_mm()) };
    let [rms_mm, extent_mm] = [rms, extent].map(|own| own * size_mm);
    match scatter {
        Some(scatter) if MIN_STRUCTURE * scatter < rms => vec![format!(
            "Residuals of {rms_mm:.4} mm (RMS) over an extent of {extent_mm:.1} mm are no noise – neighbouring points differ \
             by {:.4} mm – so not all of these points lie on one {name} (check the selection).",
            scatter * size_mm
        )],
        _ if rms > MAX_SHARE * extent => vec![format!(
            "Residuals of {rms_mm:.4} mm (RMS) are large for an extent of {extent_mm:.1} mm, so not all of these points lie \
             on one {name} (check the selection)."
        )],
        _ => Vec::new(),
    }
}
