//! Mesh refinement to a maximum edge length, without T-junctions and without changing the surface.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::weld::CoordinateHasher;
use super::{Mesh, Point};
use base::{Progress, Result, UserError};

type Midpoints = HashMap<u64, u32, BuildHasherDefault<CoordinateHasher>>;

/// Maximum number of facets of a refined mesh.
pub const MAX_FACETS: usize = 50_000_000;

/// Bisects edges longer than `max_edge_mm` until none is left. The facets at an edge share its midpoint, so there are
/// no T-junctions; each pass splits a facet into 2, 3 or 4. Returns the refined mesh and, for each of its facets, the
/// index of the facet of `mesh` that contains it. Returns an error if the length is not positive and finite, if the
/// mesh would exceed [`MAX_FACETS`], or on cancellation.
pub fn to_max_edge(mesh: &Mesh, max_edge_mm: f64, progress: &Progress) -> Result<(Mesh, Vec<u32>)> {
    if !(max_edge_mm > 0.0 && max_edge_mm.is_finite()) {
        return Err(UserError::usage("The maximum edge length must be a positive number of mm."));
    }
    let expected = mesh.area_mm2() / (0.2 * max_edge_mm * max_edge_mm);
    if expected > MAX_FACETS as f64 {
        return Err(UserError::usage(format!(
            "A maximum edge length of {max_edge_mm} mm would give about {expected:.2e} facets; choose a length that \
             keeps the count below {MAX_FACETS}."
        )));
    }
    let mut current = mesh.clone();
    let mut parents: Vec<u32> = (0..mesh.facets.len() as u32).collect();
    let longest_squared = max_edge_mm * max_edge_mm;
    loop {
        progress.check()?;
        let (next, sources) = split_where(&current, |from, to| (to - from).norm_squared() > longest_squared);
        if next.facets.len() == current.facets.len() {
            return Ok((current, parents));
        }
        if next.facets.len() > MAX_FACETS {
            return Err(UserError::usage(format!(
                "A maximum edge length of {max_edge_mm} mm gives more than {MAX_FACETS} facets; choose a larger one."
            )));
        }
        parents = sources.iter().map(|&source| parents[source as usize]).collect();
        current = next;
    }
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
                assert!(longest <= max_edge_mm);
                assert!(fine.normal(facet).dot(&mesh.normal(parents[facet] as usize)) > 0.999_999);
            }
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
