//! Selection brush for points and facets: mouse gestures and drawing of the stroke.

use egui::{Color32, Pos2, Rect, Stroke};

use super::super::{App, Workspace, theme};
use super::Viewport;
use super::sweeping::Target;
use dispatch::Select;
use geometry::subset::Combine;
use geometry::{Pose, Subset};
use render::selecting::{self, Outline, View};
use session::selection::Selectable;
use texts::text;

/// Tool of the brush.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// None: the mouse rotates the view.
    #[default]
    Off,
    /// A circle at the pointer.
    Circle,
    /// A rectangle.
    Rectangle,
    /// A freehand outline, closed automatically.
    Lasso,
    /// A polygon, one click per vertex.
    Polygon,
}

impl Tool {
    /// All tools.
    pub const ALL: [Self; 5] = [Self::Off, Self::Circle, Self::Rectangle, Self::Lasso, Self::Polygon];

    /// Display name.
    pub fn name(self) -> String {
        match self {
            Self::Off => text!("viewport-brush-off"),
            Self::Circle => text!("viewport-brush-round"),
            Self::Rectangle => text!("viewport-brush-rectangle"),
            Self::Lasso => text!("viewport-brush-lasso"),
            Self::Polygon => text!("viewport-brush-polygon"),
        }
    }
}

/// Settings of the brush, and the current stroke.
#[derive(Clone, Debug)]
pub struct Brush {
    /// Tool.
    pub tool: Tool,
    /// Whether points or facets are selected; always points in the Calibrate workspace.
    pub of: Selectable,
    /// How a stroke changes the selection.
    pub combine: Combine,
    /// Whether occluded points or facets are excluded.
    pub only_visible: bool,
    /// Radius of the circle, screen points.
    pub radius: f32,
    /// Vertices of the current stroke, screen points.
    path: Vec<Pos2>,
    /// View-projection matrix at the first vertex of a polygon.
    clip_from_local: [[f32; 4]; 4],
}

impl Default for Brush {
    fn default() -> Self {
        let (path, clip_from_local) = (Vec::new(), [[0.0; 4]; 4]);
        let (tool, of, combine) = (Tool::Off, Selectable::Points, Combine::Add);
        Self { tool, of, combine, only_visible: true, radius: 24.0, path, clip_from_local }
    }
}

impl Brush {
    /// How a stroke changes the selection, with the current modifier keys.
    fn effective_combine(&self, ui: &egui::Ui) -> Combine {
        if ui.input(|input| input.modifiers.command) { Combine::Remove } else { self.combine }
    }

    /// Adds to the path during a drag; returns whether the stroke ended.
    fn follow(&mut self, ui: &egui::Ui, response: &egui::Response) -> bool {
        if response.drag_started_by(egui::PointerButton::Primary) {
            self.path.clear();
            self.path.extend(ui.input(|input| input.pointer.press_origin()));
        }
        if response.dragged_by(egui::PointerButton::Primary)
            && let Some(at) = response.interact_pointer_pos()
            && self.path.last().is_none_or(|last| last.distance(at) >= MIN_STEP)
        {
            self.path.push(at);
        }
        if response.clicked() && self.tool == Tool::Circle {
            self.path.extend(response.interact_pointer_pos());
        }
        response.drag_stopped_by(egui::PointerButton::Primary) || response.clicked()
    }

    /// Adds the clicked vertex; returns whether the polygon was closed: by a double click, Enter, or a click on its
    /// first vertex.
    fn add_vertex(&mut self, ui: &egui::Ui, response: &egui::Response, clip_from_local: [[f32; 4]; 4]) -> bool {
        // The vertices are in screen coordinates, so a change of view invalidates them.
        if ui.input(|input| input.key_pressed(egui::Key::Escape)) || clip_from_local != self.clip_from_local {
            self.path.clear();
            self.clip_from_local = clip_from_local;
        }
        let mut ended = self.path.len() > 2 && ui.input(|input| input.key_pressed(egui::Key::Enter));
        if let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked()) {
            let closes =
                self.path.first().is_some_and(|first| self.path.len() > 2 && first.distance(at) < CLOSING_DISTANCE);
            if !closes && self.path.last().is_none_or(|last| last.distance(at) >= MIN_STEP) {
                self.path.push(at);
            }
            ended |= self.path.len() > 2 && (closes || response.double_clicked());
        }
        ended
    }
}

/// A click closer than this to the first vertex closes a polygon, screen points.
const CLOSING_DISTANCE: f32 = 8.0;
/// Minimum distance between vertices of the path, screen points.
const MIN_STEP: f32 = 2.0;

impl App {
    /// Whether the mouse brushes.
    pub(super) fn is_brushing(&self) -> bool {
        let document = &self.dispatcher.document;
        let is_available = match self.workspace {
            Workspace::Calibrate => {
                let panel = &self.panels.calibrate;
                panel.has_brush() && document.calibration.of(panel.instrument).actual.is_some()
            }
            Workspace::Features if !self.panels.features.has_brush() => false,
            _ => document.count(self.display.brush.of).is_some(),
        };
        let is_free = self.display.picking.is_none() && !self.is_moving_by_hand();
        self.display.brush.tool != Tool::Off && is_free && is_available
    }

