use std::collections::HashMap;

use super::*;
use crate::Vector;
use crate::voxels::skin::Block;
use crate::voxels::{CellFormat, Class, Cube, Layout, Solid, build};
use base::random::Random;

/// The voxels for which a function holds.
struct Where<F>(F);

impl<F: Fn([i32; 3]) -> bool + Sync> Solid for Where<F> {
    type Hint = ();

    fn classify(&self, _: &Cube, _: Option<&()>) -> Class<()> {
        Class::Mixed(())
    }

    fn fill(&self, cube: &Cube, (): &(), words: &mut [u32]) {
        let mut block = Block::new(cube.edge);
        let edge = block.edge();
        for number in 0..edge.pow(3) {
            let at = [number % edge, number / edge % edge, number / (edge * edge)];
            block.set(at, at.map(|index| index + 1), (self.0)(Block::voxel(cube, at)));
        }
        block.write(words);
    }
}

fn volume(is_in: impl Fn([i32; 3]) -> bool + Sync) -> VoxelTree {
    let lattice = Lattice { origin: Point::origin(), voxel_mm: 1.0, voxels: 32 };
    let layout = Layout { root: 4, branching: 2, leaf: 8 };
    build(&Where(is_in), lattice, layout, CellFormat::Compact, &Progress::silent()).unwrap().tree
}

fn halfway((): &mut (), inner: Point, outer: Point) -> Crossing {
    Crossing { point: nalgebra::center(&inner, &outer), normal: (outer - inner).normalize() }
}

/// Checks that every edge of a mesh is shared by exactly two facets that pass it in opposite directions.
fn check_watertight(mesh: &Mesh) {
    let mut edges: HashMap<(u32, u32), i32> = HashMap::new();
    for facet in &mesh.facets {
        for corner in 0..3 {
            let (from, to) = (facet[corner], facet[(corner + 1) % 3]);
            assert_ne!(from, to);
            let count = edges.entry((from.min(to), from.max(to))).or_default();
            *count += if from < to { 1 } else { 1 << 16 };
        }
    }
    assert!(edges.values().all(|count| *count == 1 | 1 << 16));
}

/// Leaves that contradict each other: each is full, empty or halved as if everything around it were, too.
struct Contradicting;

impl Solid for Contradicting {
    type Hint = ();

    fn classify(&self, _: &Cube, _: Option<&()>) -> Class<()> {
        Class::Mixed(())
    }

    fn fill(&self, cube: &Cube, (): &(), words: &mut [u32]) {
        let at = cube.min.map(|min| min / cube.edge);
        let mut block = Block::new(cube.edge);
        let edge = block.edge();
        match (at[0] * 7 + at[1] * 5 + at[2] * 3) % 4 {
            0 => block.set([0; 3], [edge; 3], true),
            1 => block.set([0; 3], [edge / 2, edge, edge], true),
            2 => block.set([0; 3], [edge, edge, edge / 3], true),
            _ => {}
        }
        block.write(words);
    }
}

#[test]
fn leaves_that_contradict_each_other_give_a_watertight_mesh() {
    let lattice = Lattice { origin: Point::origin(), voxel_mm: 1.0, voxels: 32 };
    for (root, branching) in [(4, 2), (4, 4)] {
        let layout = Layout { root, branching, leaf: 8 };
        let tree = build(&Contradicting, lattice, layout, CellFormat::Compact, &Progress::silent()).unwrap().tree;
        assert!(tree.cells().iter().any(|cell| cell.state == CellState::Full));
        let mesh = contour(&tree, halfway, &Progress::silent()).unwrap();
        assert!(mesh.facets.len() > 5000);
        check_watertight(&mesh);
    }
}

#[test]
fn any_set_of_voxels_gives_a_watertight_mesh() {
    for (seed, share) in [(1, 0.5), (2, 0.1), (3, 0.9), (4, 0.35), (5, 0.65)] {
        let mut random = Random::new(seed, 0);
        let set: Vec<bool> = (0..20_i32.pow(3)).map(|_| random.range(0.0, 1.0) < share).collect();
        let is_in = |voxel: [i32; 3]| {
            let own = voxel.map(|index| index - 6);
            own.iter().all(|index| (0..20).contains(index)) && set[((own[2] * 20 + own[1]) * 20 + own[0]) as usize]
        };
        let tree = volume(is_in);
        let mesh = contour(&tree, halfway, &Progress::silent()).unwrap();
        check_watertight(&mesh);
        let voxels = set.iter().filter(|is_in| **is_in).count() as f64;
        assert!(mesh.facets.len() > 1000 && mesh.volume_mm3() > 0.2 * voxels, "{} {voxels}", mesh.volume_mm3());
    }
}

#[test]
fn faces_of_a_box_are_flat_and_its_edges_sharp() {
    // A box from 5.3 to 20.4 in all axes, turned by no angle: crossings lie on its faces.
    let (low, high) = (5.3, 20.4);
    let is_in = |voxel: [i32; 3]| voxel.iter().all(|&index| (low..high).contains(&(f64::from(index) + 0.5)));
    let tree = volume(is_in);
    let crossing = |(): &mut (), inner: Point, outer: Point| {
        let axis = (outer - inner).iamax();
        let mut point = inner;
        point[axis] = if outer[axis] > inner[axis] { high } else { low };
        let mut normal = Vector::zeros();
        normal[axis] = (outer[axis] - inner[axis]).signum();
        Crossing { point, normal }
    };
    let mesh = contour(&tree, crossing, &Progress::silent()).unwrap();
    check_watertight(&mesh);
    let edge: f64 = high - low;
    assert!((mesh.volume_mm3() - edge.powi(3)).abs() < 1e-9 && (mesh.area_mm2() - 6.0 * edge * edge).abs() < 1e-9);
}
