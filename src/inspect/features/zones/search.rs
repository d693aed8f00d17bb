//! Branch and bound over a box: cells with the lowest bound are halved until none can contain anything better.
//!
//! Land and Doig, "An automatic method of solving discrete programming problems" (1960), on a continuum as in interval
//! analysis (Hansen 1980). If the error of the bounds is quadratic in the cell size, only few cells remain near the
//! optimum.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::{Progress, Result};

/// Maximum number of point evaluations, some seconds' worth. Only points without a distinct optimum, such as those of a
/// sphere to which a line is fitted, need as many.
const MAX_EVALUATIONS: usize = 1_000_000_000;

/// Homogeneous coordinates: a direction or scaled centre d, and a curvature κ.
pub type Homogeneous = [f64; 4];

/// A box of homogeneous coordinates; those of half width 0 are fixed.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Centre.
    pub centre: Homogeneous,
    /// Half widths.
    pub half: Homogeneous,
}

impl Cell {
    /// Indices of the coordinates that are not fixed.
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

/// A function to be minimised over cells.
pub trait BoundedFunction {
    /// A lower bound of the function in the cell. Improvements found on the way are stored.
    fn lower_bound(&mut self, cell: &Cell) -> f64;
    /// Bounds from this value on cannot lead to a relevant improvement.
    fn threshold(&self) -> f64;
    /// Number of point evaluations so far.
    fn evaluations(&self) -> usize;
    /// Whether the maximum number of evaluations is exceeded.
    fn is_exhausted(&self) -> bool {
        self.evaluations() > MAX_EVALUATIONS
    }
}

/// Searches the cells `roots`. Returns whether the optimality of the best value was proven; returns an error if
/// cancelled.
pub fn search(function: &mut impl BoundedFunction, roots: &[Cell], progress: &Progress) -> Result<bool> {
    let mut cells = roots.to_vec();
    let mut open = BinaryHeap::new();
    let mut bounded = 0;
    loop {
        for (index, cell) in cells.iter().enumerate().skip(bounded) {
            progress.check()?;
            let bound = function.lower_bound(cell);
            open.push(Reverse((Bound(bound), index)));
        }
        bounded = cells.len();
        match open.pop() {
            Some(Reverse((Bound(bound), index))) if bound < function.threshold() => {
                if function.is_exhausted() {
                    return Ok(false);
                }
                cells.extend(cells[index].halves());
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
