//! Points that place a section: the three of a plane, those of a curve, or one at an edge; picked in the view or typed.

use super::super::align::Picking;
use super::super::{PanelContext, named};
use crate::lengths::symbol;
use crate::number_field::NumberField;
use crate::{Display, theme};
use geometry::{Aabb, Point};
use inspect::section::Placement;
use inspect::section::curve::Curve;
use texts::text;

/// What the points define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// The plane through three of them.
    Plane,
    /// A curve that the planes are perpendicular to.
    Curve,
    /// The edge of the nominal nearest to one of them, which the planes are perpendicular to.
    Edge,
}

impl Kind {
    /// Maximum number of points.
    fn max_points(self) -> usize {
        match self {
            Self::Plane => 3,
            Self::Curve => usize::MAX,
            Self::Edge => 1,
        }
    }
}

/// Points that place a section, while it is edited.
#[derive(Clone, Debug)]
pub(crate) struct SectionPoints {
    kind: Kind,
    /// Nominal frame, mm.
    points: Vec<Point>,
    /// Whether the curve returns from the last point to the first.
    is_closed: bool,
    /// Whether there is a station each so many millimetres of the curve or the edge.
    every_spacing: bool,
    /// The points before others were picked, which Escape brings back; `None` while none are picked.
    before: Option<Vec<Point>>,
}

impl SectionPoints {
    fn new(kind: Kind) -> Self {
        Self { kind, points: Vec::new(), is_closed: false, every_spacing: false, before: None }
    }

    /// The points of a placement that has some.
    pub(super) fn of(placement: &Placement) -> Option<Self> {
        match placement {
            Placement::ThreePoints { points } => Some(Self { points: points.to_vec(), ..Self::new(Kind::Plane) }),
            Placement::Curve { points, is_closed, every_spacing } => Some(Self {
                points: points.clone(),
                is_closed: *is_closed,
                every_spacing: *every_spacing,
                ..Self::new(Kind::Curve)
            }),
            Placement::Edge { point, every_spacing } => {
                Some(Self { points: vec![*point], every_spacing: *every_spacing, ..Self::new(Kind::Edge) })
            }
            Placement::Axis { .. } | Placement::PointNormal { .. } => None,
        }
    }

    /// What they define; `None` while points of a plane, or that at an edge, are missing.
    pub(super) fn placement(&self) -> Option<Placement> {
        match self.kind {
            Kind::Plane => self.three().map(|points| Placement::ThreePoints { points }),
            Kind::Curve => Some(Placement::Curve {
                points: self.points.clone(),
                is_closed: self.is_closed,
                every_spacing: self.every_spacing,
            }),
            Kind::Edge => {
                self.points.first().map(|point| Placement::Edge { point: *point, every_spacing: self.every_spacing })
            }
        }
    }

    fn three(&self) -> Option<[Point; 3]> {
        self.points.as_slice().try_into().ok()
    }

    /// What they define once the last one was picked: the third of a plane, or that at an edge. An error if those that were
    /// picked define no plane; `None` while some are missing.
    fn picked(&self) -> Option<base::Result<Placement>> {
        match self.kind {
            Kind::Plane => self.three().map(Placement::through_picks),
            Kind::Curve => None,
            Kind::Edge => self.placement().map(Ok),
        }
    }

    /// Whether the section can be cut.
    pub(super) fn is_complete(&self) -> bool {
        match self.kind {
            Kind::Plane => self.before.is_none() && self.three().is_some(),
            Kind::Curve => true,
            Kind::Edge => self.before.is_none() && !self.points.is_empty(),
        }
    }

    /// Adds a point that was picked, to a micrometre, nominal frame, mm; in place of the third one of a plane, which was
    /// refused, or of that at an edge.
    pub(crate) fn pick(&mut self, point: Point) {
        self.points.truncate(self.kind.max_points() - 1);
        self.points.push(point.map(|mm| (1e3 * mm).round() / 1e3));
    }

    /// Takes the last point back.
    pub(crate) fn take_back(&mut self) {
        self.points.pop();
    }

    /// The points, nominal frame, mm.
    pub(crate) fn points(&self) -> &[Point] {
        &self.points
    }

    /// The curve through them; `None` if they are those of a plane or an edge, or do not define one yet.
    pub(crate) fn curve(&self) -> Option<Curve> {
        Curve::through(&self.points, self.is_closed).ok().filter(|_| self.kind == Kind::Curve)
    }
}

/// Whether the next click in the view picks one of the points.
fn is_picking(display: &Display) -> bool {
    matches!(display.picking, Some(Picking::SectionPoint))
}

fn begin_picking(display: &mut Display) {
    let Some(own) = &mut display.section.points else { return };
    own.before = Some(own.points.clone());
    if own.kind != Kind::Curve {
        own.points.clear();
    }
    display.picking = Some(Picking::SectionPoint);
}

/// Ends the picking; the points stay.
pub(super) fn end_picking(display: &mut Display) {
    if is_picking(display) {
        display.picking = None;
    }
    if let Some(own) = &mut display.section.points {
        own.before = None;
    }
}

/// Ends the picking; the points are those before it.
pub(super) fn cancel_picking(display: &mut Display) {
    if is_picking(display) {
        display.picking = None;
    }
    follow(display);
}

/// Brings back the points before the picking where that was cancelled.
pub(super) fn follow(display: &mut Display) {
    if !is_picking(display)
        && let Some(own) = &mut display.section.points
        && let Some(before) = own.before.take()
    {
        own.points = before;
    }
}

