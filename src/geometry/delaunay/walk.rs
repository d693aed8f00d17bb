//! Greedy walk on the Delaunay graph to the nearest point.

use super::super::Point;
use super::DelaunayGraph;

/// Result of a walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walk {
    /// Index of the nearest point.
    pub number: u32,
    /// Squared distance to the query, mm².
    pub squared_mm2: f64,
    /// Number of points visited, including the first and the last.
    pub visited: u32,
}

impl DelaunayGraph {
    /// Walks from point `start` to the point of `points` nearest to `query`, mm, always to the neighbour nearest to
    /// `query`; ties go to the lower index. Terminates, because each step reduces the distance or, at equal distance,
    /// the index.
    pub fn walk(&self, points: &[Point], query: &Point, start: u32) -> Walk {
        let squared = |index: u32| (query - points[index as usize]).norm_squared();
        let mut best = (squared(start), start);
        let mut visited = 0;
        loop {
            visited += 1;
            let current = best.1;
            for &neighbour in self.of(current) {
                let squared = squared(neighbour);
                if squared < best.0 || (squared == best.0 && neighbour < best.1) {
                    best = (squared, neighbour);
                }
            }
            if best.1 == current {
                return Walk { number: current, squared_mm2: best.0, visited };
            }
        }
    }
}
