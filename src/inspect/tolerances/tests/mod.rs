//! Every characteristic against features with known errors, in any pose.

mod cases;
mod common_datums;
mod coverage;
mod envelope;
mod filters;
mod indeterminate;
mod sentences;

use std::f64::consts::TAU;

use super::*;
use crate::features::sheet_metal::slot::{Slot, fit_slot};
use crate::features::{Kind, Options, Shape, fit};
use base::{Progress, random::Random};
use geometry::Pose;

/// A check with a known result.
struct Case {
    /// JSON fields of the tolerance, without limit and features.
    json: &'static str,
    features: Features,
    truth: f64,
}

fn plane(point: [f64; 3], normal: Vector) -> Shape {
    Shape::Plane { point: point.into(), normal: normal.normalize() }
}

fn axis(point: [f64; 3], axis: Vector, radius: f64) -> Shape {
    Shape::Cylinder { point: point.into(), axis: axis.normalize(), radius }
}

fn line(point: [f64; 3], direction: Vector) -> Shape {
    Shape::Line { point: point.into(), direction: direction.normalize() }
}

fn with_points(shape: Shape, points: Vec<Point>) -> Feature {
    Feature { points, ..Feature::of(shape) }
}

/// Points of a plane over ±`u`/2 and ±`v`/2 along two directions in it, with deviations `off`.
fn patch(shape: Shape, u_axis: Vector, [u, v]: [f64; 2], off: impl Fn(f64, f64) -> f64) -> Feature {
    let (point, normal) = (shape.position(), shape.direction().unwrap());
    let u_axis = (u_axis - normal * normal.dot(&u_axis)).normalize();
    let v_axis = normal.cross(&u_axis);
    let share = |i: i32| f64::from(i) / 10.0 - 0.5;
    let at = |i: i32, j: i32| (share(i) * u, share(j) * v);
    let place = |(a, b): (f64, f64)| point + u_axis * a + v_axis * b + normal * off(a, b);
    with_points(shape, (0..=10).flat_map(|i| (0..=10).map(move |j| (i, j))).map(|(i, j)| place(at(i, j))).collect())
}

/// Points of a cylinder over ±`length`/2 about its reference point, with deviations `off` as a function of height and
/// angle.
fn tube(shape: Shape, length: f64, off: impl Fn(f64, f64) -> f64) -> Feature {
    let Shape::Cylinder { point, axis, radius } = shape else { panic!() };
    let x = if axis.x.abs() < 0.9 { Vector::x() } else { Vector::y() };
    let x = (x - axis * axis.dot(&x)).normalize();
    let y = axis.cross(&x);
    let at = |(z, a): (f64, f64)| point + axis * z + (x * a.cos() + y * a.sin()) * (radius + off(z, a));
    let places = (0..21).flat_map(|i| (0..36).map(move |j| (f64::from(i) / 20.0 - 0.5, f64::from(j) * TAU / 36.0)));
    with_points(shape, places.map(|(z, a)| at((z * length, a))).collect())
}

fn ring(shape: Shape, off: impl Fn(f64) -> f64) -> Feature {
    let Shape::Circle { centre, radius, .. } = shape else { panic!() };
    let at = |a: f64| centre + Vector::new(a.cos(), a.sin(), 0.1 * (5.0 * a).sin()) * (radius + off(a));
    with_points(shape, (0..360).map(|i| at(f64::from(i) * TAU / 360.0)).collect())
}

fn circle(centre: [f64; 3], radius: f64) -> Shape {
    Shape::Circle { centre: centre.into(), normal: Vector::z(), radius }
}

fn named<const N: usize>(features: [(&str, Feature); N]) -> Features {
    features.into_iter().map(|(name, feature)| (name.to_owned(), feature)).collect()
}

fn none(_: f64, _: f64) -> f64 {
    0.0
}

