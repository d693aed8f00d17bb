//! How large an offset volume will be, from samples of its cells.

use rayon::prelude::*;

use super::distance_offset::SurfaceDistance;
use super::level_set::{LevelSet, Sample};
use crate::distance_offset::{ExpectedSize, Request};
use geometry::voxels::{Class, Cube, Solid, leaf};

/// Cells of a level that are followed further.
const SAMPLES: usize = 6000;
/// Cells above leaves all of whose leaves are filled.
const PARENTS: usize = 700;

/// A cell that the surface of the volume may pass.
type Open = (Cube, Sample);

/// Estimates the size of the volume of `request`: down the tree, of each level at most some thousand cells.
pub(crate) fn expected_size(request: &Request<'_>) -> ExpectedSize {
    let field = SurfaceDistance(request.solid);
    let level_set = LevelSet { field: &field, lattice: request.lattice, distance_mm: request.distance_mm };
    let layout = request.layout;
    let height = layout.height(request.lattice.voxels);
    let children = f64::from(layout.children());
    let mut open: Vec<Open> = (0..layout.root_cells())
        .into_par_iter()
        .filter_map(|root| opened(&level_set, layout.root_cube(height, root), None))
        .collect();
    // Cells that each one followed stands for, and the children of all cells by level.
    let (mut weight, mut below) = (1.0, Vec::new());
    for _ in 1..height {
        below.push(weight * open.len() as f64 * children);
        weight *= thin(&mut open, SAMPLES);
        open = open.par_iter().flat_map_iter(|outer| parts(&level_set, outer, layout.branching)).collect();
    }
    let parents = if height > 0 { weight * open.len() as f64 } else { 0.0 };
    let count = if height > 0 { PARENTS } else { SAMPLES };
    weight *= thin(&mut open, count);
    let filled: Vec<Leaves> = open.par_iter().map(|cell| leaves(&level_set, cell, request, height)).collect();
    let sum = |of: fn(&Leaves) -> usize| weight * filled.iter().map(of).sum::<usize>() as f64;
    let kept = filled.iter().filter(|own| own.kept > 0).count() as f64 / filled.len().max(1) as f64;
    // Without a leaf that is kept, a cell has no children; the larger a cell, the rarer that is.
    let of_levels: f64 =
        below.iter().rev().zip(1..).map(|(count, above)| count * (1.0 - (1.0 - kept) * 0.5_f64.powi(above))).sum();
    ExpectedSize {
        cells: (layout.root_cells() as f64 + of_levels + parents * kept * children) as u64,
        leaves: sum(|own| own.kept) as u64,
        filled_leaves: sum(|own| own.filled) as u64,
        active_voxels: sum(|own| own.active) as u64,
    }
}

/// What was found in the leaves below a cell.
#[derive(Default)]
struct Leaves {
    filled: usize,
    /// Those that are not uniform.
    kept: usize,
    active: usize,
}

fn leaves<S: Solid<Hint = Sample>>(solid: &S, cell: &Open, request: &Request<'_>, height: u32) -> Leaves {
    let layout = request.layout;
    let below = if height > 0 { parts(solid, cell, layout.branching) } else { vec![*cell] };
    below.iter().fold(Leaves::default(), |found, (cube, sample)| {
        let mut words = vec![0; layout.leaf_words()];
        solid.fill(cube, sample, &mut words);
        let active = words.iter().map(|word| leaf::active_in(*word) as usize).sum::<usize>();
        let is_kept = leaf::uniform_state(&words).is_none() || active > 0;
        Leaves { filled: found.filled + 1, kept: found.kept + usize::from(is_kept), active: found.active + active }
    })
}

fn opened<S: Solid<Hint = Sample>>(solid: &S, cube: Cube, outer: Option<&Sample>) -> Option<Open> {
    match solid.classify(&cube, outer) {
        Class::Mixed(sample) => Some((cube, sample)),
        Class::Empty | Class::Full => None,
    }
}

/// The open children of a cell.
fn parts<S: Solid<Hint = Sample>>(solid: &S, (cube, sample): &Open, branching: u32) -> Vec<Open> {
    (0..branching.pow(3)).filter_map(|child| opened(solid, cube.child(branching, child), Some(sample))).collect()
}

/// Keeps about `count` of the cells, spread evenly; returns how many each of them stands for.
fn thin(cells: &mut Vec<Open>, count: usize) -> f64 {
    let before = cells.len();
    if before <= count {
        return 1.0;
    }
    let mut number = 0;
    cells.retain(|_| {
        number += 1;
        // Whenever another of `count` even steps is completed.
        number * count / before != (number - 1) * count / before
    });
    before as f64 / cells.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capability;
    use base::Progress;
    use geometry::mesh::shapes;
    use geometry::voxels::{CellFormat, Lattice, Layout};
    use geometry::{Mesh, Point, Sides, SolidSurface, Surface};

    #[test]
    fn volumes_are_as_large_as_expected_to_a_tenth() {
        let cuboid = shapes::cuboid(Point::new(-8.0, -3.0, -1.0), Point::new(7.0, 5.0, 2.0));
        let parts: [Mesh; 3] = [shapes::sphere(5.0, 4), cuboid, shapes::torus(6.0, 2.0, 96, 48)];
        let layouts = [Layout::default(), Layout::PUBLISHED, Layout { root: 4, branching: 4, leaf: 8 }];
        for (mesh, layout) in parts.into_iter().zip(layouts) {
            let surface = Surface::new(mesh);
            let solid = SolidSurface::new(&surface, Sides::Normals);
            for distance_mm in [0.8, -0.3] {
                let lattice = Lattice::around(surface.bounds(), 0.8, 512);
                let cell_format = CellFormat::Compact;
                let request = Request { solid: &solid, distance_mm, lattice, layout, cell_format };
                let expected = expected_size(&request);
                let statistics = request.on_cpu(&Progress::silent()).unwrap().tree.statistics();
                let near = |a: u64, b: u64, within: f64| (a as f64 / b as f64 - 1.0).abs() < within;
                let all = (expected, statistics);
                assert!(near(expected.leaves, statistics.leaves, 0.08), "{all:?}");
                assert!(near(expected.cells, statistics.cells, 0.15), "{all:?}");
                assert!(near(expected.active_voxels, statistics.active_voxels, 0.08), "{all:?}");
                assert!(near(expected.bytes(&request), statistics.bytes, 0.1), "{all:?}");
                assert!(expected.filled_leaves >= expected.leaves);
            }
        }
    }
}
