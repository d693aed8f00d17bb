//! Correlations of any length, weighed by how likely each makes the residuals of cells.
//!
//! A fit takes out of its residuals whatever looks like a motion of the feature: of noise that is correlated over a
//! good part of the feature, most of it. Mean products of residuals then fall off far too soon. So the noise is
//! described by few figures, and these are judged by the likelihood of what a fit cannot take out (restricted maximum
//! likelihood; Patterson and Thompson, "Recovery of inter-block information when block sizes are unequal", 1971): of
//! the means of cells as independent noise, alone or together with a stationary field, of each of three kernels from
//! smooth to rough, over lengths from less than a cell to half of the extent. The covariance of the parameters is the
//! mean of what all of them make of it, by their likelihood: where the points hardly tell, it allows for all that they
//! leave open, and for the small number of cells as Student's distribution would.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::Equations;
use super::pairs::Cell;
use geometry::Vector;

/// Means of residuals of cells, at most: the cost grows with their cube.
pub const MAX_RESIDUALS: usize = 64;
/// Degrees of freedom that they must leave.
const MIN_FREEDOM: usize = 12;
/// Lengths of each kernel, evenly by their logarithm: from this many distances of neighbouring cells to this share of
/// the extent.
const LENGTHS: usize = 10;
const SHORTEST: f64 = 0.7;
const LONGEST: f64 = 0.5;
/// Variances of the independent part, evenly by their logarithm, in those of the field.
const SHARES: usize = 36;
const SHARE: [f64; 2] = [1e-5, 1e3];
/// Lengths are as likely beforehand as this power of theirs, and independent noise alone as all fields together: by
/// simulation, intervals then cover about as often as they say, whatever the kernel (`bench fits`).
const TILT: f64 = -0.25;
/// Two sorts of residuals whose products leave less than this share open are parts of one.
const ONE_SORT: f64 = 1e-6;
/// From this share of the likelihood on, lengths of the upper half of the range are not ruled out.
const VAGUE: f64 = 0.25;

/// How the correlation of noise falls with distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// exp(-x²): smooth.
    Gaussian,
    /// (1 + √3 x) exp(-√3 x), Matérn's of one derivative.
    Matern,
    /// exp(-x): rough.
    Exponential,
}

impl Kernel {
    /// All of them, from smooth to rough.
    pub const ALL: [Self; 3] = [Self::Gaussian, Self::Matern, Self::Exponential];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gaussian => "Gaussian",
            Self::Matern => "Matérn 3/2",
            Self::Exponential => "exponential",
        }
    }

    /// The correlation at a distance in lengths.
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

    /// Where it has fallen to 1/e, in lengths.
    fn reach(self) -> f64 {
        match self {
            Self::Gaussian | Self::Exponential => 1.0,
            Self::Matern => 1.2391,
        }
    }
}

/// What the residuals make of the noise.
pub struct Estimate {
    /// Covariance of the parameters.
    pub covariance: DMatrix<f64>,
    /// Variance of the mean of all residuals of one sort.
    pub of_mean: f64,
    /// Where the correlation has fallen to 1/e, by the likelihood's mean.
    pub length: f64,
    /// Typical distance of neighbouring cells.
    pub nearest: f64,
    /// The longest length that was looked at.
    pub longest: f64,
    /// Whether the longer half of them is not ruled out.
    pub is_vague: bool,
    /// Whether most of the noise is independent from cell to cell.
    pub is_white: bool,
}

