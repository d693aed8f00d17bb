//! View camera on top of three-d: orthographic and perspective projection, standard views, fit, pan, zoom, pick rays.

use three_d::{Camera, Event, InnerSpace, Modifiers, MouseButton, OrbitControl};
use three_d::{PhysicalPoint, Vec3, Viewport, radians, vec3};

pub use base::StandardView;
use geometry::viewpoint::Viewpoint;
use geometry::{Aabb, Point, Vector};

/// Vertical field of view of the perspective projection, rad.
pub(crate) const FIELD_OF_VIEW_RAD: f32 = 0.6;

/// Direction from the scene to the eye, and the direction that is up.
fn direction_and_up(view: StandardView) -> (Vec3, Vec3) {
    let z = vec3(0.0, 0.0, 1.0);
    match view {
        // Slightly tilted: exactly along z, the up vector would be undefined.
        StandardView::Top => (vec3(0.0, -1e-4, 1.0), vec3(0.0, 1.0, 0.0)),
        StandardView::Bottom => (vec3(0.0, -1e-4, -1.0), vec3(0.0, 1.0, 0.0)),
        StandardView::Front => (vec3(0.0, -1.0, 0.0), z),
        StandardView::Back => (vec3(0.0, 1.0, 0.0), z),
        StandardView::Left => (vec3(-1.0, 0.0, 0.0), z),
        StandardView::Right => (vec3(1.0, 0.0, 0.0), z),
        StandardView::Isometric => (vec3(0.75, -1.0, 0.8), z),
    }
}

/// Camera of a scene. Camera coordinates are f32, relative to `origin`, in mm.
pub struct ViewCamera {
    camera: Camera,
    /// Origin of the camera coordinates in the scene frame, mm.
    origin: Point,
    /// Half the diagonal of the bounds of the scene, mm.
    radius: f32,
    /// Half the edge lengths of the bounds of the scene, mm.
    half_size: Vec3,
    /// Visible height at the target, mm.
    height: f32,
    perspective: bool,
    /// Widths of the covered strips at the left and the right edge of the view, pixels.
    covered: [u32; 2],
}

impl ViewCamera {
    /// Isometric view of `bounds` (mm).
    pub fn new(bounds: &Aabb) -> Self {
        let viewport = Viewport::new_at_origo(800, 600);
        let camera = Camera::new_orthographic(
            viewport,
            vec3(1.0, -1.0, 1.0),
            vec3(0.0, 0.0, 0.0),
            vec3(0.0, 0.0, 1.0),
            1.0,
            0.1,
            10.0,
        );
        let half_size = vec3(0.5, 0.5, 0.5);
        let mut view = Self {
            camera,
            origin: Point::origin(),
            radius: 1.0,
            half_size,
            height: 2.0,
            perspective: false,
            covered: [0; 2],
        };
        view.set_bounds(bounds);
        view.look_from(StandardView::Isometric);
        view
    }

    /// Sets the bounds of the scene, mm, without changing the view.
    pub fn set_bounds(&mut self, bounds: &Aabb) {
        let radius = (0.5 * bounds.diagonal()).max(1e-6) as f32;
        let shift = bounds.centre() - self.origin;
        let shift = vec3(shift.x as f32, shift.y as f32, shift.z as f32);
        self.origin = bounds.centre();
        self.radius = radius;
        let half = 0.5 * bounds.size();
        self.half_size = vec3(half.x as f32, half.y as f32, half.z as f32);
        self.camera.translate(-shift);
        self.update_projection();
    }

    /// Origin of the camera coordinates in the scene frame, mm.
    pub fn origin(&self) -> Point {
        self.origin
    }

    /// Width and height of the view, pixels.
    pub fn size(&self) -> [u32; 2] {
        let viewport = self.camera.viewport();
        [viewport.width, viewport.height]
    }

    /// Sets the size of the view, pixels. An unchanged size leaves the view bitwise identical; recomputing the
    /// projection would change its last bits.
    pub fn set_size(&mut self, width: u32, height: u32) {
        let viewport = Viewport::new_at_origo(width.max(1), height.max(1));
        if self.camera.viewport() != viewport {
            self.camera.set_viewport(viewport);
            self.update_projection();
        }
    }

    /// Sets the widths of covered strips at the left and the right edge, pixels; [`ViewCamera::fit`] keeps the scene clear of
    /// them.
    pub fn set_covered(&mut self, pixels: [u32; 2]) {
        self.covered = pixels;
    }

    /// Whether the projection is perspective.
    pub fn is_perspective(&self) -> bool {
        self.perspective
    }

    /// Selects perspective or orthographic projection.
    pub fn set_perspective(&mut self, perspective: bool) {
        self.perspective = perspective;
        self.update_projection();
    }

