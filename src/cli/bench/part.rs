//! The part used by benchmarks: a ribbed cone like an exhaust part, and a scan of it generated from a seed.

use std::path::Path;

use base::Result;
use base::random::Random;
use geometry::{Cloud, Mesh, Point, mesh::shapes, sampling};
use io::write;

/// A ribbed cone of about `facets` facets, 240 mm long.
pub fn cone(facets: usize) -> Mesh {
    sized_cone(facets, 1.0)
}

/// As [`cone`], but `size` times as large.
pub fn sized_cone(facets: usize, size: f64) -> Mesh {
    let along = ((facets as f64 / 2.0 / 2.2).sqrt()).max(3.0) as u32;
    let around = ((facets as f64 / 2.0 / f64::from(along)).round() as u32).max(3);
    shapes::grid(along, around, false, |u, v| {
        let angle = -v * std::f64::consts::TAU;
        let ribs = 1.5 * (12.0 * angle).cos() * (std::f64::consts::PI * u).sin() + 0.8 * (40.0 * u).sin();
        let radius = 60.0 - 25.0 * u + ribs;
        Point::new(radius * angle.cos(), radius * angle.sin(), 240.0 * u) * size
    })
}

/// `count` points on `mesh` with noise of 0.02 mm (1 sigma) and a smooth warp of 0.015 mm amplitude along the normals.
pub fn scan(mesh: &Mesh, count: usize, seed: u64) -> Vec<Point> {
    let mut random = Random::new(seed, 1);
    let mut points: Vec<Point> = sampling::by_area(mesh, count, seed)
        .iter()
        .map(|sample| {
            let warp = 0.015 * (0.05 * sample.point.z).sin();
            sample.point + sample.normal * (warp + 0.02 * random.normal())
        })
        .collect();
    // Scanners do not deliver points in facet order.
    random.shuffle(&mut points);
    points
}

/// Writes mesh and points to `folder`, to time other programs on.
pub fn write(folder: &Path, stl: &str, mesh: &Mesh, ply: &str, points: &[Point]) -> Result<()> {
    base::folder::make(folder)?;
    write::mesh(&folder.join(stl), mesh)?;
    write::cloud(&folder.join(ply), &Cloud::from_points(points.to_vec()))
}
