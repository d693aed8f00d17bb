//! The active voxel of a volume that is nearest to a voxel.

use rayon::prelude::*;

use super::{Voxel, VoxelTree, leaf};
use crate::simd::{Lanes, Task, dispatch};
use crate::tree::{PrimitiveBox, SplitRule, Stack, Tree, Visitor, build, nearest_first};

/// The active voxels of a volume, prepared for searches.
pub struct ActiveVoxels {
    edge: u32,
    origins: Vec<[u32; 3]>,
    /// Per leaf and column along z, bit z for an active voxel.
    columns: Vec<u16>,
    /// The leaves that have any.
    leaves: Vec<u32>,
    /// Over the boxes of the active voxels of each of these, in voxels.
    tree: Tree,
}

impl ActiveVoxels {
    /// Prepares the active voxels of `volume`.
    pub fn new(volume: &VoxelTree) -> Self {
        let edge = volume.layout().leaf;
        let (origins, per_leaf) = (volume.leaf_origins(), (edge * edge) as usize);
        let mut columns = vec![0_u16; origins.len() * per_leaf];
        columns.par_chunks_mut(per_leaf).enumerate().for_each(|(number, columns)| {
            let words = volume.leaf(number as u32);
            for (column, bits) in columns.iter_mut().enumerate() {
                let (word, shift) = leaf::position(edge, [column as u32 % edge, column as u32 / edge, 0]);
                let codes = words[word] >> shift;
                let is_active = |z: &u32| Voxel::of_code(codes >> (2 * z)) == Voxel::Surface;
                *bits = (0..edge).filter(is_active).fold(0, |bits, z| bits | 1 << z);
            }
        });
        let found: Vec<(u32, PrimitiveBox)> = origins
            .par_iter()
            .zip(columns.par_chunks(per_leaf))
            .enumerate()
            .filter_map(|(number, (origin, columns))| Some((number as u32, box_of(*origin, columns, edge)?)))
            .collect();
        let (leaves, boxes): (Vec<u32>, Vec<PrimitiveBox>) = found.into_iter().unzip();
        Self { edge, origins, columns, leaves, tree: build(&boxes, SplitRule::SurfaceArea) }
    }

    /// Squared distance between the centres of `voxel` and of the active voxel nearest to it, in voxels; `None` if there
    /// is none within `max_squared`.
    pub fn nearest_squared(&self, voxel: [i32; 3], max_squared: u64) -> Option<u64> {
        dispatch(Search { active: self, voxel, best: max_squared.saturating_add(1), max_squared, has_found: false })
    }
}

/// Box around the centres of the active voxels of a leaf; `None` if it has none.
fn box_of(origin: [u32; 3], columns: &[u16], edge: u32) -> Option<PrimitiveBox> {
    let (mut min, mut max) = ([u32::MAX; 3], [0; 3]);
    for (column, bits) in columns.iter().enumerate().filter(|(_, bits)| **bits != 0) {
        let (x, y) = (column as u32 % edge, column as u32 / edge);
        for voxel in [[x, y, bits.trailing_zeros()], [x, y, bits.ilog2()]] {
            for axis in 0..3 {
                min[axis] = min[axis].min(origin[axis] + voxel[axis]);
                max[axis] = max[axis].max(origin[axis] + voxel[axis]);
            }
        }
    }
    (min[0] != u32::MAX)
        .then(|| PrimitiveBox { min: min.map(|index| index as f32), max: max.map(|index| index as f32) })
}

struct Search<'a> {
    active: &'a ActiveVoxels,
    voxel: [i32; 3],
    /// Squared distance found so far; beyond the maximum at first.
    best: u64,
    max_squared: u64,
    has_found: bool,
}

/// Relative widening of the limit, against rounding in f32.
const WIDENING: f32 = 1.0 + 1e-5;

impl Task for Search<'_> {
    type Output = Option<u64>;

    #[inline(always)]
    fn run<L: Lanes>(mut self) -> Option<u64> {
        let mut limit = (self.max_squared as f32) * WIDENING;
        let position = self.voxel.map(|index| index as f32);
        nearest_first::<L>(&self.active.tree, position, &mut limit, &mut Stack::default(), &mut self);
        (self.has_found && self.best <= self.max_squared).then_some(self.best)
    }
}

