//! Points sorted into cubic cells, and the cells around a cell.

use std::ops::Range;

use rayon::prelude::*;

use geometry::{Aabb, OrderedPoints, Point};

/// Bits of a cell's coordinate in its key.
const BITS: u32 = 20;
/// Coordinates lie between these, so that those of neighbours fit too; what lies further away shares the outermost cells.
const FIRST: f64 = 8.0;
const LAST: f64 = ((1 << BITS) - 9) as f64;

/// Points in cubic cells.
pub struct Cells {
    /// The points, sorted by cell, mm.
    pub points: Vec<Point>,
    /// The index of each in the cloud.
    pub point_indices: Vec<u32>,
    /// Keys of the occupied cells, ascending.
    keys: Vec<u64>,
    /// Where each cell begins among the points; one more at the end.
    starts: Vec<u32>,
}

/// Coordinate of a cell from its distance from the first one, in cells.
pub fn coordinate(from_first: f64) -> u32 {
    (from_first + FIRST).clamp(FIRST, LAST) as u32
}

impl Cells {
    pub fn new(points: &OrderedPoints, edge_mm: f64) -> Self {
        let OrderedPoints { points, numbers } = points;
        let origin = Aabb::of_points_parallel(points).min;
        let key = |(at, point): (usize, &Point)| {
            let [x, y, z]: [u64; 3] = ((point - origin) / edge_mm).map(|own| coordinate(own).into()).into();
            (x << (2 * BITS) | y << BITS | z, at as u32)
        };
        let mut keyed: Vec<(u64, u32)> = points.par_iter().enumerate().map(key).collect();
        keyed.par_sort_unstable();
        let (mut keys, mut starts) = (Vec::new(), Vec::new());
        for (at, (key, _)) in keyed.iter().enumerate() {
            if keys.last() != Some(key) {
                keys.push(*key);
                starts.push(at as u32);
            }
        }
        starts.push(keyed.len() as u32);
        let (points, point_indices) =
            keyed.par_iter().map(|(_, at)| (points[*at as usize], numbers[*at as usize])).unzip();
        Self { points, point_indices, keys, starts }
    }

    /// The points of a cell.
    pub fn of(&self, cell: usize) -> Range<usize> {
        self.starts[cell] as usize..self.starts[cell + 1] as usize
    }

    /// The cell of a point, by its index among the sorted points.
    pub fn cell_of(&self, index: usize) -> usize {
        self.starts.partition_point(|&start| start as usize <= index) - 1
    }

    /// The runs of points in the cells around a cell, up to `reach` cells away along each axis, with that cell. A run
    /// is a row of cells along z.
    pub fn around(&self, cell: usize, reach: u64) -> impl Iterator<Item = Range<usize>> {
        let first = self.keys[cell] - (reach << (2 * BITS)) - (reach << BITS) - reach;
        let across = 2 * reach + 1;
        (0..across * across).filter_map(move |row| {
            let low = first + ((row / across) << (2 * BITS)) + ((row % across) << BITS);
            let high = low + 2 * reach;
            let begin = self.keys.partition_point(|&key| key < low);
            let count = self.keys[begin..].iter().take_while(|&&key| key <= high).count();
            (count > 0).then(|| self.starts[begin] as usize..self.starts[begin + count] as usize)
        })
    }
}
