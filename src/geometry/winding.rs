//! Winding: every facet against its neighbours, solids outward, cavities inward.

use super::topology::{NO_NEIGHBOUR, Topology};
use super::{Aabb, Mesh, Point, Vector, triangle};

/// Turns facets so that each runs against its neighbours, and closed parts outward; those inside an odd number of
/// others are cavities and face inward. Returns how many facets were turned.
pub fn unify(mesh: &mut Mesh) -> usize {
    let topology = Topology::new(mesh);
    let mut turned = vec![None; mesh.facets.len()];
    let mut shells = Vec::new();
    for seed in 0..mesh.facets.len() as u32 {
        if turned[seed as usize].is_none() {
            shells.push(Shell::grow(mesh, &topology, seed, &mut turned));
        }
    }
    let is_cavity: Vec<bool> = shells.iter().map(|shell| shell.closed && shell.depth(mesh, &shells) % 2 == 1).collect();
    let mut count = 0;
    for (shell, is_cavity) in shells.iter().zip(is_cavity) {
        count += shell.settle(mesh, &turned, is_cavity);
    }
    count
}

/// Facets that hang together.
struct Shell {
    facets: Vec<u32>,
    closed: bool,
    bounds: Aabb,
}

impl Shell {
    /// Collects what hangs together with `seed`, and marks in `turned` what runs the other way than it.
    fn grow(mesh: &Mesh, topology: &Topology, seed: u32, turned: &mut [Option<bool>]) -> Self {
        let mut facets = vec![seed];
        turned[seed as usize] = Some(false);
        let mut next = 0;
        while next < facets.len() {
            let facet = facets[next] as usize;
            next += 1;
            for edge in 0..3 {
                let neighbour = topology.neighbours[facet][edge];
                if neighbour == NO_NEIGHBOUR || turned[neighbour as usize].is_some() {
                    continue;
                }
                let (a, b) = (mesh.facets[facet][edge], mesh.facets[facet][(edge + 1) % 3]);
                let other = mesh.facets[neighbour as usize];
                let same_way = (0..3).any(|i| other[i] == a && other[(i + 1) % 3] == b);
                turned[neighbour as usize] = turned[facet].map(|state: bool| state != same_way);
                facets.push(neighbour);
            }
        }
        let closed = facets.iter().all(|&facet| !topology.neighbours[facet as usize].contains(&NO_NEIGHBOUR));
        let corners: Vec<Point> = facets.iter().flat_map(|&facet| mesh.corners(facet as usize)).collect();
        Self { facets, closed, bounds: Aabb::of_points(&corners) }
    }

    /// How many other closed shells it lies in.
    fn depth(&self, mesh: &Mesh, shells: &[Self]) -> usize {
        let place = triangle::centroid(&mesh.corners(self.facets[0] as usize));
        shells
            .iter()
            .filter(|other| other.closed && other.facets[0] != self.facets[0] && other.bounds.contains(&place))
            .filter(|other| other.encloses(mesh, &place))
            .count()
    }

    fn encloses(&self, mesh: &Mesh, place: &Point) -> bool {
        // Along no axis and no face diagonal, so that hits on edges are the exception.
        let direction = Vector::new(0.435_281, 0.738_117, 0.515_529);
        let hit = |&&facet: &&u32| {
            triangle::intersect_line(place, &direction, &mesh.corners(facet as usize), 0.0).is_some_and(|t| t > 0.0)
        };
        self.facets.iter().filter(hit).count() % 2 == 1
    }

    /// Turns the marked facets, or all others where that is the right way round.
    fn settle(&self, mesh: &mut Mesh, turned: &[Option<bool>], is_cavity: bool) -> usize {
        let is_turned = |facet: u32| turned[facet as usize] == Some(true);
        let invert = if self.closed {
            let origin = mesh.corners(self.facets[0] as usize)[0];
            let signed = |&facet: &u32| {
                let [a, b, c] = mesh.corners(facet as usize).map(|corner| corner - origin);
                let volume = a.dot(&b.cross(&c));
                if is_turned(facet) { -volume } else { volume }
            };
            let volume: f64 = self.facets.iter().map(signed).sum();
            (volume < 0.0) != is_cavity
        } else {
            // An open part has no outside: keep what most of its facets say.
            self.facets.iter().filter(|&&facet| is_turned(facet)).count() * 2 > self.facets.len()
        };
        let mut count = 0;
        for &facet in &self.facets {
            if is_turned(facet) != invert {
                mesh.facets[facet as usize].swap(1, 2);
                count += 1;
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::mesh::shapes;

    #[test]
    fn mixed_winding_is_found_and_unified_outward() {
        let mut mesh = shapes::torus(10.0, 3.0, 24, 12);
        let volume = mesh.volume_mm3();
        for facet in (0..mesh.facets.len()).step_by(3) {
            mesh.facets[facet].swap(0, 1);
        }
        assert!(Topology::new(&mesh).turned_edges > 0);
        unify(&mut mesh);
        assert!(Topology::new(&mesh).is_closed());
        assert!((mesh.volume_mm3() - volume).abs() < 1e-9);
        mesh.flip();
        assert_eq!(unify(&mut mesh), mesh.facets.len());
        assert!(mesh.volume_mm3() > 0.0);
    }

    #[test]
    fn cavities_stay_cavities_and_a_core_within_them_faces_outward() {
        let mut cavity = shapes::sphere(6.0, 2);
        cavity.flip();
        let mut casting = shapes::cuboid(Point::new(-10.0, -10.0, -10.0), Point::new(10.0, 10.0, 10.0));
        casting.append(&cavity);
        casting.append(&shapes::sphere(2.0, 2));
        let volume = casting.volume_mm3();
        assert_eq!(unify(&mut casting), 0);
        casting.flip();
        unify(&mut casting);
        assert!((casting.volume_mm3() - volume).abs() < 1e-9);
    }
}