    /// Shows the whole scene from a standard direction.
    pub fn look_from(&mut self, view: StandardView) {
        let (direction, up) = direction_and_up(view);
        self.set_view(vec3(0.0, 0.0, 0.0), direction.normalize(), up);
        self.fit();
    }

    /// Shows the whole scene from a direction that is not along z, with z upwards.
    pub fn look_from_direction(&mut self, direction: [f32; 3]) {
        self.set_view(vec3(0.0, 0.0, 0.0), Vec3::from(direction).normalize(), vec3(0.0, 0.0, 1.0));
        self.fit();
    }

    /// Shows the whole scene from the current direction.
    pub fn fit(&mut self) {
        let viewport = self.camera.viewport();
        // A covered strip counts for at most a third of the width.
        let [left, right] = self.covered.map(|pixels| pixels.min(viewport.width / 3));
        let aspect = (viewport.width - left - right) as f32 / viewport.height.max(1) as f32;
        let shift = -0.5 * (right as f32 - left as f32);
        let right = self.camera.right_direction().normalize();
        let up = right.cross(self.camera.view_direction());
        // Half extent of the bounds along a view axis; perspective needs a larger margin.
        let half_extent = |axis: Vec3| {
            let half = self.half_size;
            axis.x.abs() * half.x + axis.y.abs() * half.y + axis.z.abs() * half.z
        };
        let margin = if self.perspective { 1.3 } else { 1.12 };
        self.height = (2.0 * margin * half_extent(up).max(half_extent(right) / aspect)).max(1e-3 * self.radius);
        let direction = -self.camera.view_direction();
        let up = self.camera.up();
        self.set_view(vec3(0.0, 0.0, 0.0), direction.normalize(), up);
        self.pan((shift, 0.0));
    }

    /// Shows the surroundings of `target` within `radius_mm`, seen approximately from the direction `from` if given.
    pub fn fly_to(&mut self, target: &Point, radius_mm: f64, from: Option<Vector>) {
        let local = target - self.origin;
        self.height = (2.6 * radius_mm).max(1e-4 * f64::from(self.radius)) as f32;
        let direction = match from.filter(|from| from.norm() > 0.0) {
            Some(from) => {
                let unit = from.normalize();
                // Oblique, because exactly along z the up vector is undefined.
                vec3(unit.x as f32, unit.y as f32, unit.z as f32) + vec3(0.12, -0.2, 0.1)
            }
            None => -self.camera.view_direction(),
        };
        let up = if direction.normalize().z.abs() > 0.98 { vec3(0.0, 1.0, 0.0) } else { vec3(0.0, 0.0, 1.0) };
        self.set_view(vec3(local.x as f32, local.y as f32, local.z as f32), direction.normalize(), up);
    }

    /// Where the camera stands and how it looks, in the scene frame.
    pub fn viewpoint(&self) -> Viewpoint {
        let vector = |v: Vec3| [v.x, v.y, v.z].map(f64::from);
        let height_mm = self.height_mm();
        Viewpoint {
            target_mm: (self.origin + Vector::from(vector(self.camera.target()))).into(),
            to_eye: vector(-self.camera.view_direction()),
            up: vector(self.camera.up()),
            size_mm: [height_mm * f64::from(self.aspect()), height_mm],
            is_perspective: self.perspective,
        }
    }

    /// Width of the view divided by its height.
    fn aspect(&self) -> f32 {
        let viewport = self.camera.viewport();
        viewport.width as f32 / viewport.height.max(1) as f32
    }

    /// Looks from a viewpoint in the scene frame; one from which nothing can be seen changes nothing.
    pub fn look_as(&mut self, view: &Viewpoint) {
        if !view.is_usable() {
            return;
        }
        let vector = |[x, y, z]: [f64; 3]| vec3(x as f32, y as f32, z as f32);
        self.perspective = view.is_perspective;
        let [width, height] = view.size_mm.map(|mm| mm as f32);
        self.height = height.max(width / self.aspect());
        let target = Point::from(view.target_mm) - self.origin;
        self.set_view(vector(target.into()), vector(view.to_eye).normalize(), vector(view.up));
    }

    fn set_view(&mut self, target: Vec3, direction: Vec3, up: Vec3) {
        let distance = self.distance();
        self.camera.set_view(target + direction * distance, target, up);
        self.update_projection();
    }

    /// Distance of the camera from its target at which `height` is visible, mm.
    fn distance(&self) -> f32 {
        if self.perspective {
            0.5 * self.height / (0.5 * FIELD_OF_VIEW_RAD).tan()
        } else {
            // Any distance gives the same picture; outside the scene nothing is clipped.
            3.0 * self.radius + self.height
        }
    }

