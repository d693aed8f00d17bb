//! How far the residuals of neighbouring points hang together, and what that makes of the parameters.
//!
//! The noise of surface sensors is correlated over a distance that nobody states. It is estimated from the residuals:
//! their mean product as a function of distance only (an isotropic, stationary field), up to where it is lost in noise.
//! The covariance of the parameters then follows from all pairs of points, as in kriging and in spatial robust errors
//! (Conley, "GMM estimation with cross sectional dependence", 1999). Points are gathered in cells, so that pairs of
//! cells take the place of pairs of points.

use std::collections::HashMap;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::model::{Model, any_square_to};
use super::newton::{self, MOST, Weighted};
use crate::geometry::{Point, Vector};

/// Distances looked at, in sizes of a cell: where the distance is given, cells are finer, so that the slope of a narrow
/// part across one of them hardly counts.
const FAR: usize = 4;
const FAR_WITHIN: usize = 16;
/// The first cells are this large, in units of the points' size; they grow while they are too small.
const FIRST_CELL: f64 = 1.0 / 64.0;
const LAST_CELL: f64 = 0.25;
/// Points that a cell holds on average, at least.
const IN_A_CELL: usize = 4;
/// Cells fewer than these say nothing of correlation; where parts are pooled, little is better than nothing.
const LEAST_CELLS: usize = 40;
const LEAST_CELLS_WITHIN: usize = 12;
/// A mean product smaller than so many of its standard errors is taken for noise.
const SEEN: f64 = 2.0;

/// How the noise of a device is correlated over distances, as the residuals of a fit show it.
///
/// The residuals of a small part show it poorly. Where several parts were measured by one device, their correlations
/// are pooled, and each part's uncertainty is stated again from them all ([`super::Fit::restate`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseCorrelation {
    /// Distances are multiples of this, mm.
    step_mm: f64,
    /// Whether what residuals have in common at the last distance was taken off.
    is_local: bool,
    /// The last distance.
    far: usize,
    /// At each distance the correlation, and its standard error.
    at: [[f64; 2]; FAR_WITHIN + 1],
}

impl NoiseCorrelation {
    /// Of several parts, each by how well it shows it; `None` where none does.
    pub fn pooled(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut parts = parts.into_iter();
        let weigh = |[value, error]: [f64; 2]| [value / error.powi(2), error.powi(-2)];
        let first = parts.next()?;
        let mut sums = first.at.map(weigh);
        for part in parts.filter(|part| (part.step_mm / first.step_mm - 1.0).abs() < 1e-9) {
            for (sum, own) in sums.iter_mut().zip(part.at.map(weigh)) {
                *sum = [sum[0] + own[0], sum[1] + own[1]];
            }
        }
        let mean = |[value, weight]: [f64; 2]| [value / weight, weight.powf(-0.5)];
        Some(Self { at: sums.map(mean), ..first })
    }

    /// The correlations at the distances that show any, the nearest first.
    fn seen(&self) -> impl Iterator<Item = f64> {
        let looked_at = if self.is_local { self.far } else { self.far + 1 };
        let lost = self.at[..looked_at].iter().position(|[value, error]| *value <= SEEN * error);
        // The first that is lost in noise counts still: left out, it would always lack.
        let count = lost.map_or(looked_at, |k| if k > 0 { k + 1 } else { 0 });
        self.at[..count].iter().map(|[value, _]| value.min(1.0))
    }

    /// Whether it ends within the distances looked at.
    fn ends(&self) -> bool {
        self.is_local || self.seen().count() <= self.far
    }
}

/// What the correlation does.
pub struct Correlation {
    /// Covariance of the parameters for residuals of variance one.
    pub cofactors: DMatrix<f64>,
    /// By how much the variance of a mean exceeds that of independent residuals; at least 1.
    pub inflation: f64,
    /// Distance up to which correlation was seen; `None` where there are too few points to see any.
    pub reach_mm: Option<f64>,
    /// What the residuals showed, or what was known; `None` where there is neither.
    pub noise: Option<NoiseCorrelation>,
}

impl Correlation {
    /// Of points too few to show any.
    fn none(inverse: &DMatrix<f64>) -> Self {
        Self { cofactors: inverse.clone(), inflation: 1.0, reach_mm: None, noise: None }
    }
}

/// Where correlation is looked for.
#[derive(Clone, Copy)]
pub struct Search {
    /// Only over shorter distances than this, mm; what residuals have in common over longer ones is taken off. `None`
    /// goes as far as it is seen.
    pub within_mm: Option<f64>,
    /// What is known of it from more points than these.
    pub known: Option<NoiseCorrelation>,
    /// Where the device is, about the points' centroid in their unit: noise is correlated over distances across its
    /// lines of sight.
    pub eye: Option<Point>,
    /// Unit of the points, mm.
    pub unit_mm: f64,
}

