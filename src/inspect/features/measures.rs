//! Distances and angles between elements, with the uncertainty propagated from their fits.
//!
//! Circles, spheres and tori are represented by their centres, cylinders and cones by their axes. Uncertainties are
//! expanded (k = 2) and propagated to first order (JCGM 100:2008, 5.1) from the covariances of the elements' motions;
//! elements without a covariance count as exact, and the two elements as uncorrelated. The direction of a distance or
//! angle smaller than its own uncertainty is unknown: then the largest uncertainty over all directions is stated.

use nalgebra::{DMatrix, Matrix3, Matrix6, SymmetricEigen};
use serde::{Deserialize, Serialize};

use super::Fit;
use super::element::{Element, Line, Plane, Situation, acute_angle, angle_between, degrees_text};
use super::fits::model::any_perpendicular;
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Lines at a smaller angle than this are treated as parallel: their common normal may lie far outside the part, so the
/// mean distance of one from the other is measured instead.
pub const MAX_PARALLEL_ANGLE_RAD: f64 = 5.0 * std::f64::consts::PI / 180.0;

/// An element with its covariance and points.
#[derive(Clone, Copy, Debug)]
pub struct UncertainElement<'a> {
    /// The element.
    pub element: Element,
    /// Covariance of its translation (mm) and rotation (rad) about its reference point, as
    /// [`super::Uncertainty::motion`]; `None` counts as exact.
    pub motion: Option<&'a Matrix6<f64>>,
    /// Whether its uncertainty cannot be stated: then neither can that of what is measured from it.
    pub is_unstated: bool,
    /// The points it was fitted to, mm; may be empty. Lines and planes are measured at their centroid.
    pub points: &'a [Point],
}

impl<'a> UncertainElement<'a> {
    /// An element that counts as exact, without points.
    pub fn exact(element: impl Into<Element>) -> Self {
        Self { element: element.into(), motion: None, is_unstated: false, points: &[] }
    }

    /// A fitted element with its points.
    pub fn of_fit(fit: &'a Fit, points: &'a [Point]) -> Self {
        Self {
            element: fit.shape.into(),
            motion: Some(&fit.uncertainty.motion),
            is_unstated: !fit.uncertainty.is_stated(),
            points,
        }
    }

    /// Centroid of the points, or the element's reference point.
    fn centroid(&self) -> Point {
        let Some(first) = self.points.first() else { return self.element.position() };
        let sum: Vector = self.points.iter().map(|point| point - first).sum();
        first + sum / self.points.len() as f64
    }

    /// Covariance of the displacement of a point fixed to the element, mm².
    pub fn displacement_covariance(&self, point: &Point) -> Matrix3<f64> {
        let Some(motion) = self.motion else { return Matrix3::zeros() };
        let mut by_motion = nalgebra::Matrix3x6::zeros();
        by_motion.fixed_view_mut::<3, 3>(0, 0).fill_with_identity();
        let lever = (point - self.element.position()).cross_matrix();
        by_motion.fixed_view_mut::<3, 3>(0, 3).copy_from(&-lever);
        by_motion * motion * by_motion.transpose()
    }

    /// Covariance of its rotation, rad².
    fn rotation_covariance(&self) -> Matrix3<f64> {
        self.motion.map_or_else(Matrix3::zeros, |motion| motion.fixed_view::<3, 3>(3, 3).into_owned())
    }
}

/// A measured distance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distance {
    /// The distance, mm; not negative.
    pub distance_mm: f64,
    /// Its expanded uncertainty (k = 2), mm; `None` if both elements count as exact.
    pub uncertainty_mm: Option<f64>,
    /// The point on the first element, mm.
    pub from: Point,
    /// The point on the second element, mm.
    pub to: Point,
    /// The acute angle between lines and planes, rad; 0 is parallel. `None` if an element is a point.
    pub angle_rad: Option<f64>,
    /// What was measured, for reports.
    pub how: String,
}

/// Convention for angles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AngleConvention {
    /// 0 to 90°, between the elements regardless of the signs of their directions; 0 if a line and a plane are
    /// parallel.
    #[default]
    Acute,
    /// 0 to 180°, between the directions with their signs: axes, lines, and the normals of planes and circles. Between
    /// a line and a plane it is 0 if the line runs along the normal.
    Directed,
}

