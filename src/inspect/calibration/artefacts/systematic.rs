//! What a sensor's systematic error does to figures that are made of its points, whatever the form of the error.
//!
//! Beside its noise, a sensor errs by a smooth field over its field of view: what its own calibration left. Residuals
//! of a fit show it only in part, since the fit follows it, and nobody states its form. Stated is its size: the largest
//! error over the field (from the data sheet, or an acceptance test). So several forms are propagated, each of that
//! size, as the GUM's evaluation of type B, and of each figure the largest variance counts.
//!
//! Why the largest and not the sum: an error of the stated size is one of the forms, or a mixture of which the sizes of
//! the parts add up to the stated one. A figure answers linearly, so what any mixture does to it is at most what its
//! worst part of full size does.
//!
//! A form of fixed profile (tilt, bowl, cubic, scale) may well be as large as stated, with either sign. It counts as a
//! variable between such limits whose distribution has its peaks there (arcsine: GUM 4.3.9, note 2, speaks of limits that
//! are not equally likely as the middle; a standard deviation of the limit over root 2). Then 1.96 standard deviations
//! cover the full error with 39 % to spare, and error and normal noise together in 91 % or more of cases, whatever the
//! noise; with a rectangular distribution it would be 82 % where the noise is a third of the limit.
//!
//! Waves have random directions and phases and lengths from 0.4 of the field to the whole field; the four of the
//! simulator have amplitudes that add up to the size, so their variance is an eighth of its square.
//!
//! The field is the rectangle that the points fill, in the sensor's X and Y: `u` and `v` are -1 to 1 over it. A scale
//! error of the size moves a corner of that rectangle by it, against its middle; from the sensor's origin it moves places
//! by as much as their distance is longer than half the rectangle's diagonal.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use nalgebra::{DMatrix, DVector, SVector};
use serde::{Deserialize, Serialize};

use geometry::{Aabb, Point, Vector};

/// A form that the error may have over the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorForm {
    /// Linear over the field.
    Tilt,
    /// Of second order.
    Bowl,
    /// Of third order.
    Cubic,
    /// All lengths too long by the same share.
    Scale,
    /// Waves of random direction.
    Waves,
}

impl ErrorForm {
    /// As sentences name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tilt => "tilt",
            Self::Bowl => "bowl",
            Self::Cubic => "cubic",
            Self::Scale => "scale",
            Self::Waves => "waves",
        }
    }
}

/// The error along the ray by place in the field, for a size of 1.
type Profile = fn(f64, f64) -> f64;

/// The corners of what polynomials of full size can be: mixtures lie between them.
const PROFILES: [(ErrorForm, Profile); 13] = [
    (ErrorForm::Tilt, |u, _| u),
    (ErrorForm::Tilt, |_, v| v),
    (ErrorForm::Bowl, |u, _| u * u),
    (ErrorForm::Bowl, |_, v| v * v),
    (ErrorForm::Bowl, |u, v| u * v),
    (ErrorForm::Bowl, |u, _| 2.0 * u * u - 1.0),
    (ErrorForm::Bowl, |_, v| 2.0 * v * v - 1.0),
    (ErrorForm::Cubic, |u, _| u * u * u),
    (ErrorForm::Cubic, |_, v| v * v * v),
    (ErrorForm::Cubic, |u, v| u * u * v),
    (ErrorForm::Cubic, |u, v| u * v * v),
    // Steepest at the rim, and against the tilt in the middle (Chebyshev).
    (ErrorForm::Cubic, |u, _| u * (4.0 * u * u - 3.0)),
    (ErrorForm::Cubic, |_, v| v * (4.0 * v * v - 3.0)),
];
/// Column of the scale, after the profiles.
const SCALE: usize = PROFILES.len();
/// First column of the waves: a cosine and a sine for each direction and length.
const FIRST_WAVE: usize = SCALE + 1;
const DIRECTIONS: usize = 12;
const LENGTHS: usize = 4;
const COLUMNS: usize = FIRST_WAVE + 2 * DIRECTIONS * LENGTHS;
/// Shortest and longest of the waves, in lengths of the field's longer side.
const WAVES: [f64; 2] = [0.4, 1.0];
/// Standard deviation of an error between limits of 1 that it may well reach.
const AT_LIMITS: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// The field is divided into so many cells along its longer side, to see how much of it a part fills.
const CELLS: f64 = 24.0;
/// Then a part is divided into about so many: a narrow one into small ones, since the error's slope across it turns it.
const CELLS_OF_PART: f64 = 150.0;
/// The shorter side of a field is at least this share of the longer one: a strip shows no slope across it.
const NARROWEST: f64 = 0.3;

