//! Fewer points of even density.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::kd_tree::Neighbours;
use super::weld::CoordinateHasher;
use super::{Aabb, Point};

/// Numbers of the points kept when every cube of `cell_mm` keeps the one nearest to its middle; in ascending order.
pub fn one_per_cell(points: &[Point], cell_mm: f64) -> Vec<u32> {
    sorted(occupied_cells(points, cell_mm).into_values().map(|cell| cell.number))
}

/// As [`one_per_cell`], but only of cells that hold at least an eighth of what the cell of a typical point holds: lone
/// outliers have cells of their own, and would outnumber the surface.
pub fn one_per_dense_cell(points: &[Point], cell_mm: f64) -> Vec<u32> {
    let cells = occupied_cells(points, cell_mm);
    let mut counts: Vec<u32> = cells.values().map(|cell| cell.count).collect();
    counts.sort_unstable();
    // Of the median point, not of the median cell.
    let mut seen = 0;
    let typical = counts.iter().copied().find(|&count| {
        seen += count as usize;
        2 * seen > points.len()
    });
    let least = (typical.unwrap_or(1) / 8).max(1);
    sorted(cells.into_values().filter(|cell| cell.count >= least).map(|cell| cell.number))
}

struct Cell {
    from_middle: f64,
    number: u32,
    count: u32,
}

type Cells = HashMap<[i64; 3], Cell, BuildHasherDefault<CoordinateHasher>>;

fn occupied_cells(points: &[Point], cell_mm: f64) -> Cells {
    let origin = Aabb::of_points(points).min;
    let mut cells = Cells::default();
    for (number, point) in points.iter().enumerate() {
        let scaled = (point - origin) / cell_mm;
        let place = [scaled.x.floor(), scaled.y.floor(), scaled.z.floor()];
        let from_middle: f64 = (0..3).map(|axis| (scaled[axis] - place[axis] - 0.5).powi(2)).sum();
        let first = Cell { from_middle, number: number as u32, count: 0 };
        let cell = cells.entry(place.map(|c| c as i64)).or_insert(first);
        cell.count += 1;
        if from_middle < cell.from_middle {
            (cell.from_middle, cell.number) = (from_middle, number as u32);
        }
    }
    cells
}

fn sorted(numbers: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut numbers: Vec<u32> = numbers.collect();
    numbers.sort_unstable();
    numbers
}

/// Typical distance between neighbouring points, mm: the median over a sample of points of the distance to the nearest
/// other place.
pub fn spacing_mm(tree: &super::KdTree, points: &[Point]) -> f64 {
    let step = (points.len() / 2000).max(1);
    let mut neighbours = Neighbours::default();
    let mut distances: Vec<f64> = points
        .iter()
        .step_by(step)
        .filter_map(|point| {
            tree.k_nearest(point, 8, f64::INFINITY, &mut neighbours);
            neighbours.found.iter().map(|n| n.squared_mm2.sqrt()).find(|&distance| distance > 0.0)
        })
        .collect();
    if distances.is_empty() {
        return 0.0;
    }
    let middle = distances.len() / 2;
    *distances.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_cells_keep_the_surface_evenly_and_drop_lone_outliers() {
        let mut points: Vec<Point> =
            (0..40_000).map(|i| Point::new(f64::from(i % 200) * 0.1, f64::from(i / 200) * 0.1, 0.0)).collect();
        points.extend((1..=500).map(|i| Point::new(f64::from(i % 20), f64::from(i / 20), 3.0 + f64::from(i))));
        let all = one_per_cell(&points, 0.5);
        let dense = one_per_dense_cell(&points, 0.5);
        assert!(all.len() >= 1600 + 500, "{}", all.len());
        assert!((1500..=1764).contains(&dense.len()), "{}", dense.len());
        assert!(dense.iter().all(|&number| number < 40_000));
        assert_eq!(one_per_dense_cell(&[Point::origin(); 50], 1.0).len(), 1);
    }
}
