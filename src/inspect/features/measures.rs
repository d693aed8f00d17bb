//! Angles and distances between elements, with the uncertainty that the elements' fits leave.
//!
//! Circles, spheres and tori count as their centres, cylinders and cones as their axes. Uncertainties are expanded
//! (k = 2) and propagated to first order (JCGM 100:2008, 5.1) from the covariances of the elements' motions; elements
//! without one count as exact, and the parts of a measure as independent. A distance or angle smaller than its own
//! uncertainty has no known direction: then the largest uncertainty of any direction is stated.

use nalgebra::{DMatrix, Matrix3, Matrix6, SymmetricEigen};
use serde::{Deserialize, Serialize};

use super::Fit;
use super::element::{Element, Flat, Situation, Straight, acute_angle, angle_between, shown};
use super::model::any_square_to;
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Lines closer than this to parallel are meant to be parallel: their common normal may be far outside the part, so
/// the mean distance of one from the other takes its place.
pub const MEANT_PARALLEL_RAD: f64 = 5.0 * std::f64::consts::PI / 180.0;

/// An element and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// The element.
    pub element: Element,
    /// Covariance of its shifts (mm) and turns (rad) about its place, as [`super::Uncertainty::motion`].
    pub motion: Option<&'a Matrix6<f64>>,
    /// The points it was fitted to, mm; may be empty. Their middle is where lines and planes are measured.
    pub points: &'a [Point],
}

impl<'a> Known<'a> {
    /// An element that counts as exact.
    pub fn exact(element: impl Into<Element>) -> Self {
        Self { element: element.into(), motion: None, points: &[] }
    }

    /// A fit and its points.
    pub fn of_fit(fit: &'a Fit, points: &'a [Point]) -> Self {
        Self { element: fit.shape.into(), motion: Some(&fit.uncertainty.motion), points }
    }

    /// Mean of the points, or the element's own place.
    fn middle(&self) -> Point {
        let Some(first) = self.points.first() else { return self.element.place() };
        let sum: Vector = self.points.iter().map(|point| point - first).sum();
        first + sum / self.points.len() as f64
    }

    /// Covariance of the shift of a place that is fixed to the element.
    fn shift_of(&self, place: &Point) -> Matrix3<f64> {
        let Some(motion) = self.motion else { return Matrix3::zeros() };
        let mut by_motion = nalgebra::Matrix3x6::zeros();
        by_motion.fixed_view_mut::<3, 3>(0, 0).fill_with_identity();
        let lever = (place - self.element.place()).cross_matrix();
        by_motion.fixed_view_mut::<3, 3>(0, 3).copy_from(&-lever);
        by_motion * motion * by_motion.transpose()
    }

    /// Covariance of its turns.
    fn turn(&self) -> Matrix3<f64> {
        self.motion.map_or_else(Matrix3::zeros, |motion| motion.fixed_view::<3, 3>(3, 3).into_owned())
    }
}

/// A distance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Distance {
    /// The distance, mm; not negative.
    pub distance_mm: f64,
    /// Its expanded uncertainty (k = 2), mm, where that of an element is known.
    pub uncertainty_mm: Option<f64>,
    /// Where it begins, on the first element, mm.
    pub from: Point,
    /// Where it ends, on the second element, mm.
    pub to: Point,
    /// The acute angle between the elements, rad, where both have a direction; 0 is parallel.
    pub angle_rad: Option<f64>,
    /// What was measured, for reports.
    pub how: String,
}

/// Which angle is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AngleConvention {
    /// 0 to 90°: between the elements themselves, whatever the signs of their directions; between a line and a plane
    /// it is 0 where they are parallel.
    #[default]
    Acute,
    /// 0 to 180°: between the directions as they stand: axes, lines, and the normals of planes and circles. Between a
    /// line and a plane it is 0 where the line runs along the normal.
    Directed,
}

/// An angle.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Angle {
    /// The angle, rad.
    pub angle_rad: f64,
    /// Its expanded uncertainty (k = 2), rad, where that of an element is known.
    pub uncertainty_rad: Option<f64>,
    /// What was measured, for reports.
    pub how: String,
}

/// Two places whose distance is measured, and the directions in which they may part.
struct Gap {
    from: Point,
    to: Point,
    /// Unit vectors, square to each other; a distance of zero may open along any of them.
    opens_along: Vec<Vector>,
    how: String,
}

