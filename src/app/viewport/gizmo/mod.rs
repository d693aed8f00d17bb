//! The tool that moves the scan by hand: handles over the view, and the drag of one of them. While it goes on the scan
//! is drawn where it is dragged to; its end is one command.

mod draw;

use egui::{CursorIcon, Event, Key, PointerButton, Pos2, Response};

use super::super::{App, Workspace};
use super::Viewport;
use dispatch::Align;
use geometry::transform::step_about;
use geometry::{Point, Pose, Vector};
use render::gizmo::{Displacement, Drag, Gizmo, SNAP_RAD, snap_step_mm};
use render::projection::Projection;
use session::Document;

/// Names of the coordinate axes.
pub(crate) const AXES: [&str; 3] = ["x", "y", "z"];

/// Length of an arrow, and how near to a handle the pointer must be, screen points.
const SIZE: f32 = 76.0;
const TOLERANCE: f32 = 6.0;

/// Which axes the handles move along and turn about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Axes {
    /// Those of the part: of the nominal frame.
    #[default]
    Part,
    /// To the right, up and towards the eye.
    View,
}

/// What the scan is turned about, and where the handles are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Pivot {
    /// The centre of the scan's bounds, which moves with it.
    #[default]
    Scan,
    /// The origin of the nominal frame.
    Origin,
    /// A point picked on the nominal, nominal frame.
    Picked(Point),
}

/// The tool: what is chosen and typed in its panel, and its drag.
#[derive(Default)]
pub(crate) struct HandTool {
    /// Whether the handles are shown, in the Align workspace.
    pub is_on: bool,
    /// The axes of the handles.
    pub axes: Axes,
    /// The pivot.
    pub pivot: Pivot,
    /// Typed translation along the axes of the part, mm.
    pub shift_mm: [f64; 3],
    /// Typed rotations about them, degrees.
    pub turn_deg: [f64; 3],
    held: Option<Held>,
}

/// A handle that is held.
struct Held {
    drag: Drag,
    /// Pose of the scan before, nominal from scan.
    before: Pose,
    /// What the drag does, in steps if these were asked for.
    displacement: Displacement,
    /// Whether Escape took it back; then it lasts until the button is released, and does nothing.
    is_taken_back: bool,
}

impl Held {
    /// Pose of the scan now, nominal from scan.
    fn pose(&self) -> Pose {
        self.displacement.motion(&self.drag.gizmo().centre) * self.before
    }
}

impl HandTool {
    /// Ends a drag without any effect.
    pub(in super::super) fn let_go(&mut self) {
        self.held = None;
    }

    /// Whether the scan can be moved by hand: a main alignment would at once put it back.
    pub fn is_available(document: &Document) -> bool {
        let has_both = document.nominal().is_some() && document.actual().is_some();
        has_both && document.active.alignment == document.pre_alignment()
    }

    /// Whether a handle is held.
    pub fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Pose to which the scan is being dragged, nominal from scan.
    pub fn dragged_to(&self) -> Option<Pose> {
        self.held.as_ref().filter(|own| !own.is_taken_back).map(Held::pose)
    }

    /// The pivot in the nominal frame; `pose` is that of the scan, `scan_centre` the centre of its bounds in its own
    /// frame.
    pub fn pivot_at(&self, pose: &Pose, scan_centre: &Point) -> Point {
        match self.pivot {
            Pivot::Scan => pose * scan_centre,
            Pivot::Origin => Point::origin(),
            Pivot::Picked(point) => point,
        }
    }

    /// The typed displacement of the scan, in the nominal frame: turned about x, y and z through `pivot` in this order,
    /// then shifted. `None` if nothing is typed.
    pub fn typed(&self, pivot: &Point) -> Option<Pose> {
        if self.shift_mm == [0.0; 3] && self.turn_deg == [0.0; 3] {
            return None;
        }
        let turn = |axis: usize, shift: Vector| {
            let mut turn = Vector::zeros();
            turn[axis] = self.turn_deg[axis].to_radians();
            step_about(pivot, turn, shift)
        };
        Some(turn(2, self.shift_mm.into()) * turn(1, Vector::zeros()) * turn(0, Vector::zeros()))
    }
}

impl App {
    /// Whether the handles that move the scan are in the view.
    pub(super) fn is_moving_by_hand(&self) -> bool {
        self.display.by_hand.is_on
            && self.workspace == Workspace::Align
            && self.display.picking.is_none()
            && !self.is_busy()
            && HandTool::is_available(&self.dispatcher.document)
    }

