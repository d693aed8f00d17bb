//! Small linear programs by exchange: as many rows as there are variables hold the answer; the row that fails most
//! comes in for one of them, until none fails.
//!
//! This is the dual simplex method (Lemke 1954), and for fits Stiefel's exchange ("Über diskrete und lineare
//! Tschebyscheff-Approximationen", 1959). Rows are not listed: who asks names the one that fails most. So there may be
//! as many as points, or infinitely many. Ties are broken lexicographically (Dantzig, Orden and Wolfe 1955), so that it
//! ends. The value rises with each exchange and never exceeds the least: it is a bound at any time.

use super::super::newton::MOST;

/// Variables of a program, at most: the parameters of a fit, and the half width of its zone.
pub const VARIABLES: usize = MOST + 1;
/// A number for each variable; unused ones are zero.
pub type Values = [f64; VARIABLES];

/// Exchanges that no sound program needs.
const EXCHANGES: usize = 400;
/// Ratios nearer than this, relative to themselves, are a tie.
const TIE: f64 = 1e-12;
/// A share smaller than this of the largest is rounding.
const NOTHING: f64 = 1e-11;
/// A variable may leave its range by this share of its greatest.
const OUTSIDE: f64 = 1e-13;
/// Number of the rows that keep variables in their ranges.
const RANGE: usize = usize::MAX;

/// Asks that `by` · x is at least `least`.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// What each variable counts.
    pub by: Values,
    /// What they must sum to.
    pub least: f64,
    /// Its name to who asks.
    pub number: usize,
}

/// Makes `cost` · x least while every variable stays in its range and no row fails.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Variables in use.
    pub count: usize,
    /// What each variable costs.
    pub cost: Values,
    /// Least of each; finite.
    pub low: Values,
    /// Greatest of each; finite.
    pub high: Values,
}

/// Where the exchange ended.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The variables.
    pub at: Values,
    /// Their cost: a lower bound even where rows still fail.
    pub value: f64,
    /// Numbers of the rows that hold it, and how much the value rises with their `least`; without ranges.
    pub held: Vec<(usize, f64)>,
}

impl Program {
    /// Solves it. `fails` is given the variables and their cost and names the row that fails most, or `None` where none
    /// fails or where the bound is enough. `None` where rows and ranges contradict each other.
    pub fn solve(&self, mut fails: impl FnMut(&Values, f64) -> Option<Row>) -> Option<Answer> {
        let count = self.count;
        let mut basis: Vec<Row> = (0..count).map(|j| self.range(j, self.cost[j] < 0.0)).collect();
        let mut answer = Answer { at: [0.0; VARIABLES], value: f64::NEG_INFINITY, held: Vec::new() };
        for _ in 0..EXCHANGES {
            let Some(inverse) = inverse(&basis) else { break };
            let multiplier = |i: usize| (0..count).map(|j| self.cost[j] * inverse[j][i]).sum::<f64>();
            let mut at = [0.0; VARIABLES];
            for (j, at) in at[..count].iter_mut().enumerate() {
                *at = (0..count).map(|i| inverse[j][i] * basis[i].least).sum();
            }
            answer.value = (0..count).map(|j| self.cost[j] * at[j]).sum();
            answer.at = at;
            answer.held = (0..count).map(|i| (basis[i].number, multiplier(i))).filter(|row| row.0 != RANGE).collect();
            let Some(row) = self.out_of_range(&at).or_else(|| fails(&at, answer.value)) else { break };
            // How the new row is made of those that hold.
            let share = |i: usize| (0..count).map(|j| row.by[j] * inverse[j][i]).sum::<f64>();
            let shares: [f64; VARIABLES] = std::array::from_fn(|i| if i < count { share(i) } else { 0.0 });
            let most = shares.iter().fold(0.0, |most: f64, share| most.max(share.abs()));
            // The ratio of the multiplier, and behind it those that a slight, ever slighter rise of each cost would
            // bring.
            let ratios = |i: usize| -> [f64; VARIABLES + 1] {
                std::array::from_fn(|k| match k {
                    0 => multiplier(i) / shares[i],
                    k if k > count => 0.0,
                    k => inverse[k - 1][i] * if self.cost[k - 1] < 0.0 { -1.0 } else { 1.0 } / shares[i],
                })
            };
            let leaving = (0..count)
                .filter(|&i| shares[i] > NOTHING * most)
                .reduce(|one, other| if is_less(ratios(other), ratios(one)) { other } else { one })?;
            basis[leaving] = row;
        }
        Some(answer)
    }

    fn range(&self, j: usize, is_high: bool) -> Row {
        let mut by = [0.0; VARIABLES];
        by[j] = if is_high { -1.0 } else { 1.0 };
        Row { by, least: if is_high { -self.high[j] } else { self.low[j] }, number: RANGE }
    }

