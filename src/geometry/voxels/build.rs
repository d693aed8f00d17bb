//! Building a tree from the root grid down, for any solid: cells first, then all leaves.

use std::time::Instant;

use rayon::prelude::*;

use super::{Cell, CellFormat, CellState, Cells, Cube, Lattice, Layout, POOL_CHUNK, Voxel, VoxelTree, leaf};
use base::{Progress, Result, UserError};

/// What a solid is within a cube.
pub enum Class<H> {
    /// Empty throughout.
    Empty,
    /// Full throughout, without a voxel of the skin.
    Full,
    /// Neither, or not known to be.
    Mixed(H),
}

/// A solid of which trees are built.
pub trait Solid: Sync {
    /// What is known of a cube and passed on to the cubes within it, such as the facets that touch it.
    type Hint: Send + Sync;

    /// What the solid is within `cube`, which lies within a cube of the hint `outer`; `None` for root cells.
    fn classify(&self, cube: &Cube, outer: Option<&Self::Hint>) -> Class<Self::Hint>;

    /// Writes the voxels of a leaf, see [`leaf`]; `words` are zero, thus empty.
    fn fill(&self, cube: &Cube, hint: &Self::Hint, words: &mut [u32]);
}

/// Time of the steps of a build, ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BuildTimes {
    /// Cells.
    pub branching_ms: f64,
    /// Voxels of the leaves.
    pub leaves_ms: f64,
    /// Removal of uniform leaves.
    pub compaction_ms: f64,
}

/// A tree, and how it was built.
pub struct Built {
    /// The tree.
    pub tree: VoxelTree,
    /// Time of the steps.
    pub times: BuildTimes,
    /// Number of leaves that were filled, before uniform ones were removed.
    pub filled: usize,
}

/// Builds the tree of `solid`. Returns an error if the work is cancelled, or if there would be too many cells.
pub fn build<S: Solid>(
    solid: &S,
    lattice: Lattice,
    layout: Layout,
    format: CellFormat,
    progress: &Progress,
) -> Result<Built> {
    layout.check_for(lattice.voxels)?;
    let height = layout.height(lattice.voxels);
    let started = Instant::now();
    let part = progress.part(0.0, 0.3);
    let counter = part.counter(layout.root_cells(), "Dividing the volume");
    let below = |index: usize| {
        let mut below = Below { height, children: layout.children(), ..Below::of(layout.branching) };
        if counter.step() {
            let cube = layout.root_cube(height, index);
            below.root = Some(below.cell(solid, &cube, 0, None));
        }
        below
    };
    let parts: Vec<Below<S::Hint>> = (0..layout.root_cells()).into_par_iter().map(below).collect();
    progress.check()?;
    let Joined { cells, leaves } = join(&parts)?;
    let branching_ms = milliseconds(started);

    let started = Instant::now();
    let part = progress.part(0.3, 0.95);
    let counter = part.counter(leaves.len(), "Filling the leaves");
    let mut words = zeroed(leaves.len(), layout.leaf_words());
    words.par_chunks_mut(layout.leaf_words()).zip(&leaves).for_each(|(words, (cube, hint))| {
        if counter.step() {
            solid.fill(cube, hint, words);
        }
    });
    progress.check()?;
    let leaves_ms = milliseconds(started);

    let started = Instant::now();
    let tree = assemble(lattice, layout, format, &cells, words);
    let times = BuildTimes { branching_ms, leaves_ms, compaction_ms: milliseconds(started) };
    Ok(Built { tree, times, filled: leaves.len() })
}

