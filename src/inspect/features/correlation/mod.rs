//! How far the residuals of neighbouring points hang together, and what that makes of the parameters.
//!
//! The noise of surface sensors is correlated over a distance that nobody states. It is estimated from the residuals:
//! their mean product as a function of distance only (an isotropic, stationary field), up to where it is lost in noise.
//! The covariance of the parameters then follows from all pairs of points, as in kriging and in spatial robust errors
//! (Conley, "GMM estimation with cross sectional dependence", 1999). Points are gathered in cells, so that pairs of
//! cells take the place of pairs of points.

mod pairs;

use nalgebra::DMatrix;

use super::model::Model;
use super::newton::Weighted;
use crate::geometry::Point;
use pairs::{Cell, Pairs, bins, cells};

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