/// The plane through three points, or the edge at one, once the last one was picked, which ends the picking.
pub(super) fn picked_placement(display: &mut Display) -> Option<Placement> {
    let placement = display.section.points.as_ref().filter(|_| is_picking(display))?.picked()?.ok()?;
    end_picking(display);
    Some(placement)
}

/// The choices that place a section by points.
pub(super) fn choices(ui: &mut egui::Ui, display: &mut Display) {
    let choices = [
        (Kind::Plane, text!("compare-three-picks"), text!("compare-three-picks-hint")),
        (Kind::Curve, text!("compare-along-curve"), text!("compare-along-curve-hint")),
        (Kind::Edge, text!("compare-along-edge"), text!("compare-along-edge-hint")),
    ];
    ui.horizontal_wrapped(|ui| {
        for (kind, name, hint) in choices {
            let is_on = display.section.points.as_ref().is_some_and(|own| own.kind == kind);
            if theme::chip(ui, is_on, name).on_hover_text(hint).clicked() && !is_on {
                display.section.points = Some(SectionPoints::new(kind));
                begin_picking(display);
            }
        }
    });
}

/// The points with their coordinates, and the buttons that pick or add some. What is typed starts in the middle of `bounds`.
pub(super) fn show(ui: &mut egui::Ui, context: &mut PanelContext<'_>, bounds: &Aabb) {
    buttons(ui, context.display, bounds);
    let is_picking = is_picking(context.display);
    let Some(own) = &mut context.display.section.points else { return };
    if is_picking {
        let step = match own.kind {
            Kind::Plane => text!("compare-click-plane", number = (own.points.len() + 1).min(3)),
            Kind::Curve => text!("compare-click-curve"),
            Kind::Edge => text!("compare-click-edge"),
        };
        ui.colored_label(theme::ACCENT, step);
        if let Some(Err(error)) = own.picked() {
            ui.colored_label(ui.visuals().warn_fg_color, texts::word(&error.sentence).into_owned());
        }
    }
    table(ui, &mut own.points);
    match own.kind {
        Kind::Plane => {}
        Kind::Curve => {
            ui.checkbox(&mut own.is_closed, text!("compare-closed-curve"))
                .on_hover_text(text!("compare-closed-curve-hint"));
            let hints = [text!("compare-stations-number-hint"), text!("compare-stations-distance-hint")];
            stations(ui, &mut own.every_spacing, hints);
        }
        Kind::Edge => {
            let hints = [text!("compare-stations-edge-number-hint"), text!("compare-stations-edge-distance-hint")];
            stations(ui, &mut own.every_spacing, hints);
        }
    }
}

/// Choice of how stations lie along a curve or an edge: by their number, or by the distance between them.
fn stations(ui: &mut egui::Ui, every_spacing: &mut bool, [number_hint, distance_hint]: [String; 2]) {
    ui.horizontal(|ui| {
        ui.label(text!("compare-stations"));
        theme::pick(ui, every_spacing, false, text!("compare-stations-number")).on_hover_text(number_hint);
        theme::pick(ui, every_spacing, true, text!("compare-stations-distance")).on_hover_text(distance_hint);
    });
}

fn buttons(ui: &mut egui::Ui, display: &mut Display, bounds: &Aabb) {
    let is_picking = is_picking(display);
    let Some(own) = &mut display.section.points else { return };
    let text = match is_picking {
        true => text!("compare-stop-picking"),
        false if own.kind != Kind::Curve && !own.points.is_empty() => text!("compare-pick-again"),
        false => text!("compare-pick-points"),
    };
    let toggles = ui
        .horizontal(|ui| {
            let toggles = ui.button(text).clicked();
            // A point that was not clicked would be taken for the third pick.
            let has_room = !is_picking && own.points.len() < own.kind.max_points();
            let button = ui.add_enabled(has_room, egui::Button::new(text!("compare-add-point")));
            if button.on_hover_text(text!("compare-add-point-hint")).clicked() {
                own.points.push(own.points.last().copied().unwrap_or_else(|| bounds.centre()));
            }
            toggles
        })
        .inner;
    match (toggles, is_picking) {
        (true, true) => end_picking(display),
        (true, false) => begin_picking(display),
        (false, _) => {}
    }
}

fn table(ui: &mut egui::Ui, points: &mut Vec<Point>) {
    if points.is_empty() {
        return;
    }
    const AXES: [&str; 3] = ["X", "Y", "Z"];
    let mut removed = None;
    egui::Grid::new("section points").num_columns(5).striped(true).spacing([8.0, 4.0]).show(ui, |ui| {
        ui.weak(text!("compare-column-point"));
        for axis in AXES {
            ui.weak(text!("compare-column-coordinate", axis = axis, unit = symbol()));
        }
        ui.end_row();
        for (index, point) in points.iter_mut().enumerate() {
            let number = index + 1;
            ui.label(number.to_string());
            for (axis, name) in AXES.into_iter().enumerate() {
                let field = ui.add(NumberField::new(&mut point[axis]).speed(0.05).max_decimals(3).length());
                named(&field, &text!("compare-coordinate-of-point", axis = name, number = number));
            }
            let button = ui.small_button("×").on_hover_text(text!("compare-remove-point-hint"));
            named(&button, &text!("compare-remove-section-point", number = number));
            if button.clicked() {
                removed = Some(index);
            }
            ui.end_row();
        }
    });
    if let Some(index) = removed {
        points.remove(index);
    }
}
