//! The drawing of a section below the 3D view: contours, limits, and deviations as whiskers.

use egui::{Align2, Color32, FontId, Pos2, Rect, Sense, Shape, Stroke as Line, Vec2};

use crate::lengths::{signed_length, symbol, unit, with_unit};
use crate::{SectionDisplay, theme};
use inspect::deviation::Verdict;
use inspect::section::dimension::{Dimension, MeasuredDimension};
use inspect::section::drawing::{self, Stroke};
use inspect::section::whiskers::Whisker;
use inspect::section::{PlanePoint, PlaneSection, Section};
use render::colour_scale::ColourScale;
use session::plan::ElementId;
use texts::text;

/// Space about the drawing, points.
const MARGIN: f32 = 34.0;
/// Whiskers farther than this from the pointer are not read out, points.
const REACH: f32 = 30.0;

/// Where the drawing is shown; follows the pointer.
#[derive(Default)]
pub struct SectionView {
    /// Middle, mm, and points per mm; `None` to show all of it.
    shown_at: Option<(PlanePoint, f32)>,
    /// The plane that was shown last: of which section, and its number.
    last: (Option<ElementId>, usize),
    /// Where it was drawn last.
    map: Option<Map>,
}

/// From the plane to the screen.
#[derive(Clone, Copy)]
struct Map {
    rect: Rect,
    middle: PlanePoint,
    points_per_mm: f32,
}

impl Map {
    fn at(&self, point: &PlanePoint) -> Pos2 {
        let [x, y] = [0, 1].map(|axis| (point[axis] - self.middle[axis]) as f32 * self.points_per_mm);
        self.rect.center() + Vec2::new(x, -y)
    }

    fn back(&self, at: Pos2) -> PlanePoint {
        let from = at - self.rect.center();
        let [x, y] = [from.x, -from.y].map(|points| f64::from(points / self.points_per_mm));
        [self.middle[0] + x, self.middle[1] + y]
    }
}

impl SectionView {
    /// Screen position of a point of the plane shown last.
    pub fn position_of(&self, point: &PlanePoint) -> Option<Pos2> {
        self.map.map(|map| map.at(point))
    }

