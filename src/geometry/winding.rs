//! Winding: every facet against its neighbours, solids outward, cavities inward.

use super::shells::{Nesting, Shells};
use super::topology::Topology;
use super::{Aabb, Mesh, Surface};

/// What was turned so that closed shells face outward, or inward as cavities; and what was not, as that is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orientation {
    /// Shells with facets that were turned so that they face outward.
    pub outward: usize,
    /// Shells with facets that were turned so that they face inward.
    pub inward: usize,
    /// Facets turned.
    pub facets: usize,
    /// Closed shells that overlap others, or lie in such: which are cavities is not known.
    pub undecided: usize,
    /// Box around those, mm.
    pub undecided_bounds: Aabb,
}

/// Turns closed shells by their nesting: those in an even number of others face outward, those in an odd number are
/// cavities and face inward. What has a rim, one side, or an edge of more than two facets stays as it is, and so does
/// what such a shell may surround, and what overlaps another.
pub fn orient(surface: Surface) -> (Surface, Orientation) {
    let (turned, orientation) = examine(&surface);
    if turned.is_empty() {
        return (surface, orientation);
    }
    let mut mesh = surface.into_mesh();
    turned.iter().for_each(|&facet| mesh.facets[facet as usize].swap(1, 2));
    (Surface::new(mesh), orientation)
}

/// The facets that [`orient`] would turn, and what it would say.
pub fn examine(surface: &Surface) -> (Vec<u32>, Orientation) {
    let shells = Shells::of(surface.mesh(), surface.topology());
    let mut orientation = Orientation { outward: 0, inward: 0, facets: 0, undecided: 0, undecided_bounds: Aabb::EMPTY };
    let mut turned = Vec::new();
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
        let wrong = shells.turned_wrongly(shell, is_cavity);
        if !wrong.is_empty() {
            *(if is_cavity { &mut orientation.inward } else { &mut orientation.outward }) += 1;
            turned.extend(wrong);
        }
    }
    orientation.facets = turned.len();
    (turned, orientation)
}

