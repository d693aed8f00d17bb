//! Propagation of a sensor's systematic error to quantities derived from its points, for error fields of unknown form.
//!
//! In addition to noise, a sensor has a smooth error field over its field of view: what its own calibration left. The
//! residuals of a fit show it only in part, because the fit follows it, and its form is not stated anywhere. What is
//! stated is its size: the maximum error over the field (from the data sheet, or an acceptance test). Several forms of
//! that size are therefore propagated (type B evaluation of the GUM), and for each quantity the largest variance
//! counts.
//!
//! Why the largest and not the sum: an error of the stated size is one of the forms, or a mixture of forms whose sizes
//! add up to the stated one. Each quantity responds linearly, so the effect of any mixture is at most that of its worst
//! component at full size.
//!
//! A form of fixed profile (tilt, bowl, cubic, scale) may well be as large as stated, with either sign. It is treated
//! as a variable between these limits whose distribution peaks at the limits (arcsine distribution, standard deviation:
//! limit / √2; GUM 4.3.9, note 2, discusses limits that are not as likely as the centre). Then 1.96 standard deviations
//! cover the full error with 39 % to spare, and error and normal noise together in 91 % or more of cases, whatever the
//! noise; a rectangular distribution would cover 82 % where the noise is a third of the limit.
//!
//! Waves have random directions and phases, and wavelengths from 0.4 of the field to the whole field. Their number is
//! not known; of two whose amplitudes add up to the size, the variance is a quarter of its square. (The simulator's
//! four have half of that.)
//!
//! The field is the sensor's measuring field, if it is stated, otherwise the rectangle that the points fill in the
//! sensor's X and Y: the error may then reach its maximum within the artefact; `u` and `v` run from -1 to 1 over it. A
//! scale error of the stated size displaces a corner of that rectangle by the size relative to the centre; relative to
//! the sensor's origin it displaces points by more, in proportion to their distance over half the rectangle's diagonal.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use nalgebra::{DMatrix, DVector, SVector};
use serde::{Deserialize, Serialize};

use base::{Result, UserError};
use geometry::{Aabb, Point, Vector};

/// Form of the error over the field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorForm {
    /// Linear over the field.
    Tilt,
    /// Second order.
    Bowl,
    /// Third order.
    Cubic,
    /// All lengths too long by the same relative amount.
    Scale,
    /// Waves of random direction and phase.
    Waves,
}

impl ErrorForm {
    /// Name used in messages and reports.
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

/// Error along the line of sight as a function of `u` and `v`, for a size of 1.
type ErrorProfile = fn(f64, f64) -> f64;

/// Polynomials of full size that grow from the centre to the rim. Errors that change sign more often are waves.
const PROFILES: [(ErrorForm, ErrorProfile); 9] = [
    (ErrorForm::Tilt, |u, _| u),
    (ErrorForm::Tilt, |_, v| v),
    (ErrorForm::Bowl, |u, _| u * u),
    (ErrorForm::Bowl, |_, v| v * v),
    (ErrorForm::Bowl, |u, v| u * v),
    (ErrorForm::Cubic, |u, _| u * u * u),
    (ErrorForm::Cubic, |_, v| v * v * v),
    (ErrorForm::Cubic, |u, v| u * u * v),
    (ErrorForm::Cubic, |u, v| u * v * v),
];
/// Column of the scale error, after the profiles.
const SCALE_COLUMN: usize = PROFILES.len();
/// First column of the waves: a cosine and a sine for each direction and wavelength.
const FIRST_WAVE: usize = SCALE_COLUMN + 1;
const WAVE_DIRECTIONS: usize = 12;
const WAVELENGTHS: usize = 4;
const COLUMNS: usize = FIRST_WAVE + 2 * WAVE_DIRECTIONS * WAVELENGTHS;
/// Shortest and longest wavelength, in lengths of the field's longer side.
const WAVELENGTH_RANGE: [f64; 2] = [0.4, 1.0];
/// Standard deviation of an error with an arcsine distribution between limits of ±1.
const ARCSINE_SIGMA: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Cells along the longer side of the field, for measuring how much of it a part fills.
const FIELD_CELLS: f64 = 24.0;
/// Approximate number of cells per part. Narrow parts get smaller cells, since the error's gradient across a narrow
/// part rotates it.
const CELLS_PER_PART: f64 = 150.0;
/// Points may lie outside the stated field by this factor: at larger distances a camera sees more.
const MAX_REACH: f64 = 1.1;
/// Minimum ratio of the shorter to the longer side of a field: a strip does not show the gradient across it.
const MIN_ASPECT_RATIO: f64 = 0.3;

fn form_of(column: usize) -> ErrorForm {
    match PROFILES.get(column) {
        Some((form, _)) => *form,
        None if column == SCALE_COLUMN => ErrorForm::Scale,
        None => ErrorForm::Waves,
    }
}

fn columns_of(form: ErrorForm) -> impl Iterator<Item = usize> {
    (0..COLUMNS).filter(move |&column| form_of(column) == form)
}

/// Rectangle in the sensor's X and Y over which its systematic error has its stated size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    centre_mm: [f64; 2],
    half_mm: [f64; 2],
}