    /// Handles the mouse on the handles; returns whether one is held. The end of a drag becomes a command.
    pub(super) fn move_by_hand(&mut self, ui: &egui::Ui, viewport: &mut Viewport, response: &Response) -> bool {
        if !self.is_moving_by_hand() {
            self.display.by_hand.held = None;
            return false;
        }
        let projection = Projection::of(&viewport.camera);
        let pixel = |at: Pos2| pixel_at(ui, response, at);
        if response.drag_started_by(PointerButton::Primary)
            && let Some(pressed) = ui.input(|input| input.pointer.press_origin())
            && let Some(gizmo) = self.gizmo(ui, viewport, &projection)
            && let Some(handle) = gizmo.handle_at(&projection, pixel(pressed), tolerance(ui))
            && let Some(drag) = Drag::new(gizmo, handle, &projection, pixel(pressed))
        {
            // The view stays as it was chosen for this drag.
            viewport.auto_fit = false;
            let (before, displacement) = (self.dispatcher.document.nominal_from_scan(), drag.displacement());
            self.display.by_hand.held = Some(Held { drag, before, displacement, is_taken_back: false });
        }
        let diagonal_mm = self.dispatcher.document.nominal().map_or(0.0, |own| own.surface.bounds().diagonal());
        // Undone meanwhile, it would be done again in the end.
        let now = self.dispatcher.document.nominal_from_scan();
        self.display.by_hand.held.take_if(|held| held.before != now);
        let Some(held) = &mut self.display.by_hand.held else { return false };
        // The key may already have been consumed by the window.
        let is_escape = |event: &Event| matches!(event, Event::Key { key: Key::Escape, pressed: true, .. });
        held.is_taken_back |= ui.input(|input| input.raw.events.iter().any(is_escape));
        if let Some(at) = ui.input(|input| input.pointer.interact_pos()).filter(|_| !held.is_taken_back) {
            held.drag.follow(&projection, pixel(at));
            held.displacement = held.drag.displacement();
            if ui.input(|input| input.modifiers.command) {
                held.displacement = held.displacement.snapped(snap_step_mm(diagonal_mm), SNAP_RAD);
            }
        }
        if ui.input(|input| input.pointer.primary_down()) {
            ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
            return true;
        }
        let moved = (!held.is_taken_back && !held.displacement.is_none()).then(|| held.pose());
        self.display.by_hand.held = None;
        if let Some(pose) = moved {
            self.send(Align::MoveByHand(pose));
        }
        true
    }

    /// The handles where they are now; `None` without a scan in the view.
    fn gizmo(&self, ui: &egui::Ui, viewport: &Viewport, projection: &Projection) -> Option<Gizmo> {
        let tool = &self.display.by_hand;
        let pose = tool.dragged_to().unwrap_or_else(|| self.dispatcher.document.nominal_from_scan());
        let centre = tool.pivot_at(&pose, &viewport.actual.as_ref()?.item.centre);
        let axes = match (&tool.held, tool.axes) {
            (Some(held), _) => held.drag.gizmo().axes,
            (None, Axes::Part) => [Vector::x(), Vector::y(), Vector::z()],
            (None, Axes::View) => projection.axes(),
        };
        Gizmo::new(centre, axes, projection, f64::from(SIZE * ui.ctx().pixels_per_point()))
    }
}

/// The pixel of the view at a position on the screen.
fn pixel_at(ui: &egui::Ui, response: &Response, at: Pos2) -> [f64; 2] {
    let pixel = (at - response.rect.min) * ui.ctx().pixels_per_point();
    [pixel.x, pixel.y].map(f64::from)
}

/// How near to a handle the pointer must be, pixels.
fn tolerance(ui: &egui::Ui) -> f64 {
    f64::from(TOLERANCE * ui.ctx().pixels_per_point())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_values_turn_about_the_pivot_and_then_shift() {
        let pivot = Point::new(10.0, -4.0, 3.0);
        let tool = HandTool { shift_mm: [1.0, 2.0, -3.0], turn_deg: [90.0, 0.0, 90.0], ..HandTool::default() };
        let moved = tool.typed(&pivot).unwrap();
        assert!((moved * pivot - Point::new(11.0, -2.0, 0.0)).norm() < 1e-12);
        // About x first, y becomes z, which the turn about z leaves alone.
        assert!((moved.rotation * Vector::y() - Vector::z()).norm() < 1e-12);
        assert!((moved.rotation * Vector::x() - Vector::y()).norm() < 1e-12);
        assert!(HandTool::default().typed(&pivot).is_none());
    }

    #[test]
    fn the_pivot_moves_with_the_scan_alone() {
        let (pose, centre) = (Pose::translation(5.0, 0.0, 0.0), Point::new(1.0, 2.0, 3.0));
        let at = |pivot| HandTool { pivot, ..HandTool::default() }.pivot_at(&pose, &centre);
        assert_eq!(at(Pivot::Scan), Point::new(6.0, 2.0, 3.0));
        assert_eq!(at(Pivot::Origin), Point::origin());
        assert_eq!(at(Pivot::Picked(centre)), centre);
    }
}
