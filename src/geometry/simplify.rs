//! Coarse meshes for drawing while the view moves.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::triangle::area_vector;
use super::weld::CoordinateHasher;
use super::{Aabb, Mesh, Point};

/// Facets between some of the same vertices, about `wanted` of them: those whose corners fall into one cell of a uniform
/// grid become one corner, the first of them (vertex clustering; Rossignac and Borrel 1993). For drawing only: the
/// result is neither closed nor exact. All facets if they have no finite positive area.
pub fn clustered(vertices: &[Point], facets: &[[u32; 3]], wanted: usize) -> Vec<[u32; 3]> {
    let area = |facet: &[u32; 3]| 0.5 * area_vector(&facet.map(|vertex| vertices[vertex as usize])).norm();
    // Each occupied cell becomes a vertex, and a mesh has about two facets per vertex.
    let cell_mm = (2.0 * facets.iter().map(area).sum::<f64>() / wanted.max(1) as f64).sqrt();
    if !(cell_mm > 0.0 && cell_mm.is_finite()) {
        return facets.to_vec();
    }
    let origin = Aabb::of_points(vertices).min;
    let mut first_in: HashMap<[i64; 3], u32, BuildHasherDefault<CoordinateHasher>> = HashMap::default();
    let in_cell = |(index, vertex): (u32, &Point)| {
        let cell = ((vertex - origin) / cell_mm).map(|c| c.floor() as i64);
        *first_in.entry(cell.into()).or_insert(index)
    };
    let corner: Vec<u32> = (0..).zip(vertices).map(in_cell).collect();
    let clustered = facets.iter().map(|facet| facet.map(|vertex| corner[vertex as usize]));
    clustered.filter(|[a, b, c]| a != b && b != c && c != a).collect()
}

/// As [`clustered`], without the vertices that are no corners.
pub fn by_clusters(mesh: &Mesh, facets: usize) -> Mesh {
    let mut coarse = Mesh { facets: clustered(&mesh.vertices, &mesh.facets, facets), ..Mesh::default() };
    let mut indices = vec![u32::MAX; mesh.vertices.len()];
    for vertex in coarse.facets.iter_mut().flatten() {
        let index = &mut indices[*vertex as usize];
        if *index == u32::MAX {
            *index = coarse.vertices.len() as u32;
            coarse.vertices.push(mesh.vertices[*vertex as usize]);
        }
        *vertex = *index;
    }
    coarse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    #[test]
    fn a_coarse_torus_keeps_its_size_with_far_fewer_facets() {
        let mesh = shapes::torus(40.0, 12.0, 400, 200);
        let coarse = by_clusters(&mesh, 10_000);
        assert!((4_000..20_000).contains(&coarse.facets.len()), "{}", coarse.facets.len());
        assert!((coarse.bounds().diagonal() / mesh.bounds().diagonal() - 1.0).abs() < 0.02);
        assert!((coarse.volume_mm3() / mesh.volume_mm3() - 1.0).abs() < 0.05);
    }
}
