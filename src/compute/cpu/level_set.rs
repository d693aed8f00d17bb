//! Volumes of all points within a signed distance of something: from the root grid down by bounds on the distance,
//! in the leaves by the distance itself.

use std::cell::RefCell;

use geometry::Point;
use geometry::voxels::skin::Block;
use geometry::voxels::{Class, Cube, Lattice, Solid};

/// Relative and absolute widening of bounds on distances, against rounding.
const ROUNDING: f64 = 1e-9;

/// A signed distance at a point.
#[derive(Clone, Copy)]
pub(super) struct Sample {
    pub point: Point,
    pub signed_mm: f64,
    /// Distance from the point within which the sign is the same, mm.
    pub sign_holds_mm: f64,
    /// The facet closest to the point, if the distance is that of a surface.
    pub facet: Option<u32>,
}

/// A signed distance that changes between two points by at most their distance and [`Self::slack_mm`], its sign aside
/// where [`Sample::sign_holds_mm`] is less.
pub(super) trait Field: Sync {
    /// Signed distance of `point`, mm, negative inside; `known` is a sample near it.
    fn sample(&self, point: Point, known: Option<&Sample>) -> Sample;

    /// A distance that the absolute value at `point` does not exceed, mm, found without a search; `known` is a sample near.
    fn at_most_mm(&self, _point: &Point, _known: &Sample) -> f64 {
        f64::INFINITY
    }

    /// See the trait, mm.
    fn slack_mm(&self) -> f64 {
        0.0
    }
}

/// Greatest distance of anything from `point` that a sample near it allows, mm.
pub(super) fn limit_mm(point: &Point, known: Option<&Sample>) -> f64 {
    known.map_or(f64::INFINITY, |known| {
        (known.signed_mm.abs() + (point - known.point).norm()) * (1.0 + ROUNDING) + ROUNDING
    })
}

/// All points within `distance_mm` of a field's zero: up to it for a dilation, below it for an erosion.
pub(super) struct LevelSet<'a, F> {
    pub field: &'a F,
    pub lattice: Lattice,
    pub distance_mm: f64,
}

impl<F: Field> LevelSet<'_, F> {
    fn is_in(&self, signed_mm: f64) -> bool {
        signed_mm < self.distance_mm || (signed_mm == self.distance_mm && self.distance_mm >= 0.0)
    }

    /// How far values within `reach_mm` of a sample may be from it, mm.
    fn margin_mm(&self, reach_mm: f64) -> f64 {
        (reach_mm + self.field.slack_mm()) * (1.0 + ROUNDING) + ROUNDING * self.lattice.voxel_mm
    }

    /// Whether all points are in the set, or none, whose absolute value is at most `at_most_mm`; `None` if that is not
    /// known. Near the zero, the sign does not matter.
    fn decided_near(&self, at_most_mm: f64) -> Option<bool> {
        (at_most_mm < self.distance_mm.abs()).then_some(self.distance_mm > 0.0)
    }

    /// Whether all points within `reach_mm` of a sample are in the set, or none; `None` if that is not known.
    fn decided(&self, sample: &Sample, reach_mm: f64) -> Option<bool> {
        let margin = self.margin_mm(reach_mm);
        if let Some(is_in) = self.decided_near(sample.signed_mm.abs() + margin) {
            return Some(is_in);
        }
        let above = sample.signed_mm - self.distance_mm;
        (above.abs() > margin && reach_mm <= sample.sign_holds_mm).then_some(above < 0.0)
    }

    /// Decides on the voxels of a block from `min` to before `max`.
    fn fill_block(&self, cube: &Cube, block: &mut Block, min: [usize; 3], max: [usize; 3], known: &Sample) {
        let size: [usize; 3] = std::array::from_fn(|axis| max[axis] - min[axis]);
        let first = Block::voxel(cube, min);
        let half_mm = size.map(|size| 0.5 * (size as f64 - 1.0) * self.lattice.voxel_mm);
        let centre = self.lattice.centre(first) + geometry::Vector::from(half_mm);
        let reach_mm = geometry::Vector::from(half_mm).norm();
        if let Some(is_in) = self.decided_near(self.field.at_most_mm(&centre, known) + self.margin_mm(reach_mm)) {
            return block.set(min, max, is_in);
        }
        let sample = self.field.sample(centre, Some(known));
        if size == [1; 3] {
            block.set(min, max, self.is_in(sample.signed_mm));
        } else if let Some(is_in) = self.decided(&sample, reach_mm) {
            block.set(min, max, is_in);
        } else {
            let middle: [usize; 3] = std::array::from_fn(|axis| min[axis] + size[axis].div_ceil(2));
            for part in 0..8 {
                let is_upper = |axis: usize| part >> axis & 1 == 1;
                if (0..3).any(|axis| is_upper(axis) && size[axis] == 1) {
                    continue;
                }
                let low = std::array::from_fn(|axis| if is_upper(axis) { middle[axis] } else { min[axis] });
                let high = std::array::from_fn(|axis| if is_upper(axis) { max[axis] } else { middle[axis] });
                self.fill_block(cube, block, low, high, &sample);
            }
        }
    }
}

impl<F: Field> Solid for LevelSet<'_, F> {
    type Hint = Sample;

    const CLASSIFIES_ANY_CUBE: bool = true;

    fn classify(&self, cube: &Cube, outer: Option<&Sample>) -> Class<Sample> {
        let sample = self.field.sample(cube.centre(&self.lattice), outer);
        // The neighbours of its voxels decide whether they are skin.
        match self.decided(&sample, cube.reach_mm(&self.lattice) + self.lattice.voxel_mm) {
            Some(true) => Class::Full,
            Some(false) => Class::Empty,
            None => Class::Mixed(sample),
        }
    }

    fn fill(&self, cube: &Cube, hint: &Sample, words: &mut [u32]) {
        thread_local! {
            static BLOCK: RefCell<Option<Block>> = const { RefCell::new(None) };
        }
        BLOCK.with_borrow_mut(|block| {
            let block = match block {
                Some(block) if block.edge() == cube.edge as usize + 2 => block,
                other => other.insert(Block::new(cube.edge)),
            };
            self.fill_block(cube, block, [0; 3], [block.edge(); 3], hint);
            block.write(words);
        });
    }
}
