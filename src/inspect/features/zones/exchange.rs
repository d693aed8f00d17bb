//! Small linear programs by exchange: as many constraints as there are variables determine the optimum; the most
//! violated constraint replaces one of them, until none is violated.
//!
//! This is the dual simplex method (Lemke 1954), and for fits Stiefel's exchange ("Über diskrete und lineare
//! Tschebyscheff-Approximationen", 1959). Constraints are not listed: the caller returns the most violated one. So
//! there may be as many as points, or infinitely many. Ties are broken lexicographically (Dantzig, Orden and Wolfe
//! 1955), so that the iteration terminates. The value increases with each exchange and never exceeds the minimum: it is
//! a lower bound at any time.

use crate::features::fits::newton::MAX_PARAMETERS;

/// Maximum number of variables: the parameters of a fit, and the half width of its zone.
pub const MAX_VARIABLES: usize = MAX_PARAMETERS + 1;
/// A value for each variable; unused ones are zero.
pub type Values = [f64; MAX_VARIABLES];

/// Maximum number of exchanges.
const MAX_EXCHANGES: usize = 400;
/// Relative difference below which ratios are tied.
const TIE_TOLERANCE: f64 = 1e-12;
/// Minimum coefficient relative to the largest; below it is rounding.
const MIN_RELATIVE_COEFFICIENT: f64 = 1e-11;
/// Violation of a variable's range that is tolerated, relative to its largest absolute bound.
const RANGE_TOLERANCE: f64 = 1e-13;
/// Label of the constraints that keep variables in their ranges.
const RANGE_LABEL: usize = usize::MAX;

/// The constraint `coefficients` · x ≥ `bound`.
#[derive(Clone, Copy, Debug)]
pub struct Constraint {
    /// Coefficient of each variable.
    pub coefficients: Values,
    /// Lower bound of the sum.
    pub bound: f64,
    /// Label for the caller.
    pub label: usize,
}

/// Minimises `cost` · x subject to the ranges of the variables and the constraints.
#[derive(Clone, Copy, Debug)]
pub struct LinearProgram {
    /// Number of variables.
    pub count: usize,
    /// Cost of each variable.
    pub cost: Values,
    /// Minimum of each variable; finite.
    pub min: Values,
    /// Maximum of each variable; finite.
    pub max: Values,
}

/// Result of the exchange.
#[derive(Clone, Debug)]
pub struct Optimum {
    /// Values of the variables.
    pub at: Values,
    /// Their cost: a lower bound even if constraints are still violated.
    pub value: f64,
    /// Labels of the active constraints with their multipliers (the change of the value with their `bound`); without
    /// ranges.
    pub active: Vec<(usize, f64)>,
}

