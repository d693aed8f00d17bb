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

use super::model::Model;
use super::newton::{self, MOST, Weighted};
use crate::geometry::Point;

/// Distances looked at, in sizes of a cell.
const FAR: i32 = 4;
/// The first cells are this large, in units of the points' size; they grow while they are too small.
const FIRST_CELL: f64 = 1.0 / 64.0;
const LAST_CELL: f64 = 0.25;
/// Points that a cell holds on average, at least.
const IN_A_CELL: usize = 4;
/// Cells fewer than these say nothing of correlation.
const LEAST_CELLS: usize = 40;
/// A mean product smaller than so many of its standard errors is taken for noise.
const SEEN: f64 = 2.0;

/// What the correlation does.
pub struct Correlation {
    /// Covariance of the parameters for residuals of variance one.
    pub cofactors: DMatrix<f64>,
    /// By how much the variance of a mean exceeds that of independent residuals; at least 1.
    pub inflation: f64,
    /// Distance up to which correlation was seen, in units of the points' size; `None` where there are too few points
    /// to see any.
    pub reach: Option<f64>,
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

/// Of the fit `model`, whose normal equations have the inverse `inverse`. With `within`, only correlation over shorter
/// distances counts, and what residuals have in common over longer ones is taken off.
pub fn of(model: &Model, points: Weighted<'_>, inverse: &DMatrix<f64>, within: Option<f64>) -> Correlation {
    let mut cell = within.map_or(FIRST_CELL, |within| within / f64::from(FAR));
    loop {
        let cells = cells(model, points, cell);
        let used: f64 = cells.iter().map(|cell| cell.count).sum();
        let too_small = used < (IN_A_CELL * cells.len()) as f64;
        if cells.len() < LEAST_CELLS || (too_small && (cell >= LAST_CELL || within.is_some())) {
            return Correlation { cofactors: inverse.clone(), inflation: 1.0, reach: None };
        }
        if !too_small {
            let bins = bins(&cells, inverse.nrows());
            let (found, ends) = estimate(&bins, &cells, inverse, cell, within.is_some());
            // Correlated beyond what was looked at: larger cells see farther.
            if ends || within.is_some() || cell >= LAST_CELL {
                return found;
            }
        }
        cell *= 2.0;
    }
}

fn cells(model: &Model, points: Weighted<'_>, size: f64) -> Vec<Cell> {
    let place = |point: &Point| point.coords.map(|c| (c / size).floor() as i32).into();
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

fn bins(cells: &[Cell], parameters: usize) -> Vec<Pairs> {
    let number_of: HashMap<[i32; 3], usize> = cells.iter().enumerate().map(|(i, cell)| (cell.place, i)).collect();
    // Each pair of cells once: the other lies behind.
    let offsets: Vec<([i32; 3], usize)> = (-FAR..=FAR)
        .flat_map(|x| (-FAR..=FAR).flat_map(move |y| (-FAR..=FAR).map(move |z| [x, y, z])))
        .filter(|offset| *offset > [0; 3])
        .map(|offset| (offset, f64::from(offset.iter().map(|c| c * c).sum::<i32>()).sqrt().round() as usize))
        .filter(|(_, bin)| *bin <= FAR as usize)
        .collect();
    let none = Pairs { products: 0.0, counts: 0.0, squares: 0.0, rows: DMatrix::zeros(parameters, parameters) };
    let empty = vec![none; FAR as usize + 1];
    let chunk = cells.len().div_ceil(64);
    let partial: Vec<Vec<Pairs>> = cells
        .par_chunks(chunk)
        .map(|some| {
            let mut bins = empty.clone();
            for cell in some {
                // Of a cell with itself, the pairs of two points.
                bins[0].products += cell.sum.iter().map(|s| s * s).sum::<f64>() - cell.squares;
                bins[0].counts += cell.count * (cell.count - 1.0);
                bins[0].squares += cell.count.powi(2) * (cell.count - 1.0).powi(2);
                add_rows(&mut bins[0].rows, cell, cell, 1.0);
                for &(offset, bin) in &offsets {
                    let place = [0, 1, 2].map(|k| cell.place[k] + offset[k]);
                    let Some(other) = number_of.get(&place).map(|&i| &cells[i]) else { continue };
                    let both = cell.count * other.count;
                    let bin = &mut bins[bin];
                    bin.products += 2.0 * (cell.sum[0] * other.sum[0] + cell.sum[1] * other.sum[1]);
                    bin.counts += 2.0 * both;
                    bin.squares += 2.0 * both * both;
                    add_rows(&mut bin.rows, cell, other, 1.0);
                    add_rows(&mut bin.rows, other, cell, 1.0);
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

fn add_rows(sum: &mut DMatrix<f64>, one: &Cell, other: &Cell, factor: f64) {
    let count = sum.nrows();
    for which in 0..2 {
        for i in 0..count {
            for j in 0..count {
                sum[(i, j)] += factor * one.rows[which][i] * other.rows[which][j];
            }
        }
    }
}

/// The answer, and whether correlation ends within what was looked at.
fn estimate(bins: &[Pairs], cells: &[Cell], inverse: &DMatrix<f64>, cell: f64, is_local: bool) -> (Correlation, bool) {
    let used: f64 = cells.iter().map(|cell| cell.count).sum();
    let squares: f64 = cells.iter().map(|cell| cell.squares).sum();
    let residuals = if cells.iter().any(|cell| cell.sum[1] != 0.0) { 2.0 } else { 1.0 };
    let variance = squares / (used * residuals - inverse.nrows() as f64).max(1.0);
    let information = inverse.clone().try_inverse().unwrap_or_else(|| DMatrix::zeros(inverse.nrows(), inverse.ncols()));
    // The rows of a cell with itself hold each point with itself too, which the information counts.
    let own = |k: usize| if k == 0 { &bins[0].rows - &information } else { bins[k].rows.clone() };
    let rows: Vec<DMatrix<f64>> = (0..bins.len()).map(own).collect();
    // Variance of a cell's mean, which bounds how well products of means are known.
    let of_means = cells.iter().map(|c| c.sum.iter().map(|s| s * s).sum::<f64>()).sum::<f64>()
        / cells.iter().map(|c| c.count * c.count).sum::<f64>();
    let mut cofactors = inverse.clone();
    let (mut seen, mut correlations) = (0, vec![0.0; bins.len()]);
    // A fit takes part of the correlation out of its residuals; how much follows from the answer itself.
    for _ in 0..4 {
        seen = 0;
        let product = |k: usize| {
            let taken = cofactors.component_mul(&rows[k]).sum() * variance;
            (bins[k].products + taken) / (bins[k].counts * residuals).max(1e-300) / variance
        };
        let common = if is_local { product(bins.len() - 1) } else { 0.0 };
        let looked_at = if is_local { bins.len() - 1 } else { bins.len() };
        for (k, bin) in bins.iter().enumerate().take(looked_at) {
            correlations[k] = product(k) - common;
            let error = of_means * bin.squares.sqrt() / (bin.counts * residuals).max(1e-300) / variance;
            if correlations[k] > SEEN * error {
                seen = k + 1;
            } else {
                // The first that is lost in noise counts still: left out, it would always lack.
                seen = if k > 0 { k + 1 } else { 0 };
                break;
            }
        }
        let mut between = information.clone();
        (0..seen).for_each(|k| between += &rows[k] * correlations[k].min(1.0));
        cofactors = inverse * between * inverse;
    }
    let excess: f64 = (0..seen).map(|k| correlations[k].min(1.0) * bins[k].counts).sum();
    let correlation =
        Correlation { cofactors, inflation: 1.0 + excess / used, reach: Some((seen as f64 - 0.5).max(0.0) * cell) };
    (correlation, seen < bins.len())
}
