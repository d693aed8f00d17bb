//! Correlation of unknown length, estimated from the likelihood of the residuals of cells.
//!
//! A fit removes from its residuals whatever looks like a motion of the feature: most of a noise that is correlated
//! over a considerable part of the feature. Mean products of residuals then decay far too early. So the noise is
//! described by few parameters, which are assessed by the restricted likelihood, i.e. of what a fit cannot remove
//! (Patterson and Thompson, "Recovery of inter-block information when block sizes are unequal", 1971): the cell means
//! as independent noise, alone or combined with a stationary field, for each of three kernels from smooth to rough,
//! with lengths from less than a cell to a third of the extent. The covariance of the parameters is the mean over all
//! these models, weighted by likelihood: if the points determine the model poorly, it allows for all that they leave
//! open, and for the small number of cells as Student's t distribution does. A few improbable models of long, strong
//! noise would dominate that mean, so it is scaled to the interval that contains 95 % of the mixture.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::super::newton::MAX_PARAMETERS;
use super::NormalEquations;
use super::pairs::Cell;
use geometry::Vector;

/// Maximum number of mean residuals of cells: the cost grows with their cube.
pub const MAX_RESIDUALS: usize = 80;
/// Minimum degrees of freedom that they must leave.
const MIN_FREEDOM: usize = 12;
/// Number of correlation lengths per kernel, evenly spaced by logarithm; the shortest in spacings of neighbouring
/// cells, and the longest as a share of the extent.
const LENGTHS: usize = 10;
const SHORTEST_IN_SPACINGS: f64 = 0.7;
const LONGEST_IN_EXTENTS: f64 = 1.0 / 3.0;
/// Number of ratios of independent to field variance, evenly spaced by logarithm, and their range.
const VARIANCE_RATIOS: usize = 36;
const VARIANCE_RATIO_RANGE: [f64; 2] = [1e-5, 1e3];
/// Exponent of the prior of the correlation length, and prior weight of independent noise alone relative to all fields
/// together; see also [`Kernel::prior_weight`]. In simulations the intervals then cover the truth about as often as
/// stated: in 93 to 97 % of cases for smooth noise of any length, in 90 % and more for rough noise (`bench fits`).
const LENGTH_PRIOR_EXPONENT: f64 = -0.25;
const INDEPENDENT_PRIOR_WEIGHT: f64 = 0.5;
/// Probability that an interval of [`SIGMAS_95`] standard deviations does not contain a normal variable.
const OUTSIDE_95: f64 = 0.05;
const SIGMAS_95: f64 = 1.959_964;
/// Relative determinant of the products of two residual components below which they are components of a single one.
const MAX_SINGLE_DETERMINANT: f64 = 1e-6;
/// Minimum share of the likelihood for the longer half of the lengths for which they are not ruled out.
const MIN_VAGUE_LIKELIHOOD: f64 = 0.25;

/// Correlation of noise as a function of distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// exp(-x²): smooth.
    Gaussian,
    /// (1 + √3 x) exp(-√3 x): Matérn 3/2, once differentiable.
    Matern,
    /// exp(-x): rough.
    Exponential,
}

impl Kernel {
    /// All kernels, from smooth to rough.
    pub const ALL: [Self; 3] = [Self::Gaussian, Self::Matern, Self::Exponential];

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "Gaussian",
            Self::Matern => "Matérn 3/2",
            Self::Exponential => "exponential",
        }
    }

    /// The correlation at a distance in units of the length.
    pub fn at(self, x: f64) -> f64 {
        match self {
            Self::Gaussian => (-x * x).exp(),
            Self::Matern => {
                let y = 3.0_f64.sqrt() * x;
                (1.0 + y) * (-y).exp()
            }
            Self::Exponential => (-x).exp(),
        }
    }

    /// Prior weight: what sensors leave after filtering is smooth rather than rough.
    fn prior_weight(self) -> f64 {
        match self {
            Self::Gaussian => 1.0,
            Self::Matern => 0.5,
            Self::Exponential => 0.25,
        }
    }

    /// Distance at which the correlation has decayed to 1/e, in units of the length.
    fn decay_distance(self) -> f64 {
        match self {
            Self::Gaussian | Self::Exponential => 1.0,
            Self::Matern => 1.2391,
        }
    }
}

