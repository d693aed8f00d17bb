//! The greedy walk to the nearest point.

use super::super::Point;
use super::DelaunayGraph;

/// Where a walk ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walk {
    /// The nearest point.
    pub number: u32,
    /// Its squared distance, mm².
    pub squared_mm2: f64,
    /// Points stood on, the first and the last included.
    pub visited: u32,
}

impl DelaunayGraph {
    /// Walks from point `start` to the one of `points` that is nearest to `query`: each time to the neighbour nearest
    /// to it, of lower number where two are equally near. The distance, or with an equal one the number, falls at every
    /// step, so that no walk goes on for ever.
    pub fn walk(&self, points: &[Point], query: &Point, start: u32) -> Walk {
        let squared = |number: u32| (query - points[number as usize]).norm_squared();
        let mut best = (squared(start), start);
        let mut visited = 0;
        loop {
            visited += 1;
            let here = best.1;
            for &neighbour in self.of(here) {
                let squared = squared(neighbour);
                if squared < best.0 || (squared == best.0 && neighbour < best.1) {
                    best = (squared, neighbour);
                }
            }
            if best.1 == here {
                return Walk { number: here, squared_mm2: best.0, visited };
            }
        }
    }
}
