//! Offsets by exact distance on the CPU.

use super::level_set::{Field, LevelSet, Sample, limit_mm};
use crate::Capability;
use crate::distance_offset::{Answer, Request};
use base::{Progress, Result};
use geometry::voxels::build;
use geometry::{Point, Sides, SolidSurface, triangle};

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Answer> {
    progress.report(0.0, Request::LABEL)?;
    let field = SurfaceDistance(request.solid);
    let level_set = LevelSet { field: &field, lattice: request.lattice, distance_mm: request.distance_mm };
    let built = build(&level_set, request.lattice, request.layout, request.cell_format, progress)?;
    Ok(Answer { tree: built.tree, times: built.times })
}

/// The signed distance of a surface.
pub(super) struct SurfaceDistance<'a>(pub(super) &'a SolidSurface<'a>);

impl Field for SurfaceDistance<'_> {
    fn sample(&self, point: Point, known: Option<&Sample>) -> Sample {
        let limit = limit_mm(&point, known);
        let initial_facet = known.and_then(|known| known.facet);
        let Some(hit) = self.0.surface().closest_point_from(&point, limit, initial_facet) else {
            return Sample { point, signed_mm: limit, sign_holds_mm: 0.0, facet: None };
        };
        let (is_inside, sign_holds_mm) = match (self.0.sides(), known) {
            (Sides::Open, _) => (false, f64::INFINITY),
            (Sides::Normals, _) => (self.0.surface().signed_distance_mm(&point, &hit) < 0.0, f64::INFINITY),
            (Sides::WindingNumbers, Some(known)) if (point - known.point).norm() < known.sign_holds_mm => {
                (known.signed_mm < 0.0, known.sign_holds_mm - (point - known.point).norm())
            }
            (Sides::WindingNumbers, _) => self.0.side(&point, hit.distance_mm),
        };
        let signed_mm = if is_inside { -hit.distance_mm } else { hit.distance_mm };
        Sample { point, signed_mm, sign_holds_mm, facet: Some(hit.facet) }
    }

    fn at_most_mm(&self, point: &Point, known: &Sample) -> f64 {
        let Some(facet) = known.facet else { return f64::INFINITY };
        let (closest, _) = triangle::closest_point(point, &self.0.surface().mesh().corners(facet as usize));
        (point - closest).norm()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::mesh::shapes;
    use geometry::voxels::{CellFormat, Lattice, Layout, Voxel, VoxelTree};
    use geometry::{Mesh, Surface};

    fn offset(mesh: Mesh, voxels: u32, distance_mm: f64, layout: Layout, sides: Sides) -> (Surface, VoxelTree) {
        let surface = Surface::new(mesh);
        let lattice = Lattice::around(surface.bounds(), distance_mm.max(0.0), voxels);
        let tree = {
            let solid = SolidSurface::new(&surface, sides);
            let request = Request { solid: &solid, distance_mm, lattice, layout, cell_format: CellFormat::Compact };
            run(&request, &Progress::silent()).unwrap().tree
        };
        (surface, tree)
    }

    #[test]
    fn every_voxel_is_what_its_distance_and_those_of_its_neighbours_say() {
        let cuboid = shapes::cuboid(Point::new(-3.0, -2.0, -1.0), Point::new(4.0, 5.0, 2.0));
        let layouts = [(8, 2, 8), (4, 2, 16), (16, 4, 8), (4, 8, 8)];
        for mesh in [shapes::sphere(5.0, 3), cuboid, shapes::torus(6.0, 2.0, 48, 24)] {
            for (distance_mm, (root, branching, leaf)) in [2.0, 0.5, 0.0, -0.7].into_iter().zip(layouts) {
                let layout = Layout { root, branching, leaf };
                for sides in [Sides::Normals, Sides::WindingNumbers] {
                    let (surface, tree) = offset(mesh.clone(), 48, distance_mm, layout, sides);
                    let lattice = *tree.lattice();
                    let edge = 48;
                    let number = |voxel: [i32; 3]| ((voxel[2] * edge + voxel[1]) * edge + voxel[0]) as usize;
                    let at = |number: i32| [number % edge, number / edge % edge, number / (edge * edge)];
                    let is_in: Vec<bool> = (0..edge.pow(3))
                        .map(|number| {
                            let centre = lattice.centre(at(number));
                            let hit = surface.closest_point(&centre, f64::INFINITY).unwrap();
                            surface.signed_distance_mm(&centre, &hit) <= distance_mm
                        })
                        .collect();
                    let (mut skin, mut inner) = (0, 0);
                    for own in 0..edge.pow(3) {
                        let voxel = at(own);
                        let is_neighbour_in = |step: usize| {
                            let mut neighbour = voxel;
                            neighbour[step / 2] += if step.is_multiple_of(2) { 1 } else { -1 };
                            neighbour.iter().all(|index| (0..edge).contains(index)) && is_in[number(neighbour)]
                        };
                        let expected = match is_in[own as usize] {
                            false => Voxel::Empty,
                            true if (0..6).all(is_neighbour_in) => Voxel::Full,
                            true => Voxel::Surface,
                        };
                        assert_eq!(tree.voxel(voxel), expected, "{voxel:?} {distance_mm} {layout:?}");
                        (skin, inner) =
                            (skin + u64::from(expected == Voxel::Surface), inner + u64::from(expected == Voxel::Full));
                    }
                    let statistics = tree.statistics();
                    assert_eq!((statistics.active_voxels, statistics.inner_voxels), (skin, inner));
                }
            }
        }
    }

    #[test]
    fn volumes_are_those_of_steiner_and_an_erosion_to_nothing_is_empty() {
        let edges = [7.0_f64, 5.0, 3.0];
        let cuboid = || shapes::cuboid(Point::origin(), Point::from(edges));
        let steiner = |r: f64| {
            let [a, b, c] = edges;
            let pi = std::f64::consts::PI;
            a * b * c + 2.0 * r * (a * b + b * c + c * a) + pi * r * r * (a + b + c) + 4.0 / 3.0 * pi * r.powi(3)
        };
        for (distance_mm, volume) in [(1.5, steiner(1.5)), (0.4, steiner(0.4)), (-1.0, 5.0 * 3.0 * 1.0)] {
            let (_, tree) = offset(cuboid(), 300, distance_mm, Layout::default(), Sides::Normals);
            let statistics = tree.statistics();
            let voxels = statistics.active_voxels + statistics.inner_voxels;
            let found = voxels as f64 * tree.lattice().voxel_mm.powi(3);
            // Faces of an erosion may fall between two layers of voxels.
            let bound = if distance_mm > 0.0 { 1e-2 } else { 6e-2 };
            assert!((found / volume - 1.0).abs() < bound, "{distance_mm}: {found} {volume}");
        }
        let (_, gone) = offset(cuboid(), 300, -1.6, Layout::default(), Sides::Normals);
        assert_eq!((gone.leaves(), gone.statistics().inner_voxels, gone.statistics().active_voxels), (0, 0, 0));
    }

    #[test]
    fn overlapping_shells_are_dilated_as_one_part() {
        let one = shapes::cuboid(Point::new(-3.0, -3.0, -3.0), Point::new(3.0, 3.0, 3.0));
        let other = shapes::cuboid(Point::new(-1.0, -1.0, -1.0), Point::new(5.0, 1.0, 1.0));
        let mut both = one;
        both.append(&other);
        let (_, tree) = offset(both, 128, 0.5, Layout::default(), Sides::WindingNumbers);
        let is_in = |x, y, z| tree.is_in(tree.lattice().voxel(&Point::new(x, y, z)).unwrap().map(|index| index as i32));
        assert!(is_in(0.0, 0.0, 0.0) && is_in(2.0, 0.0, 0.0) && is_in(5.3, 0.0, 0.0) && is_in(-3.3, 0.0, 0.0));
        assert!(!is_in(4.0, 1.7, 0.0) && !is_in(0.0, 3.7, 0.0));
    }
}
