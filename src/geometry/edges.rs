//! The edges of a part as they are drawn: borders of CAD faces, creases and open borders.

use super::topology::{NO_NEIGHBOUR, Topology};
use super::{Mesh, Point};

/// Polylines along the edges of `mesh`: where CAD faces meet, or, in a mesh without them, where facets meet at more than
/// `min_angle_rad`; and along open borders. Lines end where three or more edges meet. `None` if there are more than
/// `max_edges` edges of facets.
pub fn lines(mesh: &Mesh, topology: &Topology, min_angle_rad: f64, max_edges: usize) -> Option<Vec<Vec<Point>>> {
    let edges = edge_vertices(mesh, topology, min_angle_rad);
    if edges.len() > max_edges {
        return None;
    }
    let lines = chained(&edges);
    let lines = lines.iter().map(|line| line.iter().map(|&vertex| mesh.vertices[vertex as usize]).collect());
    Some(lines.collect())
}

fn edge_vertices(mesh: &Mesh, topology: &Topology, min_angle_rad: f64) -> Vec<[u32; 2]> {
    let max_cosine = min_angle_rad.cos();
    let is_edge = |facet: usize, neighbour: usize| {
        if mesh.cad_faces.is_empty() {
            mesh.normal(facet).dot(&mesh.normal(neighbour)) < max_cosine
        } else {
            mesh.cad_faces[facet] != mesh.cad_faces[neighbour]
        }
    };
    let mut edges = Vec::new();
    for (facet, neighbours) in topology.neighbours.iter().enumerate() {
        for (edge, &neighbour) in neighbours.iter().enumerate() {
            // Of two facets the first has the edge.
            let is_first = neighbour == NO_NEIGHBOUR || facet < neighbour as usize;
            if is_first && (neighbour == NO_NEIGHBOUR || is_edge(facet, neighbour as usize)) {
                let corners = mesh.facets[facet];
                edges.push([corners[edge], corners[(edge + 1) % 3]]);
            }
        }
    }
    edges
}

/// Joins edges to lines at vertices of exactly two edges; closed lines repeat their first vertex.
fn chained(edges: &[[u32; 2]]) -> Vec<Vec<u32>> {
    // Each edge twice: by either vertex.
    let mut ends: Vec<(u32, u32)> = (0..).zip(edges).flat_map(|(index, [a, b])| [(*a, index), (*b, index)]).collect();
    ends.sort_unstable();
    let at = |vertex: u32| {
        let start = ends.partition_point(|own| own.0 < vertex);
        let count = ends[start..].iter().take_while(|own| own.0 == vertex).count();
        &ends[start..start + count]
    };
    let mut is_used = vec![false; edges.len()];
    let mut lines = Vec::new();
    let junctions = ends.iter().filter(|own| at(own.0).len() != 2);
    // What is left then are closed lines.
    for &(first, edge) in junctions.chain(&ends) {
        if is_used[edge as usize] {
            continue;
        }
        let (mut line, mut edge) = (vec![first], edge);
        loop {
            is_used[edge as usize] = true;
            let [a, b] = edges[edge as usize];
            let vertex = if line.last() == Some(&a) { b } else { a };
            line.push(vertex);
            let next = at(vertex).iter().find(|own| !is_used[own.1 as usize]);
            match (at(vertex).len(), next) {
                (2, Some(next)) => edge = next.1,
                _ => break,
            }
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    fn length(lines: &[Vec<Point>]) -> f64 {
        lines.iter().flat_map(|line| line.windows(2)).map(|pair| (pair[1] - pair[0]).norm()).sum()
    }

    #[test]
    fn a_box_has_twelve_edges_with_and_without_cad_faces() {
        let mut mesh = shapes::cuboid(Point::origin(), Point::new(1.0, 2.0, 3.0));
        for has_faces in [true, false] {
            if !has_faces {
                mesh.cad_faces.clear();
            }
            let lines = lines(&mesh, &Topology::new(&mesh), 0.5, 24).unwrap();
            assert_eq!(lines.len(), 12, "{has_faces}");
            assert!((length(&lines) - 24.0).abs() < 1e-12);
        }
    }

    #[test]
    fn smooth_surfaces_have_no_edges_and_open_ones_their_border() {
        let mesh = shapes::torus(20.0, 6.0, 60, 40);
        assert!(lines(&mesh, &Topology::new(&mesh), 0.5, 0).unwrap().is_empty());
        let mut open = shapes::cuboid(Point::origin(), Point::new(1.0, 1.0, 1.0));
        open.cad_faces.clear();
        open.facets.truncate(2);
        assert!(lines(&open, &Topology::new(&open), 0.5, 3).is_none());
        let lines = lines(&open, &Topology::new(&open), 0.5, 4).unwrap();
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0].first(), lines[0].last());
        assert!((length(&lines) - 4.0).abs() < 1e-12);
    }
}
