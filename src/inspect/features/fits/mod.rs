//! Ideal features fitted to points.
//!
//! Gaussian fits are orthogonal distance fits (total least squares), the objective of ISO 14405's GG modifier and of
//! the reference data sets of Shakarji, "Least-squares fitting algorithms of the NIST algorithm testing system" (1998).
//! Fits with other association criteria start from them; see `features::zones`.

pub mod bores;
mod correlation;
pub mod coverage;
mod determinacy;
mod drawn;
pub mod in_plane;
mod lobes;
pub(super) mod model;
pub(super) mod newton;
mod normal;
mod objective;
pub(super) mod planar;
pub mod plane_set;
mod revolved;
pub(super) mod robust;
pub(super) mod shape;
mod start;
mod suspicion;
mod uncertainty;
pub mod weights;

use rayon::prelude::*;
use serde::Serialize;

use super::zones::{self, Zone};
use base::{Progress, Result, UserError};
pub use correlation::samples::{CorrelatedNoise, LinearFit};
pub use correlation::{Kernel, NoiseCorrelation, PlaceNoise, of_places};
pub(super) use drawn::Drawn;
use geometry::Point;
use model::Model;
use newton::WeightedPoints;
use normal::Normalisation;
pub use objective::Objective;
pub use shape::{Kind, Shape};
use uncertainty::ResidualModel;
pub use uncertainty::Uncertainty;
pub(super) use uncertainty::{few_residuals_factor, small_sample_factor};

/// Options of a fit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Options {
    /// Initial estimate, mm; `None` searches for one.
    pub start: Option<Shape>,
    /// Whether to start from the shape that fits the majority of the points (least median of squares), for points with
    /// many outliers.
    pub robust: bool,
    /// Maximum distance over which residuals are treated as correlated, mm; systematic effects over longer distances
    /// are accounted for elsewhere. `None` allows for correlation lengths up to a third of the points' extent, weighted by
    /// likelihood.
    pub correlation_within_mm: Option<f64>,
    /// Sensor position, mm: noise is correlated as a function of distance across the lines of sight. `None` uses
    /// distances in space.
    pub eye: Option<Point>,
    /// Outlier limit in robust standard deviations: points beyond it are dropped and the fit is repeated until none is
    /// left. `None` keeps all points.
    pub clip_sigmas: Option<f64>,
    /// Association criterion. Criteria other than Gaussian start from the Gaussian fit, which also determines the
    /// outliers dropped by `robust` and `clip_sigmas`.
    pub objective: Objective,
}

/// A fitted feature.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Fit {
    /// The fitted shape, mm.
    pub shape: Shape,
    /// Weighted RMS distance of the points used, mm: the quantity minimised by the Gaussian fit.
    pub rms_mm: f64,
    /// Standard deviation of a distance of unit weight from the Gaussian fit, mm, from the remaining degrees of
    /// freedom.
    pub sigma_mm: f64,
    /// Form error of the points used, mm: maximum minus minimum signed distance; for lines and Gaussian circles the
    /// diameter of the tube that contains them. For a minimum zone it is the zone width: between two parallel planes,
    /// two concentric circles or spheres, two coaxial cylinders, two cones or tori offset from each other, or the
    /// diameter of the cylinder around a line.
    pub form_error_mm: f64,
    /// Signed distance of every point, mm, including dropped ones; positive outside. For circles it is the distance in
    /// space, not negative; for criteria other than Gaussian, the signed one in the circle's plane.
    #[serde(skip)]
    pub residuals_mm: Vec<f64>,
    /// Number of points used.
    pub used: usize,
    /// Indices of the points dropped as outliers, ascending; points of weight zero count neither as used nor as
    /// dropped.
    #[serde(skip)]
    pub dropped: Vec<u32>,
    /// Uncertainty of the parameters.
    pub uncertainty: Uncertainty,
    /// Number of Newton iterations.
    pub iterations: usize,
    /// Whether the steps became as small as rounding allows. Always true, since a fit that does not converge is an
    /// error; the optimality of a zone is stated in `zone`.
    pub converged: bool,
    /// Contacts and optimality of a fit with a criterion other than Gaussian.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<Zone>,
    /// The arc about its axis over which a circle, cylinder, cone or torus was seen, degrees: a revolution without the
    /// widest gap between points. `None` for other shapes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arc_deg: Option<f64>,
    /// Why the result is not to be trusted, as sentences: residuals that are no noise and too large for the points'
    /// extent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<String>,
}

/// Maximum rounds of outlier rejection.
const ROUNDS: usize = 30;
/// Number of points from which on those of a zone, too, must determine its shape.
const MIN_CLOUD: usize = 100;

