//! Coarse meshes for drawing while the view moves.

use super::triangle::area_vector;
use super::{Aabb, DisjointSets, Mesh, Point};

/// Facets between some of the same vertices, about `wanted` of them: those whose corners are joined by edges within one
/// cell of a uniform grid become one corner, the first of them (vertex clustering; Rossignac and Borrel 1993). The two
/// sides of a sheet thinner than a cell stay apart. For drawing only: the result is neither closed nor exact. All facets
/// if they have no finite positive area.
pub fn clustered(vertices: &[Point], facets: &[[u32; 3]], wanted: usize) -> Vec<[u32; 3]> {
    let area = |facet: &[u32; 3]| 0.5 * area_vector(&facet.map(|vertex| vertices[vertex as usize])).norm();
    // Each occupied cell becomes a vertex, and a mesh has about two facets per vertex; a surface in any direction passes
    // through half as many cells again as its area would fill.
    let cell_mm = (3.0 * facets.iter().map(area).sum::<f64>() / wanted.max(1) as f64).sqrt();
    if !(cell_mm > 0.0 && cell_mm.is_finite()) {
        return facets.to_vec();
    }
    let origin = Aabb::of_points(vertices).min;
    let cell = |vertex: &Point| -> [i32; 3] { ((vertex - origin) / cell_mm).map(|c| c.floor() as i32).into() };
    let cells: Vec<[i32; 3]> = vertices.iter().map(cell).collect();
    let mut clusters = DisjointSets::new(vertices.len());
    for &[a, b, c] in facets {
        for [a, b] in [[a, b], [b, c], [c, a]] {
            if cells[a as usize] == cells[b as usize] {
                clusters.join(a, b);
            }
        }
    }
    let clustered = facets.iter().map(|facet| facet.map(|vertex| clusters.root(vertex)));
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

    #[test]
    fn the_sides_of_a_thin_sheet_stay_apart() {
        // Two grids of 1 mm, 0.2 mm apart; cells are about 4 mm.
        let (across, mut vertices, mut facets) = (60_u32, Vec::new(), Vec::new());
        for side in 0..2 {
            let index = |x, y| side * across * across + x * across + y;
            for x in 0..across {
                for y in 0..across {
                    vertices.push(Point::new(f64::from(x), f64::from(y), 0.2 * f64::from(side)));
                    if x > 0 && y > 0 {
                        let [a, b, c, d] = [index(x - 1, y - 1), index(x, y - 1), index(x, y), index(x - 1, y)];
                        facets.extend([[a, b, c], [a, c, d]]);
                    }
                }
            }
        }
        let coarse = clustered(&vertices, &facets, 800);
        assert!((400..1600).contains(&coarse.len()), "{}", coarse.len());
        for corners in &coarse {
            let [a, b, c] = corners.map(|corner| vertices[corner as usize].z);
            assert!(a == b && b == c);
        }
    }
}
