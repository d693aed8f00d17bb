//! Slots with rounded ends: two parallel lines joined by two semicircles, in a plane.
//!
//! The outline is the set of places at one distance, half of the width, from a segment: so the distance of a point
//! from it is exact, smooth round the outline, and its sum of squares is made least directly.

mod find;
#[cfg(test)]
mod tests;

use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};

use super::planar::{Frame, Place, Solved, solve};
use super::{Kind, Options, Shape, Uncertainty, fit, robust, unconverged};
use base::{Progress, Result, UserError};
pub use find::{FoundSlot, NominalSlot, find};
use geometry::{Point, Pose, Vector};

/// Corners of a drawn end.
const CORNERS: usize = 36;
/// Rounds of dropping outliers.
const ROUNDS: usize = 30;
/// Points that a slot needs.
const LEAST_POINTS: usize = 5;
/// Points that starts are tried on.
const SAMPLE: usize = 600;
/// Share of the points that a start takes for strays, at each end.
const STRAYS: f64 = 0.02;
/// Directions that starts are tried in, evenly over half a turn.
const STARTS: usize = 4;
/// An end is seen where a point is less than 60° from its tip: this is the cosine.
const FACES: f64 = 0.5;
/// A slot whose direction is less sure than this, rad (k = 2), is a circle.
const ROUND_RAD: f64 = 0.2;

/// A slot with rounded ends, mm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// Its middle.
    pub centre: Point,
    /// Normal of its plane; a unit vector.
    pub normal: Vector,
    /// Along it; a unit vector whose sign carries no meaning.
    pub direction: Vector,
    /// Over all, from end to end, mm.
    pub length_mm: f64,
    /// From side to side, mm: twice the radius of the ends.
    pub width_mm: f64,
}

/// A slot fitted to points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SlotFit {
    /// The slot.
    pub slot: Slot,
    /// Root of the mean square distance of the points used, mm: what was made least.
    pub rms_mm: f64,
    /// Standard deviation of a distance, mm, over the degrees of freedom that are left.
    pub sigma_mm: f64,
    /// Spread of the points used: greatest less least signed distance, mm.
    pub form_error_mm: f64,
    /// Signed distance of every point in the plane, mm, those dropped too; + outside.
    #[serde(skip)]
    pub residuals_mm: Vec<f64>,
    /// Points used.
    pub used: usize,
    /// Numbers of the points dropped as outliers, in ascending order.
    #[serde(skip)]
    pub dropped: Vec<u32>,
    /// How sure the slot is; its numbers are those of the length and of the width, mm. Residuals are taken as
    /// independent.
    pub uncertainty: Uncertainty,
    /// Steps of Gauss and Newton.
    pub iterations: usize,
    /// Whether steps became as small as rounding allows.
    pub converged: bool,
}

impl Slot {
    /// Signed distance of a place from the outline as seen along the normal, mm; + outside.
    pub fn distance(&self, place: &Point) -> f64 {
        let away = place - self.centre;
        let along = away.dot(&self.direction);
        let half = 0.5 * (self.length_mm - self.width_mm);
        let across = away.dot(&self.normal.cross(&self.direction));
        (along - along.clamp(-half, half)).hypot(across) - 0.5 * self.width_mm
    }

    /// Centres of the rounded ends, mm.
    pub fn ends(&self) -> [Point; 2] {
        let half = self.direction * (0.5 * (self.length_mm - self.width_mm));
        [self.centre - half, self.centre + half]
    }

    /// The plane midway between the straight sides.
    pub fn mid_plane(&self) -> Shape {
        Shape::Plane { point: self.centre, normal: self.normal.cross(&self.direction) }
    }

    /// The same slot in another frame.
    pub fn moved(&self, to_from_here: &Pose) -> Self {
        Self {
            centre: to_from_here * self.centre,
            normal: to_from_here.rotation * self.normal,
            direction: to_from_here.rotation * self.direction,
            ..*self
        }
    }

    /// The outline as a closed row of corners, to draw.
    pub fn outline(&self) -> Vec<Point> {
        let across = self.normal.cross(&self.direction);
        let [back, front] = self.ends();
        let corner = |i: usize| {
            let angle = (i % (CORNERS + 1)) as f64 / CORNERS as f64 * std::f64::consts::PI;
            let out = (self.direction * angle.sin() - across * angle.cos()) * (0.5 * self.width_mm);
            if i <= CORNERS { front + out } else { back - out }
        };
        (0..2 * (CORNERS + 1)).chain([0]).map(corner).collect()
    }
}