fn form_of(column: usize) -> ErrorForm {
    match PROFILES.get(column) {
        Some((form, _)) => *form,
        None if column == SCALE => ErrorForm::Scale,
        None => ErrorForm::Waves,
    }
}

fn columns_of(form: ErrorForm) -> impl Iterator<Item = usize> {
    (0..COLUMNS).filter(move |&column| form_of(column) == form)
}

/// The rectangle of the sensor's X and Y that its points fill, over all snapshots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    middle_mm: [f64; 2],
    half_mm: [f64; 2],
}

impl Field {
    /// Of points in the right-handed sensor frame, the sensor at the origin; at least 2 mm wide.
    pub fn of<'a>(points: impl IntoIterator<Item = &'a Point>) -> Self {
        let bounds = Aabb::of_points(points);
        if bounds.is_empty() {
            return Self { middle_mm: [0.0; 2], half_mm: [1.0; 2] };
        }
        let half = [0, 1].map(|k| 0.5 * (bounds.max[k] - bounds.min[k]));
        let least = (NARROWEST * half[0].max(half[1])).max(1.0);
        Self {
            middle_mm: [0, 1].map(|k| 0.5 * (bounds.max[k] + bounds.min[k])),
            half_mm: half.map(|half| half.max(least)),
        }
    }

    /// Its longer side, mm.
    fn longest_mm(&self) -> f64 {
        2.0 * self.half_mm[0].max(self.half_mm[1])
    }

    /// Relative error of all lengths that moves a corner by `size_mm` against the middle.
    pub fn scale_of(&self, size_mm: f64) -> f64 {
        size_mm / self.half_mm[0].hypot(self.half_mm[1])
    }
}

/// How large the systematic error is, and over which field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorSize {
    /// The largest error over the field, mm.
    pub size_mm: f64,
    /// The largest relative error of lengths.
    pub scale: f64,
    /// The field.
    pub field: Field,
}

impl ErrorSize {
    /// The error along the ray at a place, mm: one standard deviation of each column.
    fn columns_at(&self, place: &Point) -> DVector<f64> {
        let Field { middle_mm, half_mm } = self.field;
        let away = [0, 1].map(|k| place[k] - middle_mm[k]);
        let [u, v] = [0, 1].map(|k| away[k] / half_mm[k]);
        let mut columns = Vec::with_capacity(COLUMNS);
        columns.extend(PROFILES.iter().map(|(_, profile)| AT_LIMITS * self.size_mm * profile(u, v)));
        columns.push(AT_LIMITS * self.scale * place.coords.norm());
        // Cosines and sines of one variance: together an eighth of the size's square everywhere.
        let amplitude = self.size_mm / (8.0 * (DIRECTIONS * LENGTHS) as f64).sqrt();
        for direction in 0..DIRECTIONS {
            let (sin, cos) = (std::f64::consts::PI * direction as f64 / DIRECTIONS as f64).sin_cos();
            for length in 0..LENGTHS {
                let share = WAVES[0] + (WAVES[1] - WAVES[0]) * (length as f64 + 0.5) / LENGTHS as f64;
                let number = std::f64::consts::TAU / (share * self.field.longest_mm());
                let phase = number * (away[0] * cos + away[1] * sin);
                columns.extend([amplitude * phase.cos(), amplitude * phase.sin()]);
            }
        }
        DVector::from_vec(columns)
    }
}

/// What one standard deviation of each form does to some figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Systematic {
    /// Figures by columns; no columns where there is no systematic error.
    answers: DMatrix<f64>,
}

impl Default for Systematic {
    fn default() -> Self {
        Self::none(0)
    }
}

impl Systematic {
    /// Nothing, to so many figures.
    pub fn none(figures: usize) -> Self {
        Self { answers: DMatrix::zeros(figures, 0) }
    }

    /// Figures by columns, as [`Self::answers`] gives them.
    pub fn of(answers: DMatrix<f64>) -> Self {
        Self { answers }
    }

    /// What one standard deviation of each column does: figures by columns.
    pub fn answers(&self) -> &DMatrix<f64> {
        &self.answers
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        self.answers.ncols() == 0
    }

    /// What it does to figures that depend on these linearly, by `rows`.
    pub fn mapped(&self, rows: &DMatrix<f64>) -> Self {
        if self.is_none() { Self::none(rows.nrows()) } else { Self { answers: rows * &self.answers } }
    }

    /// Some of the figures.
    pub fn figures(&self, which: Range<usize>) -> Self {
        if self.is_none() {
            Self::none(which.len())
        } else {
            Self { answers: self.answers.rows_range(which).into_owned() }
        }
    }

