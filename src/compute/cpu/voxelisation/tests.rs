use super::*;
use base::random::Random;
use geometry::mesh::shapes;
use geometry::voxels::{CellFormat, Lattice, Layout, VoxelTree};
use geometry::{Mesh, Point, Sides, SolidSurface, Surface, Vector};

fn voxelise(mesh: Mesh, voxels: u32, layout: Layout, sides: Sides) -> (Surface, VoxelTree) {
    let surface = Surface::new(mesh);
    let lattice = Lattice::around(surface.bounds(), 0.5, voxels);
    let tree = {
        let solid = SolidSurface::new(&surface, sides);
        let request = Request { solid: &solid, lattice, layout, cell_format: CellFormat::Compact };
        run(&request, &Progress::silent()).unwrap().tree
    };
    (surface, tree)
}

fn turned(mesh: Mesh) -> Mesh {
    let pose = geometry::Pose::new(Vector::new(0.31, -0.2, 0.1), Vector::new(0.4, 0.7, -0.3));
    Mesh { vertices: mesh.vertices.iter().map(|vertex| pose * vertex).collect(), ..mesh }
}

fn parts() -> Vec<Mesh> {
    let gear = shapes::grid(40, 12, true, |u, v| {
        let (a, b) = (u * std::f64::consts::TAU, v * std::f64::consts::TAU);
        let radius = 8.0 + (8.0 * a).sin() + 2.0 * b.cos();
        Point::new(radius * a.cos(), radius * a.sin(), 2.0 * b.sin())
    });
    let cuboid = shapes::cuboid(Point::new(-3.0, -2.0, -1.0), Point::new(4.0, 5.0, 2.0));
    vec![shapes::sphere(5.0, 3), cuboid.clone(), turned(cuboid), shapes::torus(6.0, 2.0, 48, 24), gear]
}

#[test]
fn every_voxel_is_what_facets_and_sides_say_in_every_layout() {
    let layouts = [(4, 2, 8), (8, 2, 16), (16, 4, 8), (8, 4, 16), (4, 8, 8), (32, 2, 8), (64, 2, 16)];
    for mesh in parts() {
        let mut first: Option<VoxelTree> = None;
        for (root, branching, leaf) in layouts {
            let layout = Layout { root, branching, leaf };
            let (surface, tree) = voxelise(mesh.clone(), 64, layout, Sides::Normals);
            let lattice = *tree.lattice();
            assert_eq!(tree.height(), layout.height(64));
            match &first {
                None => {
                    // Against every facet and a search at every voxel.
                    let facets: Vec<LatticeFacet> = (0..surface.mesh().facets.len())
                        .map(|facet| LatticeFacet::new(&lattice, &surface.mesh().corners(facet)))
                        .collect();
                    for number in 0..64_u32.pow(3) {
                        let voxel = [number % 64, number / 64 % 64, number / 4096];
                        let signed = voxel.map(|index| index as i32);
                        let expected = if facets.iter().any(|facet| facet.meets(voxel, 1)) {
                            Voxel::Surface
                        } else {
                            let centre = lattice.centre(signed);
                            let hit = surface.closest_point(&centre, f64::INFINITY).unwrap();
                            if surface.signed_distance_mm(&centre, &hit) < 0.0 { Voxel::Full } else { Voxel::Empty }
                        };
                        assert_eq!(tree.voxel(signed), expected, "{voxel:?}");
                    }
                    first = Some(tree);
                }
                Some(first) => {
                    for number in 0..64_i32.pow(3) {
                        let voxel = [number % 64, number / 64 % 64, number / 4096];
                        assert_eq!(tree.voxel(voxel), first.voxel(voxel), "{layout:?} {voxel:?}");
                    }
                    let (own, of_first) = (tree.statistics(), first.statistics());
                    assert_eq!((own.active_voxels, own.inner_voxels), (of_first.active_voxels, of_first.inner_voxels));
                    let mut active = tree.active_voxels();
                    active.sort_unstable();
                    let mut of_first = first.active_voxels();
                    of_first.sort_unstable();
                    assert_eq!(active, of_first);
                }
            }
        }
    }
}

#[test]
fn the_number_of_active_voxels_follows_from_area_and_normals() {
    for mesh in parts() {
        let (surface, tree) = voxelise(mesh, 512, Layout::default(), Sides::Normals);
        let mesh = surface.mesh();
        let voxel_mm = tree.lattice().voxel_mm;
        let expected: f64 = (0..mesh.facets.len())
            .map(|facet| 0.5 * geometry::triangle::area_vector(&mesh.corners(facet)).abs().sum() / voxel_mm.powi(2))
            .sum();
        let found = tree.statistics().active_voxels as f64;
        // Edges and curvature add voxels, and faces of the box that lie along the lattice fall into one layer or two.
        let ratio = found / expected;
        assert!((0.99..1.06).contains(&ratio), "{found} {expected}: {ratio}");
    }
}

#[test]
fn a_surface_with_a_gap_is_filled_by_its_winding_numbers() {
    let mut mesh = shapes::sphere(5.0, 4);
    let whole = voxelise(mesh.clone(), 96, Layout::default(), Sides::Normals).1.statistics();
    mesh.facets.truncate(mesh.facets.len() - 12);
    let open = voxelise(mesh, 96, Layout::default(), Sides::WindingNumbers).1.statistics();
    let difference = whole.inner_voxels.abs_diff(open.inner_voxels) as f64;
    assert!(difference < 0.002 * whole.inner_voxels as f64, "{whole:?} {open:?}");
    assert_eq!(voxelise(shapes::sphere(5.0, 4), 96, Layout::default(), Sides::Open).1.statistics().inner_voxels, 0);
}

#[test]
fn cancelling_ends_a_build_and_too_high_a_resolution_is_refused() {
    let surface = Surface::new(shapes::sphere(5.0, 2));
    let solid = SolidSurface::new(&surface, Sides::Normals);
    let lattice = Lattice::around(surface.bounds(), 1.0, 256);
    let request = Request { solid: &solid, lattice, layout: Layout::default(), cell_format: CellFormat::Wide };
    let cancelled = Progress::new(std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true)), |_, _| ());
    assert_eq!(run(&request, &cancelled).unwrap_err(), base::UserError::cancelled());
    let fine = Request { lattice: Lattice { voxels: 1 << 20, ..lattice }, ..request };
    assert!(run(&fine, &Progress::silent()).unwrap_err().sentence.contains("per axis"));
}

#[test]
fn points_off_the_surface_are_inside_as_winding_numbers_say() {
    let mut random = Random::new(3, 0);
    for mesh in parts() {
        let (surface, tree) = voxelise(mesh, 128, Layout::default(), Sides::Normals);
        let winding = geometry::winding_number::WindingNumbers::new(&surface);
        let bounds = tree.lattice().bounds();
        for _ in 0..20_000 {
            let point = bounds.min + bounds.size().map(|edge| random.range(0.0, edge));
            let voxel = tree.lattice().voxel(&point).unwrap().map(|index| index as i32);
            if tree.voxel(voxel) != Voxel::Surface {
                assert_eq!(tree.is_in(voxel), winding.at(&point) > 0.5, "{point}");
            }
        }
    }
}