/// From cells of one count with so many sorts of residuals; `None` where they are too few, or nothing is left over.
pub fn estimate(cells: &[Cell<Vector>], sorts: usize, equations: Equations<'_>) -> Option<Estimate> {
    let Equations { information, inverse } = equations;
    let problem = Problem::new(cells, sorts, inverse.nrows())?;
    let ratio = problem.longest / problem.shortest();
    let length = |k: usize| problem.shortest() * ratio.powf(k as f64 / (LENGTHS - 1) as f64);
    let models: Vec<(Kernel, f64)> = Kernel::ALL
        .into_iter()
        .flat_map(|kernel| (0..LENGTHS).map(move |k| (kernel, k)))
        .map(|(kernel, k)| (kernel, length(k)))
        .collect();
    let judged: Vec<Judged> = models.par_iter().map(|&(kernel, length)| problem.judge(kernel, length)).collect();
    let prior = SHARES as f64 * models.iter().map(|(_, length)| problem.log_prior(*length).exp()).sum::<f64>();
    let alone = problem.alone(prior.ln());
    let noises = || judged.iter().flat_map(|own| &own.noises);
    let best = noises().map(|noise| noise.log).fold(alone.log, f64::max);
    if !best.is_finite() {
        return None;
    }
    let weight = |noise: &Noise| (noise.log - best).exp();
    let total = weight(&alone) + noises().map(weight).sum::<f64>();
    // Mean variances of the independent part and of each field; the likelihood's share of what is said of them.
    let mut white = weight(&alone) / total;
    let fields = (1.0 - white).max(f64::MIN_POSITIVE);
    let mut independent = white * alone.variance;
    let [mut vague, mut log_length, mut field_of_mean] = [0.0_f64; 3];
    let mut middle = DMatrix::<f64>::zeros(inverse.nrows(), inverse.ncols());
    for ((kernel, length), own) in models.iter().zip(&judged) {
        let mut field = 0.0_f64;
        for noise in &own.noises {
            let weight = weight(noise) / total;
            independent += weight * noise.variance * noise.share;
            field += weight * noise.variance;
            log_length += weight * (length * kernel.reach()).ln();
            white += if noise.share > 1.0 { weight } else { 0.0 };
            vague += if *length > 0.5 * problem.longest { weight } else { 0.0 };
        }
        middle += &own.between * field;
        field_of_mean += own.of_mean * field;
    }
    let used = problem.counts.sum();
    // What points of one cell differ by is independent noise to all cells.
    let spread = information - problem.rows.tr_mul(&problem.mean_rows);
    middle += problem.rows.tr_mul(&problem.rows) * independent + spread * problem.within;
    Some(Estimate {
        covariance: inverse * middle * inverse,
        of_mean: (independent * problem.counts.norm_squared() + field_of_mean) / (used * used),
        length: (log_length / fields).exp(),
        nearest: problem.nearest,
        longest: problem.longest,
        is_vague: vague > VAGUE,
        is_white: white > 0.5,
    })
}

/// Cells, as all models see them. Rows of matrices are cells, those of the second sort of residuals below the first.
struct Problem {
    sorts: usize,
    distances: DMatrix<f64>,
    nearest: f64,
    longest: f64,
    counts: DVector<f64>,
    /// Means of the residuals.
    means: DVector<f64>,
    /// Sums and means of the derivatives by the parameters, and an orthonormal basis of the columns of the means.
    rows: DMatrix<f64>,
    mean_rows: DMatrix<f64>,
    basis: DMatrix<f64>,
    /// Variance of residuals about the mean of their cell.
    within: f64,
    /// What share of the residuals says anything: a half where two sorts are the parts of one, as of points in a plane.
    share: f64,
}

