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
//! The error may also displace points across the line of sight, in the sensor's X and Y: a scale or a shear of its image,
//! smooth distortion, waves. It has the same size, being the same stated error, and moves whatever is located by edges,
//! marks or slopes. A lateral field that is linear in `u` and `v` (scales, shears and rotations of the image) has four
//! components; if no corner of the field moves by more than the size, the squares of their sizes add up to at most its
//! square (the parallelogram law), so that no such field has a larger effect than the root of the sum of their squared
//! effects. Quadratic and cubic distortion is taken in the direction of largest effect, and as the radial distortion of a
//! lens; waves in the polarisation of largest effect.
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
    /// Scale or shear of the image, across the line of sight.
    LateralLinear,
    /// Smooth distortion of the image, of second or third order.
    LateralDistortion,
    /// Waves across the line of sight.
    LateralWaves,
}

impl ErrorForm {
    /// All forms.
    pub const ALL: [Self; 8] = [
        Self::Tilt,
        Self::Bowl,
        Self::Cubic,
        Self::Scale,
        Self::Waves,
        Self::LateralLinear,
        Self::LateralDistortion,
        Self::LateralWaves,
    ];

    /// Whether its profile is fixed, so that its effect has a limit; waves are random.
    pub fn is_fixed(self) -> bool {
        !matches!(self, Self::Waves | Self::LateralWaves)
    }

    /// Name used in messages and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tilt => "tilt",
            Self::Bowl => "bowl",
            Self::Cubic => "cubic",
            Self::Scale => "scale",
            Self::Waves => "waves",
            Self::LateralLinear => "lateral scale or shear",
            Self::LateralDistortion => "lateral distortion",
            Self::LateralWaves => "lateral waves",
        }
    }
}

/// Error as a function of `u` and `v`, for a size of 1.
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
/// First column of the lateral profiles: each along X, then along Y.
const FIRST_LATERAL: usize = SCALE_COLUMN + 1;
/// Number of the profiles that are linear; they come first.
const LINEAR_PROFILES: usize = 2;
/// Column of the radial lateral distortion, after the lateral profiles.
const RADIAL_COLUMN: usize = FIRST_LATERAL + 2 * PROFILES.len();
/// First column of the waves: a cosine and a sine for each direction and wavelength, along the line of sight, along X and
/// along Y.
const FIRST_WAVE: usize = RADIAL_COLUMN + 1;
const WAVE_DIRECTIONS: usize = 12;
const WAVELENGTHS: usize = 4;
const WAVES: usize = 2 * WAVE_DIRECTIONS * WAVELENGTHS;
const FIRST_WAVE_X: usize = FIRST_WAVE + WAVES;
const FIRST_WAVE_Y: usize = FIRST_WAVE_X + WAVES;
const COLUMNS: usize = FIRST_WAVE_Y + WAVES;
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

/// Effect of each column on one quantity, one standard deviation each.
struct QuantityEffects(DVector<f64>);

impl QuantityEffects {
    fn squares(&self, columns: Range<usize>) -> f64 {
        columns.map(|column| self.0[column] * self.0[column]).sum()
    }

    /// Squared effect of a lateral profile in the direction in which it is largest.
    fn lateral(&self, profile: usize) -> f64 {
        let first = FIRST_LATERAL + 2 * profile;
        self.squares(first..first + 2)
    }

    /// Variance of lateral waves in the polarisation in which it is largest: the larger eigenvalue of the variances and
    /// the covariance of both components.
    fn lateral_waves(&self) -> f64 {
        let (x, y) = (self.squares(FIRST_WAVE_X..FIRST_WAVE_Y), self.squares(FIRST_WAVE_Y..COLUMNS));
        let xy: f64 = (0..WAVES).map(|k| self.0[FIRST_WAVE_X + k] * self.0[FIRST_WAVE_Y + k]).sum();
        0.5 * (x + y) + (0.5 * (x - y)).hypot(xy)
    }

    /// Variance caused by one form: the largest over its profiles; for waves and for linear lateral fields, the sum.
    fn variance(&self, form: ErrorForm) -> f64 {
        let profiles = PROFILES.iter().enumerate().filter(|(_, (own, _))| *own == form);
        match form {
            ErrorForm::Tilt | ErrorForm::Bowl | ErrorForm::Cubic => {
                profiles.map(|(column, _)| self.squares(column..column + 1)).fold(0.0, f64::max)
            }
            ErrorForm::Scale => self.squares(SCALE_COLUMN..SCALE_COLUMN + 1),
            ErrorForm::Waves => self.squares(FIRST_WAVE..FIRST_WAVE_X),
            ErrorForm::LateralLinear => (0..LINEAR_PROFILES).map(|profile| self.lateral(profile)).sum(),
            ErrorForm::LateralDistortion => {
                let curved = (LINEAR_PROFILES..PROFILES.len()).map(|profile| self.lateral(profile));
                curved.fold(self.squares(RADIAL_COLUMN..RADIAL_COLUMN + 1), f64::max)
            }
            ErrorForm::LateralWaves => self.lateral_waves(),
        }
    }

