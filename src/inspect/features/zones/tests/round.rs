use super::super::super::Shape;
use super::*;
use nalgebra::{DMatrix, DVector};

/// The centre equidistant from the points of each group: that of the zone, if each group lies on one circle or sphere.
fn centre(points: &[Point], groups: &[&[usize]], dimensions: usize) -> Option<Point> {
    let pairs = groups.iter().flat_map(|group| group[1..].iter().map(|&other| (group[0], other)));
    let pairs: Vec<(Point, Point)> = pairs.map(|(a, b)| (points[a], points[b])).collect();
    assert_eq!(pairs.len(), dimensions);
    let rows = DMatrix::from_fn(dimensions, dimensions, |i, k| 2.0 * (pairs[i].0 - pairs[i].1)[k]);
    let squares =
        DVector::from_fn(dimensions, |i, _| pairs[i].0.coords.norm_squared() - pairs[i].1.coords.norm_squared());
    let found = rows.full_piv_lu().solve(&squares)?;
    let centre = Point::new(found[0], found[1], if dimensions == 3 { found[2] } else { 0.0 });
    centre.coords.iter().all(|c| c.abs() < 1e9).then_some(centre)
}

/// All possible centres of zones determined by their contacts.
fn centres(points: &[Point], dimensions: usize) -> Vec<Point> {
    let mut found = Vec::new();
    for set in subsets(points.len(), dimensions + 2) {
        for inner_count in 1..=(dimensions + 2) / 2 {
            for split in subsets(dimensions + 2, inner_count) {
                let (inner, outer): (Vec<(usize, &usize)>, Vec<_>) =
                    set.iter().enumerate().partition(|(i, _)| split.contains(i));
                let [inner, outer] = [inner, outer].map(|group| group.iter().map(|own| *own.1).collect::<Vec<usize>>());
                found.extend(centre(points, &[&inner, &outer], dimensions));
            }
        }
    }
    found
}

fn width(points: &[Point], centre: &Point) -> f64 {
    spread(points.iter().map(|point| (point - centre).norm()))
}

fn min_width(points: &[Point], dimensions: usize) -> f64 {
    centres(points, dimensions).iter().map(|centre| width(points, centre)).fold(f64::INFINITY, f64::min)
}

#[test]
fn the_ring_of_a_few_points_is_that_of_the_best_contacts() {
    let mut random = Random::new(1, 0x22);
    for draw in 0..60 {
        let arc = [6.25, 6.25, 3.0, 1.0, 0.4][draw % 5];
        let points = ring(&mut random, 8 + draw % 7, [15.0, 0.1, 1e-3][draw % 3], arc);
        let best = min_width(&points, 2);
        let found = zone(Kind::Circle, &points, Certificate::Exact);
        assert!((found.form_error_mm - best).abs() < 1e-9, "{draw} {arc}: {} {best}", found.form_error_mm);
        assert_eq!(found.zone.unwrap().contacts.len(), 4);
    }
}

fn shell(random: &mut Random, count: usize, error: f64, cap: f64) -> Vec<Point> {
    let mut on_shell = || {
        let z = random.range(1.0 - cap, 1.0);
        let angle = random.range(0.0, std::f64::consts::TAU);
        let across = (1.0_f64 - z * z).sqrt();
        Point::from(Vector::new(across * angle.cos(), across * angle.sin(), z) * (50.0 + random.range(-error, error)))
    };
    (0..count).map(|_| on_shell()).collect()
}

#[test]
fn the_shell_of_a_few_points_is_that_of_the_best_contacts() {
    let mut random = Random::new(2, 0x22);
    for draw in 0..30 {
        let points = shell(&mut random, 8 + draw % 4, [15.0, 0.1, 1e-3][draw % 3], [2.0, 1.0, 0.1][draw / 10]);
        let best = min_width(&points, 3);
        let found = zone(Kind::Sphere, &points, Certificate::Exact);
        assert!((found.form_error_mm - best).abs() < 1e-9, "{draw}: {} {best}", found.form_error_mm);
        assert_eq!(found.zone.unwrap().contacts.len(), 5);
    }
}

