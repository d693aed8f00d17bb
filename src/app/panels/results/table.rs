//! The table as drawn: headings that sort, and lines of which only those in sight are made.

use egui::text::{LayoutJob, TextWrapping};
use egui::{Align2, Color32, FontId, Pos2, Rect, Sense, Stroke, TextStyle, Ui, Vec2};

use super::super::named;
use super::lines::{Column, Filter, Line, Lines};
use crate::{icons, theme};
use session::results::RowVerdict;
use texts::text;

/// Width of a column of figures, and of its part after the decimal point, points.
const FIGURE_WIDTH: f32 = 92.0;
const FRACTION_WIDTH: f32 = 42.0;
/// Decimals of lengths in mm, usually; most for which that is wide enough; and width of each that is more, points.
const USUAL_DECIMALS: usize = 4;
const MAX_DECIMALS: usize = 5;
const DIGIT_WIDTH: f32 = 8.0;
/// Least widths of elements, characteristics and verdicts, points.
const ELEMENT_WIDTH: f32 = 190.0;
const CHARACTERISTIC_WIDTH: f32 = 150.0;
const VERDICT_WIDTH: f32 = 130.0;
/// Space at the left of a cell, and between lines, points.
const PADDING: f32 = 6.0;
const LINE_GAP: f32 = 1.0;

/// What was done to the table.
#[derive(Default)]
pub struct Done {
    /// The heading that was clicked.
    pub sorted: Option<Column>,
    /// Index of the line that was clicked.
    pub clicked: Option<usize>,
}

/// What is added to a column of figures for decimals beyond those that there is room for, points.
fn further_decimals() -> f32 {
    DIGIT_WIDTH * crate::lengths::decimals(USUAL_DECIMALS).saturating_sub(MAX_DECIMALS) as f32
}

/// Widths of the columns; elements and characteristics take what there is room for.
fn widths(available: f32) -> [f32; Column::ALL.len()] {
    let least = Column::ALL.map(|column| match column {
        Column::Element => ELEMENT_WIDTH,
        Column::Characteristic => CHARACTERISTIC_WIDTH,
        Column::Verdict => VERDICT_WIDTH,
        _ => FIGURE_WIDTH + further_decimals(),
    });
    let room = (available - least.iter().sum::<f32>()).max(0.0);
    let mut widths = least;
    widths[Column::Element as usize] += 0.6 * room;
    widths[Column::Characteristic as usize] += 0.4 * room;
    widths
}

/// Draws it.
pub fn show(ui: &mut Ui, lines: &Lines, filter: &Filter, selected: Option<&str>) -> Done {
    let mut done = Done::default();
    let bar_width = ui.spacing().scroll.allocated_width();
    let widths = widths(ui.available_width() - bar_width);
    let table = egui::ScrollArea::horizontal().id_salt("results").auto_shrink(false);
    table.show(ui, |ui| {
        ui.set_max_width(widths.iter().sum::<f32>() + bar_width);
        ui.spacing_mut().item_spacing = Vec2::new(0.0, LINE_GAP);
        done.sorted = headings(ui, &widths, filter);
        let height = ui.text_style_height(&TextStyle::Body) + 6.0;
        let list = egui::ScrollArea::vertical().id_salt("result lines").auto_shrink(false);
        list.show_rows(ui, height, lines.shown_count(), |ui, shown| {
            for index in shown {
                let Some(own) = lines.get(index) else { continue };
                let is_selected = selected == Some(own.key.as_str());
                if line(ui, own, &widths, height, (is_selected, index % 2 == 1)) {
                    done.clicked = Some(index);
                }
            }
        });
    });
    done
}

/// The headings; returns the one that was clicked.
fn headings(ui: &mut Ui, widths: &[f32], filter: &Filter) -> Option<Column> {
    let mut clicked = None;
    ui.horizontal(|ui| {
        let height = ui.spacing().interact_size.y;
        for (column, width) in Column::ALL.into_iter().zip(widths) {
            let heading = column.heading();
            let text = egui::RichText::new(&heading).family(theme::strong_family());
            let (icon, name) = match filter.sort {
                Some((own, false)) if own == column => {
                    (Some(icons::UP), text!("results-sorted", column = heading.as_str()))
                }
                Some((own, true)) if own == column => {
                    (Some(icons::DOWN), text!("results-sorted-down", column = heading.as_str()))
                }
                _ => (None, text!("results-sort", column = heading.as_str())),
            };
            let button = match icon {
                Some(icon) => egui::Button::new((text, icons::atom(icon, None))),
                None => egui::Button::new(text),
            };
            let response = ui.add_sized([*width, height], button.frame(false).truncate());
            named(&response, &name);
            if response.clicked() {
                clicked = Some(column);
            }
        }
    });
    clicked
}