/// Sums over the points of one cell.
struct Cell {
    place: [i32; 3],
    count: f64,
    /// Of the weighted residuals, and of their squares.
    sum: [f64; 2],
    squares: f64,
    /// Of the weighted derivatives of each residual.
    rows: [[f64; MOST]; 2],
}

/// Sums over pairs of cells at about one distance; a cell with itself at distance 0.
#[derive(Clone)]
struct Pairs {
    /// Products of residuals, of numbers of points, and of their squares.
    products: f64,
    counts: f64,
    squares: f64,
    /// Products of derivatives, both ways.
    rows: DMatrix<f64>,
}

/// Of the fit `model`, whose normal equations have the inverse `inverse`.
pub fn of(model: &Model, points: Weighted<'_>, inverse: &DMatrix<f64>, search: &Search) -> Correlation {
    let sums = |cells: &[Cell], far| Sums::new(cells, inverse, far);
    if let Some(known) = search.known {
        return sums(&cells(model, points, known.step_mm / search.unit_mm, search.eye), known.far).correlation(known);
    }
    if let Some(within_mm) = search.within_mm {
        let step_mm = within_mm / FAR_WITHIN as f64;
        let cells = cells(model, points, step_mm / search.unit_mm, search.eye);
        if cells.len() < LEAST_CELLS_WITHIN {
            return Correlation::none(inverse);
        }
        let sums = sums(&cells, FAR_WITHIN);
        return sums.correlation(sums.noise(step_mm, true));
    }
    let (mut cell, mut found) = (FIRST_CELL, Correlation::none(inverse));
    while cell <= LAST_CELL {
        let cells = cells(model, points, cell, search.eye);
        let used: f64 = cells.iter().map(|cell| cell.count).sum();
        if cells.len() < LEAST_CELLS {
            break;
        }
        if used >= (IN_A_CELL * cells.len()) as f64 {
            let sums = sums(&cells, FAR);
            let noise = sums.noise(cell * search.unit_mm, false);
            let ends = noise.ends();
            found = sums.correlation(noise);
            if ends {
                break;
            }
        }
        // Correlated beyond what was looked at: larger cells see farther.
        cell *= 2.0;
    }
    found
}

fn cells(model: &Model, points: Weighted<'_>, size: f64, eye: Option<Point>) -> Vec<Cell> {
    // Across the line of sight, where the middle of the points is, whose coordinates are zero.
    let screen = eye.map(|eye| {
        let x = any_square_to(&eye.coords.normalize());
        (eye, x, eye.coords.normalize().cross(&x))
    });
    let place = |point: &Point| {
        let seen = screen.map_or(point.coords, |(eye, x, y)| {
            let ray = point - eye;
            let ray = ray * (eye.coords.norm_squared() / -ray.dot(&eye.coords));
            Vector::new(ray.dot(&x), ray.dot(&y), 0.0)
        });
        seen.map(|c| (c / size).floor() as i32).into()
    };
    let mut keyed: Vec<([i32; 3], u32)> = points
        .points
        .par_iter()
        .enumerate()
        .filter(|(i, _)| points.weights.get(*i).copied().unwrap_or(1.0) > 0.0)
        .map(|(i, point)| (place(point), i as u32))
        .collect();
    keyed.par_sort_unstable();
    let runs: Vec<&[([i32; 3], u32)]> = keyed.chunk_by(|a, b| a.0 == b.0).collect();
    runs.par_iter()
        .map(|run| {
            let (place, count) = (run[0].0, run.len() as f64);
            let mut cell = Cell { place, count, sum: [0.0; 2], squares: 0.0, rows: [[0.0; MOST]; 2] };
            for &(_, number) in *run {
                let weight = points.weights.get(number as usize).copied().unwrap_or(1.0).sqrt();
                let rows = newton::rows(model, &points.points[number as usize]);
                for (which, (f, row)) in rows.iter().take(model.form.residuals()).enumerate() {
                    cell.sum[which] += weight * f;
                    cell.squares += weight * weight * f * f;
                    cell.rows[which].iter_mut().zip(row).for_each(|(sum, own)| *sum += weight * own);
                }
            }
            cell
        })
        .collect()
}

/// Where the cells are: a table for those in a plane, which are many.
enum Places {
    Flat { low: [i32; 2], size: [i32; 2], numbers: Vec<u32> },
    Space(HashMap<[i32; 3], u32>),
}

/// Places of a table at most.
const TABLE: i64 = 1 << 24;

