//! Passes over all points that find extremes of a function.

use rayon::prelude::*;

use geometry::Point;

/// Points per task.
const CHUNK: usize = 4096;
/// Number of runs of successive points for which extremes are found separately.
const RUNS: usize = 256;

/// A value and the index of its point.
pub type Extreme = (f64, usize);

/// Maximum and minimum of `value`, each at the lowest index if several are equal.
pub fn extremes(points: &[Point], value: impl Fn(&Point) -> f64 + Sync) -> [Extreme; 2] {
    let none = [(f64::NEG_INFINITY, 0), (f64::INFINITY, 0)];
    let of_task = |(task, chunk): (usize, &[Point])| {
        chunk.iter().enumerate().fold(none, |[mut max, mut min], (i, point)| {
            let value = value(point);
            if value > max.0 {
                max = (value, task * CHUNK + i);
            }
            if value < min.0 {
                min = (value, task * CHUNK + i);
            }
            [max, min]
        })
    };
    let tasks: Vec<[Extreme; 2]> = points.par_chunks(CHUNK).enumerate().map(of_task).collect();
    tasks.into_iter().fold(none, |[max, min], [chunk_max, chunk_min]| {
        [if chunk_max.0 > max.0 { chunk_max } else { max }, if chunk_min.0 < min.0 { chunk_min } else { min }]
    })
}

/// Indices of the points with the largest signed value (`value` times one of `sides`) of their run, if above `above`;
/// ascending. Runs are successive points, so that in a scan the indices spread over the surface.
pub fn peaks(points: &[Point], sides: &[f64], above: f64, value: impl Fn(&Point) -> f64 + Sync) -> Vec<usize> {
    let length = points.len().div_ceil(RUNS).max(1);
    let of_run = |(run, chunk): (usize, &[Point])| {
        let mut best = vec![(above, None); sides.len()];
        for (i, point) in chunk.iter().enumerate() {
            let value = value(point);
            for (best, side) in best.iter_mut().zip(sides) {
                if side * value > best.0 {
                    *best = (side * value, Some(run * length + i));
                }
            }
        }
        best.into_iter().filter_map(|(_, index)| index).collect::<Vec<usize>>()
    };
    let mut indices: Vec<usize> = points.par_chunks(length).enumerate().flat_map_iter(of_run).collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}
