//! Form of round features that were seen on an arc: lobes, 2 to 7 on a revolution.
//!
//! A fit to an arc takes most of an oval or of three lobes for another radius and another centre: of three lobes of 0.02
//! mm on 70° only a tenth is left in the residuals, and the diameter is up to 0.25 mm off. Noise models do not cover that:
//! the waves are longer than the arc. So each number of lobes is considered as a hypothesis of its own, in phase and
//! amplitude unknown, and its effect on the parameters follows from its posterior: what the residuals show of it, and what
//! they leave open. The amplitude's prior is a half-t distribution with 3 degrees of freedom (Gelman, "Prior distributions
//! for variance parameters in hierarchical models", 2006) whose scale is a few times the scatter of single points: the
//! rest, which was not seen, may have a form of that size. Of the numbers of lobes that the residuals do not rule out the
//! one with the largest effect counts, which is more than most bores need. All around, lobes have no effect, and what they
//! contribute to the residuals is no noise.

use nalgebra::{DMatrix, Matrix2, Matrix2xX, SMatrix, SVector, SymmetricEigen, Vector2};
use rayon::prelude::*;

use super::correlation::scale_to_95;
use super::model::{Form, Model};
use super::newton::{self, CHUNK, MAX_PARAMETERS, WeightedPoints};
use geometry::Point;

/// Smallest number of lobes; one is an eccentricity, which belongs to the position.
const MIN_LOBES: usize = 2;
/// Number of hypotheses: 2 to 7 lobes.
const HYPOTHESES: usize = 6;
/// Minimum number of points per lobe.
const MIN_POINTS_PER_LOBE: usize = 4;
/// Scale of the prior of the amplitude, in standard deviations of single points.
const PRIOR_SCALE: f64 = 5.0;
/// Amplitudes considered, in standard deviations of single points: evenly spaced by logarithm.
const AMPLITUDES: usize = 49;
const AMPLITUDE_RANGE: [f64; 2] = [1e-2, 1e2];
/// Natural logarithm of the ratio of likelihoods beyond which a number of lobes is ruled out.
const MAX_LOG_RATIO: f64 = 4.0;

/// One point: its weight, its residual with the derivatives by the parameters, and its direction from the axis.
pub struct Row {
    /// Weight.
    pub weight: f64,
    /// Residual.
    pub residual: f64,
    /// Derivatives of the residual by the parameters.
    pub by: [f64; MAX_PARAMETERS],
    /// Cosine and sine of the angle about the axis.
    pub direction: [f64; 2],
}

/// Lobes of a fitted feature and their effect on its parameters.
pub struct Lobes {
    /// Expected coefficients of cosine and sine, from [`MIN_LOBES`] on.
    coefficients: [[f64; 2]; HYPOTHESES],
    /// Covariance of the parameters due to lobes.
    pub covariance: DMatrix<f64>,
}

/// Cosine and sine of the multiples of an angle, from [`MIN_LOBES`] on.
fn waves([cos, sin]: [f64; 2]) -> [[f64; 2]; HYPOTHESES] {
    let mut wave = [cos, sin];
    let next = |[c, s]: [f64; 2]| [c * cos - s * sin, s * cos + c * sin];
    std::array::from_fn(|_| {
        wave = next(wave);
        wave
    })
}

/// The direction of a point from the axis of a model, whose z axis it is.
fn direction(model: &Model, point: &Point) -> [f64; 2] {
    let q = model.points_from_model.inverse_transform_point(point);
    let distance = q.x.hypot(q.y);
    if distance > 0.0 { [q.x / distance, q.y / distance] } else { [1.0, 0.0] }
}

/// Sums over points.
#[derive(Clone)]
struct Sums {
    used: usize,
    /// Of squared residuals.
    squares: f64,
    /// For each hypothesis: products of the waves with the residuals, with each other, and with the derivatives.
    residuals: [Vector2<f64>; HYPOTHESES],
    waves: [Matrix2<f64>; HYPOTHESES],
    derivatives: [SMatrix<f64, MAX_PARAMETERS, 2>; HYPOTHESES],
}

impl Sums {
    const ZERO: Self = Self {
        used: 0,
        squares: 0.0,
        residuals: [Vector2::new(0.0, 0.0); HYPOTHESES],
        waves: [Matrix2::new(0.0, 0.0, 0.0, 0.0); HYPOTHESES],
        derivatives: [SMatrix::<f64, MAX_PARAMETERS, 2>::from_array_storage(nalgebra::ArrayStorage(
            [[0.0; MAX_PARAMETERS]; 2],
        )); HYPOTHESES],
    };