impl Places {
    fn of(cells: &[Cell]) -> Self {
        let all = |axis: usize| cells.iter().map(move |cell| cell.place[axis]);
        let low = [0, 1].map(|axis| all(axis).min().unwrap_or_default());
        let size = [0, 1].map(|axis| all(axis).max().unwrap_or_default() - low[axis] + 1);
        let numbered = || (0..).zip(cells);
        if all(2).any(|z| z != 0) || i64::from(size[0]) * i64::from(size[1]) > TABLE {
            return Self::Space(numbered().map(|(number, cell)| (cell.place, number)).collect());
        }
        let mut numbers = vec![u32::MAX; (size[0] * size[1]) as usize];
        for (number, cell) in numbered() {
            numbers[((cell.place[1] - low[1]) * size[0] + cell.place[0] - low[0]) as usize] = number;
        }
        Self::Flat { low, size, numbers }
    }

    fn at(&self, [x, y, z]: [i32; 3]) -> Option<u32> {
        match self {
            Self::Flat { low, size, numbers } => {
                let (x, y) = (x - low[0], y - low[1]);
                let is_inside = (0..size[0]).contains(&x) && (0..size[1]).contains(&y);
                if is_inside { numbers.get((y * size[0] + x) as usize).copied() } else { None }
            }
            Self::Space(numbers) => numbers.get(&[x, y, z]).copied(),
        }
    }

    /// Half of the steps up to `far`, with their lengths rounded: each pair of cells once, the other lies behind.
    fn steps(&self, far: usize) -> Vec<([i32; 3], usize)> {
        let reach = far as i32;
        let depths = if matches!(self, Self::Flat { .. }) { 0..=0 } else { -reach..=reach };
        (-reach..=reach)
            .flat_map(|x| (-reach..=reach).map(move |y| (x, y)))
            .flat_map(|(x, y)| depths.clone().map(move |z| [x, y, z]))
            .filter(|step| *step > [0; 3])
            .map(|step| (step, f64::from(step.iter().map(|c| c * c).sum::<i32>()).sqrt().round() as usize))
            .filter(|(_, bin)| *bin <= far)
            .collect()
    }
}

/// Sums over the cells at about one distance from a cell.
#[derive(Clone, Copy)]
struct Others {
    count: f64,
    squared_counts: f64,
    sum: [f64; 2],
    rows: [[f64; MOST]; 2],
}

fn bins(cells: &[Cell], parameters: usize, far: usize) -> Vec<Pairs> {
    let places = Places::of(cells);
    let steps = places.steps(far);
    let none = Pairs { products: 0.0, counts: 0.0, squares: 0.0, rows: DMatrix::zeros(parameters, parameters) };
    let empty = vec![none; far + 1];
    let no_others = Others { count: 0.0, squared_counts: 0.0, sum: [0.0; 2], rows: [[0.0; MOST]; 2] };
    let chunk = cells.len().div_ceil(64);
    let partial: Vec<Vec<Pairs>> = cells
        .par_chunks(chunk)
        .map(|some| {
            let mut bins = empty.clone();
            let mut others = vec![no_others; far + 1];
            for cell in some {
                // Of a cell with itself, the pairs of two points.
                bins[0].products += cell.sum.iter().map(|s| s * s).sum::<f64>() - cell.squares;
                bins[0].counts += cell.count * (cell.count - 1.0);
                bins[0].squares += cell.count.powi(2) * (cell.count - 1.0).powi(2);
                add_rows(&mut bins[0].rows, &cell.rows, &cell.rows);
                others.fill(no_others);
                for &(step, bin) in &steps {
                    let at = [0, 1, 2].map(|k| cell.place[k] + step[k]);
                    if let Some(other) = places.at(at).and_then(|number| cells.get(number as usize)) {
                        others[bin].add(other, parameters);
                    }
                }
                for (bin, others) in bins.iter_mut().zip(&others).skip(1) {
                    bin.products += 2.0 * (cell.sum[0] * others.sum[0] + cell.sum[1] * others.sum[1]);
                    bin.counts += 2.0 * cell.count * others.count;
                    bin.squares += 2.0 * cell.count * cell.count * others.squared_counts;
                    add_rows(&mut bin.rows, &cell.rows, &others.rows);
                    add_rows(&mut bin.rows, &others.rows, &cell.rows);
                }
            }
            bins
        })
        .collect();
    partial.into_iter().fold(empty.clone(), |mut sum, own| {
        for (sum, own) in sum.iter_mut().zip(own) {
            sum.products += own.products;
            sum.counts += own.counts;
            sum.squares += own.squares;
            sum.rows += own.rows;
        }
        sum
    })
}