/// Fits a feature to `points`, mm. `weights` (empty: all one) are at least 0; 0 masks a point.
///
/// Returns an error if there are too few points, if they do not determine the feature, if the fit does not converge, if
/// a coordinate or weight is not finite, or if the criterion is not defined for the kind.
pub fn fit(kind: Kind, points: &[Point], weights: &[f64], options: &Options, progress: &Progress) -> Result<Fit> {
    check(kind, points, weights)?;
    if !options.objective.suits(kind) {
        return Err(UserError::usage(format!(
            "{} is not defined for a {}: only circles, spheres and cylinders have a circumscribed or inscribed size. \
             Choose the minimum zone.",
            options.objective.name(),
            kind.name().to_lowercase()
        )));
    }
    let drawn = Drawn::new(points, weights);
    Ok(drawn.back(fit_in_order(kind, &drawn.points, &drawn.weights, options, progress)?))
}

/// [`fit`] to points in their drawn order: all that follows, samples, sums and cells, is then the same for any order of
/// the points.
fn fit_in_order(
    kind: Kind,
    points: &[Point],
    all_weights: &[f64],
    options: &Options,
    progress: &Progress,
) -> Result<Fit> {
    let mut start = options.start;
    let mut dropped: Vec<u32> = Vec::new();
    if options.robust {
        let robust_start = robust::start(kind, points, all_weights, progress)?;
        start = Some(robust_start.shape);
        dropped = robust_start.outliers;
    }
    for round in 0..ROUNDS {
        progress.report(round as f32 / ROUNDS as f32, "Fitting")?;
        let mut used_weights = all_weights.to_vec();
        dropped.iter().for_each(|&index| used_weights[index as usize] = 0.0);
        let fitted = gaussian_fit(kind, points, &used_weights, start)?;
        let next = options.clip_sigmas.map(|sigmas| robust::outliers(&fitted.distances, all_weights, sigmas));
        if next.as_ref().is_none_or(|next| *next == dropped) || round + 1 == ROUNDS {
            let residual_model = residual_model(options, None, &fitted.frame);
            let zone = match options.objective {
                Objective::Gaussian => None,
                objective => Some(zones::find(objective, &fitted, &used_weights, progress)?),
            };
            return fitted.finish(&used_weights, dropped, residual_model, zone);
        }
        dropped = next.unwrap_or_default();
        start = Some(fitted.frame.shape_outward(&fitted.shape));
    }
    Err(UserError::internal("The outlier rejection did not terminate."))
}

fn residual_model(options: &Options, noise: Option<NoiseCorrelation>, frame: &Normalisation) -> ResidualModel {
    ResidualModel {
        within_mm: options.correlation_within_mm,
        clip_sigmas: options.clip_sigmas,
        noise,
        eye: options.eye.map(|eye| frame.inward(&eye)),
    }
}

impl Fit {
    /// Recomputes the uncertainty of an unweighted fit to `points` from a noise correlation pooled over several parts.
    pub fn restate(&mut self, points: &[Point], options: &Options, noise: NoiseCorrelation) {
        let mut weights = vec![1.0; points.len()];
        for &index in &self.dropped {
            if let Some(weight) = weights.get_mut(index as usize) {
                *weight = 0.0;
            }
        }
        let drawn = Drawn::new(points, &weights);
        let frame = Normalisation::of(&drawn.points, &drawn.weights);
        let normalised: Vec<Point> = drawn.points.par_iter().map(|point| frame.inward(point)).collect();
        let weighted = WeightedPoints { points: &normalised, weights: &drawn.weights };
        let residual_model = residual_model(options, Some(noise), &frame);
        let shape = frame.shape_inward(&self.shape);
        if let Some(uncertainty) = Uncertainty::of(&shape, weighted, self.used, frame.size_mm, residual_model) {
            self.uncertainty = uncertainty;
        }
    }
}

fn check(kind: Kind, points: &[Point], weights: &[f64]) -> Result<()> {
    if !weights.is_empty() && weights.len() != points.len() {
        return Err(UserError::internal("A fit needs a weight for each point."));
    }
    let is_finite = |point: &Point| point.coords.iter().all(|c| c.abs() < 1e100);
    if !points.iter().all(is_finite) || !weights.iter().all(|w| (0.0..1e100).contains(w)) {
        return Err(UserError::input("A fit needs finite coordinates, and weights of at least 0."));
    }
    let used = if weights.is_empty() { points.len() } else { weights.iter().filter(|w| **w > 0.0).count() };
    if used < kind.min_points() {
        return Err(UserError::input(format!(
            "A {} needs at least {} points; there are {used}.",
            kind.name().to_lowercase(),
            kind.min_points()
        )));
    }
    Ok(())
}

pub(super) fn undetermined(kind: Kind) -> UserError {
    let name = kind.name().to_lowercase();
    UserError::input(format!("These points do not determine a {name}: they lie too close to a simpler shape."))
}

/// Error for a fit that reached the maximum number of iterations.
pub(super) fn unconverged(name: &str, steps: usize) -> UserError {
    UserError::input(format!(
        "The fit did not converge within {steps} iterations; there is no result. These points barely determine a \
         {name}; measure more of it, or fit a simpler shape."
    ))
}

