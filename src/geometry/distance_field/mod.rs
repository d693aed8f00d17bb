//! A signed distance field in bricks of samples, as fine as the distance asks for: where it is linear, a large brick
//! does. Between samples it is interpolated.

mod grid;
mod march;

pub use grid::{BRICK, BRICK_SAMPLES, FieldGrid};
pub use march::{Hit, Ray};

use super::Point;
use super::voxels::CellState;

/// Words of a brick: two samples in each, the last half unused.
pub const BRICK_WORDS: usize = BRICK_SAMPLES.div_ceil(2);

/// A node of the tree: its state in the upper two bits, below it the index of its brick or of its first child.
///
/// [`CellState::Empty`] is beyond reach outside, [`CellState::Full`] beyond reach inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
pub struct Node(u32);

impl Node {
    /// Largest index.
    pub const MAX_INDEX: usize = (1 << 30) - 1;

    /// A node of this state.
    pub fn new(state: CellState, index: usize) -> Self {
        Self((state as u32) << 30 | index as u32)
    }

    /// Its state.
    #[inline]
    pub fn state(self) -> CellState {
        CellState::of_code(self.0 >> 30)
    }

    /// Index of its brick or of its first child.
    #[inline]
    pub fn index(self) -> usize {
        (self.0 & Self::MAX_INDEX as u32) as usize
    }
}

/// What a field holds about a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reading {
    /// Signed distance, mm, negative inside.
    Distance(f64),
    /// Farther outside than the field reaches.
    FarOutside,
    /// Farther inside than the field reaches.
    FarInside,
}

/// Signed distances of a surface up to a reach on both sides.
#[derive(Clone, Debug)]
pub struct DistanceField {
    grid: FieldGrid,
    nodes: Vec<Node>,
    words: Vec<u32>,
    /// What samples count in, in spacings.
    unit: f32,
}

impl DistanceField {
    /// The field of these nodes, root nodes first, and brick words. Sample `[x, y, z]` of a brick is number
    /// `(z * 9 + y) * 9 + x`: a signed multiple of [`FieldGrid::unit_mm`] in the lower or upper half of a word.
    pub fn new(grid: FieldGrid, nodes: Vec<Node>, words: Vec<u32>) -> Self {
        debug_assert!(nodes.len() >= grid.root_count() && words.len().is_multiple_of(BRICK_WORDS));
        let unit = (grid.unit_mm() / grid.spacing_mm) as f32;
        Self { grid, nodes, words, unit }
    }

    /// Where its samples lie.
    pub fn grid(&self) -> &FieldGrid {
        &self.grid
    }

    /// All nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Distance that a sample counts in, in spacings.
    pub fn unit(&self) -> f32 {
        self.unit
    }

    /// The samples of all bricks.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Number of bricks.
    pub fn bricks(&self) -> usize {
        self.words.len() / BRICK_WORDS
    }

    /// Allocated memory, bytes.
    pub fn bytes(&self) -> u64 {
        (size_of_val(self.nodes.as_slice()) + size_of_val(self.words.as_slice())) as u64
    }

    /// What the field holds about `position`.
    pub fn read(&self, position: &Point) -> Reading {
        let local = ((position - self.grid.origin) / self.grid.spacing_mm).map(|coordinate| coordinate as f32);
        let Some(spot) = self.spot(local.into()) else { return Reading::FarOutside };
        match spot.state {
            CellState::Full => Reading::FarInside,
            CellState::Boundary => Reading::Distance(f64::from(self.interpolated(&spot)) * self.grid.spacing_mm),
            CellState::Empty | CellState::Branch => Reading::FarOutside,
        }
    }

    /// The leaf node around a position in spacings of the grid; `None` outside the grid.
    #[inline]
    fn spot(&self, at: [f32; 3]) -> Option<Spot> {
        let depth = self.grid.depth;
        let brick = at.map(|coordinate| (coordinate / BRICK as f32).floor());
        let is_inside = |axis: usize| brick[axis] >= 0.0 && brick[axis] < (self.grid.roots[axis] << depth) as f32;
        if !(is_inside(0) && is_inside(1) && is_inside(2)) {
            return None;
        }
        let brick = brick.map(|index| index as u32);
        let [x, y, z] = brick.map(|index| index >> depth);
        let [across, down, _] = self.grid.roots;
        let mut node = self.nodes[((z * down + y) * across + x) as usize];
        let mut level = depth;
        while node.state() == CellState::Branch {
            level -= 1;
            let [x, y, z] = brick.map(|index| (index >> level & 1) as usize);
            node = self.nodes[node.index() + (z * 4 + y * 2 + x)];
        }
        let min = brick.map(|index| (index >> level << level) as f32 * BRICK as f32);
        Some(Spot { at, min, scale: (1_u32 << level) as f32, state: node.state(), brick: node.index() })
    }

    /// Signed distance at a spot within a brick, in spacings of the grid.
    #[inline]
    fn interpolated(&self, spot: &Spot) -> f32 {
        let Spot { at, min, scale, .. } = *spot;
        let within: [f32; 3] = std::array::from_fn(|axis| ((at[axis] - min[axis]) / scale).clamp(0.0, BRICK as f32));
        let index = within.map(|coordinate| (coordinate as usize).min(BRICK as usize - 1));
        let [x, y, z]: [f32; 3] = std::array::from_fn(|axis| within[axis] - index[axis] as f32);
        let first = (index[2] * 9 + index[1]) * 9 + index[0];
        let sample = |offset: usize| self.sample(spot.brick, first + offset);
        let mix = |a: f32, b: f32, share: f32| a + (b - a) * share;
        let row = |offset: usize| mix(sample(offset), sample(offset + 1), x);
        let layer = |offset: usize| mix(row(offset), row(offset + 9), y);
        mix(layer(0), layer(81), z) * self.unit
    }

    #[inline]
    fn sample(&self, brick: usize, number: usize) -> f32 {
        let word = self.words[brick * BRICK_WORDS + number / 2];
        f32::from((word >> (16 * (number & 1))) as u16 as i16)
    }
}

/// A position in a leaf node, in spacings of the grid.
#[derive(Clone, Copy)]
struct Spot {
    at: [f32; 3],
    /// Minimum corner of the node.
    min: [f32; 3],
    /// Distance of its samples.
    scale: f32,
    state: CellState,
    brick: usize,
}

/// Packs the samples of a brick, see [`DistanceField::new`].
pub fn pack(samples: &[f64; BRICK_SAMPLES], unit_mm: f64, words: &mut Vec<u32>) {
    let code = |mm: f64| u32::from((mm / unit_mm).round().clamp(-32767.0, 32767.0) as i16 as u16);
    words.extend(samples.chunks(2).map(|pair| code(pair[0]) | pair.get(1).map_or(0, |mm| code(*mm)) << 16));
}

#[cfg(test)]
mod tests;