/// A corner of datum planes A, B, C, measured with inclination and offset; nominally the coordinate planes.
fn corner() -> [(&'static str, Feature); 3] {
    let of = |point, measured: Vector, nominal: Vector| {
        Feature::of(plane(point, measured)).with_nominal(plane([0.0; 3], nominal))
    };
    [
        ("A", of([40.0, 30.0, 1.0], Vector::new(0.002, -0.001, 1.0), Vector::z())),
        ("B", of([2.0, 30.0, 9.0], Vector::new(1.0, 0.003, 0.001), Vector::x())),
        ("C", of([40.0, -1.0, 9.0], Vector::new(0.001, 1.0, -0.002), Vector::y())),
    ]
}

/// Pose of the datum frame of `corner` in the measured frame.
fn part_from_corner() -> Pose {
    let datums = corner().map(|(letter, feature)| Datum { letter, element: feature.element, nominal: feature.nominal });
    DatumSystem::of(&datums).unwrap().datum_from_part.inverse()
}

/// The corner with a feature `measured` in its datum frame.
fn in_corner(measured: Feature, nominal: impl Into<Element>) -> Features {
    let pose = part_from_corner();
    let mut features = named(corner());
    features.insert("f".into(), Feature { nominal: Some(nominal.into()), ..moved(&measured, &pose) });
    features
}

fn moved(feature: &Feature, pose: &Pose) -> Feature {
    let mut turn = nalgebra::Matrix6::zeros();
    for at in [0, 3] {
        turn.fixed_view_mut::<3, 3>(at, at).copy_from(pose.rotation.to_rotation_matrix().matrix());
    }
    let mut uncertainty = feature.uncertainty.clone();
    uncertainty.iter_mut().for_each(|own| own.motion = turn * own.motion * turn.transpose());
    Feature {
        element: feature.element.moved(pose),
        points: feature.points.iter().map(|point| pose * point).collect(),
        minimum_zone: feature.minimum_zone.map(|shape| shape.moved(pose)),
        straight_sides: feature.straight_sides.as_ref().map(|sides| StraightSides {
            points: sides.points.iter().map(|point| pose * point).collect(),
            sheet_normal: pose.rotation * sides.sheet_normal,
        }),
        uncertainty,
        ..feature.clone()
    }
}

fn tolerance(json: &str) -> Tolerance {
    let limit = if json.contains("limit_mm") || json.contains("upper_mm") { "" } else { r#","limit_mm":0.1"# };
    serde_json::from_str(&format!(r#"{{"feature":"f",{json}{limit}}}"#)).unwrap()
}

#[test]
fn every_characteristic_measures_the_known_error() {
    for Case { json, features, truth } in cases::all() {
        let judged = judge(&tolerance(json), &features, &DatumLetters::new()).unwrap();
        assert!((judged.measured_mm - truth).abs() < 2e-9, "{json}: {} {truth}\n{}", judged.measured_mm, judged.how);
        let (lower, upper) = (judged.lower_mm.unwrap_or(0.0), judged.limit_mm);
        let inside = (lower..=upper).contains(&judged.measured_mm);
        assert_eq!(judged.verdict == Verdict::In, inside, "{json}");
    }
}

#[test]
fn moving_the_whole_part_changes_nothing() {
    let mut random = Random::new(30, 0);
    for Case { json, features, .. } in cases::all() {
        let tolerance = tolerance(json);
        let still = judge(&tolerance, &features, &DatumLetters::new()).unwrap();
        for _ in 0..4 {
            let pose = Pose::from_parts(Vector::new(500.0, -200.0, 90.0).into(), random.rotation());
            let elsewhere: Features =
                features.iter().map(|(name, feature)| (name.clone(), moved(feature, &pose))).collect();
            let there = judge(&tolerance, &elsewhere, &DatumLetters::new()).unwrap();
            assert!((there.measured_mm - still.measured_mm).abs() < 2e-9, "{json} {there:?} {still:?}");
        }
    }
}

/// The point of maximum deviation is reported.
#[test]
fn the_worst_point_is_reported() {
    let mut features = named([("f", patch(plane([0.0; 3], Vector::z()), Vector::x(), [10.0, 10.0], none))]);
    features.get_mut("f").unwrap().points[17].z = -0.3;
    let worst = features["f"].points[17];
    let judged = judge(&tolerance(r#""characteristic":"flatness""#), &features, &DatumLetters::new()).unwrap();
    assert_eq!((judged.worst, judged.measured_mm), (Some(worst), 0.3));
    let feature = features.get_mut("f").unwrap();
    feature.deviations_mm = vec![0.01; 121];
    feature.deviations_mm[40] = -0.2;
    let judged = judge(&tolerance(r#""characteristic":"profile""#), &features, &DatumLetters::new()).unwrap();
    assert_eq!(judged.worst, Some(features["f"].points[40]));
}

#[test]
fn the_bonus_is_the_departure_from_maximum_material() {
    let off = tube(axis([10.06, 20.0, 15.0], Vector::z(), 4.0), 30.0, none);
    let features = in_corner(off, line([10.0, 20.0, 0.0], Vector::z()));
    let with = |side: &str, size: f64, limit: f64| {
        let json = format!(
            r#""characteristic":"position","datums":["A","B","C"],"limit_mm":{limit},
            "maximum_material":{{"side":"{side}","size_mm":{size}}}"#
        );
        judge(&tolerance(&json), &features, &DatumLetters::new()).unwrap()
    };
    // A hole of 8 mm has departed by 0.05 from a minimum size of 7.95; for a minimum of 8.1 there is no bonus.
    for (side, size, limit, bonus, verdict) in [
        ("internal", 7.95, 0.1, 0.05, Verdict::In),
        ("internal", 7.95, 0.0, 0.05, Verdict::Out),
        ("internal", 8.1, 0.1, 0.0, Verdict::Out),
        ("external", 8.1, 0.05, 0.1, Verdict::In),
        ("external", 7.9, 0.1, 0.0, Verdict::Out),
    ] {
        let judged = with(side, size, limit);
        assert!((judged.bonus_mm - bonus).abs() < 1e-9, "{side} {size}: {}", judged.bonus_mm);
        assert!((judged.limit_mm - limit - judged.bonus_mm).abs() < 1e-12);
        assert_eq!(judged.verdict, verdict, "{side} {size}");
        assert!((judged.measured_mm - 0.12).abs() < 1e-9 && judged.how.contains("maximum material"));
    }
}

/// Stated standard deviation of a position, and that of repeated fits to noisy points of bore and datums.
fn stated_and_observed(lean: f64) -> (f64, f64) {
    let mut random = Random::new(31, 0);
    let (runs, noise) = (250, 0.01);
    let tolerance = tolerance(r#""characteristic":"position","datums":["A","B","C"]"#);
    let shapes = [
        ("A", patch(plane([40.0, 30.0, 0.0], Vector::z()), Vector::x(), [80.0, 60.0], none)),
        ("B", patch(plane([0.0, 30.0, 10.0], Vector::x()), Vector::y(), [60.0, 20.0], none)),
        ("C", patch(plane([40.0, 0.0, 10.0], Vector::y()), Vector::x(), [80.0, 20.0], none)),
        ("f", tube(axis([60.08, 40.05, 10.0], Vector::new(lean, 0.0, 1.0), 5.0), 20.0, none)),
    ];
    let nominals = [
        plane([0.0; 3], Vector::z()),
        plane([0.0; 3], Vector::x()),
        plane([0.0; 3], Vector::y()),
        axis([60.0, 40.0, 0.0], Vector::z(), 5.0),
    ];
    let (mut values, mut stated) = (Vec::new(), 0.0);
    for _ in 0..runs {
        let mut features = Features::new();
        for ((name, ideal), nominal) in shapes.iter().zip(nominals) {
            let noisy = |point: &Point| point + Vector::from_fn(|_, _| noise * random.normal());
            let points: Vec<Point> = ideal.points.iter().map(noisy).collect();
            let Element::Shape(start) = ideal.element else { panic!() };
            let options = Options { start: Some(start), ..Options::default() };
            let fitted = fit(start.kind(), &points, &[], &options, &Progress::silent()).unwrap();
            features.insert((*name).to_owned(), Feature::of_fit(&fitted, &points).with_nominal(nominal));
        }
        let judged = judge(&tolerance, &features, &DatumLetters::new()).unwrap();
        values.push(judged.measured_mm);
        stated += judged.uncertainty_mm.unwrap() / 2.0 / f64::from(runs);
    }
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let observed = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
    println!("stated {stated:.3e}, observed {observed:.3e}");
    (stated, observed)
}

#[test]
fn the_uncertainty_is_the_spread_of_repetitions() {
    // One end of the axis is clearly the worst.
    let (stated, observed) = stated_and_observed(0.004);
    assert!((stated / observed - 1.0).abs() < 0.12, "{stated} {observed}");
    // Either end may be the worst: the stated one is then larger, not smaller.
    let (stated, observed) = stated_and_observed(0.0);
    assert!((1.0..1.5).contains(&(stated / observed)), "{stated} {observed}");
}

#[test]
fn conformity_follows_the_uncertainty() {
    let features = named([("f", tube(axis([0.0; 3], Vector::z(), 5.0), 9.0, none))]);
    let with = |upper: f64, uncertainty: f64| {
        let json = format!(
            r#""characteristic":"size","lower_mm":9.9,"upper_mm":{upper},"expanded_uncertainty_mm":{uncertainty}"#
        );
        let judged = judge(&tolerance(&json), &features, &DatumLetters::new()).unwrap();
        assert!(judged.how.contains("as stated in the tolerance"));
        (judged.verdict, judged.conformity.unwrap())
    };
    assert_eq!(with(10.05, 0.02), (Verdict::In, Conformity::Conforms));
    assert_eq!(with(10.01, 0.02), (Verdict::In, Conformity::Undecided));
    assert_eq!(with(9.99, 0.02), (Verdict::Out, Conformity::Undecided));
    assert_eq!(with(9.95, 0.02), (Verdict::Out, Conformity::DoesNotConform));
    // The uncertainty of the diameter is twice that of the radius.
    let ideal = &features["f"];
    let Element::Shape(start) = ideal.element else { panic!() };
    let mut random = Random::new(32, 0);
    let points: Vec<Point> = ideal.points.iter().map(|p| p + Vector::from_fn(|_, _| 0.01 * random.normal())).collect();
    let options = Options { start: Some(start), ..Options::default() };
    let fitted = fit(Kind::Cylinder, &points, &[], &options, &Progress::silent()).unwrap();
    let features = named([("f", Feature::of_fit(&fitted, &points))]);
    let judged =
        judge(&tolerance(r#""characteristic":"size","limit_mm":10.1"#), &features, &DatumLetters::new()).unwrap();
    assert_eq!(judged.uncertainty_mm, Some(2.0 * fitted.uncertainty.numbers[0]));
    assert_eq!(judged.conformity, Some(Conformity::Conforms));
}

/// A slot fitted to its edge, 0.05 off its true position: its width and its position, with the uncertainties of the
/// fit.
#[test]
fn a_slot_is_evaluated_by_its_mid_plane() {
    let mut random = Random::new(33, 0);
    let outline = Slot {
        centre: Point::new(40.05, 30.0, 0.0),
        normal: Vector::z(),
        direction: Vector::y(),
        length_mm: 20.0,
        width_mm: 8.0,
    };
    let noisy = |corner: &Point| corner + Vector::new(random.normal(), random.normal(), 0.0) * 1e-3;
    let rim: Vec<Point> = outline.outline().iter().map(noisy).collect();
    let sheet = plane([0.0; 3], Vector::z());
    let fitted = fit_slot(&rim, &sheet, None, &Progress::silent()).unwrap();
    let nominal = plane([40.0, 0.0, 0.0], Vector::x());
    let slot = Feature::of_slot(&fitted, &rim).with_nominal(nominal);
    let mut features = in_corner(slot, nominal);
    let size = r#""characteristic":"size","upper_mm":8.05"#;
    let size = judge(&tolerance(size), &features, &DatumLetters::new()).unwrap();
    assert!((size.measured_mm - 8.0).abs() < 1e-3 && size.uncertainty_mm == fitted.uncertainty.numbers.last().copied());
    let position = tolerance(r#""characteristic":"position","datums":["A","B","C"],"limit_mm":0.15"#);
    let placed = judge(&position, &features, &DatumLetters::new()).unwrap();
    assert!((placed.measured_mm - 0.1).abs() < 3e-3 && placed.conformity == Some(Conformity::Conforms), "{placed:?}");
    assert!((1e-4..3e-3).contains(&placed.uncertainty_mm.unwrap()));
    features.get_mut("f").unwrap().uncertainty = None;
    assert_eq!(judge(&position, &features, &DatumLetters::new()).unwrap().uncertainty_mm, None);
}
