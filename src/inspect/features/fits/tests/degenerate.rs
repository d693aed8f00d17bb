//! Points that determine no shape of a kind, no uncertainty, or nonsense.

use super::super::in_plane::fit_in_plane;
use super::super::{Fit, Kind, Options, Shape, fit};
use base::{Progress, Result, random::Random};
use geometry::{Point, Pose, Vector};
use std::f64::consts::TAU;

fn fitted(kind: Kind, points: &[Point]) -> Result<Fit> {
    fit(kind, points, &[], &Options::default(), &Progress::silent())
}

/// Points of simpler shapes, with noise of the given standard deviation in all directions, in an arbitrary pose.
fn simple(random: &mut Random, shape: &str, count: usize, sigma: f64) -> Vec<Point> {
    let pose = Pose::from_parts(Vector::new(300.0, -80.0, 20.0).into(), random.rotation());
    (0..count)
        .map(|i| {
            let share = (i as f64 + 0.5) / count as f64;
            let (sin, cos) = (share * TAU).sin_cos();
            let [u, v] = [random.range(-20.0, 20.0), random.range(-15.0, 15.0)];
            let point = match shape {
                "line" => Point::new(40.0 * share, 0.0, 0.0),
                "plane" => Point::new(u, v, 0.0),
                "circle" => Point::new(12.0 * cos, 12.0 * sin, 0.0),
                "cylinder" => Point::new(12.0 * cos, 12.0 * sin, u),
                _ => Point::origin(),
            };
            pose * (point + Vector::from_fn(|_, _| sigma * random.normal()))
        })
        .collect()
}

#[test]
fn points_on_a_simpler_shape_determine_no_other() {
    let mut random = Random::new(58, 20);
    let cases = [
        (Kind::Plane, "line", "a straight line"),
        (Kind::Circle, "line", "a straight line"),
        (Kind::Sphere, "line", ""),
        (Kind::Cylinder, "line", ""),
        (Kind::Sphere, "plane", "a plane"),
        (Kind::Cylinder, "plane", "a plane"),
        (Kind::Cone, "plane", "a plane"),
        (Kind::Sphere, "circle", ""),
        (Kind::Cylinder, "circle", ""),
        (Kind::Cone, "cylinder", "a cylinder"),
        (Kind::Line, "point", "scatter"),
    ];
    for (kind, shape, said) in cases {
        for (count, sigma) in [(12, 0.0), (40, 0.01), (1000, 0.01)] {
            let points = simple(&mut random, shape, count, if shape == "point" { 0.01 } else { sigma });
            let sentence = match fitted(kind, &points) {
                Err(error) => error.sentence,
                Ok(found) => panic!("{kind:?} through {count} points of a {shape}, {sigma} mm: {:?}", found.shape),
            };
            let is_about = sentence.contains("do not determine") || sentence.contains("did not converge");
            assert!(is_about && (sentence.contains(said) || sigma == 0.0), "{kind:?} of a {shape}: {sentence}");
        }
    }
    // The five points of a line that had a plane.
    let line: Vec<Point> = (0..5).map(|i| Point::new(f64::from(i), 2.0 * f64::from(i), 3.0 * f64::from(i))).collect();
    let sentence = fitted(Kind::Plane, &line).unwrap_err().sentence;
    assert!(sentence.contains("they lie on a straight line"), "{sentence}");
}

#[test]
fn narrow_strips_shallow_caps_and_short_cylinders_are_no_simpler_shapes() {
    let mut random = Random::new(58, 21);
    let mut noise = || 0.002 * random.normal();
    let strip: Vec<Point> = (0..200).map(|i| Point::new(f64::from(i / 2), 0.1 * f64::from(i % 2), noise())).collect();
    assert!(fitted(Kind::Plane, &strip).is_ok());
    let four = [[0.0, 0.0, 0.0], [50.0, 0.0, 0.01], [50.0, 30.0, -0.01], [0.0, 30.0, 0.02]];
    assert!(fitted(Kind::Plane, &four.map(Point::from)).is_ok());
    let cap: Vec<Point> = (0..900)
        .map(|i| [f64::from(i % 30) - 14.5, f64::from(i / 30) - 14.5])
        .map(|[x, y]| Point::new(x, y, (4e4 - x * x - y * y).sqrt() + noise()))
        .collect();
    assert!(fitted(Kind::Sphere, &cap).is_ok());
    let ring: Vec<Point> = (0..720)
        .map(|i| ((f64::from(i) * TAU / 360.0).sin_cos(), f64::from(i / 360)))
        .map(|((sin, cos), z)| Point::new((30.0 + noise()) * cos, (30.0 + noise()) * sin, 0.5 * z))
        .collect();
    assert!(fitted(Kind::Cylinder, &ring).is_ok());
    let taper: Vec<Point> = (0..2000)
        .map(|i| ((f64::from(i) * 0.7).sin_cos(), f64::from(i % 40)))
        .map(|((sin, cos), z)| Point::new((10.0 + 0.01 * z + noise()) * cos, (10.0 + 0.01 * z + noise()) * sin, z))
        .collect();
    assert!(fitted(Kind::Cone, &taper).is_ok());
}

