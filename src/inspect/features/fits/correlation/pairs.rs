//! Points grouped into cells, and sums over pairs of cells by distance.

use std::collections::HashMap;

use nalgebra::SMatrix;
use rayon::prelude::*;

use super::super::lobes::Lobes;
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
        lobes: Option<&Lobes>,
        indices: impl ExactSizeIterator<Item = u32>,
    ) -> Self {
        let count = indices.len() as f64;
        let mut cell = Self { position, count, sum: [0.0; 2], squares: 0.0, rows: [[0.0; MAX_PARAMETERS]; 2] };
        for index in indices {
            let weight = points.weights.get(index as usize).copied().unwrap_or(1.0).sqrt();
            let point = &points.points[index as usize];
            let mut rows = newton::rows(model, point);
            rows[0].0 -= lobes.map_or(0.0, |lobes| lobes.height(model, point));
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
    pub rows: SMatrix<f64, MAX_PARAMETERS, MAX_PARAMETERS>,
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
    runs.par_iter().map(|run| Cell::of(run[0].0, model, points, None, run.iter().map(|own| own.1))).collect()
}

/// Lookup of cells by position: a table for cells in a plane, which are many.
enum CellLookup {
    /// With a margin as wide as the farthest offset, so that every offset from a cell leads to an entry.
    Flat {
        min: [i32; 2],
        width: i32,
        indices: Vec<u32>,
    },
    Space(HashMap<[i32; 3], u32>),
}

/// Maximum size of the table.
const MAX_TABLE_SIZE: i64 = 1 << 24;

/// From a cell to another.
struct Offset {
    in_cells: [i32; 3],
    /// In the table of cells in a plane.
    in_table: i32,
}

impl CellLookup {
    /// For offsets up to `far`. Where there is no cell, the index is the number of cells.
    fn of(cells: &[Cell], far: usize) -> Self {
        let all = |axis: usize| cells.iter().map(move |cell| i64::from(cell.position[axis]));
        let margin = far as i64;
        let min = [0, 1].map(|axis| all(axis).min().unwrap_or_default() - margin);
        let size = [0, 1].map(|axis| all(axis).max().unwrap_or_default() - min[axis] + 1 + margin);
        let indexed = || (0..).zip(cells);
        // Far apart, or far from the origin, positions in the table would not fit into 32 bits.
        let is_near = min.iter().chain(&size).all(|own| own.abs() <= MAX_TABLE_SIZE);
        if all(2).any(|z| z != 0) || !is_near || size[0] * size[1] > MAX_TABLE_SIZE {
            return Self::Space(indexed().map(|(index, cell)| (cell.position, index)).collect());
        }
        let [min, size] = [min, size].map(|own| own.map(|cells| cells as i32));
        let mut indices = vec![cells.len() as u32; (size[0] * size[1]) as usize];
        for (index, cell) in indexed() {
            indices[((cell.position[1] - min[1]) * size[0] + cell.position[0] - min[0]) as usize] = index;
        }
        Self::Flat { min, width: size[0], indices }
    }

    /// Index of the cell at each of these offsets from a position; `none` where there is no cell.
    fn around<'a>(&'a self, from: [i32; 3], offsets: &'a [Offset], none: u32) -> impl Iterator<Item = u32> + 'a {
        let base = match self {
            Self::Flat { min, width, .. } => (from[1] - min[1]) * width + from[0] - min[0],
            Self::Space(_) => 0,
        };
        offsets.iter().map(move |offset| match self {
            Self::Flat { indices, .. } => indices.get((base + offset.in_table) as usize).copied().unwrap_or(none),
            Self::Space(indices) => {
                indices.get(&[0, 1, 2].map(|k| from[k].saturating_add(offset.in_cells[k]))).copied().unwrap_or(none)
            }
        })
    }

    /// Half of the offsets up to the distance `far` by their rounded lengths, from 1: each pair of cells occurs once.
    fn offsets(&self, far: usize) -> Vec<Vec<Offset>> {
        let reach = far as i32;
        let (depths, width) = match self {
            Self::Flat { width, .. } => (0..=0, *width),
            Self::Space(_) => (-reach..=reach, 0),
        };
        let mut by_bin: Vec<Vec<Offset>> = (0..far).map(|_| Vec::new()).collect();
        (-reach..=reach)
            .flat_map(|x| (-reach..=reach).map(move |y| (x, y)))
            .flat_map(|(x, y)| depths.clone().map(move |z| [x, y, z]))
            .filter(|offset| *offset > [0; 3])
            .map(|offset| (offset, f64::from(offset.iter().map(|c| c * c).sum::<i32>()).sqrt().round() as usize))
            .filter(|(_, bin)| *bin <= far)
            .for_each(|(offset, bin)| {
                by_bin[bin - 1].push(Offset { in_cells: offset, in_table: offset[1] * width + offset[0] });
            });
        by_bin
    }
}

/// Sums over the points of one cell or several: for the processor to add as few numbers as are needed, and these at once.
#[derive(Clone, Copy)]
struct CellSums<const COMPONENTS: usize> {
    /// Number of points of each cell, and its square.
    counts: [f64; 2],
    /// By component: of the weighted residuals, and of their derivatives.
    residuals: [[f64; 1 + MAX_PARAMETERS]; COMPONENTS],
}

impl<const COMPONENTS: usize> CellSums<COMPONENTS> {
    const NONE: Self = Self { counts: [0.0; 2], residuals: [[0.0; 1 + MAX_PARAMETERS]; COMPONENTS] };

    fn of(cell: &Cell) -> Self {
        let mut own = Self { counts: [cell.count, cell.count * cell.count], ..Self::NONE };
        for (which, sums) in own.residuals.iter_mut().enumerate() {
            sums[0] = cell.sum[which];
            sums[1..].copy_from_slice(&cell.rows[which]);
        }
        own
    }

    fn and(mut self, other: &Self) -> Self {
        self.counts.iter_mut().zip(&other.counts).for_each(|(sum, own)| *sum += own);
        for (sums, others) in self.residuals.iter_mut().zip(&other.residuals) {
            sums.iter_mut().zip(others).for_each(|(sum, own)| *sum += own);
        }
        self
    }
}

/// Sums over pairs of cells by their distance in cells, up to `far`.
pub fn bins(cells: &[Cell], far: usize) -> Vec<PairSums> {
    let has_second = cells.iter().any(|cell| cell.sum[1] != 0.0 || cell.rows[1].iter().any(|own| *own != 0.0));
    if has_second { bins_of::<2>(cells, far) } else { bins_of::<1>(cells, far) }
}

fn bins_of<const COMPONENTS: usize>(cells: &[Cell], far: usize) -> Vec<PairSums> {
    let lookup = CellLookup::of(cells, far);
    let offsets = lookup.offsets(far);
    let none = cells.len() as u32;
    let sums: Vec<CellSums<COMPONENTS>> = cells.iter().map(CellSums::of).chain([CellSums::NONE]).collect();
    let no_pairs = PairSums { products: 0.0, counts: 0.0, squares: 0.0, rows: SMatrix::zeros() };
    let empty = vec![no_pairs; far + 1];
    let chunk = cells.len().div_ceil(64).max(1);
    let partial: Vec<Vec<PairSums>> = cells
        .par_chunks(chunk)
        .zip(sums.par_chunks(chunk))
        .map(|(chunk_cells, chunk_sums)| {
            let mut bins = empty.clone();
            for (cell, own) in chunk_cells.iter().zip(chunk_sums) {
                // For a cell with itself, pairs of two different points.
                bins[0].products += cell.sum.iter().map(|s| s * s).sum::<f64>() - cell.squares;
                bins[0].counts += cell.count * (cell.count - 1.0);
                bins[0].squares += cell.count.powi(2) * (cell.count - 1.0).powi(2);
                add_rows(&mut bins[0].rows, own, own);
                for (bin, offsets) in bins[1..].iter_mut().zip(&offsets) {
                    let around = lookup.around(cell.position, offsets, none);
                    let neighbours = around.fold(CellSums::NONE, |sum, index| sum.and(&sums[index as usize]));
                    bin.add(own, &neighbours);
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

impl PairSums {
    /// Adds the pairs of a cell with its neighbours at similar distance, in both orders.
    fn add<const COMPONENTS: usize>(&mut self, cell: &CellSums<COMPONENTS>, neighbours: &CellSums<COMPONENTS>) {
        let products = cell.residuals.iter().zip(&neighbours.residuals).map(|(own, other)| own[0] * other[0]);
        self.products += 2.0 * products.sum::<f64>();
        self.counts += 2.0 * cell.counts[0] * neighbours.counts[0];
        self.squares += 2.0 * cell.counts[1] * neighbours.counts[1];
        add_rows(&mut self.rows, cell, neighbours);
        add_rows(&mut self.rows, neighbours, cell);
    }
}

fn add_rows<const COMPONENTS: usize>(
    sum: &mut SMatrix<f64, MAX_PARAMETERS, MAX_PARAMETERS>,
    one: &CellSums<COMPONENTS>,
    other: &CellSums<COMPONENTS>,
) {
    for (one, other) in one.residuals.iter().zip(&other.residuals) {
        for (mut column, other) in sum.column_iter_mut().zip(&other[1..]) {
            column.iter_mut().zip(&one[1..]).for_each(|(sum, one)| *sum += one * other);
        }
    }
}
