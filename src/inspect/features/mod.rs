//! Ideal features fitted to measured points, with traceable figures.
//!
//! Gaussian fits are orthogonal distance fits (total least squares), the objective of ISO 14405's GG modifier and of the
//! reference data sets of Shakarji, "Least-squares fitting algorithms of the NIST algorithm testing system" (1998).
//! Beside them stand the fits that single points hold: the minimum zone, the smallest circumscribed and the largest
//! inscribed feature (`zone`).

pub mod constructions;
mod correlation;
pub mod coverage;
pub mod element;
pub mod facets_of;
pub mod fitting;
pub mod holes;
pub mod in_plane;
pub mod measured;
pub mod measures;
mod model;
mod newton;
pub mod nominal;
mod objective;
pub mod outline;
mod planar;
pub mod plane_set;
pub mod recipe;
mod revolved;
mod rim;
mod robust;
mod shape;
pub mod slot;
mod start;
mod uncertainty;
pub mod weights;
pub(crate) mod zone;

use rayon::prelude::*;
use serde::Serialize;

use base::{Progress, Result, UserError};
pub use correlation::{Kernel, NoiseCorrelation};
pub use element::Element;
use geometry::{Point, Vector};
use model::Model;
use newton::Weighted;
pub use objective::Objective;
pub use shape::{Kind, Shape};
use uncertainty::Spread;
pub use uncertainty::Uncertainty;
pub use zone::{Certificate, Zone};

/// How a feature is fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// Where to begin; `None` looks for a start.
    pub start: Option<Shape>,
    /// Whether the points are dirty: a start is drawn that most of them agree with (least median of squares).
    pub robust: bool,
    /// Residuals farther apart than this, mm, are not taken as correlated: what bends them alike is stated elsewhere.
    /// `None` allows for correlation of any length up to half of the points' extent, by its likelihood.
    pub correlation_within_mm: Option<f64>,
    /// Where the device stood, mm: its noise is correlated over distances across its lines of sight. `None` takes
    /// distances as they are.
    pub eye: Option<Point>,
    /// Drops points farther than this many robust standard deviations, and fits again until none is left that far.
    pub clip_sigmas: Option<f64>,
    /// What makes one feature the best. Others than the Gaussian fit follow it: it finds the start, and where `robust`
    /// or `clip_sigmas` drop points, it is the Gaussian fit that they are dropped after.
    pub objective: Objective,
}

/// A fitted feature.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// The feature.
    pub shape: Shape,
    /// Root of the weighted mean square distance of the points used, mm: what the Gaussian fit makes least.
    pub rms_mm: f64,
    /// Standard deviation of a distance of weight one from the Gaussian fit, mm, over the degrees of freedom that are
    /// left.
    pub sigma_mm: f64,
    /// Spread of the points used: greatest less least signed distance, mm; of lines and Gaussian circles the diameter
    /// of the tube that holds them. Of a minimum zone it is the zone's width: between two parallel planes, two
    /// concentric circles or spheres, two coaxial cylinders, two cones or tori offset from each other, or the diameter
    /// of the cylinder around a line.
    pub form_error_mm: f64,
    /// Signed distance of every point, mm, those dropped too; + outside. Of circles it is the distance in space, not
    /// negative; with another objective than the Gaussian, the signed one in the circle's plane.
    #[serde(skip)]
    pub residuals_mm: Vec<f64>,
    /// Points used.
    pub used: usize,
    /// Numbers of the points dropped as outliers, in ascending order; those of weight zero are neither.
    #[serde(skip)]
    pub dropped: Vec<u32>,
    /// How sure the parameters are.
    pub uncertainty: Uncertainty,
    /// Newton's steps.
    pub iterations: usize,
    /// Whether steps became as small as rounding allows: always, for a fit that does not converge is an error. What
    /// was shown of a zone stands in `zone`.
    pub converged: bool,
    /// What holds the fit, where it is not Gaussian.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
}

/// Rounds of dropping outliers.
const ROUNDS: usize = 30;

