//! Uncertainty of the parameters of a fit.

use serde::Serialize;

use super::correlation::{self, NoiseCorrelation, NormalEquations};
use super::lobes::Lobes;
use super::model::{Form, MOTIONS, Model};
use super::newton::{self, WeightedPoints};
use super::shape::Shape;
use geometry::Point;

/// Expanded uncertainties (k = 2) from the standard deviation of the residuals, and the conditioning of the fit.
///
/// The noise of surface sensors is correlated between neighbouring points, so the residuals count for fewer independent
/// ones. How many is estimated from the residuals themselves (`correlation`). Circles, cylinders and cones that were seen
/// on an arc are as uncertain as the form that the rest may have makes them (`lobes`).
///
/// Infinite values are not determined; with no more points than the parameters need, all are ([`Self::is_stated`]).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Uncertainty {
    /// Maximum uncertainty of the reference point over all directions in which it is determined, mm: of planes along the
    /// normal, of lines, cylinders and cones across the axis.
    pub position_mm: f64,
    /// Maximum uncertainty of the direction, rad; 0 for shapes without one.
    pub direction_rad: f64,
    /// Of the size parameters: radii in mm, half angles in rad, in the order of [`Shape`].
    pub numbers: Vec<f64>,
    /// Number of residuals beyond those that the parameters take up; without any, nothing tells the noise.
    pub redundancy: usize,
    /// Smallest radius that agrees with an arc that does not determine its radius, mm; `None` if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_radius_mm: Option<f64>,
    /// Covariance of translations of the reference point (mm) and rotations about it (rad) along the axes of the
    /// points' frame; zero for motions that leave the feature unchanged.
    #[serde(skip)]
    pub motion: nalgebra::Matrix6<f64>,
    /// Ratio of the variance of a mean to that for independent residuals; at least 1.
    pub inflation: f64,
    /// Equivalent number of independent points.
    pub effective_points: f64,
    /// Number of parameters determined by the points.
    pub rank: usize,
    /// Condition number of the scaled least-squares problem: the amplification of relative errors.
    pub condition: f64,
    /// The noise correlation within the given distance ([`super::Options::correlation_within_mm`]); `None` if none was
    /// given, or if there are too few points to estimate it.
    #[serde(skip)]
    pub noise: Option<NoiseCorrelation>,
    /// Assumptions behind the stated values.
    pub assumption: String,
}

/// Prior information on the residuals.
#[derive(Clone, Copy, Debug)]
pub(super) struct ResidualModel {
    /// Distance within which correlation is estimated, mm; `None` estimates the correlation length.
    pub within_mm: Option<f64>,
    /// Outlier limit beyond which residuals were dropped, in standard deviations.
    pub clip_sigmas: Option<f64>,
    /// Correlation known from a larger set of points.
    pub noise: Option<NoiseCorrelation>,
    /// Sensor position in the frame and unit of the fitted points.
    pub eye: Option<Point>,
}

