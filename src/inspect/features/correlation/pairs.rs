//! Points gathered in cells, and sums over pairs of cells by their distance.

use std::collections::HashMap;

use nalgebra::DMatrix;
use rayon::prelude::*;

use super::super::model::{Model, any_square_to};
use super::super::newton::{self, MOST, Weighted};
use geometry::{Point, Vector};

/// Sums over the points of one cell, and where it is.
pub struct Cell<P = [i32; 3]> {
    pub place: P,
    pub count: f64,
    /// Of the weighted residuals, and of their squares.
    pub sum: [f64; 2],
    pub squares: f64,
    /// Of the weighted derivatives of each residual.
    pub rows: [[f64; MOST]; 2],
}

impl<P> Cell<P> {
    /// Of the points of those numbers.
    pub fn of(place: P, model: &Model, points: Weighted<'_>, numbers: impl ExactSizeIterator<Item = u32>) -> Self {
        let count = numbers.len() as f64;
        let mut cell = Self { place, count, sum: [0.0; 2], squares: 0.0, rows: [[0.0; MOST]; 2] };
        for number in numbers {
            let weight = points.weights.get(number as usize).copied().unwrap_or(1.0).sqrt();
            let rows = newton::rows(model, &points.points[number as usize]);
            for (which, (f, row)) in rows.iter().take(model.form.residuals()).enumerate() {
                cell.sum[which] += weight * f;
                cell.squares += weight * weight * f * f;
                cell.rows[which].iter_mut().zip(row).for_each(|(sum, own)| *sum += weight * own);
            }
        }
        cell
    }
}

/// Sums over pairs of cells at about one distance; a cell with itself at distance 0.
#[derive(Clone)]
pub struct Pairs {
    /// Products of residuals, of numbers of points, and of their squares.
    pub products: f64,
    pub counts: f64,
    pub squares: f64,
    /// Products of derivatives, both ways.
    pub rows: DMatrix<f64>,
}

/// Where noise takes points to be: seen from `eye`, across the line of sight; else as they are.
pub fn across(eye: Option<Point>) -> impl Fn(&Point) -> Vector + Sync {
    // Where the middle of the points is, whose coordinates are zero.
    let screen = eye.map(|eye| {
        let x = any_square_to(&eye.coords.normalize());
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

/// The points in cells of one size, those of weight zero left out; seen from `eye`, cells lie across the line of sight.
pub fn cells(model: &Model, points: Weighted<'_>, size: f64, eye: Option<Point>) -> Vec<Cell> {
    let across = across(eye);
    let place = |point: &Point| across(point).map(|c| (c / size).floor() as i32).into();
    let mut keyed: Vec<([i32; 3], u32)> = points
        .points
        .par_iter()
        .enumerate()
        .filter(|(i, _)| points.weights.get(*i).copied().unwrap_or(1.0) > 0.0)
        .map(|(i, point)| (place(point), i as u32))
        .collect();
    keyed.par_sort_unstable();
    let runs: Vec<&[([i32; 3], u32)]> = keyed.chunk_by(|a, b| a.0 == b.0).collect();
    runs.par_iter().map(|run| Cell::of(run[0].0, model, points, run.iter().map(|own| own.1))).collect()
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

/// Pairs of cells by their distance in cells, up to `far`.
pub fn bins(cells: &[Cell], parameters: usize, far: usize) -> Vec<Pairs> {
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
