//! Parts of simple shapes.

use super::TrialPart;
use geometry::mesh::shapes;
use geometry::{Mesh, Point};

fn block(x: f64, y: f64, z: f64) -> Mesh {
    shapes::cuboid(Point::origin(), Point::new(x, y, z))
}

/// A body of revolution about z, closed by discs, whose radius is a function of the height from 0 to 1.
fn turned(height_mm: f64, radius_mm: impl Fn(f64) -> f64) -> Mesh {
    shapes::grid(60, 90, false, |u, v| {
        let angle = -v * std::f64::consts::TAU;
        // The first and the last twentieth are the ends.
        let (along, share) = if u < 0.05 {
            (0.0, u / 0.05)
        } else if u > 0.95 {
            (1.0, (1.0 - u) / 0.05)
        } else {
            ((u - 0.05) / 0.9, 1.0)
        };
        let radius = radius_mm(along) * share.max(1e-6);
        Point::new(radius * angle.cos(), radius * angle.sin(), height_mm * along)
    })
}

/// The parts.
pub fn all() -> Vec<TrialPart> {
    let meshes = [
        ("plate", block(90.0, 60.0, 8.0)),
        ("sheet", block(80.0, 70.0, 1.5)),
        ("cube", block(40.0, 40.0, 40.0)),
        ("bar", block(120.0, 15.0, 12.0)),
        ("sphere", shapes::sphere(30.0, 5)),
        ("torus", shapes::torus(35.0, 12.0, 90, 48)),
        ("shaft", turned(80.0, |_| 18.0)),
        ("cone", turned(60.0, |along| 30.0 - 15.0 * along)),
        ("barrel", turned(70.0, |along| 20.0 + 5.0 * (std::f64::consts::PI * along).sin())),
    ];
    meshes.map(|(name, mesh)| TrialPart::new(name, mesh)).into()
}
