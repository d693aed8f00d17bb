//! Orientation of meshes: consistent winding of neighbouring facets, outward normals of solids, inward of cavities.

use super::shells::{Nesting, Shells};
use super::topology::Topology;
use super::{Aabb, Mesh, Surface};

/// Result of orienting closed shells: what was reversed, and which shells could not be decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orientation {
    /// Number of shells of which facets were reversed to face outward.
    pub outward: usize,
    /// Number of shells of which facets were reversed to face inward (cavities).
    pub inward: usize,
    /// Number of facets reversed.
    pub facets: usize,
    /// Number of closed shells that overlap others, or lie in one that does: whether they are cavities is undecided.
    pub undecided: usize,
    /// Bounding box of the undecided shells, mm.
    pub undecided_bounds: Aabb,
}

/// Orients closed shells by their nesting: those inside an even number of others face outward; those inside an odd
/// number are cavities and face inward. Shells that have a boundary, are not orientable or have an edge of more than
/// two facets are left unchanged, as are shells that one of those may surround, and shells that overlap another.
pub fn orient(surface: Surface) -> (Surface, Orientation) {
    let (reversed, orientation) = examine(&surface);
    if reversed.is_empty() {
        return (surface, orientation);
    }
    let mut mesh = surface.into_mesh();
    mesh.reverse(&reversed);
    (Surface::new(mesh), orientation)
}

/// The facets that [`orient`] would reverse, and the result that it would return.
pub fn examine(surface: &Surface) -> (Vec<u32>, Orientation) {
    let shells = Shells::of(surface.mesh(), surface.topology());
    let mut orientation = Orientation { outward: 0, inward: 0, facets: 0, undecided: 0, undecided_bounds: Aabb::EMPTY };
    let mut reversed = Vec::new();
    for (shell, nesting) in shells.list.iter().zip(shells.nesting(surface)) {
        if !shell.is_closed || nesting.is_in_open {
            continue;
        }
        let Some(depth) = nesting.depth else {
            orientation.undecided += 1;
            orientation.undecided_bounds = orientation.undecided_bounds.union(&shell.bounds);
            continue;
        };
        let is_cavity = depth % 2 == 1;
        let misoriented = shells.misoriented_facets(shell, is_cavity);
        if !misoriented.is_empty() {
            *(if is_cavity { &mut orientation.inward } else { &mut orientation.outward }) += 1;
            reversed.extend(misoriented);
        }
    }
    orientation.facets = reversed.len();
    (reversed, orientation)
}

