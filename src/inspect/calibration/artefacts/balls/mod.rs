//! Spheres as artefacts: one that the machine carries the sensor about, and three on one plate.

mod automatic;

use super::drawn::{self, Drawn, Imperfect};
use super::spheres::Spheres;
use super::{RegionName, named};
use geometry::{Mesh, Point, Vector};

/// One sphere.
pub static SPHERE: Spheres = Spheres { name: "Sphere, several positions", regions: &ONE, find: automatic::one };
/// Three of them.
pub static THREE_SPHERES: Spheres = Spheres {
    name: "Three spheres",
    regions: &THREE,
    find: |cloud, progress| automatic::three(&Drawing::THREE, cloud, progress),
};

const ONE: [RegionName; 1] = [named("S", "sphere")];
const THREE: [RegionName; 3] =
    [named("A", "sphere at the origin"), named("B", "sphere along Y"), named("C", "sphere on the side of X")];

/// Spheres of one radius, mm; the frame begins at the first centre.
pub struct Drawing {
    centres_mm: &'static [[f64; 3]],
    radius_mm: f64,
    positions_mm: &'static [[f64; 3]],
}

/// The icosahedron is divided so often: facets of a sphere of 20 mm are then within 0.2 um of it.
const DIVISIONS: u32 = 7;
/// A probe touches the upper side, down to this share of the radius above the middle.
const LOWEST: f64 = 0.2;

impl Drawing {
    /// A sphere of 38.1 mm diameter, seen from five positions that use the whole field.
    pub const ONE: Self = Self {
        centres_mm: &[[0.0; 3]],
        radius_mm: 19.05,
        positions_mm: &[[0.0; 3], [15.0, 40.0, 20.0], [-15.0, 40.0, -20.0], [-15.0, -40.0, 20.0], [15.0, -40.0, -20.0]],
    };
    /// Three spheres of 25.4 mm diameter, one higher than the others.
    pub const THREE: Self = Self {
        centres_mm: &[[0.0; 3], [0.0, 90.0, 0.0], [44.0, 45.0, 0.0]],
        radius_mm: 12.7,
        positions_mm: &[[0.0; 3]],
    };

    fn centre(&self, number: usize) -> Point {
        Point::from(self.centres_mm[number])
    }
}

impl Drawn for Drawing {
    fn mesh(&self, imperfect: &Imperfect) -> Mesh {
        let unit = icosphere(DIVISIONS);
        let mut mesh = Mesh::default();
        for number in 0..self.centres_mm.len() {
            let first = mesh.vertices.len() as u32;
            let centre = self.centre(number);
            let made = |v: &Point| self.made(&(centre + v.coords * self.radius_mm), &v.coords, imperfect);
            mesh.vertices.extend(unit.vertices.iter().map(made));
            mesh.facets.extend(unit.facets.iter().map(|facet| facet.map(|corner| corner + first)));
        }
        mesh
    }

    fn middle(&self) -> Point {
        let least = |axis: usize| self.centres_mm.iter().map(|c| c[axis]).fold(f64::INFINITY, f64::min);
        let most = |axis: usize| self.centres_mm.iter().map(|c| c[axis]).fold(f64::NEG_INFINITY, f64::max);
        Point::new(0.5 * (least(0) + most(0)), 0.5 * (least(1) + most(1)), 0.5 * self.radius_mm)
    }

    fn region_at(&self, place: &Point, _: f64) -> Option<usize> {
        (0..self.centres_mm.len()).find(|&number| (place - self.centre(number)).norm() < 1.1 * self.radius_mm)
    }

    fn touches(&self, region: usize, count: usize) -> Vec<(Point, Vector)> {
        let upper: Vec<Vector> = icosphere(3).vertices.iter().map(|v| v.coords).filter(|out| out.z > LOWEST).collect();
        let place = |out: Vector| (self.centre(region) + out * self.radius_mm, out);
        drawn::spread(&upper, count).into_iter().map(place).collect()
    }

    fn made(&self, place: &Point, outward: &Vector, imperfect: &Imperfect) -> Point {
        place + outward * imperfect.form(place)
    }

    fn positions_mm(&self) -> &'static [[f64; 3]] {
        self.positions_mm
    }
}

/// A unit sphere of triangles: each facet of an icosahedron divided into four, `divisions` times.
fn icosphere(divisions: u32) -> Mesh {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let corner = |[x, y, z]: [f64; 3]| Point::from(Vector::new(x, y, z).normalize());
    let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    // Corners of three golden rectangles, one across each axis.
    let vertices = (0..3).flat_map(|axis| {
        signs.map(|[a, b]| {
            let mut place = [0.0; 3];
            (place[(axis + 1) % 3], place[(axis + 2) % 3]) = (a, b * golden);
            corner(place)
        })
    });
    let mut mesh = Mesh { vertices: vertices.collect(), ..Mesh::default() };
    let near = |mesh: &Mesh, a: usize, b: usize| (mesh.vertices[a] - mesh.vertices[b]).norm() < 1.2;
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(&mesh, a, b) && near(&mesh, b, c) && near(&mesh, a, c) {
                    let [p, q, r] = [a, b, c].map(|i| mesh.vertices[i].coords);
                    let outward = (q - p).cross(&(r - p)).dot(&p) > 0.0;
                    let [a, b, c] = [a, b, c].map(|i| i as u32);
                    mesh.facets.push(if outward { [a, b, c] } else { [a, c, b] });
                }
            }
        }
    }
    for _ in 0..divisions {
        let mut halves = std::collections::HashMap::new();
        let mut facets = Vec::with_capacity(4 * mesh.facets.len());
        for [a, b, c] in std::mem::take(&mut mesh.facets) {
            let mut half = |a: u32, b: u32| {
                *halves.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    let sum = mesh.vertices[a as usize].coords + mesh.vertices[b as usize].coords;
                    mesh.vertices.push(Point::from(sum.normalize()));
                    mesh.vertices.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (half(a, b), half(b, c), half(c, a));
            facets.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        mesh.facets = facets;
    }
    mesh
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::topology::Topology;

    #[test]
    fn the_drawn_sphere_is_closed_and_round() {
        let mesh = Drawing::ONE.mesh(&Imperfect::default());
        assert_eq!(mesh.facets.len(), 20 << (2 * DIVISIONS));
        assert!(Topology::new(&mesh).is_closed());
        let radius = Drawing::ONE.radius_mm;
        let ball = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        assert!((mesh.volume_mm3() / ball - 1.0).abs() < 1e-4);
        for (place, out) in Drawing::ONE.touches(0, 25) {
            assert!((place.coords.norm() - radius).abs() < 1e-12 && out.z > LOWEST);
        }
    }
}
