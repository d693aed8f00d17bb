//! Tolerance indicators as on drawings (ISO 1101, feature control frames of ASME Y14.5): symbol, zone and datums in
//! boxes, and behind them the measured value.

use egui::{Color32, FontId, Galley, Painter, Pos2, Rect, Shape, Stroke, Vec2};
use std::sync::Arc;

use inspect::tolerances::{Characteristic, Tolerance};

/// Height of a box, and space beside its text, points.
const HEIGHT: f32 = 20.0;
const PADDING: f32 = 5.0;
/// Size of the text, points.
const TEXT: f32 = 12.5;

/// The content of a frame.
pub(super) struct ControlFrame {
    /// The characteristic, for its symbol.
    pub characteristic: Characteristic,
    /// Texts of the other boxes: the zone, then the datums.
    pub boxes: Vec<String>,
    /// The measured value.
    pub value: String,
}

impl ControlFrame {
    /// The frame of a tolerance; `round` stands before the size of its zone.
    pub fn of(tolerance: &Tolerance, round: &str, value: String) -> Self {
        let bonus = if tolerance.maximum_material.is_some() { " Ⓜ" } else { "" };
        let zone = format!("{round}{}{bonus}", tolerance.limit_mm);
        let boxes = std::iter::once(zone).chain(tolerance.datums.iter().cloned()).collect();
        Self { characteristic: tolerance.characteristic.clone(), boxes, value }
    }

    /// Lays out the texts.
    pub fn laid_out(self, painter: &Painter, ink: Color32) -> LaidOutFrame {
        let text = |text: String| painter.layout_no_wrap(text, FontId::proportional(TEXT), ink);
        let boxes = self.boxes.into_iter().map(text).collect();
        LaidOutFrame { characteristic: self.characteristic, boxes, value: text(self.value) }
    }
}

/// A frame whose texts are laid out.
pub(super) struct LaidOutFrame {
    characteristic: Characteristic,
    boxes: Vec<Arc<Galley>>,
    value: Arc<Galley>,
}

impl LaidOutFrame {
    /// Size of boxes and value, points.
    pub fn size(&self) -> Vec2 {
        let boxes: f32 = self.boxes.iter().map(|galley| galley.size().x + 2.0 * PADDING).sum();
        Vec2::new(HEIGHT + boxes + PADDING + self.value.size().x, HEIGHT)
    }

    /// Paints it at `min`.
    pub fn paint(self, painter: &Painter, min: Pos2, ink: Color32) {
        let line = Stroke::new(1.0, ink.gamma_multiply(0.7));
        let middle = |galley: &Galley, left: f32| Pos2::new(left, min.y + 0.5 * (HEIGHT - galley.size().y));
        let square = Rect::from_min_size(min, Vec2::splat(HEIGHT));
        painter.rect_stroke(square, 0.0, line, egui::StrokeKind::Inside);
        symbol(painter, square.shrink(3.5), &self.characteristic, Stroke::new(1.3, ink));
        let mut left = square.right();
        for galley in self.boxes {
            let size = Vec2::new(galley.size().x + 2.0 * PADDING, HEIGHT);
            painter.rect_stroke(
                Rect::from_min_size(Pos2::new(left - 1.0, min.y), size),
                0.0,
                line,
                egui::StrokeKind::Inside,
            );
            painter.galley(middle(&galley, left - 1.0 + PADDING), galley, ink);
            left += size.x - 1.0;
        }
        painter.galley(middle(&self.value, left + PADDING), self.value, ink);
    }
}

/// Draws the symbol of a characteristic into a square.
fn symbol(painter: &Painter, square: Rect, characteristic: &Characteristic, stroke: Stroke) {
    let at = |x: f32, y: f32| square.min + Vec2::new(x * square.width(), y * square.height());
    let path = |points: &[(f32, f32)]| {
        painter.add(Shape::line(points.iter().map(|(x, y)| at(*x, *y)).collect(), stroke));
    };
    let circle = |radius: f32| {
        painter.circle_stroke(at(0.5, 0.5), radius * square.width(), stroke);
    };
    let arc = || {
        let points: Vec<(f32, f32)> = (0..=16)
            .map(|i| (std::f32::consts::PI * i as f32 / 16.0).sin_cos())
            .map(|(sin, cos)| (0.5 - 0.45 * cos, 0.75 - 0.5 * sin))
            .collect();
        path(&points);
    };
    let arrow = |x: f32| {
        path(&[(x, 0.85), (x + 0.4, 0.15)]);
        path(&[(x + 0.12, 0.3), (x + 0.4, 0.15), (x + 0.43, 0.48)]);
    };
    match characteristic {
        Characteristic::Size { .. } => {
            circle(0.32);
            path(&[(0.15, 0.95), (0.85, 0.05)]);
        }
        Characteristic::Straightness { .. } => path(&[(0.05, 0.5), (0.95, 0.5)]),
        Characteristic::Flatness {} => path(&[(0.0, 0.8), (0.3, 0.2), (1.0, 0.2), (0.7, 0.8), (0.0, 0.8)]),
        Characteristic::Circularity { .. } => circle(0.42),
        Characteristic::Cylindricity {} => {
            circle(0.27);
            path(&[(0.02, 0.95), (0.36, 0.05)]);
            path(&[(0.64, 0.95), (0.98, 0.05)]);
        }
        Characteristic::Profile { .. } => {
            arc();
            path(&[(0.05, 0.75), (0.95, 0.75)]);
        }
        Characteristic::Parallelism { .. } => {
            path(&[(0.15, 0.9), (0.5, 0.1)]);
            path(&[(0.5, 0.9), (0.85, 0.1)]);
        }
        Characteristic::Perpendicularity { .. } => {
            path(&[(0.5, 0.1), (0.5, 0.85)]);
            path(&[(0.05, 0.85), (0.95, 0.85)]);
        }
        Characteristic::Angularity { .. } => path(&[(0.95, 0.85), (0.05, 0.85), (0.85, 0.15)]),
        Characteristic::Position { .. } => {
            circle(0.3);
            path(&[(0.0, 0.5), (1.0, 0.5)]);
            path(&[(0.5, 0.0), (0.5, 1.0)]);
        }
        Characteristic::Coaxiality {} => {
            circle(0.22);
            circle(0.44);
        }
        Characteristic::Symmetry {} => {
            path(&[(0.25, 0.25), (0.75, 0.25)]);
            path(&[(0.0, 0.5), (1.0, 0.5)]);
            path(&[(0.25, 0.75), (0.75, 0.75)]);
        }
        Characteristic::CircularRunOut { .. } => arrow(0.3),
        Characteristic::TotalRunOut {} => {
            arrow(0.05);
            arrow(0.5);
            path(&[(0.05, 0.85), (0.5, 0.85)]);
        }
    }
}
