//! Brushing points and facets: the gesture, and what is drawn of it.

use egui::{Color32, Pos2, Rect, Stroke};

use super::super::{App, Workspace, theme};
use super::Viewport;
use super::sweeping::Target;
use dispatch::Select;
use geometry::subset::Combine;
use geometry::{Pose, Subset};
use render::selecting::{self, Outline, View};
use session::selection::Selectable;

/// What the pointer draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// Nothing: it turns the view.
    #[default]
    Off,
    /// A circle that follows it.
    Circle,
    /// A rectangle.
    Rectangle,
    /// A line that closes by itself.
    Lasso,
    /// Corners, click by click.
    Polygon,
}

impl Tool {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Off, Self::Circle, Self::Rectangle, Self::Lasso, Self::Polygon];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "Off",
            Self::Circle => "Round",
            Self::Rectangle => "Rectangle",
            Self::Lasso => "Lasso",
            Self::Polygon => "Polygon",
        }
    }
}

/// The brush as the panel sets it, and the stroke on its way.
#[derive(Clone, Debug)]
pub struct Brush {
    /// What the pointer draws.
    pub tool: Tool,
    /// What it takes, but in the workspace Calibrate, where only points are.
    pub of: Selectable,
    /// What a stroke does.
    pub combine: Combine,
    /// Whether what others hide is left out.
    pub only_visible: bool,
    /// Radius of the circle, points of the screen.
    pub radius: f32,
    path: Vec<Pos2>,
    /// What the camera saw at the first corner of a polygon.
    seen: [[f32; 4]; 4],
}

impl Default for Brush {
    fn default() -> Self {
        let (path, seen) = (Vec::new(), [[0.0; 4]; 4]);
        let (tool, of, combine) = (Tool::Off, Selectable::Points, Combine::Add);
        Self { tool, of, combine, only_visible: true, radius: 24.0, path, seen }
    }
}

impl Brush {
    /// What a stroke does now: Ctrl removes.
    fn how(&self, ui: &egui::Ui) -> Combine {
        if ui.input(|input| input.modifiers.command) { Combine::Remove } else { self.combine }
    }

    /// Follows a drag; returns whether it ended.
    fn follow(&mut self, ui: &egui::Ui, response: &egui::Response) -> bool {
        if response.drag_started_by(egui::PointerButton::Primary) {
            self.path.clear();
            self.path.extend(ui.input(|input| input.pointer.press_origin()));
        }
        if response.dragged_by(egui::PointerButton::Primary)
            && let Some(at) = response.interact_pointer_pos()
            && self.path.last().is_none_or(|last| last.distance(at) >= STEP)
        {
            self.path.push(at);
        }
        if response.clicked() && self.tool == Tool::Circle {
            self.path.extend(response.interact_pointer_pos());
        }
        response.drag_stopped_by(egui::PointerButton::Primary) || response.clicked()
    }

    /// Adds the corner that was clicked; returns whether the polygon was closed: by a double click, Enter, or a click on
    /// its first corner.
    fn add_corner(&mut self, ui: &egui::Ui, response: &egui::Response, seen: [[f32; 4]; 4]) -> bool {
        // Corners lie on the screen: another view of the part makes them meaningless.
        if ui.input(|input| input.key_pressed(egui::Key::Escape)) || seen != self.seen {
            self.path.clear();
            self.seen = seen;
        }
        let mut ended = self.path.len() > 2 && ui.input(|input| input.key_pressed(egui::Key::Enter));
        if let Some(at) = response.interact_pointer_pos().filter(|_| response.clicked()) {
            let closes = self.path.first().is_some_and(|first| self.path.len() > 2 && first.distance(at) < CLOSES);
            if !closes && self.path.last().is_none_or(|last| last.distance(at) >= STEP) {
                self.path.push(at);
            }
            ended |= self.path.len() > 2 && (closes || response.double_clicked());
        }
        ended
    }
}

/// A click this near to the first corner of a polygon closes it, points of the screen.
const CLOSES: f32 = 8.0;
/// Steps of the path, points of the screen.
const STEP: f32 = 2.0;

