//! Correlation over less than a given distance: the residuals' mean products as a function of distance, what they have
//! in common at that distance taken off. Longer correlation is stated elsewhere.

use nalgebra::DMatrix;

use super::super::model::Model;
use super::super::newton::Weighted;
use super::pairs::{Cell, Pairs, bins, cells};
use super::{Correlation, Equations, Search};

/// The distance in sizes of a cell: fine, so that the slope of a narrow part across one of them hardly counts.
const FAR: usize = 16;
/// Cells fewer than these say nothing of correlation; where parts are pooled, little is better than nothing.
const MIN_CELLS: usize = 12;
/// A mean product smaller than so many of its standard errors is taken for noise.
const SEEN: f64 = 2.0;

/// How the noise of a device is correlated over distances, as the residuals of a fit show it.
///
/// The residuals of a small part show it poorly. Where several parts were measured by one device, their correlations
/// are pooled, and each part's uncertainty is stated again from them all ([`crate::features::Fit::restate`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseCorrelation {
    /// Distances are multiples of this, mm.
    step_mm: f64,
    /// At each distance the correlation, and its standard error. What residuals have in common at the last distance
    /// was taken off.
    at: [[f64; 2]; FAR + 1],
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
        let lost = self.at[..FAR].iter().position(|[value, error]| *value <= SEEN * error);
        // The first that is lost in noise counts still: left out, it would always lack.
        let count = lost.map_or(FAR, |k| if k > 0 { k + 1 } else { 0 });
        self.at[..count].iter().map(|[value, _]| value.min(1.0))
    }
}

/// Of residuals whose correlation is known from more points than these.
pub fn known(
    model: &Model,
    points: Weighted<'_>,
    equations: Equations<'_>,
    search: &Search,
    known: NoiseCorrelation,
) -> Correlation {
    let cells = cells(model, points, known.step_mm / search.unit_mm, search.eye);
    Sums::new(&cells, equations).correlation(known)
}

/// As the residuals show it; `None` where they are too few to show any.
pub fn seen(
    model: &Model,
    points: Weighted<'_>,
    equations: Equations<'_>,
    search: &Search,
    within_mm: f64,
) -> Option<Correlation> {
    let step_mm = within_mm / FAR as f64;
    let cells = cells(model, points, step_mm / search.unit_mm, search.eye);
    if cells.len() < MIN_CELLS {
        return None;
    }
    let sums = Sums::new(&cells, equations);
    Some(sums.correlation(sums.noise(step_mm)))
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
struct Sums<'a> {
    used: f64,
    equations: Equations<'a>,
    bins: Vec<Bin>,
}

impl<'a> Sums<'a> {
    fn new(cells: &[Cell], equations: Equations<'a>) -> Self {
        let parameters = equations.inverse.nrows();
        let used: f64 = cells.iter().map(|cell| cell.count).sum();
        let squares: f64 = cells.iter().map(|cell| cell.squares).sum();
        let residuals = if cells.iter().any(|cell| cell.sum[1] != 0.0) { 2.0 } else { 1.0 };
        let variance = squares / (used * residuals - parameters as f64).max(1.0);
        // Variance of a cell's mean, which bounds how well products of means are known.
        let of_means = cells.iter().map(|c| c.sum.iter().map(|s| s * s).sum::<f64>()).sum::<f64>()
            / cells.iter().map(|c| c.count * c.count).sum::<f64>();
        let bin = |(k, bin): (usize, Pairs)| {
            let pairs = (bin.counts * residuals).max(1e-300);
            Bin {
                product: bin.products / pairs / variance,
                error: of_means * bin.squares.sqrt() / pairs / variance,
                // The rows of a cell with itself hold each point with itself too, which the information counts.
                rows: if k == 0 { bin.rows - equations.information } else { bin.rows },
                counts: bin.counts,
                pairs,
            }
        };
        let bins = bins(cells, parameters, FAR).into_iter().enumerate().map(bin).collect();
        Self { used, equations, bins }
    }

    /// The correlation that the residuals show.
    fn noise(&self, step_mm: f64) -> NoiseCorrelation {
        let mut noise = NoiseCorrelation { step_mm, at: [[0.0, 1.0]; FAR + 1] };
        let mut cofactors = self.equations.inverse.clone();
        // A fit takes part of the correlation out of its residuals; how much follows from the answer itself.
        for _ in 0..4 {
            for (at, bin) in noise.at.iter_mut().zip(&self.bins) {
                *at = match bin.counts {
                    // Nothing that far apart: nothing known.
                    0.0 => [0.0, 1.0],
                    _ => [bin.product + cofactors.component_mul(&bin.rows).sum() / bin.pairs, bin.error],
                };
            }
            let [common, _] = noise.at[FAR];
            noise.at.iter_mut().for_each(|[value, _]| *value -= common);
            cofactors = self.cofactors(&noise);
        }
        noise
    }

    /// Covariance of the parameters under that correlation, for residuals of variance one.
    fn cofactors(&self, noise: &NoiseCorrelation) -> DMatrix<f64> {
        let Equations { information, inverse } = self.equations;
        let mut between = information.clone();
        for (bin, value) in self.bins.iter().zip(noise.seen()) {
            between += &bin.rows * value;
        }
        inverse * between * inverse
    }

    fn correlation(&self, noise: NoiseCorrelation) -> Correlation {
        let excess: f64 = self.bins.iter().zip(noise.seen()).map(|(bin, value)| value * bin.counts).sum();
        let reach_mm = (noise.seen().count() as f64 - 0.5).max(0.0) * noise.step_mm;
        let described = format!("residuals are correlated up to {reach_mm:.2} mm apart, equally in all directions");
        let inflation = 1.0 + excess / self.used;
        let cofactors = self.cofactors(&noise);
        Correlation { noise: Some(noise), ..Correlation::new(self.equations, &cofactors, inflation, described) }
    }
}