    /// Draws one plane of a section and lets the pointer move, read and measure it; the dimension that was made by clicks.
    pub fn show(
        &mut self,
        ui: &mut egui::Ui,
        section: &Section,
        display: &mut SectionDisplay,
        scale: &ColourScale,
    ) -> Option<Dimension> {
        let rect = ui.available_rect_before_wrap();
        let response = ui.allocate_rect(rect, Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Canvas, true, text!("viewport-section-view")));
        let plane = section.planes.get(display.plane)?;
        let shown = (display.selected, display.plane);
        if std::mem::replace(&mut self.last, shown) != shown {
            self.shown_at = None;
            // A position in another plane means another line.
            (display.measuring, display.first_pick) = (None, None);
        }
        let tolerance = section.parameters.tolerance;
        let factor = display.factor.unwrap_or_else(|| drawing::readable_factor(plane, &tolerance));
        let lines = drawing::lines(plane, &tolerance, factor);
        let bounds = drawing::bounds(lines.iter().flat_map(|line| &line.points));
        let map = self.navigate(ui, &response, bounds);
        self.map = Some(map);
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 0.0, ui.visuals().extreme_bg_color);
        let ink = ui.visuals().text_color();
        for line in &lines {
            let mut points: Vec<Pos2> = line.points.iter().map(|point| map.at(point)).collect();
            if line.is_closed {
                points.extend(points.first().copied());
            }
            match line.stroke {
                Stroke::Limit => {
                    painter.extend(Shape::dashed_line(&points, Line::new(1.0, ink.gamma_multiply(0.45)), 4.0, 3.0));
                }
                stroke => {
                    let line = match stroke {
                        Stroke::Measured => Line::new(1.2, theme::ACCENT),
                        Stroke::Whisker(deviation_mm) => {
                            let [r, g, b] = scale.colour(Some(deviation_mm));
                            Line::new(1.6, Color32::from_rgb(r, g, b))
                        }
                        Stroke::Nominal | Stroke::Limit => Line::new(1.6, ink),
                    };
                    painter.line(points, line);
                }
            }
        }
        if section.dimensions_of(plane).next().is_none() {
            write_extremes(ui, plane, &map, factor, bounds);
        }
        for (name, own) in section.dimensions_of(plane) {
            let kind = own.dimension.kind.name();
            draw_dimension(ui, &map, &name.replacen(kind, &texts::word(kind), 1), own);
        }
        let name = texts::word(&plane.name).into_owned();
        let title = match section.is_compared {
            true => text!("viewport-section-enlarged", name = name, factor = factor.to_string()),
            false => text!("viewport-section", name = name),
        };
        painter.text(
            rect.left_top() + Vec2::new(12.0, 14.0),
            Align2::LEFT_CENTER,
            title,
            FontId::proportional(12.5),
            ink,
        );
        scale_bar(&painter, &map, ink);
        let Some(kind) = display.measuring else {
            if let Some(pointer) = response.hover_pos() {
                read_out(ui, plane, &map, factor, pointer);
            }
            return None;
        };
        let highlight = |line: &[PlanePoint]| {
            let points: Vec<Pos2> = line.iter().map(|point| map.at(point)).collect();
            painter.line(points, Line::new(3.5, theme::FEATURE));
        };
        let first_line = display.first_pick.map(|first| plane.line_at(first));
        first_line.iter().for_each(|line| highlight(line));
        let pointer = response.hover_pos().filter(|pointer| rect.contains(*pointer))?;
        let at = plane.on_contour(map.back(pointer)).filter(|at| map.at(at).distance(pointer) < REACH)?;
        let line = plane.line_at(at);
        highlight(&line);
        // Of two positions on one line, such as of a double click, there is no distance.
        if !response.clicked() || first_line == Some(line) {
            return None;
        }
        let picks: Vec<PlanePoint> = display.first_pick.into_iter().chain([at]).collect();
        if picks.len() < kind.picks() {
            display.first_pick = Some(at);
            return None;
        }
        (display.measuring, display.first_pick) = (None, None);
        Some(Dimension { kind, plane: plane.number, picks, tolerance: None, extent_mm: None })
    }

    fn navigate(&mut self, ui: &egui::Ui, response: &egui::Response, [low, high]: [PlanePoint; 2]) -> Map {
        let rect = response.rect;
        let size = [0, 1].map(|axis| ((high[axis] - low[axis]) as f32).max(1e-6));
        let room = (rect.size() - Vec2::new(2.0 * MARGIN, 2.0 * MARGIN + 10.0)).max(Vec2::splat(20.0));
        let whole = ([0, 1].map(|axis| 0.5 * (low[axis] + high[axis])), (room.x / size[0]).min(room.y / size[1]));
        let (middle, points_per_mm) = self.shown_at.unwrap_or(whole);
        let mut map = Map { rect, middle, points_per_mm };
        let moved = response.drag_delta();
        if moved != Vec2::ZERO {
            map.middle = map.back(rect.center() - moved);
        }
        if let Some(pointer) = response.hover_pos() {
            let zoom = ui.input(|input| (0.004 * input.smooth_scroll_delta().y).exp() * input.zoom_delta());
            if (zoom - 1.0).abs() > 1e-4 {
                let under = map.back(pointer);
                map.points_per_mm = (map.points_per_mm * zoom).clamp(0.2 * whole.1, 1e4 * whole.1);
                // What is under the pointer stays there.
                let now = map.back(pointer);
                map.middle = [0, 1].map(|axis| map.middle[axis] + under[axis] - now[axis]);
            }
        }
        if response.double_clicked() {
            (map.middle, map.points_per_mm) = whole;
        }
        let shown_at = (map.middle, map.points_per_mm);
        self.shown_at = (shown_at != whole).then_some(shown_at);
        map
    }
}

