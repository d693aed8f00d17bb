//! How sure the parameters of a fit are.

use serde::Serialize;

use super::model::{Form, Model};
use super::newton::{self, Weighted};
use super::shape::Shape;
use crate::geometry::{Point, morton};

/// Expanded uncertainties (k = 2) from the spread of the residuals, and how well the points determine the feature.
///
/// The noise of surface sensors is correlated over neighbours, so residuals say less than their number. How much less
/// is found from the means of runs of neighbouring points: [`Self::inflation`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Uncertainty {
    /// Largest uncertainty of the place in any direction that is determined, mm.
    pub position_mm: f64,
    /// Largest uncertainty of the direction, rad; 0 where there is none.
    pub direction_rad: f64,
    /// Of the numbers: radii in mm, half angles in rad, as [`Shape`] lists them.
    pub numbers: Vec<f64>,
    /// Standard uncertainties in the feature's own frame for a residual of standard deviation one: shifts (mm per mm),
    /// turns (rad per mm), numbers. What a unit of noise does to each parameter.
    #[serde(skip)]
    pub gains: Vec<f64>,
    /// By how much the variance of a mean exceeds that of independent residuals; at least 1.
    pub inflation: f64,
    /// Independent points that the residuals are worth.
    pub effective_points: f64,
    /// Parameters that the points determine.
    pub rank: usize,
    /// Of the scaled least-squares problem: how much it amplifies relative errors.
    pub condition: f64,
    /// What the figures assume.
    pub assumption: String,
}

/// Runs that residuals are averaged over.
const RUNS: [usize; 3] = [32, 64, 128];
/// Points a run must have.
const IN_A_RUN: usize = 10;
/// Eigenvalues smaller than this share of the largest are not determined.
const OPEN: f64 = 1e-20;

impl Uncertainty {
    /// Of `shape` in units of `size_mm` about the points' centroid. `None` where the points do not determine it.
    pub(super) fn of(shape: &Shape, points: Weighted<'_>, used: usize, size_mm: f64) -> Option<Self> {
        let model = Model::of(shape);
        let (form, count) = (model.form, model.form.parameters());
        let sums = newton::sums(&model, points);
        let information = sums.information(count);
        let scales = information.diagonal().map(f64::sqrt);
        let scaled = nalgebra::DMatrix::from_fn(count, count, |i, j| information[(i, j)] / (scales[i] * scales[j]));
        let eigen = nalgebra::SymmetricEigen::new(scaled.clone());
        let most = eigen.eigenvalues.max();
        let rank = eigen.eigenvalues.iter().filter(|value| **value > OPEN * most).count();
        let inverse = scaled.cholesky()?.inverse();
        let cofactor = |i: usize, j: usize| inverse[(i, j)] / (scales[i] * scales[j]);
        let total: f64 = points.weights.iter().sum::<f64>();
        let left = (used * form.residuals()).saturating_sub(count).max(1) as f64;
        // Weights of mean one, so that only their ratios count.
        let mean_weight = total / used as f64;
        let variance = sums.cost / left;
        let inflation = inflation(&model, points);
        let expanded = |block: &[usize]| -> f64 {
            let block = nalgebra::DMatrix::from_fn(block.len(), block.len(), |i, j| cofactor(block[i], block[j]));
            let largest = if block.is_empty() { 0.0 } else { nalgebra::SymmetricEigen::new(block).eigenvalues.max() };
            2.0 * (largest * variance * inflation).max(0.0).sqrt()
        };
        let motions = form.motions();
        let of_motions = |range: std::ops::Range<usize>| -> Vec<usize> {
            (0..motions.len()).filter(|&k| range.contains(&motions[k])).collect()
        };
        let is_length =
            |k: usize| if k < motions.len() { motions[k] < 3 } else { !(form == Form::Cone && k + 1 == count) };
        let unit = |k: usize| if is_length(k) { size_mm } else { 1.0 };
        Some(Self {
            position_mm: size_mm * expanded(&of_motions(0..3)),
            direction_rad: expanded(&of_motions(3..6)),
            numbers: (motions.len()..count).map(|k| unit(k) * expanded(&[k])).collect(),
            gains: (0..count).map(|k| (cofactor(k, k) * mean_weight).sqrt() * unit(k) / size_mm).collect(),
            inflation,
            effective_points: used as f64 / inflation,
            rank,
            condition: (most / eigen.eigenvalues.min().max(f64::MIN_POSITIVE)).sqrt(),
            assumption: if used >= RUNS[0] * IN_A_RUN {
                format!("k = 2; residuals are taken as independent beyond runs of {} neighbours", used / RUNS[0])
            } else {
                "k = 2; residuals are taken as independent: too few points to see correlation".to_owned()
            },
        })
    }
}

/// The largest excess of the variance of run means over that of independent residuals, for runs of several lengths
/// along a space-filling curve.
fn inflation(model: &Model, points: Weighted<'_>) -> f64 {
    let used: Vec<(Point, f64)> = points
        .points
        .iter()
        .enumerate()
        .map(|(i, point)| (*point, points.weights.get(i).copied().unwrap_or(1.0)))
        .filter(|(_, weight)| *weight > 0.0)
        .collect();
    let places: Vec<Point> = used.iter().map(|(point, _)| *point).collect();
    let ordered: Vec<[f64; 2]> = morton::order(&places)
        .iter()
        .map(|&number| {
            let (point, weight) = used[number as usize];
            let q = model.points_from_model.inverse_transform_point(&point).coords;
            model.residuals(&q).map(|residual| residual.f * weight.sqrt())
        })
        .collect();
    let square: f64 = ordered.iter().flatten().map(|f| f * f).sum::<f64>() / ordered.len().max(1) as f64;
    let mut most = 1.0_f64;
    for runs in RUNS {
        let length = ordered.len() / runs;
        if length < IN_A_RUN || square <= 0.0 {
            continue;
        }
        let means = ordered.chunks_exact(length).map(|run| {
            (0..2).map(|which| (run.iter().map(|f| f[which]).sum::<f64>() / length as f64).powi(2)).sum::<f64>()
        });
        let count = ordered.chunks_exact(length).len() as f64;
        most = most.max(length as f64 * means.sum::<f64>() / count / square);
    }
    most
}
