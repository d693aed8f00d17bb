//! What is written over the picture: features, holes, picked pairs and the axes.

use std::collections::BTreeSet;

use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Shape, Stroke, Vec2};

use super::super::panels::align::Picking;
use super::super::theme;
use super::Viewport;
use geometry::{Point, Vector};
use inspect::features::measured::MeasuredFeature;
use inspect::features::{self, Element, outline};
use inspect::probing::{Place, Row};
use session::Document;
use session::plan::ElementId;

/// Approaches of more holes than this would cover the part.
const MOST_APPROACHES: usize = 40;

/// The picture as something to write on.
pub(super) struct Overlay<'a> {
    viewport: &'a Viewport,
    painter: Painter,
    rect: Rect,
    /// Pixels per point of the screen.
    scale: f32,
    plate: Color32,
}

impl<'a> Overlay<'a> {
    /// Over `viewport`, whose picture fills `rect`.
    pub(super) fn new(ui: &egui::Ui, viewport: &'a Viewport, rect: Rect, scale: f32) -> Self {
        let plate = ui.visuals().window_fill.gamma_multiply(0.85);
        Self { viewport, painter: ui.painter().with_clip_rect(rect), rect, scale, plate }
    }

    fn at(&self, place: &Point) -> Option<Pos2> {
        self.viewport.camera.pixel_of(place).map(|(x, y)| self.rect.min + Vec2::new(x, y) / self.scale)
    }

    fn line(&self, corners: &[Point], stroke: Stroke) {
        let seen = corners.iter().filter_map(|corner| self.at(corner)).collect();
        self.painter.add(Shape::line(seen, stroke));
    }

    /// A dot with a name beside it.
    fn name(&self, place: &Point, name: &str, colour: Color32) {
        let Some(at) = self.at(place) else { return };
        self.painter.circle_filled(at, 3.5, colour);
        let galley = self.painter.layout_no_wrap(name.to_owned(), FontId::proportional(13.0), colour);
        let plate = Rect::from_min_size(at + Vec2::new(9.0, -18.0), galley.size()).expand2(Vec2::new(4.0, 1.0));
        self.painter.rect_filled(plate, 3.0, self.plate);
        self.painter.galley(at + Vec2::new(9.0, -18.0), galley, colour);
    }

    /// Fitted features and constructed elements as lines, but for those that are not to be seen.
    pub(super) fn features(&self, document: &Document, unseen: &BTreeSet<ElementId>) {
        if document.actual().is_none() {
            return;
        }
        let pose = document.nominal_from_scan();
        let draw = |name: &str, place: Point, lines: Vec<Vec<Point>>| {
            for line in lines {
                let moved: Vec<Point> = line.iter().map(|corner| pose * corner).collect();
                self.line(&moved, Stroke::new(1.8, theme::FEATURE));
            }
            self.name(&(pose * place), name, theme::FEATURE);
        };
        let lines = |element: &Element, reach: &[Point]| match element {
            Element::Shape(shape) => outline::of(shape, reach),
            Element::Point(_) => Vec::new(),
        };
        for feature in document.features() {
            let Some(made) = feature.made.filter(|_| !unseen.contains(&feature.id)) else { continue };
            let points = document.some_points_at(&made.numbers);
            draw(feature.name, made.element.place(), lines(&made.element, &points));
        }
        for slot in document.slots() {
            let Some(fit) = slot.made.and_then(MeasuredFeature::slot).filter(|_| !unseen.contains(&slot.id)) else {
                continue;
            };
            draw(slot.name, fit.slot.centre, vec![fit.slot.outline()]);
        }
        for element in document.constructions() {
            let Some(made) = element.made.filter(|_| !unseen.contains(&element.id)) else { continue };
            draw(element.name, made.element.place(), lines(&made.element, &document.reach_of(element.recipe)));
        }
    }

