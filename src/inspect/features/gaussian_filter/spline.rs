//! A profile as a cubic spline through scattered points, and its Gaussian filter.
//!
//! The spline is that of least squares with knots eight to a wave of the nesting index, and with a weak penalty on second
//! differences of its coefficients where points are sparse (P-splines: Eilers and Marx, "Flexible smoothing with B-splines
//! and penalties", 1996). It follows waves of the nesting index to a few thousandths at 8 points per wave, averages
//! points that stand close together, and bridges gaps of less than a wave. Then every position along it counts alike.

use nalgebra::Vector2;

use super::{MIN_MISSING_AT_EDGE, Regression, nearly_largest, weight};

/// Knots per wave of the nesting index.
const KNOTS_PER_WAVE: f64 = 16.0;
/// Positions per knot at which the spline counts in the filter.
const NODES_PER_KNOT: usize = 3;
/// Widest gap between points that the spline bridges, in waves of the nesting index.
const MAX_GAP: f64 = 1.0;
/// Weight of the penalty, in points per knot.
const PENALTY: f64 = 1e-3;
/// Coefficients that differ from zero at a position.
const ORDER: usize = 4;
/// Length of a piece, in waves of the nesting index, up to which its points are at a single position.
const MIN_LENGTH: f64 = 1e-6;
/// Number of positions for which the share of noise that is left is evaluated.
const NOISE_SAMPLES: usize = 400;

/// A profile, in pieces between gaps.
pub struct Profile {
    pieces: Vec<Piece>,
    nesting_index_mm: f64,
}

/// A spline over points without a gap.
struct Piece {
    start_mm: f64,
    length_mm: f64,
    step_mm: f64,
    knots: usize,
    /// The normal matrix, factorised, and without the penalty.
    factor: Banded,
    products: Banded,
    coefficients: Vec<f64>,
    /// Number of points at a single position, whose mean it is.
    coincident: Option<usize>,
}

/// A symmetric matrix of bandwidth [`ORDER`]: row i holds columns i to i + 3.
#[derive(Clone)]
struct Banded(Vec<[f64; ORDER]>);

impl Profile {
    /// The profile through (position, distance) pairs. A closed one is continued over its seam on both sides by as much as
    /// the filter reaches, and its bridges.
    pub fn through(mut points: Vec<(f64, f64)>, nesting_index_mm: f64, period_mm: Option<f64>) -> Self {
        points.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
        if let (Some(period_mm), Some(first), Some(last)) = (period_mm, points.first(), points.last()) {
            let reach_mm = 2.0 * nesting_index_mm;
            let (from_mm, to_mm) = (last.0 - period_mm - reach_mm, first.0 + period_mm + reach_mm);
            let shifted = |by_mm: f64| points.iter().map(move |(at, own)| (at + by_mm, *own));
            let all: Vec<(f64, f64)> = shifted(-period_mm)
                .filter(|own| own.0 >= from_mm)
                .chain(shifted(0.0))
                .chain(shifted(period_mm).filter(|own| own.0 <= to_mm))
                .collect();
            points = all;
        }
        let is_one = |one: &(f64, f64), other: &(f64, f64)| other.0 - one.0 <= MAX_GAP * nesting_index_mm;
        let pieces = points.chunk_by(is_one).map(|own| Piece::through(own, nesting_index_mm)).collect();
        Self { pieces, nesting_index_mm }
    }

    /// The piece that a position lies in; `None` in a gap.
    fn piece(&self, position_mm: f64) -> Option<&Piece> {
        let next = self.pieces.partition_point(|own| own.start_mm <= position_mm);
        self.pieces.get(next.checked_sub(1)?)
    }

