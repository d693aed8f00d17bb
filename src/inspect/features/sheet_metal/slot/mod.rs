//! Slots with rounded ends: two parallel lines joined by two semicircles, in a plane.
//!
//! The outline is the set of points at a distance of half the width from a segment. The distance of a point from it is
//! therefore exact and smooth along the outline, and its sum of squares is minimised directly.

mod find;
#[cfg(test)]
mod tests;

use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};

use crate::features::fits::planar::{Frame, PlanePoint, Solution, solve};
use crate::features::fits::{Drawn, few_residuals_factor, robust, small_sample_factor, unconverged};
use crate::features::{Kind, Options, Shape, Uncertainty, fit};
use base::{Progress, Result, UserError};
pub use find::{FoundSlot, NominalSlot, find};
use geometry::{Point, Pose, Vector};

/// Segments of a displayed end.
const END_SEGMENTS: usize = 36;
/// Maximum rounds of outlier rejection.
const MAX_ROUNDS: usize = 30;
/// Minimum number of points.
const MIN_POINTS: usize = 5;
/// Maximum number of points used to compare initial estimates.
const SAMPLE_POINTS: usize = 600;
/// Share of points ignored as outliers at each end of the extent for an initial estimate.
const OUTLIER_SHARE: f64 = 0.02;
/// Directions of the initial estimates, evenly spaced over 180°.
const START_DIRECTIONS: usize = 4;
/// Cosine of 60°: an end counts as measured if a point lies within 60° of its tip.
const MIN_END_COSINE: f64 = 0.5;
/// Maximum expanded uncertainty (k = 2) of the direction, rad; above it the outline counts as a circle.
const MAX_DIRECTION_UNCERTAINTY_RAD: f64 = 0.2;

/// A slot with rounded ends, mm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// Centre, mm.
    pub centre: Point,
    /// Unit normal of its plane.
    pub normal: Vector,
    /// Unit vector along the slot; its sign is arbitrary.
    pub direction: Vector,
    /// Overall length, mm.
    pub length_mm: f64,
    /// Width between the straight sides, mm: twice the radius of the ends.
    pub width_mm: f64,
}

/// A slot fitted to points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SlotFit {
    /// The slot.
    pub slot: Slot,
    /// RMS distance of the points used, mm: the minimised quantity.
    pub rms_mm: f64,
    /// Standard deviation of a distance, mm, from the remaining degrees of freedom.
    pub sigma_mm: f64,
    /// Form error of the points used: maximum minus minimum signed distance, mm.
    pub form_error_mm: f64,
    /// Signed distance of every point in the plane, mm, including dropped ones; positive outside.
    #[serde(skip)]
    pub residuals_mm: Vec<f64>,
    /// Number of points used.
    pub used: usize,
    /// Indices of the points dropped as outliers, ascending.
    #[serde(skip)]
    pub dropped: Vec<u32>,
    /// Uncertainty of the parameters; `numbers` holds length and width, mm. Residuals are assumed independent.
    pub uncertainty: Uncertainty,
    /// Gauss-Newton iterations.
    pub iterations: usize,
    /// Whether the steps became as small as rounding allows.
    pub converged: bool,
}

impl Slot {
    /// Signed distance of a point from the outline in the plane of the slot, mm; positive outside.
    pub fn distance(&self, point: &Point) -> f64 {
        let offset = point - self.centre;
        let along = offset.dot(&self.direction);
        let half = 0.5 * (self.length_mm - self.width_mm);
        let across = offset.dot(&self.normal.cross(&self.direction));
        (along - along.clamp(-half, half)).hypot(across) - 0.5 * self.width_mm
    }

    /// Centres of the rounded ends, mm.
    pub fn ends(&self) -> [Point; 2] {
        let half = self.direction * (0.5 * (self.length_mm - self.width_mm));
        [self.centre - half, self.centre + half]
    }

    /// The mid-plane of the straight sides.
    pub fn mid_plane(&self) -> Shape {
        Shape::Plane { point: self.centre, normal: self.normal.cross(&self.direction) }
    }

    /// The slot transformed into another frame.
    pub fn moved(&self, to_from_here: &Pose) -> Self {
        Self {
            centre: to_from_here * self.centre,
            normal: to_from_here.rotation * self.normal,
            direction: to_from_here.rotation * self.direction,
            ..*self
        }
    }

    /// The outline as a closed polyline for display, mm; the first corner is repeated at the end.
    pub fn outline(&self) -> Vec<Point> {
        let across = self.normal.cross(&self.direction);
        let [back, front] = self.ends();
        let corner = |i: usize| {
            let angle = (i % (END_SEGMENTS + 1)) as f64 / END_SEGMENTS as f64 * std::f64::consts::PI;
            let out = (self.direction * angle.sin() - across * angle.cos()) * (0.5 * self.width_mm);
            if i <= END_SEGMENTS { front + out } else { back - out }
        };
        (0..2 * (END_SEGMENTS + 1)).chain([0]).map(corner).collect()
    }
}

/// Parameters in units of the frame: centre (2), angle in rad, half length of the segment between the ends' centres,
/// radius.
type Parameters = [f64; 5];

