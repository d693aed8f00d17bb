//! Thinning of point clouds to uniform density, and point spacing.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::kd_tree::Neighbours;
use super::weld::CoordinateHasher;
use super::{Aabb, Point};

/// Indices, ascending, of the points kept when each cubic cell of edge `cell_mm` keeps the point nearest to its centre.
pub fn one_per_cell(points: &[Point], cell_mm: f64) -> Vec<u32> {
    sorted(occupied_cells(points, cell_mm).into_values().map(|cell| cell.index))
}

/// As [`one_per_cell`], but only for cells that hold at least an eighth as many points as the cell of the median point.
/// Isolated outliers occupy a cell each and would otherwise outnumber the surface points.
pub fn one_per_dense_cell(points: &[Point], cell_mm: f64) -> Vec<u32> {
    let cells = occupied_cells(points, cell_mm);
    let mut counts: Vec<u32> = cells.values().map(|cell| cell.count).collect();
    counts.sort_unstable();
    // The count of the cell of the median point, not of the median cell.
    let mut accumulated = 0;
    let typical_count = counts.iter().copied().find(|&count| {
        accumulated += count as usize;
        2 * accumulated > points.len()
    });
    let min_count = (typical_count.unwrap_or(1) / 8).max(1);
    sorted(cells.into_values().filter(|cell| cell.count >= min_count).map(|cell| cell.index))
}

struct Cell {
    /// Squared distance of the kept point to the cell centre, in units of the cell edge.
    squared_offset: f64,
    index: u32,
    count: u32,
}

type Cells = HashMap<[i64; 3], Cell, BuildHasherDefault<CoordinateHasher>>;

fn occupied_cells(points: &[Point], cell_mm: f64) -> Cells {
    let origin = Aabb::of_points(points).min;
    let mut cells = Cells::default();
    for (index, point) in points.iter().enumerate() {
        let scaled = (point - origin) / cell_mm;
        let corner = [scaled.x.floor(), scaled.y.floor(), scaled.z.floor()];
        let squared_offset: f64 = (0..3).map(|axis| (scaled[axis] - corner[axis] - 0.5).powi(2)).sum();
        let first = Cell { squared_offset, index: index as u32, count: 0 };
        let cell = cells.entry(corner.map(|c| c as i64)).or_insert(first);
        cell.count += 1;
        if squared_offset < cell.squared_offset {
            (cell.squared_offset, cell.index) = (squared_offset, index as u32);
        }
    }
    cells
}

fn sorted(indices: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut indices: Vec<u32> = indices.collect();
    indices.sort_unstable();
    indices
}

/// Typical point spacing, mm: the median over a sample of the points of the distance to the nearest point at another
/// position. 0 if there is none.
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
    let median = distances.len() / 2;
    *distances.select_nth_unstable_by(median, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_cells_sample_the_surface_evenly_and_drop_isolated_outliers() {
        let mut points: Vec<Point> =
            (0..40_000).map(|i| Point::new(f64::from(i % 200) * 0.1, f64::from(i / 200) * 0.1, 0.0)).collect();
        points.extend((1..=500).map(|i| Point::new(f64::from(i % 20), f64::from(i / 20), 3.0 + f64::from(i))));
        let all = one_per_cell(&points, 0.5);
        let dense = one_per_dense_cell(&points, 0.5);
        assert!(all.len() >= 1600 + 500, "{}", all.len());
        assert!((1500..=1764).contains(&dense.len()), "{}", dense.len());
        assert!(dense.iter().all(|&index| index < 40_000));
        assert_eq!(one_per_dense_cell(&[Point::origin(); 50], 1.0).len(), 1);
    }
}