/// Fits a feature to `points`, mm. `weights` (empty: all one) are at least 0; 0 masks a point.
///
/// Fails with a sentence where there are too few points, where they lie so that the feature is not determined, where
/// the fit does not converge, where a coordinate or weight is no number, or where the objective does not suit the kind.
pub fn fit(kind: Kind, points: &[Point], weights: &[f64], options: &Options, progress: &Progress) -> Result<Fit> {
    check(kind, points, weights)?;
    if !options.objective.suits(kind) {
        return Err(UserError::usage(format!(
            "{} makes no sense for a {}: only circles, spheres and cylinders have a size to fit around points or \
             between them. Ask for the minimum zone.",
            options.objective.name(),
            kind.name().to_lowercase()
        )));
    }
    let mut masked = vec![1.0; points.len()];
    if !weights.is_empty() {
        masked.copy_from_slice(weights);
    }
    let mut start = options.start;
    let mut dropped: Vec<u32> = Vec::new();
    if options.robust {
        let found = robust::start(kind, points, &masked, progress)?;
        start = Some(found.shape);
        dropped = found.outliers;
    }
    for round in 0..ROUNDS {
        progress.report(round as f32 / ROUNDS as f32, "Fitting")?;
        let mut kept = masked.clone();
        dropped.iter().for_each(|&number| kept[number as usize] = 0.0);
        let fitted = once(kind, points, &kept, start)?;
        let next = options.clip_sigmas.map(|sigmas| robust::outliers(&fitted.distances, &masked, sigmas));
        if next.as_ref().is_none_or(|next| *next == dropped) || round + 1 == ROUNDS {
            let spread = spread(options, None, &fitted.frame);
            let zone = match options.objective {
                Objective::Gaussian => None,
                objective => Some(zone::find(objective, &fitted, &kept, progress)?),
            };
            return fitted.finish(&kept, dropped, spread, zone);
        }
        dropped = next.unwrap_or_default();
        start = Some(fitted.frame.shape_outward(&fitted.shape));
    }
    Err(UserError::internal("The fit found no end."))
}

fn spread(options: &Options, noise: Option<NoiseCorrelation>, frame: &Normal) -> Spread {
    Spread {
        within_mm: options.correlation_within_mm,
        clip_sigmas: options.clip_sigmas,
        noise,
        eye: options.eye.map(|eye| frame.inward(&eye)),
    }
}

impl Fit {
    /// States the uncertainty of a fit to `points`, all of one weight but those dropped, again, with what all parts together showed of the noise.
    pub fn restate(&mut self, points: &[Point], options: &Options, noise: NoiseCorrelation) {
        let mut kept = vec![1.0; points.len()];
        for &number in &self.dropped {
            if let Some(weight) = kept.get_mut(number as usize) {
                *weight = 0.0;
            }
        }
        let frame = Normal::of(points, &kept);
        let inward: Vec<Point> = points.par_iter().map(|point| frame.inward(point)).collect();
        let weighted = Weighted { points: &inward, weights: &kept };
        let spread = spread(options, Some(noise), &frame);
        let shape = frame.shape_inward(&self.shape);
        if let Some(stated) = Uncertainty::of(&shape, weighted, self.used, frame.size_mm, spread) {
            self.uncertainty = stated;
        }
    }
}

fn check(kind: Kind, points: &[Point], weights: &[f64]) -> Result<()> {
    if !weights.is_empty() && weights.len() != points.len() {
        return Err(UserError::internal("A fit needs a weight for each point."));
    }
    let is_place = |point: &Point| point.coords.iter().all(|c| c.abs() < 1e100);
    if !points.iter().all(is_place) || !weights.iter().all(|w| (0.0..1e100).contains(w)) {
        return Err(UserError::input("A fit needs finite coordinates, and weights of at least 0."));
    }
    let used = if weights.is_empty() { points.len() } else { weights.iter().filter(|w| **w > 0.0).count() };
    if used < kind.least_points() {
        return Err(UserError::input(format!(
            "A {} needs at least {} points; there are {used}.",
            kind.name().to_lowercase(),
            kind.least_points()
        )));
    }
    Ok(())
}

fn undetermined(kind: Kind) -> UserError {
    let name = kind.name().to_lowercase();
    UserError::input(format!("These points do not determine a {name}: they lie too close to a simpler shape."))
}

/// Of a fit that came to its last step.
fn unconverged(name: &str, steps: usize) -> UserError {
    UserError::input(format!(
        "The fit did not converge within {steps} steps: not a result. These points hardly determine a {name}; measure \
         more of it, or fit a simpler shape."
    ))
}

/// One fit to the points of weight above zero, in units of their size about their centroid.
struct Once {
    frame: Normal,
    points: Vec<Point>,
    shape: Shape,
    solved: newton::Solved,
    distances: Vec<f64>,
}

fn once(kind: Kind, points: &[Point], weights: &[f64], start: Option<Shape>) -> Result<Once> {
    let frame = Normal::of(points, weights);
    let points: Vec<Point> = points.par_iter().map(|point| frame.inward(point)).collect();
    let weighted = Weighted { points: &points, weights };
    let starts = match start.map(|shape| frame.shape_inward(&shape)) {
        Some(shape) if shape.kind() == kind => vec![Model::on_surface(&shape)],
        _ => start::find(kind, weighted),
    };
    let solved = start::follow(starts, weighted).ok_or_else(|| undetermined(kind))?;
    let shape = solved.model.shape().ok_or_else(|| undetermined(kind))?;
    let distances = points.par_iter().map(|point| shape.distance(point)).collect();
    Ok(Once { frame, points, shape, solved, distances })
}

