//! Legend: the colour scale with the tolerance limits, and the histogram of the deviations beside it.

use egui::{Align2, Color32, FontId, Pos2, Rect, Stroke, Vec2};

use base::signed;
use render::colour_scale::{ColourScale, NO_DATA};
use session::Document;

/// Width and maximum height of the colour scale, screen points.
const SCALE_SIZE: Vec2 = Vec2::new(18.0, 260.0);
/// Length of the longest histogram bar, screen points.
const HISTOGRAM_WIDTH: f32 = 46.0;
/// Width of the legend with its margin to the right edge of the view, screen points.
pub const WIDTH: f32 = 156.0;

/// Draws the legend at the right edge of `rect`.
pub fn draw(ui: &egui::Ui, rect: Rect, document: &Document) {
    let settings = &document.settings;
    let scale = ColourScale::new(settings.deviation.tolerance, settings.scale_mm);
    let height = SCALE_SIZE.y.min(rect.height() - 120.0).max(60.0);
    let bar = Rect::from_min_size(
        Pos2::new(rect.right() - 92.0, rect.center().y - 0.5 * height),
        Vec2::new(SCALE_SIZE.x, height),
    );
    let painter = ui.painter();
    let text = ui.visuals().text_color();
    let plate = Rect::from_min_max(bar.min - Vec2::new(HISTOGRAM_WIDTH + 12.0, 30.0), bar.max + Vec2::new(64.0, 34.0));
    painter.rect_filled(plate, 8.0, ui.visuals().window_fill.gamma_multiply(0.85));
    painter.text(
        Pos2::new(plate.center().x, plate.top() + 13.0),
        Align2::CENTER_CENTER,
        "Deviation, mm",
        FontId::proportional(11.5),
        text,
    );
    let at = |mm: f64| bar.bottom() - height * (0.5 + 0.5 * (mm / scale.end_mm).clamp(-1.0, 1.0)) as f32;
    let steps = height as usize;
    for (i, [r, g, b, _]) in scale.table(steps).into_iter().enumerate() {
        let y = bar.bottom() - height * (i as f32 + 1.0) / steps as f32;
        let line = Rect::from_min_size(Pos2::new(bar.left(), y), Vec2::new(SCALE_SIZE.x, height / steps as f32 + 0.5));
        painter.rect_filled(line, 0.0, Color32::from_rgb(r, g, b));
    }
    painter.rect_stroke(bar, 0.0, Stroke::new(1.0, text.gamma_multiply(0.5)), egui::StrokeKind::Outside);
    let tolerance = scale.tolerance;
    let marks = [tolerance.high_mm, tolerance.low_mm, scale.end_mm, -scale.end_mm, 0.0].map(|mm| (mm, at(mm)));
    for (_, y) in marks {
        painter.hline(bar.right()..=bar.right() + 4.0, y, Stroke::new(1.0, text));
    }
    for (mm, y) in without_overlap(&marks) {
        let label = if mm == 0.0 { "0".to_owned() } else { signed(mm, 3) };
        painter.text(Pos2::new(bar.right() + 8.0, y), Align2::LEFT_CENTER, label, FontId::proportional(11.5), text);
    }
    histogram(ui, document, bar, &at);
    let grey = Rect::from_min_size(Pos2::new(bar.left(), bar.bottom() + 12.0), Vec2::new(SCALE_SIZE.x, 10.0));
    painter.rect_filled(grey, 2.0, Color32::from_rgb(NO_DATA[0], NO_DATA[1], NO_DATA[2]));
    let beside = Pos2::new(grey.right() + 8.0, grey.center().y);
    painter.text(beside, Align2::LEFT_CENTER, "no data", FontId::proportional(11.5), text);
}

/// Minimum distance between two labels, screen points.
const MIN_LABEL_DISTANCE: f32 = 13.0;

/// The marks, most important first, whose labels do not overlap those of earlier marks.
fn without_overlap(marks: &[(f64, f32)]) -> Vec<(f64, f32)> {
    let mut kept: Vec<(f64, f32)> = Vec::new();
    for mark in marks {
        if kept.iter().all(|(_, y)| (y - mark.1).abs() >= MIN_LABEL_DISTANCE) {
            kept.push(*mark);
        }
    }
    kept
}

/// The histogram, drawn horizontally along the scale.
fn histogram(ui: &egui::Ui, document: &Document, bar: Rect, at: &impl Fn(f64) -> f32) {
    let Some(check) = document.current_check() else { return };
    let histogram = &check.histogram;
    let top = histogram.counts.iter().copied().max().unwrap_or(0).max(1) as f32;
    let half = 0.5 * histogram.bin_width_mm();
    for (bin, &count) in histogram.counts.iter().enumerate() {
        let centre = histogram.bin_centre_mm(bin);
        // Square root scale, so that rare deviations are visible.
        let length = HISTOGRAM_WIDTH * (count as f32 / top).sqrt();
        let piece = Rect::from_min_max(
            Pos2::new(bar.left() - 4.0 - length, at(centre + half)),
            Pos2::new(bar.left() - 4.0, at(centre - half)),
        );
        ui.painter().rect_filled(piece, 0.0, ui.visuals().text_color().gamma_multiply(0.45));
    }
}
