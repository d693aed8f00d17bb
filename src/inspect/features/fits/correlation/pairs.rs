//! Points grouped into cells, and sums over pairs of cells by distance.

use std::collections::HashMap;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::super::model::{Model, any_perpendicular};
use super::super::newton::{self, MAX_PARAMETERS, WeightedPoints};
use geometry::{Point, Vector};

/// Sums over the points of one cell, and its position.
pub struct Cell<P = [i32; 3]> {
    pub position: P,
    pub count: f64,
    /// Sums of the weighted residuals per component, and of their squares.
    pub sum: [f64; 2],
    pub squares: f64,
    /// Sums of the weighted derivatives of each residual.
    pub rows: [[f64; MAX_PARAMETERS]; 2],
}

impl<P> Cell<P> {
    /// The cell of the points with these indices.
    pub fn of(
        position: P,
        model: &Model,
        points: WeightedPoints<'_>,
        indices: impl ExactSizeIterator<Item = u32>,
    ) -> Self {
        let count = indices.len() as f64;
        let mut cell = Self { position, count, sum: [0.0; 2], squares: 0.0, rows: [[0.0; MAX_PARAMETERS]; 2] };
        for index in indices {
            let weight = points.weights.get(index as usize).copied().unwrap_or(1.0).sqrt();
            let rows = newton::rows(model, &points.points[index as usize]);
            for (which, (f, row)) in rows.iter().take(model.form.residuals()).enumerate() {
                cell.sum[which] += weight * f;
                cell.squares += weight * weight * f * f;
                cell.rows[which].iter_mut().zip(row).for_each(|(sum, own)| *sum += weight * own);
            }
        }
        cell
    }
}

/// Sums over pairs of cells at similar distance; each cell with itself at distance 0.
#[derive(Clone)]
pub struct PairSums {
    /// Products of residuals, of point counts, and of squared counts.
    pub products: f64,
    pub counts: f64,
    pub squares: f64,
    /// Products of derivatives, in both orders.
    pub rows: DMatrix<f64>,
}

/// Maps a point to the position that determines its correlation: projected from `eye` onto the plane across the line of
/// sight to the centroid; without `eye` the point itself.
pub fn project_across_sight(eye: Option<Point>) -> impl Fn(&Point) -> Vector + Sync {
    // The plane contains the centroid of the points, which is the origin.
    let screen = eye.map(|eye| {
        let x = any_perpendicular(&eye.coords.normalize());
        (eye, x, eye.coords.normalize().cross(&x))
    });
    move |point: &Point| {
        screen.map_or(point.coords, |(eye, x, y)| {
            let ray = point - eye;
            let ray = ray * (eye.coords.norm_squared() / -ray.dot(&eye.coords));
            Vector::new(ray.dot(&x), ray.dot(&y), 0.0)
        })
    }
}

/// The points of positive weight in cells of equal size; with `eye`, cells lie across the line of sight.
pub fn cells(model: &Model, points: WeightedPoints<'_>, size: f64, eye: Option<Point>) -> Vec<Cell> {
    let project = project_across_sight(eye);
    let position = |point: &Point| project(point).map(|c| (c / size).floor() as i32).into();
    let mut keyed: Vec<([i32; 3], u32)> = points
        .points
        .par_iter()
        .enumerate()
        .filter(|(i, _)| points.weights.get(*i).copied().unwrap_or(1.0) > 0.0)
        .map(|(i, point)| (position(point), i as u32))
        .collect();
    keyed.par_sort_unstable();
    let runs: Vec<&[([i32; 3], u32)]> = keyed.chunk_by(|a, b| a.0 == b.0).collect();
    runs.par_iter().map(|run| Cell::of(run[0].0, model, points, run.iter().map(|own| own.1))).collect()
}

/// Lookup of cells by position: a table for cells in a plane, which are many.
enum CellLookup {
    Flat { min: [i32; 2], size: [i32; 2], indices: Vec<u32> },
    Space(HashMap<[i32; 3], u32>),
}

/// Maximum size of the table.
const MAX_TABLE_SIZE: i64 = 1 << 24;

impl CellLookup {
    fn of(cells: &[Cell]) -> Self {
        let all = |axis: usize| cells.iter().map(move |cell| cell.position[axis]);
        let min = [0, 1].map(|axis| all(axis).min().unwrap_or_default());
        let size = [0, 1].map(|axis| all(axis).max().unwrap_or_default() - min[axis] + 1);
        let indexed = || (0..).zip(cells);
        if all(2).any(|z| z != 0) || i64::from(size[0]) * i64::from(size[1]) > MAX_TABLE_SIZE {
            return Self::Space(indexed().map(|(index, cell)| (cell.position, index)).collect());
        }
        let mut indices = vec![u32::MAX; (size[0] * size[1]) as usize];
        for (index, cell) in indexed() {
            indices[((cell.position[1] - min[1]) * size[0] + cell.position[0] - min[0]) as usize] = index;
        }
        Self::Flat { min, size, indices }
    }