#[test]
fn without_points_to_spare_no_uncertainty_is_stated() {
    let circle = [
        [10.0, -15.839748528, 27.226499019],
        [5.618895374, -21.057259393, 32.165207804],
        [13.646365661, -23.280301168, 30.971412225],
    ]
    .map(Point::from);
    let mut random = Random::new(58, 22);
    let mut on_sphere = |count: usize| -> Vec<Point> {
        (0..count).map(|_| Point::from(Vector::from_fn(|_, _| random.normal()).normalize() * 9.0)).collect()
    };
    let cases = [
        (Kind::Line, vec![Point::origin(), Point::new(1.0, 2.0, 3.0)]),
        (Kind::Plane, circle.to_vec()),
        (Kind::Circle, circle.to_vec()),
        (Kind::Sphere, on_sphere(4)),
    ];
    for (kind, points) in cases {
        let found = fitted(kind, &points).unwrap();
        let u = &found.uncertainty;
        assert!(!u.is_stated() && u.position_mm.is_infinite() && u.of_size().is_none(), "{kind:?}: {u:?}");
        assert!(u.assumption.contains("no uncertainty can be stated"), "{}", u.assumption);
        let json = serde_json::to_value(&found).unwrap();
        assert!(json["uncertainty"]["position_mm"].is_null(), "{json}");
    }
    let plane = Shape::Plane { point: Point::origin(), normal: Vector::z() };
    let found = fit_in_plane(Kind::Circle, &circle, &[], &plane, &Options::default(), &Progress::silent()).unwrap();
    assert!(!found.uncertainty.is_stated());
    // One to spare: stated by Student's distribution, which is wide.
    let found = fitted(Kind::Sphere, &on_sphere(5)).unwrap();
    assert!(found.uncertainty.is_stated());
}

/// With one or two residuals to spare, the stated intervals contain the truth in 95 % of the cases.
#[test]
fn intervals_of_very_few_points_cover_the_truth() {
    let mut random = Random::new(58, 23);
    for count in [4_u32, 5, 6] {
        let runs = 1500;
        let mut covered = 0;
        for _ in 0..runs {
            let points: Vec<Point> = (0..count)
                .map(|i| (f64::from(i) * TAU / f64::from(count)).sin_cos())
                .map(|(sin, cos)| Point::new(20.0 * cos, 20.0 * sin, 0.01 * random.normal()))
                .collect();
            let found = fitted(Kind::Plane, &points).unwrap();
            covered += usize::from(found.shape.position().z.abs() < found.uncertainty.position_mm);
        }
        println!("{count} points: {covered} of {runs}");
        assert!((0.92..=0.98).contains(&(covered as f64 / f64::from(runs))), "{count} points: {covered} of {runs}");
    }
}

#[test]
fn a_plane_over_an_edge_is_doubtful_and_a_wavy_one_is_not() {
    let mut random = Random::new(58, 24);
    let mut scanned = |height: &dyn Fn(f64, f64) -> Point| -> Fit {
        let points: Vec<Point> = (0..4000)
            .map(|i| height(f64::from(i % 80) * 0.5, f64::from(i / 80) * 0.5))
            .map(|point| point + Vector::from_fn(|_, _| 0.01 * random.normal()))
            .collect();
        fitted(Kind::Plane, &points).unwrap()
    };
    let over_an_edge = |x: f64, y: f64| if x < 20.0 { Point::new(x, y, 0.0) } else { Point::new(20.0, y, 20.0 - x) };
    let doubt = scanned(&over_an_edge).doubts;
    assert!(doubt[0].contains("are no noise") && doubt[0].contains("one plane"), "{doubt:?}");
    let wavy = scanned(&|x, y| Point::new(x, y, 0.1 * (0.3 * x).sin()));
    assert!(wavy.doubts.is_empty(), "{:?}", wavy.doubts);
    let step = scanned(&|x, y| Point::new(x, y, if x < 20.0 { 0.0 } else { 1.0 }));
    assert!(!step.doubts.is_empty());
    // A few touches, one of another face.
    let mut touches: Vec<Point> = (0..9)
        .map(|i| Point::new(f64::from(i % 3) * 10.0, f64::from(i / 3) * 10.0, 0.002 * f64::from(i % 2)))
        .collect();
    assert!(fitted(Kind::Plane, &touches).unwrap().doubts.is_empty());
    touches[4].z = 12.0;
    assert!(!fitted(Kind::Plane, &touches).unwrap().doubts.is_empty());
}
