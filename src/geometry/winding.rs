//! Orientation of meshes: consistent winding of neighbouring facets, outward normals of solids, inward of cavities.

use rayon::prelude::*;

use super::shells::{Nesting, Shells};
use super::topology::Topology;
use super::{Aabb, Mesh, Point, Surface, triangle};

/// Distance below which bodies touch, in diagonals of the part, and cosine of the angle up to which their faces are parallel.
const TOUCHING: f64 = 1e-6;
const PARALLEL: f64 = 1.0 - 1e-9;

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
    /// Whether all of these overlap and have a part outside all others, where they face outward: then they are taken as one
    /// solid.
    pub is_union: bool,
    /// Area over which bodies touch each other face to face, mm².
    pub touching_mm2: f64,
    /// Centre of that area, mm.
    pub touching_centre_mm: [f64; 3],
}

/// Orients closed shells by their nesting: those inside an even number of others face outward; those inside an odd
/// number are cavities and face inward. Shells that have a boundary, are not orientable or have an edge of more than
/// two facets are left unchanged, as are shells that one of those may surround. Shells that overlap others face outward if a
/// part of them lies outside all others, as no cavity does; else they are left unchanged.
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
    let (touching_mm2, touching_centre_mm) = touching(surface, &shells);
    let mut orientation = Orientation {
        outward: 0,
        inward: 0,
        facets: 0,
        undecided: 0,
        undecided_bounds: Aabb::EMPTY,
        is_union: true,
        touching_mm2,
        touching_centre_mm,
    };
    let mut reversed = Vec::new();
    for (shell, nesting) in shells.list.iter().zip(shells.nesting(surface)) {
        if !shell.is_closed || nesting.is_in_open {
            continue;
        }
        let Some(depth) = nesting.depth else {
            orientation.undecided += 1;
            orientation.undecided_bounds = orientation.undecided_bounds.union(&shell.bounds);
            if nesting.least_depth != Some(0) {
                orientation.is_union = false;
                continue;
            }
            let misoriented = shells.misoriented_facets(shell, false);
            orientation.outward += usize::from(!misoriented.is_empty());
            reversed.extend(misoriented);
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
    orientation.is_union &= orientation.undecided > 0;
    (reversed, orientation)
}

/// Area over which faces of different bodies lie on each other, facing each other, mm², and its centre, mm.
fn touching(surface: &Surface, shells: &Shells) -> (f64, [f64; 3]) {
    // Bodies whose vertices are shared hang together along edges of four facets.
    let is_shared = surface.topology().non_manifold_edges > 0;
    if shells.list.len() < 2 && !is_shared {
        return (0.0, [0.0; 3]);
    }
    let (mesh, within_mm) = (surface.mesh(), TOUCHING * surface.bounds().diagonal());
    let touches = |facet: usize, at: &Point| {
        let (own, normal) = (shells.of_facet[facet], mesh.normal(facet));
        let is_opposed = |other: u32| {
            (is_shared || shells.of_facet[other as usize] != own)
                && mesh.normal(other as usize).dot(&normal) < -PARALLEL
        };
        surface.closest_point_where(at, within_mm, is_opposed).is_some()
    };
    let of_facet = |facet: usize| {
        let corners = mesh.corners(facet);
        let centroid = triangle::centroid(&corners);
        let near = corners.map(|corner| nalgebra::center(&corner, &centroid));
        let touching = [centroid].into_iter().chain(near).filter(|at| touches(facet, at)).count();
        // Both faces count.
        let area_mm2 = 0.25 * triangle::area_vector(&corners).norm() * touching as f64 / 4.0;
        (area_mm2, centroid.coords * area_mm2)
    };
    let all: Vec<_> = (0..mesh.facets.len()).into_par_iter().map(of_facet).collect();
    let (area_mm2, moment) = all.into_iter().fold((0.0, super::Vector::zeros()), |a, b| (a.0 + b.0, a.1 + b.1));
    let centre = if area_mm2 > 0.0 { moment / area_mm2 } else { moment };
    (area_mm2, centre.into())
}

/// Makes the winding of neighbouring facets consistent, and orients shells without a boundary: outward, or inward
/// inside an odd number of closed shells (cavities). Shells that overlap others count as solids. Shells with a boundary
/// keep the orientation of the majority of their facets. Returns the number of facets reversed.
pub fn unify(mesh: &mut Mesh) -> usize {
    let shells = Shells::of(mesh, &Topology::new(mesh));
    let nesting = match shells.list.len() {
        0 | 1 => vec![Nesting { depth: Some(0), least_depth: None, is_in_open: false }; shells.list.len()],
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

    /// A part of each lies outside the other, where only a solid can be; a cavity that crosses another one has none.
    #[test]
    fn overlapping_shells_face_outward_and_are_reported_with_their_position() {
        let (one, other) = (cube([0.0; 3], 5.0), inside_out(cube([4.0, 3.0, 2.0], 5.0)));
        let overlapping = all(&[one, other, cube([40.0, 0.0, 0.0], 2.0)]);
        let (turned, found) = orient(Surface::new(overlapping.clone()));
        assert_eq!((found.outward, found.inward, found.undecided, found.is_union), (1, 0, 2, true));
        assert!((found.undecided_bounds.centre() - Point::new(2.0, 1.5, 1.0)).norm() < 1e-12);
        assert!((turned.mesh().volume_mm3() - 2064.0).abs() < 1e-9);
        let cavities =
            all(&[cube([0.0; 3], 20.0), inside_out(cube([0.0; 3], 5.0)), inside_out(cube([4.0, 3.0, 2.0], 5.0))]);
        let (_, found) = orient(Surface::new(cavities));
        assert_eq!((found.outward, found.inward, found.undecided, found.is_union), (0, 0, 2, false));
        // On explicit request, all count as solids.
        let mut mesh = overlapping;
        assert_eq!(unify(&mut mesh), 12);
    }

    /// Whole faces, also welded, a part of one, and a pin in its hole; faces that only lie in one plane do not touch.
    #[test]
    fn bodies_that_touch_face_to_face_are_told() {
        let welded = |mesh: Mesh| crate::weld::clean(mesh).0;
        let one = || cube([0.0; 3], 5.0);
        for (mesh, area_mm2) in [
            (all(&[one(), cube([10.0, 0.0, 0.0], 5.0)]), 100.0),
            (welded(all(&[one(), cube([10.0, 0.0, 0.0], 5.0)])), 100.0),
            (all(&[one(), cube([8.0, 0.5, 0.5], 3.0)]), 36.0),
            (all(&[one(), cube([12.0, 0.0, 0.0], 5.0)]), 0.0),
            (all(&[one(), cube([10.0, 20.0, 0.0], 5.0)]), 0.0),
            (all(&[one(), cube([3.0, 0.0, 0.0], 2.0)]), 0.0),
        ] {
            let (_, found) = examine(&Surface::new(mesh));
            // On facets larger than what they touch, about so much.
            let within_mm2 = if area_mm2 == 36.0 { 30.0 } else { 1e-9 };
            assert!((found.touching_mm2 - area_mm2).abs() <= within_mm2, "{area_mm2}: {}", found.touching_mm2);
        }
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