impl LinearProgram {
    /// Solves the program. `most_violated` receives the variables and their cost and returns the most violated
    /// constraint, or `None` if there is none or the bound suffices. Returns `None` if the program is infeasible.
    pub fn solve(&self, mut most_violated: impl FnMut(&Values, f64) -> Option<Constraint>) -> Option<Optimum> {
        let count = self.count;
        let mut basis: Vec<Constraint> = (0..count).map(|j| self.range_constraint(j, self.cost[j] < 0.0)).collect();
        let mut optimum = Optimum { at: [0.0; MAX_VARIABLES], value: f64::NEG_INFINITY, active: Vec::new() };
        for _ in 0..MAX_EXCHANGES {
            let Some(inverse) = inverse(&basis) else { break };
            let multiplier = |i: usize| (0..count).map(|j| self.cost[j] * inverse[j][i]).sum::<f64>();
            let mut at = [0.0; MAX_VARIABLES];
            for (j, at) in at[..count].iter_mut().enumerate() {
                *at = (0..count).map(|i| inverse[j][i] * basis[i].bound).sum();
            }
            optimum.value = (0..count).map(|j| self.cost[j] * at[j]).sum();
            optimum.at = at;
            optimum.active =
                (0..count).map(|i| (basis[i].label, multiplier(i))).filter(|row| row.0 != RANGE_LABEL).collect();
            let Some(row) = self.out_of_range(&at).or_else(|| most_violated(&at, optimum.value)) else { break };
            // The new constraint as a combination of the active ones.
            let share = |i: usize| (0..count).map(|j| row.coefficients[j] * inverse[j][i]).sum::<f64>();
            let shares: [f64; MAX_VARIABLES] = std::array::from_fn(|i| if i < count { share(i) } else { 0.0 });
            let largest = shares.iter().fold(0.0, |largest: f64, share| largest.max(share.abs()));
            // The ratio of the multiplier, followed by those for infinitesimal increases of each cost.
            let ratios = |i: usize| -> [f64; MAX_VARIABLES + 1] {
                std::array::from_fn(|k| match k {
                    0 => multiplier(i) / shares[i],
                    k if k > count => 0.0,
                    k => inverse[k - 1][i] * if self.cost[k - 1] < 0.0 { -1.0 } else { 1.0 } / shares[i],
                })
            };
            let leaving = (0..count)
                .filter(|&i| shares[i] > MIN_RELATIVE_COEFFICIENT * largest)
                .reduce(|one, other| if is_less(ratios(other), ratios(one)) { other } else { one })?;
            basis[leaving] = row;
        }
        Some(optimum)
    }

    fn range_constraint(&self, j: usize, is_max: bool) -> Constraint {
        let mut coefficients = [0.0; MAX_VARIABLES];
        coefficients[j] = if is_max { -1.0 } else { 1.0 };
        Constraint { coefficients, bound: if is_max { -self.max[j] } else { self.min[j] }, label: RANGE_LABEL }
    }

    fn out_of_range(&self, at: &Values) -> Option<Constraint> {
        let (mut worst, mut row) = (RANGE_TOLERANCE, None);
        for j in 0..self.count {
            let width = self.max[j].abs().max(self.min[j].abs()).max(f64::MIN_POSITIVE);
            for (is_max, beyond) in [(false, self.min[j] - at[j]), (true, at[j] - self.max[j])] {
                if beyond / width > worst {
                    (worst, row) = (beyond / width, Some(self.range_constraint(j, is_max)));
                }
            }
        }
        row
    }
}

fn is_less(one: [f64; MAX_VARIABLES + 1], other: [f64; MAX_VARIABLES + 1]) -> bool {
    let differs =
        |(a, b): &(f64, f64)| (a - b).abs() > TIE_TOLERANCE * a.abs().max(b.abs()) + f64::EPSILON * TIE_TOLERANCE;
    one.into_iter().zip(other).find(differs).is_some_and(|(a, b)| a < b)
}

