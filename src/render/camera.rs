//! The camera: three-d's, with an orthographic and a perspective lens, standard views, fitting, panning and rays.

use three_d::{Camera, Event, InnerSpace, Modifiers, MouseButton, OrbitControl};
use three_d::{PhysicalPoint, Vec3, Viewport, radians, vec3};

use geometry::{Aabb, Point, Vector};

/// Field of view of the perspective lens.
const FIELD_OF_VIEW_RAD: f32 = 0.6;

/// A direction to look from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardView {
    /// From +z.
    Top,
    /// From -z.
    Bottom,
    /// From -y.
    Front,
    /// From +y.
    Back,
    /// From -x.
    Left,
    /// From +x.
    Right,
    /// From a corner.
    Isometric,
}

impl StandardView {
    /// All, in the order that menus show them.
    pub const ALL: [Self; 7] =
        [Self::Isometric, Self::Front, Self::Back, Self::Left, Self::Right, Self::Top, Self::Bottom];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Top => "Top",
            Self::Bottom => "Bottom",
            Self::Front => "Front",
            Self::Back => "Back",
            Self::Left => "Left",
            Self::Right => "Right",
            Self::Isometric => "Isometric",
        }
    }

    fn direction_and_up(self) -> (Vec3, Vec3) {
        let z = vec3(0.0, 0.0, 1.0);
        match self {
            // Straight along an axis would leave the up vector open: lean by a hair.
            Self::Top => (vec3(0.0, -1e-4, 1.0), vec3(0.0, 1.0, 0.0)),
            Self::Bottom => (vec3(0.0, -1e-4, -1.0), vec3(0.0, 1.0, 0.0)),
            Self::Front => (vec3(0.0, -1.0, 0.0), z),
            Self::Back => (vec3(0.0, 1.0, 0.0), z),
            Self::Left => (vec3(-1.0, 0.0, 0.0), z),
            Self::Right => (vec3(1.0, 0.0, 0.0), z),
            Self::Isometric => (vec3(0.75, -1.0, 0.8), z),
        }
    }
}

/// A camera about a scene. Its own coordinates are f32 about `origin`.
pub struct ViewCamera {
    camera: Camera,
    /// Where the camera's coordinates start, mm.
    origin: Point,
    /// Half the diagonal of what is shown, mm.
    radius: f32,
    /// Half the edges of what is shown, mm.
    half_size: Vec3,
    /// Visible height at the target, mm.
    height: f32,
    perspective: bool,
    /// Pixels at the right edge that something else covers.
    covered_right: u32,
}

