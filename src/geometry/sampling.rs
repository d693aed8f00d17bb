//! Uniform sampling of points on a mesh.

use super::{Mesh, Point, Surface, Vector, triangle};
use base::random::Random;

/// A point on a mesh with the normal of its facet.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceSample {
    /// Position, mm.
    pub point: Point,
    /// Unit normal of its facet.
    pub normal: Vector,
    /// Index of its facet.
    pub facet: u32,
}

/// `count` points on the mesh with uniform density per area, reproducible for the same `seed`. Empty if the mesh has no
/// finite positive area.
pub fn by_area(mesh: &Mesh, count: usize, seed: u64) -> Vec<SurfaceSample> {
    let all: Vec<u32> = (0..mesh.facets.len() as u32).collect();
    of_facets(mesh, &all, count, seed)
}

/// As [`by_area`], whatever the order of the facets: shares of the area follow each other along a curve through space, so
/// that those of neighbours are even as well.
pub fn along_curve(surface: &Surface, count: usize, seed: u64) -> Vec<SurfaceSample> {
    of_facets(surface.mesh(), surface.facets_along_curve(), count, seed)
}

/// As [`by_area`], on some facets of the mesh.
pub fn of_facets(mesh: &Mesh, facets: &[u32], count: usize, seed: u64) -> Vec<SurfaceSample> {
    let mut cumulative = Vec::with_capacity(facets.len());
    let mut total = 0.0;
    for &facet in facets {
        total += triangle::area_vector(&mesh.corners(facet as usize)).norm();
        cumulative.push(total);
    }
    if !(total > 0.0 && total.is_finite()) {
        return Vec::new();
    }
    let mut random = Random::new(seed, 0x5A3F);
    (0..count)
        .map(|i| {
            // Stratified: one draw per equal share of the area.
            let target = (i as f64 + random.uniform()) / count as f64 * total;
            let facet = facets[cumulative.partition_point(|&sum| sum < target).min(facets.len() - 1)];
            let corners = mesh.corners(facet as usize);
            let (mut u, mut v) = (random.uniform(), random.uniform());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            let point = corners[0] + (corners[1] - corners[0]) * u + (corners[2] - corners[0]) * v;
            SurfaceSample { point, normal: triangle::normal(&corners), facet }
        })
        .collect()
}
