//! Callouts: the flags of [`report::flags`] in the viewport. A click on one shows what it tells of.

use egui::{Color32, FontId, Id, Painter, Pos2, Rect, Sense, Shape, Stroke, StrokeKind, Vec2};

use super::{Spot, Viewport, legend};
use crate::panels::verdict_colour;
use crate::remembered::Side;
use crate::theme;
use inspect::parts::Nominal;
use report::flags::{self, CORNER, EDGE, Flag, FlagKind, FlagMark, FlagView, Kept, Shade, TEXT_SIZE};
use session::plan::ElementId;
use texts::text;

/// Space kept free above for the toolbar, and below on the left for the axes, points.
pub(super) const ABOVE: f32 = 44.0;
pub(super) const AXES: f32 = 100.0;
/// Space kept free above for the view cube, points.
pub(super) const CUBE: f32 = 110.0;

/// Draws flags over the viewport in `rect`; returns the spot of the flag that was clicked, and its element.
pub(super) fn show(
    ui: &egui::Ui,
    viewport: &Viewport,
    rect: Rect,
    flags: Vec<Flag>,
    nominal: Option<&Nominal>,
    legend_at: Option<Side>,
) -> Option<(Spot, Option<ElementId>)> {
    // Beside the legend, and at the right beside it or below the view cube.
    let (left, right, above) = match legend_at {
        Some(Side::Right) => (EDGE, legend::WIDTH, ABOVE),
        Some(Side::Left) => (legend::WIDTH, EDGE, CUBE),
        None => (EDGE, EDGE, CUBE),
    };
    let view = FlagView {
        camera: &viewport.camera,
        pixels_per_point: viewport.scale,
        size: rect.size().into(),
        kept: Kept { left, right, above, below: EDGE, below_left: AXES },
    };
    let canvas = Canvas::new(ui, rect);
    let measure = |text: &str| -> [f32; 2] { canvas.galley(text.to_owned()).size().into() };
    let placed = flags::placed(flags, &view, nominal.map(|own| &own.surface), &measure);
    // Lines first, so that none runs over a flag.
    placed.iter().flat_map(flags::PlacedFlag::leader).for_each(|mark| canvas.draw(mark));
    let mut clicked = None;
    for own in placed {
        let (within, flag) = (canvas.rectangle(own.rect), &own.flag);
        let response = ui.interact(within, Id::unique(("callout", &flag.name)), Sense::click());
        let name = text!("viewport-callout", name = flag.name.as_str());
        response.widget_info(|| egui::WidgetInfo {
            current_text_value: flag.text().map(str::to_owned),
            ..egui::WidgetInfo::labeled(egui::Role::Button, true, &name)
        });
        own.body().for_each(|mark| canvas.draw(mark));
        if response.hovered() {
            let edge = Stroke::new(1.5, theme::ACCENT);
            canvas.painter.rect_stroke(within, CORNER, edge, StrokeKind::Inside);
        }
        let hint = match flag.kind {
            FlagKind::Region => text!("viewport-show-region"),
            FlagKind::Point => text!("viewport-show-point"),
            FlagKind::Tolerance => text!("viewport-show-measured"),
        };
        if response.on_hover_text(hint).clicked() {
            let Flag { name, at, radius_mm, element, .. } = own.flag;
            clicked = Some((Spot { name, at, radius_mm }, element));
        }
    }
    clicked
}

/// Draws marks of flags in the colours of the window.
struct Canvas {
    painter: Painter,
    min: Pos2,
    ink: Color32,
    fill: Color32,
}

impl Canvas {
    fn new(ui: &egui::Ui, rect: Rect) -> Self {
        let (painter, visuals) = (ui.painter_at(rect), ui.visuals());
        Self { painter, min: rect.min, ink: visuals.text_color(), fill: visuals.window_fill }
    }

    fn at(&self, [x, y]: [f32; 2]) -> Pos2 {
        self.min + Vec2::new(x, y)
    }

    fn rectangle(&self, [x, y, w, h]: flags::Rect) -> Rect {
        Rect::from_min_size(self.at([x, y]), Vec2::new(w, h))
    }

    fn galley(&self, text: String) -> std::sync::Arc<egui::Galley> {
        self.painter.layout_no_wrap(text, FontId::proportional(TEXT_SIZE), self.ink)
    }

    fn colour(&self, shade: Shade) -> Color32 {
        match shade {
            Shade::Ink => self.ink,
            Shade::Frame => self.ink.gamma_multiply(0.7),
            Shade::Edge => self.ink.gamma_multiply(0.35),
            Shade::Plate => self.fill,
            Shade::Halo => self.fill.gamma_multiply(0.66),
            Shade::Own([r, g, b]) => Color32::from_rgb(r, g, b),
            Shade::Verdict(verdict) => verdict_colour(verdict),
        }
    }

    fn draw(&self, mark: FlagMark) {
        let (painter, colour) = (&self.painter, |shade| self.colour(shade));
        match mark {
            FlagMark::Leader(ends, width, shade, is_dashed) => {
                let (ends, stroke) = (ends.map(|end| self.at(end)), Stroke::new(width, colour(shade)));
                if is_dashed {
                    painter.extend(Shape::dashed_line(&ends, stroke, 8.0, 6.0));
                } else {
                    painter.line_segment(ends, stroke);
                }
            }
            FlagMark::Path(points, width, shade) => {
                let points = points.into_iter().map(|point| self.at(point)).collect();
                painter.add(Shape::line(points, Stroke::new(width, colour(shade))));
            }
            FlagMark::Disc(centre, radius, shade) => {
                painter.circle_filled(self.at(centre), radius, colour(shade));
            }
            FlagMark::Ring(centre, radius, width, shade) => {
                painter.circle_stroke(self.at(centre), radius, Stroke::new(width, colour(shade)));
            }
            FlagMark::Plate(rect, radius, fill, edge) => {
                let fill = fill.map_or(Color32::TRANSPARENT, colour);
                let edge = edge.map_or(Stroke::NONE, |(width, shade)| Stroke::new(width, colour(shade)));
                painter.rect(self.rectangle(rect), radius, fill, edge, StrokeKind::Inside);
            }
            FlagMark::Text(at, _, text) => {
                painter.galley(self.at(at), self.galley(text), self.ink);
            }
        }
    }
}