    fn update_projection(&mut self) {
        let target = self.camera.target();
        let direction = -self.camera.view_direction();
        let direction = if direction.magnitude() > 0.0 { direction.normalize() } else { vec3(0.0, -1.0, 0.0) };
        let up = self.camera.up();
        let distance = self.distance();
        self.camera.set_view(target + direction * distance, target, up);
        // The depth range covers the whole scene, as far as it lies in front of the camera.
        let depth_radius = self.radius * 1.05 + target.magnitude();
        let far = distance + depth_radius;
        let near = (distance - depth_radius).max(far * 2e-4);
        if self.perspective {
            self.camera.set_perspective_projection(radians(FIELD_OF_VIEW_RAD), near, far);
        } else {
            self.camera.set_orthographic_projection(self.height / distance, near, far);
        }
    }

    /// Rotates about the target by a drag in logical pixels (y down), by three-d's orbit control.
    pub fn orbit(&mut self, delta: (f32, f32)) {
        let mut control = OrbitControl::new(self.camera.target(), 0.0, f32::MAX);
        let mut events = [Event::MouseMotion {
            button: Some(MouseButton::Left),
            delta,
            position: PhysicalPoint { x: 0.0, y: 0.0 },
            modifiers: Modifiers::default(),
            handled: false,
        }];
        control.handle_events(&mut self.camera, &mut events);
        self.update_projection();
    }

    /// Moves the scene with a drag in pixels (y down).
    pub fn pan(&mut self, delta: (f32, f32)) {
        let mm_per_pixel = self.height / self.camera.viewport().height.max(1) as f32;
        let right = self.camera.right_direction().normalize();
        let up = right.cross(self.camera.view_direction());
        self.camera.translate((-right * delta.0 + up * delta.1) * mm_per_pixel);
        self.update_projection();
    }

    /// Zooms by `factor` (above 1: in) about `pixel` (y down).
    pub fn zoom(&mut self, factor: f32, pixel: (f32, f32)) {
        let viewport = self.camera.viewport();
        let offset = (pixel.0 - 0.5 * viewport.width as f32, pixel.1 - 0.5 * viewport.height as f32);
        self.pan((-offset.0, -offset.1));
        self.height = (self.height / factor.clamp(0.1, 10.0)).clamp(1e-4 * self.radius, 40.0 * self.radius);
        self.update_projection();
        self.pan(offset);
    }

    /// Matrix from camera coordinates to clip space with depth 0 to 1, column-major.
    pub fn clip_from_local(&self) -> [[f32; 4]; 4] {
        #[rustfmt::skip]
        let depth = three_d::Mat4::new(
            1.0, 0.0, 0.0, 0.0,
            0.0, 1.0, 0.0, 0.0,
            0.0, 0.0, 0.5, 0.0,
            0.0, 0.0, 0.5, 1.0,
        );
        (depth * self.camera.projection() * self.camera.view()).into()
    }

    /// The pick ray through `pixel` (y down): origin (mm) and unit direction in the scene frame.
    pub fn ray(&self, pixel: (f32, f32)) -> (Point, Vector) {
        let up = self.camera.viewport().height as f32 - pixel.1;
        let origin = self.camera.position_at_pixel((pixel.0, up));
        let direction = self.camera.view_direction_at_pixel((pixel.0, up));
        let to_f64 = |v: f32| f64::from(v);
        (
            self.origin + Vector::new(to_f64(origin.x), to_f64(origin.y), to_f64(origin.z)),
            Vector::new(to_f64(direction.x), to_f64(direction.y), to_f64(direction.z)).normalize(),
        )
    }

    /// The pixel (y down) of a point in the scene frame, mm; `None` behind the camera.
    pub fn pixel_of(&self, point: &Point) -> Option<(f32, f32)> {
        let local = point - self.origin;
        let clip = self.clip_from_local();
        let v = [local.x as f32, local.y as f32, local.z as f32, 1.0];
        let row = |i: usize| (0..4).map(|j| clip[j][i] * v[j]).sum::<f32>();
        let w = row(3);
        let viewport = self.camera.viewport();
        (w > 0.0).then(|| {
            ((row(0) / w * 0.5 + 0.5) * viewport.width as f32, (0.5 - row(1) / w * 0.5) * viewport.height as f32)
        })
    }

    /// Unit direction from the target to the camera.
    pub fn to_eye(&self) -> [f32; 3] {
        (-self.camera.view_direction()).into()
    }

    /// Unit directions right and up of the camera.
    pub fn right_and_up(&self) -> ([f32; 3], [f32; 3]) {
        let right = self.camera.right_direction().normalize();
        (right.into(), right.cross(self.camera.view_direction()).into())
    }

    /// Visible height at the target, mm.
    pub fn height_mm(&self) -> f64 {
        f64::from(self.height)
    }