    /// The variance of the figures' combination by `row`, and the form that gives it: the largest of all.
    pub fn largest(&self, row: &DVector<f64>) -> (ErrorForm, f64) {
        let mut largest = (ErrorForm::Waves, 0.0);
        if self.is_none() {
            return largest;
        }
        let effects = self.answers.tr_mul(row);
        largest.1 = effects.iter().skip(FIRST_WAVE).map(|effect| effect * effect).sum();
        for (column, effect) in effects.iter().take(FIRST_WAVE).enumerate() {
            if effect * effect > largest.1 {
                largest = (form_of(column), effect * effect);
            }
        }
        largest
    }

    /// See [`Self::largest`].
    pub fn variance(&self, row: &DVector<f64>) -> f64 {
        self.largest(row).1
    }

    /// The variance of one figure.
    pub fn variance_of(&self, figure: usize) -> f64 {
        let mut row = DVector::<f64>::zeros(self.answers.nrows());
        row[figure] = 1.0;
        self.variance(&row)
    }

    /// The largest variance of the figures' combination by `row` that a profile of one form gives; of waves, all.
    pub fn variance_by(&self, form: ErrorForm, row: &DVector<f64>) -> f64 {
        if self.is_none() {
            return 0.0;
        }
        let effects = self.answers.tr_mul(row);
        let squares = columns_of(form).map(|column| effects[column] * effects[column]);
        if form == ErrorForm::Waves { squares.sum() } else { squares.fold(0.0, f64::max) }
    }

    /// The same with one form `factor` times as large.
    pub fn scaled(mut self, form: ErrorForm, factor: f64) -> Self {
        if !self.is_none() {
            columns_of(form).for_each(|column| self.answers.column_mut(column).scale_mut(factor));
        }
        self
    }

    /// Covariance of the figures by waves alone.
    pub fn waves(&self) -> DMatrix<f64> {
        if self.is_none() {
            return DMatrix::zeros(self.answers.nrows(), self.answers.nrows());
        }
        let waves = self.answers.columns_range(FIRST_WAVE..).into_owned();
        &waves * waves.transpose()
    }
}

/// Adds up what the error of each part does.
pub struct SystematicPropagation {
    size: ErrorSize,
    answers: DMatrix<f64>,
}

impl SystematicPropagation {
    /// To so many figures.
    pub fn new(size: ErrorSize, figures: usize) -> Self {
        Self { size, answers: DMatrix::zeros(figures, COLUMNS) }
    }

