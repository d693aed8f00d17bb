//! Correlated noise of a linear fit of any kind, given by its residuals, their derivatives and their positions.

use nalgebra::DMatrix;

use super::super::newton::MAX_PARAMETERS;
use super::equal::{self, IndexedPosition};
use super::pairs::Cell;
use super::{NormalEquations, likelihood, raised_to};
use geometry::Vector;

/// Most cells: along a line half as many as over a surface resolve as much.
const MAX_CELLS: usize = 40;

/// Covariance of the parameters of a fit of least squares: `rows` are the derivatives of its residuals by the parameters, of
/// similar size each, one row for each residual. The correlation of the residuals with distance between their `positions` is
/// estimated from them as for features, and the covariance allows for their number as Student's t distribution does: 1.96
/// standard deviations contain 95 %. `None` if the points do not determine the parameters, or are not more than these.
pub fn covariance(positions: &[Vector], residuals: &[f64], rows: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    let (count, parameters) = rows.shape();
    if count <= parameters || parameters > MAX_PARAMETERS {
        return None;
    }
    let information = rows.tr_mul(rows);
    let inverse = information.clone().cholesky()?.inverse();
    let freedom = (count - parameters) as f64;
    let independent = &inverse * (residuals.iter().map(|own| own * own).sum::<f64>() / freedom);
    let cells = cells(positions, residuals, rows);
    let equations = NormalEquations { information: &information, inverse: &inverse };
    Some(match likelihood::estimate(&cells, 1, equations) {
        Some(estimate) => raised_to(&independent, &estimate.covariance),
        None => independent * student_factor(freedom),
    })
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

fn cells(positions: &[Vector], residuals: &[f64], rows: &DMatrix<f64>) -> Vec<Cell<Vector>> {
    let mut indexed: Vec<IndexedPosition> = positions.iter().copied().zip(0..).collect();
    let count = indexed.len() / indexed.len().div_ceil(MAX_CELLS).max(1);
    let cell = |run: &&[IndexedPosition]| {
        let centre = run.iter().map(|own| own.0).sum::<Vector>() / run.len() as f64;
        let mut cell = Cell {
            position: centre,
            count: run.len() as f64,
            sum: [0.0; 2],
            squares: 0.0,
            rows: [[0.0; MAX_PARAMETERS]; 2],
        };
        for index in run.iter().map(|own| own.1 as usize) {
            cell.sum[0] += residuals[index];
            cell.squares += residuals[index] * residuals[index];
            cell.rows[0].iter_mut().zip(rows.row(index).iter()).for_each(|(sum, own)| *sum += own);
        }
        cell
    };
    equal::split(&mut indexed, count).iter().map(cell).collect()
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
