//! Coarse meshes for drawing while the view moves.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use super::Mesh;
use super::weld::CoordinateHasher;

/// Simplifies `mesh` to about `facets` facets by vertex clustering on a uniform grid (Rossignac and Borrel 1993). For
/// drawing only: the result is neither closed nor exact. Returns a copy of a mesh without finite positive area.
pub fn by_clusters(mesh: &Mesh, facets: usize) -> Mesh {
    // Each occupied cell becomes a vertex, and a mesh has about two facets per vertex.
    let cell_mm = (2.0 * mesh.area_mm2() / facets.max(1) as f64).sqrt();
    if !(cell_mm > 0.0 && cell_mm.is_finite()) {
        return mesh.clone();
    }
    let origin = mesh.bounds().min;
    let mut cluster_at: HashMap<[i64; 3], u32, BuildHasherDefault<CoordinateHasher>> = HashMap::default();
    let mut coarse = Mesh::default();
    let cluster_of_vertex: Vec<u32> = mesh
        .vertices
        .iter()
        .map(|vertex| {
            let cell = ((vertex - origin) / cell_mm).map(|c| c.floor() as i64);
            *cluster_at.entry(cell.into()).or_insert_with(|| {
                coarse.vertices.push(*vertex);
                (coarse.vertices.len() - 1) as u32
            })
        })
        .collect();
    coarse.facets = mesh
        .facets
        .iter()
        .map(|facet| facet.map(|vertex| cluster_of_vertex[vertex as usize]))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .collect();
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
