//! How facets hang together: neighbours across edges, open boundaries, winding.

use rayon::prelude::*;

use super::{Mesh, Vector, triangle};

/// No facet lies across this edge, or more than one does.
pub const NO_NEIGHBOUR: u32 = u32::MAX;

/// Neighbours of every facet.
#[derive(Clone, Debug, Default)]
pub struct Topology {
    /// For each facet, the facet across its edges 0, 1, 2 ([`NO_NEIGHBOUR`] on an open or non-manifold edge).
    pub neighbours: Vec<[u32; 3]>,
    /// Edges that belong to one facet only.
    pub open_edges: usize,
    /// Edges that belong to more than two facets.
    pub crowded_edges: usize,
    /// The facets along those edges, in no order; each as often as it has such edges.
    pub crowded_facets: Vec<u32>,
    /// Edges whose two facets run along it in the same direction: one of them is inside out.
    pub turned_edges: usize,
}

impl Topology {
    /// Finds the neighbours by sorting all edges.
    pub fn new(mesh: &Mesh) -> Self {
        // One record per half-edge: its two vertices in order as key, and facet, edge.
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
                [(_, first), (_, second)] => topology.join(mesh, *first, *second),
                _ => topology.join_crowd(mesh, group),
            }
        }
        topology
    }

    fn join(&mut self, mesh: &Mesh, first: u32, second: u32) {
        let start = |half: u32| mesh.facets[half as usize / 3][half as usize % 3];
        if start(first) == start(second) {
            self.turned_edges += 1;
        }
        self.neighbours[first as usize / 3][first as usize % 3] = second / 3;
        self.neighbours[second as usize / 3][second as usize % 3] = first / 3;
    }

    /// An edge of more than two facets, such as two boxes that touch along an edge: facets that fold the least are
    /// taken as neighbours when they come in opposite pairs.
    fn join_crowd(&mut self, mesh: &Mesh, group: &[(u64, u32)]) {
        self.crowded_edges += 1;
        self.crowded_facets.extend(group.iter().map(|&(_, half)| half / 3));
        let mut left: Vec<u32> = group.iter().map(|&(_, half)| half).collect();
        while let Some(half) = left.pop() {
            let start = |half: u32| mesh.facets[half as usize / 3][half as usize % 3];
            let normal = mesh.normal(half as usize / 3);
            let partner = left
                .iter()
                .enumerate()
                .filter(|&(_, &other)| start(other) != start(half))
                .max_by(|a, b| {
                    let along = |half: u32| mesh.normal(half as usize / 3).dot(&normal);
                    along(*a.1).total_cmp(&along(*b.1))
                })
                .map(|(place, _)| place);
            if let Some(place) = partner {
                let other = left.swap_remove(place);
                self.join(mesh, half, other);
            }
        }
    }

    /// Whether the mesh encloses a volume: no open, crowded or turned edge.
    pub fn is_closed(&self) -> bool {
        self.open_edges == 0 && self.crowded_edges == 0 && self.turned_edges == 0
    }
}

/// Angle-weighted normals of all vertices (Baerentzen and Aanaes 2005): their dot product with the vector from the
/// vertex to a point has the right sign for every point that is closest to the vertex.
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
    fn whole_faces_are_those_of_the_cad_or_end_at_edges() {
        let mut mesh = shapes::cuboid(Point::origin(), Point::new(1.0, 2.0, 3.0));
        mesh.cad_faces.clear();
        let topology = Topology::new(&mesh);
        let seed = Subset::new(vec![0]);
        let face = mesh.whole_faces(&topology, &seed, 0.3);
        assert_eq!(face.len(), 2);
        assert!(face.iter().all(|&facet| mesh.normal(facet as usize) == mesh.normal(0)));
        assert_eq!(mesh.whole_faces(&topology, &seed, 1.6).len(), 12);
        let part = mesh.part(&face);
        assert_eq!((part.facets.len(), part.vertices.len()), (2, 4));
        assert!((part.area_mm2() - 2.0 * mesh.part(&seed).area_mm2()).abs() < 1e-12);
        mesh.cad_faces = (0..12).map(|facet| facet % 3).collect();
        assert_eq!(mesh.whole_faces(&topology, &seed, 0.3)[..], [0, 3, 6, 9]);
        assert_eq!(mesh.part(&[3, 4]).cad_faces, [0, 1]);
    }
}