    fn out_of_range(&self, at: &Values) -> Option<Row> {
        let (mut most, mut row) = (OUTSIDE, None);
        for j in 0..self.count {
            let width = self.high[j].abs().max(self.low[j].abs()).max(f64::MIN_POSITIVE);
            for (is_high, beyond) in [(false, self.low[j] - at[j]), (true, at[j] - self.high[j])] {
                if beyond / width > most {
                    (most, row) = (beyond / width, Some(self.range(j, is_high)));
                }
            }
        }
        row
    }
}

fn is_less(one: [f64; VARIABLES + 1], other: [f64; VARIABLES + 1]) -> bool {
    let tells = |(a, b): &(f64, f64)| (a - b).abs() > TIE * a.abs().max(b.abs()) + f64::EPSILON * TIE;
    one.into_iter().zip(other).find(tells).is_some_and(|(a, b)| a < b)
}

/// Of the matrix whose rows the basis gives, by Gauss and Jordan with row exchanges.
fn inverse(basis: &[Row]) -> Option<[Values; VARIABLES]> {
    let count = basis.len();
    let mut matrix = [[0.0; VARIABLES]; VARIABLES];
    let mut inverse = [[0.0; VARIABLES]; VARIABLES];
    for (i, row) in basis.iter().enumerate() {
        matrix[i] = row.by;
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

    fn most_failing<'a>(rows: &'a [Row]) -> impl FnMut(&Values, f64) -> Option<Row> + 'a {
        |at, _| {
            let fails = |row: &Row| row.least - dot(&row.by, at);
            let worst = rows.iter().max_by(|a, b| fails(a).total_cmp(&fails(b)))?;
            (fails(worst) > 1e-13).then_some(*worst)
        }
    }

    /// Against all corners of small programs; rows on a coarse grid, so that ties abound.
    #[test]
    fn the_answer_is_the_best_corner() {
        let mut random = Random::new(1, 0xE8);
        let (mut solved, mut empty) = (0, 0);
        for draw in 0..400 {
            let coarse = draw % 2 == 0;
            let mut number = |reach: f64| {
                let value = random.range(-reach, reach);
                if coarse { value.round() } else { value }
            };
            let mut values = |reach| [number(reach), number(reach), number(reach), 0.0, 0.0, 0.0, 0.0, 0.0];
            let program = Program { count: 3, cost: values(2.0), low: [-5.0; VARIABLES], high: [5.0; VARIABLES] };
            let mut rows: Vec<Row> =
                (0..9).map(|number| Row { by: values(3.0), least: values(4.0)[0] - 1.5, number }).collect();
            let found = program.solve(most_failing(&rows));
            for j in 0..3 {
                rows.extend([program.range(j, false), program.range(j, true)]);
            }
            let mut best: Option<f64> = None;
            for i in 0..rows.len() {
                for j in 0..i {
                    for k in 0..j {
                        let basis = [rows[i], rows[j], rows[k]];
                        let Some(inverse) = inverse(&basis) else { continue };
                        let mut at = [0.0; VARIABLES];
                        (0..3).for_each(|j| at[j] = (0..3).map(|i| inverse[j][i] * basis[i].least).sum());
                        if at.iter().all(|x| x.abs() < 10.0) && rows.iter().all(|r| dot(&r.by, &at) > r.least - 1e-9) {
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

    /// The least circle around points, as a program with a row for each point and direction: more than can be listed.
    #[test]
    fn rows_may_be_infinitely_many() {
        let corners = [[0.0, 0.0], [4.0, 0.0], [0.0, 3.0], [1.0, 1.0]];
        let mut program = Program { count: 3, cost: [0.0; VARIABLES], low: [-9.0; VARIABLES], high: [9.0; VARIABLES] };
        program.cost[2] = 1.0;
        let found = program.solve(|at, _| {
            let away = |corner: &[f64; 2]| [corner[0] - at[0], corner[1] - at[1]];
            let far = |corner: &[f64; 2]| away(corner)[0].hypot(away(corner)[1]);
            let (number, corner) = corners.iter().enumerate().max_by(|a, b| far(a.1).total_cmp(&far(b.1)))?;
            let (length, [x, y]) = (far(corner), away(corner));
            let (u, v) = (x / length, y / length);
            let by = [u, v, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
            (length > at[2] + 1e-14).then(|| Row { by, least: u * corner[0] + v * corner[1], number })
        });
        let found = found.unwrap();
        assert!((found.value - 2.5).abs() < 1e-13, "{}", found.value);
        assert!((found.at[0] - 2.0).abs() < 1e-6 && (found.at[1] - 1.5).abs() < 1e-6);
    }
}