/// A measured angle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Angle {
    /// The angle, rad.
    pub angle_rad: f64,
    /// Its expanded uncertainty (k = 2), rad; `None` if both elements count as exact.
    pub uncertainty_rad: Option<f64>,
    /// What was measured, for reports.
    pub how: String,
}

/// The two end points of a distance, and the directions in which it can change from zero.
struct Gap {
    from: Point,
    to: Point,
    /// Orthogonal unit vectors.
    directions: Vec<Vector>,
    how: String,
}

/// The distance between two elements.
///
/// Between two points it is direct; from a line or plane to a point, perpendicular to the line or plane; between two
/// lines, along their common normal. For nearly parallel lines ([`MAX_PARALLEL_ANGLE_RAD`]), two planes, and a line and
/// a plane it is the mean distance of the second element's points (its reference point if it has none) from the first.
/// For a line and a plane it is always the line that is measured from the plane.
pub fn distance(first: &UncertainElement<'_>, second: &UncertainElement<'_>) -> Result<Distance> {
    let (one, other) = (first.element.checked()?.situation(), second.element.checked()?.situation());
    let gap = match (one, other) {
        (Situation::Point(from), Situation::Point(to)) => {
            Gap { from, to, directions: all_axes(), how: "between the points".to_owned() }
        }
        (Situation::Line(line), Situation::Point(point)) => from_line(&line, point, "perpendicular to the line"),
        (Situation::Point(point), Situation::Line(line)) => {
            from_line(&line, point, "perpendicular to the line").reversed()
        }
        (Situation::Plane(plane), Situation::Point(point)) => from_plane(&plane, point, "perpendicular to the plane"),
        (Situation::Point(point), Situation::Plane(plane)) => {
            from_plane(&plane, point, "perpendicular to the plane").reversed()
        }
        (Situation::Line(one), Situation::Line(other)) => between_lines(&one, &other, &second.centroid()),
        (Situation::Plane(plane), Situation::Line(line)) => {
            from_plane(&plane, line.foot(&second.centroid()), "of the line's centroid from the plane")
        }
        (Situation::Line(line), Situation::Plane(plane)) => {
            from_plane(&plane, line.foot(&first.centroid()), "of the line's centroid from the plane").reversed()
        }
        (Situation::Plane(plane), Situation::Plane(_)) => {
            from_plane(&plane, second.centroid(), "of the second plane's centroid from the first plane")
        }
    };
    let angle_rad = angle_off_parallel(one, other);
    let between = gap.to - gap.from;
    if !between.norm().is_finite() {
        return Err(UserError::input("A distance needs finite points; measure the features again."));
    }
    let covariance = first.displacement_covariance(&gap.from) + second.displacement_covariance(&gap.to);
    let has_uncertainty = has_uncertainty(first, second);
    let angle_text =
        angle_rad.map_or(String::new(), |angle| format!("; the two are {} off parallel", degrees_text(angle)));
    Ok(Distance {
        distance_mm: between.norm(),
        uncertainty_mm: has_uncertainty.then(|| expanded(&covariance, &gap.directions, &between, between.norm())),
        from: gap.from,
        to: gap.to,
        angle_rad,
        how: format!("Distance {}{angle_text}", gap.how),
    })
}

