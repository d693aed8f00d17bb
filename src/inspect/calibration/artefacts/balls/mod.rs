//! Spheres as artefacts: one that the CMM carries the sensor around, and three on one plate.

mod automatic;

use super::drawn::{self, Drawn, Imperfect};
use super::spheres::Spheres;
use super::{RegionName, region_name};
use geometry::{Mesh, Point, Vector};

/// One sphere, scanned from several positions of the CMM.
pub static SPHERE: Spheres = Spheres { name: "Sphere, several positions", regions: &ONE, find: automatic::one };
/// Three spheres on a plate.
pub static THREE_SPHERES: Spheres = Spheres {
    name: "Three spheres",
    regions: &THREE,
    find: |cloud, progress| automatic::three(&Drawing::THREE, cloud, progress),
};

const ONE: [RegionName; 1] = [region_name("S", "sphere")];
const THREE: [RegionName; 3] = [
    region_name("A", "sphere at the origin"),
    region_name("B", "sphere along Y"),
    region_name("C", "sphere on the side of X"),
];

/// Spheres of equal radius; the origin is the first centre.
pub struct Drawing {
    centres_mm: &'static [[f64; 3]],
    radius_mm: f64,
    positions_mm: &'static [[f64; 3]],
}

/// Subdivisions of the icosahedron: the facets of a sphere of 20 mm are then within 0.2 um of it.
const SUBDIVISIONS: u32 = 7;
/// Minimum height of probed points above the centre, as a share of the radius.
const MIN_PROBING_HEIGHT: f64 = 0.2;

impl Drawing {
    /// A sphere of 38.1 mm diameter, scanned from five positions that use the whole field of view.
    pub const ONE: Self = Self {
        centres_mm: &[[0.0; 3]],
        radius_mm: 19.05,
        positions_mm: &[[0.0; 3], [15.0, 40.0, 20.0], [-15.0, 40.0, -20.0], [-15.0, -40.0, 20.0], [15.0, -40.0, -20.0]],
    };
    /// Three spheres of 25.4 mm diameter.
    pub const THREE: Self = Self {
        centres_mm: &[[0.0; 3], [0.0, 90.0, 0.0], [44.0, 45.0, 0.0]],
        radius_mm: 12.7,
        positions_mm: &[[0.0; 3]],
    };

    fn centre(&self, index: usize) -> Point {
        Point::from(self.centres_mm[index])
    }
}

impl Drawn for Drawing {
    fn mesh(&self, imperfect: &Imperfect) -> Mesh {
        let unit = icosphere(SUBDIVISIONS);
        let mut mesh = Mesh::default();
        for index in 0..self.centres_mm.len() {
            let first = mesh.vertices.len() as u32;
            let centre = self.centre(index);
            let manufactured =
                |v: &Point| self.manufactured(&(centre + v.coords * self.radius_mm), &v.coords, imperfect);
            mesh.vertices.extend(unit.vertices.iter().map(manufactured));
            mesh.facets.extend(unit.facets.iter().map(|facet| facet.map(|corner| corner + first)));
        }
        mesh
    }

    fn view_centre(&self) -> Point {
        let min = |axis: usize| self.centres_mm.iter().map(|c| c[axis]).fold(f64::INFINITY, f64::min);
        let max = |axis: usize| self.centres_mm.iter().map(|c| c[axis]).fold(f64::NEG_INFINITY, f64::max);
        Point::new(0.5 * (min(0) + max(0)), 0.5 * (min(1) + max(1)), 0.5 * self.radius_mm)
    }

    fn region_at(&self, point: &Point, _: f64) -> Option<usize> {
        (0..self.centres_mm.len()).find(|&index| (point - self.centre(index)).norm() < 1.1 * self.radius_mm)
    }

    fn touches(&self, region: usize, count: usize) -> Vec<(Point, Vector)> {
        let upper: Vec<Vector> =
            icosphere(3).vertices.iter().map(|v| v.coords).filter(|out| out.z > MIN_PROBING_HEIGHT).collect();
        let point = |out: Vector| (self.centre(region) + out * self.radius_mm, out);
        drawn::spread(&upper, count).into_iter().map(point).collect()
    }

    fn manufactured(&self, point: &Point, outward: &Vector, imperfect: &Imperfect) -> Point {
        point + outward * imperfect.form_error_mm(point)
    }

    fn positions_mm(&self) -> &'static [[f64; 3]] {
        self.positions_mm
    }
}

/// Triangulated unit sphere: each facet of an icosahedron divided into four, `subdivisions` times.
fn icosphere(subdivisions: u32) -> Mesh {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let corner = |[x, y, z]: [f64; 3]| Point::from(Vector::new(x, y, z).normalize());
    let signs = [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]];
    // Corners of three golden rectangles, one perpendicular to each axis.
    let vertices = (0..3).flat_map(|axis| {
        signs.map(|[a, b]| {
            let mut coordinates = [0.0; 3];
            (coordinates[(axis + 1) % 3], coordinates[(axis + 2) % 3]) = (a, b * golden);
            corner(coordinates)
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
    for _ in 0..subdivisions {
        let mut midpoints = std::collections::HashMap::new();
        let mut facets = Vec::with_capacity(4 * mesh.facets.len());
        for [a, b, c] in std::mem::take(&mut mesh.facets) {
            let mut midpoint = |a: u32, b: u32| {
                *midpoints.entry((a.min(b), a.max(b))).or_insert_with(|| {
                    let sum = mesh.vertices[a as usize].coords + mesh.vertices[b as usize].coords;
                    mesh.vertices.push(Point::from(sum.normalize()));
                    mesh.vertices.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (midpoint(a, b), midpoint(b, c), midpoint(c, a));
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
        assert_eq!(mesh.facets.len(), 20 << (2 * SUBDIVISIONS));
        assert!(Topology::new(&mesh).is_closed());
        let radius = Drawing::ONE.radius_mm;
        let volume_mm3 = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        assert!((mesh.volume_mm3() / volume_mm3 - 1.0).abs() < 1e-4);
        for (point, out) in Drawing::ONE.touches(0, 25) {
            assert!((point.coords.norm() - radius).abs() < 1e-12 && out.z > MIN_PROBING_HEIGHT);
        }
    }
}
