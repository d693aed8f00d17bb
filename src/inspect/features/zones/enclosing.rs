//! The smallest circle or sphere enclosing a set of points, exactly.
//!
//! The few points that determine the current ball are kept; the farthest of all points is added, and the smallest ball
//! enclosing those few is found among the balls through their subsets. The radius increases each time, so the iteration
//! terminates (after Gärtner, "Fast and robust smallest enclosing balls", 1999).

use super::passes::extremes;
use geometry::{Point, Vector};

/// Points outside by less than this share of the radius count as inside.
const ROUNDING: f64 = 1e-13;

/// A ball and the indices of the points that determine it.
pub struct Ball {
    pub centre: Point,
    pub radius: f64,
    pub contacts: Vec<usize>,
}

/// The smallest ball enclosing `points`, of which there must be at least one.
pub fn smallest(points: &[Point]) -> Ball {
    // Relative to the first point, so that a remote origin costs no digits.
    let origin = points[0];
    let mut ball = Ball { centre: Point::origin(), radius: 0.0, contacts: vec![0] };
    loop {
        let (distance, farthest) = extremes(points, |point| (point - origin - ball.centre.coords).norm())[0];
        if distance <= ball.radius || ball.contacts.contains(&farthest) {
            break;
        }
        match smallest_through(|number| Point::from(points[number] - origin), &ball.contacts, farthest) {
            Some(enlarged) if enlarged.radius > ball.radius => ball = enlarged,
            _ => break,
        }
    }
    Ball { centre: origin + ball.centre.coords, ..ball }
}

/// The smallest ball through `new` and some of `contacts` that contains them all.
fn smallest_through(point: impl Fn(usize) -> Point, contacts: &[usize], new: usize) -> Option<Ball> {
    let ball_through = |mask: usize| {
        let chosen = contacts.iter().enumerate().filter(|(i, _)| mask & (1 << i) != 0).map(|(_, number)| *number);
        let subset_indices: Vec<usize> = chosen.chain([new]).collect();
        let centre = centre_in_span(&subset_indices.iter().map(|&number| point(number)).collect::<Vec<_>>())?;
        let radius = (point(new) - centre).norm();
        let contains = |number: &usize| (point(*number) - centre).norm() <= radius * (1.0 + ROUNDING);
        contacts.iter().all(contains).then_some(Ball { centre, radius, contacts: subset_indices })
    };
    let balls = (0..1 << contacts.len()).filter_map(ball_through);
    balls.min_by(|one, other| one.radius.total_cmp(&other.radius))
}

/// The point equidistant from all corners, in the line, plane or space that they span; `None` if they are degenerate.
fn centre_in_span(corners: &[Point]) -> Option<Point> {
    let (last, others) = corners.split_last()?;
    let edges: Vec<Vector> = others.iter().map(|corner| corner - last).collect();
    match edges.len() {
        0 => return Some(*last),
        1..=3 => (),
        _ => return None,
    }
    let gram = nalgebra::DMatrix::from_fn(edges.len(), edges.len(), |i, j| 2.0 * edges[i].dot(&edges[j]));
    let squares = nalgebra::DVector::from_fn(edges.len(), |i, _| edges[i].norm_squared());
    let coefficients = gram.full_piv_lu().solve(&squares)?;
    let centre =
        edges.iter().zip(coefficients.iter()).fold(*last, |centre, (edge, coefficient)| centre + edge * *coefficient);
    centre.coords.iter().all(|c| c.is_finite()).then_some(centre)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    fn contains_all(ball: &Ball, points: &[Point], slack: f64) -> bool {
        points.iter().all(|point| (point - ball.centre).norm() <= ball.radius + slack)
    }

    /// Radius of the smallest enclosing circle among those through two or three of the points.
    fn brute_force(points: &[Point]) -> f64 {
        let mut min_radius = f64::INFINITY;
        let mut consider = |through: &[Point]| {
            if let Some(centre) = centre_in_span(through) {
                let radius = (through[0] - centre).norm();
                if radius < min_radius && contains_all(&Ball { centre, radius, contacts: Vec::new() }, points, 1e-9) {
                    min_radius = radius;
                }
            }
        };
        for (i, one) in points.iter().enumerate() {
            for (j, two) in points[..i].iter().enumerate() {
                consider(&[*one, *two]);
                points[..j].iter().for_each(|three| consider(&[*one, *two, *three]));
            }
        }
        min_radius
    }

    #[test]
    fn it_is_the_smallest_of_all_circles() {
        let mut random = Random::new(20, 0);
        for round in 0..400 {
            let count = 2 + round % 11;
            let far = if round % 2 == 0 { 0.0 } else { 1e4 };
            let points: Vec<Point> = (0..count)
                .map(|_| match round % 4 {
                    // On a line, on a grid with duplicates, on a circle, anywhere.
                    0 => Point::new(far + random.uniform(), far, 0.0),
                    1 => Point::new(far + random.index(3) as f64, random.index(3) as f64, 0.0),
                    2 => {
                        let (sin, cos) = random.range(0.0, 7.0).sin_cos();
                        Point::new(sin, cos, 0.0)
                    }
                    _ => Point::new(far + random.normal(), random.normal(), 0.0),
                })
                .collect();
            let ball = smallest(&points);
            assert!(contains_all(&ball, &points, 1e-9), "{round}: {points:?}");
            if points.iter().any(|point| *point != points[0]) {
                let min_radius = brute_force(&points);
                assert!((ball.radius - min_radius).abs() < 1e-8, "{round} {} {min_radius}", ball.radius);
            }
        }
    }

    #[test]
    fn few_points_and_many() {
        let one = smallest(&[Point::new(3.0, 4.0, 5.0); 5]);
        assert_eq!((one.centre, one.radius), (Point::new(3.0, 4.0, 5.0), 0.0));
        let mut random = Random::new(21, 0);
        // A disc filled with points, three of them on its circumference.
        let mut points: Vec<Point> = (0..200_000)
            .map(|_| (random.range(0.0, 7.0).sin_cos(), 0.999 * random.uniform().sqrt()))
            .map(|((sin, cos), r)| Point::new(5.0 + r * cos, r * sin - 2.0, 0.0))
            .collect();
        for (point, angle) in points.iter_mut().step_by(60_000).zip([0.1_f64, 2.0, 4.5]) {
            *point = Point::new(5.0 + angle.cos(), angle.sin() - 2.0, 0.0);
        }
        let ball = smallest(&points);
        assert!((ball.radius - 1.0).abs() < 1e-12 && (ball.centre.x - 5.0).abs() < 1e-12, "{}", ball.radius);
    }
}