impl App {
    /// Whether the pointer brushes.
    pub(super) fn is_brushing(&self) -> bool {
        let document = &self.dispatcher.document;
        let is_there = match self.workspace {
            Workspace::Calibrate => document.calibration.of(self.calibration.device).actual.is_some(),
            _ => document.count(self.brush.of).is_some(),
        };
        self.brush.tool != Tool::Off && self.picking.is_none() && is_there
    }

    /// Whether it brushes facets.
    pub(super) fn is_brushing_facets(&self) -> bool {
        self.is_brushing() && self.workspace != Workspace::Calibrate && self.brush.of == Selectable::Facets
    }

    /// Follows the pointer; a stroke that ends becomes a command.
    pub(super) fn brush(&mut self, ui: &egui::Ui, viewport: &mut Viewport, response: &egui::Response, rect: Rect) {
        if !self.is_brushing() {
            self.brush.path.clear();
            return;
        }
        let brush = &mut self.brush;
        if brush.tool == Tool::Circle && response.hovered() {
            let wheel = ui.input(|input| input.smooth_scroll_delta().y);
            brush.radius = (brush.radius * (wheel * 0.004).exp()).clamp(2.0, 400.0);
        }
        let ended = match brush.tool {
            Tool::Polygon => brush.add_corner(ui, response, viewport.camera.clip_from_local()),
            _ => brush.follow(ui, response),
        };
        if !ended || brush.path.is_empty() {
            return;
        }
        let scale = ui.ctx().pixels_per_point();
        let outline = outline(brush, rect, scale);
        let how = brush.how(ui);
        let only_visible = brush.only_visible;
        brush.path.clear();
        let calibrates = self.workspace == Workspace::Calibrate;
        let document = &self.dispatcher.document;
        if self.is_brushing_facets() {
            let (view, hidden) = (View::new(&viewport.camera, &Pose::identity(), 0.0), document.facets.hidden.clone());
            let stroke = Box::new(selecting::Stroke { view, outline, only_visible, hidden });
            return self.send(Select::BrushFacets { stroke, how });
        }
        let pose = if calibrates { Pose::identity() } else { document.nominal_from_scan() };
        let view = View::new(&viewport.camera, &pose, viewport.spacing_mm());
        let hidden = if calibrates { Subset::default() } else { document.points.hidden.clone() };
        let stroke = selecting::Stroke { view, outline, only_visible, hidden };
        let region = calibrates.then_some((self.calibration.device, self.calibration.region));
        self.sweep(ui, viewport, stroke, Target { region, how });
    }

    /// Draws the brush over the picture.
    pub(super) fn draw_brush(&self, ui: &egui::Ui, response: &egui::Response, rect: Rect) {
        if self.is_brushing() {
            let colour = if self.brush.how(ui) == Combine::Remove { theme::BAD } else { theme::ACCENT };
            draw(ui, &self.brush, response, rect, colour);
        }
    }
}

fn corners(brush: &Brush) -> Vec<Pos2> {
    match (brush.tool, brush.path.first(), brush.path.last()) {
        (Tool::Rectangle, Some(&a), Some(&b)) => vec![a, Pos2::new(b.x, a.y), b, Pos2::new(a.x, b.y)],
        _ => brush.path.clone(),
    }
}

fn outline(brush: &Brush, rect: Rect, scale: f32) -> Outline {
    let pixels = |at: &Pos2| [(at.x - rect.min.x) * scale, (at.y - rect.min.y) * scale];
    let path = corners(brush).iter().map(pixels).collect();
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
            let corners: Vec<Pos2> = brush.path.iter().copied().chain(next).collect();
            if corners.len() > 2 {
                let ends = corners.first().copied().into_iter().chain(corners.last().copied());
                painter.add(egui::Shape::line(ends.clone().collect(), halo));
                painter.add(egui::Shape::dashed_line(&ends.collect::<Vec<_>>(), line, 5.0, 4.0));
            }
            painter.add(egui::Shape::line(corners.clone(), halo));
            painter.add(egui::Shape::line(corners, line));
            brush.path.iter().for_each(|at| {
                painter.circle(*at, 3.5, colour, Stroke::new(1.5, Color32::WHITE));
            });
        }
        Tool::Rectangle | Tool::Lasso if brush.path.len() > 1 => {
            painter.add(egui::Shape::closed_line(corners(brush), halo));
            painter.add(egui::Shape::closed_line(corners(brush), line));
        }
        _ => {}
    }
}