impl Problem {
    fn new(cells: &[Cell<Vector>], sorts: usize, parameters: usize) -> Option<Self> {
        let count = cells.len();
        if count * sorts < parameters + MIN_FREEDOM {
            return None;
        }
        let distances = DMatrix::from_fn(count, count, |i, j| (cells[i].place - cells[j].place).norm());
        let mut nearest: Vec<f64> = (0..count)
            .map(|i| (0..count).filter(|&j| j != i).map(|j| distances[(i, j)]).fold(f64::INFINITY, f64::min))
            .collect();
        nearest.sort_by(f64::total_cmp);
        let (nearest, longest) = (nearest[count / 2], LONGEST * distances.max());
        if !(nearest > 0.0 && longest > SHORTEST * nearest) {
            return None;
        }
        let counts = DVector::from_fn(count, |i, _| cells[i].count);
        let means = DVector::from_fn(count * sorts, |k, _| cells[k % count].sum[k / count] / cells[k % count].count);
        let rows = DMatrix::from_fn(count * sorts, parameters, |k, j| cells[k % count].rows[k / count][j]);
        let mean_rows = DMatrix::from_fn(count * sorts, parameters, |k, j| rows[(k, j)] / counts[k % count]);
        let scaled = DMatrix::from_fn(count * sorts, parameters, |k, j| {
            mean_rows[(k, j)] / mean_rows.column(j).norm().max(f64::MIN_POSITIVE)
        });
        let squares: f64 = cells.iter().map(|cell| cell.squares).sum();
        let of_means: f64 = (0..count * sorts).map(|k| counts[k % count] * means[k] * means[k]).sum();
        let left = (counts.sum() - count as f64) * sorts as f64;
        let within = if left > 0.0 { ((squares - of_means) / left).max(0.0) } else { 0.0 };
        let product = |one: usize, other: usize| cells.iter().map(|c| c.sum[one] * c.sum[other]).sum::<f64>();
        let (xx, xy, yy) = (product(0, 0), product(0, 1), product(1, 1));
        let is_one = sorts == 2 && xx * yy - xy * xy <= ONE_SORT * (xx + yy).powi(2);
        let basis = scaled.qr().q();
        // What a fit to the cells themselves would take out: all but a rest of that is gone already.
        let means = &means - &basis * basis.tr_mul(&means);
        let share = if is_one { 0.5 } else { 1.0 };
        Some(Self { sorts, distances, nearest, longest, counts, means, rows, mean_rows, basis, within, share })
    }

    fn shortest(&self) -> f64 {
        SHORTEST * self.nearest
    }

    /// How likely a length is beforehand.
    fn log_prior(&self, length: f64) -> f64 {
        TILT * (length / self.shortest()).ln()
    }

    /// Directions that the fit leaves alone.
    fn freedom(&self) -> f64 {
        (self.basis.nrows() - self.basis.ncols()) as f64
    }

    /// Noise whose vector has that square by the inverse of a matrix of that determinant.
    fn noise(&self, share: f64, log_prior: f64, log_determinant: f64, square: f64) -> Noise {
        let freedom = self.freedom();
        let log = log_prior - 0.5 * self.share * (log_determinant + freedom * square.ln());
        // As much as Student's variance exceeds that of many.
        let few = self.share * freedom / (self.share * freedom - 2.0);
        Noise { share, log, variance: square / freedom * few }
    }

    /// Independent noise without a field; the variance is its own.
    fn alone(&self, log_prior: f64) -> Noise {
        self.noise(1.0, log_prior, 0.0, self.means.norm_squared())
    }

    /// What the residuals say of a field of that kernel and length beside independent noise.
    fn judge(&self, kernel: Kernel, length: f64) -> Judged {
        let count = self.distances.nrows();
        let one = self.distances.map(|distance| kernel.at(distance / length));
        let of_mean = self.counts.dot(&(&one * &self.counts));
        let mut field = DMatrix::<f64>::zeros(count * self.sorts, count * self.sorts);
        for sort in 0..self.sorts {
            field.view_mut((sort * count, sort * count), (count, count)).copy_from(&one);
        }
        let between = self.rows.tr_mul(&(&field * &self.rows));
        // The field without what a fit takes out, on both sides.
        let taken = &field * &self.basis;
        let taken = &taken - &self.basis * (self.basis.tr_mul(&taken) * 0.5);
        let out = taken * self.basis.transpose();
        let left = field - &out - out.transpose();
        let tridiagonal = Tridiagonal::new(left, self.means.clone());
        let noise = |k: usize| {
            let share = SHARE[0] * (SHARE[1] / SHARE[0]).powf(k as f64 / (SHARES - 1) as f64);
            let (log_determinant, square) = tridiagonal.with(share);
            // In those that it takes out, nothing but the share is left.
            let taken_out = self.basis.ncols() as f64 * share.ln();
            self.noise(share, self.log_prior(length), log_determinant - taken_out, square)
        };
        Judged { noises: (0..SHARES).map(noise).collect(), between, of_mean }
    }
}

