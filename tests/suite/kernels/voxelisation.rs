//! Voxelisation of surfaces.

use shadowgraph::base::Progress;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::voxelisation::Request;
use shadowgraph::compute::{Backend, Compute};
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::voxels::{CellFormat, Lattice, Layout};
use shadowgraph::geometry::{Mesh, Point, Sides, SolidSurface, Surface};

use super::{device, is_on_gpu};

fn agree(mesh: Mesh, voxels: u32, layout: Layout, sides: Sides) {
    let surface = Surface::new(mesh);
    let solid = SolidSurface::new(&surface, sides);
    let lattice = Lattice::around(surface.bounds(), 0.3, voxels);
    let request = Request { solid: &solid, lattice, layout, cell_format: CellFormat::Compact };
    let cuda = device();
    let ours = cuda.compute(&request, &Progress::silent()).unwrap().tree;
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
    let reference = Cpu.compute(&request, &Progress::silent()).unwrap().tree;
    assert_eq!(ours.statistics(), reference.statistics(), "{layout:?}");
    let edge = voxels as i32;
    for number in 0..edge.pow(3) {
        let voxel = [number % edge, number / edge % edge, number / (edge * edge)];
        assert_eq!(ours.voxel(voxel), reference.voxel(voxel), "{voxel:?} {layout:?}");
    }
}

#[test]
fn voxels_agree_with_the_processor_in_every_layout() {
    let cuboid = shapes::cuboid(Point::new(-3.0, -2.0, -1.0), Point::new(4.0, 5.0, 2.0));
    let (size, (along, around)) = if is_on_gpu() { (256, (512, 256)) } else { (40, (24, 12)) };
    let torus = || shapes::torus(6.0, 2.0, along, around);
    let layout = |root, branching, leaf| Layout { root, branching, leaf };
    agree(cuboid, size, layout(4, 2, 8), Sides::Normals);
    for (root, branching, leaf) in [(4, 2, 8), (8, 2, 16), (4, 4, 8), (4, 8, 16), (16, 2, 8)] {
        agree(torus(), size, layout(root, branching, leaf), Sides::Normals);
    }
    agree(torus(), size, layout(4, 2, 8), Sides::Open);
    // Two shells, one within the other, and thin walls: leaves of several parts.
    let mut thin = shapes::sphere(3.0, 2);
    let mut inner = shapes::sphere(2.85, 2);
    inner.flip();
    thin.append(&inner);
    agree(thin, size, layout(4, 2, 16), Sides::Normals);
}