    /// The sums of the regression at a position, and the nodes that it is made of: index of the first coefficient, their
    /// factors and the weight.
    fn regression(&self, position_mm: f64, mut visit: impl FnMut(&Piece, f64, f64)) -> Regression {
        let mut local = Regression::default();
        let Some(piece) = self.piece(position_mm) else { return local };
        for (at_mm, share) in piece.nodes(position_mm, self.nesting_index_mm) {
            let offset_mm = at_mm - position_mm;
            let weight = share * weight(offset_mm * offset_mm, self.nesting_index_mm);
            local.add(Vector2::new(offset_mm, 0.0), piece.value(at_mm), weight);
            visit(piece, offset_mm, weight);
        }
        local
    }

    /// The filtered value at the position of a point.
    pub fn smoothed_at(&self, position_mm: f64) -> f64 {
        self.regression(position_mm, |_, _, _| ()).value(0.0, self.nesting_index_mm).0
    }

    /// Whether a position is so near to an end that a part of the filter's weight is missing.
    pub fn is_at_end(&self, position_mm: f64) -> bool {
        let whole = super::ALPHA * self.nesting_index_mm;
        self.regression(position_mm, |_, _, _| ()).weights.zeroth < (1.0 - MIN_MISSING_AT_EDGE) * whole
    }

    /// Share that is left of noise that is independent from point to point: nearly the largest at some positions.
    pub fn noise_share(&self, positions_mm: &[f64]) -> f64 {
        let mut sorted = positions_mm.to_vec();
        sorted.sort_by(f64::total_cmp);
        // The ends, and positions evenly between.
        let count = sorted.len().min(NOISE_SAMPLES);
        let at = |k: usize| sorted[k * (sorted.len() - 1) / (count - 1).max(1)];
        nearly_largest((0..count).map(|k| self.noise_at(at(k))).collect())
    }

    fn noise_at(&self, position_mm: f64) -> f64 {
        let Some(piece) = self.piece(position_mm) else { return 1.0 };
        if let Some(count) = piece.coincident {
            return (count as f64).sqrt().recip();
        }
        let factors = self.regression(position_mm, |_, _, _| ()).factors(self.nesting_index_mm);
        let mut by_coefficient = vec![0.0; piece.coefficients.len()];
        self.regression(position_mm, |piece, offset_mm, weight| {
            let (first, values) = piece.basis(position_mm + offset_mm);
            let share = weight * (factors[0] - factors[1] * offset_mm);
            (0..ORDER).for_each(|k| by_coefficient[first + k] += share * values[k]);
        });
        piece.factor.solve(&mut by_coefficient);
        piece.products.square(&by_coefficient).max(0.0).sqrt()
    }
}

impl Piece {
    fn through(points: &[(f64, f64)], nesting_index_mm: f64) -> Self {
        let start_mm = points.first().map_or(0.0, |own| own.0);
        let length_mm = points.last().map_or(0.0, |own| own.0) - start_mm;
        let knots = ((KNOTS_PER_WAVE * length_mm / nesting_index_mm).ceil() as usize).max(1);
        let step_mm = if length_mm > 0.0 { length_mm / knots as f64 } else { 1.0 };
        let count = knots + ORDER - 1;
        let mut piece = Self {
            start_mm,
            length_mm,
            step_mm,
            knots,
            factor: Banded::zeros(count),
            products: Banded::zeros(count),
            coefficients: vec![0.0; count],
            coincident: None,
        };
        if length_mm <= MIN_LENGTH * nesting_index_mm {
            let mean = points.iter().map(|own| own.1).sum::<f64>() / points.len().max(1) as f64;
            return Self { coefficients: vec![mean; count], coincident: Some(points.len()), ..piece };
        }
        for (at_mm, distance_mm) in points {
            let (first, values) = piece.basis(*at_mm);
            for k in 0..ORDER {
                piece.coefficients[first + k] += values[k] * distance_mm;
                (k..ORDER).for_each(|l| piece.products.0[first + k][l - k] += values[k] * values[l]);
            }
        }
        piece.factor = piece.products.clone();
        // Second differences, which leave straight lines free; and next to nothing that leaves nothing free.
        for first in 0..count.saturating_sub(2) {
            for (k, one) in [1.0, -2.0, 1.0].into_iter().enumerate() {
                for (l, other) in [1.0, -2.0, 1.0].into_iter().enumerate().skip(k) {
                    piece.factor.0[first + k][l - k] += PENALTY * one * other;
                }
            }
        }
        piece.factor.0.iter_mut().for_each(|row| row[0] *= 1.0 + 1e-14);
        piece.factor.factorise();
        piece.factor.solve(&mut piece.coefficients);
        piece
    }