    fn add_row(&mut self, row: &Row) {
        self.used += 1;
        self.squares += row.weight * row.residual * row.residual;
        let by = SVector::<f64, MAX_PARAMETERS>::from(row.by);
        for (k, wave) in waves(row.direction).into_iter().enumerate() {
            let wave = Vector2::from(wave);
            let weighted = wave * row.weight;
            self.residuals[k] += weighted * row.residual;
            self.waves[k] += weighted * wave.transpose();
            self.derivatives[k] += by * weighted.transpose();
        }
    }

    fn add(mut self, other: &Self) -> Self {
        self.used += other.used;
        self.squares += other.squares;
        for k in 0..HYPOTHESES {
            self.residuals[k] += other.residuals[k];
            self.waves[k] += other.waves[k];
            self.derivatives[k] += other.derivatives[k];
        }
        self
    }
}

/// A number of lobes, with all amplitudes.
struct Hypothesis {
    /// Logarithm of its likelihood.
    log_evidence: f64,
    /// Expected coefficients.
    mean: Vector2<f64>,
    /// Covariance of the parameters.
    covariance: DMatrix<f64>,
}

impl Lobes {
    /// The lobes of a fitted circle, cylinder or cone, of which `inverse` is the inverse of the information matrix; `None`
    /// for other shapes, for too few points, and without residuals.
    pub fn of(model: &Model, points: WeightedPoints<'_>, inverse: &DMatrix<f64>) -> Option<Self> {
        if !matches!(model.form, Form::Circle | Form::Cylinder | Form::Cone) {
            return None;
        }
        let row = |index: usize, point: &Point| {
            let (residual, by) = newton::rows(model, point)[0];
            let weight = points.weights.get(index).copied().unwrap_or(1.0);
            Row { weight, residual, by, direction: direction(model, point) }
        };
        let size_index = model.form.motions().len();
        Self::from_rows(points.points, row, inverse, size_index)
    }

    /// The same from rows of any parametrisation; `size_index` is that of the parameter that is the radius.
    pub fn from_rows<P: Sync>(
        points: &[P],
        row: impl Fn(usize, &P) -> Row + Sync,
        inverse: &DMatrix<f64>,
        size_index: usize,
    ) -> Option<Self> {
        let tasks: Vec<Sums> = points
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(task, chunk)| {
                let mut sums = Sums::ZERO;
                for (i, point) in chunk.iter().enumerate() {
                    let row = row(task * CHUNK + i, point);
                    if row.weight > 0.0 {
                        sums.add_row(&row);
                    }
                }
                sums
            })
            .collect();
        let sums = tasks.iter().fold(Sums::ZERO, |sum, own| sum.add(own));
        let freedom = sums.used as f64 - inverse.nrows() as f64;
        if !(sums.squares > 0.0 && freedom > 0.0) {
            return None;
        }
        let count = (sums.used / MIN_POINTS_PER_LOBE + 1).saturating_sub(MIN_LOBES).min(HYPOTHESES);
        let hypotheses: Vec<Hypothesis> =
            (0..count).filter_map(|k| Hypothesis::of(&sums, k, inverse, freedom, size_index)).collect();
        let best = hypotheses.iter().map(|own| own.log_evidence).fold(f64::NEG_INFINITY, f64::max);
        if !best.is_finite() {
            return None;
        }
        // What is taken out of the residuals has to be better than none, whose likelihood counts as much as that of all.
        let none = (-0.5 * freedom * sums.squares.ln() - best).exp() * hypotheses.len() as f64;
        let weight = |own: &Hypothesis| (own.log_evidence - best).exp();
        let total: f64 = none + hypotheses.iter().map(weight).sum::<f64>();
        let mut coefficients = [[0.0; 2]; HYPOTHESES];
        for (coefficients, own) in coefficients.iter_mut().zip(&hypotheses) {
            *coefficients = (own.mean * (weight(own) / total)).into();
        }
        let plausible = hypotheses.iter().filter(|own| own.log_evidence >= best - MAX_LOG_RATIO);
        let covariance = largest(plausible.map(|own| &own.covariance), inverse);
        Some(Self { coefficients, covariance })
    }

    /// Expected height of the surface above the fitted one, due to lobes, in a direction from the axis.
    pub fn height_along(&self, direction: [f64; 2]) -> f64 {
        let products = waves(direction).into_iter().zip(&self.coefficients);
        products.map(|([cos, sin], [a, b])| a * cos + b * sin).sum()
    }

    /// Expected height of the surface above the fitted one at a point.
    pub fn height(&self, model: &Model, point: &Point) -> f64 {
        self.height_along(direction(model, point))
    }

    /// Sum of w f² without what is due to lobes.
    pub fn cost(&self, model: &Model, points: WeightedPoints<'_>) -> f64 {
        let chunk = |(task, chunk): (usize, &[Point])| -> f64 {
            let own = |(i, point): (usize, &Point)| {
                let weight = points.weights.get(task * CHUNK + i).copied().unwrap_or(1.0);
                let [(first, _), (second, _)] = newton::rows(model, point);
                let first = first - self.height(model, point);
                weight * (first * first + if model.form.residuals() > 1 { second * second } else { 0.0 })
            };
            chunk.iter().enumerate().map(own).sum()
        };
        let sums: Vec<f64> = points.points.par_chunks(CHUNK).enumerate().map(chunk).collect();
        sums.iter().sum()
    }
}