/// The estimated noise and its effect.
pub struct Estimate {
    /// Covariance of the parameters.
    pub covariance: DMatrix<f64>,
    /// Variance of the mean of all residuals of one component.
    pub of_mean: f64,
    /// Distance at which the correlation has decayed to 1/e: geometric mean weighted by likelihood.
    pub length: f64,
    /// Median distance of neighbouring cells.
    pub nearest: f64,
    /// Longest correlation length considered.
    pub longest: f64,
    /// Whether lengths above half of `longest` are not ruled out.
    pub is_vague: bool,
    /// Whether most of the noise is probably independent from cell to cell.
    pub is_white: bool,
    /// The fields that the noise may hold: kernel, length, and variance weighted by likelihood.
    pub fields: Vec<(Kernel, f64, f64)>,
}

/// Estimate from cells of equal count with `components` residuals per point; `None` if there are too few, or the
/// residuals vanish.
pub fn estimate(cells: &[Cell<Vector>], components: usize, equations: NormalEquations<'_>) -> Option<Estimate> {
    let NormalEquations { information, inverse } = equations;
    let problem = Problem::new(cells, components, inverse.nrows())?;
    let posterior = problem.posterior()?;
    // Mean variances of the independent part and of each field; likelihoods of the statements about them.
    let mut white = posterior.weight(&posterior.independent_only);
    let fields = (1.0 - white).max(f64::MIN_POSITIVE);
    let mut independent = white * posterior.independent_only.variance;
    let [mut vague, mut log_length, mut field_of_mean] = [0.0_f64; 3];
    let mut score_covariance = DMatrix::<f64>::zeros(inverse.nrows(), inverse.ncols());
    // Weight of each model and the variance of the parameters that it implies, in common units.
    let total_variance = |score: &DMatrix<f64>| inverse.dot(score);
    let score_of_independent = problem.rows.tr_mul(&problem.rows);
    let per_independent = total_variance(&score_of_independent);
    let mut mixture = vec![(white, posterior.independent_only.variance * per_independent)];
    let mut fields_by_length = Vec::with_capacity(posterior.fields.len());
    for ((kernel, length), evaluation) in &posterior.fields {
        let mut field = 0.0_f64;
        let per_field = total_variance(&evaluation.between);
        for noise in &evaluation.hypotheses {
            let weight = posterior.weight(noise);
            independent += weight * noise.variance * noise.variance_ratio;
            field += weight * noise.variance;
            mixture.push((weight, noise.variance * (per_field + noise.variance_ratio * per_independent)));
            log_length += weight * (length * kernel.decay_distance()).ln();
            white += if noise.variance_ratio > 1.0 { weight } else { 0.0 };
            vague += if *length > 0.5 * problem.longest { weight } else { 0.0 };
        }
        fields_by_length.push((*kernel, *length, field));
        score_covariance += &evaluation.between * field;
        field_of_mean += evaluation.of_mean * field;
    }
    let used = problem.counts.sum();
    // The scatter of points within a cell is independent noise of that cell.
    let within_cells = information - problem.rows.tr_mul(&problem.mean_rows);
    let scale = scale_to_95(&mixture);
    score_covariance = (score_covariance + score_of_independent * independent) * scale + within_cells * problem.within;
    Some(Estimate {
        covariance: inverse * score_covariance * inverse,
        of_mean: (independent * problem.counts.norm_squared() + field_of_mean) * scale / (used * used),
        length: (log_length / fields).exp(),
        nearest: problem.nearest,
        longest: problem.longest,
        is_vague: vague > MIN_VAGUE_LIKELIHOOD,
        is_white: white > 0.5,
        fields: fields_by_length.into_iter().map(|(kernel, length, field)| (kernel, length, field * scale)).collect(),
    })
}

/// Noise of values at single places of a surface, such as local means.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlaceNoise {
    /// Variance that is independent from place to place.
    pub independent: f64,
    /// Variance that places near each other have in common.
    pub common: f64,
}