/// Arbitrary points, whose best zone may have a remote centre.
#[test]
fn arbitrary_points_have_their_best_zone() {
    let mut random = Random::new(3, 0x22);
    for draw in 0..30 {
        let mut coordinate = || random.range(-50.0, 50.0);
        let flat: Vec<Point> = (0..8).map(|_| Point::new(coordinate(), coordinate(), 0.0)).collect();
        let full: Vec<Point> = (0..8).map(|_| Point::new(coordinate(), coordinate(), coordinate())).collect();
        for (kind, points, dimensions) in [(Kind::Circle, flat, 2), (Kind::Sphere, full, 3)] {
            let best = min_width(&points, dimensions);
            let found = fitted(kind, Objective::MinimumZone, &points).unwrap();
            assert!((found.form_error_mm - best).abs() < 1e-9, "{draw} {kind:?}: {} {best}", found.form_error_mm);
        }
    }
}

#[test]
fn the_ball_enclosing_a_few_points_is_the_best_of_all_subsets() {
    let mut random = Random::new(4, 0x22);
    for draw in 0..40 {
        let (points, dimensions, kind) = match draw % 2 {
            0 => (ring(&mut random, 10, 10.0, [6.25, 2.0][draw / 2 % 2]), 2, Kind::Circle),
            _ => (shell(&mut random, 10, 10.0, [2.0, 0.5][draw / 2 % 2]), 3, Kind::Sphere),
        };
        // Centres of pairs, of triples in their own plane, and of quadruples.
        let mut candidates: Vec<Point> =
            subsets(10, 2).iter().map(|pair| nalgebra::center(&points[pair[0]], &points[pair[1]])).collect();
        for triple in subsets(10, 3) {
            let [a, b, c] = [0, 1, 2].map(|i| points[triple[i]]);
            let (u, v) = (b - a, c - a);
            let normal = u.cross(&v);
            let to_centre =
                (u.norm_squared() * v - v.norm_squared() * u).cross(&normal) / (2.0 * normal.norm_squared());
            candidates.push(a + to_centre);
        }
        if dimensions == 3 {
            candidates.extend(subsets(10, 4).iter().filter_map(|four| centre(&points, &[four], 3)));
        }
        let farthest = |centre: &Point| points.iter().map(|point| (point - centre).norm()).fold(0.0, f64::max);
        let best = candidates.iter().map(farthest).fold(f64::INFINITY, f64::min);
        let found = fitted(kind, Objective::MinimumCircumscribed, &points).unwrap();
        let radius = radius(&found);
        assert!((radius - best).abs() < 1e-9, "{radius} {best}");
        assert!(found.residuals_mm.iter().all(|residual| *residual < 1e-12));
        assert_eq!(found.zone.unwrap().certified, Certificate::Exact);
    }
}

fn radius(found: &Fit) -> f64 {
    match found.shape {
        Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. } => radius,
        _ => panic!("{:?}", found.shape),
    }
}

/// Whether the barycentric coordinates of `point` are non-negative.
fn is_in_hull(point: &Point, corners: &[Point], dimensions: usize) -> bool {
    let size = corners.len();
    let rows = DMatrix::from_fn(size, size, |i, j| if i == dimensions { 1.0 } else { corners[j][i] });
    let right = DVector::from_fn(size, |i, _| if i == dimensions { 1.0 } else { point[i] });
    rows.full_piv_lu().solve(&right).is_some_and(|shares| shares.iter().all(|share| *share >= 0.0))
}

#[test]
fn the_ball_within_a_few_points_is_the_largest_surrounded_one() {
    let mut random = Random::new(5, 0x22);
    let mut surrounded = 0;
    for draw in 0..60 {
        let (points, dimensions, kind) = match draw % 2 {
            0 => (ring(&mut random, 12, 10.0, 6.25), 2, Kind::Circle),
            _ => (shell(&mut random, 14, 10.0, 2.0), 3, Kind::Sphere),
        };
        let nearest = |centre: &Point| points.iter().map(|point| (point - centre).norm()).fold(f64::INFINITY, f64::min);
        // Surrounded by its contacts: an empty ball whose centre is in their convex hull.
        let mut best: f64 = 0.0;
        for set in subsets(points.len(), dimensions + 1) {
            let corners: Vec<Point> = set.iter().map(|&i| points[i]).collect();
            let Some(candidate) = centre(&points, &[&set], dimensions) else { continue };
            if (nearest(&candidate) - (corners[0] - candidate).norm()).abs() < 1e-9
                && is_in_hull(&candidate, &corners, dimensions)
            {
                best = best.max(nearest(&candidate));
            }
        }
        match fitted(kind, Objective::MaximumInscribed, &points) {
            Ok(found) => {
                surrounded += 1;
                assert!((radius(&found) - best).abs() < 1e-9, "{draw} {kind:?}: {} {best}", radius(&found));
                assert!(found.residuals_mm.iter().all(|residual| *residual > -1e-12));
                assert_eq!(found.zone.unwrap().certified, Certificate::Exact);
            }
            // A larger one is limited by the hull only: none determined by contacts is as good.
            Err(error) => assert!(error.sentence.contains("do not surround"), "{}", error.sentence),
        }
    }
    assert!(surrounded > 40, "{surrounded}");
}