fn residual(&[x, y, angle, half, radius]: &Parameters, &[u, v]: &PlanePoint) -> (f64, Parameters) {
    // A negative segment length is not a slot: infinite, so that the step is rejected.
    if half < 0.0 {
        return (f64::INFINITY, [0.0; 5]);
    }
    let (sin, cos) = angle.sin_cos();
    let (along, across) = (cos * (u - x) + sin * (v - y), cos * (v - y) - sin * (u - x));
    let clamped = along.clamp(-half, half);
    let distance = (along - clamped).hypot(across);
    // A point on the segment itself has no gradient.
    let (out, side) = if distance > 0.0 { ((along - clamped) / distance, across / distance) } else { (0.0, 0.0) };
    let by_angle = out * across - side * along;
    let by_half = if clamped == along { 0.0 } else { -out * clamped.signum() };
    (distance - radius, [side * sin - out * cos, -out * sin - side * cos, by_angle, by_half, -1.0])
}

/// Fits a slot as [`fit_slot`], in the plane fitted to its points if none is given.
pub fn fit_slot_in(
    plane: Option<&Shape>,
    points: &[Point],
    clip_sigmas: Option<f64>,
    progress: &Progress,
) -> Result<SlotFit> {
    let plane = match plane {
        Some(plane) => *plane,
        None => {
            let options = Options { clip_sigmas, ..Options::default() };
            fit(Kind::Plane, points, &[], &options, &progress.part(0.0, 0.3))?.shape
        }
    };
    fit_slot(points, &plane, clip_sigmas, &progress.part(0.3, 1.0))
}

/// Fits a slot in `plane` to edge points projected onto it, mm, by least squares of their distances from the outline.
/// With `clip_sigmas`, points farther than that many robust standard deviations are dropped and the fit is repeated
/// until none is left.
///
/// Returns an error if there are fewer than five points, if they leave a parameter undetermined (an end was not
/// measured, or the outline is round), if the fit does not converge, or if a coordinate is not finite.
pub fn fit_slot(points: &[Point], plane: &Shape, clip_sigmas: Option<f64>, progress: &Progress) -> Result<SlotFit> {
    if !points.iter().all(|point| point.coords.iter().all(|c| c.abs() < 1e100)) {
        return Err(UserError::input("A fit needs finite coordinates."));
    }
    if points.len() < MIN_POINTS {
        return Err(UserError::input(format!(
            "A slot needs at least {MIN_POINTS} points; there are {}.",
            points.len()
        )));
    }
    let drawn = Drawn::new(points, &[]);
    let fit = fit_in_order(&drawn.points, plane, clip_sigmas, progress)?;
    Ok(SlotFit { residuals_mm: drawn.values(&fit.residuals_mm), dropped: drawn.indices(&fit.dropped), ..fit })
}

/// [`fit_slot`] to points in their drawn order.
fn fit_in_order(points: &[Point], plane: &Shape, clip_sigmas: Option<f64>, progress: &Progress) -> Result<SlotFit> {
    let all = vec![1.0; points.len()];
    let frame = Frame::of(plane, points, &all)?;
    let projected: Vec<PlanePoint> = points.iter().map(|point| frame.inward(point)).collect();
    let mut start = initial_parameters(&projected)?;
    let mut dropped: Vec<u32> = Vec::new();
    for round in 0..MAX_ROUNDS {
        progress.report(round as f32 / MAX_ROUNDS as f32, "Fitting")?;
        let mut weights = all.clone();
        dropped.iter().for_each(|&index| weights[index as usize] = 0.0);
        let solved = solve(start, &projected, &weights, residual);
        let distances: Vec<f64> = projected.iter().map(|point| residual(&solved.parameters, point).0).collect();
        let next = clip_sigmas.map(|sigmas| robust::outliers(&distances, &all, sigmas));
        if next.as_ref().is_none_or(|next| *next == dropped) || round + 1 == MAX_ROUNDS {
            return finish(&frame, &projected, &solved, &distances, dropped);
        }
        dropped = next.unwrap_or_default();
        start = solved.parameters;
    }
    Err(UserError::internal("The outlier rejection did not terminate."))
}

fn undetermined() -> UserError {
    UserError::input(
        "These points do not determine a slot: a side or an end was not measured, or the outline is round; in that \
         case fit a circle.",
    )
}