/// The angle between two elements; returns an error if one has no direction.
pub fn angle(
    first: &UncertainElement<'_>,
    second: &UncertainElement<'_>,
    convention: AngleConvention,
) -> Result<Angle> {
    let (one, other) = (first.element.checked()?, second.element.checked()?);
    let undirected = |element: &Element| {
        UserError::usage(format!(
            "A {} has no direction to measure an angle from; choose a line, axis, plane or circle.",
            element.name()
        ))
    };
    let a = one.direction().ok_or_else(|| undirected(&one))?;
    let b = other.direction().ok_or_else(|| undirected(&other))?;
    // The direction of a circle is a normal, as for a plane.
    let is_normal =
        |element: &Element| matches!(element, Element::Shape(super::Shape::Plane { .. } | super::Shape::Circle { .. }));
    let mixed = is_normal(&one) != is_normal(&other);
    let (angle_rad, how) = match convention {
        AngleConvention::Directed => (angle_between(&a, &b), "between the directions, 0° to 180°"),
        // Computed from the sine itself, so that angles near zero keep their digits.
        AngleConvention::Acute if mixed => {
            (a.dot(&b).abs().atan2(a.cross(&b).norm()), "between line and plane, 0° to 90°")
        }
        AngleConvention::Acute => (acute_angle(&a, &b), "between the elements, 0° to 90°"),
    };
    let axis = a.cross(&b);
    // If the directions coincide, either may deviate about any axis perpendicular to them.
    let perpendicular = any_perpendicular(&a);
    let has_uncertainty = has_uncertainty(first, second);
    let covariance = first.rotation_covariance() + second.rotation_covariance();
    Ok(Angle {
        angle_rad,
        uncertainty_rad: has_uncertainty
            .then(|| expanded(&covariance, &[perpendicular, a.cross(&perpendicular)], &axis, axis.norm())),
        how: format!("Angle {how}"),
    })
}

/// Whether the uncertainty of what is measured between two elements can be stated.
fn has_uncertainty(first: &UncertainElement<'_>, second: &UncertainElement<'_>) -> bool {
    first.motion.or(second.motion).is_some() && !first.is_unstated && !second.is_unstated
}

impl Gap {
    fn reversed(self) -> Self {
        Self { from: self.to, to: self.from, ..self }
    }
}

fn all_axes() -> Vec<Vector> {
    vec![Vector::x(), Vector::y(), Vector::z()]
}

fn from_line(line: &Line, point: Point, how: &str) -> Gap {
    let side = any_perpendicular(&line.direction);
    let directions = vec![side, line.direction.cross(&side)];
    Gap { from: line.foot(&point), to: point, directions, how: how.to_owned() }
}

fn from_plane(plane: &Plane, point: Point, how: &str) -> Gap {
    Gap { from: plane.foot(&point), to: point, directions: vec![plane.normal], how: how.to_owned() }
}

fn between_lines(one: &Line, other: &Line, centroid: &Point) -> Gap {
    let parallel = || from_line(one, other.foot(centroid), "of the second line's centroid from the first line");
    if acute_angle(&one.direction, &other.direction) < MAX_PARALLEL_ANGLE_RAD {
        return parallel();
    }
    let Ok(nearest) = super::constructions::intersection::of_lines(one, other) else { return parallel() };
    let [from, to] = nearest.feet;
    let normal = one.direction.cross(&other.direction).normalize();
    Gap { from, to, directions: vec![normal], how: "along the common normal of the lines".to_owned() }
}

/// The angle that is zero if both are parallel, rad; `None` if one is a point.
fn angle_off_parallel(one: Situation, other: Situation) -> Option<f64> {
    match (one, other) {
        (Situation::Line(one), Situation::Line(other)) => Some(acute_angle(&one.direction, &other.direction)),
        (Situation::Plane(one), Situation::Plane(other)) => Some(acute_angle(&one.normal, &other.normal)),
        (Situation::Line(line), Situation::Plane(plane)) | (Situation::Plane(plane), Situation::Line(line)) => {
            Some(std::f64::consts::FRAC_PI_2 - acute_angle(&line.direction, &plane.normal))
        }
        _ => None,
    }
}

