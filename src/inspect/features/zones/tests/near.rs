use super::super::super::Shape;
use super::*;

/// Rings of points about the z axis, alternately half of `width` outside and inside of the surface: in equilibrium in
/// each ring and for each parameter, so that the zone width is `width`. `at` gives for each ring the distance from the
/// axis, the height, and the components of the normal along both.
fn rings(width: f64, at: &[[f64; 4]]) -> Vec<Point> {
    let mut points = Vec::new();
    for (ring, [across, along, out, up]) in at.iter().enumerate() {
        for step in 0..8 {
            let (sin, cos) = (f64::from(step) * std::f64::consts::FRAC_PI_4 + 0.3 * ring as f64).sin_cos();
            let off = if step % 2 == 0 { 0.5 * width } else { -0.5 * width };
            let radius = across + off * out;
            points.push(Point::new(radius * cos, radius * sin, along + off * up));
        }
    }
    points
}

fn cylinder() -> Vec<[f64; 4]> {
    [-40.0, -13.0, 2.0, 30.0].iter().map(|along| [30.0, *along, 1.0, 0.0]).collect()
}

fn cone() -> Vec<[f64; 4]> {
    let angle = 0.3_f64;
    [-40.0, -13.0, 2.0, 30.0].iter().map(|z| [30.0 + z * angle.tan(), *z, angle.cos(), -angle.sin()]).collect()
}

fn torus() -> Vec<[f64; 4]> {
    let around = [0.0, 1.0, 2.0, 3.5, 5.0];
    around.iter().map(|a: &f64| [40.0 + 10.0 * a.cos(), 10.0 * a.sin(), a.cos(), a.sin()]).collect()
}

#[test]
fn balanced_rings_have_known_zones() {
    let mut random = Random::new(1, 0x24);
    for width in [2.0, 0.1, 1e-3, 1e-6] {
        for (kind, at) in [(Kind::Cylinder, cylinder()), (Kind::Cone, cone()), (Kind::Torus, torus())] {
            let to = pose(&mut random);
            let points: Vec<Point> = rings(width, &at).iter().map(|point| to * point).collect();
            let found = zone(kind, &points, Certificate::Local);
            assert!((found.form_error_mm - width).abs() < 1e-11, "{kind:?} {width}: {}", found.form_error_mm);
            let off = found.shape.direction().unwrap().cross(&(to * Vector::z())).norm();
            assert!(off < 1e-9, "{kind:?} {width}: {off}");
        }
    }
}

#[test]
fn balanced_rings_have_known_sizes() {
    let mut random = Random::new(2, 0x24);
    for width in [2.0, 1e-3] {
        let to = pose(&mut random);
        let points: Vec<Point> = rings(width, &cylinder()).iter().map(|point| to * point).collect();
        for (objective, size) in
            [(Objective::MinimumCircumscribed, 30.0 + 0.5 * width), (Objective::MaximumInscribed, 30.0 - 0.5 * width)]
        {
            let found = fitted(Kind::Cylinder, objective, &points).unwrap();
            let Shape::Cylinder { radius, .. } = found.shape else { panic!() };
            assert!((radius - size).abs() < 1e-10, "{objective:?} {width}: {radius}");
            assert_eq!(found.zone.as_ref().unwrap().certified, Certificate::Local);
            assert!((found.form_error_mm - width).abs() < 1e-10, "{}", found.form_error_mm);
        }
    }
}

/// Spread of the distances from a cylinder or cone about the axis (x, y, inclination in x, inclination in y), with the
/// half angle as an optional fifth parameter.
fn spread_about(points: &[Point], at: &[f64]) -> f64 {
    let axis = Vector::new(at[2], at[3], 1.0).normalize();
    let from = Point::new(at[0], at[1], 0.0);
    let (sin, cos) = at.get(4).map_or((0.0, 1.0), |angle| angle.sin_cos());
    spread(points.iter().map(|point| {
        let away = point - from;
        away.cross(&axis).norm() * cos - away.dot(&axis) * sin
    }))
}

