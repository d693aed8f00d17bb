//! Gaussian (least-squares) fits with rejection of the worst points, and the form characteristics of their residuals.

use super::Settings;
use crate::features::{Kind, Options, Shape, fit};
use base::{Progress, Result, UserError};
use geometry::Point;

/// A fitted shape and its form characteristics.
pub(super) struct Association {
    /// Fitted to the points that were not rejected.
    pub shape: Shape,
    /// Range of the residuals of the points kept, mm.
    pub form_mm: f64,
    /// Standard deviation of the residuals of the points kept, mm, with the remaining degrees of freedom.
    pub sigma_mm: f64,
    /// Width of the narrowest band of residuals of the fit to all points that contains 95 % of them, mm.
    pub dispersion_mm: f64,
    /// Indices of the points kept, in ascending order.
    pub kept: Vec<u32>,
}

/// Minimum number of points of an artefact.
pub(super) const MIN_POINTS: usize = 50;
/// Maximum number of rejection iterations. The worst points are usually the same after the first one.
const MAX_ITERATIONS: usize = 10;
/// Share of the points within the dispersion band.
const DISPERSION_SHARE: f64 = 0.95;

/// Fits `kind` to all points, rejects the share farthest from the fit, and repeats the fit until the rejected points no
/// longer change.
pub(super) fn associate(kind: Kind, points: &[Point], settings: &Settings, progress: &Progress) -> Result<Association> {
    if points.len() < MIN_POINTS {
        return Err(UserError::input(format!(
            "{} points are too few for an acceptance test; {MIN_POINTS} are needed.",
            points.len()
        )));
    }
    let mut fitted = fit(kind, points, &[], &Options::default(), progress)?;
    let dispersion_mm = narrowest_band(&fitted.residuals_mm);
    let count = (settings.rejected_share * points.len() as f64).floor() as usize;
    let mut rejected = Vec::new();
    for _ in 0..MAX_ITERATIONS {
        let worst = worst_residuals(&fitted.residuals_mm, count);
        if worst == rejected {
            break;
        }
        rejected = worst;
        let mut weights = vec![1.0; points.len()];
        rejected.iter().for_each(|&index| weights[index as usize] = 0.0);
        let options = Options { start: Some(fitted.shape), ..Options::default() };
        fitted = fit(kind, points, &weights, &options, progress)?;
    }
    let kept = (0..points.len() as u32).filter(|index| rejected.binary_search(index).is_err()).collect();
    Ok(Association {
        shape: fitted.shape,
        form_mm: fitted.form_error_mm,
        sigma_mm: fitted.sigma_mm,
        dispersion_mm,
        kept,
    })
}

/// Indices of the `count` residuals farthest from 0, ascending; of equal residuals those with the lowest indices.
fn worst_residuals(residuals: &[f64], count: usize) -> Vec<u32> {
    let mut order: Vec<u32> = (0..residuals.len() as u32).collect();
    let magnitude = |index: u32| residuals[index as usize].abs();
    order.sort_by(|&a, &b| magnitude(b).total_cmp(&magnitude(a)).then(a.cmp(&b)));
    order.truncate(count);
    order.sort_unstable();
    order
}

fn narrowest_band(residuals: &[f64]) -> f64 {
    let mut sorted = residuals.to_vec();
    sorted.sort_by(f64::total_cmp);
    let inside = ((DISPERSION_SHARE * sorted.len() as f64).ceil() as usize).max(1);
    sorted.windows(inside).map(|band| band[inside - 1] - band[0]).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn the_worst_are_those_farthest_from_zero() {
        assert_eq!(worst_residuals(&[0.1, -0.5, 0.3, 0.5, 0.0], 2), [1, 3]);
        assert_eq!(worst_residuals(&[0.5; 4], 2), [0, 1]);
        assert!(worst_residuals(&[1.0], 0).is_empty());
    }

    #[test]
    fn the_narrowest_band_leaves_one_tail_out_where_that_is_best() {
        let mut residuals: Vec<f64> = (0..95).map(|i| f64::from(i) / 94.0).collect();
        residuals.extend([50.0, 60.0, 70.0, 80.0, 90.0]);
        assert!((narrowest_band(&residuals) - 1.0).abs() < 1e-12);
        assert_eq!(narrowest_band(&[3.0]), 0.0);
    }

    /// Gross errors of three in a thousand points are exactly the rejected points, and the plane is that of the rest.
    #[test]
    fn gross_errors_are_rejected_and_leave_no_trace() {
        let mut random = Random::new(5, 5);
        let mut points: Vec<Point> = (0..2000)
            .map(|_| Point::new(random.range(-40.0, 40.0), random.range(-40.0, 40.0), random.range(-0.01, 0.01)))
            .collect();
        for index in [3, 500, 501, 1200, 1800, 1999] {
            points[index].z += 2.0;
        }
        let found = associate(Kind::Plane, &points, &Settings::default(), &Progress::silent()).unwrap();
        let rejected: Vec<u32> = (0..2000).filter(|index| !found.kept.contains(index)).collect();
        assert_eq!(rejected, [3, 500, 501, 1200, 1800, 1999]);
        let clean: Vec<Point> = found.kept.iter().map(|&index| points[index as usize]).collect();
        let truth = fit(Kind::Plane, &clean, &[], &Options::default(), &Progress::silent()).unwrap();
        assert!((found.form_mm - truth.form_error_mm).abs() < 1e-12 && (found.sigma_mm - truth.sigma_mm).abs() < 1e-12);
        let all = Settings { rejected_share: 0.0, ..Settings::default() };
        let whole = associate(Kind::Plane, &points, &all, &Progress::silent()).unwrap();
        assert!(whole.form_mm > 2.0 && whole.kept.len() == 2000);
        assert!((found.dispersion_mm - whole.dispersion_mm).abs() < 1e-15 && found.dispersion_mm < 0.025);
    }
}