impl Visitor for Search<'_> {
    #[inline(always)]
    fn visit<L: Lanes>(&mut self, pack: usize, limit: &mut f32) {
        let (edge, per_leaf) = (self.active.edge, (self.active.edge * self.active.edge) as usize);
        for &position in self.active.tree.pack(pack) {
            let number = self.active.leaves[position as usize];
            let origin = self.active.origins[number as usize];
            let columns = &self.active.columns[number as usize * per_leaf..][..per_leaf];
            let from: [i64; 3] = std::array::from_fn(|axis| i64::from(self.voxel[axis]) - i64::from(origin[axis]));
            for y in 0..edge {
                let dy = from[1] - i64::from(y);
                let of_row = (dy * dy) as u64;
                if of_row >= self.best {
                    continue;
                }
                for x in 0..edge {
                    let bits = columns[(y * edge + x) as usize];
                    let dx = from[0] - i64::from(x);
                    let lateral = of_row + (dx * dx) as u64;
                    if bits == 0 || lateral >= self.best {
                        continue;
                    }
                    let dz = nearest_bit(bits, from[2]);
                    self.best = self.best.min(lateral + dz * dz);
                    self.has_found = true;
                }
            }
        }
        *limit = limit.min(self.best as f32 * WIDENING);
    }
}

/// Distance of the set bit nearest to position `z`, which may lie outside.
#[inline(always)]
fn nearest_bit(bits: u16, z: i64) -> u64 {
    let (low, high) = (i64::from(bits.trailing_zeros()), i64::from(bits.ilog2()));
    if z <= low {
        return (low - z) as u64;
    }
    if z >= high {
        return (z - high) as u64;
    }
    // Both sides have a set bit.
    let above = u32::from(bits) >> z;
    let below = u32::from(bits) & ((2 << z) - 1);
    u64::from(above.trailing_zeros()).min(z as u64 - u64::from(below.ilog2()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;
    use crate::voxels::{CellFormat, Class, Cube, Lattice, Layout, Solid, build};
    use base::{Progress, random::Random};

    /// Voxels set at random, most of them in clusters.
    struct Scattered(Vec<[u32; 3]>);

    impl Solid for Scattered {
        type Hint = ();

        fn classify(&self, cube: &Cube, _: Option<&()>) -> Class<()> {
            let is_within =
                |voxel: &[u32; 3]| (0..3).all(|k| voxel[k] >= cube.min[k] && voxel[k] - cube.min[k] < cube.edge);
            if self.0.iter().any(is_within) { Class::Mixed(()) } else { Class::Empty }
        }

        fn fill(&self, cube: &Cube, (): &(), words: &mut [u32]) {
            for voxel in &self.0 {
                if (0..3).all(|k| voxel[k] >= cube.min[k] && voxel[k] - cube.min[k] < cube.edge) {
                    leaf::set(words, cube.edge, std::array::from_fn(|k| voxel[k] - cube.min[k]), Voxel::Surface);
                }
            }
        }
    }

    #[test]
    fn the_nearest_voxel_is_the_one_that_trying_all_finds() {
        let mut random = Random::new(8, 0);
        for (count, leaf) in [(1, 8), (12, 16), (300, 8), (300, 16)] {
            let mut draw = |edge: f64| std::array::from_fn(|_| random.range(0.0, edge) as u32);
            let set: Vec<[u32; 3]> = (0..count).map(|_| draw(128.0)).collect();
            let lattice = Lattice { origin: Point::origin(), voxel_mm: 1.0, voxels: 128 };
            let layout = Layout { root: 4, branching: 2, leaf };
            let scattered = Scattered(set.clone());
            let tree = build(&scattered, lattice, layout, CellFormat::Compact, &Progress::silent()).unwrap().tree;
            let active = ActiveVoxels::new(&tree);
            for _ in 0..2000 {
                let voxel: [i32; 3] = draw(200.0).map(|index| index as i32 - 40);
                let squared = |other: &[u32; 3]| -> u64 {
                    (0..3).map(|k| i64::from(voxel[k]) - i64::from(other[k])).map(|d| (d * d) as u64).sum()
                };
                let expected = set.iter().map(squared).min().unwrap();
                assert_eq!(active.nearest_squared(voxel, u64::MAX), Some(expected), "{voxel:?}");
                assert_eq!(active.nearest_squared(voxel, expected), Some(expected));
                assert_eq!(
                    active.nearest_squared(voxel, expected.saturating_sub(1)),
                    None.filter(|_: &u64| expected > 0).or(if expected == 0 { Some(0) } else { None })
                );
            }
        }
    }
}
