//! Measured features as checks take them.

use std::collections::BTreeMap;

use crate::features::element::{Flat, Situation, Straight};
use crate::features::slot::SlotFit;
use crate::features::{Element, Fit, Shape, Uncertainty};
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Measured features by their names.
pub type Features = BTreeMap<String, Feature>;

/// A measured feature, in the frame of the measured part, mm.
///
/// Directions carry the sense of the datum frame: turn those of fits like their nominals where both are in one frame
/// ([`Feature::with_nominal`]).
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    /// What was fitted or constructed.
    pub element: Element,
    /// Measured points of its surface; of lines, of the line itself. May be empty where only the element is known.
    pub points: Vec<Point>,
    /// What it should be, in the frame of the nominal part.
    pub nominal: Option<Element>,
    /// The shape whose greatest and least distances of the points are nearest together (minimum zone, the default
    /// reference of ISO 1101:2017), where it was fitted. Form checks take it; else the element, and say so.
    pub minimum_zone: Option<Shape>,
    /// Distance of the two sides of a slot or tab, mm. A plane that has one is a mid-plane: its points are those of the
    /// sides and tell how far it reaches, and what fits between or around them.
    pub size_mm: Option<f64>,
    /// Of a slot in a sheet, its sides without the rounded ends, which its points hold as well. Of other mid-planes all
    /// points are those of the sides.
    pub straight_sides: Option<StraightSides>,
    /// Signed deviations of the points from the nominal surface, mm, + outside, for profiles; as long as the points, or
    /// empty. Measured in the datum system, or for a profile without datums after a best fit.
    pub deviations_mm: Vec<f64>,
    /// How sure the element is, and by its first number the radius, or the size of a mid-plane; exact where `None`.
    pub uncertainty: Option<Uncertainty>,
}

/// The straight sides of a slot in a sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct StraightSides {
    /// Measured points of both, mm.
    pub points: Vec<Point>,
    /// The sheet's unit normal: the sides stand along it, and their points do not tell how squarely.
    pub sheet_normal: Vector,
}

impl Feature {
    /// A feature of which nothing is known but where it is.
    pub fn of(element: impl Into<Element>) -> Self {
        Self {
            element: element.into(),
            points: Vec::new(),
            nominal: None,
            minimum_zone: None,
            size_mm: None,
            straight_sides: None,
            deviations_mm: Vec::new(),
            uncertainty: None,
        }
    }

    /// A fit and the points that it used.
    pub fn of_fit(fit: &Fit, points: &[Point]) -> Self {
        let uncertainty = Some(fit.uncertainty.clone());
        Self { points: used(points, &fit.dropped), uncertainty, ..Self::of(fit.shape) }
    }

    /// A slot by its mid-plane and width, and the points of its rim that the fit used.
    pub fn of_slot(fit: &SlotFit, points: &[Point]) -> Self {
        let width = fit.uncertainty.numbers.last().copied().into_iter().collect();
        let (points, slot) = (used(points, &fit.dropped), &fit.slot);
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

    /// With its nominal; the directions of the element and of the minimum zone are turned to its side. Both must be in
    /// one frame, to within a quarter turn.
    pub fn with_nominal(mut self, nominal: impl Into<Element>) -> Self {
        let nominal = nominal.into();
        self.element = self.element.oriented_like(&nominal);
        self.nominal = Some(nominal);
        self
    }

    /// Its least-squares size, mm: the diameter of round features, the distance of two sides.
    pub fn measured_size_mm(&self) -> Option<f64> {
        match self.element {
            Element::Shape(
                Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. },
            ) => Some(2.0 * radius),
            _ => self.size_mm,
        }
    }
}

/// The points that a fit did not drop.
fn used(points: &[Point], dropped: &[u32]) -> Vec<Point> {
    let kept = (0_u32..).zip(points).filter(|(number, _)| dropped.binary_search(number).is_err());
    kept.map(|(_, point)| *point).collect()
}

/// A feature as a check looks at it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Actual<'a> {
    pub name: &'a str,
    pub feature: &'a Feature,
    /// That of the feature, or nudged to see what that changes.
    pub element: Element,
}

/// What must lie in a zone.
pub(super) struct Toleranced {
    pub points: Vec<Point>,
    /// For people.
    pub what: &'static str,
    /// Whether the points are those of the element, not measured ones: then its uncertainty is theirs.
    pub of_element: bool,
}

impl Actual<'_> {
    /// A refusal that names the feature and what it is.
    pub fn unfit(&self, asked: &str) -> UserError {
        UserError::usage(format!("“{}” is a {}; {asked}.", self.name, self.element.name()))
    }

    /// Its measured points; a sentence where there are fewer than `least`.
    pub fn points(&self, least: usize) -> Result<&[Point]> {
        let points = &self.feature.points;
        if points.len() < least {
            return Err(UserError::input(format!(
                "“{}” has {} measured points; at least {least} are needed.",
                self.name,
                points.len()
            )));
        }
        Ok(points)
    }

    /// The places that a zone of location or orientation must hold: of cylinders and cones the ends of the axis as far
    /// as the points reach, of mid-planes their points brought onto them, of points and centres the place, else the
    /// measured points.
    pub fn toleranced(&self) -> Toleranced {
        let measured = &self.feature.points;
        let own = |what| Toleranced { points: vec![self.element.place()], what, of_element: true };
        match (self.element.situation(), self.element) {
            (Situation::Line(_), _) if measured.is_empty() => own("one place of the axis"),
            (Situation::Line(_), Element::Shape(Shape::Line { .. })) => {
                Toleranced { points: measured.clone(), what: "the line's points", of_element: false }
            }
            (Situation::Line(line), _) => {
                Toleranced { points: ends(&line, measured), what: "the axis", of_element: true }
            }
            (Situation::Plane(_), _) if measured.is_empty() => own("one place of the plane"),
            (Situation::Plane(plane), _) if self.feature.size_mm.is_some() => {
                Toleranced { points: on(&plane, measured), what: "the mid-plane", of_element: true }
            }
            (Situation::Plane(_), _) => Toleranced { points: measured.clone(), what: "the surface", of_element: false },
            (Situation::Point(_), _) => own("the centre"),
        }
    }
}

/// The ends of a line over the reach of points.
fn ends(line: &Straight, points: &[Point]) -> Vec<Point> {
    let along = points.iter().map(|point| (point - line.point).dot(&line.direction));
    let (low, high) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), t| (l.min(t), h.max(t)));
    let at = |t: f64| -> Point { line.point + line.direction * t };
    vec![at(low), at(high)]
}

fn on(plane: &Flat, points: &[Point]) -> Vec<Point> {
    points.iter().map(|point| plane.foot(point)).collect()
}

/// The middle of points, mm.
pub(super) fn mean(points: &[Point]) -> Point {
    let first = points.first().copied().unwrap_or_else(Point::origin);
    let sum: Vector = points.iter().map(|point| point - first).sum();
    first + sum / points.len().max(1) as f64
}
