//! How the handles look: in the colours of their axes over a halo, the one under the pointer in its own; while one is
//! held, that alone and how far it was dragged.

use egui::{Align2, Color32, CursorIcon, FontId, Painter, Pos2, Rect, Role, Sense, Shape, Stroke, Vec2, WidgetInfo};

use super::super::super::{App, theme};
use super::super::Viewport;
use super::super::central::write_text_beside;
use super::{AXES, Held, pixel_at, tolerance};
use base::{LengthUnit, signed};
use geometry::Point;
use render::gizmo::{Displacement, Gizmo, Handle};
use render::projection::Projection;
use texts::text;

/// Width of a line, of one under the pointer, and by how much its halo is wider, screen points.
const WIDTH: f32 = 2.0;
const MARKED_WIDTH: f32 = 3.0;
const HALO_WIDTH: f32 = 2.4;
/// Length and half the width of the head of an arrow, screen points.
const HEAD: [f32; 2] = [13.0, 5.0];
/// How much is left of the half of a ring behind the centre.
const FAR_SIDE: f32 = 0.3;
/// Half the side of the region by which a handle is found by name, screen points.
const NODE: f32 = 5.0;

impl App {
    /// Draws the handles over the view, and what a drag does beside the pointer; returns whether the pointer is on a
    /// handle.
    pub(in super::super) fn draw_gizmo(&self, ui: &egui::Ui, viewport: &Viewport, response: &egui::Response) -> bool {
        if !self.is_moving_by_hand() {
            return false;
        }
        let projection = Projection::of(&viewport.camera);
        let Some(gizmo) = self.gizmo(ui, viewport, &projection) else { return false };
        let held = self.display.by_hand.held.as_ref().filter(|own| !own.is_taken_back);
        let is_idle = self.display.by_hand.held.is_none();
        let pen = Pen::new(ui, response, &projection, &gizmo);
        if let Some(held) = held {
            pen.path(held);
            pen.handle(held.drag.handle(), true);
            if let Some(pointer) = ui.input(|input| input.pointer.interact_pos()) {
                let readout = readout(&held.displacement, self.dispatcher.document.settings.shown_unit);
                write_text_beside(ui, pointer, response.rect, readout);
            }
            return true;
        }
        let under = response.hover_pos().filter(|_| is_idle && !response.dragged());
        let marked = under.and_then(|at| gizmo.handle_at(&projection, pixel_at(ui, response, at), tolerance(ui)));
        // The first of the list lie on top.
        let usable = Handle::ALL.into_iter().filter(|handle| gizmo.is_usable(*handle, &projection));
        for handle in usable.rev() {
            pen.handle(handle, marked == Some(handle));
            pen.name(ui, handle);
        }
        if marked.is_some() {
            ui.ctx().set_cursor_icon(CursorIcon::Grab);
        }
        marked.is_some()
    }
}

/// Draws handles.
struct Pen<'a> {
    painter: Painter,
    projection: &'a Projection,
    gizmo: &'a Gizmo,
    /// The view on the screen.
    rect: Rect,
    /// Pixels per screen point.
    scale: f32,
    ink: Color32,
}

impl<'a> Pen<'a> {
    fn new(ui: &egui::Ui, response: &egui::Response, projection: &'a Projection, gizmo: &'a Gizmo) -> Self {
        let (painter, ink) = (ui.painter().with_clip_rect(response.rect), ui.visuals().text_color());
        Self { painter, projection, gizmo, rect: response.rect, scale: ui.ctx().pixels_per_point(), ink }
    }

    /// Screen position of a point; `None` behind the eye.
    fn at(&self, point: &Point) -> Option<Pos2> {
        let [x, y] = self.projection.pixel_of(point)?;
        Some(self.rect.min + Vec2::new(x as f32, y as f32) / self.scale)
    }

    fn line(&self, points: &[Point], width: f32, colour: Color32) {
        let positions: Vec<Pos2> = points.iter().filter_map(|point| self.at(point)).collect();
        self.painter.add(Shape::line(positions.clone(), Stroke::new(width + HALO_WIDTH, theme::HALO)));
        self.painter.add(Shape::line(positions, Stroke::new(width, colour)));
    }

    fn handle(&self, handle: Handle, is_marked: bool) {
        let width = if is_marked { MARKED_WIDTH } else { WIDTH };
        let colour = if is_marked { theme::HANDLE } else { self.colour(handle) };
        match handle {
            Handle::InView => self.disc(width, colour),
            Handle::Along(axis) => self.arrow(axis, width, colour),
            Handle::In(axis) => self.square(axis, width, colour),
            Handle::About(axis) => {
                self.line(&self.gizmo.ring(axis), 0.6 * width, colour.gamma_multiply(FAR_SIDE));
                self.line(&self.gizmo.arc(axis, self.projection), width, colour);
            }
        }
    }

    fn colour(&self, handle: Handle) -> Color32 {
        match handle {
            Handle::InView => self.ink,
            Handle::Along(axis) | Handle::In(axis) | Handle::About(axis) => theme::AXES[axis],
        }
    }

