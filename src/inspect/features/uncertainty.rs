//! How sure the parameters of a fit are.

use serde::Serialize;

use super::correlation::{self, Equations, NoiseCorrelation};
use super::model::{Form, MOTIONS, Model};
use super::newton::{self, Weighted};
use super::shape::Shape;
use geometry::Point;

/// Expanded uncertainties (k = 2) from the spread of the residuals, and how well the points determine the feature.
///
/// The noise of surface sensors is correlated over neighbours, so residuals say less than their number. How much less
/// is estimated from the residuals themselves (`correlation`).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Uncertainty {
    /// Largest uncertainty of the place in any direction that is determined, mm.
    pub position_mm: f64,
    /// Largest uncertainty of the direction, rad; 0 where there is none.
    pub direction_rad: f64,
    /// Of the numbers: radii in mm, half angles in rad, as [`Shape`] lists them.
    pub numbers: Vec<f64>,
    /// Covariance of shifts of the place (mm) and turns about it (rad) along the axes of the points' frame; zero for
    /// motions that do not change the feature.
    #[serde(skip)]
    pub motion: nalgebra::Matrix6<f64>,
    /// By how much the variance of a mean exceeds that of independent residuals; at least 1.
    pub inflation: f64,
    /// Independent points that the residuals are worth.
    pub effective_points: f64,
    /// Parameters that the points determine.
    pub rank: usize,
    /// Of the scaled least-squares problem: how much it amplifies relative errors.
    pub condition: f64,
    /// How the noise is correlated over the distance that was given ([`super::Options::correlation_within_mm`]); `None`
    /// where none was, or where the points are too few to show it.
    #[serde(skip)]
    pub noise: Option<NoiseCorrelation>,
    /// What the figures assume.
    pub assumption: String,
}

/// What is known of the residuals beforehand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spread {
    /// Distance within which correlation is looked for, mm; else as far as it is seen.
    pub within_mm: Option<f64>,
    /// Standard deviations beyond which residuals were dropped.
    pub clip_sigmas: Option<f64>,
    /// What is known of the correlation from more points.
    pub noise: Option<NoiseCorrelation>,
    /// Where the device is, in the frame and unit of the fitted points.
    pub eye: Option<Point>,
}

impl Spread {
    /// The share of a normal distribution's variance that is left within the clip: what is dropped still moved the fit
    /// of all points that a repetition would find.
    fn kept(self) -> f64 {
        let Some(clip) = self.clip_sigmas else { return 1.0 };
        let steps = 400;
        let (mut share, mut variance) = (0.0, 0.0);
        for i in 0..steps {
            let x = clip * (i as f64 + 0.5) / steps as f64;
            let density = (-0.5 * x * x).exp();
            (share, variance) = (share + density, variance + density * x * x);
        }
        variance / share
    }
}

/// How much wider the parameters spread than the residuals of few points say: the variance of Student's distribution of
/// `freedom` degrees (GUM Supplement 1, 6.4.9), which has none below 3.
fn of_small_samples(freedom: f64) -> f64 {
    let freedom = freedom.max(3.0);
    freedom / (freedom - 2.0)
}

/// Eigenvalues smaller than this share of the largest are not determined.
const OPEN: f64 = 1e-20;