    /// Distances of the near and the far clipping plane from the camera, mm.
    pub fn depth_range(&self) -> (f32, f32) {
        (self.camera.z_near(), self.camera.z_far())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewpoint_gives_the_same_picture_again_in_a_scene_of_other_bounds() {
        for perspective in [false, true] {
            let mut camera = camera();
            camera.set_perspective(perspective);
            camera.look_from(StandardView::Front);
            camera.orbit((120.0, -35.0));
            camera.zoom(2.5, (300.0, 200.0));
            let mut other = ViewCamera::new(&Aabb { min: Point::origin(), max: Point::new(1200.0, 90.0, 70.0) });
            other.set_size(900, 600);
            other.look_as(&camera.viewpoint());
            for corner in [Point::new(1010.0, 5.0, 3.0), Point::new(1090.0, 44.0, 31.0), Point::new(1050.0, 20.0, 0.0)]
            {
                let ((x, y), (x2, y2)) = (camera.pixel_of(&corner).unwrap(), other.pixel_of(&corner).unwrap());
                assert!((x - x2).hypot(y - y2) < 0.1, "{x}, {y} against {x2}, {y2}");
            }
            // A narrower picture shows no less in its width.
            other.set_size(300, 600);
            other.look_as(&camera.viewpoint());
            assert!((other.viewpoint().size_mm[0] / camera.viewpoint().size_mm[0] - 1.0).abs() < 1e-5);
            let before = other.viewpoint();
            other.look_as(&Viewpoint { size_mm: [f64::NAN; 2], ..before });
            assert_eq!(other.viewpoint(), before);
        }
    }

    fn camera() -> ViewCamera {
        let bounds = Aabb { min: Point::new(1000.0, 0.0, 0.0), max: Point::new(1100.0, 60.0, 40.0) };
        let mut camera = ViewCamera::new(&bounds);
        camera.set_size(900, 600);
        camera.fit();
        camera
    }

    #[test]
    fn rays_pass_through_the_points_of_their_pixels() {
        for perspective in [false, true] {
            let mut camera = camera();
            camera.set_perspective(perspective);
            for view in StandardView::ALL {
                camera.look_from(view);
                let point = Point::new(1030.0, 20.0, 15.0);
                let pixel = camera.pixel_of(&point).unwrap();
                let (origin, direction) = camera.ray(pixel);
                let distance_mm = (point - origin).cross(&direction).norm();
                assert!(distance_mm < 0.02, "{view:?} {perspective} {distance_mm}");
            }
        }
    }

    #[test]
    fn a_fitted_scene_is_clear_of_what_is_covered_at_either_side() {
        let mut camera = camera();
        let bounds = Aabb { min: Point::new(1000.0, 0.0, 0.0), max: Point::new(1100.0, 60.0, 40.0) };
        for (covered, clear) in [([160, 0], 160.0..=900.0), ([0, 160], 0.0..=740.0), ([0, 0], 0.0..=900.0)] {
            camera.set_covered(covered);
            for view in StandardView::ALL {
                camera.look_from(view);
                let seen = bounds.corners().map(|corner| camera.pixel_of(&corner).unwrap().0);
                assert!(seen.iter().all(|x| clear.contains(x)), "{view:?} {covered:?}: {seen:?}");
                let middle = 0.5 * (clear.start() + clear.end());
                assert!((camera.pixel_of(&bounds.centre()).unwrap().0 - middle).abs() < 0.5, "{view:?} {covered:?}");
            }
        }
    }

    #[test]
    fn setting_the_same_size_leaves_the_view_bitwise_identical() {
        let mut camera = camera();
        for drag in 0..200 {
            camera.orbit((1.0 + drag as f32 * 0.37, 0.61 * drag as f32 - 40.0));
            let before = camera.clip_from_local();
            for _ in 0..4 {
                camera.set_size(900, 600);
                assert_eq!(camera.clip_from_local(), before, "{drag}");
            }
        }
    }

    #[test]
    fn the_whole_scene_is_in_view_after_fit_and_zoom_keeps_the_point_under_the_pointer() {
        let mut camera = camera();
        let bounds = Aabb { min: Point::new(1000.0, 0.0, 0.0), max: Point::new(1100.0, 60.0, 40.0) };
        for view in StandardView::ALL {
            camera.look_from(view);
            for corner in bounds.corners() {
                let (x, y) = camera.pixel_of(&corner).unwrap();
                assert!((0.0..=900.0).contains(&x) && (0.0..=600.0).contains(&y), "{view:?} {x} {y}");
            }
        }
        let point = Point::new(1090.0, 50.0, 10.0);
        let before = camera.pixel_of(&point).unwrap();
        camera.zoom(2.0, before);
        let after = camera.pixel_of(&point).unwrap();
        assert!((before.0 - after.0).abs() < 0.5 && (before.1 - after.1).abs() < 0.5);
    }
}
