use super::*;
use geometry::mesh::shapes;
use geometry::voxels::{CellFormat, Layout};
use geometry::{Mesh, Sides, SolidSurface, Surface};

fn voxelise(mesh: Mesh, margin_mm: f64, voxels: u32, layout: Layout) -> VoxelTree {
    let surface = Surface::new(mesh);
    let solid = SolidSurface::new(&surface, Sides::Normals);
    let lattice = Lattice::around(surface.bounds(), margin_mm, voxels);
    let request = crate::voxelisation::Request { solid: &solid, lattice, layout, cell_format: CellFormat::Compact };
    crate::cpu::voxelisation::run(&request, &Progress::silent()).unwrap().tree
}

fn offset(tree: &VoxelTree, distance: f64, template: Template, culls: bool) -> Answer {
    run(&Request { tree, distance, template, earlier_passes: 0, culls }, &Progress::silent()).unwrap()
}

fn all(edge: i32) -> impl Iterator<Item = [i32; 3]> {
    (0..edge.pow(3)).map(move |number| [number % edge, number / edge % edge, number / (edge * edge)])
}

/// Checks every voxel against moving the whole template over the volume.
fn check(tree: &VoxelTree, made: &VoxelTree, edge: i32, distance: f64, voxels: &[[i32; 3]]) {
    let is_in = |voxel: [i32; 3]| {
        let at = |offset: &[i32; 3]| tree.voxel(std::array::from_fn(|axis| voxel[axis] + offset[axis]));
        if distance >= 0.0 {
            tree.is_in(voxel) || voxels.iter().any(|offset| at(offset) != Voxel::Empty)
        } else {
            tree.voxel(voxel) == Voxel::Full && voxels.iter().all(|offset| at(offset) == Voxel::Full)
        }
    };
    let set: std::collections::HashSet<[i32; 3]> = all(edge).filter(|voxel| is_in(*voxel)).collect();
    for voxel in all(edge) {
        let neighbours = (0..6).map(|side| {
            let mut neighbour = voxel;
            neighbour[side / 2] += if side % 2 == 0 { 1 } else { -1 };
            neighbour
        });
        let expected = match set.contains(&voxel) {
            false => Voxel::Empty,
            true if neighbours.into_iter().all(|neighbour| set.contains(&neighbour)) => Voxel::Full,
            true => Voxel::Surface,
        };
        assert_eq!(made.voxel(voxel), expected, "{voxel:?} {distance}");
    }
}

#[test]
fn dilations_and_erosions_are_those_of_moving_the_template_over_all_voxels() {
    let torus = || shapes::torus(6.0, 2.4, 48, 24);
    let layouts = [(4, 2, 8), (8, 2, 16), (4, 4, 8)];
    for (root, branching, leaf) in layouts {
        let tree = voxelise(torus(), 2.0, 40, Layout { root, branching, leaf });
        for (distance, kind) in [
            (3.0_f64, Template::Ball),
            (-2.0, Template::Ball),
            (3.7, Template::Ball),
            (3.0, Template::Shell),
            (-2.0, Template::Shell),
            (4.0, Template::Ring),
        ] {
            let voxels = template(kind, distance.abs(), 0);
            let made = offset(&tree, distance, kind, false);
            check(&tree, &made.tree, 40, distance, &voxels);
            if kind == Template::Ball {
                let culled = offset(&tree, distance, kind, true);
                assert!(culled.filtered <= made.filtered);
                assert_eq!(culled.tree.statistics(), made.tree.statistics());
                check(&tree, &culled.tree, 40, distance, &voxels);
            }
        }
    }
}

#[test]
fn an_erosion_is_the_complement_of_the_dilated_complement() {
    let tree = voxelise(shapes::sphere(5.0, 3), 1.0, 32, Layout { root: 4, branching: 2, leaf: 8 });
    for distance in [2.0, 4.5, 16.0] {
        let eroded = offset(&tree, -distance, Template::Ball, true).tree;
        let outside: Vec<[i32; 3]> = all(32).filter(|voxel| tree.voxel(*voxel) != Voxel::Full).collect();
        for voxel in all(32) {
            let is_reached = outside.iter().any(|other| {
                let squared: i32 = (0..3).map(|axis| (voxel[axis] - other[axis]).pow(2)).sum();
                f64::from(squared) <= distance * distance
            });
            assert_eq!(eroded.is_in(voxel), !is_reached, "{voxel:?}");
        }
        assert_eq!(eroded.leaves() == 0, distance == 16.0);
    }
}

#[test]
fn an_island_smaller_than_the_distance_leaves_no_cavity() {
    // 1, 10 and 45 voxels across.
    for (radius_mm, voxels, distance) in [(0.2, 72, 24.0), (2.0, 80, 24.0), (9.0, 120, 30.0)] {
        let layout = Layout { root: 4, branching: 2, leaf: 8 };
        let surface = Surface::new(shapes::sphere(radius_mm, 3));
        let solid = SolidSurface::new(&surface, Sides::Normals);
        let lattice = Lattice::about(&Point::origin(), 0.4 * f64::from(voxels), voxels);
        let request = crate::voxelisation::Request { solid: &solid, lattice, layout, cell_format: CellFormat::Compact };
        let tree = crate::cpu::voxelisation::run(&request, &Progress::silent()).unwrap().tree;
        let ball = offset(&tree, distance, Template::Ball, true).tree;
        let middle = voxels as i32 / 2;
        let is_solid = |tree: &VoxelTree| (0..distance as i32).all(|step| tree.is_in([middle + step, middle, middle]));
        assert!(is_solid(&ball), "{radius_mm}");
    }
}

#[test]
fn without_culling_whole_layers_of_leaves_are_filtered() {
    let tree = voxelise(shapes::sphere(20.0, 4), 12.0, 200, Layout { root: 8, branching: 2, leaf: 8 });
    let all = offset(&tree, 24.0, Template::Ring, false);
    let culled = offset(&tree, 24.0, Template::Ring, true);
    assert!(culled.filtered * 2 < all.filtered, "{} {}", culled.filtered, all.filtered);
    assert_eq!(culled.tree.statistics(), all.tree.statistics());
    assert!(all.filtered > 3 * tree.leaves(), "{} {}", all.filtered, tree.leaves());
}