    /// A part fitted to `points` (right-handed sensor frame, the sensor at the origin). For a point, `row` says how the
    /// part's distance from it changes with each of the part's parameters, and what an error of 1 along the ray does to
    /// that distance; `answers` is what the figures do for 1 of each parameter.
    pub fn add<'a, const N: usize>(
        &mut self,
        points: impl Iterator<Item = &'a Point>,
        answers: &DMatrix<f64>,
        row: impl Fn(&Point) -> ([f64; N], f64),
    ) {
        let points: Vec<&Point> = points.collect();
        let cell =
            |point: &Point, cell_mm: f64| -> [i32; 3] { point.coords.map(|c| (c / cell_mm).floor() as i32).into() };
        let coarse_mm = self.size.field.longest_mm() / CELLS;
        let filled: BTreeSet<[i32; 3]> = points.iter().map(|point| cell(point, coarse_mm)).collect();
        let cell_mm = coarse_mm * (filled.len() as f64 / CELLS_OF_PART).sqrt().min(1.0);
        let mut cells: BTreeMap<[i32; 3], (Vector, SVector<f64, N>, f64)> = BTreeMap::new();
        let mut normal_matrix = DMatrix::<f64>::zeros(N, N);
        for point in points {
            let (row, lift) = row(point);
            for i in 0..N {
                (0..N).for_each(|j| normal_matrix[(i, j)] += row[i] * row[j]);
            }
            let row = SVector::<f64, N>::from(row);
            let cell = cells.entry(cell(point, cell_mm)).or_insert((Vector::zeros(), SVector::zeros(), 0.0));
            *cell = (cell.0 + point.coords, cell.1 + row * lift, cell.2 + 1.0);
        }
        let Some(solver) = normal_matrix.cholesky() else { return };
        let mut right = DMatrix::<f64>::zeros(N, COLUMNS);
        for (sum, rows, count) in cells.into_values() {
            let columns = self.size.columns_at(&Point::from(sum / count));
            for i in 0..N {
                (0..COLUMNS).for_each(|column| right[(i, column)] += rows[i] * columns[column]);
            }
        }
        self.answers += answers * solver.solve(&right);
    }

    /// What all parts together do.
    pub fn finish(self) -> Systematic {
        Systematic { answers: self.answers }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plate of 60 x 100 mm seen from 250 mm.
    fn plate() -> Vec<Point> {
        (0..41 * 61)
            .map(|i| Point::new(f64::from(i % 41) * 1.5 - 30.0, f64::from(i / 41) * 100.0 / 60.0 - 50.0, 250.0))
            .collect()
    }

    /// Its height at the middle and its slopes along X and Y.
    fn of_plate(size: ErrorSize) -> Systematic {
        let points = plate();
        let mut sum = SystematicPropagation::new(size, 3);
        sum.add(points.iter(), &DMatrix::identity(3, 3), |point| ([1.0, point.x, point.y], 1.0));
        sum.finish()
    }

    #[test]
    fn forms_do_to_a_plane_what_calculus_says() {
        let field = Field::of(plate().iter());
        let size = ErrorSize { size_mm: 0.01, scale: field.scale_of(0.01), field };
        let found = of_plate(size);
        let row = |k: usize| DVector::from_fn(3, |i, _| if i == k { 1.0 } else { 0.0 });
        // A tilt of the size at the rim is a slope of the size over half of the side.
        for (k, half) in [(1, 30.0), (2, 50.0)] {
            let slope = found.variance_by(ErrorForm::Tilt, &row(k)).sqrt();
            assert!((slope / (AT_LIMITS * 0.01 / half) - 1.0).abs() < 0.01, "{slope}");
            assert_eq!(found.largest(&row(k)).0, ErrorForm::Tilt);
            assert!((found.variance_of(k) - slope * slope).abs() < 1e-18);
        }
        // The mean of u² is a third; a cubic's slope is three fifths of a tilt's.
        let lift = found.variance_by(ErrorForm::Bowl, &row(0)).sqrt();
        assert!((lift / (AT_LIMITS * 0.01 / 3.0) - 1.0).abs() < 0.08, "{lift}");
        let slope = found.variance_by(ErrorForm::Cubic, &row(1)).sqrt();
        assert!((slope / (AT_LIMITS * 0.01 * 0.6 / 30.0) - 1.0).abs() < 0.08, "{slope}");
        // A corner 58.3 mm from the middle moves by 0.01 mm, the plate 250 mm away by 0.043 mm.
        let (form, variance) = found.largest(&row(0));
        assert_eq!(form, ErrorForm::Scale);
        assert!((variance.sqrt() / (AT_LIMITS * 0.01 / 58.31 * 250.0) - 1.0).abs() < 0.03, "{variance}");
        let halved = found.clone().scaled(ErrorForm::Scale, 0.5);
        assert!((halved.variance_by(ErrorForm::Scale, &row(0)) * 4.0 / variance - 1.0).abs() < 1e-9);
        // Waves shorter than the plate hardly lift it, and of it all no more than an eighth of the square is left.
        let waves = found.waves();
        assert!(waves[(0, 0)] < 0.01_f64.powi(2) / 8.0 && waves[(0, 0)] > 0.0, "{waves}");
        assert!((found.variance_by(ErrorForm::Waves, &row(1)) / waves[(1, 1)] - 1.0).abs() < 1e-9);
    }

    /// The largest of the forms covers every mixture of them whose sizes add up to the stated one.
    #[test]
    fn no_mixture_does_more_than_its_worst_part() {
        let field = Field::of(plate().iter());
        let found = of_plate(ErrorSize { size_mm: 0.01, scale: 1e-5, field });
        let mut random = base::random::Random::new(5, 1);
        for _ in 0..200 {
            let mut weights: Vec<f64> = (0..PROFILES.len()).map(|_| -(1.0 - random.uniform()).ln()).collect();
            let sum: f64 = weights.iter().sum();
            for weight in &mut weights {
                *weight *= (random.uniform() - 0.5).signum() / sum;
            }
            let row = DVector::from_fn(3, |_, _| random.normal());
            let effects = found.answers.tr_mul(&row);
            let mixture: f64 = weights.iter().enumerate().map(|(column, weight)| weight * effects[column]).sum();
            assert!(mixture * mixture <= found.variance(&row) * (1.0 + 1e-9));
        }
    }

    #[test]
    fn no_error_does_nothing_and_stays_none() {
        let none = Systematic::none(6);
        assert!(none.is_none() && none.mapped(&DMatrix::zeros(2, 6)).is_none() && none.figures(0..3).is_none());
        assert_eq!(none.largest(&DVector::zeros(6)).1, 0.0);
        assert_eq!(none.waves(), DMatrix::zeros(6, 6));
        let some = of_plate(ErrorSize { size_mm: 0.01, scale: 0.0, field: Field::of(plate().iter()) });
        let twice = some.mapped(&(DMatrix::identity(3, 3) * 2.0));
        assert!((twice.variance_of(1) / some.variance_of(1) - 4.0).abs() < 1e-9);
    }
}
