use super::*;
use crate::features::element::any_perpendicular;

/// Radius of the smallest circle enclosing the points projected along `axis`, by all pairs and triples.
fn radius_along(points: &[Point], axis: &Vector) -> f64 {
    let x = any_perpendicular(axis);
    let y = axis.cross(&x);
    let projected: Vec<[f64; 2]> = points.iter().map(|point| [point.coords.dot(&x), point.coords.dot(&y)]).collect();
    let max_distance = |[u, v]: [f64; 2]| projected.iter().map(|p| (p[0] - u).hypot(p[1] - v)).fold(0.0, f64::max);
    let mut best = f64::INFINITY;
    for (i, a) in projected.iter().enumerate() {
        for (j, b) in projected[..i].iter().enumerate() {
            best = best.min(max_distance([0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])]));
            for c in &projected[..j] {
                let ([bx, by], [cx, cy]) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
                let (area, b2, c2) = (2.0 * (bx * cy - by * cx), bx * bx + by * by, cx * cx + cy * cy);
                let centre = [a[0] + (cy * b2 - by * c2) / area, a[1] + (bx * c2 - cx * b2) / area];
                if centre[0].is_finite() && centre[1].is_finite() {
                    best = best.min(max_distance(centre));
                }
            }
        }
    }
    best
}

/// The minimum over all directions: the best of a grid, each improved by a local search.
fn brute(points: &[Point], random: &mut Random) -> f64 {
    let count = 400;
    let mut starts: Vec<(f64, Vector)> = (0..count)
        .map(|i| {
            let z = (f64::from(i) + 0.5) / f64::from(count);
            let (sin, cos) = (2.399963229728653 * f64::from(i)).sin_cos();
            let axis = Vector::new((1.0 - z * z).sqrt() * cos, (1.0 - z * z).sqrt() * sin, z);
            (radius_along(points, &axis), axis)
        })
        .collect();
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let improved = |(_, axis): &(f64, Vector)| {
        let x = any_perpendicular(axis);
        let y = axis.cross(&x);
        let radius_at = |at: &[f64]| radius_along(points, &(axis + x * at[0] + y * at[1]).normalize());
        nelder_mead(&[0.0; 2], 0.03, &radius_at, random)
    };
    starts.iter().take(6).map(improved).fold(f64::INFINITY, f64::min)
}

#[test]
fn the_cylinder_enclosing_a_few_points_is_the_smallest_of_all_directions() {
    let mut random = Random::new(1, 0x23);
    for draw in 0..8 {
        let thick = [50.0, 20.0, 1.0, 1e-3][draw % 4];
        let mut coordinate = |reach: f64| random.range(-reach, reach);
        let points: Vec<Point> =
            (0..8 + draw / 4).map(|_| Point::new(coordinate(thick), coordinate(thick), coordinate(50.0))).collect();
        let found = zone(Kind::Line, &points, Certificate::Exact);
        let best = 2.0 * brute(&points, &mut random);
        assert!((found.form_error_mm - best).abs() < 1e-9, "{thick}: {} {best}", found.form_error_mm);
    }
}

/// Triangles at several heights, rotated relative to each other: they determine the axis.
#[test]
fn a_prism_has_a_known_zone() {
    let mut random = Random::new(2, 0x23);
    for radius in [3.0, 0.01, 1e-6] {
        let to = pose(&mut random);
        let corner = |i: i32| {
            let angle = f64::from(i % 3) * std::f64::consts::TAU / 3.0 + f64::from(i / 3);
            to * Point::new(radius * angle.cos(), radius * angle.sin(), 20.0 * f64::from(i / 3) - 50.0)
        };
        let mut points: Vec<Point> = (0..18).map(corner).collect();
        points.extend((0..100).map(|i| to * Point::new(0.3 * radius, -0.4 * radius, f64::from(i) - 50.0)));
        let found = zone(Kind::Line, &points, Certificate::Exact);
        assert!((found.form_error_mm - 2.0 * radius).abs() < 1e-11, "{radius}: {}", found.form_error_mm);
        let off = found.shape.direction().unwrap().cross(&(to * Vector::z())).norm();
        assert!(off < 1e-11, "{off}");
    }
}

#[test]
fn a_straight_line_has_zero_zone_width() {
    let points: Vec<Point> = (0..50).map(|i| Point::new(f64::from(i), 2.0, 7.0)).collect();
    assert!(zone(Kind::Line, &points, Certificate::Exact).form_error_mm < 1e-13);
    let two = [Point::new(900.0, 1.0, 0.0), Point::new(901.0, 5.0, 0.0)];
    assert!(zone(Kind::Line, &two, Certificate::Exact).form_error_mm < 1e-12);
}