/// Makes the winding of neighbouring facets consistent, and orients shells without a boundary: outward, or inward
/// inside an odd number of closed shells (cavities). Shells that overlap others count as solids. Shells with a boundary
/// keep the orientation of the majority of their facets. Returns the number of facets reversed.
pub fn unify(mesh: &mut Mesh) -> usize {
    let shells = Shells::of(mesh, &Topology::new(mesh));
    let nesting = match shells.list.len() {
        0 | 1 => vec![Nesting { depth: Some(0), is_in_open: false }; shells.list.len()],
        _ => shells.nesting(&Surface::new(mesh.clone())),
    };
    let mut count = 0;
    for (shell, nesting) in shells.list.iter().zip(nesting) {
        let reversed = if shell.has_no_boundary {
            shells.misoriented_facets(shell, nesting.depth.is_some_and(|depth| depth % 2 == 1))
        } else {
            // An open shell has no outside: keep the orientation of the majority of its facets.
            let opposite = shells.reversed_facets(shell, false);
            if opposite.len() * 2 > shell.facets.len() { shells.reversed_facets(shell, true) } else { opposite }
        };
        mesh.reverse(&reversed);
        count += reversed.len();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;
    use crate::{Point, Vector};

    #[test]
    fn mixed_winding_is_unified_outward() {
        let mut mesh = shapes::torus(10.0, 3.0, 24, 12);
        let volume = mesh.volume_mm3();
        for facet in (0..mesh.facets.len()).step_by(3) {
            mesh.facets[facet].swap(0, 1);
        }
        assert!(Topology::new(&mesh).inconsistent_edges > 0);
        unify(&mut mesh);
        assert!(Topology::new(&mesh).is_closed());
        assert!((mesh.volume_mm3() - volume).abs() < 1e-9);
        mesh.flip();
        assert_eq!(unify(&mut mesh), mesh.facets.len());
        assert!(mesh.volume_mm3() > 0.0);
    }

    #[test]
    fn cavities_stay_cavities_and_a_core_within_them_faces_outward() {
        let mut cavity = shapes::sphere(6.0, 2);
        cavity.flip();
        let mut casting = shapes::cuboid(Point::new(-10.0, -10.0, -10.0), Point::new(10.0, 10.0, 10.0));
        casting.append(&cavity);
        casting.append(&shapes::sphere(2.0, 2));
        let volume = casting.volume_mm3();
        assert_eq!(unify(&mut casting), 0);
        casting.flip();
        unify(&mut casting);
        assert!((casting.volume_mm3() - volume).abs() < 1e-9);
    }

    fn cube(centre: [f64; 3], half: f64) -> Mesh {
        let (centre, half) = (Point::from(centre), Vector::repeat(half));
        shapes::cuboid(centre - half, centre + half)
    }

    fn inside_out(mut mesh: Mesh) -> Mesh {
        mesh.flip();
        mesh
    }

    fn all(parts: &[Mesh]) -> Mesh {
        let mut mesh = Mesh::default();
        parts.iter().for_each(|part| mesh.append(part));
        mesh
    }

    /// Checks the counts of shells oriented outward, oriented inward and undecided, and signed distances afterwards.
    #[track_caller]
    fn check(mesh: Mesh, counts: [usize; 3], signs: &[([f64; 3], f64)]) -> Surface {
        let before = mesh.facets.clone();
        let (surface, found) = orient(Surface::new(mesh));
        assert_eq!([found.outward, found.inward, found.undecided], counts);
        let is_reversed = |(own, before): (&[u32; 3], &[u32; 3])| own != before;
        let reversed = surface.mesh().facets.iter().zip(&before).filter(|own| is_reversed(*own)).count();
        assert_eq!(reversed, found.facets);
        for (position, truth) in signs {
            let position = Point::from(*position);
            let hit = surface.closest_point(&position, f64::INFINITY).unwrap();
            let signed = surface.signed_distance_mm(&position, &hit);
            assert!((signed - truth).abs() < 1e-12, "{position}: {signed} {truth}");
        }
        // A second pass changes nothing.
        assert_eq!(examine(&surface).0.len(), 0);
        surface
    }

    #[test]
    fn of_two_separate_boxes_the_inverted_one_is_reversed() {
        let apart = |other| all(&[cube([0.0; 3], 5.0), other]);
        let signs =
            [([0.0, 0.0, 3.0], -2.0), ([0.0, 0.0, 6.0], 1.0), ([20.0, 0.0, 3.0], -2.0), ([20.0, 0.0, 7.0], 2.0)];
        check(apart(inside_out(cube([20.0, 0.0, 0.0], 5.0))), [1, 0, 0], &signs);
        check(apart(cube([20.0, 0.0, 0.0], 5.0)), [0, 0, 0], &signs);
        // Only some facets of a shell.
        let mut mixed = cube([20.0, 0.0, 0.0], 5.0);
        mixed.facets[3].swap(0, 1);
        assert_eq!(check(apart(mixed), [1, 0, 0], &signs).topology().inconsistent_edges, 0);
    }

    #[test]
    fn a_cavity_wound_as_a_solid_is_reversed_and_a_correct_one_is_unchanged() {
        let signs = [([0.0, 0.0, 8.0], -2.0), ([0.0, 0.0, 11.0], 1.0), ([0.0, 0.0, 3.0], 1.0), ([0.0; 3], 4.0)];
        let (body, hole) = (|| cube([0.0; 3], 10.0), || cube([0.0; 3], 4.0));
        check(all(&[body(), hole()]), [0, 1, 0], &signs);
        check(all(&[body(), inside_out(hole())]), [0, 0, 0], &signs);
        check(all(&[hole(), inside_out(body())]), [1, 1, 0], &signs);
    }

    #[test]
    fn three_nested_shells_alternate() {
        let parts = [cube([0.0; 3], 12.0), cube([0.0; 3], 8.0), cube([0.0; 3], 4.0)];
        let signs = [([0.0, 0.0, 11.0], -1.0), ([0.0, 0.0, 7.0], 1.0), ([0.0, 0.0, 5.0], 1.0), ([0.0, 0.0, 3.0], -1.0)];
        check(all(&parts), [0, 1, 0], &signs);
        check(inside_out(all(&parts)), [2, 0, 0], &signs);
        let [outer, hole, core] = parts;
        check(all(&[core, inside_out(hole), outer]), [0, 0, 0], &signs);
    }

    #[test]
    fn overlapping_shells_are_unchanged_and_reported_with_their_position() {
        let (one, other) = (cube([0.0; 3], 5.0), inside_out(cube([4.0, 3.0, 2.0], 5.0)));
        let overlapping = all(&[one, other, cube([40.0, 0.0, 0.0], 2.0)]);
        let (_, found) = orient(Surface::new(overlapping.clone()));
        assert_eq!((found.outward, found.inward, found.undecided), (0, 0, 2));
        assert!((found.undecided_bounds.centre() - Point::new(2.0, 1.5, 1.0)).norm() < 1e-12);
        // On explicit request, all count as solids.
        let mut mesh = overlapping;
        assert_eq!(unify(&mut mesh), 12);
    }

    #[test]
    fn open_shells_and_their_contents_are_unchanged() {
        let mut open = cube([0.0; 3], 10.0);
        open.facets.pop();
        for (inner, counts) in [(cube([0.0; 3], 3.0), [0, 0, 0]), (inside_out(cube([0.0; 3], 3.0)), [0, 0, 0])] {
            let (_, found) = orient(Surface::new(all(&[open.clone(), inner])));
            assert_eq!([found.outward, found.inward, found.undecided], counts);
        }
        let (_, found) = orient(Surface::new(inside_out(open)));
        assert_eq!(found.facets, 0);
    }
}