impl Hypothesis {
    fn of(sums: &Sums, k: usize, inverse: &DMatrix<f64>, freedom: f64, size_index: usize) -> Option<Self> {
        let derivatives = sums.derivatives[k].rows(0, inverse.nrows()).into_owned();
        // How the parameters of the fit follow the coefficients, and what of the waves is left in the residuals. The
        // derivatives are those of the residuals: a parameter that grows lowers them.
        let response: Matrix2xX<f64> = (-(inverse * &derivatives)).transpose();
        let left = sums.waves[k] + derivatives.transpose() * response.transpose();
        let left = 0.5 * (left + left.transpose());
        let mut amplitudes = Vec::with_capacity(AMPLITUDES);
        for step in 0..AMPLITUDES {
            let amplitude = amplitude_at(step);
            let ratio = amplitude * amplitude;
            let matrix = Matrix2::identity() + left * ratio;
            let shrunk = matrix.try_inverse()?;
            let mean = shrunk * sums.residuals[k] * ratio;
            let square = (sums.squares - sums.residuals[k].dot(&mean)).max(f64::MIN_POSITIVE);
            let variance = square / freedom;
            let log_likelihood = density(amplitude).ln()
                - 0.5 * matrix.determinant().max(f64::MIN_POSITIVE).ln()
                - 0.5 * freedom * square.ln();
            amplitudes.push((log_likelihood, mean, mean * mean.transpose() + shrunk * (variance * ratio)));
        }
        let best = amplitudes.iter().map(|own| own.0).fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = amplitudes.iter().map(|own| (own.0 - best).exp()).sum();
        let (mut mean, mut moments, mut mixture) = (Vector2::zeros(), Matrix2::zeros(), Vec::new());
        for (log_likelihood, own_mean, own_moments) in amplitudes {
            let weight = (log_likelihood - best).exp() / total;
            mean += own_mean * weight;
            moments += own_moments * weight;
            let size = response.column(size_index);
            mixture.push((weight, size.dot(&(own_moments * size)).max(0.0)));
        }
        let covariance = response.transpose() * moments * &response * scale_to_95(&mixture);
        let covariance = DMatrix::from_fn(inverse.nrows(), inverse.ncols(), |i, j| covariance[(i, j)]);
        let prior: f64 = (0..AMPLITUDES).map(|step| density(amplitude_at(step))).sum();
        Some(Self { log_evidence: best + total.ln() - prior.ln(), mean, covariance })
    }
}

/// The amplitude of a step, in standard deviations of single points.
fn amplitude_at(step: usize) -> f64 {
    let share = step as f64 / (AMPLITUDES - 1) as f64;
    AMPLITUDE_RANGE[0] * (AMPLITUDE_RANGE[1] / AMPLITUDE_RANGE[0]).powf(share)
}

/// Prior density of the logarithm of an amplitude, up to a factor.
fn density(amplitude: f64) -> f64 {
    let scaled = amplitude / PRIOR_SCALE;
    scaled / (1.0 + scaled * scaled / 3.0).powi(2)
}

/// A covariance that is not exceeded by any of several in any direction; `units` gives the scales of the parameters.
fn largest<'a>(covariances: impl Iterator<Item = &'a DMatrix<f64>>, units: &DMatrix<f64>) -> DMatrix<f64> {
    let scales = units.diagonal().map(f64::sqrt);
    let count = scales.len();
    let mut largest = DMatrix::<f64>::zeros(count, count);
    for own in covariances {
        let excess = DMatrix::from_fn(count, count, |i, j| own[(i, j)] / (scales[i] * scales[j]) - largest[(i, j)]);
        let mut eigen = SymmetricEigen::new(excess);
        eigen.eigenvalues.apply(|value| *value = value.max(0.0));
        largest += eigen.recompose();
    }
    DMatrix::from_fn(count, count, |i, j| largest[(i, j)] * scales[i] * scales[j])
}
