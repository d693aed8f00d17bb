//! Offset volumes by exact distance.

use shadowgraph::base::Progress;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::distance_offset::Request;
use shadowgraph::compute::{Backend, Compute};
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::voxels::{CellFormat, Lattice, Layout};
use shadowgraph::geometry::{Mesh, Point, Sides, SolidSurface, Surface};

use super::shim::Shim;
use super::{device, is_on_gpu, sized};
use shadowgraph::compute::cuda::Cuda;
use std::sync::Arc;

/// Checks that cells and voxels are the same on both devices.
fn agree(mesh: Mesh, voxels: u32, distance_mm: f64, layout: Layout, sides: Sides) {
    let surface = Surface::new(mesh);
    let solid = SolidSurface::new(&surface, sides);
    let lattice = Lattice::around(surface.bounds(), distance_mm.max(0.0), voxels);
    let request = Request { solid: &solid, distance_mm, lattice, layout, cell_format: CellFormat::Compact };
    let cuda = device();
    let ours = cuda.compute(&request, &Progress::silent()).unwrap().tree;
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
    let reference = Cpu.compute(&request, &Progress::silent()).unwrap().tree;
    assert_eq!(ours.statistics(), reference.statistics(), "{distance_mm} {layout:?}");
    for number in 0..voxels.pow(3) as i32 {
        let edge = voxels as i32;
        let voxel = [number % edge, number / edge % edge, number / (edge * edge)];
        assert_eq!(ours.voxel(voxel), reference.voxel(voxel), "{voxel:?}");
    }
    let cells = |tree: &shadowgraph::geometry::voxels::VoxelTree| {
        let mut cells: Vec<_> = tree.cells().iter().map(|cell| (cell.depth, cell.min, cell.state as u32)).collect();
        cells.sort_unstable();
        cells
    };
    assert_eq!(cells(&ours), cells(&reference));
}

/// A volume of which the device holds a box at a time.
#[test]
fn volumes_in_boxes_are_the_same_voxels() {
    let voxels = if is_on_gpu() { 200 } else { sized(48, 32) as u32 };
    let mut mesh = shapes::torus(6.0, 2.0, 48, 24);
    mesh.append(&shapes::cuboid(Point::new(-2.0, -2.0, -3.0), Point::new(2.0, 3.0, 4.0)));
    let surface = Surface::new(mesh);
    let solid = SolidSurface::new(&surface, Sides::Normals);
    let cases = [((8, 2, 8), 0.8, 2), ((4, 2, 16), -0.5, 1), ((4, 4, 8), 1.5, 1)];
    for (layout, distance_mm, divisions) in cases {
        let lattice = Lattice::around(surface.bounds(), 1.5, voxels);
        let layout = Layout { root: layout.0, branching: layout.1, leaf: layout.2 };
        let request = Request { solid: &solid, distance_mm, lattice, layout, cell_format: CellFormat::Compact };
        let cuda = device();
        let job = cuda.prepare_distance_offset(&request).unwrap();
        let whole = job.run(1, &Progress::silent()).unwrap().tree;
        for per_axis in [2, 4].into_iter().take(sized(2, divisions)) {
            let boxes = job.run(per_axis, &Progress::silent()).unwrap().tree;
            assert_eq!(boxes.statistics(), whole.statistics());
            for number in 0..voxels.pow(3) as i32 {
                let edge = voxels as i32;
                let voxel = [number % edge, number / edge % edge, number / (edge * edge)];
                assert_eq!(boxes.voxel(voxel), whole.voxel(voxel), "{voxel:?} {per_axis} {layout:?}");
            }
        }
    }
}

/// With little memory, the device computes in boxes of itself; with too little, the processor computes.
#[test]
fn a_device_with_little_memory_computes_in_boxes() {
    if is_on_gpu() {
        return;
    }
    let surface = Surface::new(shapes::sphere(5.0, 2));
    let solid = SolidSurface::new(&surface, Sides::Normals);
    let lattice = Lattice::around(surface.bounds(), 1.0, 64);
    let layout = Layout { root: 8, branching: 2, leaf: 8 };
    let request = Request { solid: &solid, distance_mm: 1.0, lattice, layout, cell_format: CellFormat::Compact };
    let reference = Cpu.compute(&request, &Progress::silent()).unwrap().tree.statistics();
    let (mut in_boxes, mut refused) = (0, 0);
    for kibibytes in [512, 2048, 8192, 65_536] {
        let cuda = Cuda::on(Arc::new(Shim::with_memory(kibibytes << 10)));
        let made = cuda.compute(&request, &Progress::silent()).unwrap().tree;
        assert_eq!(made.statistics(), reference);
        let notices = cuda.take_notices();
        refused += usize::from(!notices.is_empty());
        if notices.is_empty() {
            let boxes = cuda.prepare_distance_offset(&request).unwrap().boxes().unwrap();
            in_boxes += usize::from(boxes > 1);
        }
    }
    assert!(in_boxes > 0 && refused < 3, "{in_boxes} {refused}");
}

#[test]
fn offset_volumes_agree_with_the_processor_voxel_for_voxel() {
    let cuboid = shapes::cuboid(Point::new(-3.0, -2.0, -1.0), Point::new(4.0, 5.0, 2.0));
    let (size, torus) = if is_on_gpu() { (128, (256, 128)) } else { (40, (24, 12)) };
    let torus = shapes::torus(6.0, 2.0, torus.0, torus.1);
    let layout = |root, branching, leaf| Layout { root, branching, leaf };
    agree(cuboid.clone(), size, 1.3, layout(4, 2, 8), Sides::Normals);
    agree(cuboid.clone(), size, -0.4, layout(8, 2, 16), Sides::Normals);
    agree(torus.clone(), size, 0.7, layout(4, 4, 8), Sides::Normals);
    agree(torus.clone(), size, 0.0, layout(4, 8, 8), Sides::Normals);
    agree(torus, size, 0.5, layout(16, 2, 8), Sides::Open);
    // Nothing is left.
    agree(cuboid, size, -2.5, layout(4, 2, 8), Sides::Normals);
}