/// Twice the standard deviation along `along`, a vector of length `value`; if `value` does not exceed the largest
/// uncertainty over all directions spanned by `span`, that largest one.
fn expanded(covariance: &Matrix3<f64>, span: &[Vector], along: &Vector, value: f64) -> f64 {
    let projected = DMatrix::from_fn(span.len(), span.len(), |i, j| span[i].dot(&(covariance * span[j])));
    let max = 2.0 * SymmetricEigen::new(projected).eigenvalues.max().max(0.0).sqrt();
    if !(value > max) {
        return max;
    }
    2.0 * (along.dot(&(covariance * along)).max(0.0)).sqrt() / value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::{Kind, Options, Shape, fit};
    use base::{Progress, random::Random};

    fn line(point: Point, direction: Vector) -> Element {
        Shape::Line { point, direction: direction.normalize() }.into()
    }

    fn plane(point: Point, normal: Vector) -> Element {
        Shape::Plane { point, normal: normal.normalize() }.into()
    }

    fn apart(first: impl Into<Element>, second: impl Into<Element>) -> Distance {
        let (there, back) = (UncertainElement::exact(first), UncertainElement::exact(second));
        let found = distance(&there, &back).unwrap();
        let reverse = distance(&back, &there).unwrap();
        assert!((found.distance_mm - reverse.distance_mm).abs() < 1e-12, "{found:?} {reverse:?}");
        found
    }

    #[test]
    fn distances_are_those_of_geometry() {
        let origin = Point::origin();
        let sphere = Shape::Sphere { centre: Point::new(3.0, 4.0, 0.0), radius: 1.0 };
        let (x_axis, floor) = (line(Point::new(-7.0, 0.0, 0.0), Vector::x()), plane(origin, Vector::z()));
        assert_eq!(apart(origin, sphere).distance_mm, 5.0);
        assert_eq!(apart(x_axis, sphere).distance_mm, 4.0);
        assert_eq!(apart(x_axis, sphere).from, Point::new(3.0, 0.0, 0.0));
        assert_eq!(apart(floor, Point::new(1.0, 1.0, -2.5)).distance_mm, 2.5);
        let crossing = apart(x_axis, line(Point::new(5.0, 9.0, 2.0), Vector::y()));
        assert!((crossing.distance_mm - 2.0).abs() < 1e-14 && crossing.how.contains("common normal"));
        assert!((crossing.angle_rad.unwrap() - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        let beside = apart(x_axis, line(Point::new(5.0, 3.0, 4.0), -Vector::x()));
        assert!((beside.distance_mm - 5.0).abs() < 1e-14 && beside.how.contains("0.000° off parallel"));
        let shaft = Shape::Cylinder { point: Point::new(0.0, 0.0, 6.0), axis: Vector::x(), radius: 1.0 };
        assert!((apart(floor, shaft).distance_mm - 6.0).abs() < 1e-14);
    }

    #[test]
    fn planes_are_measured_at_the_centroid_of_their_points() {
        let floor = UncertainElement::exact(plane(Point::origin(), Vector::z()));
        // Inclined by 1:100; its points lie around x = 30.
        let points: Vec<Point> = (0..11).map(|i| Point::new(25.0 + f64::from(i), 0.0, 10.3)).collect();
        let inclined = plane(Point::new(0.0, 0.0, 10.0), Vector::new(-0.01, 0.0, 1.0));
        let found =
            distance(&floor, &UncertainElement { points: &points, ..UncertainElement::exact(inclined) }).unwrap();
        assert!((found.distance_mm - 10.3).abs() < 1e-12, "{found:?}");
        assert!((found.angle_rad.unwrap() - 0.01_f64.atan()).abs() < 1e-12);
        assert!(found.uncertainty_mm.is_none());
        let broken =
            UncertainElement { points: &[Point::new(f64::NAN, 0.0, 0.0)], ..UncertainElement::exact(inclined) };
        assert!(distance(&floor, &broken).unwrap_err().sentence.contains("finite points"));
    }

    #[test]
    fn angles_follow_their_convention() {
        let at = |degrees: f64| Vector::new(degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0);
        let measured = |a: Element, b: Element, convention| {
            angle(&UncertainElement::exact(a), &UncertainElement::exact(b), convention).unwrap().angle_rad.to_degrees()
        };
        let o = Point::origin();
        for (degrees, acute) in [(0.0, 0.0), (30.0, 30.0), (90.0, 90.0), (150.0, 30.0), (180.0, 0.0)] {
            let directed = measured(line(o, at(0.0)), line(o, at(degrees)), AngleConvention::Directed);
            assert!((directed - degrees).abs() < 1e-12);
            for make in [line, plane] {
                let own = measured(make(o, at(0.0)), make(o, at(degrees)), AngleConvention::Acute);
                assert!((own - acute).abs() < 1e-12, "{own}");
            }
            let mixed = measured(line(o, at(0.0)), plane(o, at(degrees)), AngleConvention::Acute);
            assert!((mixed - (90.0 - acute)).abs() < 1e-12, "{mixed}");
        }
        let point = UncertainElement::exact(o);
        let sentence =
            angle(&point, &UncertainElement::exact(line(o, at(0.0))), AngleConvention::Acute).unwrap_err().sentence;
        assert!(sentence.contains("A point has no direction"), "{sentence}");
    }

    /// Stated standard deviations against repeated fits to noisy points: distance and angle of two inclined planes and
    /// of skew lines.
    #[test]
    fn uncertainties_are_the_spread_of_repetitions() {
        let mut random = Random::new(7, 1);
        let (runs, noise) = (400, 0.02);
        let patch = |random: &mut Random, origin: Point, x: Vector, y: Vector, noise: f64| -> Vec<Point> {
            let at = |i: i32| origin + x * f64::from(i % 12) + y * f64::from(i / 12);
            (0..144).map(|i| at(i) + Vector::from_fn(|_, _| noise * random.normal())).collect()
        };
        let strip = |random: &mut Random, origin: Point, x: Vector, noise: f64| -> Vec<Point> {
            (0..40).map(|i| origin + x * f64::from(i) + Vector::from_fn(|_, _| noise * random.normal())).collect()
        };
        let fitted = |kind, points: &[Point]| fit(kind, points, &[], &Options::default(), &Progress::silent()).unwrap();
        for (name, kind) in [("planes", Kind::Plane), ("lines", Kind::Line)] {
            let (mut values, mut stated) = ([const { Vec::new() }; 2], [0.0; 2]);
            for _ in 0..runs {
                let of = |random: &mut Random| match kind {
                    Kind::Plane => [
                        patch(random, Point::new(3.0, 0.0, 0.0), Vector::x(), Vector::y(), noise),
                        patch(random, Point::new(0.0, 4.0, 20.0), Vector::new(0.8, 0.0, 0.6), Vector::y() * 0.5, noise),
                    ],
                    _ => [
                        strip(random, Point::new(-10.0, 0.0, 0.0), Vector::x(), noise),
                        strip(random, Point::new(0.0, -2.0, 5.0), Vector::new(0.6, 0.8, 0.0), noise),
                    ],
                };
                let points = of(&mut random);
                let fits = [fitted(kind, &points[0]), fitted(kind, &points[1])];
                let [one, other] = [0, 1].map(|i| UncertainElement::of_fit(&fits[i], &points[i]));
                let length = distance(&one, &other).unwrap();
                let between = angle(&one, &other, AngleConvention::Acute).unwrap();
                values[0].push(length.distance_mm);
                values[1].push(between.angle_rad);
                stated[0] += length.uncertainty_mm.unwrap() / 2.0 / f64::from(runs);
                stated[1] += between.uncertainty_rad.unwrap() / 2.0 / f64::from(runs);
            }
            for (values, stated) in values.iter().zip(stated) {
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
                println!("{name}: stated {stated:.3e}, seen {spread:.3e}");
                assert!((stated / spread - 1.0).abs() < 0.15, "{name} {stated} {spread}");
            }
        }
    }

    #[test]
    fn a_vanishing_distance_keeps_its_uncertainty() {
        let mut motion = Matrix6::zeros();
        (motion[(0, 0)], motion[(2, 2)]) = (0.01 * 0.01, 0.03 * 0.03);
        let point = UncertainElement { motion: Some(&motion), ..UncertainElement::exact(Point::origin()) };
        let touching =
            |other: Element| distance(&point, &UncertainElement::exact(other)).unwrap().uncertainty_mm.unwrap();
        assert!((touching(Point::origin().into()) - 0.06).abs() < 1e-15);
        assert!((touching(line(Point::origin(), Vector::z())) - 0.02).abs() < 1e-15);
        assert!((touching(plane(Point::origin(), Vector::z())) - 0.06).abs() < 1e-15);
        assert!((touching(Point::new(5.0, 0.0, 0.0).into()) - 0.02).abs() < 1e-15);
    }
}
