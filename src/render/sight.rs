//! What a view sees of points on a part.

use super::ViewCamera;
use geometry::{Point, Surface};

/// What lies nearer before a point than this share of the diagonal of the part is the surface that it belongs to.
const HIDDEN_SHARE: f64 = 2e-3;

/// Pixel of a point of the scene that lies beside its surface by `deviation_mm`, and whether the surface lies before it;
/// `None` behind the eye.
pub fn of(
    camera: &ViewCamera,
    surface: Option<&Surface>,
    (point, deviation_mm): (&Point, f64),
) -> Option<((f32, f32), bool)> {
    let pixel = camera.pixel_of(point)?;
    let (origin, direction) = camera.ray(pixel);
    let is_before = |own: &Surface| {
        let near_mm = HIDDEN_SHARE * own.bounds().diagonal() + 1.5 * deviation_mm.abs();
        let away_mm = (point - origin).dot(&direction) - near_mm;
        own.is_hit(&origin, &direction, [0.0, away_mm])
    };
    Some((pixel, surface.is_some_and(is_before)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::StandardView;
    use geometry::mesh::shapes;

    #[test]
    fn points_on_the_far_side_are_hidden() {
        let block = Surface::new(shapes::cuboid(Point::origin(), Point::new(40.0, 30.0, 20.0)));
        let mut camera = ViewCamera::new(block.bounds());
        camera.set_size(800, 600);
        camera.look_from(StandardView::Top);
        let seen = |z: f64| of(&camera, Some(&block), (&Point::new(20.0, 15.0, z), 20.0 - z)).unwrap();
        assert!(!seen(20.3).1 && !seen(19.5).1);
        assert!(of(&camera, Some(&block), (&Point::new(20.0, 15.0, 0.1), 0.1)).unwrap().1);
        let (x, y) = seen(20.0).0;
        assert!((x - 400.0).abs() < 1.0 && (y - 300.0).abs() < 1.0, "{x} {y}");
        assert!(!of(&camera, None, (&Point::origin(), 0.0)).unwrap().1);
    }
}
