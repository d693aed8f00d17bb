//! Correlation up to a given distance: mean products of residuals as a function of distance, minus their value at that
//! distance. Correlation over longer distances is accounted for elsewhere.

use nalgebra::DMatrix;

use super::super::model::Model;
use super::super::newton::WeightedPoints;
use super::pairs::{Cell, PairSums, bins, cells};
use super::{Correlation, NormalEquations, Settings};

/// The distance in cells: fine enough that the decay of a narrow correlation across a cell is negligible.
const DISTANCES: usize = 16;
/// Minimum number of cells for an estimate; if several parts are pooled, little information is better than none.
const MIN_CELLS: usize = 12;
/// Significance limit of a mean product in standard errors.
const MIN_STANDARD_ERRORS: f64 = 2.0;

/// Correlation of sensor noise as a function of distance, as estimated from the residuals of a fit.
///
/// The residuals of a small part give a poor estimate. The estimates of several parts measured by one sensor are
/// pooled, and each part's uncertainty is recomputed from the pooled one ([`crate::features::Fit::restate`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseCorrelation {
    /// Spacing of the distances, mm.
    step_mm: f64,
    /// Correlation and its standard error at multiples of `step_mm`. The mean product at the last distance was
    /// subtracted.
    at: [[f64; 2]; DISTANCES + 1],
}

impl NoiseCorrelation {
    /// Mean over several parts weighted by inverse variance; parts with another `step_mm` than the first are ignored.
    /// `None` if there is no part.
    pub fn pooled(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut parts = parts.into_iter();
        let weighted = |[value, error]: [f64; 2]| [value / error.powi(2), error.powi(-2)];
        let first = parts.next()?;
        let mut sums = first.at.map(weighted);
        for part in parts.filter(|part| (part.step_mm / first.step_mm - 1.0).abs() < 1e-9) {
            for (sum, own) in sums.iter_mut().zip(part.at.map(weighted)) {
                *sum = [sum[0] + own[0], sum[1] + own[1]];
            }
        }
        let mean = |[value, weight]: [f64; 2]| [value / weight, weight.powf(-0.5)];
        Some(Self { at: sums.map(mean), ..first })
    }

    /// The significant correlations, ordered by distance from zero. They end where two in a row are not significant:
    /// where points are sparse, a distance may have few pairs or none.
    fn significant(&self) -> impl Iterator<Item = f64> {
        let at = &self.at[..DISTANCES];
        let is_insignificant = |k: usize| at.get(k).is_none_or(|[value, error]| *value <= MIN_STANDARD_ERRORS * error);
        let insignificant = (0..DISTANCES).find(|&k| is_insignificant(k) && is_insignificant(k + 1));
        // The first insignificant one is included: leaving it out would bias the sum.
        let count = insignificant.map_or(DISTANCES, |k| if k > 0 { k + 1 } else { 0 });
        self.at[..count].iter().map(|[value, _]| value.min(1.0))
    }
}

/// Correlation from an estimate based on more points than these.
pub fn from_known(
    model: &Model,
    points: WeightedPoints<'_>,
    equations: NormalEquations<'_>,
    settings: &Settings<'_>,
    known: NoiseCorrelation,
) -> Correlation {
    let cells = cells(model, points, known.step_mm / settings.unit_mm, settings.eye);
    Sums::new(&cells, equations).correlation(known)
}

/// Correlation estimated from the residuals; `None` if there are too few points.
pub fn estimated(
    model: &Model,
    points: WeightedPoints<'_>,
    equations: NormalEquations<'_>,
    settings: &Settings<'_>,
    within_mm: f64,
) -> Option<Correlation> {
    let step_mm = within_mm / DISTANCES as f64;
    let cells = cells(model, points, step_mm / settings.unit_mm, settings.eye);
    if cells.len() < MIN_CELLS {
        return None;
    }
    let sums = Sums::new(&cells, equations);
    Some(sums.correlation(sums.noise(step_mm)))
}