/// The distance of two elements.
///
/// Points: between them. Point and line, point and plane: square to the line or plane. Lines: along their common
/// normal; lines that are meant to be parallel ([`MEANT_PARALLEL_RAD`]), planes, and a line and a plane: the mean
/// distance of the second one's points (where it has none, of its place) from the first. Of a line and a plane it is
/// the line that is measured from the plane.
pub fn distance(first: &Known<'_>, second: &Known<'_>) -> Result<Distance> {
    let (one, other) = (first.element.checked()?.situation(), second.element.checked()?.situation());
    let gap = match (one, other) {
        (Situation::Point(from), Situation::Point(to)) => {
            Gap { from, to, opens_along: everywhere(), how: "between the points".to_owned() }
        }
        (Situation::Line(line), Situation::Point(point)) => from_line(&line, point, "square to the line"),
        (Situation::Point(point), Situation::Line(line)) => {
            from_line(&line, point, "square to the line").turned_round()
        }
        (Situation::Plane(plane), Situation::Point(point)) => from_plane(&plane, point, "square to the plane"),
        (Situation::Point(point), Situation::Plane(plane)) => {
            from_plane(&plane, point, "square to the plane").turned_round()
        }
        (Situation::Line(one), Situation::Line(other)) => between_lines(&one, &other, &second.middle()),
        (Situation::Plane(plane), Situation::Line(line)) => {
            from_plane(&plane, line.foot(&second.middle()), "of the line's middle from the plane")
        }
        (Situation::Line(line), Situation::Plane(plane)) => {
            from_plane(&plane, line.foot(&first.middle()), "of the line's middle from the plane").turned_round()
        }
        (Situation::Plane(plane), Situation::Plane(_)) => {
            from_plane(&plane, second.middle(), "of the second plane's points from the first, on average")
        }
    };
    let angle_rad = angle_of(one, other);
    let between = gap.to - gap.from;
    if !between.norm().is_finite() {
        return Err(UserError::input("A distance needs finite points; measure the features again."));
    }
    let covariance = first.shift_of(&gap.from) + second.shift_of(&gap.to);
    let known = first.motion.or(second.motion).is_some();
    let told = angle_rad.map_or(String::new(), |angle| format!("; the two are {} off parallel", shown(angle)));
    Ok(Distance {
        distance_mm: between.norm(),
        uncertainty_mm: known.then(|| expanded(&covariance, &gap.opens_along, &between, between.norm())),
        from: gap.from,
        to: gap.to,
        angle_rad,
        how: format!("Distance {}{told}", gap.how),
    })
}

/// The angle of two elements that have directions; a sentence for those that have none.
pub fn angle(first: &Known<'_>, second: &Known<'_>, convention: AngleConvention) -> Result<Angle> {
    let (one, other) = (first.element.checked()?, second.element.checked()?);
    let undirected = |element: &Element| {
        UserError::usage(format!(
            "A {} has no direction to measure an angle from; choose a line, axis, plane or circle.",
            element.name()
        ))
    };
    let a = one.direction().ok_or_else(|| undirected(&one))?;
    let b = other.direction().ok_or_else(|| undirected(&other))?;
    // A circle's direction is a normal, as a plane's.
    let is_normal =
        |element: &Element| matches!(element, Element::Shape(super::Shape::Plane { .. } | super::Shape::Circle { .. }));
    let mixed = is_normal(&one) != is_normal(&other);
    let (angle_rad, how) = match convention {
        AngleConvention::Directed => (angle_between(&a, &b), "between the directions, 0° to 180°"),
        // Taken from the sine itself, an angle near zero keeps its digits.
        AngleConvention::Acute if mixed => {
            (a.dot(&b).abs().atan2(a.cross(&b).norm()), "between line and plane, 0° to 90°")
        }
        AngleConvention::Acute => (acute_angle(&a, &b), "between the elements, 0° to 90°"),
    };
    let axis = a.cross(&b);
    // Where the directions fall together, either may turn away about any axis square to them.
    let square = any_square_to(&a);
    let known = first.motion.or(second.motion).is_some();
    let covariance = first.turn() + second.turn();
    Ok(Angle {
        angle_rad,
        uncertainty_rad: known.then(|| expanded(&covariance, &[square, a.cross(&square)], &axis, axis.norm())),
        how: format!("Angle {how}"),
    })
}

impl Gap {
    fn turned_round(self) -> Self {
        Self { from: self.to, to: self.from, ..self }
    }
}

fn everywhere() -> Vec<Vector> {
    vec![Vector::x(), Vector::y(), Vector::z()]
}

fn from_line(line: &Straight, point: Point, how: &str) -> Gap {
    let side = any_square_to(&line.direction);
    let opens_along = vec![side, line.direction.cross(&side)];
    Gap { from: line.foot(&point), to: point, opens_along, how: how.to_owned() }
}

fn from_plane(plane: &Flat, point: Point, how: &str) -> Gap {
    Gap { from: plane.foot(&point), to: point, opens_along: vec![plane.normal], how: how.to_owned() }
}

fn between_lines(one: &Straight, other: &Straight, middle: &Point) -> Gap {
    let parallel = || from_line(one, other.foot(middle), "of the second line's middle from the first");
    if acute_angle(&one.direction, &other.direction) < MEANT_PARALLEL_RAD {
        return parallel();
    }
    let Ok(nearest) = super::constructions::intersection::of_lines(one, other) else { return parallel() };
    let [from, to] = nearest.feet;
    let normal = one.direction.cross(&other.direction).normalize();
    Gap { from, to, opens_along: vec![normal], how: "along the common normal of the lines".to_owned() }
}