    /// The first coefficient that counts at a position, and the values of the four B-splines there.
    fn basis(&self, at_mm: f64) -> (usize, [f64; ORDER]) {
        let along = ((at_mm - self.start_mm) / self.step_mm).clamp(0.0, self.knots as f64);
        let first = (along as usize).min(self.knots - 1);
        let t = along - first as f64;
        let u = 1.0 - t;
        let values = [
            u * u * u / 6.0,
            (3.0 * t * t * t - 6.0 * t * t + 4.0) / 6.0,
            (3.0 * u * u * u - 6.0 * u * u + 4.0) / 6.0,
            t * t * t / 6.0,
        ];
        (first, values)
    }

    fn value(&self, at_mm: f64) -> f64 {
        let (first, values) = self.basis(at_mm);
        values.iter().zip(&self.coefficients[first..]).map(|(value, own)| value * own).sum()
    }

    /// Positions within the reach of the filter and the length that each stands for, mm; a piece without length is one.
    fn nodes(&self, position_mm: f64, reach_mm: f64) -> impl Iterator<Item = (f64, f64)> {
        let count = self.knots * NODES_PER_KNOT;
        let spacing_mm = self.length_mm / count as f64;
        let index = |at_mm: f64| {
            let along = (at_mm - self.start_mm) / spacing_mm - 0.5;
            if along.is_finite() { along.clamp(0.0, count as f64) } else { 0.0 }
        };
        let (first, last) = (index(position_mm - reach_mm).ceil(), index(position_mm + reach_mm).floor());
        let (first, last) = (first as usize, (last as usize).min(count - 1));
        let (start_mm, share) = (self.start_mm, if spacing_mm > 0.0 { spacing_mm } else { 1.0 / count as f64 });
        (first..=last).map(move |k| (start_mm + (k as f64 + 0.5) * spacing_mm, share))
    }
}

impl Banded {
    fn zeros(count: usize) -> Self {
        Self(vec![[0.0; ORDER]; count])
    }

    /// Cholesky's decomposition in place: row i then holds column i of the factor, from the diagonal down.
    fn factorise(&mut self) {
        let rows = &mut self.0;
        for i in 0..rows.len() {
            let pivot = rows[i][0].max(f64::MIN_POSITIVE).sqrt();
            rows[i].iter_mut().for_each(|entry| *entry /= pivot);
            rows[i][0] = pivot;
            let own = rows[i];
            for k in 1..ORDER.min(rows.len() - i) {
                (k..ORDER).for_each(|l| rows[i + k][l - k] -= own[k] * own[l]);
            }
        }
    }

    /// Solves for a right-hand side in place, once factorised.
    fn solve(&self, values: &mut [f64]) {
        let (rows, count) = (&self.0, values.len());
        for i in 0..count {
            values[i] /= rows[i][0];
            let own = values[i];
            (1..ORDER.min(count - i)).for_each(|k| values[i + k] -= rows[i][k] * own);
        }
        for i in (0..count).rev() {
            let below: f64 = (1..ORDER.min(count - i)).map(|k| rows[i][k] * values[i + k]).sum();
            values[i] = (values[i] - below) / rows[i][0];
        }
    }

    /// The square of a vector weighted by the matrix.
    fn square(&self, values: &[f64]) -> f64 {
        let row = |(i, row): (usize, &[f64; ORDER])| -> f64 {
            let beside: f64 = (1..ORDER.min(values.len() - i)).map(|k| row[k] * values[i + k]).sum();
            values[i] * (row[0] * values[i] + 2.0 * beside)
        };
        self.0.iter().enumerate().map(row).sum()
    }
}