#[test]
fn no_direct_search_finds_a_narrower_zone() {
    let mut random = Random::new(3, 0x24);
    for (draw, noise) in [3.0, 0.05, 1e-3].into_iter().enumerate() {
        for (kind, slope) in [(Kind::Cylinder, 0.0), (Kind::Cone, 0.3)] {
            let mut on_surface = || {
                let (angle, z) = (random.range(0.0, [6.25, 2.0, 3.0][draw]), random.range(-30.0, 30.0));
                let radius = 20.0 + slope * z + noise * random.range(-1.0, 1.0);
                Point::new(radius * angle.cos(), radius * angle.sin(), z)
            };
            let points: Vec<Point> = (0..40).map(|_| on_surface()).collect();
            let found = zone(kind, &points, Certificate::Local);
            assert_eq!(found.zone.unwrap().contacts.len(), if kind == Kind::Cylinder { 6 } else { 7 });
            let truth = [0.0, 0.0, 0.0, 0.0, f64::atan(slope)];
            let start = if kind == Kind::Cylinder { &truth[..4] } else { &truth[..] };
            let searches = (0..6).map(|_| {
                let from: Vec<f64> = start.iter().map(|x| x + 0.01 * noise * random.normal()).collect();
                nelder_mead(&from, 0.05 * noise, &|at| spread_about(&points, at), &mut random)
            });
            let best = searches.fold(f64::INFINITY, f64::min);
            assert!(found.form_error_mm < best + 1e-9, "{kind:?}: {} {best}", found.form_error_mm);
            // The searches do converge.
            assert!(best < found.form_error_mm * 1.05, "{kind:?}: {} {best}", found.form_error_mm);
        }
    }
}

#[test]
fn no_direct_search_finds_a_better_size() {
    let mut random = Random::new(4, 0x24);
    for noise in [3.0, 0.05] {
        let mut on_surface = || {
            let (angle, z) = (random.range(0.0, 6.25), random.range(-30.0, 30.0));
            let radius = 20.0 + noise * random.range(-1.0, 1.0);
            Point::new(radius * angle.cos(), radius * angle.sin(), z)
        };
        let points: Vec<Point> = (0..60).map(|_| on_surface()).collect();
        for (objective, side) in [(Objective::MinimumCircumscribed, 1.0), (Objective::MaximumInscribed, -1.0)] {
            let found = fitted(Kind::Cylinder, objective, &points).unwrap();
            let Shape::Cylinder { radius, .. } = found.shape else { panic!() };
            assert_eq!(found.zone.unwrap().certified, Certificate::Local);
            let farthest = |at: &[f64]| {
                let (axis, from) = (Vector::new(at[2], at[3], 1.0).normalize(), Point::new(at[0], at[1], 0.0));
                points.iter().map(|point| side * (point - from).cross(&axis).norm()).fold(f64::NEG_INFINITY, f64::max)
            };
            let searches = (0..6).map(|_| {
                let from: Vec<f64> = (0..4).map(|_| 0.01 * noise * random.normal()).collect();
                nelder_mead(&from, 0.05 * noise, &farthest, &mut random)
            });
            let best = searches.fold(f64::INFINITY, f64::min);
            assert!(side * radius < best + 1e-9, "{objective:?}: {radius} {best}");
            assert!(best < side * radius + 0.05 * noise, "{objective:?}: {radius} {best}");
        }
    }
}

/// The zone is invariant to pose, unit and order of the points.
#[test]
fn zones_are_invariant_to_pose_unit_and_order() {
    let mut random = Random::new(5, 0x24);
    for kind in Kind::ALL {
        let points = super::large::cloud(kind, 400, &mut random);
        let here = fitted(kind, Objective::MinimumZone, &points).unwrap();
        for _ in 0..3 {
            let to = pose(&mut random);
            let mut moved: Vec<Point> = points.iter().map(|point| to * point * 2.0).collect();
            random.shuffle(&mut moved);
            let there = fitted(kind, Objective::MinimumZone, &moved).unwrap();
            assert_eq!(here.zone.as_ref().unwrap().certified, there.zone.as_ref().unwrap().certified);
            let (width, doubled) = (here.form_error_mm, 0.5 * there.form_error_mm);
            assert!((width - doubled).abs() < 1e-9, "{kind:?}: {width} {doubled}");
            // The reference point in the frame of the part.
            let off = to * here.shape.position() - there.shape.position() * 0.5;
            let off = there.shape.direction().filter(|_| kind != Kind::Torus).map_or(off, |axis| match kind {
                Kind::Plane => axis * axis.dot(&off),
                _ => off - axis * axis.dot(&off),
            });
            assert!(off.norm() < 1e-7, "{kind:?}: {off}");
        }
    }
}