/// The angle that is zero where the two are parallel.
fn angle_of(one: Situation, other: Situation) -> Option<f64> {
    match (one, other) {
        (Situation::Line(one), Situation::Line(other)) => Some(acute_angle(&one.direction, &other.direction)),
        (Situation::Plane(one), Situation::Plane(other)) => Some(acute_angle(&one.normal, &other.normal)),
        (Situation::Line(line), Situation::Plane(plane)) | (Situation::Plane(plane), Situation::Line(line)) => {
            Some(std::f64::consts::FRAC_PI_2 - acute_angle(&line.direction, &plane.normal))
        }
        _ => None,
    }
}

/// Twice the standard deviation along `along`, whose length says `value`; where that is less, the largest one of all
/// directions that `span` spans.
fn expanded(covariance: &Matrix3<f64>, span: &[Vector], along: &Vector, value: f64) -> f64 {
    let within = DMatrix::from_fn(span.len(), span.len(), |i, j| span[i].dot(&(covariance * span[j])));
    let largest = 2.0 * SymmetricEigen::new(within).eigenvalues.max().max(0.0).sqrt();
    if !(value > largest) {
        return largest;
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
        let (there, back) = (Known::exact(first), Known::exact(second));
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
    fn planes_are_measured_where_the_points_are() {
        let floor = Known::exact(plane(Point::origin(), Vector::z()));
        // Leans 1 in 100; its points lie about x = 30.
        let points: Vec<Point> = (0..11).map(|i| Point::new(25.0 + f64::from(i), 0.0, 10.3)).collect();
        let leaning = plane(Point::new(0.0, 0.0, 10.0), Vector::new(-0.01, 0.0, 1.0));
        let found = distance(&floor, &Known { points: &points, ..Known::exact(leaning) }).unwrap();
        assert!((found.distance_mm - 10.3).abs() < 1e-12, "{found:?}");
        assert!((found.angle_rad.unwrap() - 0.01_f64.atan()).abs() < 1e-12);
        assert!(found.uncertainty_mm.is_none());
        let broken = Known { points: &[Point::new(f64::NAN, 0.0, 0.0)], ..Known::exact(leaning) };
        assert!(distance(&floor, &broken).unwrap_err().sentence.contains("finite points"));
    }

    #[test]
    fn angles_follow_their_convention() {
        let at = |degrees: f64| Vector::new(degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0);
        let measured = |a: Element, b: Element, convention| {
            angle(&Known::exact(a), &Known::exact(b), convention).unwrap().angle_rad.to_degrees()
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
        let point = Known::exact(o);
        let sentence = angle(&point, &Known::exact(line(o, at(0.0))), AngleConvention::Acute).unwrap_err().sentence;
        assert!(sentence.contains("A point has no direction"), "{sentence}");
    }

    /// Standard deviations against repeated fits of noisy points: distances and angles of a leaning pair of planes
    /// and of skew lines.
    #[test]
    fn uncertainties_are_the_spread_of_repetitions() {
        let mut random = Random::new(7, 1);
        let (runs, noise) = (400, 0.02);
        let patch = |random: &mut Random, place: Point, x: Vector, y: Vector, noise: f64| -> Vec<Point> {
            let at = |i: i32| place + x * f64::from(i % 12) + y * f64::from(i / 12);
            (0..144).map(|i| at(i) + Vector::from_fn(|_, _| noise * random.normal())).collect()
        };
        let strip = |random: &mut Random, place: Point, x: Vector, noise: f64| -> Vec<Point> {
            (0..40).map(|i| place + x * f64::from(i) + Vector::from_fn(|_, _| noise * random.normal())).collect()
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
                let [one, other] = [0, 1].map(|i| Known::of_fit(&fits[i], &points[i]));
                let length = distance(&one, &other).unwrap();
                let lean = angle(&one, &other, AngleConvention::Acute).unwrap();
                values[0].push(length.distance_mm);
                values[1].push(lean.angle_rad);
                stated[0] += length.uncertainty_mm.unwrap() / 2.0 / f64::from(runs);
                stated[1] += lean.uncertainty_rad.unwrap() / 2.0 / f64::from(runs);
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
        let point = Known { motion: Some(&motion), ..Known::exact(Point::origin()) };
        let touching = |other: Element| distance(&point, &Known::exact(other)).unwrap().uncertainty_mm.unwrap();
        assert!((touching(Point::origin().into()) - 0.06).abs() < 1e-15);
        assert!((touching(line(Point::origin(), Vector::z())) - 0.02).abs() < 1e-15);
        assert!((touching(plane(Point::origin(), Vector::z())) - 0.06).abs() < 1e-15);
        assert!((touching(Point::new(5.0, 0.0, 0.0).into()) - 0.02).abs() < 1e-15);
    }
}
