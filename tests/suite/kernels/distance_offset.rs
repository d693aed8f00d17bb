//! Offset volumes by exact distance.

use shadowgraph::base::Progress;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::distance_offset::Request;
use shadowgraph::compute::{Backend, Compute};
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::voxels::{CellFormat, Lattice, Layout};
use shadowgraph::geometry::{Mesh, Point, Sides, SolidSurface, Surface};

use super::{device, is_on_gpu};

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