    /// Whether the mouse brushes facets.
    pub(super) fn is_brushing_facets(&self) -> bool {
        self.is_brushing() && self.workspace != Workspace::Calibrate && self.display.brush.of == Selectable::Facets
    }

    /// Handles the mouse; a completed stroke becomes a command.
    pub(super) fn brush(&mut self, ui: &egui::Ui, viewport: &mut Viewport, response: &egui::Response, rect: Rect) {
        if !self.is_brushing() {
            self.display.brush.path.clear();
            return;
        }
        let brush = &mut self.display.brush;
        if brush.tool == Tool::Circle && response.hovered() {
            let wheel = ui.input(|input| input.smooth_scroll_delta().y);
            brush.radius = (brush.radius * (wheel * 0.004).exp()).clamp(2.0, 400.0);
        }
        let ended = match brush.tool {
            Tool::Polygon => brush.add_vertex(ui, response, viewport.camera.clip_from_local()),
            _ => brush.follow(ui, response),
        };
        if !ended || brush.path.is_empty() {
            return;
        }
        let scale = ui.ctx().pixels_per_point();
        let outline = outline(brush, rect, scale);
        let how = brush.effective_combine(ui);
        let only_visible = brush.only_visible;
        brush.path.clear();
        let is_calibration = self.workspace == Workspace::Calibrate;
        let document = &self.dispatcher.document;
        if self.is_brushing_facets() {
            let (view, hidden) = (View::new(&viewport.camera, &Pose::identity(), 0.0), document.facets.hidden.clone());
            let stroke = Box::new(selecting::Stroke { view, outline, only_visible, hidden });
            return self.send(Select::BrushFacets { stroke, how });
        }
        let pose = if is_calibration { Pose::identity() } else { document.nominal_from_scan() };
        let view = View::new(&viewport.camera, &pose, viewport.spacing_mm());
        let hidden = if is_calibration { Subset::default() } else { document.points.hidden.clone() };
        let stroke = selecting::Stroke { view, outline, only_visible, hidden };
        let region = is_calibration.then_some((self.panels.calibrate.instrument, self.panels.calibrate.region));
        self.select_under_stroke(ui, viewport, stroke, Target { region, how });
    }

    /// Draws the brush over the view.
    pub(super) fn draw_brush(&self, ui: &egui::Ui, response: &egui::Response, rect: Rect) {
        if self.is_brushing() {
            let colour =
                if self.display.brush.effective_combine(ui) == Combine::Remove { theme::BAD } else { theme::ACCENT };
            draw(ui, &self.display.brush, response, rect, colour);
        }
    }
}

/// Vertices of the stroke, screen points.
fn vertices(brush: &Brush) -> Vec<Pos2> {
    match (brush.tool, brush.path.first(), brush.path.last()) {
        (Tool::Rectangle, Some(&a), Some(&b)) => vec![a, Pos2::new(b.x, a.y), b, Pos2::new(a.x, b.y)],
        _ => brush.path.clone(),
    }
}

fn outline(brush: &Brush, rect: Rect, scale: f32) -> Outline {
    let pixels = |at: &Pos2| [(at.x - rect.min.x) * scale, (at.y - rect.min.y) * scale];
    let path = vertices(brush).iter().map(pixels).collect();
    match brush.tool {
        Tool::Circle => Outline::Stroke { path, radius: brush.radius * scale },
        _ => Outline::Polygon(path),
    }
}

fn draw(ui: &egui::Ui, brush: &Brush, response: &egui::Response, rect: Rect, colour: Color32) {
    let painter = ui.painter().with_clip_rect(rect);
    let line = Stroke::new(1.5, colour);
    let halo = Stroke::new(4.0, theme::HALO);
    match brush.tool {
        Tool::Circle => {
            if brush.path.len() > 1 {
                let width = Stroke::new(2.0 * brush.radius, colour.gamma_multiply(0.22));
                painter.add(egui::Shape::line(brush.path.clone(), width));
            }
            if let Some(at) = response.hover_pos().or_else(|| brush.path.last().copied()) {
                painter.circle_stroke(at, brush.radius, halo);
                painter.circle(at, brush.radius, colour.gamma_multiply(0.12), line);
            }
        }
        Tool::Polygon if !brush.path.is_empty() => {
            let next = response.hover_pos();
            let vertices: Vec<Pos2> = brush.path.iter().copied().chain(next).collect();
            if vertices.len() > 2 {
                let ends = vertices.first().copied().into_iter().chain(vertices.last().copied());
                painter.add(egui::Shape::line(ends.clone().collect(), halo));
                painter.add(egui::Shape::dashed_line(&ends.collect::<Vec<_>>(), line, 5.0, 4.0));
            }
            painter.add(egui::Shape::line(vertices.clone(), halo));
            painter.add(egui::Shape::line(vertices, line));
            brush.path.iter().for_each(|at| {
                painter.circle(*at, 3.5, colour, Stroke::new(1.5, Color32::WHITE));
            });
        }
        Tool::Rectangle | Tool::Lasso if brush.path.len() > 1 => {
            painter.add(egui::Shape::closed_line(vertices(brush), halo));
            painter.add(egui::Shape::closed_line(vertices(brush), line));
        }
        _ => {}
    }
}