impl ResidualModel {
    /// The share of a normal distribution's variance that remains within the outlier limit: a repetition fits all
    /// points, including those dropped here.
    fn remaining_variance(self) -> f64 {
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

/// Factor by which the variance of the parameters exceeds that stated by few residuals: the variance of Student's t
/// distribution with `freedom` degrees of freedom (GUM Supplement 1, 6.4.9), which is not defined below 3.
pub(in crate::features) fn small_sample_factor(freedom: f64) -> f64 {
    let freedom = freedom.max(3.0);
    freedom / (freedom - 2.0)
}

/// The same for a single or two residuals to spare, so that twice the standard deviation is the interval of Student's t
/// distribution that contains 95 % (GUM, G.3.2).
pub(in crate::features) fn few_residuals_factor(redundancy: usize) -> Option<f64> {
    match redundancy {
        1 => Some((12.706_f64 / 2.0).powi(2)),
        2 => Some((4.303_f64 / 2.0).powi(2)),
        _ => None,
    }
}

/// What is said where there are no residuals to spare.
const NO_REDUNDANCY: &str =
    "no uncertainty can be stated: there are no more points than the fit needs, and nothing tells their noise";
/// Ratio of the uncertainty of a radius to the radius from which on it is not determined: the curvature might as well be
/// none.
const MAX_RADIUS_SHARE: f64 = 0.95;
/// Share of the variance of a radius from which on it is said that lobes contribute to it.
const MIN_LOBE_SHARE: f64 = 0.01;
/// Uncertainty of a direction from which on it is not determined, rad.
const MAX_DIRECTION_RAD: f64 = 1.0;

/// Eigenvalues below this share of the largest count as undetermined.
const MIN_RELATIVE_EIGENVALUE: f64 = 1e-20;

impl Uncertainty {
    /// That of a fit without residuals to spare, of so many points and sizes.
    pub(crate) fn unstated(points: usize, sizes: usize, has_direction: bool) -> Self {
        Self {
            position_mm: f64::INFINITY,
            direction_rad: if has_direction { f64::INFINITY } else { 0.0 },
            numbers: vec![f64::INFINITY; sizes],
            redundancy: 0,
            min_radius_mm: None,
            motion: nalgebra::Matrix6::zeros(),
            inflation: 1.0,
            effective_points: points as f64,
            rank: 0,
            condition: 1.0,
            noise: None,
            assumption: NO_REDUNDANCY.to_owned(),
        }
    }

    /// Whether there are residuals that tell the noise.
    pub fn is_stated(&self) -> bool {
        self.redundancy > 0
    }

    /// The uncertainty of the first size, mm or rad, infinite if it is not determined; `None` if none can be stated.
    pub fn of_size(&self) -> Option<f64> {
        self.numbers.first().copied().filter(|_| self.is_stated())
    }

    /// The uncertainty of `shape`, given in units of `size_mm` about the points' centroid; `None` if the points do not
    /// determine it.
    pub(super) fn of(
        shape: &Shape,
        points: WeightedPoints<'_>,
        used: usize,
        size_mm: f64,
        residual_model: ResidualModel,
    ) -> Option<Self> {
        let model = Model::of(shape);
        let (form, count) = (model.form, model.form.parameters());
        let sums = newton::sums(&model, points);
        let information = sums.information(count);
        let scales = information.diagonal().map(f64::sqrt);
        let scaled = nalgebra::DMatrix::from_fn(count, count, |i, j| information[(i, j)] / (scales[i] * scales[j]));
        let eigen = nalgebra::SymmetricEigen::new(scaled.clone());
        let max_eigenvalue = eigen.eigenvalues.max();
        let rank = eigen.eigenvalues.iter().filter(|value| **value > MIN_RELATIVE_EIGENVALUE * max_eigenvalue).count();
        let inverse = scaled.cholesky()?.inverse();
        let independent = nalgebra::DMatrix::from_fn(count, count, |i, j| inverse[(i, j)] / (scales[i] * scales[j]));
        let redundancy = (used * form.residuals()).saturating_sub(count);
        if redundancy == 0 {
            return Some(Self {
                rank,
                ..Self::unstated(used, count - form.motions().len(), shape.direction().is_some())
            });
        }
        // Where systematic effects over longer distances are accounted for elsewhere, so is form.
        let is_whole = residual_model.within_mm.is_none() && residual_model.noise.is_none();
        let lobes = if is_whole { Lobes::of(&model, points, &independent) } else { None };
        let settings = correlation::Settings {
            within_mm: residual_model.within_mm,
            known_noise: residual_model.noise,
            eye: residual_model.eye,
            unit_mm: size_mm,
            lobes: lobes.as_ref(),
        };
        let equations = NormalEquations { information: &information, inverse: &independent };
        let correlation = correlation::of(&model, points, equations, &settings);
        let freedom = redundancy as f64;
        let small_sample = match few_residuals_factor(redundancy) {
            Some(factor) => factor,
            None if correlation.is_widened => 1.0,
            None => small_sample_factor(freedom / correlation.inflation),
        };
        let cost = lobes.as_ref().map_or(sums.cost, |lobes| lobes.cost(&model, points));
        let variance = cost / freedom / residual_model.remaining_variance() * small_sample;
        let mut covariance = &correlation.cofactors * variance;
        let mut description = correlation.description;
        if let Some(lobes) = &lobes {
            covariance += &lobes.covariance;
            let size = form.motions().len();
            if lobes.covariance[(size, size)] > MIN_LOBE_SHARE * covariance[(size, size)] {
                description +=
                    "; lobes of the form, 2 to 7 on a revolution, are allowed for as far as the arc leaves them open";
            }
        }
        let motions = form.motions();
        let is_length =
            |k: usize| if k < motions.len() { motions[k] < 3 } else { !(form == Form::Cone && k + 1 == count) };
        let unit = |k: usize| if is_length(k) { size_mm } else { 1.0 };
        let expanded = |range: std::ops::Range<usize>| -> f64 {
            let block: Vec<usize> = (0..motions.len()).filter(|&k| range.contains(&motions[k])).collect();
            let block_covariance =
                nalgebra::DMatrix::from_fn(block.len(), block.len(), |i, j| covariance[(block[i], block[j])]);
            let max =
                if block.is_empty() { 0.0 } else { nalgebra::SymmetricEigen::new(block_covariance).eigenvalues.max() };
            2.0 * max.max(0.0).sqrt()
        };
        let mut local_motion = nalgebra::Matrix6::zeros();
        for (i, &row) in motions.iter().enumerate() {
            for (j, &column) in motions.iter().enumerate() {
                local_motion[(row, column)] = covariance[(i, j)] * unit(i) * unit(j);
            }
        }
        let rotation = model.points_from_model.rotation.to_rotation_matrix();
        let mut rotation_6d = nalgebra::Matrix6::zeros();
        rotation_6d.fixed_view_mut::<3, 3>(0, 0).copy_from(rotation.matrix());
        rotation_6d.fixed_view_mut::<3, 3>(3, 3).copy_from(rotation.matrix());
        let mut own = Self {
            position_mm: size_mm * expanded(0..3),
            direction_rad: expanded(3..MOTIONS),
            numbers: (motions.len()..count).map(|k| 2.0 * unit(k) * covariance[(k, k)].max(0.0).sqrt()).collect(),
            redundancy,
            min_radius_mm: None,
            motion: rotation_6d * local_motion * rotation_6d.transpose(),
            inflation: correlation.inflation,
            effective_points: used as f64 / correlation.inflation,
            rank,
            condition: (max_eigenvalue / eigen.eigenvalues.min().max(f64::MIN_POSITIVE)).sqrt(),
            noise: correlation.noise,
            assumption: format!("k = 2; {description}"),
        };
        own.bound(shape.radius().map(|radius| radius * size_mm));
        Some(own)
    }

    /// Replaces what a linear model of the radius, and of the centre with it, does not hold for.
    ///
    /// An arc determines its curvature. The interval of the curvature, 1/r (1 ± q), is that of radii from r / (1 + q) to
    /// r / (1 - q): its longer side is stated, and where it has no end the radius is not determined.
    pub(super) fn bound(&mut self, radius_mm: Option<f64>) {
        if self.direction_rad > MAX_DIRECTION_RAD {
            self.direction_rad = f64::INFINITY;
        }
        let (Some(radius_mm), Some(own)) = (radius_mm, self.numbers.first_mut()) else { return };
        let share = *own / radius_mm;
        let factor = 1.0 / (1.0 - share.min(MAX_RADIUS_SHARE));
        let mut motion = self.motion;
        motion.fixed_view_mut::<3, 6>(0, 0).scale_mut(factor);
        motion.fixed_view_mut::<6, 3>(0, 0).scale_mut(factor);
        self.motion = motion;
        if share < MAX_RADIUS_SHARE {
            *own *= factor;
            self.position_mm *= factor;
        } else {
            self.min_radius_mm = Some(radius_mm / (1.0 + share));
            *own = f64::INFINITY;
            self.position_mm = f64::INFINITY;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Options, fit};
    use base::{Progress, random::Random};
    use geometry::Point;
    use nalgebra::{DMatrix, DVector};

    /// Planes under noise that is half white, half correlated: the stated intervals of offset and both tilts cover the
    /// truth as often as stated; under the assumption of independence they would be far too small.
    #[test]
    fn intervals_cover_the_truth_under_correlated_noise() {
        let (count, length, runs) = (1200, 2.0, 300);
        let mut random = Random::new(1, 0xC0);
        let positions: Vec<Point> =
            (0..count).map(|_| Point::new(random.range(-30.0, 30.0), random.range(-12.0, 12.0), 0.0)).collect();
        let covariance = DMatrix::from_fn(count, count, |i, j| {
            let white = if i == j { 1.0 } else { 0.0 };
            white + (-((positions[i] - positions[j]).norm() / length).powi(2)).exp()
        });
        let factor = covariance.cholesky().unwrap().l() * 0.01;
        let (mut covered, mut naive) = ([0; 3], [0; 3]);
        for _ in 0..runs {
            let noise = &factor * DVector::from_fn(count, |_, _| random.normal());
            let points: Vec<Point> =
                positions.iter().zip(noise.iter()).map(|(p, z)| Point::new(p.x, p.y, *z)).collect();
            let fitted = fit(Kind::Plane, &points, &[], &Options::default(), &Progress::silent()).unwrap();
            let normal = fitted.shape.direction().unwrap();
            let normal = normal * normal.z.signum();
            // Translation of the plane at its reference point, and rotations about x and y.
            let errors = [fitted.shape.position().z, -normal.y, normal.x];
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