/// The noise of `values` at `positions`, to which a plane trend was or could be fitted; weighted by the likelihood of all
/// models as in `estimate`, and scaled so that √variance times 1.96 covers 95 %. `None` if there are too few.
pub fn of_places(positions: &[Vector], values: &[f64], trend: &[[f64; 3]]) -> Option<PlaceNoise> {
    let cell = |((position, value), trend): ((&Vector, &f64), &[f64; 3])| {
        let mut cell = Cell {
            position: *position,
            count: 1.0,
            sum: [*value, 0.0],
            squares: value * value,
            rows: [[0.0; MAX_PARAMETERS]; 2],
        };
        cell.rows[0][..trend.len()].copy_from_slice(trend);
        cell
    };
    let cells: Vec<Cell<Vector>> = positions.iter().zip(values).zip(trend).map(cell).collect();
    let problem = Problem::new(&cells, 1, 3)?;
    let posterior = problem.posterior()?;
    let independent_only = &posterior.independent_only;
    let white = posterior.weight(independent_only);
    let mut found = PlaceNoise { independent: white * independent_only.variance, common: 0.0 };
    let mut mixture = vec![(white, independent_only.variance)];
    for noise in posterior.fields.iter().flat_map(|(_, evaluation)| &evaluation.hypotheses) {
        let weight = posterior.weight(noise);
        found.independent += weight * noise.variance * noise.variance_ratio;
        found.common += weight * noise.variance;
        mixture.push((weight, noise.variance * (1.0 + noise.variance_ratio)));
    }
    let scale = scale_to_95(&mixture);
    Some(PlaceNoise { independent: scale * found.independent, common: scale * found.common })
}

/// Factor for the mean variance of a mixture of normal distributions about zero, given by weights and variances, such
/// that the interval of a normal distribution of the resulting variance contains 95 % of the mixture.
pub fn scale_to_95(mixture: &[(f64, f64)]) -> f64 {
    let mean: f64 = mixture.iter().map(|(weight, variance)| weight * variance).sum();
    if !(mean > 0.0 && mean.is_finite()) {
        return 1.0;
    }
    let outside = |limit: f64| -> f64 {
        let share = |&(weight, variance): &(f64, f64)| match weight > 0.0 && variance > 0.0 {
            true => weight * libm::erfc(limit / (2.0 * variance).sqrt()),
            false => 0.0,
        };
        mixture.iter().map(share).sum()
    };
    // By Chebyshev's inequality less than 5 % lie beyond √20 standard deviations.
    let (mut low, mut high) = (0.0, 5.0 * mean.sqrt());
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        *(if outside(middle) > OUTSIDE_95 { &mut low } else { &mut high }) = middle;
    }
    (high / SIGMAS_95).powi(2) / mean
}

/// The data of the cells, common to all models. Rows of matrices are cells, those of the second residual component
/// below the first.
struct Problem {
    components: usize,
    distances: DMatrix<f64>,
    nearest: f64,
    longest: f64,
    counts: DVector<f64>,
    /// Mean residuals.
    means: DVector<f64>,
    /// Sums and means of the derivatives by the parameters, and an orthonormal basis of the columns of the means.
    rows: DMatrix<f64>,
    mean_rows: DMatrix<f64>,
    basis: DMatrix<f64>,
    /// Variance of residuals about the mean of their cell.
    within: f64,
    /// Share of the residuals that carries information: one half if two components are those of a single one, as for
    /// points in a plane.
    share: f64,
}