/// A circle with lobes: the zone width is twice their amplitude, and the zone is concentric.
#[test]
fn lobes_have_known_zones() {
    let mut random = Random::new(6, 0x22);
    let to = pose(&mut random);
    for lobes in [3.0, 4.0, 5.0, 7.0] {
        let lobed = |i: i32| {
            let angle = f64::from(i) * std::f64::consts::TAU / 840.0;
            let radius = 20.0 + 0.01 * (lobes * angle).cos();
            to * Point::new(radius * angle.cos(), radius * angle.sin(), 0.0)
        };
        let points: Vec<Point> = (0..840).map(lobed).collect();
        let found = zone(Kind::Circle, &points, Certificate::Exact);
        assert!((found.form_error_mm - 0.02).abs() < 1e-11, "{lobes}: {}", found.form_error_mm);
        assert!((found.shape.position() - to * Point::origin()).norm() < 1e-9);
        assert!((radius(&found) - 20.0).abs() < 1e-9);
        let outer = fitted(Kind::Circle, Objective::MinimumCircumscribed, &points).unwrap();
        let inner = fitted(Kind::Circle, Objective::MaximumInscribed, &points).unwrap();
        assert!((radius(&outer) - 20.01).abs() < 1e-10, "{}", radius(&outer));
        assert!((radius(&inner) - 19.99).abs() < 1e-10, "{}", radius(&inner));
        assert!((outer.form_error_mm - 0.02).abs() < 1e-10 && (inner.form_error_mm - 0.02).abs() < 1e-10);
    }
}

#[test]
fn polygons_and_cubes_have_known_zones() {
    for corners in 3..12 {
        let (step, half) = (std::f64::consts::TAU / f64::from(corners), std::f64::consts::PI / f64::from(corners));
        let at = |angle: f64, radius: f64| Point::new(5.0 + radius * angle.cos(), radius * angle.sin(), 1.0);
        let ends = (0..corners).map(|i| at(f64::from(i) * step, 3.0));
        let middles = (0..corners).map(|i| at(f64::from(i) * step + half, 3.0 * half.cos()));
        let points: Vec<Point> = ends.chain(middles).collect();
        let found = zone(Kind::Circle, &points, Certificate::Exact);
        assert!((found.form_error_mm - 3.0 * (1.0 - half.cos())).abs() < 1e-12, "{corners}: {found:?}");
    }
    let cube = (0..8).map(|i| Point::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)));
    let centred = |point: Point| point - Vector::repeat(0.5);
    let corners: Vec<Point> = cube.map(centred).collect();
    assert!(zone(Kind::Sphere, &corners, Certificate::Exact).form_error_mm < 1e-14);
    let faces = (0..6).map(|i| Point::from(Vector::ith(i / 2, if i % 2 == 0 { 0.5 } else { -0.5 })));
    let points: Vec<Point> = corners.into_iter().chain(faces).collect();
    let found = zone(Kind::Sphere, &points, Certificate::Exact);
    assert!((found.form_error_mm - (0.75_f64.sqrt() - 0.5)).abs() < 1e-12, "{}", found.form_error_mm);
    let inner = fitted(Kind::Sphere, Objective::MaximumInscribed, &points).unwrap();
    let outer = fitted(Kind::Sphere, Objective::MinimumCircumscribed, &points).unwrap();
    assert!((radius(&inner) - 0.5).abs() < 1e-12 && (radius(&outer) - 0.75_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn deviations_out_of_the_plane_of_a_circle_are_reported_separately() {
    let mut random = Random::new(7, 0x22);
    let mut points = ring(&mut random, 50, 0.01, 6.25);
    let flat = zone(Kind::Circle, &points, Certificate::Exact);
    points.iter_mut().enumerate().for_each(|(i, point)| point.z = if i % 2 == 0 { 0.3 } else { -0.3 });
    let found = zone(Kind::Circle, &points, Certificate::Exact);
    assert!((found.form_error_mm - flat.form_error_mm).abs() < 1e-3);
    let beside = found.zone.unwrap().out_of_plane_mm.unwrap();
    assert!((beside - 0.6).abs() < 0.05, "{beside}");
}