    fn disc(&self, width: f32, colour: Color32) {
        let Some(centre) = self.at(&self.gizmo.centre) else { return };
        let Some(mm_per_pixel) = self.projection.mm_per_pixel(&self.gizmo.centre) else { return };
        let radius = (self.gizmo.disc_mm() / mm_per_pixel) as f32 / self.scale;
        self.painter.circle_stroke(centre, radius, Stroke::new(width + HALO_WIDTH, theme::HALO));
        self.painter.circle(centre, radius, colour.gamma_multiply(0.25), Stroke::new(width, colour));
    }

    fn arrow(&self, axis: usize, width: f32, colour: Color32) {
        let [start, end] = self.gizmo.arrow(axis);
        self.line(&[start, end], width, colour);
        let (Some(from), Some(tip)) = (self.at(&start), self.at(&end)) else { return };
        let along = (tip - from).normalized();
        let base = tip - HEAD[0] * along;
        let head = vec![tip + 2.0 * along, base + HEAD[1] * along.rot90(), base - HEAD[1] * along.rot90()];
        self.painter.add(Shape::convex_polygon(head, colour, Stroke::new(1.0, theme::HALO)));
        let label = tip + 12.0 * along;
        let font = FontId::new(12.0, theme::strong_family());
        self.painter.text(label, Align2::CENTER_CENTER, AXES[axis], font, colour);
    }

    fn square(&self, axis: usize, width: f32, colour: Color32) {
        let corners: Vec<Pos2> = self.gizmo.square(axis).iter().filter_map(|corner| self.at(corner)).collect();
        self.painter.add(Shape::closed_line(corners.clone(), Stroke::new(width + HALO_WIDTH, theme::HALO)));
        self.painter.add(Shape::convex_polygon(corners, colour.gamma_multiply(0.45), Stroke::new(width, colour)));
    }

    /// Where a held handle moves: the line of an axis; or the angle of a ring from where it was pressed.
    fn path(&self, held: &Held) {
        let (gizmo, colour) = (self.gizmo, self.colour(held.drag.handle()));
        if let Some(levers) = held.drag.levers(&held.displacement) {
            for lever in levers {
                self.line(&[gizmo.centre, gizmo.centre + lever * gizmo.ring_mm()], 0.6 * WIDTH, colour);
            }
        } else if let Displacement::Along { axis, .. } = held.displacement {
            let reach = axis * (4.0 * gizmo.ring_mm());
            self.line(&[gizmo.centre - reach, gizmo.centre + reach], 0.5 * WIDTH, colour);
        }
    }

    /// Names a handle for screen readers, where it is held best.
    fn name(&self, ui: &egui::Ui, handle: Handle) {
        let Some(at) = self.at(&self.gizmo.grip(handle, self.projection)) else { return };
        let name = name(handle);
        let node = ui.interact(
            Rect::from_center_size(at, Vec2::splat(2.0 * NODE)),
            ui.scope_id().with(("gizmo", name.as_str())),
            Sense::hover(),
        );
        node.widget_info(|| WidgetInfo::labeled(Role::GraphicsObject, true, &name));
    }
}

/// Name of a handle for screen readers.
fn name(handle: Handle) -> String {
    match handle {
        Handle::InView => text!("viewport-move-in-view"),
        Handle::Along(axis) => text!("viewport-move-along", axis = AXES[axis]),
        Handle::In(axis) => {
            text!("viewport-move-in", first = AXES[(axis + 1) % 3], second = AXES[(axis + 2) % 3])
        }
        Handle::About(axis) => text!("viewport-turn-about", axis = AXES[axis]),
    }
}

/// How far a drag goes: mm in the shown unit, or degrees.
fn readout(displacement: &Displacement, unit: LengthUnit) -> String {
    // More decimals for larger units: about the same resolution.
    let decimals = 3 + unit.mm_per_unit().log10().round().max(0.0) as usize;
    let length = |mm: f64| signed(mm / unit.mm_per_unit(), decimals);
    match displacement {
        Displacement::Along { mm, .. } => format!("{} {}", length(*mm), unit.symbol()),
        Displacement::In { mm: [first, second], .. } => {
            format!("{}, {} {}", length(*first), length(*second), unit.symbol())
        }
        Displacement::About { angle_rad, .. } => format!("{}°", signed(angle_rad.to_degrees(), 2)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Vector;

    #[test]
    fn a_drag_is_read_in_the_shown_unit() {
        let along = |mm| Displacement::Along { axis: Vector::x(), mm };
        assert_eq!(readout(&along(12.3456), LengthUnit::Mm), "+12.346 mm");
        assert_eq!(readout(&along(-2.54), LengthUnit::Inch), "-0.1000 inch");
        let inside = Displacement::In { directions: [Vector::x(), Vector::y()], mm: [1.0, 0.0] };
        assert_eq!(readout(&inside, LengthUnit::Mm), "+1.000, 0.000 mm");
        let turned = Displacement::About { axis: Vector::z(), angle_rad: -0.5_f64.to_radians() };
        assert_eq!(readout(&turned, LengthUnit::Mm), "-0.50°");
    }
}
