//! Correlation of the residuals of neighbouring points, and its effect on the uncertainty of the parameters.
//!
//! The noise of surface sensors is correlated over an unknown distance. It is estimated from the residuals as an
//! isotropic, stationary field. The covariance of the parameters then follows from all pairs of points, as in kriging
//! and in spatially robust standard errors (Conley, "GMM estimation with cross sectional dependence", 1999). Points are
//! grouped into cells, so that pairs of cells replace pairs of points.
//!
//! There are two estimators. Without prior information, correlation lengths up to a third of the points' extent are
//! weighted by the likelihood of the residuals (`likelihood`). If a distance is given beyond which correlation is
//! accounted for elsewhere, the mean products of residuals up to that distance are used directly, and parts measured by
//! one sensor are pooled (`local`).

mod equal;
mod likelihood;
mod local;
mod pairs;
pub mod samples;

use nalgebra::{DMatrix, SymmetricEigen};

use super::lobes::Lobes;
use super::model::Model;
use super::newton::WeightedPoints;
use geometry::Point;
pub use likelihood::{Kernel, PlaceNoise, of_places, scale_to_95};
pub use local::NoiseCorrelation;

/// Minimum number of points for an estimate of the correlation; tactile probes rarely take more, and their points are
/// independent.
const MIN_POINTS: f64 = 160.0;

/// Effect of the noise correlation on a fit.
pub struct Correlation {
    /// Covariance of the parameters for residuals of unit variance; in no direction less than for independent
    /// residuals.
    pub cofactors: DMatrix<f64>,
    /// Ratio of the variance of a mean to that for independent residuals; at least 1.
    pub inflation: f64,
    /// Whether `cofactors` already allow for the small number of residuals.
    pub is_widened: bool,
    /// The estimated or known correlation within the given distance; `None` if neither exists.
    pub noise: Option<NoiseCorrelation>,
    /// Description for reports.
    pub description: String,
}

impl Correlation {
    fn new(equations: NormalEquations<'_>, cofactors: &DMatrix<f64>, inflation: f64, description: String) -> Self {
        let cofactors = raised_to(equations.inverse, cofactors);
        Self { cofactors, inflation: inflation.max(1.0), is_widened: false, noise: None, description }
    }

    /// For points too few for an estimate.
    fn assumed_independent(equations: NormalEquations<'_>) -> Self {
        let description = "residuals are assumed independent: too few points to estimate their correlation".to_owned();
        Self::new(equations, equations.inverse, 1.0, description)
    }
}

/// The information matrix of a fit and its inverse.
#[derive(Clone, Copy)]
pub struct NormalEquations<'a> {
    pub information: &'a DMatrix<f64>,
    pub inverse: &'a DMatrix<f64>,
}

/// Settings of the correlation estimate.
#[derive(Clone, Copy)]
pub struct Settings<'a> {
    /// Maximum distance, mm; the mean product of residuals at that distance is subtracted. `None` considers lengths up
    /// to a third of the points' extent.
    pub within_mm: Option<f64>,
    /// Correlation known from a larger set of points.
    pub known_noise: Option<NoiseCorrelation>,
    /// Sensor position relative to the points' centroid in their unit: noise is correlated as a function of distance
    /// across the lines of sight. `None` uses distances in space.
    pub eye: Option<Point>,
    /// Unit of the points, mm.
    pub unit_mm: f64,
    /// Form of the feature that the residuals show, and which is accounted for elsewhere.
    pub lobes: Option<&'a Lobes>,
}

/// The correlation of the residuals of the fitted `model`.
pub fn of(
    model: &Model,
    points: WeightedPoints<'_>,
    equations: NormalEquations<'_>,
    settings: &Settings<'_>,
) -> Correlation {
    let found = match (settings.known_noise, settings.within_mm) {
        (Some(known_noise), _) => Some(local::from_known(model, points, equations, settings, known_noise)),
        (None, Some(within_mm)) => local::estimated(model, points, equations, settings, within_mm),
        (None, None) => of_unknown_length(model, points, equations, settings),
    };
    found.unwrap_or_else(|| Correlation::assumed_independent(equations))
}

/// Correlation of unknown length; `None` if there are too few points or no residuals.
fn of_unknown_length(
    model: &Model,
    points: WeightedPoints<'_>,
    equations: NormalEquations<'_>,
    settings: &Settings<'_>,
) -> Option<Correlation> {
    let residuals = model.form.residuals();
    let cells = equal::cells(model, points, likelihood::MAX_RESIDUALS / residuals, settings);
    let used: f64 = cells.iter().map(|cell| cell.count).sum();
    if used < MIN_POINTS {
        return None;
    }
    let estimate = likelihood::estimate(&cells, residuals, equations)?;
    let parameters = equations.inverse.nrows() as f64;
    let squares: f64 = cells.iter().map(|cell| cell.squares).sum();
    let variance = squares / (used * residuals as f64 - parameters).max(1.0);
    let cofactors = estimate.covariance / variance;
    let inflation = estimate.of_mean * used / variance;
    let [length, nearest, longest] =
        [estimate.length, estimate.nearest, estimate.longest].map(|l| l * settings.unit_mm);
    let description = if estimate.is_vague {
        format!(
            "the correlation length of the residuals cannot be estimated from these points: lengths up to {longest:.1} \
             mm, a third of their extent, are allowed for"
        )
    } else if estimate.is_white {
        format!(
            "no correlation of the residuals is detected over more than {nearest:.2} mm; undetected correlation with \
             lengths up to {longest:.1} mm is allowed for"
        )
    } else {
        format!(
            "the correlation length of the residuals is about {length:.1} mm in all directions; lengths up to \
             {longest:.1} mm are allowed for"
        )
    };
    Some(Correlation { is_widened: true, ..Correlation::new(equations, &cofactors, inflation, description) })
}

/// Increases `cofactors` so that no direction has less variance than for independent residuals: the residuals are not
/// reliable enough to justify a reduction.
fn raised_to(independent: &DMatrix<f64>, cofactors: &DMatrix<f64>) -> DMatrix<f64> {
    if !cofactors.iter().all(|own| own.is_finite()) {
        return independent.clone();
    }
    let scales = independent.diagonal().map(f64::sqrt);
    let count = scales.len();
    let excess = DMatrix::from_fn(count, count, |i, j| {
        let mean = 0.5 * (cofactors[(i, j)] + cofactors[(j, i)]);
        (mean - independent[(i, j)]) / (scales[i] * scales[j])
    });
    let mut eigen = SymmetricEigen::new(excess);
    eigen.eigenvalues.apply(|value| *value = value.max(0.0));
    let excess = eigen.recompose();
    DMatrix::from_fn(count, count, |i, j| independent[(i, j)] + excess[(i, j)] * scales[i] * scales[j])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_direction_has_less_variance_than_for_independent_residuals() {
        let independent = DMatrix::from_row_slice(2, 2, &[2.0, 0.5, 0.5, 1.0]);
        let raised = raised_to(&independent, &DMatrix::from_row_slice(2, 2, &[0.1, 0.0, 0.0, 9.0]));
        let excess = SymmetricEigen::new(&raised - &independent);
        assert!(excess.eigenvalues.iter().all(|value| *value > -1e-12), "{raised}");
        assert!(raised[(1, 1)] >= 9.0);
        assert!((raised_to(&independent, &independent) - &independent).amax() < 1e-12);
    }
}