/// What the residuals say of one kernel of one length.
struct Judged {
    noises: Vec<Noise>,
    /// What a field of variance one makes of the sums of derivatives, and of the sum of all residuals of one sort.
    between: DMatrix<f64>,
    of_mean: f64,
}

/// A field and independent noise.
struct Noise {
    /// Variance of the independent part, in those of the field.
    share: f64,
    /// Logarithm of the likelihood, the field's variance left open.
    log: f64,
    /// The field's variance, raised by its own uncertainty as Student's is.
    variance: f64,
}

/// A symmetric matrix turned into one of three diagonals, and a vector turned with it: with that, a multiple of one
/// added to the diagonal costs next to nothing.
struct Tridiagonal {
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    vector: DVector<f64>,
}

impl Tridiagonal {
    /// Householder's reflections (Golub and Van Loan, "Matrix Computations", 8.3.1).
    fn new(mut matrix: DMatrix<f64>, mut vector: DVector<f64>) -> Self {
        let size = matrix.nrows();
        let mut beside = Vec::with_capacity(size);
        for k in 1..size {
            let left = size - k;
            let mut mirror = matrix.column(k - 1).rows(k, left).into_owned();
            let length = if mirror[0] > 0.0 { -mirror.norm() } else { mirror.norm() };
            beside.push(length);
            mirror[0] -= length;
            let square = mirror.norm_squared();
            if !(square > 0.0) {
                continue;
            }
            let mut rest = matrix.view_mut((k, k), (left, left));
            let turned = &rest * &mirror * (2.0 / square);
            let both = &turned - &mirror * (mirror.dot(&turned) / square);
            rest.ger(-1.0, &mirror, &both, 1.0);
            rest.ger(-1.0, &both, &mirror, 1.0);
            let mut own = vector.rows_mut(k, left);
            let along = mirror.dot(&own) * 2.0 / square;
            own.axpy(-along, &mirror, 1.0);
        }
        Self { diagonal: matrix.diagonal().iter().copied().collect(), beside, vector }
    }

    /// Of the matrix with `more` on its diagonal: the logarithm of its determinant, and the vector's square by its
    /// inverse.
    fn with(&self, more: f64) -> (f64, f64) {
        let [mut log, mut square] = [0.0_f64; 2];
        // No row above the first.
        let [mut pivot, mut own, mut above] = [1.0_f64, 0.0, 0.0];
        for (k, diagonal) in self.diagonal.iter().enumerate() {
            let factor = above / pivot;
            pivot = diagonal + more - factor * above;
            own = self.vector[k] - factor * own;
            log += pivot.ln();
            square += own * own / pivot;
            above = self.beside.get(k).copied().unwrap_or(0.0);
        }
        (log, square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn three_diagonals_have_the_determinant_and_the_inverse_of_the_whole() {
        let mut random = Random::new(8, 1);
        let half = DMatrix::from_fn(9, 9, |_, _| random.range(-1.0, 1.0));
        let matrix = &half * half.transpose();
        let vector = DVector::from_fn(9, |_, _| random.range(-1.0, 1.0));
        let tridiagonal = Tridiagonal::new(matrix.clone(), vector.clone());
        for more in [0.01, 3.0] {
            let factor = (&matrix + DMatrix::identity(9, 9) * more).cholesky().unwrap();
            let (log, square) = tridiagonal.with(more);
            assert!((log - factor.determinant().ln()).abs() < 1e-9, "{log}");
            assert!((square - vector.dot(&factor.solve(&vector))).abs() < 1e-9 * square, "{square}");
        }
    }
}
