//! How far the residuals of neighbouring points hang together, and what that makes of the parameters.
//!
//! The noise of surface sensors is correlated over a distance that nobody states. It is estimated from the residuals,
//! as an isotropic, stationary field. The covariance of the parameters then follows from all pairs of points, as in
//! kriging and in spatial robust errors (Conley, "GMM estimation with cross sectional dependence", 1999). Points are
//! gathered in cells, so that pairs of cells take the place of pairs of points.
//!
//! Two estimates do this. Where nothing is known, correlations of any length up to half of the points' extent are
//! weighed by how likely they make the residuals (`likelihood`). Where a distance is given beyond which what residuals
//! share is stated elsewhere, their mean products up to that distance are taken as they are, and parts measured by one
//! device are pooled (`local`).

mod equal;
mod likelihood;
mod local;
mod pairs;

use nalgebra::{DMatrix, SymmetricEigen};

use super::model::Model;
use super::newton::Weighted;
use geometry::Point;
pub use likelihood::Kernel;
pub use local::NoiseCorrelation;

/// Points fewer than these say nothing of correlation; a probe that touches them seldom brings more, and its touches
/// are independent.
const MIN_POINTS: f64 = 160.0;

/// What the correlation does.
pub struct Correlation {
    /// Covariance of the parameters for residuals of variance one; in no direction less than for independent ones.
    pub cofactors: DMatrix<f64>,
    /// By how much the variance of a mean exceeds that of independent residuals; at least 1.
    pub inflation: f64,
    /// Whether `cofactors` allow for how little the residuals tell, so that no small sample widens them further.
    pub is_widened: bool,
    /// What the residuals showed over the distance that was given, or what was known; `None` where there is neither.
    pub noise: Option<NoiseCorrelation>,
    /// For people.
    pub described: String,
}

impl Correlation {
    fn new(equations: Equations<'_>, cofactors: &DMatrix<f64>, inflation: f64, described: String) -> Self {
        let cofactors = at_least(equations.inverse, cofactors);
        Self { cofactors, inflation: inflation.max(1.0), is_widened: false, noise: None, described }
    }

    /// Of points too few to show any.
    fn none(equations: Equations<'_>) -> Self {
        let described = "residuals are taken as independent: too few points to see correlation".to_owned();
        Self::new(equations, equations.inverse, 1.0, described)
    }
}

/// The normal equations of a fit, and their inverse.
#[derive(Clone, Copy)]
pub struct Equations<'a> {
    pub information: &'a DMatrix<f64>,
    pub inverse: &'a DMatrix<f64>,
}

/// Where correlation is looked for.
#[derive(Clone, Copy)]
pub struct Search {
    /// Only over shorter distances than this, mm; what residuals have in common over longer ones is taken off. `None`
    /// looks over half of the points' extent.
    pub within_mm: Option<f64>,
    /// What is known of it from more points than these.
    pub known: Option<NoiseCorrelation>,
    /// Where the device is, about the points' centroid in their unit: noise is correlated over distances across its
    /// lines of sight.
    pub eye: Option<Point>,
    /// Unit of the points, mm.
    pub unit_mm: f64,
}

/// Of the fit `model`.
pub fn of(model: &Model, points: Weighted<'_>, equations: Equations<'_>, search: &Search) -> Correlation {
    let found = match (search.known, search.within_mm) {
        (Some(known), _) => Some(local::known(model, points, equations, search, known)),
        (None, Some(within_mm)) => local::seen(model, points, equations, search, within_mm),
        (None, None) => any_length(model, points, equations, search),
    };
    found.unwrap_or_else(|| Correlation::none(equations))
}

/// `None` where the points are too few, or fit without any residual.
fn any_length(model: &Model, points: Weighted<'_>, equations: Equations<'_>, search: &Search) -> Option<Correlation> {
    let residuals = model.form.residuals();
    let cells = equal::cells(model, points, likelihood::MAX_RESIDUALS / residuals, search.eye);
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
    let [length, nearest, longest] = [estimate.length, estimate.nearest, estimate.longest].map(|l| l * search.unit_mm);
    let described = if estimate.is_vague {
        format!(
            "residuals are correlated over lengths that these points hardly tell: up to {longest:.1} mm, half of their \
             extent, is allowed for, and nothing longer"
        )
    } else if estimate.is_white {
        format!(
            "no correlation of the residuals is seen over more than {nearest:.2} mm; what their noise may hide, up to \
             {longest:.1} mm long, is allowed for"
        )
    } else {
        format!(
            "residuals are correlated over about {length:.1} mm, equally in all directions; up to {longest:.1} mm is \
             allowed for"
        )
    };
    Some(Correlation { is_widened: true, ..Correlation::new(equations, &cofactors, inflation, described) })
}

/// `cofactors`, raised so that no direction has less than those of independent residuals: what correlation takes from
/// the variance of a parameter, if anything, the residuals cannot be trusted to tell.
fn at_least(independent: &DMatrix<f64>, cofactors: &DMatrix<f64>) -> DMatrix<f64> {
    if !cofactors.iter().all(|own| own.is_finite()) {
        return independent.clone();
    }
    let scales = independent.diagonal().map(f64::sqrt);
    let count = scales.len();
    let more = DMatrix::from_fn(count, count, |i, j| {
        let mean = 0.5 * (cofactors[(i, j)] + cofactors[(j, i)]);
        (mean - independent[(i, j)]) / (scales[i] * scales[j])
    });
    let mut eigen = SymmetricEigen::new(more);
    eigen.eigenvalues.apply(|value| *value = value.max(0.0));
    let more = eigen.recompose();
    DMatrix::from_fn(count, count, |i, j| independent[(i, j)] + more[(i, j)] * scales[i] * scales[j])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_direction_has_less_than_independent_residuals() {
        let independent = DMatrix::from_row_slice(2, 2, &[2.0, 0.5, 0.5, 1.0]);
        let raised = at_least(&independent, &DMatrix::from_row_slice(2, 2, &[0.1, 0.0, 0.0, 9.0]));
        let more = SymmetricEigen::new(&raised - &independent);
        assert!(more.eigenvalues.iter().all(|value| *value > -1e-12), "{raised}");
        assert!(raised[(1, 1)] >= 9.0);
        assert!((at_least(&independent, &independent) - &independent).amax() < 1e-12);
    }
}
