//! Fits of known slots: exact, noisy, and incomplete outlines.

use super::*;
use base::random::Random;

/// Points at even steps along the outline of a slot, displaced by `off` of the position along the outline, 0 to 1.
fn rim(slot: &Slot, count: usize, mut off: impl FnMut(f64) -> Vector) -> Vec<Point> {
    let half = 0.5 * (slot.length_mm - slot.width_mm);
    let (radius, pi) = (0.5 * slot.width_mm, std::f64::consts::PI);
    let across = slot.normal.cross(&slot.direction);
    let round = 2.0 * pi * radius + 4.0 * half;
    let at = |s: f64| {
        let arc = pi * radius;
        let (u, v) = if s < arc {
            let a = s / radius - 0.5 * pi;
            (half + radius * a.cos(), radius * a.sin())
        } else if s < arc + 2.0 * half {
            (half - (s - arc), radius)
        } else if s < 2.0 * arc + 2.0 * half {
            let a = (s - arc - 2.0 * half) / radius + 0.5 * pi;
            (-half + radius * a.cos(), radius * a.sin())
        } else {
            (s - 2.0 * arc - 3.0 * half, -radius)
        };
        slot.centre + slot.direction * u + across * v
    };
    (0..count).map(|i| i as f64 / count as f64).map(|share| at(share * round) + off(share)).collect()
}

fn any_slot(random: &mut Random) -> (Slot, Shape) {
    let pose = Pose::from_parts(Vector::new(400.0, -90.0, 800.0).into(), random.rotation());
    let width_mm = random.range(3.0, 12.0);
    let length_mm = width_mm * random.range(1.15, 6.0);
    let slot = Slot { centre: Point::origin(), normal: Vector::z(), direction: Vector::x(), length_mm, width_mm };
    (slot.moved(&pose), Shape::Plane { point: Point::origin(), normal: Vector::z() }.moved(&pose))
}

fn fitted(points: &[Point], plane: &Shape) -> Result<SlotFit> {
    fit_slot(points, plane, None, &Progress::silent())
}

#[test]
fn derivatives_are_those_of_the_residual() {
    let mut random = Random::new(11, 1);
    for _ in 0..200 {
        let parameters = [0.1, -0.2, random.range(-3.0, 3.0), 0.5, 0.4];
        let point = [random.range(-1.5, 1.5), random.range(-1.5, 1.5)];
        let (_, by) = residual(&parameters, &point);
        for k in 0..5 {
            let moved = |step: f64| {
                let mut moved_parameters = parameters;
                moved_parameters[k] += step;
                residual(&moved_parameters, &point).0
            };
            let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
            assert!((by[k] - slope).abs() < 1e-5, "{k} {} {slope}", by[k]);
        }
    }
}

#[test]
fn exact_slots_are_recovered_with_their_outline() {
    let mut random = Random::new(12, 1);
    for _ in 0..50 {
        let (slot, plane) = any_slot(&mut random);
        // Points out of the plane count by their projection.
        let points = rim(&slot, 90, |_| slot.normal * random.range(-0.5, 0.5));
        assert!(points.iter().all(|point| slot.distance(point).abs() < 1e-10));
        let found = fitted(&points, &plane).unwrap();
        let own = found.slot;
        assert!((own.centre - slot.centre).norm() < 1e-9, "{own:?} {slot:?}");
        assert!(own.direction.cross(&slot.direction).norm() < 1e-9);
        assert!((own.length_mm - slot.length_mm).abs() < 1e-9 && (own.width_mm - slot.width_mm).abs() < 1e-9);
        assert!(found.converged && found.form_error_mm < 1e-9);
        assert!(own.outline().iter().all(|corner| own.distance(corner).abs() < 1e-12 * 1e3));
        assert_eq!(own.outline().first(), own.outline().last());
    }
}