impl Problem {
    fn new(cells: &[Cell<Vector>], components: usize, parameters: usize) -> Option<Self> {
        let count = cells.len();
        if count * components < parameters + MIN_FREEDOM {
            return None;
        }
        let distances = DMatrix::from_fn(count, count, |i, j| (cells[i].position - cells[j].position).norm());
        let mut nearest: Vec<f64> = (0..count)
            .map(|i| (0..count).filter(|&j| j != i).map(|j| distances[(i, j)]).fold(f64::INFINITY, f64::min))
            .collect();
        nearest.sort_by(f64::total_cmp);
        let (nearest, longest) = (nearest[count / 2], LONGEST_IN_EXTENTS * distances.max());
        if !(nearest > 0.0 && longest > SHORTEST_IN_SPACINGS * nearest) {
            return None;
        }
        let counts = DVector::from_fn(count, |i, _| cells[i].count);
        let means =
            DVector::from_fn(count * components, |k, _| cells[k % count].sum[k / count] / cells[k % count].count);
        let rows = DMatrix::from_fn(count * components, parameters, |k, j| cells[k % count].rows[k / count][j]);
        let mean_rows = DMatrix::from_fn(count * components, parameters, |k, j| rows[(k, j)] / counts[k % count]);
        let scaled = DMatrix::from_fn(count * components, parameters, |k, j| {
            mean_rows[(k, j)] / mean_rows.column(j).norm().max(f64::MIN_POSITIVE)
        });
        let squares: f64 = cells.iter().map(|cell| cell.squares).sum();
        let of_means: f64 = (0..count * components).map(|k| counts[k % count] * means[k] * means[k]).sum();
        let freedom = (counts.sum() - count as f64) * components as f64;
        let within = if freedom > 0.0 { ((squares - of_means) / freedom).max(0.0) } else { 0.0 };
        let product = |one: usize, other: usize| cells.iter().map(|c| c.sum[one] * c.sum[other]).sum::<f64>();
        let (xx, xy, yy) = (product(0, 0), product(0, 1), product(1, 1));
        let is_single = components == 2 && xx * yy - xy * xy <= MAX_SINGLE_DETERMINANT * (xx + yy).powi(2);
        let basis = scaled.qr().q();
        // Removes what a fit to the cell means would; the fit to the points has removed most of it already.
        let means = &means - &basis * basis.tr_mul(&means);
        let share = if is_single { 0.5 } else { 1.0 };
        Some(Self { components, distances, nearest, longest, counts, means, rows, mean_rows, basis, within, share })
    }

    fn shortest(&self) -> f64 {
        SHORTEST_IN_SPACINGS * self.nearest
    }

    /// All kernels with all lengths.
    fn models(&self) -> Vec<(Kernel, f64)> {
        let ratio = self.longest / self.shortest();
        let length = |k: usize| self.shortest() * ratio.powf(k as f64 / (LENGTHS - 1) as f64);
        Kernel::ALL.into_iter().flat_map(|kernel| (0..LENGTHS).map(move |k| (kernel, length(k)))).collect()
    }

    /// All hypotheses with their weights; `None` if the residuals vanish.
    fn posterior(&self) -> Option<Posterior> {
        let models = self.models();
        let evaluations: Vec<Evaluation> =
            models.par_iter().map(|&(kernel, length)| self.evaluate(kernel, length)).collect();
        let prior: f64 = models.iter().map(|(kernel, length)| self.log_prior(*kernel, *length).exp()).sum();
        let independent_only = self.independent_only((INDEPENDENT_PRIOR_WEIGHT * VARIANCE_RATIOS as f64 * prior).ln());
        let hypotheses = || evaluations.iter().flat_map(|evaluation| &evaluation.hypotheses);
        let best = hypotheses().map(|noise| noise.log_likelihood).fold(independent_only.log_likelihood, f64::max);
        if !best.is_finite() {
            return None;
        }
        let weight = |noise: &NoiseHypothesis| (noise.log_likelihood - best).exp();
        let total = weight(&independent_only) + hypotheses().map(weight).sum::<f64>();
        Some(Posterior { fields: models.into_iter().zip(evaluations).collect(), independent_only, best, total })
    }

    /// Logarithm of the prior of a kernel with a length.
    fn log_prior(&self, kernel: Kernel, length: f64) -> f64 {
        kernel.prior_weight().ln() + LENGTH_PRIOR_EXPONENT * (length / self.shortest()).ln()
    }

    /// Degrees of freedom: the dimension of the space not affected by the fit.
    fn freedom(&self) -> f64 {
        (self.basis.nrows() - self.basis.ncols()) as f64
    }