/// Turns facets so that each runs against its neighbours, and parts without a rim outward; those inside an odd number
/// of closed ones are cavities and face inward, those that overlap others count as solids. Returns how many facets were
/// turned.
pub fn unify(mesh: &mut Mesh) -> usize {
    let shells = Shells::of(mesh, &Topology::new(mesh));
    let nesting = match shells.list.len() {
        0 | 1 => vec![Nesting { depth: Some(0), is_in_open: false }; shells.list.len()],
        _ => shells.nesting(&Surface::new(mesh.clone())),
    };
    let mut count = 0;
    for (shell, nesting) in shells.list.iter().zip(nesting) {
        let turned = if shell.is_rimless {
            shells.turned_wrongly(shell, nesting.depth.is_some_and(|depth| depth % 2 == 1))
        } else {
            // An open part has no outside: keep what most of its facets say.
            let opposed = shells.opposed_to(shell, false);
            if opposed.len() * 2 > shell.facets.len() { shells.opposed_to(shell, true) } else { opposed }
        };
        turned.iter().for_each(|&facet| mesh.facets[facet as usize].swap(1, 2));
        count += turned.len();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;
    use crate::{Point, Vector};

    #[test]
    fn mixed_winding_is_found_and_unified_outward() {
        let mut mesh = shapes::torus(10.0, 3.0, 24, 12);
        let volume = mesh.volume_mm3();
        for facet in (0..mesh.facets.len()).step_by(3) {
            mesh.facets[facet].swap(0, 1);
        }
        assert!(Topology::new(&mesh).turned_edges > 0);
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

    /// How many shells are turned outward and inward, how many are undecided, and signed distances afterwards.
    #[track_caller]
    fn check(mesh: Mesh, counts: [usize; 3], signs: &[([f64; 3], f64)]) -> Surface {
        let before = mesh.facets.clone();
        let (surface, found) = orient(Surface::new(mesh));
        assert_eq!([found.outward, found.inward, found.undecided], counts);
        let is_turned = |(own, before): (&[u32; 3], &[u32; 3])| own != before;
        let turned = surface.mesh().facets.iter().zip(&before).filter(|own| is_turned(*own)).count();
        assert_eq!(turned, found.facets);
        for (place, truth) in signs {
            let place = Point::from(*place);
            let hit = surface.closest_point(&place, f64::INFINITY).unwrap();
            let signed = surface.signed_distance_mm(&place, &hit);
            assert!((signed - truth).abs() < 1e-12, "{place}: {signed} {truth}");
        }
        // Turned once, it stays.
        assert_eq!(examine(&surface).0.len(), 0);
        surface
    }

    #[test]
    fn of_two_boxes_apart_the_one_inside_out_is_turned() {
        let apart = |other| all(&[cube([0.0; 3], 5.0), other]);
        let signs =
            [([0.0, 0.0, 3.0], -2.0), ([0.0, 0.0, 6.0], 1.0), ([20.0, 0.0, 3.0], -2.0), ([20.0, 0.0, 7.0], 2.0)];
        check(apart(inside_out(cube([20.0, 0.0, 0.0], 5.0))), [1, 0, 0], &signs);
        check(apart(cube([20.0, 0.0, 0.0], 5.0)), [0, 0, 0], &signs);
        // Some facets of a shell only.
        let mut mixed = cube([20.0, 0.0, 0.0], 5.0);
        mixed.facets[3].swap(0, 1);
        assert_eq!(check(apart(mixed), [1, 0, 0], &signs).topology().turned_edges, 0);
    }

    #[test]
    fn a_cavity_wound_as_a_solid_is_turned_inward_and_one_wound_right_is_left() {
        let signs = [([0.0, 0.0, 8.0], -2.0), ([0.0, 0.0, 11.0], 1.0), ([0.0, 0.0, 3.0], 1.0), ([0.0; 3], 4.0)];
        let (body, hole) = (|| cube([0.0; 3], 10.0), || cube([0.0; 3], 4.0));
        check(all(&[body(), hole()]), [0, 1, 0], &signs);
        check(all(&[body(), inside_out(hole())]), [0, 0, 0], &signs);
        check(all(&[hole(), inside_out(body())]), [1, 1, 0], &signs);
    }

    #[test]
    fn shells_nested_three_deep_face_by_turns() {
        let parts = [cube([0.0; 3], 12.0), cube([0.0; 3], 8.0), cube([0.0; 3], 4.0)];
        let signs = [([0.0, 0.0, 11.0], -1.0), ([0.0, 0.0, 7.0], 1.0), ([0.0, 0.0, 5.0], 1.0), ([0.0, 0.0, 3.0], -1.0)];
        check(all(&parts), [0, 1, 0], &signs);
        check(inside_out(all(&parts)), [2, 0, 0], &signs);
        let [outer, hole, core] = parts;
        check(all(&[core, inside_out(hole), outer]), [0, 0, 0], &signs);
    }

    #[test]
    fn shells_that_overlap_are_left_and_told_with_their_place() {
        let (one, other) = (cube([0.0; 3], 5.0), inside_out(cube([4.0, 3.0, 2.0], 5.0)));
        let overlapping = all(&[one, other, cube([40.0, 0.0, 0.0], 2.0)]);
        let (_, found) = orient(Surface::new(overlapping.clone()));
        assert_eq!((found.outward, found.inward, found.undecided), (0, 0, 2));
        assert!((found.undecided_bounds.centre() - Point::new(2.0, 1.5, 1.0)).norm() < 1e-12);
        // Asked for by hand, they all count as solids.
        let mut mesh = overlapping;
        assert_eq!(unify(&mut mesh), 12);
    }

    #[test]
    fn open_shells_and_what_lies_in_them_are_left() {
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
