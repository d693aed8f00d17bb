//! Legend: the colour scale with the tolerance limits, and the histogram of the deviations beside it.

use egui::{Align2, Color32, FontId, Pos2, Rect, Stroke, Vec2};

use super::picture::UNMEASURED_COLOUR;
use crate::theme;
use base::signed;
use inspect::thickness::{Between, ThicknessMap};
use render::colour_scale::{NO_DATA, Scale};
use render::thickness_scale::ThicknessScale;
use session::Document;
use texts::text;

/// Width and maximum height of the colour scale, screen points.
const SCALE_SIZE: Vec2 = Vec2::new(18.0, 260.0);
/// Length of the longest histogram bar, screen points.
const HISTOGRAM_WIDTH: f32 = 46.0;
/// Width of the legend with its margin to the right edge of the view, screen points.
pub const WIDTH: f32 = 156.0;

/// Draws the legend of the deviations at the right edge of `rect`; `has_unmeasured`: whether regions without measurement are
/// marked in the view.
pub fn deviations(ui: &egui::Ui, rect: Rect, document: &Document, has_unmeasured: bool) {
    let settings = &document.settings;
    let scale = report::colour_scale(settings.deviation.tolerance, settings);
    let tolerance = scale.tolerance;
    let marks = [tolerance.high_mm, tolerance.low_mm, scale.end_mm, -scale.end_mm, 0.0];
    let label = |mm: f64| if mm == 0.0 { "0".to_owned() } else { signed(mm, 3) };
    let unmeasured = has_unmeasured.then(|| (text!("files-legend-unmeasured"), theme::colour(UNMEASURED_COLOUR)));
    let keys: Vec<(String, Color32)> = [no_data_key()].into_iter().chain(unmeasured).collect();
    let bar = draw(ui, rect, &text!("files-legend-deviation"), scale.into(), (&marks, &keys), label);
    histogram(ui, document, bar.0, &|mm| bar.at(mm));
}

/// Draws the legend of a thickness map at the right edge of `rect`.
pub fn thickness(ui: &egui::Ui, rect: Rect, map: &ThicknessMap) {
    let scale = ThicknessScale::of(map);
    let is_material = map.parameters.between == Between::Material;
    let title = if is_material { text!("files-legend-thickness") } else { text!("files-legend-gap") };
    let fifths = (0..=5).map(|fifth| 0.2 * f64::from(fifth) * scale.end_mm);
    let marks: Vec<f64> = [scale.end_mm, 0.0, scale.min_mm].into_iter().chain(fifths).collect();
    draw(ui, rect, &title, Scale::Thickness(scale), (&marks, &[no_data_key()]), |mm| format!("{mm:.2}"));
}

/// Where the colours stand, and the thicknesses at its ends.
struct Bar(Rect, [f64; 2]);

impl Bar {
    /// Height of a value on the screen.
    fn at(&self, mm: f64) -> f32 {
        let Self(bar, [begin_mm, end_mm]) = self;
        bar.bottom() - bar.height() * ((mm - begin_mm) / (end_mm - begin_mm)).clamp(0.0, 1.0) as f32
    }
}

/// What is drawn grey.
fn no_data_key() -> (String, Color32) {
    (text!("files-legend-no-data"), Color32::from_rgb(NO_DATA[0], NO_DATA[1], NO_DATA[2]))
}

/// Height of a line that says what a colour beside the scale means, screen points.
const KEY_HEIGHT: f32 = 18.0;

