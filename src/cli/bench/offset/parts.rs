//! Stand-ins for the parts of the published measurements: of their areas and numbers of facets, two of irregular and two
//! of repeated form.

use std::f64::consts::TAU;

use geometry::mesh::shapes;
use geometry::{Mesh, Point};

/// A part of a published measurement.
pub struct PublishedPart {
    /// Name in the published tables.
    pub name: &'static str,
    /// Number of facets.
    facets: f64,
    /// Area, mm².
    area_mm2: f64,
    /// Whether a form is repeated around it.
    is_repeated: bool,
    /// Number of bumps or teeth around it.
    bumps: f64,
}

/// The four parts of the published tables.
pub fn all() -> [PublishedPart; 4] {
    let part =
        |name, facets, area_mm2, is_repeated, bumps| PublishedPart { name, facets, area_mm2, is_repeated, bumps };
    [
        part("Head", 230e3, 8956.0, false, 5.0),
        part("Dragon", 173e3, 10_747.0, false, 9.0),
        part("Turbine", 58e3, 12_346.0, true, 24.0),
        part("Candle", 38e3, 10_987.0, true, 12.0),
    ]
}

impl PublishedPart {
    /// The part, about the origin.
    pub fn mesh(&self) -> Mesh {
        let rows = (self.facets / 4.0).sqrt();
        let (along, around) = (rows.round() as u32, (2.0 * rows).round() as u32);
        let mut mesh = shapes::grid(around, along, true, |u, v| {
            let (a, b) = (u * TAU, v * TAU);
            let (ring, tube) = if self.is_repeated {
                (20.0 + 2.0 * (self.bumps * a).sin(), 8.0 + 1.5 * (self.bumps * a).cos() * b.cos())
            } else {
                let bumps = (self.bumps * a).sin() * (3.0 * b).cos() + 0.5 * (2.0 * self.bumps * a).cos() * b.sin();
                (20.0 + 3.0 * (2.0 * a).sin(), 9.0 + 2.0 * bumps)
            };
            let radius = ring + tube * b.cos();
            Point::new(radius * a.cos(), radius * a.sin(), 1.2 * tube * b.sin())
        });
        mesh.scale((self.area_mm2 / mesh.area_mm2()).sqrt());
        mesh
    }
}