    /// Holes of hybrid measuring where the drawing, the scan and the probe have them, and the way of the next touches.
    pub(super) fn holes(&self, document: &Document) {
        let probing = &document.probing;
        if document.actual().is_none() {
            return;
        }
        // They lie in the axes of the scan.
        let pose = document.nominal_from_scan();
        let circle = |place: &Place, width: f32, colour: Color32| {
            let (centre, normal, radius) = (place.centre, place.axis, place.radius_mm);
            for line in outline::of(&features::Shape::Circle { centre, normal, radius }, &[]) {
                let corners: Vec<Point> = line.iter().map(|corner| pose * corner).collect();
                // Seen on points of any colour.
                self.line(&corners, Stroke::new(width + 2.0, theme::HALO));
                self.line(&corners, Stroke::new(width, colour));
            }
        };
        let Some(rounds) = &probing.rounds else {
            for hole in &probing.holes {
                circle(&Place::from(hole), 1.4, theme::PLANNED);
                self.name(&(pose * hole.centre), &hole.name, theme::PLANNED);
            }
            return;
        };
        for row in &rounds.comparison().rows {
            circle(&row.nominal, 1.4, theme::PLANNED);
            let (place, colour) = standing(row);
            circle(&place, 2.0, colour);
            self.name(&(pose * place.centre), &row.name, colour);
        }
        let [_, open, _] = probing.counts();
        // A program that cannot be planned says so in its rows.
        let program = if open <= MOST_APPROACHES { probing.program().ok().flatten() } else { None };
        for hole in program.iter().flat_map(|program| &program.holes) {
            for touch in hole.touches() {
                let (Some(from), Some(to)) = (self.at(&(pose * touch.start)), self.at(&(pose * touch.contact))) else {
                    continue;
                };
                self.painter.arrow(from, to - from, Stroke::new(3.5, theme::HALO));
                self.painter.arrow(from, to - from, Stroke::new(1.4, theme::PLANNED));
            }
        }
    }

    /// Picked point pairs by their numbers.
    pub(super) fn pairs(&self, document: &Document, picking: Option<&Picking>) {
        let mark = |place: &Point, text: &str, colour: Color32| {
            let Some(at) = self.at(place).filter(|at| self.rect.contains(*at)) else { return };
            self.painter.circle(at, 6.0, colour, Stroke::new(1.5, Color32::WHITE));
            self.painter.text(at + Vec2::new(9.0, -9.0), Align2::LEFT_CENTER, text, FontId::proportional(13.0), colour);
        };
        let pose = document.nominal_from_scan();
        for (i, pair) in document.pairs.iter().enumerate() {
            let text = (i + 1).to_string();
            mark(&pair.nominal, &text, theme::ACCENT);
            if picking.is_none_or(|picking| picking.nominal.is_some()) {
                mark(&(pose * pair.scan), &text, theme::GOOD);
            }
        }
        if let Some(place) = picking.and_then(|picking| picking.nominal) {
            mark(&place, &(document.pairs.len() + 1).to_string(), theme::ACCENT);
        }
    }

    /// A ring about what the view flew to, and its number in the list.
    pub(super) fn spot(&self) {
        let Some(spot) = self.viewport.spot() else { return };
        let (right, _) = self.viewport.camera.right_and_up();
        let beside = Point::from(spot.at.coords + spot.radius_mm * Vector::from(right.map(f64::from)));
        let (Some(at), Some(rim)) = (self.at(&spot.at), self.at(&beside)) else { return };
        let radius = (rim - at).length().clamp(14.0, 0.4 * self.rect.height());
        self.painter.circle_stroke(at, radius, Stroke::new(4.0, theme::HALO));
        self.painter.circle_stroke(at, radius, Stroke::new(2.0, theme::ACCENT));
        let plate = at + radius * Vec2::new(0.707, -0.707);
        self.painter.circle(plate, 11.0, theme::ACCENT, Stroke::new(1.5, Color32::WHITE));
        self.painter.text(plate, Align2::CENTER_CENTER, &spot.name, FontId::proportional(12.5), Color32::WHITE);
    }

    /// The directions of x, y and z, lower left.
    pub(super) fn axes(&self) {
        let centre = self.rect.left_bottom() + Vec2::new(46.0, -46.0);
        let (right, up) = self.viewport.camera.right_and_up();
        let colours = [Color32::from_rgb(220, 70, 70), Color32::from_rgb(80, 170, 80), Color32::from_rgb(80, 130, 230)];
        for (axis, (name, colour)) in ["x", "y", "z"].into_iter().zip(colours).enumerate() {
            let end = centre + 30.0 * Vec2::new(right[axis], -up[axis]);
            self.painter.line_segment([centre, end], Stroke::new(2.0, colour));
            let label = centre + 39.0 * Vec2::new(right[axis], -up[axis]);
            self.painter.text(label, Align2::CENTER_CENTER, name, FontId::proportional(12.0), colour);
        }
    }
}

/// Where a hole is by the best that is known, and the colour of how well that is.
fn standing(row: &Row) -> (Place, Color32) {
    match row.settled() {
        Some(place) => (place, theme::GOOD),
        None if row.is_open() => (row.last.map_or(row.scan, |last| last.place), theme::FEATURE),
        None => (row.scan, theme::BAD),
    }
}