/// A line; returns whether it was clicked, by the pointer or the keyboard.
fn line(ui: &mut Ui, own: &Line, widths: &[f32], height: f32, (is_selected, is_striped): (bool, bool)) -> bool {
    let size = Vec2::new(widths.iter().sum(), height);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    let name = || text!("results-row", title = own.title.as_str(), figures = own.spoken());
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, is_selected, name()));
    if response.gained_focus() {
        // The next line is made once it is in sight.
        response.scroll_to_me(None);
    }
    let visuals = ui.visuals();
    let fill = match (is_selected, response.hovered(), is_striped) {
        (true, ..) => visuals.selection.bg_fill.gamma_multiply(0.3),
        (_, true, _) => visuals.widgets.hovered.weak_bg_fill,
        (.., true) => visuals.faint_bg_color,
        _ => Color32::TRANSPARENT,
    };
    let ink = visuals.text_color();
    ui.painter().rect_filled(rect, 3.0, fill);
    if response.has_focus() {
        ui.painter().rect_stroke(rect, 3.0, Stroke::new(1.5, theme::ACCENT), egui::StrokeKind::Inside);
    }
    let mut left = rect.left();
    for ((column, text), width) in Column::ALL.into_iter().zip(&own.cells).zip(widths) {
        let cell = Rect::from_min_size(Pos2::new(left, rect.top()), Vec2::new(*width, height));
        match column {
            Column::Verdict => verdict(ui, cell, own.verdict, text),
            column if column.is_of_figures() => figure(ui, cell, text, ink),
            _ => cut_off(ui, cell, text, ink),
        }
        left += width;
    }
    let response = if own.why.is_empty() { response } else { response.on_hover_text(&own.why) };
    response.clicked()
}

fn font(ui: &Ui) -> FontId {
    TextStyle::Body.resolve(ui.style())
}

/// A text, cut off with an ellipsis where it is longer than its cell.
fn cut_off(ui: &Ui, cell: Rect, text: &str, ink: Color32) {
    let mut job = LayoutJob::simple_singleline(text.to_owned(), font(ui), ink);
    job.wrap = TextWrapping::truncate_at_width(cell.width() - 2.0 * PADDING);
    let galley = ui.painter().layout_job(job);
    let top = cell.center().y - 0.5 * galley.size().y;
    ui.painter().galley(Pos2::new(cell.left() + PADDING, top), galley, ink);
}

/// A figure, its decimal point where those of its column stand.
fn figure(ui: &Ui, cell: Rect, text: &str, ink: Color32) {
    let point = Pos2::new(cell.right() - PADDING - FRACTION_WIDTH - further_decimals(), cell.center().y);
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    ui.painter().text(point, Align2::RIGHT_CENTER, whole, font(ui), ink);
    ui.painter().text(point, Align2::LEFT_CENTER, fraction, font(ui), ink);
}

/// A verdict: a sign of its own in its colour, and its name.
fn verdict(ui: &Ui, cell: Rect, own: RowVerdict, text: &str) {
    let (colour, sign) = match own {
        RowVerdict::None => return,
        RowVerdict::Pass => (theme::GOOD, None),
        RowVerdict::Fail => (theme::BAD, None),
        RowVerdict::InDoubt => (theme::WARN, Some("?")),
        RowVerdict::NotJudged => (theme::WARN, Some("–")),
        RowVerdict::NoLimits => (ui.visuals().weak_text_color(), Some("–")),
    };
    let centre = Pos2::new(cell.left() + PADDING + 7.0, cell.center().y);
    let stroke = Stroke::new(2.0, colour);
    let at = |x: f32, y: f32| centre + Vec2::new(x, y);
    match (own, sign) {
        (_, Some(sign)) => {
            ui.painter().text(centre, Align2::CENTER_CENTER, sign, FontId::new(14.0, theme::strong_family()), colour);
        }
        (RowVerdict::Pass, None) => {
            ui.painter().line_segment([at(-5.0, 0.5), at(-1.5, 4.0)], stroke);
            ui.painter().line_segment([at(-1.5, 4.0), at(5.0, -4.0)], stroke);
        }
        _ => {
            ui.painter().line_segment([at(-4.0, -4.0), at(4.0, 4.0)], stroke);
            ui.painter().line_segment([at(-4.0, 4.0), at(4.0, -4.0)], stroke);
        }
    }
    let cell = cell.with_min_x(centre.x + 7.0);
    cut_off(ui, cell, text, colour);
}