/// Inverse of the matrix with the rows of the basis, by Gauss-Jordan elimination with row exchanges.
fn inverse(basis: &[Constraint]) -> Option<[Values; MAX_VARIABLES]> {
    let count = basis.len();
    let mut matrix = [[0.0; MAX_VARIABLES]; MAX_VARIABLES];
    let mut inverse = [[0.0; MAX_VARIABLES]; MAX_VARIABLES];
    for (i, row) in basis.iter().enumerate() {
        matrix[i] = row.coefficients;
        inverse[i][i] = 1.0;
    }
    for column in 0..count {
        let pivot = (column..count).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        let value = matrix[pivot][column];
        if !(value.abs() > f64::MIN_POSITIVE && value.is_finite()) {
            return None;
        }
        matrix.swap(pivot, column);
        inverse.swap(pivot, column);
        for j in 0..count {
            matrix[column][j] /= value;
            inverse[column][j] /= value;
        }
        for i in (0..count).filter(|&i| i != column) {
            let factor = matrix[i][column];
            for j in 0..count {
                matrix[i][j] -= factor * matrix[column][j];
                inverse[i][j] -= factor * inverse[column][j];
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    fn dot(a: &Values, b: &Values) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    fn most_violated<'a>(rows: &'a [Constraint]) -> impl FnMut(&Values, f64) -> Option<Constraint> + 'a {
        |at, _| {
            let violation = |row: &Constraint| row.bound - dot(&row.coefficients, at);
            let worst = rows.iter().max_by(|a, b| violation(a).total_cmp(&violation(b)))?;
            (violation(worst) > 1e-13).then_some(*worst)
        }
    }

    /// Against all vertices of small programs; constraints on a coarse grid, so that ties occur often.
    #[test]
    fn the_optimum_is_the_best_vertex() {
        let mut random = Random::new(1, 0xE8);
        let (mut solved, mut empty) = (0, 0);
        for draw in 0..400 {
            let coarse = draw % 2 == 0;
            let mut number = |reach: f64| {
                let value = random.range(-reach, reach);
                if coarse { value.round() } else { value }
            };
            let mut values = |reach| [number(reach), number(reach), number(reach), 0.0, 0.0, 0.0, 0.0, 0.0];
            let program =
                LinearProgram { count: 3, cost: values(2.0), min: [-5.0; MAX_VARIABLES], max: [5.0; MAX_VARIABLES] };
            let mut rows: Vec<Constraint> = (0..9)
                .map(|label| Constraint { coefficients: values(3.0), bound: values(4.0)[0] - 1.5, label })
                .collect();
            let found = program.solve(most_violated(&rows));
            for j in 0..3 {
                rows.extend([program.range_constraint(j, false), program.range_constraint(j, true)]);
            }
            let mut best: Option<f64> = None;
            for i in 0..rows.len() {
                for j in 0..i {
                    for k in 0..j {
                        let basis = [rows[i], rows[j], rows[k]];
                        let Some(inverse) = inverse(&basis) else { continue };
                        let mut at = [0.0; MAX_VARIABLES];
                        (0..3).for_each(|j| at[j] = (0..3).map(|i| inverse[j][i] * basis[i].bound).sum());
                        if at.iter().all(|x| x.abs() < 10.0)
                            && rows.iter().all(|r| dot(&r.coefficients, &at) > r.bound - 1e-9)
                        {
                            let value = dot(&program.cost, &at);
                            best = Some(best.map_or(value, |best: f64| best.min(value)));
                        }
                    }
                }
            }
            match (found, best) {
                (Some(found), Some(best)) => {
                    assert!((found.value - best).abs() < 1e-9, "{} {best}", found.value);
                    solved += 1;
                }
                (None, None) => empty += 1,
                (found, best) => panic!("{found:?} {best:?}"),
            }
        }
        assert!(solved > 100 && empty > 50, "{solved} {empty}");
    }

    /// The smallest enclosing circle as a program with a constraint for each point and direction: more than can be
    /// listed.
    #[test]
    fn constraints_may_be_infinitely_many() {
        let corners = [[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [1.0, 1.0]];
        let mut program = LinearProgram {
            count: 3,
            cost: [0.0; MAX_VARIABLES],
            min: [-9.0; MAX_VARIABLES],
            max: [9.0; MAX_VARIABLES],
        };
        program.cost[2] = 1.0;
        let found = program.solve(|at, _| {
            let away = |corner: &[f64; 2]| [corner[0] - at[0], corner[1] - at[1]];
            let far = |corner: &[f64; 2]| away(corner)[0].hypot(away(corner)[1]);
            let (label, corner) = corners.iter().enumerate().max_by(|a, b| far(a.1).total_cmp(&far(b.1)))?;
            let (length, [x, y]) = (far(corner), away(corner));
            let (u, v) = (x / length, y / length);
            let coefficients = [u, v, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
            (length > at[2] + 1e-14).then(|| Constraint { coefficients, bound: u * corner[0] + v * corner[1], label })
        });
        let found = found.unwrap();
        assert!((found.value - 2.5).abs() < 1e-13, "{}", found.value);
        assert!((found.at[0] - 2.0).abs() < 1e-6 && (found.at[1] - 1.5).abs() < 1e-6);
    }
}