/// Parameters in units of the frame: centre, angle, half of the segment between the ends' centres, radius.
type Parameters = [f64; 5];

fn residual(&[x, y, angle, half, radius]: &Parameters, &[u, v]: &Place) -> (f64, Parameters) {
    // A slot shorter than wide is none: its sum is made infinite, so that steps stay on this side.
    if half < 0.0 {
        return (f64::INFINITY, [0.0; 5]);
    }
    let (sin, cos) = angle.sin_cos();
    let (along, across) = (cos * (u - x) + sin * (v - y), cos * (v - y) - sin * (u - x));
    let held = along.clamp(-half, half);
    let distance = (along - held).hypot(across);
    // On the segment itself a point pulls to no side.
    let (out, side) = if distance > 0.0 { ((along - held) / distance, across / distance) } else { (0.0, 0.0) };
    let by_angle = out * across - side * along;
    let by_half = if held == along { 0.0 } else { -out * held.signum() };
    (distance - radius, [side * sin - out * cos, -out * sin - side * cos, by_angle, by_half, -1.0])
}

/// Fits a slot as [`fit_slot`] does, in the plane through its points where none is given.
pub fn fit_slot_in(
    plane: Option<&Shape>,
    points: &[Point],
    clip_sigmas: Option<f64>,
    progress: &Progress,
) -> Result<SlotFit> {
    let own = match plane {
        Some(plane) => *plane,
        None => {
            let options = Options { clip_sigmas, ..Options::default() };
            fit(Kind::Plane, points, &[], &options, &progress.part(0.0, 0.3))?.shape
        }
    };
    fit_slot(points, &own, clip_sigmas, &progress.part(0.3, 1.0))
}

/// Fits a slot in `plane` to points of its rim projected into it, mm, by least squares of their distances from the
/// outline. With `clip_sigmas`, points farther than so many robust standard deviations are dropped, and it is fitted
/// again until none is left that far.
///
/// Fails with a sentence where there are fewer than five points, where they leave a parameter open (an end is not
/// seen, or the outline is round), where the fit does not converge, or where a coordinate is no number.
pub fn fit_slot(points: &[Point], plane: &Shape, clip_sigmas: Option<f64>, progress: &Progress) -> Result<SlotFit> {
    if !points.iter().all(|point| point.coords.iter().all(|c| c.abs() < 1e100)) {
        return Err(UserError::input("A fit needs finite coordinates."));
    }
    if points.len() < LEAST_POINTS {
        return Err(UserError::input(format!(
            "A slot needs at least {LEAST_POINTS} points; there are {}.",
            points.len()
        )));
    }
    let all = vec![1.0; points.len()];
    let frame = Frame::of(plane, points, &all)?;
    let places: Vec<Place> = points.iter().map(|point| frame.inward(point)).collect();
    let mut start = start(&places)?;
    let mut dropped: Vec<u32> = Vec::new();
    for round in 0..ROUNDS {
        progress.report(round as f32 / ROUNDS as f32, "Fitting")?;
        let mut kept = all.clone();
        dropped.iter().for_each(|&number| kept[number as usize] = 0.0);
        let solved = solve(start, &places, &kept, residual);
        let distances: Vec<f64> = places.iter().map(|place| residual(&solved.parameters, place).0).collect();
        let next = clip_sigmas.map(|sigmas| robust::outliers(&distances, &all, sigmas));
        if next.as_ref().is_none_or(|next| *next == dropped) || round + 1 == ROUNDS {
            return finish(&frame, &places, &solved, &distances, dropped);
        }
        dropped = next.unwrap_or_default();
        start = solved.parameters;
    }
    Err(UserError::internal("The fit found no end."))
}

fn undetermined() -> UserError {
    UserError::input(
        "These points do not determine a slot: a side or an end is not seen, or the outline is round; fit a circle \
         where it is.",
    )
}

