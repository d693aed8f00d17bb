//! Passes over all points: the extremes of a value.

use rayon::prelude::*;

use geometry::Point;

/// Points of one task.
const CHUNK: usize = 4096;
/// Runs of points that are asked for their own extremes.
const RUNS: usize = 256;

/// A value and the number of its point.
pub type Extreme = (f64, usize);

/// The greatest and the least of `value`, each of the lowest number where several share it.
pub fn extremes(points: &[Point], value: impl Fn(&Point) -> f64 + Sync) -> [Extreme; 2] {
    let none = [(f64::NEG_INFINITY, 0), (f64::INFINITY, 0)];
    let of_task = |(task, chunk): (usize, &[Point])| {
        chunk.iter().enumerate().fold(none, |[mut greatest, mut least], (i, point)| {
            let value = value(point);
            if value > greatest.0 {
                greatest = (value, task * CHUNK + i);
            }
            if value < least.0 {
                least = (value, task * CHUNK + i);
            }
            [greatest, least]
        })
    };
    let tasks: Vec<[Extreme; 2]> = points.par_chunks(CHUNK).enumerate().map(of_task).collect();
    tasks.into_iter().fold(none, |[greatest, least], [high, low]| {
        [if high.0 > greatest.0 { high } else { greatest }, if low.0 < least.0 { low } else { least }]
    })
}

/// Numbers of the points whose signed value (`value` times one of `sides`) is the greatest of its run and above
/// `above`, ascending. Runs are successive points, so that in a scan the numbers spread over the surface.
pub fn peaks(points: &[Point], sides: &[f64], above: f64, value: impl Fn(&Point) -> f64 + Sync) -> Vec<usize> {
    let length = points.len().div_ceil(RUNS).max(1);
    let of_run = |(run, some): (usize, &[Point])| {
        let mut best = vec![(above, None); sides.len()];
        for (i, point) in some.iter().enumerate() {
            let value = value(point);
            for (best, side) in best.iter_mut().zip(sides) {
                if side * value > best.0 {
                    *best = (side * value, Some(run * length + i));
                }
            }
        }
        best.into_iter().filter_map(|(_, number)| number).collect::<Vec<usize>>()
    };
    let mut numbers: Vec<usize> = points.par_chunks(length).enumerate().flat_map_iter(of_run).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
