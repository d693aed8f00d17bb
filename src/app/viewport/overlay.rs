//! Overlays of the 3D view: features, holes, point pairs and coordinate axes.

use std::collections::BTreeSet;

use egui::{Align2, Color32, FontId, Id, Painter, Pos2, Rect, Sense, Shape, Stroke, Vec2};

use super::super::panels::SectionPoints;
use super::super::panels::align::Picking;
use super::super::theme;
use super::Viewport;
use super::gizmo::AXES;
use geometry::{Point, Pose, Vector};
use inspect::detection::Detection;
use inspect::features::measured::MeasuredFeature;
use inspect::features::{self, outline};
use inspect::main_alignment::ReferencePoint;
use inspect::probing::{HoleGeometry, Row};
use session::Document;
use session::datum_frames::DatumFrame;
use session::plan::ElementId;
use texts::text;

/// Maximum number of holes whose approaches are drawn; more would cover the part.
const MAX_APPROACHES: usize = 40;

/// Straight pieces that a curve is drawn with, to each of its points.
const CURVE_PIECES: usize = 16;

/// Length of the axes of a datum frame seen from their side, screen points.
const FRAME_AXIS: f32 = 64.0;

/// Longest half axis of an ellipsoid of uncertainty as drawn, at most, as a share of the part.
const ELLIPSOID_SHARE: f64 = 0.2;

/// Draws over a viewport.
pub(super) struct Overlay<'a> {
    viewport: &'a Viewport,
    painter: Painter,
    rect: Rect,
    /// Pixels per screen point.
    scale: f32,
    /// Pose in which the scan is drawn, nominal from scan.
    pose: Pose,
    plate: Color32,
}

impl<'a> Overlay<'a> {
    /// Overlay of `viewport`, which fills `rect` and shows the scan in `pose` (nominal from scan).
    pub(super) fn new(ui: &egui::Ui, viewport: &'a Viewport, rect: Rect, scale: f32, pose: Pose) -> Self {
        let plate = ui.visuals().window_fill.gamma_multiply(0.85);
        Self { viewport, painter: ui.painter().with_clip_rect(rect), rect, scale, pose, plate }
    }

    /// Screen position of a point; `None` if it is behind the camera.
    fn at(&self, point: &Point) -> Option<Pos2> {
        self.viewport.camera.pixel_of(point).map(|(x, y)| self.rect.min + Vec2::new(x, y) / self.scale)
    }

    fn line(&self, vertices: &[Point], stroke: Stroke) {
        let positions = vertices.iter().filter_map(|vertex| self.at(vertex)).collect();
        self.painter.add(Shape::line(positions, stroke));
    }

    /// A dot with a label beside it; returns where the label is.
    fn label(&self, point: &Point, name: &str, colour: Color32) -> Option<Rect> {
        let at = self.at(point)?;
        self.painter.circle_filled(at, 3.5, colour);
        let galley = self.painter.layout_no_wrap(name.to_owned(), FontId::proportional(13.0), colour);
        let plate = Rect::from_min_size(at + Vec2::new(9.0, -18.0), galley.size()).expand2(Vec2::new(4.0, 1.0));
        self.painter.rect_filled(plate, 3.0, self.plate);
        self.painter.galley(at + Vec2::new(9.0, -18.0), galley, colour);
        Some(plate)
    }

    /// Labels of fitted features and constructed elements, without hidden ones; returns the one that was clicked, where
    /// they take clicks.
    pub(super) fn features(
        &self,
        ui: &egui::Ui,
        document: &Document,
        hidden: &BTreeSet<ElementId>,
        takes_clicks: bool,
    ) -> Option<ElementId> {
        document.actual()?;
        let mut clicked = None;
        let elements =
            document.plan.elements().iter().filter(|own| own.recipe.is_feature() && !hidden.contains(&own.id));
        for element in elements {
            let Some(made) = document.result::<MeasuredFeature>(Some(element.id)) else { continue };
            let at = made.slot().map_or_else(|| made.element.position(), |fit| fit.slot.centre);
            let plate = self.label(&(self.pose * at), &element.name, theme::FEATURE).filter(|_| takes_clicks);
            let name = text!("viewport-feature", name = element.name.as_str());
            if self.is_clicked(ui, plate, Id::unique(("feature label", element.id)), &name) {
                clicked = Some(element.id);
            }
        }
        clicked
    }