/// Draws the colours with marks, the most important first, and what colours beside the scale mean.
fn draw(
    ui: &egui::Ui,
    rect: Rect,
    title: &str,
    scale: Scale,
    (marks, keys): (&[f64], &[(String, Color32)]),
    label: impl Fn(f64) -> String,
) -> Bar {
    let height = SCALE_SIZE.y.min(rect.height() - 190.0).max(60.0);
    // Clear of the view cube, however low the window is.
    let top = (rect.center().y - 0.5 * height).max(rect.top() + 140.0);
    let bar = Rect::from_min_size(Pos2::new(rect.right() - 92.0, top), Vec2::new(SCALE_SIZE.x, height));
    let painter = ui.painter();
    let text = ui.visuals().text_color();
    let plate = Rect::from_min_max(bar.min - Vec2::new(HISTOGRAM_WIDTH + 12.0, 30.0), bar.max + Vec2::new(64.0, 16.0));
    let plate = plate.with_max_y(plate.max.y + KEY_HEIGHT * keys.len() as f32);
    painter.rect_filled(plate, 8.0, ui.visuals().window_fill.gamma_multiply(0.85));
    painter.text(
        Pos2::new(plate.center().x, plate.top() + 13.0),
        Align2::CENTER_CENTER,
        title,
        FontId::proportional(11.5),
        text,
    );
    let steps = height as usize;
    // Not shapes: each would have soft edges, slow to draw, that mix its colour with its neighbour's.
    let mut colours = egui::Mesh::default();
    for (i, [r, g, b, _]) in scale.table(steps).into_iter().enumerate() {
        let y = bar.bottom() - height * (i as f32 + 1.0) / steps as f32;
        let line = Rect::from_min_size(Pos2::new(bar.left(), y), Vec2::new(SCALE_SIZE.x, height / steps as f32));
        colours.add_colored_rect(line, Color32::from_rgb(r, g, b));
    }
    painter.add(colours);
    painter.rect_stroke(bar, 0.0, Stroke::new(1.0, text.gamma_multiply(0.5)), egui::StrokeKind::Outside);
    let bar = Bar(bar, scale.ends_mm());
    let marks: Vec<(f64, f32)> = marks.iter().map(|mm| (*mm, bar.at(*mm))).collect();
    let right = bar.0.right();
    for (_, y) in &marks {
        painter.hline(right..=right + 4.0, *y, Stroke::new(1.0, text));
    }
    for (mm, y) in without_overlap(&marks) {
        painter.text(Pos2::new(right + 8.0, y), Align2::LEFT_CENTER, label(mm), FontId::proportional(11.5), text);
    }
    // Somewhat to the left, for long names.
    let mut key = Rect::from_min_size(bar.0.left_bottom() + Vec2::new(-20.0, 12.0), Vec2::new(SCALE_SIZE.x, 10.0));
    for (name, colour) in keys {
        painter.rect_filled(key, 2.0, *colour);
        let beside = Pos2::new(key.right() + 8.0, key.center().y);
        painter.text(beside, Align2::LEFT_CENTER, name, FontId::proportional(11.5), text);
        key = key.translate(Vec2::new(0.0, KEY_HEIGHT));
    }
    bar
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
    let mut bars = egui::Mesh::default();
    for (bin, &count) in histogram.counts.iter().enumerate() {
        let centre = histogram.bin_centre_mm(bin);
        // Square root scale, so that rare deviations are visible.
        let length = HISTOGRAM_WIDTH * (count as f32 / top).sqrt();
        let piece = Rect::from_min_max(
            Pos2::new(bar.left() - 4.0 - length, at(centre + half)),
            Pos2::new(bar.left() - 4.0, at(centre - half)),
        );
        bars.add_colored_rect(piece, ui.visuals().text_color().gamma_multiply(0.45));
    }
    ui.painter().add(bars);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stay_apart_and_limits_go_before_ends_and_zero() {
        // 0.280 and 0.300 on a scale of 260 points: 8.7 apart.
        let at = |mm: f64| (130.0 - 130.0 * mm / 0.3) as f32;
        let marks = [0.28, -0.28, 0.3, -0.3, 0.0].map(|mm| (mm, at(mm)));
        let kept = without_overlap(&marks);
        assert_eq!(kept.iter().map(|(mm, _)| *mm).collect::<Vec<_>>(), [0.28, -0.28, 0.0]);
        let apart = [0.1, -0.1, 0.3, -0.3, 0.0].map(|mm| (mm, at(mm)));
        assert_eq!(without_overlap(&apart).len(), 5);
    }
}