impl Others {
    fn add(&mut self, cell: &Cell, parameters: usize) {
        self.count += cell.count;
        self.squared_counts += cell.count * cell.count;
        for which in 0..2 {
            self.sum[which] += cell.sum[which];
            let own = &cell.rows[which][..parameters];
            self.rows[which].iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
    }
}

fn add_rows(sum: &mut DMatrix<f64>, one: &[[f64; MOST]; 2], other: &[[f64; MOST]; 2]) {
    let count = sum.nrows();
    for which in 0..2 {
        for i in 0..count {
            for j in 0..count {
                sum[(i, j)] += one[which][i] * other[which][j];
            }
        }
    }
}

/// What pairs at about one distance say, in units of the residuals' variance.
struct Bin {
    /// Mean product of residuals, and its standard error.
    product: f64,
    error: f64,
    /// Sum of products of derivatives.
    rows: DMatrix<f64>,
    /// Pairs of points, and of residuals.
    counts: f64,
    pairs: f64,
}

/// What all pairs say together.
struct Sums {
    used: f64,
    /// Inverse of the normal equations, and they themselves.
    inverse: DMatrix<f64>,
    information: DMatrix<f64>,
    bins: Vec<Bin>,
}

impl Sums {
    fn new(cells: &[Cell], inverse: &DMatrix<f64>, far: usize) -> Self {
        let used: f64 = cells.iter().map(|cell| cell.count).sum();
        let squares: f64 = cells.iter().map(|cell| cell.squares).sum();
        let residuals = if cells.iter().any(|cell| cell.sum[1] != 0.0) { 2.0 } else { 1.0 };
        let variance = squares / (used * residuals - inverse.nrows() as f64).max(1.0);
        let none = || DMatrix::zeros(inverse.nrows(), inverse.ncols());
        let information = inverse.clone().try_inverse().unwrap_or_else(none);
        // Variance of a cell's mean, which bounds how well products of means are known.
        let of_means = cells.iter().map(|c| c.sum.iter().map(|s| s * s).sum::<f64>()).sum::<f64>()
            / cells.iter().map(|c| c.count * c.count).sum::<f64>();
        let bin = |(k, bin): (usize, Pairs)| {
            let pairs = (bin.counts * residuals).max(1e-300);
            Bin {
                product: bin.products / pairs / variance,
                error: of_means * bin.squares.sqrt() / pairs / variance,
                // The rows of a cell with itself hold each point with itself too, which the information counts.
                rows: if k == 0 { bin.rows - &information } else { bin.rows },
                counts: bin.counts,
                pairs,
            }
        };
        let bins = bins(cells, inverse.nrows(), far).into_iter().enumerate().map(bin).collect();
        Self { used, inverse: inverse.clone(), information, bins }
    }

    /// The correlation that the residuals show.
    fn noise(&self, step_mm: f64, is_local: bool) -> NoiseCorrelation {
        let far = self.bins.len() - 1;
        let mut noise = NoiseCorrelation { step_mm, is_local, far, at: [[0.0, 1.0]; FAR_WITHIN + 1] };
        let mut cofactors = self.inverse.clone();
        // A fit takes part of the correlation out of its residuals; how much follows from the answer itself.
        for _ in 0..4 {
            for (at, bin) in noise.at.iter_mut().zip(&self.bins) {
                *at = match bin.counts {
                    // Nothing that far apart: nothing known.
                    0.0 => [0.0, 1.0],
                    _ => [bin.product + cofactors.component_mul(&bin.rows).sum() / bin.pairs, bin.error],
                };
            }
            if is_local {
                let [common, _] = noise.at[far];
                noise.at.iter_mut().for_each(|[value, _]| *value -= common);
            }
            cofactors = self.cofactors(&noise);
        }
        noise
    }

    /// Covariance of the parameters under that correlation, for residuals of variance one.
    fn cofactors(&self, noise: &NoiseCorrelation) -> DMatrix<f64> {
        let mut between = self.information.clone();
        for (bin, value) in self.bins.iter().zip(noise.seen()) {
            between += &bin.rows * value;
        }
        &self.inverse * between * &self.inverse
    }

    fn correlation(&self, noise: NoiseCorrelation) -> Correlation {
        let excess: f64 = self.bins.iter().zip(noise.seen()).map(|(bin, value)| value * bin.counts).sum();
        let reach_mm = (noise.seen().count() as f64 - 0.5).max(0.0) * noise.step_mm;
        Correlation {
            cofactors: self.cofactors(&noise),
            inflation: 1.0 + excess / self.used,
            reach_mm: Some(reach_mm),
            noise: Some(noise),
        }
    }
}