    /// Noise hypothesis with the given logarithm of the covariance determinant and square of the residual vector
    /// weighted by the inverse covariance.
    fn noise(&self, variance_ratio: f64, log_prior: f64, log_determinant: f64, square: f64) -> NoiseHypothesis {
        let freedom = self.freedom();
        let log_likelihood = log_prior - 0.5 * self.share * (log_determinant + freedom * square.ln());
        // Ratio of the variance of Student's t distribution to that of a normal distribution.
        let student_factor = self.share * freedom / (self.share * freedom - 2.0);
        NoiseHypothesis { variance_ratio, log_likelihood, variance: square / freedom * student_factor }
    }

    /// Independent noise without a field; `variance` is its own.
    fn independent_only(&self, log_prior: f64) -> NoiseHypothesis {
        self.noise(1.0, log_prior, 0.0, self.means.norm_squared())
    }

    /// Evaluates a field of that kernel and length in addition to independent noise.
    fn evaluate(&self, kernel: Kernel, length: f64) -> Evaluation {
        let count = self.distances.nrows();
        let cell_field = self.distances.map(|distance| kernel.at(distance / length));
        let of_mean = self.counts.dot(&(&cell_field * &self.counts));
        let mut field = DMatrix::<f64>::zeros(count * self.components, count * self.components);
        for component in 0..self.components {
            field.view_mut((component * count, component * count), (count, count)).copy_from(&cell_field);
        }
        let between = self.rows.tr_mul(&(&field * &self.rows));
        // The field covariance projected on both sides to what a fit leaves.
        let on_basis = &field * &self.basis;
        let on_basis = &on_basis - &self.basis * (self.basis.tr_mul(&on_basis) * 0.5);
        let removed = on_basis * self.basis.transpose();
        let remaining = field - &removed - removed.transpose();
        let tridiagonal = Tridiagonal::new(remaining, self.means.clone());
        let noise = |k: usize| {
            let variance_ratio = VARIANCE_RATIO_RANGE[0]
                * (VARIANCE_RATIO_RANGE[1] / VARIANCE_RATIO_RANGE[0]).powf(k as f64 / (VARIANCE_RATIOS - 1) as f64);
            let (log_determinant, square) = tridiagonal.shifted(variance_ratio);
            // In the removed directions only the independent part is left.
            let removed_determinant = self.basis.ncols() as f64 * variance_ratio.ln();
            self.noise(variance_ratio, self.log_prior(kernel, length), log_determinant - removed_determinant, square)
        };
        Evaluation { hypotheses: (0..VARIANCE_RATIOS).map(noise).collect(), between, of_mean }
    }
}

/// What the residuals say of all hypotheses together.
struct Posterior {
    /// Kernels and lengths of fields, evaluated.
    fields: Vec<((Kernel, f64), Evaluation)>,
    independent_only: NoiseHypothesis,
    /// Greatest logarithm of a likelihood, and sum of all likelihoods relative to it.
    best: f64,
    total: f64,
}

impl Posterior {
    /// Share of a hypothesis in the likelihood of all.
    fn weight(&self, noise: &NoiseHypothesis) -> f64 {
        (noise.log_likelihood - self.best).exp() / self.total
    }
}

/// Evaluation of one kernel with one length.
struct Evaluation {
    hypotheses: Vec<NoiseHypothesis>,
    /// For a field of unit variance: the covariance of the summed derivatives, and the variance of the sum of all
    /// residuals of one component.
    between: DMatrix<f64>,
    of_mean: f64,
}

/// A field combined with independent noise.
struct NoiseHypothesis {
    /// Variance of the independent part divided by that of the field.
    variance_ratio: f64,
    /// Logarithm of the likelihood, marginalised over the field's variance.
    log_likelihood: f64,
    /// Variance of the field, increased by its own uncertainty as for Student's t distribution.
    variance: f64,
}

/// A symmetric matrix in tridiagonal form with a vector transformed alike: adding a multiple of the identity then costs
/// next to nothing.
struct Tridiagonal {
    diagonal: Vec<f64>,
    off_diagonal: Vec<f64>,
    vector: DVector<f64>,
}

