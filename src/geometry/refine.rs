//! Mesh refinement to a maximum edge length, without T-junctions and without changing the surface.

mod planar;
mod regions;

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

pub use regions::Expected;

use super::weld::CoordinateHasher;
use super::{Mesh, Point};
use base::{Progress, Result, UserError};

type Midpoints = HashMap<u64, u32, BuildHasherDefault<CoordinateHasher>>;

/// Facets count as lying in one plane if their corners do to this share of the diagonal of the mesh: the digits of files.
pub const PLANE: f64 = 1e-6;

/// Maximum number of facets of a refined mesh.
pub const MAX_FACETS: usize = 50_000_000;

/// Triangulates plane regions anew until no edge is longer than `max_edge_mm`: edges between regions are divided evenly, and
/// points are added inside. So there are no T-junctions, no more facets than needed where a file has long and narrow ones, and
/// every point stays within [`PLANE`] of the surface. Returns the refined mesh and, for each of its facets, the index of the facet of
/// `mesh` that contains its centroid. Returns an error if the length is not positive and finite, if the mesh would exceed
/// [`MAX_FACETS`], or on cancellation.
pub fn to_max_edge(mesh: &Mesh, max_edge_mm: f64, progress: &Progress) -> Result<(Mesh, Vec<u32>)> {
    if !(max_edge_mm > 0.0 && max_edge_mm.is_finite()) {
        return Err(UserError::usage("The maximum edge length must be a positive number of mm."));
    }
    let expected = mesh.area_mm2() / (0.3 * max_edge_mm * max_edge_mm);
    if expected > MAX_FACETS as f64 {
        return Err(UserError::usage(format!(
            "A maximum edge length of {max_edge_mm} mm would give about {expected:.2e} facets; choose a length that \
             keeps the count below {MAX_FACETS}."
        )));
    }
    regions::refined(mesh, max_edge_mm, progress)
}