    /// Whether the label on a plate was clicked; `name` is for screen readers.
    fn is_clicked(&self, ui: &egui::Ui, plate: Option<Rect>, id: Id, name: &str) -> bool {
        let Some(plate) = plate.filter(|own| self.rect.contains_rect(*own)) else { return false };
        // Without the keyboard, which has the tree for it: it would stop at each of them.
        let response = ui.interact(plate, id, Sense::CLICK);
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Button, true, name));
        response.on_hover_text(text!("viewport-show-feature")).clicked()
    }

    /// Holes of the hybrid measurement at their nominal, scanned and probed positions, and the approaches of the next
    /// probing cycle; returns the name of the one whose label was clicked, where they take clicks.
    pub(super) fn holes(&self, ui: &egui::Ui, document: &Document, takes_clicks: bool) -> Option<String> {
        let probing = &document.probing;
        document.actual()?;
        let mut clicked = None;
        let mut label = |position: &Point, name: &str, colour: Color32| {
            let plate = self.label(position, name, colour).filter(|_| takes_clicks);
            if self.is_clicked(ui, plate, Id::unique(("hole label", name)), &text!("viewport-hole", name = name)) {
                clicked = Some(name.to_owned());
            }
        };
        // The holes are in the scan frame.
        let pose = self.pose;
        let circle = |place: &HoleGeometry, width: f32, colour: Color32| {
            let (centre, normal, radius) = (place.centre, place.axis, place.radius_mm);
            for line in outline::of(&features::Shape::Circle { centre, normal, radius }, &[]) {
                let vertices: Vec<Point> = line.iter().map(|vertex| pose * vertex).collect();
                // Visible on points of any colour.
                self.line(&vertices, Stroke::new(width + 2.0, theme::HALO));
                self.line(&vertices, Stroke::new(width, colour));
            }
        };
        let Some(rounds) = &probing.rounds else {
            for hole in &probing.holes {
                circle(&HoleGeometry::from(hole), 1.4, theme::PLANNED);
                label(&(pose * hole.centre), &hole.name, theme::PLANNED);
            }
            return clicked;
        };
        for row in &rounds.comparison().rows {
            circle(&row.nominal, 1.4, theme::PLANNED);
            let (place, colour) = position_and_colour(row);
            circle(&place, 2.0, colour);
            label(&(pose * place.centre), &row.name, colour);
        }
        let [_, open, _] = probing.counts();
        // Planning errors are shown in the table.
        let program = if open <= MAX_APPROACHES { probing.program().ok().flatten() } else { None };
        for hole in program.iter().flat_map(|program| &program.holes) {
            for touch in hole.touches() {
                let (Some(from), Some(to)) = (self.at(&(pose * touch.start)), self.at(&(pose * touch.contact))) else {
                    continue;
                };
                self.painter.arrow(from, to - from, Stroke::new(3.5, theme::HALO));
                self.painter.arrow(from, to - from, Stroke::new(1.4, theme::PLANNED));
            }
        }
        clicked
    }

    /// Reference points with their names.
    pub(super) fn references(&self, points: &[ReferencePoint]) {
        for own in points {
            self.label(&own.point, &own.name, theme::ACCENT);
        }
    }

    /// The points that place a section with their numbers, and the curve through them.
    pub(super) fn section_points(&self, own: &SectionPoints) {
        if let Some(curve) = own.curve() {
            let vertices = curve.outline(CURVE_PIECES * own.points().len());
            self.line(&vertices, Stroke::new(3.6, theme::HALO));
            self.line(&vertices, Stroke::new(1.8, theme::ACCENT));
        }
        for (index, point) in own.points().iter().enumerate() {
            self.label(point, &(index + 1).to_string(), theme::ACCENT);
        }
    }

    /// Point pairs with their numbers.
    pub(super) fn pairs(&self, document: &Document, picking: Option<&Picking>) {
        let mark = |point: &Point, text: &str, colour: Color32| {
            let Some(at) = self.at(point).filter(|at| self.rect.contains(*at)) else { return };
            self.painter.circle(at, 6.0, colour, Stroke::new(1.5, Color32::WHITE));
            self.painter.text(at + Vec2::new(9.0, -9.0), Align2::LEFT_CENTER, text, FontId::proportional(13.0), colour);
        };
        for (i, pair) in document.pairs.iter().enumerate() {
            let text = (i + 1).to_string();
            mark(&pair.nominal, &text, theme::ACCENT);
            if picking.is_none_or(|picking| !picking.is_on_nominal()) {
                mark(&(self.pose * pair.scan), &text, theme::GOOD);
            }
        }
        if let Some(Picking::Pair { nominal: Some(point) }) = picking {
            mark(point, &(document.pairs.len() + 1).to_string(), theme::ACCENT);
        }
    }

    /// A ring around the spot shown last, with its number in the list.
    pub(super) fn spot_marker(&self) {
        let Some(spot) = self.viewport.spot() else { return };
        let (right, _) = self.viewport.camera.right_and_up();
        let beside = Point::from(spot.at.coords + spot.radius_mm * Vector::from(right.map(f64::from)));
        let (Some(at), Some(rim)) = (self.at(&spot.at), self.at(&beside)) else { return };
        let radius = (rim - at).length().clamp(14.0, 0.4 * self.rect.height());
        self.painter.circle_stroke(at, radius, Stroke::new(4.0, theme::HALO));
        self.painter.circle_stroke(at, radius, Stroke::new(2.0, theme::ACCENT));
        let plate = at + radius * Vec2::new(0.707, -0.707);
        let name = self.painter.layout_no_wrap(spot.name.clone(), FontId::proportional(12.5), Color32::WHITE);
        // A circle around a number, longer around a name.
        let size = Vec2::new((name.size().x + 14.0).max(22.0), 22.0);
        let rim = Stroke::new(1.5, Color32::WHITE);
        self.painter.rect(Rect::from_center_size(plate, size), 11.0, theme::ACCENT, rim, egui::StrokeKind::Middle);
        self.painter.galley(plate - 0.5 * name.size(), name, Color32::WHITE);
    }

    /// The uncertainty of a part's position: an ellipsoid about its centre, enlarged, by its three principal ellipses; and
    /// lines along what is not determined.
    pub(super) fn position_of(&self, own: &Detection, pose: &Pose, size_mm: f64) {
        let information = &own.fit.information;
        let (Some(axes), Some(pivot)) = (information.position_axes(own.fit.rms_mm), information.pivot) else { return };
        let view_from_part = pose * own.scene_from_part;
        let centre = view_from_part * pivot;
        let largest_mm = axes.iter().filter_map(|axis| axis.sigma_mm).fold(0.0, f64::max);
        let factor = round_factor(ELLIPSOID_SHARE * size_mm / largest_mm);
        let halves = axes
            .map(|axis| axis.sigma_mm.map(|sigma_mm| view_from_part.rotation * axis.direction * (factor * sigma_mm)));
        let stroke = |vertices: &[Point], colour: Color32| {
            self.line(vertices, Stroke::new(3.6, theme::HALO));
            self.line(vertices, Stroke::new(1.8, colour));
        };
        for (a, b) in [(0, 1), (0, 2), (1, 2)] {
            let (Some(u), Some(v)) = (halves[a], halves[b]) else { continue };
            let turn = |i: u32| f64::from(i) / 48.0 * std::f64::consts::TAU;
            let ellipse: Vec<Point> = (0..=48).map(|i| centre + u * turn(i).cos() + v * turn(i).sin()).collect();
            stroke(&ellipse, theme::ACCENT);
        }
        for (axis, half) in axes.iter().zip(halves) {
            let (reach, colour) = match half {
                Some(half) => (half, theme::ACCENT),
                None => (view_from_part.rotation * axis.direction * (0.4 * size_mm), theme::FEATURE),
            };
            stroke(&[centre - reach, centre + reach], colour);
        }
        if largest_mm > 0.0 {
            self.label(&centre, &format!("1 σ × {factor}"), theme::ACCENT);
        }
    }

    /// Datum frames with their axes and names.
    pub(super) fn datum_frames(&self, frames: &[DatumFrame]) {
        let right = Vector::from(self.viewport.camera.right_and_up().0.map(f64::from));
        for frame in frames {
            let view_from_datum = self.pose * frame.scan_from_datum;
            let origin = view_from_datum * Point::origin();
            let (Some(from), Some(beside)) = (self.at(&origin), self.at(&(origin + right))) else { continue };
            let size_mm = f64::from(FRAME_AXIS / (beside - from).length().max(f32::MIN_POSITIVE));
            for (axis, (name, colour)) in AXES.into_iter().zip(theme::AXES).enumerate() {
                let Some(to) = self.at(&(origin + view_from_datum.rotation * Vector::ith(axis, size_mm))) else {
                    continue;
                };
                self.painter.arrow(from, to - from, Stroke::new(4.6, theme::HALO));
                self.painter.arrow(from, to - from, Stroke::new(2.2, colour));
                let beside = to + 9.0 * (to - from).normalized();
                self.painter.text(beside, Align2::CENTER_CENTER, name, FontId::proportional(13.0), colour);
            }
            // Below the origin: the label of a datum feature often stands above it.
            let galley = self.painter.layout_no_wrap(frame.name.clone(), FontId::proportional(13.0), theme::ACCENT);
            let corner = from + Vec2::new(-0.5 * galley.size().x, 10.0);
            let plate = Rect::from_min_size(corner, galley.size()).expand2(Vec2::new(4.0, 1.0));
            self.painter.rect_filled(plate, 3.0, self.plate);
            self.painter.galley(corner, galley, theme::ACCENT);
        }
    }

    /// Coordinate axes, lower left.
    pub(super) fn axes(&self) {
        let centre = self.rect.left_bottom() + Vec2::new(46.0, -46.0);
        let (right, up) = self.viewport.camera.right_and_up();
        for (axis, (name, colour)) in AXES.into_iter().zip(theme::AXES).enumerate() {
            let end = centre + 30.0 * Vec2::new(right[axis], -up[axis]);
            self.painter.line_segment([centre, end], Stroke::new(2.0, colour));
            let label = centre + 39.0 * Vec2::new(right[axis], -up[axis]);
            self.painter.text(label, Align2::CENTER_CENTER, name, FontId::proportional(12.0), colour);
        }
    }
}

/// The largest of 1, 2, 5, 10, 20, … that is not above a factor; 1 at least.
fn round_factor(factor: f64) -> f64 {
    if !(factor.is_finite() && factor > 1.0) {
        return 1.0;
    }
    let decade = 10.0_f64.powf(factor.log10().floor());
    let step = [5.0, 2.0].into_iter().find(|step| step * decade <= factor).unwrap_or(1.0);
    step * decade
}

/// Best known position of a hole, and the colour of its status.
fn position_and_colour(row: &Row) -> (HoleGeometry, Color32) {
    match row.settled() {
        Some(place) => (place, theme::GOOD),
        None if row.is_open() => (row.last.map_or(row.scan, |last| last.place), theme::FEATURE),
        None => (row.scan, theme::BAD),
    }
}
