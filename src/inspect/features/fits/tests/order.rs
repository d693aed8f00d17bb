//! The order of the points is no part of the answer: rings, grids and tessellations in the orders that programs write.

use super::super::{Drawn, Fit, Kind, Options, Shape, fit};
use base::{Progress, random::Random};
use geometry::{Point, Pose, Vector};
use std::f64::consts::TAU;

fn fitted(kind: Kind, points: &[Point]) -> Fit {
    fit(kind, points, &[], &Options::default(), &Progress::silent()).unwrap()
}

/// Two rings of a tessellated cylinder, their points in turn as a tessellation lists them.
fn tessellated(count: u32, radius: f64, length: f64, pose: &Pose) -> Vec<Point> {
    let ring = |i: u32| (f64::from(i) * TAU / f64::from(count)).sin_cos();
    let pair = |(sin, cos): (f64, f64)| [0.0, length].map(|z| pose * Point::new(radius * cos, radius * sin, z));
    (0..count).flat_map(|i| pair(ring(i))).collect()
}

/// Points of each kind of shape with a little noise, in regular orders.
fn regular(random: &mut Random) -> Vec<(Kind, Vec<Point>)> {
    let pose = Pose::from_parts(Vector::new(1700.0, 508.0, -40.0).into(), random.rotation());
    let mut noisy = |x: f64, y: f64, z: f64| {
        pose * Point::new(x + 2e-3 * random.normal(), y + 2e-3 * random.normal(), z + 2e-3 * random.normal())
    };
    let grid =
        |rows: u32, columns: u32| (0..rows * columns).map(move |i| (f64::from(i % columns), f64::from(i / columns)));
    let around = |share: f64| (share * TAU).sin_cos();
    vec![
        (Kind::Line, (0..700).map(|i| noisy(f64::from(i % 2) * 50.0 + f64::from(i / 2) * 0.1, 0.0, 0.0)).collect()),
        (Kind::Plane, grid(30, 40).map(|(x, y)| noisy(x, y, 0.0)).collect()),
        (
            Kind::Circle,
            (0..900)
                .map(|i| around(f64::from(i % 3) / 3.0 + f64::from(i) / 4000.0))
                .map(|(sin, cos)| noisy(20.0 * cos, 20.0 * sin, 0.0))
                .collect(),
        ),
        (
            Kind::Sphere,
            grid(30, 40)
                .map(|(i, j)| (around(i / 40.0), around(0.02 + j / 70.0)))
                .map(|((sin, cos), (across, along))| noisy(15.0 * across * cos, 15.0 * across * sin, 15.0 * along))
                .collect(),
        ),
        (
            Kind::Cylinder,
            grid(600, 2)
                .map(|(level, i)| (around(i / 600.0), level))
                .map(|((sin, cos), level)| noisy(25.0 * cos, 25.0 * sin, 60.0 * level))
                .collect(),
        ),
        (
            Kind::Cone,
            grid(600, 2)
                .map(|(level, i)| (around(i / 600.0), level, 20.0 + 10.0 * level))
                .map(|((sin, cos), level, radius)| noisy(radius * cos, radius * sin, 40.0 * level))
                .collect(),
        ),
        (
            Kind::Torus,
            grid(25, 40)
                .map(|(i, j)| (around(i / 40.0), around(j / 25.0)))
                .map(|((sin, cos), (up, out))| noisy((30.0 + 8.0 * out) * cos, (30.0 + 8.0 * out) * sin, 8.0 * up))
                .collect(),
        ),
    ]
}

/// The radius, or the half angle, that a shape was made with.
fn size(shape: &Shape) -> f64 {
    match *shape {
        Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. } => radius,
        Shape::Cone { half_angle_rad, .. } => half_angle_rad,
        Shape::Torus { major, .. } => major,
        Shape::Line { .. } | Shape::Plane { .. } => 0.0,
    }
}