impl Field {
    /// Bounds of points in the right-handed sensor frame (sensor at the origin); at least 2 mm wide.
    pub fn of<'a>(points: impl IntoIterator<Item = &'a Point>) -> Self {
        let bounds = Aabb::of_points(points);
        if bounds.is_empty() {
            return Self { centre_mm: [0.0; 2], half_mm: [1.0; 2] };
        }
        let half = [0, 1].map(|k| 0.5 * (bounds.max[k] - bounds.min[k]));
        let min_half_mm = (MIN_ASPECT_RATIO * half[0].max(half[1])).max(1.0);
        Self {
            centre_mm: [0, 1].map(|k| 0.5 * (bounds.max[k] + bounds.min[k])),
            half_mm: half.map(|half| half.max(min_half_mm)),
        }
    }

    /// Measuring field with these sides in X and Y, mm, centred on the sensor's Z axis, as stated for the sensor.
    ///
    /// # Errors
    ///
    /// If the rectangle `filled` by the points extends beyond it by more than a tenth.
    pub fn stated(sides_mm: [f64; 2], filled: &Self) -> Result<Self> {
        let half_mm = sides_mm.map(|side| 0.5 * side);
        let reach = [0, 1].map(|k| filled.centre_mm[k].abs() + filled.half_mm[k]);
        if (0..2).any(|k| reach[k] > MAX_REACH * half_mm[k]) {
            return Err(UserError::usage(format!(
                "The artefact reaches {:.1} mm in X and {:.1} mm in Y from the sensor's Z axis, beyond the stated \
                 measuring field of {} × {} mm: check its sides.",
                reach[0], reach[1], sides_mm[0], sides_mm[1]
            )));
        }
        Ok(Self { centre_mm: [0.0; 2], half_mm: [0, 1].map(|k| half_mm[k].max(reach[k])) })
    }

    /// Length of the longer side, mm.
    fn longest_mm(&self) -> f64 {
        2.0 * self.half_mm[0].max(self.half_mm[1])
    }

    /// Relative scale error that displaces a corner of the field by `size_mm` relative to the centre.
    pub fn scale_of(&self, size_mm: f64) -> f64 {
        size_mm / self.half_mm[0].hypot(self.half_mm[1])
    }
}

/// Limits of the systematic error and the field that they apply to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorSize {
    /// Maximum error over the field, mm.
    pub size_mm: f64,
    /// Maximum relative error of lengths.
    pub scale: f64,
    /// The field.
    pub field: Field,
}