    /// The largest variance over the given forms, with its form.
    fn largest(&self, forms: impl Iterator<Item = ErrorForm>) -> (ErrorForm, f64) {
        let largest = |largest: (ErrorForm, f64), form: ErrorForm| {
            let variance = self.variance(form);
            if variance > largest.1 { (form, variance) } else { largest }
        };
        forms.fold((ErrorForm::Waves, 0.0), largest)
    }
}

/// Rectangle in the sensor's X and Y over which its systematic error has its stated size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    centre_mm: [f64; 2],
    half_mm: [f64; 2],
}

impl Field {
    /// Smallest field of a sensor that filled this much of it with the regions of its artefact and saw the points of
    /// `surfaces` as well (right-handed sensor frame, sensor at the origin): what it measured beside the artefact is in its
    /// field too. At larger distances a camera sees more, so farther points count as seen at the distance of the artefact.
    pub fn seen<'a>(regions: impl IntoIterator<Item = &'a Point>, surfaces: &[Vec<Point>]) -> Self {
        let mut bounds = Aabb::of_points(regions);
        if !bounds.is_empty() {
            let distance_mm = bounds.min[2].abs().max(bounds.max[2].abs());
            let at_distance = |point: &Point| point * (distance_mm / point.z.abs().max(distance_mm));
            let beside: Vec<Point> = surfaces.iter().flatten().map(at_distance).collect();
            bounds = bounds.union(&Aabb::of_points(&beside));
        }
        Self::of_bounds(&bounds)
    }

    /// Bounds of points in the right-handed sensor frame (sensor at the origin); at least 2 mm wide.
    pub fn of<'a>(points: impl IntoIterator<Item = &'a Point>) -> Self {
        Self::of_bounds(&Aabb::of_points(points))
    }

    fn of_bounds(bounds: &Aabb) -> Self {
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
    /// Error at a point, mm, each column in its own direction: one standard deviation of each.
    fn columns_at(&self, point: &Point) -> DVector<f64> {
        let Field { centre_mm, half_mm } = self.field;
        let offset = [0, 1].map(|k| point[k] - centre_mm[k]);
        let [u, v] = [0, 1].map(|k| offset[k] / half_mm[k]);
        let mut columns = Vec::with_capacity(COLUMNS);
        columns.extend(PROFILES.iter().map(|(_, profile)| ARCSINE_SIGMA * self.size_mm * profile(u, v)));
        columns.push(ARCSINE_SIGMA * self.scale * point.coords.norm());
        columns.extend(PROFILES.iter().flat_map(|(_, profile)| [ARCSINE_SIGMA * self.size_mm * profile(u, v); 2]));
        // Along the radius, of full size at a corner.
        columns
            .push(ARCSINE_SIGMA * self.size_mm * (offset[0].hypot(offset[1]) / half_mm[0].hypot(half_mm[1])).powi(3));
        // Cosines and sines of equal variance: their sum has a quarter of the squared size as variance everywhere.
        let amplitude = self.size_mm / (4.0 * (WAVE_DIRECTIONS * WAVELENGTHS) as f64).sqrt();
        let mut waves = Vec::with_capacity(WAVES);
        for direction in 0..WAVE_DIRECTIONS {
            let (sin, cos) = (std::f64::consts::PI * direction as f64 / WAVE_DIRECTIONS as f64).sin_cos();
            for length in 0..WAVELENGTHS {
                let relative_length = WAVELENGTH_RANGE[0]
                    + (WAVELENGTH_RANGE[1] - WAVELENGTH_RANGE[0]) * (length as f64 + 0.5) / WAVELENGTHS as f64;
                let wavenumber = std::f64::consts::TAU / (relative_length * self.field.longest_mm());
                let phase = wavenumber * (offset[0] * cos + offset[1] * sin);
                waves.extend([amplitude * phase.cos(), amplitude * phase.sin()]);
            }
        }
        (0..3).for_each(|_| columns.extend_from_slice(&waves));
        DVector::from_vec(columns)
    }

    /// Change of a part's distance per unit error of each column, from the `normal` that the distance is measured along.
    fn lifts_at(&self, point: &Point, normal: &Vector) -> [f64; 4] {
        let centre_mm = self.field.centre_mm;
        let radius = Vector::new(point.x - centre_mm[0], point.y - centre_mm[1], 0.0);
        let radial = radius.try_normalize(1e-9).map_or(0.0, |radius| radius.dot(normal));
        [point.coords.normalize().dot(normal), normal.x, normal.y, radial]
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

    /// Effects on the linear combination `row`; `None` if there is no systematic error.
    fn combined(&self, row: &DVector<f64>) -> Option<QuantityEffects> {
        (!self.is_none()).then(|| QuantityEffects(self.effects.tr_mul(row)))
    }

    /// Largest variance of the linear combination `row` over all forms, with the form that causes it.
    pub fn largest(&self, row: &DVector<f64>) -> (ErrorForm, f64) {
        self.combined(row).map_or((ErrorForm::Waves, 0.0), |effects| effects.largest(ErrorForm::ALL.into_iter()))
    }

    /// Largest effect on the linear combination `row` that a form of fixed profile can have, and the largest variance
    /// over the random forms.
    pub fn limit_and_variance(&self, row: &DVector<f64>) -> (f64, f64) {
        self.combined(row).map_or((0.0, 0.0), |effects| {
            let of = |is_fixed: bool| {
                effects.largest(ErrorForm::ALL.into_iter().filter(|form| form.is_fixed() == is_fixed)).1
            };
            (of(true).sqrt() / ARCSINE_SIGMA, of(false))
        })
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

    /// Variance of the linear combination `row` caused by one form: the largest over its profiles; for waves and linear
    /// lateral fields, the sum.
    pub fn variance_by(&self, form: ErrorForm, row: &DVector<f64>) -> f64 {
        self.combined(row).map_or(0.0, |effects| effects.variance(form))
    }

    /// Multiplies the effect of a scale error by `factor`.
    pub fn with_scale(mut self, factor: f64) -> Self {
        if !self.is_none() {
            self.effects.column_mut(SCALE_COLUMN).scale_mut(factor);
        }
        self
    }

    /// Covariance of the quantities caused by waves along the line of sight alone.
    pub fn waves(&self) -> DMatrix<f64> {
        if self.is_none() {
            return DMatrix::zeros(self.effects.nrows(), self.effects.nrows());
        }
        let waves = self.effects.columns_range(FIRST_WAVE..FIRST_WAVE_X).into_owned();
        &waves * waves.transpose()
    }
}

/// Direction that a column displaces points in, as an index of [`ErrorSize::lifts_at`]: the line of sight, X, Y, or the
/// radius.
fn direction_of(column: usize) -> usize {
    match column {
        ..FIRST_LATERAL => 0,
        RADIAL_COLUMN => 3,
        FIRST_LATERAL..RADIAL_COLUMN => 1 + (column - FIRST_LATERAL) % 2,
        _ if column < FIRST_WAVE_X => 0,
        _ if column < FIRST_WAVE_Y => 1,
        _ => 2,
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
    /// derivatives of the part's distance from it by each of the part's parameters, and the direction that this distance is
    /// measured in. `sensitivities` holds the derivatives of the quantities by each parameter.
    pub fn add<'a, const N: usize>(
        &mut self,
        points: impl Iterator<Item = &'a Point>,
        sensitivities: &DMatrix<f64>,
        row: impl Fn(&Point) -> ([f64; N], Vector),
    ) {
        let points: Vec<&Point> = points.collect();
        let cell =
            |point: &Point, cell_mm: f64| -> [i32; 3] { point.coords.map(|c| (c / cell_mm).floor() as i32).into() };
        let coarse_mm = self.size.field.longest_mm() / FIELD_CELLS;
        let filled: BTreeSet<[i32; 3]> = points.iter().map(|point| cell(point, coarse_mm)).collect();
        let cell_mm = coarse_mm * (filled.len() as f64 / CELLS_PER_PART).sqrt().min(1.0);
        // By cell: sums of positions and of derivatives by direction, and the number of points.
        type Sums<const N: usize> = (Vector, [SVector<f64, N>; 4], f64);
        let mut cells: BTreeMap<[i32; 3], Sums<N>> = BTreeMap::new();
        let mut normal_matrix = DMatrix::<f64>::zeros(N, N);
        for point in points {
            let (row, normal) = row(point);
            let lifts = self.size.lifts_at(point, &normal);
            for i in 0..N {
                (0..N).for_each(|j| normal_matrix[(i, j)] += row[i] * row[j]);
            }
            let row = SVector::<f64, N>::from(row);
            let (sum, rows, count) =
                cells.entry(cell(point, cell_mm)).or_insert((Vector::zeros(), [SVector::zeros(); 4], 0.0));
            (*sum, *count) = (*sum + point.coords, *count + 1.0);
            rows.iter_mut().zip(lifts).for_each(|(sum, lift)| *sum += row * lift);
        }
        let Some(solver) = normal_matrix.cholesky() else { return };
        let mut right = DMatrix::<f64>::zeros(N, COLUMNS);
        for (sum, rows, count) in cells.into_values() {
            let columns = self.size.columns_at(&Point::from(sum / count));
            for column in 0..COLUMNS {
                let row = &rows[direction_of(column)];
                (0..N).for_each(|i| right[(i, column)] += row[i] * columns[column]);
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
        propagation
            .add(points.iter(), &DMatrix::identity(3, 3), |point| ([1.0, point.x, point.y], point.coords.normalize()));
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
        let halved = found.clone().with_scale(0.5);
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
            let mut weights: Vec<f64> = (0..FIRST_WAVE).map(|_| -(1.0 - random.uniform()).ln()).collect();
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

    /// Effect on the place across and the slope of a line along Y that is located along X.
    fn of_line(size: ErrorSize) -> Systematic {
        let points: Vec<Point> = (0..=100).map(|i| Point::new(10.0, f64::from(i) - 50.0, 250.0)).collect();
        let mut propagation = SystematicPropagation::new(size, 2);
        propagation.add(points.iter(), &DMatrix::identity(2, 2), |point| ([1.0, point.y], Vector::x()));
        propagation.finish()
    }

    /// Lateral errors displace a line whose points are seen at right angles, which no error along the line of sight does;
    /// no lateral field that stays within the size anywhere has a larger effect than the limit.
    #[test]
    fn lateral_errors_move_lines_by_no_more_than_is_stated() {
        let field = Field::of(plate().iter());
        let found = of_line(ErrorSize { size_mm: 0.01, scale: 0.0, field });
        let [place, slope] = [0, 1].map(|k| DVector::from_fn(2, |i, _| if i == k { 1.0 } else { 0.0 }));
        let sheared = found.variance_by(ErrorForm::LateralLinear, &slope).sqrt();
        assert!((sheared / (ARCSINE_SIGMA * 0.01 / 50.0) - 1.0).abs() < 0.02, "{sheared}");
        let tilted = found.variance_by(ErrorForm::Tilt, &slope).sqrt();
        assert!(tilted < 0.1 * sheared && found.largest(&slope).0 != ErrorForm::Tilt, "{tilted}");
        let waves = found.variance_by(ErrorForm::LateralWaves, &slope);
        assert!(waves > 0.0 && waves.sqrt() < 2.0 * sheared);
        let (limit, random) = found.limit_and_variance(&slope);
        assert!((limit * ARCSINE_SIGMA).powi(2) >= sheared * sheared && random >= waves);
        // Linear fields of any kind, and the radial distortion of a lens, of full size at the farthest corner.
        let mut random = base::random::Random::new(8, 2);
        for row in [&place, &slope] {
            let (limit, _) = found.limit_and_variance(row);
            for kind in 0..400 {
                let m: [f64; 4] = [0; 4].map(|_| random.normal());
                let at = |x: f64, y: f64| match kind % 2 {
                    0 => [m[0] * x + m[1] * y, m[2] * x + m[3] * y],
                    _ => [x * (x * x + y * y), y * (x * x + y * y)],
                };
                let corners = [(30.0, 50.0), (-30.0, 50.0), (30.0, -50.0), (-30.0, -50.0)];
                let largest = corners.map(|(x, y)| at(x, y)[0].hypot(at(x, y)[1])).into_iter().fold(0.0, f64::max);
                let (mut sums, mut moments) = ([0.0; 2], [0.0; 2]);
                for i in 0..=100 {
                    let y = f64::from(i) - 50.0;
                    let error = 0.01 * at(10.0, y)[0] / largest;
                    (sums[0], sums[1]) = (sums[0] + error, sums[1] + error * y);
                    (moments[0], moments[1]) = (moments[0] + 1.0, moments[1] + y * y);
                }
                let effect = row[0] * sums[0] / moments[0] + row[1] * sums[1] / moments[1];
                assert!(effect.abs() <= limit * 1.02, "{kind}: {effect} {limit}");
            }
        }
    }

    /// What a sensor saw beside its artefact is in its field too, as far as it lies at the artefact's distance.
    #[test]
    fn the_field_is_at_least_what_the_snapshots_show() {
        let regions = [Point::new(-20.0, -30.0, 248.0), Point::new(20.0, 30.0, 250.0)];
        let seen = |surface: Vec<Point>| Field::seen(&regions, &[surface]);
        assert_eq!(seen(Vec::new()), Field::of(&regions));
        let beside = seen(vec![Point::new(-35.0, 0.0, 250.0), Point::new(35.0, 60.0, 240.0)]);
        assert_eq!((beside.centre_mm, beside.half_mm), ([0.0, 15.0], [35.0, 45.0]));
        assert!(beside.scale_of(0.01) < Field::of(&regions).scale_of(0.01));
        // Twice as far away, twice as much is seen.
        let behind = seen(vec![Point::new(-70.0, -60.0, 500.0), Point::new(70.0, 60.0, 500.0)]);
        assert_eq!((behind.centre_mm, behind.half_mm), ([0.0; 2], [35.0, 30.0]));
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
