//! The projection of a view in f64, for what subtracts positions that are close to each other: the camera's own is f32.

use geometry::{Point, Vector};

use super::ViewCamera;
use super::camera::FIELD_OF_VIEW_RAD;

/// The line that a pixel looks along.
#[derive(Clone, Copy, Debug)]
pub struct SightLine {
    /// A point of it; of a perspective view the eye. Scene frame, mm.
    pub origin: Point,
    /// Unit direction away from the eye.
    pub direction: Vector,
    /// Whether nothing is seen before `origin`.
    pub starts_at_origin: bool,
}

/// How a view maps the scene to its pixels (y down).
#[derive(Clone, Copy, Debug)]
pub struct Projection {
    /// The eye of a perspective view, the target of an orthographic one. Scene frame, mm.
    origin: Point,
    /// Unit directions to the right, up and towards the eye.
    axes: [Vector; 3],
    /// Width and height of the view, pixels.
    size: [f64; 2],
    /// Half the visible height: in mm, or in a perspective view as a share of the distance from the eye.
    half_height: f64,
    is_perspective: bool,
}

impl Projection {
    /// That of a camera as it stands.
    pub fn of(camera: &ViewCamera) -> Self {
        let view = camera.viewpoint();
        let forward = -Vector::from(view.to_eye).normalize();
        let right = forward.cross(&Vector::from(view.up)).normalize();
        let (target, half_mm) = (Point::from(view.target_mm), 0.5 * view.size_mm[1]);
        let slope = (0.5 * f64::from(FIELD_OF_VIEW_RAD)).tan();
        let (origin, half_height) =
            if view.is_perspective { (target - forward * (half_mm / slope), slope) } else { (target, half_mm) };
        Self {
            origin,
            axes: [right, right.cross(&forward), -forward],
            size: camera.size().map(f64::from),
            half_height,
            is_perspective: view.is_perspective,
        }
    }

    /// Unit directions to the right, up and towards the eye, in the scene frame.
    pub fn axes(&self) -> [Vector; 3] {
        self.axes
    }

    /// Half the visible height at the depth of a point, mm; `None` behind the eye.
    fn half_mm_at(&self, point: &Point) -> Option<f64> {
        if !self.is_perspective {
            return Some(self.half_height);
        }
        let depth_mm = (self.origin - point).dot(&self.axes[2]);
        (depth_mm > 0.0).then_some(depth_mm * self.half_height)
    }

    /// Size of a pixel at the depth of a point, mm; `None` behind the eye.
    pub fn mm_per_pixel(&self, at: &Point) -> Option<f64> {
        Some(2.0 * self.half_mm_at(at)? / self.size[1])
    }

    /// The pixel of a point in the scene frame, mm; `None` behind the eye.
    pub fn pixel_of(&self, point: &Point) -> Option<[f64; 2]> {
        let pixels_per_mm = 0.5 * self.size[1] / self.half_mm_at(point)?;
        let [right, up] = [0, 1].map(|axis| (point - self.origin).dot(&self.axes[axis]) * pixels_per_mm);
        Some([0.5 * self.size[0] + right, 0.5 * self.size[1] - up])
    }

    /// The line that a pixel looks along.
    pub fn sight_line(&self, pixel: [f64; 2]) -> SightLine {
        let [width, height] = self.size;
        let [right, up, to_eye] = self.axes;
        let offset = right * (2.0 * pixel[0] - width) / height + up * (height - 2.0 * pixel[1]) / height;
        let offset = offset * self.half_height;
        if self.is_perspective {
            SightLine { origin: self.origin, direction: (offset - to_eye).normalize(), starts_at_origin: true }
        } else {
            SightLine { origin: self.origin + offset, direction: -to_eye, starts_at_origin: false }
        }
    }

    /// Unit direction in which a point is seen, in the scene frame.
    pub fn sight_to(&self, point: &Point) -> Vector {
        let direct = point - self.origin;
        if self.is_perspective && direct.norm() > 0.0 { direct.normalize() } else { -self.axes[2] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::StandardView;
    use geometry::Aabb;

    #[test]
    fn points_lie_where_the_camera_draws_them_and_on_the_lines_of_their_pixels() {
        let bounds = Aabb { min: Point::new(1000.0, 0.0, 0.0), max: Point::new(1100.0, 60.0, 40.0) };
        let mut camera = ViewCamera::new(&bounds);
        camera.set_size(900, 600);
        for perspective in [false, true] {
            camera.set_perspective(perspective);
            for view in StandardView::ALL {
                camera.look_from(view);
                camera.zoom(1.7, (300.0, 200.0));
                let projection = Projection::of(&camera);
                let point = Point::new(1030.0, 20.0, 15.0);
                let ([x, y], (x2, y2)) = (projection.pixel_of(&point).unwrap(), camera.pixel_of(&point).unwrap());
                assert!((x - f64::from(x2)).hypot(y - f64::from(y2)) < 0.02, "{view:?} {x} {y} {x2} {y2}");
                let sight = projection.sight_line([x, y]);
                let off_mm = (point - sight.origin).cross(&sight.direction).norm();
                assert!(off_mm < 1e-9, "{view:?} {perspective} {off_mm}");
                let beside = projection.pixel_of(&(point + projection.axes()[0])).unwrap();
                let mm_per_pixel = 1.0 / (beside[0] - x);
                assert!((projection.mm_per_pixel(&point).unwrap() / mm_per_pixel - 1.0).abs() < 1e-9);
            }
        }
    }
}
