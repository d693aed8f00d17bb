//! Branch and bound over a box: cells of the lowest bound are halved until none can hold anything better.
//!
//! Land and Doig, "An automatic method of solving discrete programming problems" (1960), on a continuum as in interval
//! analysis (Hansen 1980). Where bounds err by the square of a cell's size only, few cells are left near the best.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::{Progress, Result};

/// Looks at points before the search gives up, some seconds' worth. Only points without a clear answer, such as those of
/// a ball whose line is asked for, need as many.
const EFFORT: usize = 1_000_000_000;

/// Homogeneous coordinates: a direction or centre d, and a curvature.
pub type Place = [f64; 4];

/// A box of places; coordinates of half width 0 are fixed.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Its middle.
    pub centre: Place,
    /// Half of its width.
    pub half: Place,
}

impl Cell {
    /// The coordinates that are not fixed.
    pub fn free(&self) -> impl Iterator<Item = usize> {
        let half = self.half;
        (0..4).filter(move |&j| half[j] > 0.0)
    }

    fn halves(&self) -> [Self; 2] {
        let widest = (0..4).fold(0, |widest, j| if self.half[j] > self.half[widest] { j } else { widest });
        [-0.5, 0.5].map(|side| {
            let mut half = *self;
            half.half[widest] *= 0.5;
            half.centre[widest] += side * self.half[widest];
            half
        })
    }
}

/// What is searched.
pub trait Landscape {
    /// A bound that nothing in the cell lies below. Something better may be found on the way, and is kept.
    fn examine(&mut self, cell: &Cell) -> f64;
    /// Bounds from here on promise nothing worth finding.
    fn enough(&self) -> f64;
    /// How often a point was looked at.
    fn effort(&self) -> usize;
    /// Whether it is time to give up.
    fn is_tired(&self) -> bool {
        self.effort() > EFFORT
    }
}

/// Searches the cells `roots`. Returns whether nothing better is left in any of them; fails when it is cancelled.
pub fn search(landscape: &mut impl Landscape, roots: &[Cell], progress: &Progress) -> Result<bool> {
    let mut cells = roots.to_vec();
    let mut open = BinaryHeap::new();
    let mut looked_at = 0;
    loop {
        for (number, cell) in cells.iter().enumerate().skip(looked_at) {
            progress.check()?;
            let bound = landscape.examine(cell);
            open.push(Reverse((Bound(bound), number)));
        }
        looked_at = cells.len();
        match open.pop() {
            Some(Reverse((Bound(bound), number))) if bound < landscape.enough() => {
                if landscape.is_tired() {
                    return Ok(false);
                }
                cells.extend(cells[number].halves());
            }
            _ => return Ok(true),
        }
    }
}

/// A number in its total order.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bound(f64);

impl Eq for Bound {}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Bound {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}
