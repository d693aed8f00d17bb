//! Starts of tori: over a grid of axes and middles, the circle of the tube in the half plane of distances from the axis.

use super::super::model::{Model, any_square_to};
use super::super::newton::Weighted;
use super::super::shape::Shape;
use super::{FEW, weight};
use base::random::Random;
use geometry::{Point, Vector};

/// Points that the grid is tried on.
const SAMPLE: usize = 60;
/// How far the middle is from the centroid, in sizes of the points: none for whole rings, several for short arcs.
const AWAY: [f64; 8] = [0.0, 0.3, 0.6, 1.0, 1.6, 2.6, 5.0, 10.0];
/// Directions in which it is.
const AROUND: usize = 12;

/// Middles of one axis that are worth following: few, but more where few points leave much open.
const BEST: usize = 3;
const BEST_OF_FEW: usize = 24;
/// How far middles drawn at random are from the centroid, in sizes of the points.
const FARTHEST: f64 = 3.0;

/// The best for one axis, by the spread of the points about the tube.
pub fn about(points: Weighted<'_>, axis: &Vector) -> Vec<Model> {
    let x = any_square_to(axis);
    let y = axis.cross(&x);
    let stride = points.points.len().div_ceil(SAMPLE).max(1);
    // Seen along the axis, with heights and weights.
    let seen: Vec<[f64; 4]> = (0..points.points.len())
        .step_by(stride)
        .map(|i| {
            let c = points.points[i].coords;
            [c.dot(&x), c.dot(&y), c.dot(axis), weight(points, i)]
        })
        .collect();
    let mut tried: Vec<(f64, [f64; 2], [f64; 3])> = Vec::new();
    for away in AWAY {
        for step in 0..if away > 0.0 { AROUND } else { 1 } {
            let (sin, cos) = (step as f64 / AROUND as f64 * std::f64::consts::TAU).sin_cos();
            let middle = [away * cos, away * sin];
            tried.extend(tube(&seen, middle).map(|(cost, tube)| (cost, middle, tube)));
        }
    }
    tried.sort_by(|a, b| a.0.total_cmp(&b.0));
    let model = |&(_, [u, v], [major, height, minor]): &(f64, [f64; 2], [f64; 3])| {
        let centre = Point::from(x * u + y * v + axis * height);
        Model::of(&Shape::Torus { centre, axis: *axis, major, minor })
    };
    let best = if points.points.len() > FEW { BEST } else { BEST_OF_FEW };
    tried.iter().take(best).map(model).collect()
}

/// Middles and axes drawn at random.
///
/// Eight or nine points leave many least sums, and where the lowest lies no grid tells: about one start in a hundred
/// leads there, from wherever.
pub fn anywhere(points: Weighted<'_>, count: usize) -> Vec<Model> {
    let mut random = Random::new(0x7040, points.points.len() as u64);
    let mut any = || Vector::from_fn(|_, _| random.normal()).normalize();
    let starts = (0..count).filter_map(|i| {
        let (axis, towards) = (any(), any());
        // Evenly from the centroid to a few sizes of the points away, nearer ones more.
        let middle = towards * (FARTHEST * ((i as f64 + 0.5) / count as f64).powi(2));
        let seen: Vec<[f64; 4]> = (0..points.points.len())
            .map(|i| {
                let away = points.points[i].coords - middle;
                let height = away.dot(&axis);
                [(away - axis * height).norm(), 0.0, height, weight(points, i)]
            })
            .collect();
        let (_, [major, height, minor]) = tube(&seen, [0.0, 0.0])?;
        Some(Model::of(&Shape::Torus { centre: Point::from(middle + axis * height), axis, major, minor }))
    });
    starts.collect()
}

/// The algebraic circle (Kåsa 1976) through distances from `middle` and heights: mean square distance from it; its
/// distance from the axis, its height and its radius.
fn tube(seen: &[[f64; 4]], middle: [f64; 2]) -> Option<(f64, [f64; 3])> {
    let mut m = nalgebra::Matrix3::zeros();
    let mut right = Vector::zeros();
    for &[u, v, z, weight] in seen {
        let rho = (u - middle[0]).hypot(v - middle[1]);
        let row = Vector::new(rho, z, 1.0);
        m += row * row.transpose() * weight;
        right += row * (weight * (rho * rho + z * z));
    }
    let [a, b, c]: [f64; 3] = m.cholesky()?.solve(&right).into();
    let (major, height) = (0.5 * a, 0.5 * b);
    let square = c + major * major + height * height;
    if !(square > 0.0 && major > 0.0) {
        return None;
    }
    let minor = square.sqrt();
    let off = |&[u, v, z, weight]: &[f64; 4]| {
        let rho = (u - middle[0]).hypot(v - middle[1]);
        weight * ((rho - major).hypot(z - height) - minor).powi(2)
    };
    Some((seen.iter().map(off).sum(), [major, height, minor]))
}
