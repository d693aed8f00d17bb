//! Offsets by templates, and their errors.

use shadowgraph::base::Progress;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::morphological_offset::{Request, Template};
use shadowgraph::compute::{Backend, Compute, voxel_error, voxelisation};
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::voxels::{CellFormat, Lattice, Layout, VoxelTree};
use shadowgraph::geometry::{Mesh, Point, Sides, SolidSurface, Surface};

use super::shim::Shim;
use super::{device, driver, is_on_gpu, sized};
use shadowgraph::compute::cuda::Cuda;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn voxelised(mesh: Mesh, voxels: u32, layout: Layout) -> VoxelTree {
    voxelised_within(mesh, 3.0, voxels, layout)
}

fn voxelised_within(mesh: Mesh, margin_mm: f64, voxels: u32, layout: Layout) -> VoxelTree {
    let surface = Surface::new(mesh);
    let solid = SolidSurface::new(&surface, Sides::Normals);
    let lattice = Lattice::around(surface.bounds(), margin_mm, voxels);
    let request = voxelisation::Request { solid: &solid, lattice, layout, cell_format: CellFormat::Compact };
    Cpu.compute(&request, &Progress::silent()).unwrap().tree
}

/// Voxel for voxel the same, with the same error.
fn agree(tree: &VoxelTree, distance: f64, template: Template) {
    let request = Request { tree, distance, template, earlier_passes: 0, culls: false };
    let cuda = device();
    let ours = cuda.compute(&request, &Progress::silent()).unwrap();
    let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
    assert_eq!((ours.filtered, ours.template), (reference.filtered, reference.template), "{distance} {template:?}");
    assert_eq!(ours.tree.statistics(), reference.tree.statistics(), "{distance} {template:?}");
    let same = |cells: &VoxelTree| cells.cells().iter().collect::<Vec<_>>();
    assert_eq!(same(&ours.tree), same(&reference.tree));
    assert_eq!(ours.tree.words(), reference.tree.words(), "{distance} {template:?}");
    let measured = voxel_error::Request { offset: &ours.tree, source: tree, distance };
    let error = cuda.compute(&measured, &Progress::silent()).unwrap();
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
    assert_eq!(error, Cpu.compute(&measured, &Progress::silent()).unwrap());
    assert!(error.count > 0 || ours.tree.leaves() == 0);
}

/// Devices that share the leaves, one of which has no memory for its part.
#[test]
fn several_devices_share_the_leaves_and_give_the_same_voxels() {
    let voxels = if is_on_gpu() { 256 } else { 56 };
    let tree = voxelised(shapes::torus(6.0, 2.0, 48, 24), voxels, Layout { root: 4, branching: 2, leaf: 8 });
    let request = Request { tree: &tree, distance: 6.0, template: Template::Ring, earlier_passes: 2, culls: false };
    let alone = device().compute(&request, &Progress::silent()).unwrap();
    for devices in [2, 4] {
        let mut others: Vec<_> = (1..devices).map(|_| driver()).collect();
        if !is_on_gpu() {
            others.push(Arc::new(Shim::with_memory(4096)));
        }
        let several = Cuda::on_several(driver(), others);
        let shared = several.compute(&request, &Progress::silent()).unwrap();
        assert_eq!(several.take_notices(), Vec::<String>::new());
        assert_eq!(shared.tree.words(), alone.tree.words());
        assert!(shared.tree.cells().iter().eq(alone.tree.cells().iter()));
    }
    let cancelled = Progress::new(Arc::new(AtomicBool::new(true)), |_, _| {});
    let several = Cuda::on_several(driver(), vec![driver()]);
    assert!(several.compute(&request, &cancelled).is_err());
}

#[test]
fn offsets_by_templates_agree_with_the_processor_voxel_for_voxel() {
    let voxels = if is_on_gpu() { 160 } else { 56 };
    let mut parts = shapes::torus(6.0, 2.0, 24, 12);
    parts.append(&shapes::cuboid(Point::new(-2.0, -2.0, -3.0), Point::new(2.0, 3.0, 4.0)));
    for (root, branching, leaf) in [(4, 2, 8), (8, 2, 16), (4, 4, 8), (4, 8, 8)] {
        let tree = voxelised(parts.clone(), voxels, Layout { root, branching, leaf });
        for (distance, template) in [
            (3.0, Template::Ring),
            (4.4, Template::Shell),
            (8.0, Template::Ring),
            (-2.0, Template::Shell),
            (-8.0, Template::Shell),
        ] {
            agree(&tree, distance, template);
        }
    }
}

/// Up to the largest template whose region a block of the device holds, and beyond it.
#[test]
fn offsets_by_small_and_large_templates_agree() {
    let all = [(8, [28.0, 28.5]), (16, [24.0, 24.5])];
    for (leaf, distances) in &all[..sized(2, 1)] {
        let leaf = *leaf;
        let tree = voxelised_within(shapes::sphere(1.0, 2), 5.0, 80, Layout { root: 4, branching: 2, leaf });
        for &distance in distances {
            agree(&tree, distance, Template::Ring);
        }
    }
}