/// The tree of these cells, root grid first, and leaf words: without uniform leaves, and without cells whose children
/// have one terminal state.
pub fn assemble(lattice: Lattice, layout: Layout, format: CellFormat, cells: &[Cell], words: Vec<u32>) -> VoxelTree {
    let (cells, words) = compacted(cells, words, layout);
    VoxelTree::new(lattice, layout, Cells::pack(&cells, format), words)
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

fn zeroed(leaves: usize, leaf_words: usize) -> Vec<u32> {
    let mut words = Vec::with_capacity(leaves.next_multiple_of(POOL_CHUNK) * leaf_words);
    words.resize(leaves * leaf_words, 0);
    words
}

/// The cells and leaves below one root cell; indices count from the first of each.
struct Below<H> {
    root: Option<Cell>,
    cells: Vec<Cell>,
    leaves: Vec<(Cube, H)>,
    height: u32,
    branching: u32,
    children: u32,
}

impl<H> Below<H> {
    fn of(branching: u32) -> Self {
        Self { root: None, cells: Vec::new(), leaves: Vec::new(), height: 0, branching, children: 0 }
    }

    fn cell<S: Solid<Hint = H>>(&mut self, solid: &S, cube: &Cube, depth: u32, outer: Option<&H>) -> Cell {
        let hint = match solid.classify(cube, outer) {
            Class::Empty => return Cell::new(CellState::Empty, depth, 0, cube),
            Class::Full => return Cell::new(CellState::Full, depth, 0, cube),
            Class::Mixed(hint) => hint,
        };
        if depth == self.height {
            let index = self.leaves.len() as u32;
            self.leaves.push((*cube, hint));
            return Cell::new(CellState::Boundary, depth, index, cube);
        }
        let first = self.cells.len();
        let unset = Cell::new(CellState::Empty, depth + 1, 0, cube);
        self.cells.resize(first + self.children as usize, unset);
        for child in 0..self.children {
            self.cells[first + child as usize] =
                self.cell(solid, &cube.child(self.branching, child), depth + 1, Some(&hint));
        }
        let (state, index) = closed(&mut self.cells, first);
        Cell::new(state, depth, index, cube)
    }
}

/// State and index of the cell whose children, and what is below them, are the cells from `first` on. Children of one
/// terminal state are removed, and the cell takes it.
fn closed(cells: &mut Vec<Cell>, first: usize) -> (CellState, u32) {
    let state = cells[first].state;
    let is_terminal = matches!(state, CellState::Empty | CellState::Full);
    if is_terminal && cells[first..].iter().all(|cell| cell.state == state) {
        cells.truncate(first);
        return (state, 0);
    }
    (CellState::Branch, first as u32)
}

/// All cells, root grid first, and all leaves.
struct Joined<'a, H> {
    cells: Vec<Cell>,
    leaves: Vec<(Cube, &'a H)>,
}

fn join<H>(parts: &[Below<H>]) -> Result<Joined<'_, H>> {
    let cell_count = parts.len() + parts.iter().map(|part| part.cells.len()).sum::<usize>();
    let leaf_count = parts.iter().map(|part| part.leaves.len()).sum::<usize>();
    if cell_count.max(leaf_count) > u32::MAX as usize {
        return Err(UserError::input("The volume has more cells than can be numbered; choose a lower resolution."));
    }
    let mut cells = Vec::with_capacity(cell_count);
    let mut leaves = Vec::with_capacity(leaf_count);
    let (mut next_cell, mut next_leaf) = (parts.len() as u32, 0);
    let shifted = |cell: Cell, next_cell: u32, next_leaf: u32| match cell.state {
        CellState::Branch => Cell { index: cell.index + next_cell, ..cell },
        CellState::Boundary => Cell { index: cell.index + next_leaf, ..cell },
        CellState::Empty | CellState::Full => cell,
    };
    for part in parts {
        cells.extend(part.root.map(|root| shifted(root, next_cell, next_leaf)));
        next_cell += part.cells.len() as u32;
        next_leaf += part.leaves.len() as u32;
    }
    let (mut next_cell, mut next_leaf) = (parts.len() as u32, 0);
    for part in parts {
        cells.extend(part.cells.iter().map(|cell| shifted(*cell, next_cell, next_leaf)));
        leaves.extend(part.leaves.iter().map(|(cube, hint)| (*cube, hint)));
        next_cell += part.cells.len() as u32;
        next_leaf += part.leaves.len() as u32;
    }
    Ok(Joined { cells, leaves })
}

/// The same volume without uniform leaves and without cells whose children have one terminal state.
fn compacted(cells: &[Cell], words: Vec<u32>, layout: Layout) -> (Vec<Cell>, Vec<u32>) {
    let uniform: Vec<Option<Voxel>> = words.par_chunks(layout.leaf_words()).map(leaf::uniform_state).collect();
    // A leaf of skin alone cannot become a cell.
    let is_removed = |state: &Option<Voxel>| matches!(state, Some(Voxel::Empty | Voxel::Full));
    if !uniform.iter().any(is_removed) {
        return (cells.to_vec(), words);
    }
    let roots = layout.root_cells();
    let mut next =
        Compaction { old: cells, uniform: &uniform, children: layout.children(), cells: Vec::new(), kept: Vec::new() };
    next.cells.extend_from_slice(&cells[..roots]);
    for root in 0..roots {
        next.cells[root] = next.cell(cells[root]);
    }
    let mut kept_words = zeroed(next.kept.len(), layout.leaf_words());
    kept_words.par_chunks_mut(layout.leaf_words()).zip(&next.kept).for_each(|(to, &from)| {
        to.copy_from_slice(&words[from as usize * layout.leaf_words()..][..layout.leaf_words()]);
    });
    (next.cells, kept_words)
}

struct Compaction<'a> {
    old: &'a [Cell],
    uniform: &'a [Option<Voxel>],
    children: u32,
    cells: Vec<Cell>,
    /// Old indices of the leaves that stay.
    kept: Vec<u32>,
}

impl Compaction<'_> {
    /// The new form of an old cell; what is below it is appended.
    fn cell(&mut self, old: Cell) -> Cell {
        match old.state {
            CellState::Empty | CellState::Full => old,
            CellState::Boundary => match self.uniform[old.index as usize] {
                Some(Voxel::Empty) => Cell { state: CellState::Empty, index: 0, ..old },
                Some(Voxel::Full) => Cell { state: CellState::Full, index: 0, ..old },
                _ => {
                    self.kept.push(old.index);
                    Cell { index: self.kept.len() as u32 - 1, ..old }
                }
            },
            CellState::Branch => {
                let (from, first) = (old.index as usize, self.cells.len());
                self.cells.extend_from_slice(&self.old[from..from + self.children as usize]);
                for child in 0..self.children as usize {
                    self.cells[first + child] = self.cell(self.old[from + child]);
                }
                let (state, index) = closed(&mut self.cells, first);
                Cell { state, index, ..old }
            }
        }
    }
}
