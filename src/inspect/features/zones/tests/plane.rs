use super::*;

/// Minimum width over all normals of three points, and all perpendicular to two pairs.
fn brute(points: &[Point]) -> f64 {
    let edges: Vec<Vector> = subsets(points.len(), 2).iter().map(|pair| points[pair[0]] - points[pair[1]]).collect();
    let mut best = f64::INFINITY;
    for (i, one) in edges.iter().enumerate() {
        for other in &edges[..i] {
            if let Some(normal) = one.cross(other).try_normalize(1e-9) {
                best = best.min(spread(points.iter().map(|point| point.coords.dot(&normal))));
            }
        }
    }
    best
}

#[test]
fn the_zone_of_a_few_points_is_that_of_the_best_contacts() {
    let mut random = Random::new(1, 0x21);
    for draw in 0..60 {
        let thick = [60.0, 5.0, 0.1, 1e-4][draw % 4];
        let to = pose(&mut random);
        let mut point = || {
            let own = Point::new(random.range(-50.0, 50.0), random.range(-40.0, 40.0), random.range(-thick, thick));
            to * own
        };
        let points: Vec<Point> = (0..8 + draw % 7).map(|_| point()).collect();
        let found = zone(Kind::Plane, &points, Certificate::Exact);
        let best = brute(&points);
        assert!((found.form_error_mm - best).abs() < 1e-9, "{thick}: {} {best}", found.form_error_mm);
        assert_eq!(found.zone.unwrap().contacts.len(), 4);
        let (max, min) = (found.residuals_mm.iter().fold(-1e9, |a: f64, b| a.max(*b)), -0.5 * best);
        assert!((max + min).abs() < 1e-9, "the plane is centred in its zone");
    }
}

#[test]
fn the_zone_of_a_cube_is_its_edge() {
    let corners: Vec<Point> =
        (0..8).map(|i| Point::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2))).collect();
    assert!((zone(Kind::Plane, &corners, Certificate::Exact).form_error_mm - 1.0).abs() < 1e-14);
    // The width of a regular tetrahedron is the distance between two opposite edges.
    let tetrahedron: Vec<Point> = [0, 3, 5, 6].iter().map(|&i| corners[i]).collect();
    assert!((zone(Kind::Plane, &tetrahedron, Certificate::Exact).form_error_mm - 1.0).abs() < 1e-14);
}

#[test]
fn a_flat_grid_has_zero_zone_width() {
    let mut random = Random::new(2, 0x21);
    let to = pose(&mut random);
    let points: Vec<Point> = (0..400).map(|i| to * Point::new(f64::from(i % 20), f64::from(i / 20), 0.0)).collect();
    assert!(zone(Kind::Plane, &points, Certificate::Exact).form_error_mm < 1e-11);
}