/// A Gaussian fit to the points of positive weight, in units of their size about their centroid.
pub(super) struct GaussianFit {
    pub(super) frame: Normalisation,
    pub(super) points: Vec<Point>,
    pub(super) shape: Shape,
    pub(super) solved: newton::Solution,
    pub(super) distances: Vec<f64>,
}

fn gaussian_fit(kind: Kind, points: &[Point], weights: &[f64], start: Option<Shape>) -> Result<GaussianFit> {
    let frame = Normalisation::of(points, weights);
    let points: Vec<Point> = points.par_iter().map(|point| frame.inward(point)).collect();
    let weighted = WeightedPoints { points: &points, weights };
    let starts = match start.map(|shape| frame.shape_inward(&shape)) {
        Some(shape) if shape.kind() == kind => vec![Model::on_surface(&shape)],
        _ => start::find(kind, weighted),
    };
    let solved = start::best_minimum(starts, weighted).ok_or_else(|| undetermined(kind))?;
    let shape = solved.model.shape().ok_or_else(|| undetermined(kind))?;
    let distances = points.par_iter().map(|point| shape.distance(point)).collect();
    Ok(GaussianFit { frame, points, shape, solved, distances })
}

impl GaussianFit {
    fn finish(
        self,
        weights: &[f64],
        dropped: Vec<u32>,
        residual_model: ResidualModel,
        zone: Option<(Shape, Zone)>,
    ) -> Result<Fit> {
        let (kind, size_mm) = (self.shape.kind(), self.frame.size_mm);
        let used = weights.iter().filter(|weight| **weight > 0.0).count();
        let total: f64 = weights.iter().sum();
        let weighted = WeightedPoints { points: &self.points, weights };
        let uncertainty = Uncertainty::of(&self.shape, weighted, used, size_mm, residual_model);
        // The zone of a few points is defined whatever they lie on.
        if zone.is_none() || used >= MIN_CLOUD {
            determinacy::check(&self, weighted, used, uncertainty.as_ref())?;
        }
        let mut uncertainty = uncertainty.ok_or_else(|| undetermined(kind))?;
        if !self.solved.converged {
            return Err(unconverged(&kind.name().to_lowercase(), self.solved.steps));
        }
        let form = Model::of(&self.shape).form;
        let freedom = (used * form.residuals()).saturating_sub(form.parameters());
        let mut mean = self.solved.cost / total;
        let sigma = (mean * used as f64 / freedom.max(1) as f64).sqrt();
        let (mut shape, mut distances) = (self.shape, self.distances);
        if let Some((best, _)) = &zone {
            shape = *best;
            distances = self.points.par_iter().map(|point| zones::deviation(best, point)).collect();
            mean = distances.iter().zip(weights).map(|(d, weight)| weight * d * d).sum::<f64>() / total;
            uncertainty.assumption.push_str("; of the Gaussian fit to the same points");
        }
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for (&distance, _) in distances.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            (min, max) = (min.min(distance), max.max(distance));
        }
        let is_tube = kind == Kind::Line || (kind == Kind::Circle && zone.is_none());
        let arc_deg = self.shape.arc_seen_rad(weighted).map(f64::to_degrees);
        let doubts = suspicion::doubts(kind, weighted, &distances, mean.sqrt(), size_mm);
        let zone = zone.map(|(_, zone)| zone);
        Ok(Fit {
            shape: self.frame.shape_outward(&shape),
            rms_mm: size_mm * mean.sqrt(),
            sigma_mm: size_mm * sigma,
            form_error_mm: size_mm * if is_tube { 2.0 * max } else { max - min },
            residuals_mm: distances.iter().map(|distance| distance * size_mm).collect(),
            used,
            dropped,
            uncertainty,
            iterations: self.solved.steps,
            converged: self.solved.converged,
            zone,
            arc_deg,
            doubts,
        })
    }
}

#[cfg(test)]
mod tests {
    mod arcs;
    mod degenerate;
    mod order;

    use super::*;
    use base::random::Random;
    use geometry::Vector;

    /// The result of an unconverged fit must not be shown, printed or written.
    #[test]
    fn a_fit_that_does_not_converge_is_an_error() {
        let mut random = Random::new(4, 1);
        let mut direction = || Vector::from_fn(|_, _| random.normal()).normalize();
        let points: Vec<Point> = (0..50).map(|_| Point::from(direction() * 12.0)).collect();
        let weights = vec![1.0; points.len()];
        let stopped = |converged: bool| {
            let mut fitted = gaussian_fit(Kind::Sphere, &points, &weights, None).unwrap();
            fitted.solved.converged &= converged;
            let residual_model = residual_model(&Options::default(), None, &fitted.frame);
            fitted.finish(&weights, Vec::new(), residual_model, None)
        };
        assert!(stopped(true).is_ok());
        let error = stopped(false).unwrap_err();
        assert!(error.sentence.starts_with("The fit did not converge within"), "{}", error.sentence);
        assert!(error.sentence.contains("there is no result"), "{}", error.sentence);
        assert_eq!(error.exit_code(), 3);
    }
}
