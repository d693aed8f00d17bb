//! The smallest circle or sphere around points, exactly.
//!
//! The few points that hold a ball are kept; the farthest point of all joins them, and the least ball of those few is
//! found among the balls through their subsets. The radius rises each time, so it ends (after Gärtner, "Fast and robust
//! smallest enclosing balls", 1999).

use super::passes::extremes;
use geometry::{Point, Vector};

/// A ball and the numbers of the points that hold it.
pub struct Ball {
    pub centre: Point,
    pub radius: f64,
    pub contacts: Vec<usize>,
}

/// Of at least one point.
pub fn smallest(points: &[Point]) -> Ball {
    let mut ball = Ball { centre: points[0], radius: 0.0, contacts: vec![0] };
    loop {
        let (distance, farthest) = extremes(points, |point| (point - ball.centre).norm())[0];
        if distance <= ball.radius || ball.contacts.contains(&farthest) {
            return ball;
        }
        match around(points, &ball.contacts, farthest) {
            Some(larger) if larger.radius > ball.radius => ball = larger,
            _ => return ball,
        }
    }
}

/// The least ball through `new` and some of `contacts` that holds them all.
fn around(points: &[Point], contacts: &[usize], new: usize) -> Option<Ball> {
    let through = |subset: usize| {
        let some = contacts.iter().enumerate().filter(|(i, _)| subset & (1 << i) != 0).map(|(_, number)| *number);
        let through: Vec<usize> = some.chain([new]).collect();
        let centre = centre_in_span(&through.iter().map(|&number| points[number]).collect::<Vec<_>>())?;
        let radius = (points[new] - centre).norm();
        let holds = |number: &usize| (points[*number] - centre).norm() <= radius * (1.0 + 1e-14);
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