/// The best of several initial estimates on a sample of the points: centre and direction from moments and from
/// rotations of that direction, half lengths from the extent of the points.
fn initial_parameters(points: &[PlanePoint]) -> Result<Parameters> {
    // The points stand in random order.
    let sample: Vec<PlanePoint> = points.iter().take(SAMPLE_POINTS).copied().collect();
    let weights = vec![1.0; sample.len()];
    let (mut mean, mut moments) = ([0.0; 2], [0.0; 3]);
    for [u, v] in &sample {
        mean = [mean[0] + u / sample.len() as f64, mean[1] + v / sample.len() as f64];
    }
    for [u, v] in sample.iter().map(|[u, v]| [u - mean[0], v - mean[1]]) {
        moments = [moments[0] + u * u, moments[1] + u * v, moments[2] + v * v];
    }
    let principal = 0.5 * (2.0 * moments[1]).atan2(moments[0] - moments[2]);
    let estimates = (0..START_DIRECTIONS).map(|i| {
        let angle = principal + std::f64::consts::PI * i as f64 / START_DIRECTIONS as f64;
        let (sin, cos) = angle.sin_cos();
        let (low_u, high_u) = trimmed_extent(sample.iter().map(|[u, v]| cos * u + sin * v));
        let (low_v, high_v) = trimmed_extent(sample.iter().map(|[u, v]| cos * v - sin * u));
        let (along, across) = (0.5 * (low_u + high_u), 0.5 * (low_v + high_v));
        let radius = 0.5 * (high_v - low_v);
        let half = (0.5 * (high_u - low_u) - radius).max(0.05 * radius);
        let initial = [cos * along - sin * across, sin * along + cos * across, angle, half, radius];
        solve(initial, &sample, &weights, residual)
    });
    let best = estimates.filter(|solved| solved.cost.is_finite()).min_by(|a, b| a.cost.total_cmp(&b.cost));
    best.map(|solved| solved.parameters).ok_or_else(undetermined)
}

/// Minimum and maximum without outliers.
fn trimmed_extent(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let outliers = (OUTLIER_SHARE * values.len() as f64) as usize;
    (values[outliers], values[values.len() - 1 - outliers])
}

fn finish(
    frame: &Frame,
    points: &[PlanePoint],
    solved: &Solution<5>,
    distances: &[f64],
    dropped: Vec<u32>,
) -> Result<SlotFit> {
    let [x, y, angle, half, radius] = solved.parameters;
    let (cofactors, condition) = solved.cofactors().ok_or_else(undetermined)?;
    let mut used: Vec<f64> = Vec::with_capacity(distances.len());
    // Largest alignment of a point's outward direction with the tip of either end.
    let (mut back, mut front) = (0.0_f64, 0.0_f64);
    let mut outliers = dropped.iter().peekable();
    for (index, (distance, point)) in (0_u32..).zip(distances.iter().zip(points)) {
        if outliers.next_if(|outlier| **outlier == index).is_none() {
            used.push(*distance);
            let by = residual(&solved.parameters, point).1;
            let out = -(by[0] * angle.cos() + by[1] * angle.sin());
            (back, front) = (back.min(out), front.max(out));
        }
    }
    let freedom = used.len().saturating_sub(MIN_POINTS).max(1) as f64;
    let redundancy = used.len().saturating_sub(MIN_POINTS);
    let small_sample = few_residuals_factor(redundancy).unwrap_or_else(|| small_sample_factor(freedom));
    let variance = solved.cost / freedom * small_sample;
    let covariance = |i: usize, j: usize| cofactors[(i, j)] * variance;
    let motion = frame.motion(&Matrix3::from_fn(covariance));
    let position = motion.fixed_view::<3, 3>(0, 0).symmetric_eigenvalues().max().max(0.0);
    let direction_rad = 2.0 * covariance(2, 2).sqrt();
    // Both ends must be measured, since the sides alone do not locate them, and the direction must be significant.
    if !(radius > 0.0 && back.abs().min(front) > MIN_END_COSINE && direction_rad < MAX_DIRECTION_UNCERTAINTY_RAD) {
        return Err(undetermined());
    }
    if !solved.converged {
        return Err(unconverged("slot", solved.steps));
    }
    let size_mm = frame.size_mm;
    let length_variance = covariance(3, 3) + covariance(4, 4) + 2.0 * covariance(3, 4);
    let (min, max) = used.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), d| (min.min(*d), max.max(*d)));
    Ok(SlotFit {
        slot: Slot {
            centre: frame.outward([x, y]),
            normal: frame.normal,
            direction: frame.direction(angle),
            length_mm: 2.0 * size_mm * (half + radius),
            width_mm: 2.0 * size_mm * radius,
        },
        rms_mm: size_mm * (solved.cost / used.len() as f64).sqrt(),
        sigma_mm: size_mm * (solved.cost / freedom).sqrt(),
        form_error_mm: size_mm * (max - min),
        residuals_mm: distances.iter().map(|distance| distance * size_mm).collect(),
        used: used.len(),
        dropped,
        uncertainty: if used.len() == MIN_POINTS {
            Uncertainty::unstated(used.len(), 2, true)
        } else {
            Uncertainty {
                redundancy: used.len() - MIN_POINTS,
                min_radius_mm: None,
                position_mm: 2.0 * position.sqrt(),
                direction_rad,
                numbers: [length_variance, covariance(4, 4)]
                    .map(|variance| 4.0 * size_mm * variance.max(0.0).sqrt())
                    .to_vec(),
                motion,
                inflation: 1.0,
                effective_points: used.len() as f64,
                rank: MIN_POINTS,
                condition,
                noise: None,
                assumption: "k = 2; residuals are assumed independent".to_owned(),
            }
        },
        iterations: solved.steps,
        converged: solved.converged,
    })
}
