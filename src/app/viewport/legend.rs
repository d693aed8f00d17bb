//! Legend: the colour scale with the tolerance limits, and the histogram of the deviations beside it. It is dragged to either
//! side of the view.

use egui::{Align2, Color32, FontId, Pos2, Rect, Sense, Stroke, Vec2};

use super::callouts::{ABOVE as TOOLBAR, AXES, CUBE};
use super::picture::UNMEASURED_COLOUR;
use crate::lengths::{length_text, signed_length, symbol};
use crate::remembered::{LegendPosition, Side};
use crate::theme;
use inspect::thickness::{Between, ThicknessMap};
use render::colour_scale::{ColourScale, NO_DATA, Scale};
use render::thickness_scale::ThicknessScale;
use session::Document;
use texts::text;

/// Width and maximum height of the colour scale, screen points.
const SCALE_SIZE: Vec2 = Vec2::new(18.0, 260.0);
/// Length of the longest histogram bar, screen points.
const HISTOGRAM_WIDTH: f32 = 46.0;
/// Width of the legend with its margin to the side of the view, screen points.
pub const WIDTH: f32 = 156.0;

/// Draws the legend of the deviations in `rect`; `has_unmeasured`: whether regions without measurement are marked in the
/// view. Returns where it is dragged to.
pub fn deviations(
    ui: &egui::Ui,
    (rect, position): (Rect, LegendPosition),
    document: &Document,
    has_unmeasured: bool,
) -> Option<LegendPosition> {
    let settings = &document.settings;
    let scale = report::colour_scale(settings.deviation.tolerance, document);
    let marks = marks(&scale);
    let label = |mm: f64| if mm == 0.0 { "0".to_owned() } else { signed_length(mm, 3) };
    let unmeasured = has_unmeasured.then(|| (text!("files-legend-unmeasured"), theme::colour(UNMEASURED_COLOUR)));
    // The limits beside the scale are those of the part.
    let own = settings.deviation.own_tolerances.len();
    let own = (own > 0).then(|| (text!("files-legend-own-tolerances", count = own), Color32::TRANSPARENT));
    let keys: Vec<(String, Color32)> = [no_data_key()].into_iter().chain(unmeasured).chain(own).collect();
    let title = match settings.deviation.direction_in_words() {
        Some(across) if settings.deviation.is_in_plane() => {
            text!("files-legend-deviation-across", across = across, unit = symbol())
        }
        Some(along) => text!("files-legend-deviation-along", along = along, unit = symbol()),
        None => text!("files-legend-deviation", unit = symbol()),
    };
    let layout = Layout::new(rect, position, keys.len());
    let said = format!("{title}: {}", marks.iter().map(|mm| label(*mm)).collect::<Vec<_>>().join(", "));
    let bar = draw(ui, layout.bar, &title, scale.into(), (&marks, &keys), label);
    histogram(ui, document, bar.0, &|mm| bar.at(mm));
    layout.dragged(ui, said)
}

/// Deviations that are marked on a scale, mm, the most important first.
fn marks(scale: &ColourScale) -> Vec<f64> {
    let tolerance = &scale.tolerance;
    let boundaries_mm = scale.own.as_ref().map(|own| own.boundaries_mm(tolerance)).unwrap_or_default();
    let marks = [tolerance.high_mm, tolerance.low_mm, scale.end_mm, -scale.end_mm, 0.0];
    marks.into_iter().chain(boundaries_mm).collect()
}