impl Tridiagonal {
    /// Householder reflections (Golub and Van Loan, "Matrix Computations", 8.3.1).
    fn new(mut matrix: DMatrix<f64>, mut vector: DVector<f64>) -> Self {
        let size = matrix.nrows();
        let mut off_diagonal = Vec::with_capacity(size);
        for k in 1..size {
            let remaining = size - k;
            let mut reflector = matrix.column(k - 1).rows(k, remaining).into_owned();
            let length = if reflector[0] > 0.0 { -reflector.norm() } else { reflector.norm() };
            off_diagonal.push(length);
            reflector[0] -= length;
            let square = reflector.norm_squared();
            if !(square > 0.0) {
                continue;
            }
            let mut rest = matrix.view_mut((k, k), (remaining, remaining));
            let transformed = &rest * &reflector * (2.0 / square);
            let update = &transformed - &reflector * (reflector.dot(&transformed) / square);
            rest.ger(-1.0, &reflector, &update, 1.0);
            rest.ger(-1.0, &update, &reflector, 1.0);
            let mut part = vector.rows_mut(k, remaining);
            let along = reflector.dot(&part) * 2.0 / square;
            part.axpy(-along, &reflector, 1.0);
        }
        Self { diagonal: matrix.diagonal().iter().copied().collect(), off_diagonal, vector }
    }

    /// For the matrix with `shift` added to its diagonal: the logarithm of its determinant, and the vector's square
    /// weighted by its inverse.
    fn shifted(&self, shift: f64) -> (f64, f64) {
        let [mut log_determinant, mut square] = [0.0_f64; 2];
        // The first row has no predecessor.
        let [mut pivot, mut entry, mut previous] = [1.0_f64, 0.0, 0.0];
        for (k, diagonal) in self.diagonal.iter().enumerate() {
            let factor = previous / pivot;
            pivot = diagonal + shift - factor * previous;
            entry = self.vector[k] - factor * entry;
            log_determinant += pivot.ln();
            square += entry * entry / pivot;
            previous = self.off_diagonal.get(k).copied().unwrap_or(0.0);
        }
        (log_determinant, square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn the_tridiagonal_form_keeps_determinant_and_inverse() {
        let mut random = Random::new(8, 1);
        let half = DMatrix::from_fn(9, 9, |_, _| random.range(-1.0, 1.0));
        let matrix = &half * half.transpose();
        let vector = DVector::from_fn(9, |_, _| random.range(-1.0, 1.0));
        let tridiagonal = Tridiagonal::new(matrix.clone(), vector.clone());
        for shift in [0.01, 3.0] {
            let factor = (&matrix + DMatrix::identity(9, 9) * shift).cholesky().unwrap();
            let (log_determinant, square) = tridiagonal.shifted(shift);
            assert!((log_determinant - factor.determinant().ln()).abs() < 1e-9, "{log_determinant}");
            assert!((square - vector.dot(&factor.solve(&vector))).abs() < 1e-9 * square, "{square}");
        }
    }

    /// Independent residuals along a line: no long field explains them, whatever is fitted.
    #[test]
    fn independent_residuals_along_a_line_show_no_field() {
        let mut random = Random::new(3, 9);
        for (count, columns) in [(25, 2), (40, 2), (25, 3), (60, 3)] {
            for _ in 0..20 {
                let position = |i: usize| 2.0 * (i as f64 + 0.5) / count as f64 - 1.0;
                let cell = |i: usize| {
                    let residual = 0.01 * random.normal();
                    let mut cell = Cell {
                        position: Vector::new(8.0 * position(i), 0.0, 0.0),
                        count: 1.0,
                        sum: [residual, 0.0],
                        squares: residual * residual,
                        rows: [[0.0; MAX_PARAMETERS]; 2],
                    };
                    (0..columns).for_each(|power| cell.rows[0][power] = position(i).powi(power as i32));
                    cell
                };
                let cells: Vec<Cell<Vector>> = (0..count).map(cell).collect();
                let problem = Problem::new(&cells, 1, columns).unwrap();
                let posterior = problem.posterior().unwrap();
                let long = posterior.fields.iter().filter(|own| own.0.1 > 0.5 * problem.longest);
                let strong = long.flat_map(|own| &own.1.hypotheses).filter(|own| own.variance_ratio < 1e-3);
                let weight: f64 = strong.map(|own| posterior.weight(own)).sum();
                assert!(weight < 0.05, "{count} {columns}: {weight}");
            }
        }
    }
}