impl ErrorSize {
    /// Error along the line of sight at a point, mm: one standard deviation of each column.
    fn columns_at(&self, point: &Point) -> DVector<f64> {
        let Field { centre_mm, half_mm } = self.field;
        let offset = [0, 1].map(|k| point[k] - centre_mm[k]);
        let [u, v] = [0, 1].map(|k| offset[k] / half_mm[k]);
        let mut columns = Vec::with_capacity(COLUMNS);
        columns.extend(PROFILES.iter().map(|(_, profile)| ARCSINE_SIGMA * self.size_mm * profile(u, v)));
        columns.push(ARCSINE_SIGMA * self.scale * point.coords.norm());
        // Cosines and sines of equal variance: their sum has a quarter of the squared size as variance everywhere.
        let amplitude = self.size_mm / (4.0 * (WAVE_DIRECTIONS * WAVELENGTHS) as f64).sqrt();
        for direction in 0..WAVE_DIRECTIONS {
            let (sin, cos) = (std::f64::consts::PI * direction as f64 / WAVE_DIRECTIONS as f64).sin_cos();
            for length in 0..WAVELENGTHS {
                let relative_length = WAVELENGTH_RANGE[0]
                    + (WAVELENGTH_RANGE[1] - WAVELENGTH_RANGE[0]) * (length as f64 + 0.5) / WAVELENGTHS as f64;
                let wavenumber = std::f64::consts::TAU / (relative_length * self.field.longest_mm());
                let phase = wavenumber * (offset[0] * cos + offset[1] * sin);
                columns.extend([amplitude * phase.cos(), amplitude * phase.sin()]);
            }
        }
        DVector::from_vec(columns)
    }
}

/// Effect of one standard deviation of each error component on a set of quantities.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Systematic {
    /// Quantities × error components; no columns if there is no systematic error.
    #[serde(rename = "answers")]
    effects: DMatrix<f64>,
}

impl Default for Systematic {
    fn default() -> Self {
        Self::none(0)
    }
}

impl Systematic {
    /// No effect on the given number of quantities.
    pub fn none(quantities: usize) -> Self {
        Self { effects: DMatrix::zeros(quantities, 0) }
    }

    /// From a matrix of quantities × error components, see [`Self::effects`].
    pub fn of(effects: DMatrix<f64>) -> Self {
        Self { effects }
    }

    /// Effect of one standard deviation of each error component: quantities × components.
    pub fn effects(&self) -> &DMatrix<f64> {
        &self.effects
    }

    /// Whether there is no systematic error.
    pub fn is_none(&self) -> bool {
        self.effects.ncols() == 0
    }

    /// Effect on quantities that are the linear combinations `rows` of these.
    pub fn mapped(&self, rows: &DMatrix<f64>) -> Self {
        if self.is_none() { Self::none(rows.nrows()) } else { Self { effects: rows * &self.effects } }
    }

    /// A range of the quantities.
    pub fn quantities(&self, which: Range<usize>) -> Self {
        if self.is_none() {
            Self::none(which.len())
        } else {
            Self { effects: self.effects.rows_range(which).into_owned() }
        }
    }

    /// Largest variance of the linear combination `row` over all forms, with the form that causes it.
    pub fn largest(&self, row: &DVector<f64>) -> (ErrorForm, f64) {
        let mut largest = (ErrorForm::Waves, 0.0);
        if self.is_none() {
            return largest;
        }
        let combined = self.effects.tr_mul(row);
        largest.1 = combined.iter().skip(FIRST_WAVE).map(|effect| effect * effect).sum();
        for (column, effect) in combined.iter().take(FIRST_WAVE).enumerate() {
            if effect * effect > largest.1 {
                largest = (form_of(column), effect * effect);
            }
        }
        largest
    }

    /// Largest variance of the linear combination `row` over all forms.
    pub fn variance(&self, row: &DVector<f64>) -> f64 {
        self.largest(row).1
    }

    /// Largest variance of one quantity over all forms.
    pub fn variance_of(&self, index: usize) -> f64 {
        let mut row = DVector::<f64>::zeros(self.effects.nrows());
        row[index] = 1.0;
        self.variance(&row)
    }

    /// Variance of the linear combination `row` caused by one form: the largest over its profiles; for waves, the sum.
    pub fn variance_by(&self, form: ErrorForm, row: &DVector<f64>) -> f64 {
        if self.is_none() {
            return 0.0;
        }
        let combined = self.effects.tr_mul(row);
        let squares = columns_of(form).map(|column| combined[column] * combined[column]);
        if form == ErrorForm::Waves { squares.sum() } else { squares.fold(0.0, f64::max) }
    }

