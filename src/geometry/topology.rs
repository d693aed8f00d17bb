//! Mesh topology: neighbours across edges, open and non-manifold edges, winding consistency, vertex normals.

use rayon::prelude::*;

use super::{Mesh, Vector, triangle};

/// Marks an edge without a neighbouring facet: an open edge, or a non-manifold edge without a matching partner.
pub const NO_NEIGHBOUR: u32 = u32::MAX;

/// Facet adjacency of a mesh, and counts of irregular edges.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// For each facet, the facets across its edges 0, 1, 2, where edge i runs from corner i to corner i + 1;
    /// [`NO_NEIGHBOUR`] if there is none.
    pub neighbours: Vec<[u32; 3]>,
    /// Number of edges of exactly one facet (boundary edges).
    pub open_edges: usize,
    /// Number of edges of more than two facets.
    pub non_manifold_edges: usize,
    /// Facets at those edges, in no particular order; a facet is listed once per such edge.
    pub non_manifold_facets: Vec<u32>,
    /// Number of edges that both facets traverse in the same direction, so that their windings are opposite.
    pub inconsistent_edges: usize,
}

impl Topology {
    /// Finds the neighbours by sorting all half-edges.
    pub fn new(mesh: &Mesh) -> Self {
        // One record per half-edge: key from its two vertices, lower first, and half-edge index 3 * facet + edge.
        let mut edges: Vec<(u64, u32)> = (0..mesh.facets.len())
            .into_par_iter()
            .flat_map_iter(|facet| {
                let corners = mesh.facets[facet];
                (0..3).map(move |edge| {
                    let (a, b) = (corners[edge], corners[(edge + 1) % 3]);
                    (u64::from(a.min(b)) << 32 | u64::from(a.max(b)), (facet * 3 + edge) as u32)
                })
            })
            .collect();
        edges.par_sort_unstable();
        let mut topology = Self { neighbours: vec![[NO_NEIGHBOUR; 3]; mesh.facets.len()], ..Self::default() };
        for group in edges.chunk_by(|a, b| a.0 == b.0) {
            match group {
                [_] => topology.open_edges += 1,
                [(_, first), (_, second)] => topology.join_pair(mesh, *first, *second),
                _ => topology.join_non_manifold(mesh, group),
            }
        }
        topology
    }

    fn join_pair(&mut self, mesh: &Mesh, first: u32, second: u32) {
        let start = |half: u32| mesh.facets[half as usize / 3][half as usize % 3];
        if start(first) == start(second) {
            self.inconsistent_edges += 1;
        }
        self.neighbours[first as usize / 3][first as usize % 3] = second / 3;
        self.neighbours[second as usize / 3][second as usize % 3] = first / 3;
    }

    /// Handles an edge of more than two facets, such as where two boxes touch along an edge: each half-edge is joined
    /// to the remaining one in the opposite direction whose facet normal differs least.
    fn join_non_manifold(&mut self, mesh: &Mesh, group: &[(u64, u32)]) {
        self.non_manifold_edges += 1;
        self.non_manifold_facets.extend(group.iter().map(|&(_, half)| half / 3));
        let mut unpaired: Vec<u32> = group.iter().map(|&(_, half)| half).collect();
        while let Some(half) = unpaired.pop() {
            let start = |half: u32| mesh.facets[half as usize / 3][half as usize % 3];
            let normal = mesh.normal(half as usize / 3);
            let partner = unpaired
                .iter()
                .enumerate()
                .filter(|&(_, &other)| start(other) != start(half))
                .max_by(|a, b| {
                    let along = |half: u32| mesh.normal(half as usize / 3).dot(&normal);
                    along(*a.1).total_cmp(&along(*b.1))
                })
                .map(|(position, _)| position);
            if let Some(position) = partner {
                let other = unpaired.swap_remove(position);
                self.join_pair(mesh, half, other);
            }
        }
    }

    /// Whether the mesh encloses a volume: no open or non-manifold edge, and consistent winding.
    pub fn is_closed(&self) -> bool {
        self.open_edges == 0 && self.non_manifold_edges == 0 && self.inconsistent_edges == 0
    }
}

/// Angle-weighted pseudo-normals of all vertices, not of unit length (Baerentzen and Aanaes 2005). The dot product with
/// the vector from the vertex to a point has the sign of the distance if the vertex is the closest point of the mesh.
pub fn vertex_normals(mesh: &Mesh) -> Vec<Vector> {
    let mut normals = vec![Vector::zeros(); mesh.vertices.len()];
    for (facet, indices) in mesh.facets.iter().enumerate() {
        let corners = mesh.corners(facet);
        let normal = triangle::normal(&corners);
        for (i, &vertex) in indices.iter().enumerate() {
            normals[vertex as usize] += normal * triangle::corner_angle(&corners, i);
        }
    }
    normals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Point, Subset, mesh::shapes};

    #[test]
    fn a_box_is_closed_and_a_missing_facet_opens_three_edges() {
        let mut mesh = shapes::cuboid(Point::origin(), Point::new(1.0, 2.0, 3.0));
        assert!(Topology::new(&mesh).is_closed());
        assert!((mesh.volume_mm3() - 6.0).abs() < 1e-12);
        mesh.facets.pop();
        assert_eq!(Topology::new(&mesh).open_edges, 3);
    }

    #[test]
    fn whole_faces_are_cad_faces_or_end_at_creases() {
        let mut mesh = shapes::cuboid(Point::origin(), Point::new(1.0, 2.0, 3.0));
        mesh.cad_faces.clear();
        let topology = Topology::new(&mesh);
        let seed = Subset::new(vec![0]);
        let face = mesh.whole_faces(&topology, &seed, 0.3);
        assert_eq!(face.len(), 2);
        assert!(face.iter().all(|&facet| mesh.normal(facet as usize) == mesh.normal(0)));
        assert_eq!(mesh.whole_faces(&topology, &seed, 1.6).len(), 12);
        let all = mesh.single_faces(&topology, &Subset::new((0..12).collect()), 0.3);
        assert!(all.len() == 6 && all.iter().all(|face| face.len() == 2), "{all:?}");
        let part = mesh.part(&face);
        assert_eq!((part.facets.len(), part.vertices.len()), (2, 4));
        assert!((part.area_mm2() - 2.0 * mesh.part(&seed).area_mm2()).abs() < 1e-12);
        mesh.cad_faces = (0..12).map(|facet| facet % 3).collect();
        assert_eq!(mesh.whole_faces(&topology, &seed, 0.3)[..], [0, 3, 6, 9]);
        let seeds = Subset::new(vec![1, 2, 4]);
        assert_eq!(mesh.single_faces(&topology, &seeds, 0.3), [[1, 4, 7, 10], [2, 5, 8, 11]]);
        assert_eq!(mesh.part(&[3, 4]).cad_faces, [0, 1]);
    }
}
