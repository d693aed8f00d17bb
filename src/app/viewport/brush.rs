//! Brushing points: the gesture, and what is drawn of it.

use egui::{Color32, Pos2, Rect, Stroke};

use super::super::{App, Workspace, theme};
use super::Viewport;
use crate::dispatch::Command;
use crate::geometry::Pose;
use crate::geometry::point_set::Combine;
use crate::render::selecting::{self, Outline, View};

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
}

impl Tool {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Off, Self::Circle, Self::Rectangle, Self::Lasso];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "Off",
            Self::Circle => "Round",
            Self::Rectangle => "Rectangle",
            Self::Lasso => "Lasso",
        }
    }
}

/// The brush as the panel sets it, and the stroke on its way.
#[derive(Clone, Debug)]
pub struct Brush {
    /// What the pointer draws.
    pub tool: Tool,
    /// What a stroke does.
    pub combine: Combine,
    /// Whether hidden points are left out.
    pub only_visible: bool,
    /// Radius of the circle, points of the screen.
    pub radius: f32,
    path: Vec<Pos2>,
}

impl Default for Brush {
    fn default() -> Self {
        Self { tool: Tool::Off, combine: Combine::Add, only_visible: true, radius: 24.0, path: Vec::new() }
    }
}

/// Steps of the path, points of the screen.
const STEP: f32 = 2.0;

impl App {
    /// Whether the pointer brushes.
    pub(super) fn is_brushing(&self) -> bool {
        let document = &self.dispatcher.document;
        let points = match self.workspace {
            Workspace::Calibrate => &document.calibration.of(self.calibration.device).actual,
            _ => &document.actual,
        };
        self.brush.tool != Tool::Off && self.picking.is_none() && points.is_some()
    }

    /// Follows the pointer; a stroke that ends becomes a command.
    pub(super) fn brush(&mut self, ui: &egui::Ui, viewport: &Viewport, response: &egui::Response, rect: Rect) {
        if !self.is_brushing() {
            self.brush.path.clear();
            return;
        }
        let brush = &mut self.brush;
        if brush.tool == Tool::Circle && response.hovered() {
            let wheel = ui.input(|input| input.smooth_scroll_delta().y);
            brush.radius = (brush.radius * (wheel * 0.004).exp()).clamp(2.0, 400.0);
        }
        let takes = ui.input(|input| input.modifiers.command) || brush.combine == Combine::Remove;
        if response.drag_started_by(egui::PointerButton::Primary) {
            brush.path.clear();
            brush.path.extend(ui.input(|input| input.pointer.press_origin()));
        }
        if response.dragged_by(egui::PointerButton::Primary)
            && let Some(at) = response.interact_pointer_pos()
            && brush.path.last().is_none_or(|last| last.distance(at) >= STEP)
        {
            brush.path.push(at);
        }
        if response.clicked() && brush.tool == Tool::Circle {
            brush.path.extend(response.interact_pointer_pos());
        }
        draw(ui, brush, response, rect, if takes { theme::BAD } else { theme::ACCENT });
        let ended = response.drag_stopped_by(egui::PointerButton::Primary) || response.clicked();
        if !ended || brush.path.is_empty() {
            return;
        }
        let scale = ui.ctx().pixels_per_point();
        let outline = outline(brush, rect, scale);
        let how = if takes { Combine::Remove } else { brush.combine };
        let only_visible = brush.only_visible;
        brush.path.clear();
        let calibrates = self.workspace == Workspace::Calibrate;
        let pose = if calibrates { Pose::identity() } else { self.dispatcher.document.nominal_from_scan() };
        let view = View::new(&viewport.camera, &pose, viewport.spacing_mm());
        let stroke = Box::new(selecting::Stroke { view, outline, only_visible });
        self.send(if calibrates {
            let (device, region) = (self.calibration.device, self.calibration.region);
            Command::BrushRegion { device, region, stroke, how }
        } else {
            Command::Brush { stroke, how }
        });
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
    match brush.tool {
        Tool::Circle => {
            if brush.path.len() > 1 {
                let width = Stroke::new(2.0 * brush.radius, colour.gamma_multiply(0.22));
                painter.add(egui::Shape::line(brush.path.clone(), width));
            }
            if let Some(at) = response.hover_pos().or_else(|| brush.path.last().copied()) {
                painter.circle(at, brush.radius, colour.gamma_multiply(0.12), line);
            }
        }
        Tool::Rectangle | Tool::Lasso if brush.path.len() > 1 => {
            painter.add(egui::Shape::closed_line(corners(brush), line));
        }
        _ => {}
    }
}