    fn at(&self, [x, y, z]: [i32; 3]) -> Option<u32> {
        match self {
            Self::Flat { min, size, indices } => {
                let (x, y) = (x - min[0], y - min[1]);
                let is_inside = (0..size[0]).contains(&x) && (0..size[1]).contains(&y);
                if is_inside { indices.get((y * size[0] + x) as usize).copied() } else { None }
            }
            Self::Space(indices) => indices.get(&[x, y, z]).copied(),
        }
    }

    /// Half of the offsets up to the distance `far`, with their rounded lengths: each pair of cells occurs once.
    fn offsets(&self, far: usize) -> Vec<([i32; 3], usize)> {
        let reach = far as i32;
        let depths = if matches!(self, Self::Flat { .. }) { 0..=0 } else { -reach..=reach };
        (-reach..=reach)
            .flat_map(|x| (-reach..=reach).map(move |y| (x, y)))
            .flat_map(|(x, y)| depths.clone().map(move |z| [x, y, z]))
            .filter(|offset| *offset > [0; 3])
            .map(|offset| (offset, f64::from(offset.iter().map(|c| c * c).sum::<i32>()).sqrt().round() as usize))
            .filter(|(_, bin)| *bin <= far)
            .collect()
    }
}

/// Sums over the cells at similar distance from a cell.
#[derive(Clone, Copy)]
struct NeighbourSums {
    count: f64,
    squared_counts: f64,
    sum: [f64; 2],
    rows: [[f64; MAX_PARAMETERS]; 2],
}

/// Sums over pairs of cells by their distance in cells, up to `far`.
pub fn bins(cells: &[Cell], parameters: usize, far: usize) -> Vec<PairSums> {
    let lookup = CellLookup::of(cells);
    let offsets = lookup.offsets(far);
    let none = PairSums { products: 0.0, counts: 0.0, squares: 0.0, rows: DMatrix::zeros(parameters, parameters) };
    let empty = vec![none; far + 1];
    let no_neighbours =
        NeighbourSums { count: 0.0, squared_counts: 0.0, sum: [0.0; 2], rows: [[0.0; MAX_PARAMETERS]; 2] };
    let chunk = cells.len().div_ceil(64);
    let partial: Vec<Vec<PairSums>> = cells
        .par_chunks(chunk)
        .map(|chunk_cells| {
            let mut bins = empty.clone();
            let mut neighbours = vec![no_neighbours; far + 1];
            for cell in chunk_cells {
                // For a cell with itself, pairs of two different points.
                bins[0].products += cell.sum.iter().map(|s| s * s).sum::<f64>() - cell.squares;
                bins[0].counts += cell.count * (cell.count - 1.0);
                bins[0].squares += cell.count.powi(2) * (cell.count - 1.0).powi(2);
                add_rows(&mut bins[0].rows, &cell.rows, &cell.rows);
                neighbours.fill(no_neighbours);
                for &(offset, bin) in &offsets {
                    let at = [0, 1, 2].map(|k| cell.position[k] + offset[k]);
                    if let Some(other) = lookup.at(at).and_then(|index| cells.get(index as usize)) {
                        neighbours[bin].add(other, parameters);
                    }
                }
                for (bin, neighbours) in bins.iter_mut().zip(&neighbours).skip(1) {
                    bin.products += 2.0 * (cell.sum[0] * neighbours.sum[0] + cell.sum[1] * neighbours.sum[1]);
                    bin.counts += 2.0 * cell.count * neighbours.count;
                    bin.squares += 2.0 * cell.count * cell.count * neighbours.squared_counts;
                    add_rows(&mut bin.rows, &cell.rows, &neighbours.rows);
                    add_rows(&mut bin.rows, &neighbours.rows, &cell.rows);
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

impl NeighbourSums {
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

fn add_rows(sum: &mut DMatrix<f64>, one: &[[f64; MAX_PARAMETERS]; 2], other: &[[f64; MAX_PARAMETERS]; 2]) {
    let count = sum.nrows();
    for which in 0..2 {
        for i in 0..count {
            for j in 0..count {
                sum[(i, j)] += one[which][i] * other[which][j];
            }
        }
    }
}
