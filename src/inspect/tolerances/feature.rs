//! Measured features as input of tolerance checks.

use std::collections::BTreeMap;

use crate::features::element::{Line, Plane, Situation};
use crate::features::sheet_metal::slot::SlotFit;
use crate::features::{Element, FaceCoverage, Fit, Shape, Uncertainty};
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Measured features by name.
pub type Features = BTreeMap<String, Feature>;

/// A measured feature, part frame, mm.
///
/// Directions must have the sense of the nominals: orient those of fits in a common frame ([`Feature::with_nominal`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// The fitted or constructed element.
    pub element: Element,
    /// Measured points of its surface; for lines, of the line itself. May be empty if only the element is known.
    pub points: Vec<Point>,
    /// The nominal element, nominal frame.
    pub nominal: Option<Element>,
    /// The shape of the minimum zone (the default reference of ISO 1101:2017), if it was fitted. Form checks use it,
    /// else the element, and state which.
    pub minimum_zone: Option<Shape>,
    /// Distance between the two sides of a slot or tab, mm. A plane with a size is a mid-plane: its points are those of
    /// the sides and determine its extent and its mating envelope.
    pub size_mm: Option<f64>,
    /// The sides of a slot in a sheet without the rounded ends, which `points` include. For other mid-planes all points
    /// belong to the sides.
    pub straight_sides: Option<StraightSides>,
    /// Signed deviations of the points from the nominal surface, mm, positive outside, for profiles; one per point, or
    /// empty. Measured in the datum system, or after a best fit for a profile without datums.
    pub deviations_mm: Vec<f64>,
    /// Sections of a cylinder after a filter that each of them passed, mm; `None` cuts them from the points.
    pub filtered_sections: Option<Vec<Vec<Point>>>,
    /// Uncertainty of the element; its first number is that of the radius, or of the size of a mid-plane. `None` counts
    /// as exact.
    pub uncertainty: Option<Uncertainty>,
    /// How much of its face was seen; `None` if it is not known.
    pub coverage: Option<FaceCoverage>,
    /// The arc about its axis over which it was seen, degrees; `None` if it has none, or if it is not known.
    pub arc_deg: Option<f64>,
    /// Why the fit is not to be trusted ([`Fit::doubts`]).
    pub doubts: Vec<String>,
}

/// The straight sides of a slot in a sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct StraightSides {
    /// Measured points of both sides, mm.
    pub points: Vec<Point>,
    /// Unit normal of the sheet: the sides are assumed parallel to it, since their points do not determine their
    /// inclination.
    pub sheet_normal: Vector,
}

impl Feature {
    /// A feature of which only the element is known.
    pub fn of(element: impl Into<Element>) -> Self {
        Self {
            element: element.into(),
            points: Vec::new(),
            nominal: None,
            minimum_zone: None,
            size_mm: None,
            straight_sides: None,
            deviations_mm: Vec::new(),
            filtered_sections: None,
            uncertainty: None,
            coverage: None,
            arc_deg: None,
            doubts: Vec::new(),
        }
    }

    /// A fitted feature with the points that the fit used.
    pub fn of_fit(fit: &Fit, points: &[Point]) -> Self {
        let uncertainty = Some(fit.uncertainty.clone());
        let (arc_deg, doubts) = (fit.arc_deg, fit.doubts.clone());
        Self { points: used(points, &fit.dropped), uncertainty, arc_deg, doubts, ..Self::of(fit.shape) }
    }

    /// A slot, as its mid-plane and width, with the edge points that the fit used.
    pub fn of_slot(fit: &SlotFit, points: &[Point]) -> Self {
        Self::of_slot_points(fit, used(points, &fit.dropped))
    }

    /// As [`Self::of_slot`], with these of its edge points.
    pub(super) fn of_slot_points(fit: &SlotFit, points: Vec<Point>) -> Self {
        let width = fit.uncertainty.numbers.last().copied().into_iter().collect();
        let slot = &fit.slot;
        let half_mm = 0.5 * (slot.length_mm - slot.width_mm);
        let is_straight = |point: &&Point| (*point - slot.centre).dot(&slot.direction).abs() <= half_mm;
        let straight = points.iter().filter(is_straight).copied().collect();
        Self {
            points,
            size_mm: Some(slot.width_mm),
            straight_sides: Some(StraightSides { points: straight, sheet_normal: slot.normal }),
            uncertainty: Some(Uncertainty { numbers: width, ..fit.uncertainty.clone() }),
            ..Self::of(fit.slot.mid_plane())
        }
    }

    /// Sets the nominal and orients the element like it. Both must be in the same frame, to within 90°.
    pub fn with_nominal(mut self, nominal: impl Into<Element>) -> Self {
        let nominal = nominal.into();
        self.element = self.element.oriented_like(&nominal);
        self.nominal = Some(nominal);
        self
    }