/// Draws the legend of a thickness map in `rect`. Returns where it is dragged to.
pub fn thickness(
    ui: &egui::Ui,
    (rect, position): (Rect, LegendPosition),
    map: &ThicknessMap,
) -> Option<LegendPosition> {
    let scale = ThicknessScale::of(map);
    let is_material = map.parameters.between == Between::Material;
    let title = match is_material {
        true => text!("files-legend-thickness", unit = symbol()),
        false => text!("files-legend-gap", unit = symbol()),
    };
    let fifths = (0..=5).map(|fifth| 0.2 * f64::from(fifth) * scale.end_mm);
    let limits = [scale.end_mm, 0.0, scale.min_mm].into_iter().chain(scale.limit_mm.filter(|mm| *mm < scale.end_mm));
    let marks: Vec<f64> = limits.chain(fifths).collect();
    let keys = [no_data_key()];
    let layout = Layout::new(rect, position, keys.len());
    let label = |mm: f64| length_text(mm, 2);
    let said = format!("{title}: {} … {}", label(0.0), label(scale.end_mm));
    draw(ui, layout.bar, &title, Scale::Thickness(scale), (&marks, &keys), label);
    layout.dragged(ui, said)
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
/// What the plate of the legend has around the colours: to the left and above, to the right and below, screen points.
const BEFORE: Vec2 = Vec2::new(HISTOGRAM_WIDTH + 12.0, 30.0);
const AFTER: Vec2 = Vec2::new(64.0, 16.0);
/// Space between the plate and the side of the view, screen points.
const EDGE: f32 = 10.0;

/// The plate of the legend around the colours.
fn plate_of(bar: Rect, keys: usize) -> Rect {
    let plate = Rect::from_min_max(bar.min - BEFORE, bar.max + AFTER);
    plate.with_max_y(plate.max.y + KEY_HEIGHT * keys as f32)
}

/// Where the legend stands, and where it could.
struct Layout {
    view: Rect,
    position: LegendPosition,
    /// Of the colours.
    bar: Rect,
    plate: Rect,
    /// Highest and lowest position of the upper end of the colours.
    tops: [f32; 2],
}

impl Layout {
    /// Clear of the view cube at the right, and of the toolbar and the axes at the left.
    fn new(view: Rect, position: LegendPosition, keys: usize) -> Self {
        let (above, below) = match position.side {
            Side::Right => (CUBE, EDGE),
            Side::Left => (TOOLBAR, AXES),
        };
        let around = BEFORE.y + AFTER.y + KEY_HEIGHT * keys as f32;
        let height = SCALE_SIZE.y.min(view.height() - above - below - around).max(60.0);
        let highest = view.top() + above + BEFORE.y;
        let lowest = (view.bottom() - below - (around - BEFORE.y) - height).max(highest);
        let top = match (position.share_down, position.side) {
            (Some(share), _) => highest + share.clamp(0.0, 1.0) * (lowest - highest),
            // Clear of the view cube, however low the window is.
            (None, Side::Right) => (view.center().y - 0.5 * height).max(highest),
            (None, Side::Left) => (view.center().y - 0.5 * height).clamp(highest, lowest),
        };
        let left = match position.side {
            Side::Right => view.right() - EDGE - AFTER.x - SCALE_SIZE.x,
            Side::Left => view.left() + EDGE + BEFORE.x,
        };
        let bar = Rect::from_min_size(Pos2::new(left, top), Vec2::new(SCALE_SIZE.x, height));
        Self { view, position, bar, plate: plate_of(bar, keys), tops: [highest, lowest] }
    }

    /// Where the operator drags it to: to the side that the pointer is at, and up or down with it. Screen readers have
    /// what is `said` of it.
    fn dragged(&self, ui: &egui::Ui, said: String) -> Option<LegendPosition> {
        // No stop of Tab: the menu moves it by keys.
        let response = ui.interact(self.plate, ui.scope_id().with("legend"), Sense::DRAG);
        response.widget_info(|| egui::WidgetInfo {
            current_text_value: Some(said.clone()),
            ..egui::WidgetInfo::labeled(egui::Role::Canvas, true, text!("files-legend"))
        });
        let response = response.on_hover_cursor(egui::CursorIcon::Grab);
        let pointer = response.interact_pointer_pos().filter(|_| response.dragged())?;
        Some(self.moved(pointer, response.drag_delta().y))
    }

    fn moved(&self, pointer: Pos2, down: f32) -> LegendPosition {
        let side = if pointer.x < self.view.center().x { Side::Left } else { Side::Right };
        let [highest, lowest] = self.tops;
        let share = (self.bar.top() + down - highest) / (lowest - highest).max(1.0);
        let is_moved = side != self.position.side || down != 0.0;
        let share_down = if is_moved { Some(share.clamp(0.0, 1.0)) } else { self.position.share_down };
        LegendPosition { side, share_down }
    }
}

/// Draws the colours with marks, the most important first, and what colours beside the scale mean.
fn draw(
    ui: &egui::Ui,
    bar: Rect,
    title: &str,
    scale: Scale,
    (marks, keys): (&[f64], &[(String, Color32)]),
    label: impl Fn(f64) -> String,
) -> Bar {
    let height = bar.height();
    let painter = ui.painter();
    let text = ui.visuals().text_color();
    let plate = plate_of(bar, keys.len());
    painter.rect_filled(plate, 8.0, ui.visuals().window_fill.gamma_multiply(0.85));
    let title = shortened(ui, title, plate.width() - 2.0 * MARGIN);
    painter.galley(Pos2::new(plate.center().x - 0.5 * title.size().x, plate.top() + 6.0), title, text);
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
    let labels: Vec<(String, f32)> = without_overlap(&marks).into_iter().map(|(mm, y)| (label(mm), y)).collect();
    let font = FontId::proportional(LABEL_SIZE * share_that_fits(ui, &labels));
    for (label, y) in labels {
        painter.text(Pos2::new(right + LABEL_GAP, y), Align2::LEFT_CENTER, label, font.clone(), text);
    }
    // Somewhat to the left, for long names.
    let mut key = Rect::from_min_size(bar.0.left_bottom() + Vec2::new(-20.0, 12.0), Vec2::new(SCALE_SIZE.x, 10.0));
    for (name, colour) in keys {
        painter.rect_filled(key, 2.0, *colour);
        // What has no colour begins where the plate does.
        let left = if *colour == Color32::TRANSPARENT { plate.left() + MARGIN } else { key.right() + 8.0 };
        let name = shortened(ui, name, plate.right() - MARGIN - left);
        painter.galley(Pos2::new(left, key.center().y - 0.5 * name.size().y), name, text);
        key = key.translate(Vec2::new(0.0, KEY_HEIGHT));
    }
    bar
}

/// Least space between the texts and the sides of the plate, screen points.
const MARGIN: f32 = 8.0;

/// A line of text that ends in an ellipsis where it is longer than `width`.
fn shortened(ui: &egui::Ui, text: &str, width: f32) -> std::sync::Arc<egui::Galley> {
    let font = FontId::proportional(11.5);
    let mut job = egui::text::LayoutJob::simple_singleline(text.to_owned(), font, ui.visuals().text_color());
    job.wrap = egui::text::TextWrapping::truncate_at_width(width);
    ui.painter().layout_job(job)
}

/// Font size of the labels, and the space between them and the colours, screen points.
const LABEL_SIZE: f32 = 11.5;
const LABEL_GAP: f32 = 8.0;

/// Share of their size in which all labels end on the plate: those with many decimals, in large units, are longer.
fn share_that_fits(ui: &egui::Ui, labels: &[(String, f32)]) -> f32 {
    let width = |text: &String| {
        let galley =
            ui.painter().layout_no_wrap(text.clone(), FontId::proportional(LABEL_SIZE), ui.visuals().text_color());
        galley.size().x
    };
    let widest = labels.iter().map(|(text, _)| width(text)).fold(0.0, f32::max);
    ((AFTER.x - LABEL_GAP) / widest.max(1.0)).min(1.0)
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
    use inspect::deviation::own_scale::{BoundaryUnit, Stop};
    use inspect::deviation::{OwnScale, Tolerance};

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

    #[test]
    fn the_legend_stands_at_either_side_clear_of_cube_toolbar_and_axes() {
        for size in [Vec2::new(620.0, 420.0), Vec2::new(900.0, 700.0), Vec2::new(1900.0, 1100.0)] {
            let view = Rect::from_min_size(Pos2::new(230.0, 40.0), size);
            let cube =
                Rect::from_min_max(Pos2::new(view.right() - CUBE, view.top()), view.right_top() + Vec2::Y * CUBE);
            let axes = Rect::from_min_max(view.left_bottom() - Vec2::Y * AXES, view.left_bottom() + Vec2::X * AXES);
            for side in [Side::Left, Side::Right] {
                for share_down in [None, Some(0.0), Some(0.4), Some(1.0), Some(7.0)] {
                    let own = Layout::new(view, LegendPosition { side, share_down }, 1);
                    let plate = own.plate.shrink(0.01);
                    assert!(view.contains_rect(plate), "{side:?} {share_down:?} in {size}: {plate}");
                    assert!(plate.top() >= view.top() + TOOLBAR - 0.1);
                    assert!(!plate.intersects(cube) && !plate.intersects(axes), "{side:?} {share_down:?} in {size}");
                    assert!(own.plate.width() + EDGE <= WIDTH);
                }
            }
        }
    }

    #[test]
    fn a_dragged_legend_snaps_to_the_side_of_the_pointer_and_follows_it_down() {
        let view = Rect::from_min_size(Pos2::ZERO, Vec2::new(1000.0, 700.0));
        let own = Layout::new(view, LegendPosition::default(), 1);
        let still = own.moved(Pos2::new(900.0, 300.0), 0.0);
        assert_eq!(still, LegendPosition::default());
        let lower = own.moved(Pos2::new(900.0, 300.0), 20.0);
        let moved = Layout::new(view, lower, 1);
        assert!(lower.side == Side::Right && (moved.bar.top() - own.bar.top() - 20.0).abs() < 0.01, "{lower:?}");
        let other = Layout::new(view, moved.moved(Pos2::new(300.0, 300.0), 0.0), 1);
        assert!(other.plate.left() == EDGE && other.position.side == Side::Left);
        assert_eq!(own.moved(Pos2::new(900.0, 300.0), -5000.0).share_down, Some(0.0));
    }

    #[test]
    fn labels_of_many_narrow_bands_stay_apart_and_the_limits_are_among_them() {
        let colour = [0; 3];
        for (bands, half_mm) in [(2, 0.3), (16, 0.3), (64, 0.3), (64, 0.02), (64, 3.0)] {
            let at = |band: i32| half_mm * (2.0 * f64::from(band) / f64::from(bands - 1) - 1.0);
            let stops = (0..bands).map(|band| Stop { at: at(band), colour }).collect();
            let own = OwnScale { name: "narrow".into(), unit: BoundaryUnit::Mm, is_stepped: true, stops };
            let scale = ColourScale::new(Tolerance { low_mm: -0.1, high_mm: 0.1 }, 0.3).with_own(Some(own));
            for height in [60.0, 260.0] {
                let bar = Bar(Rect::from_min_size(Pos2::ZERO, Vec2::new(18.0, height)), [-scale.end_mm, scale.end_mm]);
                let marks: Vec<(f64, f32)> = marks(&scale).into_iter().map(|mm| (mm, bar.at(mm))).collect();
                let kept = without_overlap(&marks);
                assert!(kept.len() >= 3 && kept[0].0 == 0.1, "{kept:?}");
                for (index, (_, y)) in kept.iter().enumerate() {
                    let others = &kept[index + 1..];
                    assert!(others.iter().all(|(_, other)| (y - other).abs() >= MIN_LABEL_DISTANCE), "{kept:?}");
                }
            }
        }
    }
}