    /// Multiplies the effect of one form by `factor`.
    pub fn scaled(mut self, form: ErrorForm, factor: f64) -> Self {
        if !self.is_none() {
            columns_of(form).for_each(|column| self.effects.column_mut(column).scale_mut(factor));
        }
        self
    }

    /// Covariance of the quantities caused by waves alone.
    pub fn waves(&self) -> DMatrix<f64> {
        if self.is_none() {
            return DMatrix::zeros(self.effects.nrows(), self.effects.nrows());
        }
        let waves = self.effects.columns_range(FIRST_WAVE..).into_owned();
        &waves * waves.transpose()
    }
}

/// Accumulates the effect of the systematic error on each fitted part.
pub struct SystematicPropagation {
    size: ErrorSize,
    effects: DMatrix<f64>,
}

impl SystematicPropagation {
    /// Starts with no effect on the given number of quantities.
    pub fn new(size: ErrorSize, quantities: usize) -> Self {
        Self { size, effects: DMatrix::zeros(quantities, COLUMNS) }
    }

    /// Adds a part fitted to `points` (right-handed sensor frame, sensor at the origin). For a point, `row` returns the
    /// derivatives of the part's distance from it by each of the part's parameters, and the change of that distance per
    /// unit error along the line of sight. `sensitivities` holds the derivatives of the quantities by each parameter.
    pub fn add<'a, const N: usize>(
        &mut self,
        points: impl Iterator<Item = &'a Point>,
        sensitivities: &DMatrix<f64>,
        row: impl Fn(&Point) -> ([f64; N], f64),
    ) {
        let points: Vec<&Point> = points.collect();
        let cell =
            |point: &Point, cell_mm: f64| -> [i32; 3] { point.coords.map(|c| (c / cell_mm).floor() as i32).into() };
        let coarse_mm = self.size.field.longest_mm() / FIELD_CELLS;
        let filled: BTreeSet<[i32; 3]> = points.iter().map(|point| cell(point, coarse_mm)).collect();
        let cell_mm = coarse_mm * (filled.len() as f64 / CELLS_PER_PART).sqrt().min(1.0);
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
        self.effects += sensitivities * solver.solve(&right);
    }

    /// The total effect of all parts.
    pub fn finish(self) -> Systematic {
        Systematic { effects: self.effects }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on a plate of 60 x 100 mm at a distance of 250 mm.
    fn plate() -> Vec<Point> {
        (0..41 * 61)
            .map(|i| Point::new(f64::from(i % 41) * 1.5 - 30.0, f64::from(i / 41) * 100.0 / 60.0 - 50.0, 250.0))
            .collect()
    }

    /// Effect on its height at the centre and its slopes along X and Y.
    fn of_plate(size: ErrorSize) -> Systematic {
        let points = plate();
        let mut propagation = SystematicPropagation::new(size, 3);
        propagation.add(points.iter(), &DMatrix::identity(3, 3), |point| ([1.0, point.x, point.y], 1.0));
        propagation.finish()
    }

    #[test]
    fn effects_on_a_plane_match_the_analytic_values() {
        let field = Field::of(plate().iter());
        let size = ErrorSize { size_mm: 0.01, scale: field.scale_of(0.01), field };
        let found = of_plate(size);
        let row = |k: usize| DVector::from_fn(3, |i, _| if i == k { 1.0 } else { 0.0 });
        // A tilt of the given size at the edge is a slope of the size over half the side.
        for (k, half) in [(1, 30.0), (2, 50.0)] {
            let slope = found.variance_by(ErrorForm::Tilt, &row(k)).sqrt();
            assert!((slope / (ARCSINE_SIGMA * 0.01 / half) - 1.0).abs() < 0.01, "{slope}");
            assert_eq!(found.largest(&row(k)).0, ErrorForm::Tilt);
            assert!((found.variance_of(k) - slope * slope).abs() < 1e-18);
        }
        // The mean of u² is a third; a cubic's slope is three fifths of a tilt's.
        let lift = found.variance_by(ErrorForm::Bowl, &row(0)).sqrt();
        assert!((lift / (ARCSINE_SIGMA * 0.01 / 3.0) - 1.0).abs() < 0.08, "{lift}");
        let slope = found.variance_by(ErrorForm::Cubic, &row(1)).sqrt();
        assert!((slope / (ARCSINE_SIGMA * 0.01 * 0.6 / 30.0) - 1.0).abs() < 0.08, "{slope}");
        // A corner 58.3 mm from the centre moves by 0.01 mm, the plate 250 mm away by 0.043 mm.
        let (form, variance) = found.largest(&row(0));
        assert_eq!(form, ErrorForm::Scale);
        assert!((variance.sqrt() / (ARCSINE_SIGMA * 0.01 / 58.31 * 250.0) - 1.0).abs() < 0.03, "{variance}");
        let halved = found.clone().scaled(ErrorForm::Scale, 0.5);
        assert!((halved.variance_by(ErrorForm::Scale, &row(0)) * 4.0 / variance - 1.0).abs() < 1e-9);
        // Waves shorter than the plate hardly lift it; their total variance is at most a quarter of the squared size.
        let waves = found.waves();
        assert!(waves[(0, 0)] < 0.01_f64.powi(2) / 4.0 && waves[(0, 0)] > 0.0, "{waves}");
        assert!((found.variance_by(ErrorForm::Waves, &row(1)) / waves[(1, 1)] - 1.0).abs() < 1e-9);
    }

    /// The largest form covers every mixture of forms whose sizes add up to the stated one.
    #[test]
    fn no_mixture_exceeds_its_worst_component() {
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
            let combined = found.effects.tr_mul(&row);
            let mixture: f64 = weights.iter().enumerate().map(|(column, weight)| weight * combined[column]).sum();
            assert!(mixture * mixture <= found.variance(&row) * (1.0 + 1e-9));
        }
    }

    /// Over a field twice as wide a tilt of the same size is half as steep. An artefact that reaches beyond the field
    /// shows that its sides are wrong.
    #[test]
    fn a_stated_field_is_that_of_the_sensor() {
        let filled = Field { centre_mm: [5.0, -3.0], half_mm: [30.0, 50.0] };
        let field = Field::stated([120.0, 200.0], &filled).unwrap();
        assert_eq!(field, Field { centre_mm: [0.0; 2], half_mm: [60.0, 100.0] });
        let own = of_plate(ErrorSize { size_mm: 0.01, scale: 0.0, field: Field { centre_mm: [0.0; 2], ..filled } });
        let wide = of_plate(ErrorSize { size_mm: 0.01, scale: 0.0, field });
        for slope in [1, 2] {
            let row = DVector::from_fn(3, |k, _| if k == slope { 1.0 } else { 0.0 });
            let [own, wide] = [&own, &wide].map(|found| found.variance_by(ErrorForm::Tilt, &row));
            assert!((own / wide - 4.0).abs() < 0.1, "{own} {wide}");
        }
        // At a larger distance it may see a little more; by more than a tenth it cannot.
        assert_eq!(Field::stated([66.0, 110.0], &filled).unwrap().half_mm, [35.0, 55.0]);
        let refused = Field::stated([60.0, 110.0], &filled).unwrap_err();
        assert!(refused.sentence.contains("35.0 mm in X and 53.0 mm in Y"), "{}", refused.sentence);
    }

    #[test]
    fn no_error_has_no_effect() {
        let none = Systematic::none(6);
        assert!(none.is_none() && none.mapped(&DMatrix::zeros(2, 6)).is_none() && none.quantities(0..3).is_none());
        assert_eq!(none.largest(&DVector::zeros(6)).1, 0.0);
        assert_eq!(none.waves(), DMatrix::zeros(6, 6));
        let some = of_plate(ErrorSize { size_mm: 0.01, scale: 0.0, field: Field::of(plate().iter()) });
        let twice = some.mapped(&(DMatrix::identity(3, 3) * 2.0));
        assert!((twice.variance_of(1) / some.variance_of(1) - 4.0).abs() < 1e-9);
    }
}