    /// Its least-squares size, mm: the diameter of round features, or the distance between two sides.
    pub fn measured_size_mm(&self) -> Option<f64> {
        self.element.diameter_mm().or(self.size_mm)
    }
}

/// The values, one per point, of the points that were not dropped; `dropped` are ascending indices.
pub(super) fn used<T: Copy>(values: &[T], dropped: &[u32]) -> Vec<T> {
    let used = (0_u32..).zip(values).filter(|(index, _)| dropped.binary_search(index).is_err());
    used.map(|(_, value)| *value).collect()
}

/// A feature as evaluated by a check.
#[derive(Clone, Copy, Debug)]
pub(super) struct ActualFeature<'a> {
    pub name: &'a str,
    pub feature: &'a Feature,
    /// The feature's element, or a perturbed one for the propagation of uncertainty.
    pub element: Element,
}

/// A datum as evaluated: a feature, or the common datum of several.
#[derive(Clone, Debug)]
pub(super) struct ActualDatum {
    /// Name of the feature; of a common datum its letters.
    pub name: String,
    /// The measured element, or a perturbed one, part frame.
    pub element: Element,
    /// The nominal element, nominal frame.
    pub nominal: Option<Element>,
    /// How a common datum was associated; `None` of a single feature.
    pub common: Option<&'static str>,
}

impl ActualDatum {
    /// Usage error that names the datum and its kind.
    pub fn unfit(&self, asked: &str) -> UserError {
        unfit(&self.name, &self.element, asked)
    }
}

fn unfit(name: &str, element: &Element, asked: &str) -> UserError {
    UserError::usage(format!("“{name}” is a {}; {asked}.", element.name()))
}

/// The points that must lie in a zone.
pub(super) struct TolerancedPoints {
    pub points: Vec<Point>,
    /// Description for reports.
    pub what: &'static str,
    /// Whether the points are derived from the element rather than measured: they then have its uncertainty.
    pub of_element: bool,
}

impl ActualFeature<'_> {
    /// Usage error that names the feature and its kind.
    pub fn unfit(&self, asked: &str) -> UserError {
        unfit(self.name, &self.element, asked)
    }

    /// Its measured points; returns an error if there are fewer than `min`.
    pub fn points(&self, min: usize) -> Result<&[Point]> {
        let points = &self.feature.points;
        if points.len() < min {
            return Err(UserError::input(format!(
                "“{}” has {} measured points; at least {min} are needed.",
                self.name,
                points.len()
            )));
        }
        Ok(points)
    }

    /// The points that a zone of location or orientation must contain: for cylinders and cones the ends of the axis
    /// over the extent of the points, for mid-planes their points projected onto them, for points and centres the point
    /// itself, else the measured points.
    pub fn toleranced(&self) -> TolerancedPoints {
        let measured = &self.feature.points;
        let single = |what| TolerancedPoints { points: vec![self.element.position()], what, of_element: true };
        match (self.element.situation(), self.element) {
            (Situation::Line(_), _) if measured.is_empty() => single("a point of the axis"),
            (Situation::Line(_), Element::Shape(Shape::Line { .. })) => {
                TolerancedPoints { points: measured.clone(), what: "the line's points", of_element: false }
            }
            (Situation::Line(line), _) => {
                TolerancedPoints { points: ends(&line, measured), what: "the axis", of_element: true }
            }
            (Situation::Plane(_), _) if measured.is_empty() => single("a point of the plane"),
            (Situation::Plane(plane), _) if self.feature.size_mm.is_some() => {
                TolerancedPoints { points: projected(&plane, measured), what: "the mid-plane", of_element: true }
            }
            (Situation::Plane(_), _) => {
                TolerancedPoints { points: measured.clone(), what: "the surface", of_element: false }
            }
            (Situation::Point(_), _) => single("the centre"),
        }
    }
}

/// The ends of a line over the extent of points.
fn ends(line: &Line, points: &[Point]) -> Vec<Point> {
    let along = points.iter().map(|point| (point - line.point).dot(&line.direction));
    let (min, max) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), t| (min.min(t), max.max(t)));
    let at = |t: f64| -> Point { line.point + line.direction * t };
    vec![at(min), at(max)]
}

fn projected(plane: &Plane, points: &[Point]) -> Vec<Point> {
    points.iter().map(|point| plane.foot(point)).collect()
}

/// The centroid of points, mm.
pub(super) fn mean(points: &[Point]) -> Point {
    let first = points.first().copied().unwrap_or_else(Point::origin);
    let sum: Vector = points.iter().map(|point| point - first).sum();
    first + sum / points.len().max(1) as f64
}