impl Once {
    fn finish(self, weights: &[f64], dropped: Vec<u32>, spread: Spread, zone: Option<(Shape, Zone)>) -> Result<Fit> {
        let (kind, size_mm) = (self.shape.kind(), self.frame.size_mm);
        let used = weights.iter().filter(|weight| **weight > 0.0).count();
        let total: f64 = weights.iter().sum();
        let mut uncertainty =
            Uncertainty::of(&self.shape, Weighted { points: &self.points, weights }, used, size_mm, spread)
                .ok_or_else(|| undetermined(kind))?;
        if !self.solved.converged {
            return Err(unconverged(&kind.name().to_lowercase(), self.solved.steps));
        }
        let form = Model::of(&self.shape).form;
        let left = (used * form.residuals()).saturating_sub(form.parameters());
        let mut mean = self.solved.cost / total;
        let sigma = (mean * used as f64 / left.max(1) as f64).sqrt();
        let (mut shape, mut distances) = (self.shape, self.distances);
        if let Some((best, _)) = &zone {
            shape = *best;
            distances = self.points.par_iter().map(|point| zone::deviation(best, point)).collect();
            mean = distances.iter().zip(weights).map(|(d, weight)| weight * d * d).sum::<f64>() / total;
            uncertainty.assumption.push_str("; of the Gaussian fit to the same points");
        }
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for (&distance, _) in distances.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            (least, most) = (least.min(distance), most.max(distance));
        }
        let in_a_tube = kind == Kind::Line || (kind == Kind::Circle && zone.is_none());
        let zone = zone.map(|(_, zone)| zone);
        Ok(Fit {
            shape: self.frame.shape_outward(&shape),
            rms_mm: size_mm * mean.sqrt(),
            sigma_mm: size_mm * sigma,
            form_error_mm: size_mm * if in_a_tube { 2.0 * most } else { most - least },
            residuals_mm: distances.iter().map(|distance| distance * size_mm).collect(),
            used,
            dropped,
            uncertainty,
            iterations: self.solved.steps,
            converged: self.solved.converged,
            zone,
        })
    }
}

/// Points about their centroid and of size about one: so that no digits go to a far origin, and steps of all
/// parameters compare.
struct Normal {
    centroid: Vector,
    /// A power of two, so that scaling rounds nothing.
    size_mm: f64,
}

impl Normal {
    fn of(points: &[Point], weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let first = points.first().map_or_else(Vector::zeros, |point| point.coords);
        let sum: Vector = points.iter().zip(weights).map(|(point, weight)| (point.coords - first) * *weight).sum();
        let centroid = first + sum / total;
        let reach = points.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        let reach = reach.map(|(point, _)| (point.coords - centroid).norm()).fold(0.0, f64::max);
        let size_mm = if reach > 0.0 { reach.log2().round().exp2() } else { 1.0 };
        Self { centroid, size_mm }
    }

    fn inward(&self, point: &Point) -> Point {
        Point::from((point.coords - self.centroid) / self.size_mm)
    }

    fn shape_inward(&self, shape: &Shape) -> Shape {
        let to_centroid = geometry::Pose::from_parts((-self.centroid).into(), nalgebra::UnitQuaternion::identity());
        shape.moved(&to_centroid).scaled(1.0 / self.size_mm)
    }

    fn shape_outward(&self, shape: &Shape) -> Shape {
        let back = geometry::Pose::from_parts(self.centroid.into(), nalgebra::UnitQuaternion::identity());
        shape.scaled(self.size_mm).moved(&back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    /// What came to its last step must not be shown, printed or written as if it were a fit.
    #[test]
    fn a_fit_that_does_not_converge_is_an_error() {
        let mut random = Random::new(4, 1);
        let mut out = || Vector::from_fn(|_, _| random.normal()).normalize();
        let points: Vec<Point> = (0..50).map(|_| Point::from(out() * 12.0)).collect();
        let weights = vec![1.0; points.len()];
        let stopped = |converged: bool| {
            let mut fitted = once(Kind::Sphere, &points, &weights, None).unwrap();
            fitted.solved.converged &= converged;
            let spread = spread(&Options::default(), None, &fitted.frame);
            fitted.finish(&weights, Vec::new(), spread, None)
        };
        assert!(stopped(true).is_ok());
        let error = stopped(false).unwrap_err();
        assert!(error.sentence.starts_with("The fit did not converge within"), "{}", error.sentence);
        assert!(error.sentence.contains("not a result"), "{}", error.sentence);
        assert_eq!(error.exit_code(), 3);
    }
}
