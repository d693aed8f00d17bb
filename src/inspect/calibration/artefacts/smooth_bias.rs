//! What a sensor's smooth error does to an artefact's frame.
//!
//! Beside its noise, a sensor errs by a smooth field over its field of view: what its own calibration left. Residuals
//! of a fit show it only in part, since the fit follows it. So it is stated (from the data sheet, or an acceptance
//! test) and propagated, as the GUM's evaluation of type B: waves in random directions, from 0.4 of the field to the
//! whole field long, whose four amplitudes add up to the largest error.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::{DMatrix, DVector, Matrix6, SMatrix, SVector};

use crate::geometry::{Aabb, Point, Vector};

type Vector6 = nalgebra::Vector6<f64>;

/// Lengths of the waves, in sizes of the field.
const WAVES: [f64; 2] = [0.4, 1.0];
/// The field is divided into so many cells along its longer side, to see how much of it a part fills.
const CELLS: f64 = 24.0;
/// Then a part is divided into about so many: a narrow one into small ones, since the error's slope across it turns it.
const CELLS_OF_PART: f64 = 150.0;

/// A sum over the points of one cell on one face: where it is, and how the frame answers to an error there.
struct Influence {
    place: Point,
    by: Vector6,
}

/// Adds up what the error of each face does to the frame.
pub struct SmoothBias {
    variance_mm2: f64,
    field_mm: f64,
    influences: Vec<Influence>,
}

impl SmoothBias {
    /// Of at most `largest_mm` over the field that `points` fill (right-handed sensor frame, the sensor at the origin).
    pub fn new<'a>(largest_mm: f64, points: impl Iterator<Item = &'a Point>) -> Self {
        let bounds = Aabb::of_points(points);
        let size = if bounds.is_empty() { Vector::repeat(1.0) } else { bounds.size() };
        // Four waves of a quarter each: half of the squares' sum.
        Self { variance_mm2: largest_mm * largest_mm / 8.0, field_mm: size.max().max(1e-9), influences: Vec::new() }
    }

    /// A part fitted to `points`. For a point, `row` says how the part's distance from it changes with each of the
    /// part's parameters, and what an error of 1 along the ray does to that distance; `answers` is what the frame does
    /// for 1 of each parameter.
    pub fn add<'a, const N: usize>(
        &mut self,
        points: impl Iterator<Item = &'a Point>,
        answers: &SMatrix<f64, 6, N>,
        row: impl Fn(&Point) -> ([f64; N], f64),
    ) {
        let points: Vec<&Point> = points.collect();
        let cell =
            |point: &Point, cell_mm: f64| -> [i32; 3] { point.coords.map(|c| (c / cell_mm).floor() as i32).into() };
        let coarse_mm = self.field_mm / CELLS;
        let filled: BTreeSet<[i32; 3]> = points.iter().map(|point| cell(point, coarse_mm)).collect();
        let cell_mm = coarse_mm * (filled.len() as f64 / CELLS_OF_PART).sqrt().min(1.0);
        let mut cells: BTreeMap<[i32; 3], (Vector, SVector<f64, N>, f64)> = BTreeMap::new();
        let mut normal_matrix = SMatrix::<f64, N, N>::zeros();
        for point in points {
            let (row, lift) = row(point);
            let row = SVector::from(row);
            normal_matrix += row * row.transpose();
            let cell = cells.entry(cell(point, cell_mm)).or_insert((Vector::zeros(), SVector::zeros(), 0.0));
            *cell = (cell.0 + point.coords, cell.1 + row * lift, cell.2 + 1.0);
        }
        let solver = DMatrix::from_iterator(N, N, normal_matrix.iter().copied()).cholesky();
        let Some(solver) = solver else { return };
        for (sum, rows, count) in cells.into_values() {
            let solved = solver.solve(&DVector::from_iterator(N, rows.iter().copied()));
            let by = answers * SVector::<f64, N>::from_iterator(solved.iter().copied());
            self.influences.push(Influence { place: Point::from(sum / count), by });
        }
    }

    /// Covariance of the frame.
    pub fn covariance(&self) -> Matrix6<f64> {
        let table = Correlation::new(self.field_mm);
        let mut sum = Matrix6::zeros();
        for (i, one) in self.influences.iter().enumerate() {
            let mut all = Vector6::zeros();
            for (j, other) in self.influences.iter().enumerate() {
                // Where two rays meet the middle of the volume, the error is the same at any depth.
                let apart = if i == j { 0.0 } else { across(&one.place, &other.place) };
                all += other.by * table.at(apart);
            }
            sum += one.by * all.transpose();
        }
        (sum + sum.transpose()) * (0.5 * self.variance_mm2)
    }
}

/// Distance of two places, the depth along z left out.
fn across(one: &Point, other: &Point) -> f64 {
    (one.x - other.x).hypot(one.y - other.y)
}

/// Correlation of the error over distances, in steps.
struct Correlation {
    step_mm: f64,
    values: Vec<f64>,
}

impl Correlation {
    fn new(field_mm: f64) -> Self {
        let (step_mm, lengths) = (field_mm / 200.0, 24);
        let value = |distance: f64| {
            let of_length = |k: usize| {
                let length = field_mm * (WAVES[0] + (WAVES[1] - WAVES[0]) * (k as f64 + 0.5) / lengths as f64);
                mean_over_directions(std::f64::consts::TAU * distance / length)
            };
            (0..lengths).map(of_length).sum::<f64>() / lengths as f64
        };
        Self { step_mm, values: (0..400).map(|i| value(i as f64 * step_mm)).collect() }
    }

    fn at(&self, distance: f64) -> f64 {
        let place = distance / self.step_mm;
        let (first, share) = (place as usize, place.fract());
        let value = |i: usize| self.values.get(i).or(self.values.last()).copied().unwrap_or(0.0);
        value(first) * (1.0 - share) + value(first + 1) * share
    }
}

/// Mean of cos(x cos(angle)) over all angles: the Bessel function J0.
fn mean_over_directions(x: f64) -> f64 {
    // The trapezoid rule converges faster than any power for a periodic function.
    let steps = 32;
    (0..steps).map(|i| (x * (std::f64::consts::PI * (i as f64 + 0.5) / steps as f64).cos()).cos()).sum::<f64>()
        / steps as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_over_directions_is_bessels_function() {
        // Abramowitz and Stegun, table 9.1.
        for (x, value) in [(0.0, 1.0), (1.0, 0.765_197_686_56), (2.4, 0.002_507_683_30), (10.0, -0.245_935_764_45)] {
            assert!((mean_over_directions(x) - value).abs() < 1e-10, "{x}");
        }
    }
}
