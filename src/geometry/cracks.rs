//! Cracks: edges that are open only because rounding keeps their vertices apart.

use std::collections::HashMap;

use super::topology::{NO_NEIGHBOUR, Topology};
use super::{KdTree, Mesh, Point, weld};

/// Merging distance for boundary vertices, relative to the diagonal of the mesh: 0.1 µm for a diagonal of 100 mm.
const RELATIVE_TOLERANCE: f64 = 1e-6;

/// Merges boundary vertices that nearly coincide and drops facets that become degenerate. `topology` is that of `mesh`
/// before the call. Returns the number of vertices merged.
pub fn close(mesh: &mut Mesh, topology: &Topology) -> usize {
    let mut boundary: Vec<u32> = Vec::new();
    for (facet, neighbours) in topology.neighbours.iter().enumerate() {
        for edge in (0..3).filter(|&edge| neighbours[edge] == NO_NEIGHBOUR) {
            boundary.extend([mesh.facets[facet][edge], mesh.facets[facet][(edge + 1) % 3]]);
        }
    }
    boundary.sort_unstable();
    boundary.dedup();
    let tolerance_mm = RELATIVE_TOLERANCE * mesh.bounds().diagonal();
    let points: Vec<Point> = boundary.iter().map(|&vertex| mesh.vertices[vertex as usize]).collect();
    let tree = KdTree::new(&points);
    // Each vertex merges into the lowest index within the tolerance, which may itself merge into a lower one.
    let mut merged: HashMap<u32, u32> = HashMap::new();
    for (i, point) in points.iter().enumerate() {
        let mut lowest = i as u32;
        tree.within_radius(point, tolerance_mm, |neighbour| lowest = lowest.min(neighbour.number));
        if lowest < i as u32 {
            let target = boundary[lowest as usize];
            merged.insert(boundary[i], merged.get(&target).copied().unwrap_or(target));
        }
    }
    if merged.is_empty() {
        return 0;
    }
    for vertex in mesh.facets.iter_mut().flatten() {
        *vertex = merged.get(vertex).copied().unwrap_or(*vertex);
    }
    weld::drop_degenerate(mesh);
    merged.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    #[test]
    fn a_box_of_separate_facets_with_rounded_corners_is_closed() {
        // Every facet has its own corners, perturbed by a few nanometres.
        let whole = shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0));
        let mut loose = Mesh::default();
        for (facet, corners) in whole.facets.iter().enumerate() {
            let first = loose.vertices.len() as u32;
            for (i, &vertex) in corners.iter().enumerate() {
                let perturbation_mm = 1e-6 * (((facet * 3 + i) % 5) as f64 - 2.0);
                loose.vertices.push(whole.vertices[vertex as usize].map(|c| c + perturbation_mm));
            }
            loose.facets.push([first, first + 1, first + 2]);
        }
        let topology = Topology::new(&loose);
        assert_eq!(topology.open_edges, 36);
        assert_eq!(close(&mut loose, &topology), 36 - 8);
        assert!(Topology::new(&loose).is_closed());
    }

    #[test]
    fn real_boundaries_stay_open() {
        let mut mesh = shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0));
        mesh.facets.truncate(10);
        let topology = Topology::new(&mesh);
        assert_eq!(close(&mut mesh, &topology), 0);
        assert_eq!(Topology::new(&mesh).open_edges, topology.open_edges);
    }
}