impl ViewCamera {
    /// Looks at `bounds` from a corner.
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
            covered_right: 0,
        };
        view.set_bounds(bounds);
        view.look_from(StandardView::Isometric);
        view
    }

    /// Tells how large the scene is; the view stays.
    pub fn set_bounds(&mut self, bounds: &Aabb) {
        let radius = (0.5 * bounds.diagonal()).max(1e-6) as f32;
        let shift = bounds.centre() - self.origin;
        let shift = vec3(shift.x as f32, shift.y as f32, shift.z as f32);
        self.origin = bounds.centre();
        self.radius = radius;
        let half = 0.5 * bounds.size();
        self.half_size = vec3(half.x as f32, half.y as f32, half.z as f32);
        self.camera.translate(-shift);
        self.update_lens();
    }

    /// Where the camera's coordinates start, mm.
    pub fn origin(&self) -> Point {
        self.origin
    }

    /// Pixels across and down.
    pub fn size(&self) -> [u32; 2] {
        let viewport = self.camera.viewport();
        [viewport.width, viewport.height]
    }

    /// Size of the picture, pixels. The same size leaves every bit of the view: the lens, computed anew from itself,
    /// would waver in its last bits.
    pub fn set_size(&mut self, width: u32, height: u32) {
        let viewport = Viewport::new_at_origo(width.max(1), height.max(1));
        if self.camera.viewport() != viewport {
            self.camera.set_viewport(viewport);
            self.update_lens();
        }
    }

    /// Keeps the scene clear of this many pixels at the right edge whenever all of it is shown.
    pub fn cover_right(&mut self, pixels: u32) {
        self.covered_right = pixels;
    }

    /// Whether the lens is a perspective one.
    pub fn is_perspective(&self) -> bool {
        self.perspective
    }

    /// Changes the lens.
    pub fn set_perspective(&mut self, perspective: bool) {
        self.perspective = perspective;
        self.update_lens();
    }

    /// Looks from a standard direction at the whole scene.
    pub fn look_from(&mut self, view: StandardView) {
        let (direction, up) = view.direction_and_up();
        self.place(vec3(0.0, 0.0, 0.0), direction.normalize(), up);
        self.fit();
    }

    /// Shows the whole scene from where the camera is.
    pub fn fit(&mut self) {
        let viewport = self.camera.viewport();
        // A narrow picture has no room to spare.
        let covered = self.covered_right.min(viewport.width / 3);
        let aspect = (viewport.width - covered) as f32 / viewport.height.max(1) as f32;
        let right = self.camera.right_direction().normalize();
        let up = right.cross(self.camera.view_direction());
        // How far the box reaches to the side and up, as seen from here; a lens that widens asks for more.
        let reach = |axis: Vec3| {
            let half = self.half_size;
            axis.x.abs() * half.x + axis.y.abs() * half.y + axis.z.abs() * half.z
        };
        let margin = if self.perspective { 1.3 } else { 1.12 };
        self.height = (2.0 * margin * reach(up).max(reach(right) / aspect)).max(1e-3 * self.radius);
        let direction = -self.camera.view_direction();
        let up = self.camera.up();
        self.place(vec3(0.0, 0.0, 0.0), direction.normalize(), up);
        self.pan((-0.5 * covered as f32, 0.0));
    }

    /// Flies to a place: shows `radius_mm` around `target`, from outside along `from` where that is given.
    pub fn fly_to(&mut self, target: &Point, radius_mm: f64, from: Option<Vector>) {
        let local = target - self.origin;
        self.height = (2.6 * radius_mm).max(1e-4 * f64::from(self.radius)) as f32;
        let direction = match from.filter(|from| from.norm() > 0.0) {
            Some(from) => {
                let unit = from.normalize();
                // Straight along z the up vector would be open.
                vec3(unit.x as f32, unit.y as f32, unit.z as f32) + vec3(0.12, -0.2, 0.1)
            }
            None => -self.camera.view_direction(),
        };
        let up = if direction.normalize().z.abs() > 0.98 { vec3(0.0, 1.0, 0.0) } else { vec3(0.0, 0.0, 1.0) };
        self.place(vec3(local.x as f32, local.y as f32, local.z as f32), direction.normalize(), up);
    }

    fn place(&mut self, target: Vec3, direction: Vec3, up: Vec3) {
        let distance = self.distance();
        self.camera.set_view(target + direction * distance, target, up);
        self.update_lens();
    }

    /// Distance of the camera from its target that shows `height`.
    fn distance(&self) -> f32 {
        if self.perspective {
            0.5 * self.height / (0.5 * FIELD_OF_VIEW_RAD).tan()
        } else {
            // An orthographic camera may stand anywhere; outside the scene nothing is cut off.
            3.0 * self.radius + self.height
        }
    }

    fn update_lens(&mut self) {
        let target = self.camera.target();
        let direction = -self.camera.view_direction();
        let direction = if direction.magnitude() > 0.0 { direction.normalize() } else { vec3(0.0, -1.0, 0.0) };
        let up = self.camera.up();
        let distance = self.distance();
        self.camera.set_view(target + direction * distance, target, up);
        // From the far side of the scene to in front of the camera.
        let reach = self.radius * 1.05 + target.magnitude();
        let far = distance + reach;
        let near = (distance - reach).max(far * 2e-4);
        if self.perspective {
            self.camera.set_perspective_projection(radians(FIELD_OF_VIEW_RAD), near, far);
        } else {
            self.camera.set_orthographic_projection(self.height / distance, near, far);
        }
    }

    /// Turns about the target by a drag in points (y down), through three-d's orbit control.
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
        self.update_lens();
    }

    /// Shifts the scene with a drag in pixels (y down).
    pub fn pan(&mut self, delta: (f32, f32)) {
        let per_pixel = self.height / self.camera.viewport().height.max(1) as f32;
        let right = self.camera.right_direction().normalize();
        let up = right.cross(self.camera.view_direction());
        self.camera.translate((-right * delta.0 + up * delta.1) * per_pixel);
        self.update_lens();
    }

    /// Zooms by `factor` (above 1 closer), keeping what is under `pixel` (y down) in place.
    pub fn zoom(&mut self, factor: f32, pixel: (f32, f32)) {
        let viewport = self.camera.viewport();
        let offset = (pixel.0 - 0.5 * viewport.width as f32, pixel.1 - 0.5 * viewport.height as f32);
        self.pan((-offset.0, -offset.1));
        self.height = (self.height / factor.clamp(0.1, 10.0)).clamp(1e-4 * self.radius, 40.0 * self.radius);
        self.update_lens();
        self.pan(offset);
    }

    /// Matrix from the camera's coordinates to clip space with depth 0 to 1, columns.
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

    /// The ray under `pixel` (y down): origin and unit direction, mm.
    pub fn ray(&self, pixel: (f32, f32)) -> (Point, Vector) {
        let up = self.camera.viewport().height as f32 - pixel.1;
        let origin = self.camera.position_at_pixel((pixel.0, up));
        let direction = self.camera.view_direction_at_pixel((pixel.0, up));
        let wide = |v: f32| f64::from(v);
        (
            self.origin + Vector::new(wide(origin.x), wide(origin.y), wide(origin.z)),
            Vector::new(wide(direction.x), wide(direction.y), wide(direction.z)).normalize(),
        )
    }

    /// The pixel (y down) of a place, where it is in front of the camera.
    pub fn pixel_of(&self, place: &Point) -> Option<(f32, f32)> {
        let local = place - self.origin;
        let clip = self.clip_from_local();
        let v = [local.x as f32, local.y as f32, local.z as f32, 1.0];
        let row = |i: usize| (0..4).map(|j| clip[j][i] * v[j]).sum::<f32>();
        let w = row(3);
        let viewport = self.camera.viewport();
        (w > 0.0).then(|| {
            ((row(0) / w * 0.5 + 0.5) * viewport.width as f32, (0.5 - row(1) / w * 0.5) * viewport.height as f32)
        })
    }

    /// From the target to the camera, unit.
    pub fn to_eye(&self) -> [f32; 3] {
        (-self.camera.view_direction()).into()
    }

    /// The camera's right and up directions, unit, for the axes cross.
    pub fn right_and_up(&self) -> ([f32; 3], [f32; 3]) {
        let right = self.camera.right_direction().normalize();
        (right.into(), right.cross(self.camera.view_direction()).into())
    }

    /// Visible height at the target, mm.
    pub fn height_mm(&self) -> f64 {
        f64::from(self.height)
    }

    /// Nearest and farthest distance that the lens shows.
    pub fn depth_range(&self) -> (f32, f32) {
        (self.camera.z_near(), self.camera.z_far())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn camera() -> ViewCamera {
        let bounds = Aabb { min: Point::new(1000.0, 0.0, 0.0), max: Point::new(1100.0, 60.0, 40.0) };
        let mut camera = ViewCamera::new(&bounds);
        camera.set_size(900, 600);
        camera.fit();
        camera
    }

    #[test]
    fn rays_pass_through_the_places_they_were_drawn_for() {
        for perspective in [false, true] {
            let mut camera = camera();
            camera.set_perspective(perspective);
            for view in StandardView::ALL {
                camera.look_from(view);
                let place = Point::new(1030.0, 20.0, 15.0);
                let pixel = camera.pixel_of(&place).unwrap();
                let (origin, direction) = camera.ray(pixel);
                let off = (place - origin).cross(&direction).norm();
                assert!(off < 0.02, "{view:?} {perspective} {off}");
            }
        }
    }

    #[test]
    fn a_view_at_rest_keeps_every_bit() {
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
    fn the_whole_scene_is_in_view_after_fit_and_zoom_keeps_the_pointer() {
        let mut camera = camera();
        let bounds = Aabb { min: Point::new(1000.0, 0.0, 0.0), max: Point::new(1100.0, 60.0, 40.0) };
        for view in StandardView::ALL {
            camera.look_from(view);
            for corner in bounds.corners() {
                let (x, y) = camera.pixel_of(&corner).unwrap();
                assert!((0.0..=900.0).contains(&x) && (0.0..=600.0).contains(&y), "{view:?} {x} {y}");
            }
        }
        let place = Point::new(1090.0, 50.0, 10.0);
        let before = camera.pixel_of(&place).unwrap();
        camera.zoom(2.0, before);
        let after = camera.pixel_of(&place).unwrap();
        assert!((before.0 - after.0).abs() < 0.5 && (before.1 - after.1).abs() < 0.5);
    }
}
