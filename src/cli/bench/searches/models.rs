//! The parts that clouds are sampled from: several without symmetry, so that no result depends on a single shape.

use super::super::part;
use base::random::Random;
use base::{Progress, Result, UserError};
use dispatch::demo::BRACKET_STL;
use geometry::{Mesh, Point, mesh::shapes, triangle};
use io::{LoadOptions, atomic, load_nominal};

/// A part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Model {
    /// The cone of the other suites, bent and flattened.
    Cone,
    /// The stamped bracket of the demo: planes, bores and bends.
    Bracket,
    /// A lump without planes or edges.
    Blob,
    /// A tube with wings of different sizes and a fin.
    Wings,
}

impl Model {
    pub const ALL: [Self; 4] = [Self::Cone, Self::Bracket, Self::Blob, Self::Wings];

    pub fn name(self) -> &'static str {
        match self {
            Self::Cone => "cone",
            Self::Bracket => "bracket",
            Self::Blob => "blob",
            Self::Wings => "wings",
        }
    }

    /// Its mesh; generated parts have about `facets` facets.
    pub fn mesh(self, facets: usize) -> Result<Mesh> {
        match self {
            Self::Cone => Ok(lopsided_cone(facets)),
            Self::Bracket => bracket(),
            Self::Blob => Ok(blob(facets)),
            Self::Wings => Ok(wings(facets)),
        }
    }
}

/// The cone of the other suites, bent and flattened.
pub(super) fn lopsided_cone(facets: usize) -> Mesh {
    let mut mesh = part::cone(facets);
    mesh.vertices.iter_mut().for_each(|vertex| {
        vertex.x += 0.002 * vertex.z * vertex.z;
        vertex.y *= 0.7;
    });
    mesh
}

fn bracket() -> Result<Mesh> {
    let path = std::env::temp_dir().join(format!("shadowgraph-bench-{}.stl", std::process::id()));
    atomic::write_bytes(&path, BRACKET_STL)?;
    let loaded = load_nominal(&path, &LoadOptions::default(), &Progress::silent());
    // At worst a temporary file is left over.
    let _ = std::fs::remove_file(&path);
    loaded.map(|loaded| loaded.mesh).map_err(|error| UserError::internal(error.sentence))
}

/// Rows and columns of a grid of about `facets` facets.
fn grid_size(facets: usize) -> (u32, u32) {
    let side = ((facets as f64 / 2.0).sqrt() as u32).max(8);
    (side, side)
}

fn blob(facets: usize) -> Mesh {
    let (along, around) = grid_size(facets);
    shapes::grid(along, around, false, |u, v| {
        // Not quite to the poles, where facets would have no area.
        let (polar, angle) = ((0.999 - 1.998 * u).acos(), -v * std::f64::consts::TAU);
        let (x, y, z) = (polar.sin() * angle.cos(), polar.sin() * angle.sin(), polar.cos());
        let waves = 0.25 * x * y + 0.2 * z * z * x + 0.15 * (3.0 * angle).sin() * polar.sin().powi(3);
        let radius = 50.0 * (1.0 + waves + 0.12 * y * z * z + 0.1 * x);
        Point::new(1.3 * radius * x, radius * y, 0.8 * radius * z)
    })
}

fn wings(facets: usize) -> Mesh {
    let (along, around) = grid_size(facets / 4);
    let circle = |v: f64| (-v * std::f64::consts::TAU).sin_cos();
    let mut mesh = shapes::grid(along, around, false, |u, v| {
        let (sin, cos) = circle(v);
        let radius = 14.0 * (1.0 - 0.6 * u.powi(3)) * (0.3 + (4.0 * u).min(0.7));
        Point::new(radius * cos, 0.9 * radius * sin, 220.0 * u)
    });
    // Span along x, sweep along z, and the rise of the tips along y, mm.
    for (span, sweep, rise, chord) in [(130.0, 40.0, 12.0, 60.0), (-95.0, 25.0, 4.0, 50.0)] {
        mesh.append(&shapes::grid(along, around, false, |u, v| {
            let ((sin, cos), chord) = (circle(v), chord * (1.0 - 0.6 * u));
            Point::new(
                12.0 * f64::signum(span) + span * u,
                rise * u * u + 0.06 * chord * sin,
                90.0 + sweep * u + 0.5 * chord * cos,
            )
        }));
    }
    mesh.append(&shapes::grid(along, around, false, |u, v| {
        let ((sin, cos), chord) = (circle(v), 36.0 * (1.0 - 0.5 * u));
        Point::new(0.06 * chord * sin, 8.0 + 40.0 * u, 185.0 + 20.0 * u + 0.5 * chord * cos)
    }));
    mesh
}

/// `count` points on the mesh, drawn independently by area.
///
/// Unlike elsewhere, not one from each equal share of the area: on a regular grid of facets such points nearly form a
/// lattice, and point pairs lock in a pose one lattice cell away (see `poses`).
pub(super) fn scattered(mesh: &Mesh, count: usize, seed: u64) -> Vec<Point> {
    let mut total = 0.0;
    let sums: Vec<f64> = (0..mesh.facets.len())
        .map(|facet| {
            total += triangle::area_vector(&mesh.corners(facet)).norm();
            total
        })
        .collect();
    if !(total > 0.0) {
        return Vec::new();
    }
    let mut random = Random::new(seed, 0x5CA7);
    (0..count)
        .map(|_| {
            let target = random.uniform() * total;
            let facet = sums.partition_point(|&sum| sum < target).min(mesh.facets.len() - 1);
            let [a, b, c] = mesh.corners(facet);
            let (mut u, mut v) = (random.uniform(), random.uniform());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            a + (b - a) * u + (c - a) * v
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::{Aabb, Surface};

    #[test]
    fn every_model_has_points_on_its_facets_and_no_symmetry_about_its_centre() {
        for model in Model::ALL {
            let mesh = model.mesh(8000).unwrap();
            let points = scattered(&mesh, 4000, 1);
            assert_eq!(points.len(), 4000);
            let surface = Surface::new(mesh);
            let distance_mm = |point: &Point| surface.closest_point(point, f64::INFINITY).unwrap().distance_mm;
            assert!(points.iter().all(|point| distance_mm(point) < 1e-9), "{}", model.name());
            // Rotated by 180° about each axis, the points lie off the part.
            let centre = Aabb::of_points_parallel(&points).centre();
            for axis in 0..3 {
                let turned = |point: &Point| {
                    let mut offset = centre - point;
                    offset[axis] = -offset[axis];
                    centre + offset
                };
                let mean = points.iter().map(|point| distance_mm(&turned(point))).sum::<f64>() / 4000.0;
                assert!(mean > 0.2, "{} about {axis}: {mean}", model.name());
            }
        }
    }
}
