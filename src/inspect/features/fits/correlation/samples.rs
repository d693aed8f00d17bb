//! Correlated noise of a linear fit of any kind, given by its residuals, their derivatives and their positions.

use nalgebra::DMatrix;

use super::super::newton::MAX_PARAMETERS;
use super::NormalEquations;
use super::equal::{self, IndexedPosition};
use super::likelihood::{self, Estimate, Kernel};
use super::pairs::Cell;
use geometry::Vector;

/// Most cells: along a line half as many as over a surface resolve as much.
const MAX_CELLS: usize = 40;

/// A fit of least squares: residuals, where they lie, and their derivatives by the parameters, of similar size each.
pub struct LinearFit {
    /// Positions between which the noise is correlated.
    pub positions: Vec<Vector>,
    /// Residuals.
    pub residuals: Vec<f64>,
    /// One row for each residual, one column for each parameter.
    pub rows: DMatrix<f64>,
}

/// The correlated part of a noise: kernels, lengths and variances of the fields that it may hold.
#[derive(Clone, Debug)]
pub struct CorrelatedNoise {
    fields: Vec<(Kernel, f64, f64)>,
}

impl LinearFit {
    /// The inverse of the normal equations with these; `None` if the residuals do not determine the parameters, or are not more.
    fn equations(&self) -> Option<[DMatrix<f64>; 2]> {
        let (count, parameters) = self.rows.shape();
        if count <= parameters || parameters > MAX_PARAMETERS {
            return None;
        }
        let information = self.rows.tr_mul(&self.rows);
        let inverse = information.clone().cholesky()?.inverse();
        Some([information, inverse])
    }

    fn freedom(&self) -> f64 {
        self.rows.nrows() as f64 - self.rows.ncols() as f64
    }

    fn variance(&self) -> f64 {
        self.residuals.iter().map(|own| own * own).sum::<f64>() / self.freedom()
    }

    fn estimate(&self, [information, inverse]: &[DMatrix<f64>; 2]) -> Option<Estimate> {
        likelihood::estimate(&self.cells(), 1, NormalEquations { information, inverse })
    }

    /// Covariance of the parameters. The correlation of the residuals with distance is estimated from them as for features, and
    /// the covariance allows for their number as Student's t distribution does: 1.96 standard deviations contain 95 %. `None` if
    /// the residuals do not determine the parameters, or are not more than these.
    pub fn covariance(&self) -> Option<DMatrix<f64>> {
        let equations = self.equations()?;
        let independent = &equations[1] * self.variance();
        Some(match self.estimate(&equations) {
            Some(estimate) => at_least(&independent, estimate.covariance),
            None => independent * student_factor(self.freedom()),
        })
    }

    /// As [`Self::covariance`], with the correlated noise that residuals of a larger fit nearby show: over its whole length, a
    /// small one shows nothing of it.
    pub fn covariance_with(&self, noise: &CorrelatedNoise) -> Option<DMatrix<f64>> {
        let [_, inverse] = self.equations()?;
        let count = self.rows.nrows();
        let field = DMatrix::from_fn(count, count, |i, j| {
            let away = (self.positions[i] - self.positions[j]).norm();
            noise.fields.iter().map(|(kernel, length, variance)| variance * kernel.at(away / length)).sum()
        });
        let correlated = &inverse * (self.rows.tr_mul(&(field * &self.rows))) * &inverse;
        let with_noise = correlated + &inverse * self.variance();
        Some(at_least(&self.covariance()?, with_noise))
    }

    /// The correlated noise that its residuals show; `None` if they are too few to tell.
    pub fn noise(&self) -> Option<CorrelatedNoise> {
        Some(CorrelatedNoise { fields: self.estimate(&self.equations()?)?.fields })
    }

    fn cells(&self) -> Vec<Cell<Vector>> {
        let mut indexed: Vec<IndexedPosition> = self.positions.iter().copied().zip(0..).collect();
        let count = indexed.len() / indexed.len().div_ceil(MAX_CELLS).max(1);
        let cell = |run: &&[IndexedPosition]| {
            let position = run.iter().map(|own| own.0).sum::<Vector>() / run.len() as f64;
            let (sum, rows) = ([0.0; 2], [[0.0; MAX_PARAMETERS]; 2]);
            let mut cell = Cell { position, count: run.len() as f64, sum, squares: 0.0, rows };
            for index in run.iter().map(|own| own.1 as usize) {
                cell.sum[0] += self.residuals[index];
                cell.squares += self.residuals[index] * self.residuals[index];
                cell.rows[0].iter_mut().zip(self.rows.row(index).iter()).for_each(|(sum, own)| *sum += own);
            }
            cell
        };
        equal::split(&mut indexed, count).iter().map(cell).collect()
    }
}

/// A covariance in which no parameter has less variance than in another one: residuals are not reliable enough to justify a
/// reduction.
fn at_least(least: &DMatrix<f64>, found: DMatrix<f64>) -> DMatrix<f64> {
    if !found.iter().all(|own| own.is_finite()) {
        return least.clone();
    }
    let factor = |k: usize| {
        let (wanted, own) = (least[(k, k)], found[(k, k)]);
        if own > 0.0 { (wanted / own).max(1.0).sqrt() } else { 1.0 }
    };
    DMatrix::from_fn(found.nrows(), found.ncols(), |i, j| found[(i, j)] * factor(i) * factor(j))
}

/// Factor of a variance with so many degrees of freedom, such that 1.96 standard deviations contain 95 % as those of
/// Student's t distribution do (JCGM 100:2008, G.3): its quantile after Hill, "Algorithm 396" (1970), to some per cent.
fn student_factor(freedom: f64) -> f64 {
    const NORMAL: f64 = 1.959_964;
    // Exact for one and two degrees of freedom; a series in 1/ν beyond.
    let quantile = match freedom {
        f if f < 1.5 => 12.706,
        f if f < 2.5 => 4.303,
        f => {
            let z = NORMAL;
            let (z3, z5, z7) = (z.powi(3), z.powi(5), z.powi(7));
            z + (z3 + z) / (4.0 * f)
                + (5.0 * z5 + 16.0 * z3 + 3.0 * z) / (96.0 * f * f)
                + (3.0 * z7 + 19.0 * z5 + 17.0 * z3 - 15.0 * z) / (384.0 * f.powi(3))
        }
    };
    (quantile / NORMAL).powi(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_degrees_of_freedom_widen_as_tables_of_student_say() {
        for (freedom, quantile) in
            [(1.0, 12.706), (2.0, 4.303), (3.0, 3.182), (5.0, 2.571), (10.0, 2.228), (30.0, 2.042)]
        {
            let found = 1.959_964 * f64::sqrt(student_factor(freedom));
            assert!((found / quantile - 1.0).abs() < 0.01, "{freedom}: {found} {quantile}");
        }
    }
}