#[test]
fn a_shuffle_changes_no_bit_of_a_fit_of_any_shape() {
    let mut random = Random::new(58, 10);
    for (kind, points) in regular(&mut random) {
        let first = fitted(kind, &points);
        let expected = match kind {
            Kind::Line | Kind::Plane => 0.0,
            Kind::Circle => 20.0,
            Kind::Sphere => 15.0,
            Kind::Cylinder => 25.0,
            Kind::Cone => 0.25_f64.atan(),
            Kind::Torus => 30.0,
        };
        assert!((size(&first.shape) - expected).abs() < 1e-3, "{kind:?}: {:?}", first.shape);
        let (mut order, drawn): (Vec<usize>, _) = ((0..points.len()).collect(), Drawn::new(&points, &[]).points);
        for shuffle in 0..100 {
            random.shuffle(&mut order);
            let shuffled: Vec<Point> = order.iter().map(|&i| points[i]).collect();
            // A fit sees no other order than this; some are made to see that it does not.
            assert!(Drawn::new(&shuffled, &[]).points == drawn, "{kind:?}");
            if shuffle >= 3 {
                continue;
            }
            let other = fitted(kind, &shuffled);
            assert_eq!((other.shape, other.sigma_mm), (first.shape, first.sigma_mm), "{kind:?}");
            assert_eq!(other.uncertainty, first.uncertainty, "{kind:?}");
            let back: Vec<f64> = order.iter().map(|&i| first.residuals_mm[i]).collect();
            assert_eq!(other.residuals_mm, back, "{kind:?}: residuals belong to their points");
        }
    }
}

#[test]
fn outliers_and_robust_starts_are_the_same_in_any_order() {
    let mut random = Random::new(58, 11);
    let mut points = tessellated(300, 25.0, 60.0, &Pose::identity());
    points.iter_mut().for_each(|point| *point += Vector::from_fn(|_, _| 2e-3 * random.normal()));
    points.iter_mut().step_by(9).for_each(|point| point.x += 3.0);
    let options = Options { robust: true, clip_sigmas: Some(4.0), ..Options::default() };
    let fitted = |points: &[Point]| fit(Kind::Cylinder, points, &[], &options, &Progress::silent()).unwrap();
    let first = fitted(&points);
    assert!((size(&first.shape) - 25.0).abs() < 1e-3, "{:?}", first.shape);
    let mut order: Vec<usize> = (0..points.len()).collect();
    random.shuffle(&mut order);
    let other = fitted(&order.iter().map(|&i| points[i]).collect::<Vec<_>>());
    assert_eq!(other.shape, first.shape);
    let dropped = |fit: &Fit, index: usize| fit.dropped.binary_search(&(index as u32)).is_ok();
    assert!(order.iter().enumerate().all(|(now, &before)| dropped(&other, now) == dropped(&first, before)));
}

/// Every n-th point of these lies on one ring: a radius of 325 mm was found for 101.6.
#[test]
fn rings_in_alternating_order_have_the_right_radius() {
    let mut random = Random::new(58, 12);
    for round in 0..20 {
        let pose = Pose::from_parts(Vector::new(1651.0, 508.0, 0.0).into(), random.rotation());
        let (radius, length) = (random.range(3.0, 200.0), random.range(5.0, 700.0));
        let count = 300 + random.index(300) as u32;
        let points = tessellated(count, radius, length, &pose);
        let found = fitted(Kind::Cylinder, &points);
        assert!((size(&found.shape) - radius).abs() < 1e-7, "{round}: {:?} for {radius}", found.shape);
    }
    let exact =
        tessellated(448, 101.6, 635.0, &Pose::from_parts(Vector::new(1651.0, 508.0, 0.0).into(), Default::default()));
    let Shape::Cylinder { radius, .. } = fitted(Kind::Cylinder, &exact).shape else { panic!() };
    assert!((radius - 101.6).abs() < 1e-9, "{radius}");
}