/// Largest and smallest deviation, each with a line to where it is.
fn write_extremes(ui: &egui::Ui, plane: &PlaneSection, map: &Map, factor: f64, [low, high]: [PlanePoint; 2]) {
    let (painter, ink) = (ui.painter_at(map.rect), ui.visuals().text_color());
    let measured = || plane.whiskers.iter().filter_map(|own| Some((own, own.deviation_mm?)));
    let largest = measured().max_by(|a, b| a.1.total_cmp(&b.1));
    let smallest = measured().min_by(|a, b| a.1.total_cmp(&b.1));
    let (top, bottom) = (map.at(&high).y - 16.0, map.at(&low).y + 16.0);
    for (own, deviation_mm) in largest.into_iter().chain(smallest) {
        let tip = map.at(&own.tip(factor));
        let galley = painter.layout_no_wrap(with_unit(signed_length(deviation_mm, 3)), FontId::proportional(11.5), ink);
        let half = 0.5 * galley.size();
        // Beyond the drawing, above what is larger and below what is smaller.
        let y = if deviation_mm > 0.0 { top } else { bottom };
        let room = map.rect.shrink2(half + Vec2::new(4.0, 24.0));
        let at = Pos2::new(tip.x, y).clamp(room.min, room.max);
        let near = at + Vec2::new(0.0, half.y.copysign(tip.y - at.y));
        painter.line_segment([tip, near], Line::new(0.8, ink.gamma_multiply(0.6)));
        painter.circle(tip, 2.5, ui.visuals().extreme_bg_color, Line::new(1.2, ink));
        painter.rect_filled(Rect::from_center_size(at, galley.size()).expand(2.0), 3.0, ui.visuals().extreme_bg_color);
        painter.galley(at - half, galley, ink);
    }
}

/// A dimension with its value.
fn draw_dimension(ui: &egui::Ui, map: &Map, name: &str, own: &MeasuredDimension) {
    let (painter, colour) = (ui.painter_at(map.rect), theme::FEATURE);
    let ends: Vec<Pos2> = own.line.iter().map(|point| map.at(point)).collect();
    let corners: Vec<[f64; 2]> = ends.iter().map(|own| [f64::from(own.x), f64::from(own.y)]).collect();
    let (Some((points, at)), Some(value)) = (drawing::labelled(&corners, 14.0), own.value_in(unit())) else { return };
    let on_screen = |[x, y]: [f64; 2]| Pos2::new(x as f32, y as f32);
    let at = on_screen(at);
    for end in [ends.first(), ends.last()].into_iter().flatten() {
        painter.circle_filled(*end, 2.5, colour);
    }
    painter.line(points.into_iter().map(on_screen).collect(), Line::new(1.2, colour));
    let colour = match own.verdict() {
        Some(Verdict::Fail) => theme::BAD,
        Some(Verdict::Pass) => theme::GOOD,
        _ => colour,
    };
    let galley = painter.layout_no_wrap(format!("{name}: {value}"), FontId::proportional(11.5), colour);
    let at = Rect::from_center_size(at, galley.size());
    painter.rect_filled(at.expand(2.0), 3.0, ui.visuals().extreme_bg_color);
    painter.galley(at.min, galley, colour);
}

/// A round length, lower right.
fn scale_bar(painter: &egui::Painter, map: &Map, ink: Color32) {
    // Round in the unit that it is shown in.
    let length = drawing::round_number(unit().from_mm(90.0 / f64::from(map.points_per_mm)));
    let length_mm = length * unit().mm_per_unit();
    let right = map.rect.right_bottom() - Vec2::new(16.0, 14.0);
    let left = right - Vec2::new(length_mm as f32 * map.points_per_mm, 0.0);
    let line = Line::new(1.5, ink);
    painter.line_segment([left, right], line);
    for end in [left, right] {
        painter.line_segment([end - Vec2::new(0.0, 4.0), end + Vec2::new(0.0, 4.0)], line);
    }
    let middle = left + 0.5 * (right - left) - Vec2::new(0.0, 10.0);
    painter.text(middle, Align2::CENTER_CENTER, format!("{length} {}", symbol()), FontId::proportional(11.5), ink);
}

/// Deviation and position of the whisker next to the pointer, beside it.
fn read_out(ui: &egui::Ui, plane: &PlaneSection, map: &Map, factor: f64, pointer: Pos2) {
    let away = |own: &Whisker| map.at(&own.at).distance(pointer).min(map.at(&own.tip(factor)).distance(pointer));
    let nearest = plane.whiskers.iter().min_by(|a, b| away(a).total_cmp(&away(b)));
    let Some(own) = nearest.filter(|own| away(own) < REACH) else { return };
    let value = match own.deviation_mm {
        Some(mm) => text!("viewport-whisker", length = with_unit(signed_length(mm, 4)), count = own.points),
        None => text!("viewport-not-measured"),
    };
    ui.painter().circle_stroke(map.at(&own.tip(factor)), 4.0, Line::new(1.5, theme::ACCENT));
    super::central::write_beside(ui, pointer, map.rect, &value, &plane.plane.outward(own.at));
}
