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

    /// Whether cubes larger than root cells can be classified, too: most root cells are then decided together.
    const CLASSIFIES_ANY_CUBE: bool = false;

    /// What the solid is within `cube`, which lies within a cube of the hint `outer`; `None` for the first cubes.
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
    let roots = if S::CLASSIFIES_ANY_CUBE { Roots::new(solid, layout, height) } else { Roots::unknown(layout) };
    let below = |index: usize| {
        let mut below = Below { height, children: layout.children(), ..Below::of(layout.branching) };
        if counter.step() {
            let cube = layout.root_cube(height, index);
            below.root = Some(match roots.of[index] {
                Root::Decided(state) => Cell::new(state, 0, 0, &cube),
                Root::Open(outer) => below.cell(solid, &cube, 0, outer.and_then(|outer| roots.hints.get(outer))),
            });
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

/// What is known of a root cell.
#[derive(Clone, Copy)]
enum Root {
    Decided(CellState),
    /// The number of the hint of the cube of eight root cells that it is in.
    Open(Option<usize>),
}

/// What is known of all root cells from larger cubes.
struct Roots<H> {
    of: Vec<Root>,
    hints: Vec<H>,
}

impl<H: Send + Sync> Roots<H> {
    fn unknown(layout: Layout) -> Self {
        Self { of: vec![Root::Open(None); layout.root_cells()], hints: Vec::new() }
    }

    /// Halves the domain down to cubes of eight root cells.
    fn new<S: Solid<Hint = H>>(solid: &S, layout: Layout, height: u32) -> Self {
        let root_edge = layout.root_cube(height, 0).edge;
        let mut roots = Self::unknown(layout);
        // Cubes, and the numbers of the hints of those that they are halves of.
        let mut cubes = vec![(Cube { min: [0; 3], edge: layout.root * root_edge }, None::<usize>)];
        let mut outer: Vec<H> = Vec::new();
        loop {
            let classify = |(cube, number): &(Cube, Option<usize>)| {
                (*cube, solid.classify(cube, number.and_then(|number| outer.get(number))))
            };
            let classes: Vec<_> = cubes.par_iter().map(classify).collect();
            let (mut halves, mut hints) = (Vec::new(), Vec::new());
            for (cube, class) in classes {
                let hint = match class {
                    Class::Mixed(hint) => hint,
                    Class::Empty => {
                        roots.set(layout, root_edge, &cube, Root::Decided(CellState::Empty));
                        continue;
                    }
                    Class::Full => {
                        roots.set(layout, root_edge, &cube, Root::Decided(CellState::Full));
                        continue;
                    }
                };
                if cube.edge == 2 * root_edge {
                    roots.set(layout, root_edge, &cube, Root::Open(Some(hints.len())));
                } else {
                    halves.extend((0..8).map(|half| (cube.child(2, half), Some(hints.len()))));
                }
                hints.push(hint);
            }
            if halves.is_empty() {
                roots.hints = hints;
                return roots;
            }
            (cubes, outer) = (halves, hints);
        }
    }

    /// Sets all root cells of a cube.
    fn set(&mut self, layout: Layout, root_edge: u32, cube: &Cube, root: Root) {
        let [x, y, z] = cube.min.map(|min| min / root_edge);
        let count = cube.edge / root_edge;
        for k in z..z + count {
            for j in y..y + count {
                let first = ((k * layout.root + j) * layout.root + x) as usize;
                self.of[first..first + count as usize].fill(root);
            }
        }
    }
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