/// Pairs at similar distance, in units of the residuals' variance.
struct Bin {
    /// Mean product of residuals and its standard error.
    product: f64,
    error: f64,
    /// Sum of products of derivatives.
    rows: DMatrix<f64>,
    /// Number of pairs of points, and of residuals.
    counts: f64,
    pairs: f64,
}

/// Sums over all pairs.
struct Sums<'a> {
    used: f64,
    equations: NormalEquations<'a>,
    bins: Vec<Bin>,
}

impl<'a> Sums<'a> {
    fn new(cells: &[Cell], equations: NormalEquations<'a>) -> Self {
        let parameters = equations.inverse.nrows();
        let used: f64 = cells.iter().map(|cell| cell.count).sum();
        let squares: f64 = cells.iter().map(|cell| cell.squares).sum();
        let residuals = if cells.iter().any(|cell| cell.sum[1] != 0.0) { 2.0 } else { 1.0 };
        let variance = squares / (used * residuals - parameters as f64).max(1.0);
        // Variance of a cell mean, which limits the accuracy of products of means.
        let of_means = cells.iter().map(|c| c.sum.iter().map(|s| s * s).sum::<f64>()).sum::<f64>()
            / cells.iter().map(|c| c.count * c.count).sum::<f64>();
        let of_parameters = |bin: &PairSums| bin.rows.view((0, 0), (parameters, parameters)).into_owned();
        let bin = |(k, bin): (usize, PairSums)| {
            let pairs = (bin.counts * residuals).max(1e-300);
            Bin {
                product: bin.products / pairs / variance,
                error: of_means * bin.squares.sqrt() / pairs / variance,
                // The products of a cell with itself include each point with itself, which the information matrix
                // accounts for.
                rows: if k == 0 { of_parameters(&bin) - equations.information } else { of_parameters(&bin) },
                counts: bin.counts,
                pairs,
            }
        };
        let bins = bins(cells, DISTANCES).into_iter().enumerate().map(bin).collect();
        Self { used, equations, bins }
    }

    /// The correlation estimated from the residuals.
    fn noise(&self, step_mm: f64) -> NoiseCorrelation {
        let mut noise = NoiseCorrelation { step_mm, at: [[0.0, 1.0]; DISTANCES + 1] };
        let mut cofactors = self.equations.inverse.clone();
        // A fit removes part of the correlation from its residuals; the amount follows from the estimate itself.
        for _ in 0..4 {
            for (at, bin) in noise.at.iter_mut().zip(&self.bins) {
                *at = match bin.counts {
                    // No pairs at this distance.
                    0.0 => [0.0, 1.0],
                    _ => [bin.product + cofactors.component_mul(&bin.rows).sum() / bin.pairs, bin.error],
                };
            }
            let [common, _] = noise.at[DISTANCES];
            noise.at.iter_mut().for_each(|[value, _]| *value -= common);
            cofactors = self.cofactors(&noise);
        }
        noise
    }

    /// Covariance of the parameters under that correlation, for residuals of unit variance.
    fn cofactors(&self, noise: &NoiseCorrelation) -> DMatrix<f64> {
        let NormalEquations { information, inverse } = self.equations;
        let mut score_covariance = information.clone();
        for (bin, value) in self.bins.iter().zip(noise.significant()) {
            score_covariance += &bin.rows * value;
        }
        inverse * score_covariance * inverse
    }

    fn correlation(&self, noise: NoiseCorrelation) -> Correlation {
        let excess: f64 = self.bins.iter().zip(noise.significant()).map(|(bin, value)| value * bin.counts).sum();
        let reach_mm = (noise.significant().count() as f64 - 0.5).max(0.0) * noise.step_mm;
        let description = format!("residuals are correlated up to a distance of {reach_mm:.2} mm in all directions");
        let inflation = 1.0 + excess / self.used;
        let cofactors = self.cofactors(&noise);
        Correlation { noise: Some(noise), ..Correlation::new(self.equations, &cofactors, inflation, description) }
    }
}