/// Bisects edges longer than `max_edge_mm` in the neighbourhood of `centre`: those within `radius_mm` plus half their
/// own length. Stops before a pass that would exceed [`MAX_FACETS`].
pub fn near(mesh: &Mesh, centre: &Point, radius_mm: f64, max_edge_mm: f64) -> Mesh {
    let mut current = mesh.clone();
    loop {
        let (next, _) = split_where(&current, |from, to| {
            let along = to - from;
            let t = ((centre - from).dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
            // Facets extend beyond their edges: add half the edge length.
            (from + along * t - centre).norm() < radius_mm + 0.5 * along.norm() && along.norm() > max_edge_mm
        });
        if next.facets.len() == current.facets.len() || next.facets.len() > MAX_FACETS {
            return current;
        }
        current = next;
    }
}

/// Splits every facet into four at the midpoints of its edges.
pub fn split_all_once(mesh: &Mesh) -> Mesh {
    split_where(mesh, |_, _| true).0
}

fn split_where(mesh: &Mesh, is_long: impl Fn(&Point, &Point) -> bool) -> (Mesh, Vec<u32>) {
    let mut out = Mesh { vertices: mesh.vertices.clone(), ..Mesh::default() };
    out.facets.reserve(mesh.facets.len());
    let mut sources = Vec::with_capacity(mesh.facets.len());
    let mut midpoints = Midpoints::default();
    for (index, facet) in mesh.facets.iter().enumerate() {
        let midpoint_of_edge: [Option<u32>; 3] = std::array::from_fn(|edge| {
            let (a, b) = (facet[edge], facet[(edge + 1) % 3]);
            // Lower vertex first, so that both facets of the edge compute bitwise the same values.
            let (a, b) = (a.min(b), a.max(b));
            let (from, to) = (mesh.vertices[a as usize], mesh.vertices[b as usize]);
            is_long(&from, &to).then(|| {
                *midpoints.entry(u64::from(a) << 32 | u64::from(b)).or_insert_with(|| {
                    out.vertices.push(nalgebra::center(&from, &to));
                    (out.vertices.len() - 1) as u32
                })
            })
        });
        let count_before = out.facets.len();
        split_facet(*facet, midpoint_of_edge, &out.vertices, &mut out.facets);
        sources.extend(std::iter::repeat_n(index as u32, out.facets.len() - count_before));
    }
    if !mesh.cad_faces.is_empty() {
        out.cad_faces = sources.iter().map(|&source| mesh.cad_faces[source as usize]).collect();
    }
    (out, sources)
}

fn split_facet(facet: [u32; 3], midpoints: [Option<u32>; 3], vertices: &[Point], out: &mut Vec<[u32; 3]>) {
    let rotated =
        |by: usize| (std::array::from_fn(|i| facet[(i + by) % 3]), std::array::from_fn(|i| midpoints[(i + by) % 3]));
    let split_count = midpoints.iter().flatten().count();
    // Rotate the corners so that a single split edge, or a single unsplit one, comes first.
    let first = match split_count {
        1 => midpoints.iter().position(Option::is_some),
        2 => midpoints.iter().position(Option::is_none),
        _ => Some(0),
    };
    let ([a, b, c], midpoints): ([u32; 3], [Option<u32>; 3]) = rotated(first.unwrap_or(0));
    match midpoints {
        [Some(ab), None, None] => out.extend([[a, ab, c], [ab, b, c]]),
        [None, Some(bc), Some(ca)] => {
            out.push([bc, c, ca]);
            // The shorter diagonal of the remaining quadrilateral a, b, bc, ca.
            let length = |i: u32, j: u32| (vertices[i as usize] - vertices[j as usize]).norm_squared();
            if length(a, bc) <= length(b, ca) {
                out.extend([[a, b, bc], [a, bc, ca]]);
            } else {
                out.extend([[a, b, ca], [b, bc, ca]]);
            }
        }
        [Some(ab), Some(bc), Some(ca)] => out.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]),
        _ => out.push([a, b, c]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mesh::shapes, topology::Topology};

    #[test]
    fn refinement_keeps_area_and_volume_and_leaves_no_t_junction() {
        let mesh = shapes::cuboid(Point::origin(), Point::new(30.0, 7.0, 1.0));
        for max_edge_mm in [5.0, 1.3, 0.4] {
            let (fine, parents) = to_max_edge(&mesh, max_edge_mm, &Progress::silent()).unwrap();
            assert!(Topology::new(&fine).is_closed());
            assert!((fine.area_mm2() - mesh.area_mm2()).abs() < 1e-9);
            assert!((fine.volume_mm3() - mesh.volume_mm3()).abs() < 1e-9);
            assert_eq!(parents.len(), fine.facets.len());
            assert_eq!(fine.cad_faces.len(), fine.facets.len());
            for facet in 0..fine.facets.len() {
                let [a, b, c] = fine.corners(facet);
                let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
                assert!(longest <= max_edge_mm * (1.0 + 1e-9));
                assert!(fine.normal(facet).dot(&mesh.normal(parents[facet] as usize)) > 0.999_999);
            }
        }
    }

    /// A square plate with a round hole, triangulated as CAD systems do: every piece of the hole reaches a corner.
    fn plate_with_hole(side_mm: f64, pieces: u32) -> Mesh {
        let half = 0.5 * side_mm;
        let mut vertices: Vec<Point> = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]]
            .map(|[x, y]| Point::new(x * half, y * half, 2.0))
            .into();
        vertices.extend((0..pieces).map(|i| {
            let (sin, cos) = (f64::from(i) / f64::from(pieces) * std::f64::consts::TAU).sin_cos();
            Point::new(0.2 * side_mm * cos, 0.2 * side_mm * sin, 2.0)
        }));
        let mut facets = Vec::new();
        for i in 0..pieces {
            let (corner, next) = (4 * i / pieces, 4 * (i + 1) / pieces % 4);
            facets.push([corner, 4 + (i + 1) % pieces, 4 + i]);
            if next != corner {
                facets.push([corner, next, 4 + (i + 1) % pieces]);
            }
        }
        Mesh { vertices, facets, ..Mesh::default() }
    }

    /// Facets that an area needs if all are equilateral with the longest edge, and those that the edges between faces need.
    fn needed(mesh: &Mesh, max_edge_mm: f64) -> f64 {
        mesh.area_mm2() / (0.75_f64.sqrt() / 2.0 * max_edge_mm * max_edge_mm)
    }

    fn check(mesh: &Mesh, max_edge_mm: f64) -> usize {
        let (fine, parents) = to_max_edge(mesh, max_edge_mm, &Progress::silent()).unwrap();
        let before = Topology::new(mesh);
        let after = Topology::new(&fine);
        assert_eq!((after.non_manifold_edges, after.inconsistent_edges), (0, 0));
        assert_eq!(after.open_edges == 0, before.open_edges == 0);
        assert!((fine.area_mm2() - mesh.area_mm2()).abs() < 1e-9 * mesh.area_mm2());
        for (facet, &parent) in parents.iter().enumerate() {
            let corners = fine.corners(facet);
            let [a, b, c] = corners;
            let longest = (b - a).norm().max((c - b).norm()).max((a - c).norm());
            assert!(longest <= max_edge_mm * (1.0 + 1e-9), "{longest}");
            assert!(fine.normal(facet).dot(&mesh.normal(parent as usize)) > 0.999_999);
            // Its centroid lies on its parent.
            let centroid = crate::triangle::centroid(&corners);
            let (at, _) = crate::triangle::closest_point(&centroid, &mesh.corners(parent as usize));
            assert!((at - centroid).norm() < 1e-6, "{facet}: {}", (at - centroid).norm());
        }
        let expected = Expected::of(mesh).facets(max_edge_mm) / fine.facets.len() as f64;
        assert!((0.5..2.0).contains(&expected), "{expected}");
        fine.facets.len()
    }

    #[test]
    fn plates_of_slivers_get_no_more_than_twice_the_facets_that_their_area_needs() {
        for (side_mm, pieces, max_edge_mm) in [(100.0, 360, 1.0), (100.0, 360, 3.0), (40.0, 48, 0.5), (100.0, 720, 0.8)]
        {
            let plate = plate_with_hole(side_mm, pieces);
            let count = check(&plate, max_edge_mm);
            let needed = needed(&plate, max_edge_mm);
            assert!((count as f64) < 2.0 * needed, "{side_mm} {pieces} {max_edge_mm}: {count}, {needed:.0}");
        }
    }

    #[test]
    fn narrow_strips_of_cylinders_are_divided_along_alone() {
        let (radius_mm, height_mm, pieces) = (20.0, 200.0, 360);
        let mut cylinder = Mesh::default();
        for i in 0..pieces {
            let (sin, cos) = (f64::from(i) / f64::from(pieces) * std::f64::consts::TAU).sin_cos();
            cylinder.vertices.extend([0.0, height_mm].map(|z| Point::new(radius_mm * cos, radius_mm * sin, z)));
        }
        for i in 0..pieces as u32 {
            let (a, b) = (2 * i, 2 * ((i + 1) % pieces as u32));
            cylinder.facets.extend([[a, b, a + 1], [b, b + 1, a + 1]]);
        }
        for max_edge_mm in [5.0, 1.0] {
            let count = check(&cylinder, max_edge_mm) as f64;
            // Of each strip both sides, and a few more where its diagonals are as long as the edges.
            assert!(count <= 2.6 * f64::from(pieces) * (height_mm / max_edge_mm), "{max_edge_mm}: {count}");
        }
    }

    #[test]
    fn the_order_of_facets_and_corners_changes_nothing() {
        let mut plate = plate_with_hole(60.0, 96);
        plate.append(&shapes::torus(15.0, 4.0, 12, 8));
        let corners = |mesh: &Mesh| {
            let fine = to_max_edge(mesh, 2.0, &Progress::silent()).unwrap().0;
            let mut all: Vec<[i64; 3]> =
                fine.vertices.iter().map(|own| own.coords.map(|c| (1e6 * c).round() as i64).into()).collect();
            all.sort_unstable();
            (all, fine.facets.len())
        };
        let as_listed = corners(&plate);
        let mut random = base::random::Random::new(5, 9);
        for _ in 0..3 {
            let mut shuffled = plate.clone();
            random.shuffle(&mut shuffled.facets);
            shuffled.facets.iter_mut().for_each(|facet| facet.rotate_left(random.index(3)));
            assert_eq!(corners(&shuffled), as_listed);
        }
    }

    #[test]
    fn other_shapes_are_refined_without_gaps() {
        let torus = shapes::torus(20.0, 6.0, 40, 20);
        let count = check(&torus, 1.0) as f64;
        assert!(count < 2.6 * needed(&torus, 1.0), "{count}, {:.0}", needed(&torus, 1.0));
        let block = shapes::cuboid(Point::origin(), Point::new(30.0, 7.0, 1.0));
        for max_edge_mm in [40.0, 5.0, 0.3] {
            check(&block, max_edge_mm);
        }
    }

    #[test]
    fn invalid_lengths_are_rejected() {
        let mesh = shapes::cuboid(Point::origin(), Point::new(30.0, 7.0, 1.0));
        for length in [0.0, -1.0, f64::NAN, 1e-6] {
            assert!(to_max_edge(&mesh, length, &Progress::silent()).is_err());
        }
    }
}
