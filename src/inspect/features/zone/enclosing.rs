//! The smallest circle or sphere around points, exactly.
//!
//! The few points that hold a ball are kept; the farthest point of all joins them, and the least ball of those few is
//! found among the balls through their subsets. The radius rises each time, so it ends (after Gärtner, "Fast and robust
//! smallest enclosing balls", 1999).

use super::passes::extremes;
use geometry::{Point, Vector};

/// Points outside by less than this share of the radius are inside.
const ROUNDING: f64 = 1e-13;

/// A ball and the numbers of the points that hold it.
pub struct Ball {
    pub centre: Point,
    pub radius: f64,
    pub contacts: Vec<usize>,
}

/// Of at least one point.
pub fn smallest(points: &[Point]) -> Ball {
    // About the first, so that no digits go to a far origin.
    let origin = points[0];
    let mut ball = Ball { centre: Point::origin(), radius: 0.0, contacts: vec![0] };
    loop {
        let (distance, farthest) = extremes(points, |point| (point - origin - ball.centre.coords).norm())[0];
        if distance <= ball.radius || ball.contacts.contains(&farthest) {
            break;
        }
        match around(|number| Point::from(points[number] - origin), &ball.contacts, farthest) {
            Some(larger) if larger.radius > ball.radius => ball = larger,
            _ => break,
        }
    }
    Ball { centre: origin + ball.centre.coords, ..ball }
}

/// The least ball through `new` and some of `contacts` that holds them all.
fn around(point: impl Fn(usize) -> Point, contacts: &[usize], new: usize) -> Option<Ball> {
    let through = |subset: usize| {
        let some = contacts.iter().enumerate().filter(|(i, _)| subset & (1 << i) != 0).map(|(_, number)| *number);
        let through: Vec<usize> = some.chain([new]).collect();
        let centre = centre_in_span(&through.iter().map(|&number| point(number)).collect::<Vec<_>>())?;
        let radius = (point(new) - centre).norm();
        let holds = |number: &usize| (point(*number) - centre).norm() <= radius * (1.0 + ROUNDING);
        contacts.iter().all(holds).then_some(Ball { centre, radius, contacts: through })
    };
    let balls = (0..1 << contacts.len()).filter_map(through);
    balls.min_by(|one, other| one.radius.total_cmp(&other.radius))
}

/// The place equally far from all, in the line, plane or space that they span. `None` where they span less than their
/// number.
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
    let shares = gram.full_piv_lu().solve(&squares)?;
    let centre = edges.iter().zip(shares.iter()).fold(*last, |centre, (edge, share)| centre + edge * *share);
    centre.coords.iter().all(|c| c.is_finite()).then_some(centre)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    fn holds(ball: &Ball, points: &[Point], slack: f64) -> bool {
        points.iter().all(|point| (point - ball.centre).norm() <= ball.radius + slack)
    }

    /// Of all circles through two or three of the points.
    fn by_trying_all(points: &[Point]) -> f64 {
        let mut least = f64::INFINITY;
        let mut consider = |through: &[Point]| {
            if let Some(centre) = centre_in_span(through) {
                let radius = (through[0] - centre).norm();
                if radius < least && holds(&Ball { centre, radius, contacts: Vec::new() }, points, 1e-9) {
                    least = radius;
                }
            }
        };
        for (i, one) in points.iter().enumerate() {
            for (j, two) in points[..i].iter().enumerate() {
                consider(&[*one, *two]);
                points[..j].iter().for_each(|three| consider(&[*one, *two, *three]));
            }
        }
        least
    }

    #[test]
    fn it_is_the_least_of_all_circles() {
        let mut random = Random::new(20, 0);
        for round in 0..400 {
            let count = 2 + round % 11;
            let far = if round % 2 == 0 { 0.0 } else { 1e4 };
            let points: Vec<Point> = (0..count)
                .map(|_| match round % 4 {
                    // On a line, on a grid with repeats, on a circle, anywhere.
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
            assert!(holds(&ball, &points, 1e-9), "{round}: {points:?}");
            if points.iter().any(|point| *point != points[0]) {
                let least = by_trying_all(&points);
                assert!((ball.radius - least).abs() < 1e-8, "{round} {} {least}", ball.radius);
            }
        }
    }

    #[test]
    fn few_points_and_many() {
        let one = smallest(&[Point::new(3.0, 4.0, 5.0); 5]);
        assert_eq!((one.centre, one.radius), (Point::new(3.0, 4.0, 5.0), 0.0));
        let mut random = Random::new(21, 0);
        // A disc full of points, three of them on its rim.
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