impl Uncertainty {
    /// Of `shape` in units of `size_mm` about the points' centroid. `None` where the points do not determine it.
    pub(super) fn of(shape: &Shape, points: Weighted<'_>, used: usize, size_mm: f64, spread: Spread) -> Option<Self> {
        let model = Model::of(shape);
        let (form, count) = (model.form, model.form.parameters());
        let sums = newton::sums(&model, points);
        let information = sums.information(count);
        let scales = information.diagonal().map(f64::sqrt);
        let scaled = nalgebra::DMatrix::from_fn(count, count, |i, j| information[(i, j)] / (scales[i] * scales[j]));
        let eigen = nalgebra::SymmetricEigen::new(scaled.clone());
        let most = eigen.eigenvalues.max();
        let rank = eigen.eigenvalues.iter().filter(|value| **value > OPEN * most).count();
        let inverse = scaled.cholesky()?.inverse();
        let independent = nalgebra::DMatrix::from_fn(count, count, |i, j| inverse[(i, j)] / (scales[i] * scales[j]));
        let search =
            correlation::Search { within_mm: spread.within_mm, known: spread.noise, eye: spread.eye, unit_mm: size_mm };
        let equations = Equations { information: &information, inverse: &independent };
        let correlation = correlation::of(&model, points, equations, &search);
        let left = (used * form.residuals()).saturating_sub(count).max(1) as f64;
        let widened = if correlation.is_widened { 1.0 } else { of_small_samples(left / correlation.inflation) };
        let variance = sums.cost / left / spread.kept() * widened;
        let covariance = &correlation.cofactors * variance;
        let motions = form.motions();
        let is_length =
            |k: usize| if k < motions.len() { motions[k] < 3 } else { !(form == Form::Cone && k + 1 == count) };
        let unit = |k: usize| if is_length(k) { size_mm } else { 1.0 };
        let expanded = |range: std::ops::Range<usize>| -> f64 {
            let block: Vec<usize> = (0..motions.len()).filter(|&k| range.contains(&motions[k])).collect();
            let of_block =
                nalgebra::DMatrix::from_fn(block.len(), block.len(), |i, j| covariance[(block[i], block[j])]);
            let largest =
                if block.is_empty() { 0.0 } else { nalgebra::SymmetricEigen::new(of_block).eigenvalues.max() };
            2.0 * largest.max(0.0).sqrt()
        };
        let mut own = nalgebra::Matrix6::zeros();
        for (i, &row) in motions.iter().enumerate() {
            for (j, &column) in motions.iter().enumerate() {
                own[(row, column)] = covariance[(i, j)] * unit(i) * unit(j);
            }
        }
        let turn = model.points_from_model.rotation.to_rotation_matrix();
        let mut turned = nalgebra::Matrix6::zeros();
        turned.fixed_view_mut::<3, 3>(0, 0).copy_from(turn.matrix());
        turned.fixed_view_mut::<3, 3>(3, 3).copy_from(turn.matrix());
        Some(Self {
            position_mm: size_mm * expanded(0..3),
            direction_rad: expanded(3..MOTIONS),
            numbers: (motions.len()..count).map(|k| 2.0 * unit(k) * covariance[(k, k)].max(0.0).sqrt()).collect(),
            motion: turned * own * turned.transpose(),
            inflation: correlation.inflation,
            effective_points: used as f64 / correlation.inflation,
            rank,
            condition: (most / eigen.eigenvalues.min().max(f64::MIN_POSITIVE)).sqrt(),
            noise: correlation.noise,
            assumption: format!("k = 2; {}", correlation.described),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Options, fit};
    use base::{Progress, random::Random};
    use geometry::Point;
    use nalgebra::{DMatrix, DVector};

    /// Planes in noise that is half white, half correlated: stated intervals cover the truth as often as they say,
    /// shift and both tilts, where independence would be far off.
    #[test]
    fn intervals_cover_where_noise_is_correlated() {
        let (count, length, runs) = (1200, 2.0, 300);
        let mut random = Random::new(1, 0xC0);
        let places: Vec<Point> =
            (0..count).map(|_| Point::new(random.range(-30.0, 30.0), random.range(-12.0, 12.0), 0.0)).collect();
        let covariance = DMatrix::from_fn(count, count, |i, j| {
            let white = if i == j { 1.0 } else { 0.0 };
            white + (-((places[i] - places[j]).norm() / length).powi(2)).exp()
        });
        let factor = covariance.cholesky().unwrap().l() * 0.01;
        let (mut covered, mut naive) = ([0; 3], [0; 3]);
        for _ in 0..runs {
            let noise = &factor * DVector::from_fn(count, |_, _| random.normal());
            let points: Vec<Point> = places.iter().zip(noise.iter()).map(|(p, z)| Point::new(p.x, p.y, *z)).collect();
            let fitted = fit(Kind::Plane, &points, &[], &Options::default(), &Progress::silent()).unwrap();
            let normal = fitted.shape.direction().unwrap();
            let normal = normal * normal.z.signum();
            // The shift of the plane at its place, and its turns about x and y.
            let errors = [fitted.shape.place().z, -normal.y, normal.x];
            for (k, row) in [2, 3, 4].into_iter().enumerate() {
                let u = &fitted.uncertainty;
                let sigma = u.motion[(row, row)].sqrt();
                covered[k] += usize::from(errors[k].abs() < 1.96 * sigma);
                naive[k] += usize::from(errors[k].abs() < 1.96 * sigma / u.inflation.sqrt());
            }
        }
        println!("covered {covered:?}, as independent {naive:?} of {runs}");
        assert!(covered.iter().all(|own| (93 * runs..=99 * runs).contains(&(own * 100))), "{covered:?}");
        assert!(naive.iter().all(|own| *own * 100 < 75 * runs), "{naive:?}");
    }
}