/// Stated standard deviations against repetitions; sigma against the simulated noise.
#[test]
fn uncertainties_are_the_spread_of_repetitions() {
    let mut random = Random::new(13, 1);
    let (slot, plane) = any_slot(&mut random);
    let across = slot.normal.cross(&slot.direction);
    let (runs, noise) = (600, 0.01);
    let mut observed: [Vec<f64>; 5] = Default::default();
    let (mut stated, mut sigma) = ([0.0; 5], 0.0);
    for _ in 0..runs {
        let mut draw = |_| (slot.direction * random.normal() + across * random.normal()) * noise;
        let found = fitted(&rim(&slot, 80, &mut draw), &plane).unwrap();
        let (off, u) = (found.slot.centre - slot.centre, &found.uncertainty);
        let lean = found.slot.direction * found.slot.direction.dot(&slot.direction).signum();
        let values =
            [off.dot(&slot.direction), off.dot(&across), lean.dot(&across), found.slot.length_mm, found.slot.width_mm];
        let shift = |axis: &Vector| axis.dot(&(u.motion.fixed_view::<3, 3>(0, 0) * axis)).sqrt();
        let own =
            [shift(&slot.direction), shift(&across), u.direction_rad / 2.0, u.numbers[0] / 2.0, u.numbers[1] / 2.0];
        for k in 0..5 {
            observed[k].push(values[k]);
            stated[k] += own[k] / f64::from(runs);
        }
        sigma += found.sigma_mm / f64::from(runs);
    }
    assert!((sigma / noise - 1.0).abs() < 0.02, "{sigma}");
    for (values, stated) in observed.iter().zip(stated) {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let spread = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt();
        println!("stated {stated:.3e}, observed {spread:.3e}");
        assert!((stated / spread - 1.0).abs() < 0.12, "{stated} {spread}");
    }
}

/// No slot near the fitted one has a smaller sum of squares, and the RMS is that of the minimum.
#[test]
fn the_sum_of_squares_is_minimal() {
    let mut random = Random::new(14, 1);
    for _ in 0..10 {
        let (slot, plane) = any_slot(&mut random);
        let across = slot.normal.cross(&slot.direction);
        let points = rim(&slot, 200, |_| (slot.direction * random.normal() + across * random.normal()) * 0.03);
        let found = fitted(&points, &plane).unwrap();
        let cost = |slot: &Slot| points.iter().map(|point| slot.distance(point).powi(2)).sum::<f64>();
        let min = cost(&found.slot);
        assert!((found.rms_mm - (min / 200.0).sqrt()).abs() < 1e-12);
        for step in [1e-4, 1e-3] {
            for _ in 0..50 {
                let mut near = found.slot;
                near.centre += (slot.direction * random.normal() + across * random.normal()) * step;
                near.direction = (near.direction + across * (0.1 * step * random.normal())).normalize();
                near.length_mm += step * random.normal();
                near.width_mm += step * random.normal();
                assert!(cost(&near) >= min);
            }
        }
    }
}

#[test]
fn outliers_are_dropped() {
    let mut random = Random::new(15, 1);
    let (slot, plane) = any_slot(&mut random);
    let across = slot.normal.cross(&slot.direction);
    let mut points = rim(&slot, 200, |_| across * (0.01 * random.normal()));
    for i in 0..12 {
        points[i * 16] += across * random.range(0.3, 0.9) + slot.direction * 0.2;
    }
    let found = fit_slot(&points, &plane, Some(4.0), &Progress::silent()).unwrap();
    assert!((found.slot.width_mm - slot.width_mm).abs() < 0.01, "{}", found.slot.width_mm);
    assert!((found.slot.length_mm - slot.length_mm).abs() < 0.015, "{}", found.slot.length_mm);
    assert!((0..12).all(|i| found.dropped.contains(&(i * 16))) && found.form_error_mm < 0.09);
}

#[test]
fn points_that_form_no_slot_are_an_error() {
    let mut random = Random::new(16, 1);
    let (slot, plane) = any_slot(&mut random);
    let slot = Slot { length_mm: 3.0 * slot.width_mm, ..slot };
    let across = slot.normal.cross(&slot.direction);
    let points = rim(&slot, 100, |_| across * (0.01 * random.normal()));
    let says = |points: &[Point]| fitted(points, &plane).unwrap_err().sentence;
    assert!(says(&points[..4]).contains("at least 5 points; there are 4"));
    // One end only.
    let end: Vec<Point> =
        points.iter().filter(|point| (**point - slot.centre).dot(&slot.direction) > 0.0).copied().collect();
    assert!(says(&end).contains("do not determine a slot"));
    let circle = Slot { length_mm: slot.width_mm * (1.0 + 1e-9), ..slot };
    for _ in 0..20 {
        let round = rim(&circle, 100, |_| (across * random.normal() + slot.direction * random.normal()) * 0.01);
        assert!(says(&round).contains("fit a circle"));
    }
    assert!(says(&vec![points[0]; 20]).contains("do not determine a slot"));
    let row: Vec<Point> = (0..20).map(|i| slot.centre + slot.direction * f64::from(i)).collect();
    assert!(says(&row).contains("do not determine a slot"));
    let mut broken = points.clone();
    broken[3].x = f64::NAN;
    assert!(says(&broken).contains("finite"));
    let sphere = Shape::Sphere { centre: Point::origin(), radius: 1.0 };
    assert!(fitted(&points, &sphere).unwrap_err().sentence.contains("needs a plane"));
}