/// The best of several starts on a sample of the places: centre and direction by moments, and turned on from there,
/// half lengths by how far the places reach.
fn start(places: &[Place]) -> Result<Parameters> {
    let sample: Vec<Place> = places.iter().step_by(places.len().div_ceil(SAMPLE)).copied().collect();
    let weights = vec![1.0; sample.len()];
    let (mut mean, mut moments) = ([0.0; 2], [0.0; 3]);
    for [u, v] in &sample {
        mean = [mean[0] + u / sample.len() as f64, mean[1] + v / sample.len() as f64];
    }
    for [u, v] in sample.iter().map(|[u, v]| [u - mean[0], v - mean[1]]) {
        moments = [moments[0] + u * u, moments[1] + u * v, moments[2] + v * v];
    }
    let principal = 0.5 * (2.0 * moments[1]).atan2(moments[0] - moments[2]);
    let tried = (0..STARTS).map(|i| {
        let angle = principal + std::f64::consts::PI * i as f64 / STARTS as f64;
        let (sin, cos) = angle.sin_cos();
        let (low_u, high_u) = reach(sample.iter().map(|[u, v]| cos * u + sin * v));
        let (low_v, high_v) = reach(sample.iter().map(|[u, v]| cos * v - sin * u));
        let (along, across) = (0.5 * (low_u + high_u), 0.5 * (low_v + high_v));
        let radius = 0.5 * (high_v - low_v);
        let half = (0.5 * (high_u - low_u) - radius).max(0.05 * radius);
        let begin = [cos * along - sin * across, sin * along + cos * across, angle, half, radius];
        solve(begin, &sample, &weights, residual)
    });
    let best = tried.filter(|solved| solved.cost.is_finite()).min_by(|a, b| a.cost.total_cmp(&b.cost));
    best.map(|solved| solved.parameters).ok_or_else(undetermined)
}

/// Least and greatest value, strays left out.
fn reach(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let strays = (STRAYS * values.len() as f64) as usize;
    (values[strays], values[values.len() - 1 - strays])
}

fn finish(
    frame: &Frame,
    places: &[Place],
    solved: &Solved<5>,
    distances: &[f64],
    dropped: Vec<u32>,
) -> Result<SlotFit> {
    let [x, y, angle, half, radius] = solved.parameters;
    let (cofactors, condition) = solved.cofactors().ok_or_else(undetermined)?;
    let mut used: Vec<f64> = Vec::with_capacity(distances.len());
    // How squarely a point faces either end.
    let (mut back, mut front) = (0.0_f64, 0.0_f64);
    let mut strays = dropped.iter().peekable();
    for (number, (distance, place)) in (0_u32..).zip(distances.iter().zip(places)) {
        if strays.next_if(|stray| **stray == number).is_none() {
            used.push(*distance);
            let by = residual(&solved.parameters, place).1;
            let out = -(by[0] * angle.cos() + by[1] * angle.sin());
            (back, front) = (back.min(out), front.max(out));
        }
    }
    let left = used.len().saturating_sub(LEAST_POINTS).max(1) as f64;
    let variance = solved.cost / left;
    let covariance = |i: usize, j: usize| cofactors[(i, j)] * variance;
    let motion = frame.motion(&Matrix3::from_fn(covariance));
    let position = motion.fixed_view::<3, 3>(0, 0).symmetric_eigenvalues().max().max(0.0);
    let direction_rad = 2.0 * covariance(2, 2).sqrt();
    // Both ends must be seen, for a side alone may end anywhere; and more than noise must say which way it is long.
    if !(radius > 0.0 && back.abs().min(front) > FACES && direction_rad < ROUND_RAD) {
        return Err(undetermined());
    }
    if !solved.converged {
        return Err(unconverged("slot", solved.steps));
    }
    let size_mm = frame.size_mm;
    let of_length = covariance(3, 3) + covariance(4, 4) + 2.0 * covariance(3, 4);
    let (least, most) = used.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), d| (l.min(*d), m.max(*d)));
    Ok(SlotFit {
        slot: Slot {
            centre: frame.outward([x, y]),
            normal: frame.normal,
            direction: frame.direction(angle),
            length_mm: 2.0 * size_mm * (half + radius),
            width_mm: 2.0 * size_mm * radius,
        },
        rms_mm: size_mm * (solved.cost / used.len() as f64).sqrt(),
        sigma_mm: size_mm * variance.sqrt(),
        form_error_mm: size_mm * (most - least),
        residuals_mm: distances.iter().map(|distance| distance * size_mm).collect(),
        used: used.len(),
        dropped,
        uncertainty: Uncertainty {
            position_mm: 2.0 * position.sqrt(),
            direction_rad,
            numbers: [of_length, covariance(4, 4)].map(|own| 4.0 * size_mm * own.max(0.0).sqrt()).to_vec(),
            motion,
            inflation: 1.0,
            effective_points: used.len() as f64,
            rank: LEAST_POINTS,
            condition,
            noise: None,
            assumption: "k = 2; residuals are taken as independent".to_owned(),
        },
        iterations: solved.steps,
        converged: solved.converged,
    })
}
