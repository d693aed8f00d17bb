//! Cracks: edges that look open only because two files' worth of rounding keeps their corners apart.

use std::collections::HashMap;

use super::topology::{NO_NEIGHBOUR, Topology};
use super::{KdTree, Mesh, Point, weld};

/// Corners on open edges that are nearer to each other than this share of the mesh's diagonal are one: a tenth of a
/// micrometre on a part of 100 mm.
const SHARE: f64 = 1e-6;

/// Joins corners on open edges that nearly coincide. Returns how many were joined.
pub fn close(mesh: &mut Mesh, topology: &Topology) -> usize {
    let mut open: Vec<u32> = Vec::new();
    for (facet, neighbours) in topology.neighbours.iter().enumerate() {
        for edge in (0..3).filter(|&edge| neighbours[edge] == NO_NEIGHBOUR) {
            open.extend([mesh.facets[facet][edge], mesh.facets[facet][(edge + 1) % 3]]);
        }
    }
    open.sort_unstable();
    open.dedup();
    let reach_mm = SHARE * mesh.bounds().diagonal();
    let places: Vec<Point> = open.iter().map(|&vertex| mesh.vertices[vertex as usize]).collect();
    let tree = KdTree::new(&places);
    // Each takes the lowest-numbered one in reach, which takes itself or a lower one in turn.
    let mut joined: HashMap<u32, u32> = HashMap::new();
    for (i, place) in places.iter().enumerate() {
        let mut lowest = i as u32;
        tree.within_radius(place, reach_mm, |neighbour| lowest = lowest.min(neighbour.number));
        if lowest < i as u32 {
            let target = open[lowest as usize];
            joined.insert(open[i], joined.get(&target).copied().unwrap_or(target));
        }
    }
    if joined.is_empty() {
        return 0;
    }
    for vertex in mesh.facets.iter_mut().flatten() {
        *vertex = joined.get(vertex).copied().unwrap_or(*vertex);
    }
    weld::drop_degenerate(mesh);
    joined.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    #[test]
    fn a_box_of_loose_faces_with_rounding_between_them_closes() {
        // Every face has its own corners, off by some nanometres.
        let whole = shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0));
        let mut loose = Mesh::default();
        for (facet, corners) in whole.facets.iter().enumerate() {
            let first = loose.vertices.len() as u32;
            for (i, &vertex) in corners.iter().enumerate() {
                let shift = 1e-6 * (((facet * 3 + i) % 5) as f64 - 2.0);
                loose.vertices.push(whole.vertices[vertex as usize].map(|c| c + shift));
            }
            loose.facets.push([first, first + 1, first + 2]);
        }
        let topology = Topology::new(&loose);
        assert_eq!(topology.open_edges, 36);
        assert_eq!(close(&mut loose, &topology), 36 - 8);
        assert!(Topology::new(&loose).is_closed());
    }

    #[test]
    fn real_rims_stay_open() {
        let mut mesh = shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, 10.0));
        mesh.facets.truncate(10);
        let topology = Topology::new(&mesh);
        assert_eq!(close(&mut mesh, &topology), 0);
        assert_eq!(Topology::new(&mesh).open_edges, topology.open_edges);
    }
}
