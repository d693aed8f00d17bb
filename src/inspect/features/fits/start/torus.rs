//! Initial estimates of tori: over a grid of axes and centres, the circle of the tube in the half plane of distances
//! from the axis and heights.

use super::super::model::{Model, any_perpendicular};
use super::super::newton::WeightedPoints;
use super::super::shape::Shape;
use super::{FEW_POINTS, weight};
use base::random::Random;
use geometry::{Point, Vector};

/// Maximum number of points on which the grid is evaluated.
const SAMPLE_POINTS: usize = 60;
/// Distances of the centre from the centroid, in units of the points' size: zero for whole rings, several for short
/// arcs.
const CENTRE_DISTANCES: [f64; 8] = [0.0, 0.3, 0.6, 1.0, 1.6, 2.6, 5.0, 10.0];
/// Number of directions of the centre from the centroid.
const CENTRE_DIRECTIONS: usize = 12;

/// Number of centres per axis that are iterated: few, but more for few points, which leave many minima.
const CENTRES_PER_AXIS: usize = 3;
const CENTRES_PER_AXIS_OF_FEW: usize = 24;
/// Maximum distance of random centres from the centroid, in units of the points' size.
const MAX_CENTRE_DISTANCE: f64 = 3.0;

/// The best centres for one axis, by the spread of the points about the tube.
pub fn about(points: WeightedPoints<'_>, axis: &Vector) -> Vec<Model> {
    let x = any_perpendicular(axis);
    let y = axis.cross(&x);
    // Projected along the axis, with heights and weights: the first ones, since they stand in random order.
    let projected: Vec<[f64; 4]> = (0..points.points.len().min(SAMPLE_POINTS))
        .map(|i| {
            let c = points.points[i].coords;
            [c.dot(&x), c.dot(&y), c.dot(axis), weight(points, i)]
        })
        .collect();
    let mut candidates: Vec<(f64, [f64; 2], [f64; 3])> = Vec::new();
    for distance in CENTRE_DISTANCES {
        for step in 0..if distance > 0.0 { CENTRE_DIRECTIONS } else { 1 } {
            let (sin, cos) = (step as f64 / CENTRE_DIRECTIONS as f64 * std::f64::consts::TAU).sin_cos();
            let centre = [distance * cos, distance * sin];
            candidates.extend(tube(&projected, centre).map(|(cost, tube)| (cost, centre, tube)));
        }
    }
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
    let model = |&(_, [u, v], [major, height, minor]): &(f64, [f64; 2], [f64; 3])| {
        let centre = Point::from(x * u + y * v + axis * height);
        Model::of(&Shape::Torus { centre, axis: *axis, major, minor })
    };
    let best = if points.points.len() > FEW_POINTS { CENTRES_PER_AXIS } else { CENTRES_PER_AXIS_OF_FEW };
    candidates.iter().take(best).map(model).collect()
}

/// Random centres and axes.
///
/// Eight or nine points leave many local minima, and no grid leads reliably to the lowest one: about one in a hundred
/// random starts does.
pub fn random(points: WeightedPoints<'_>, count: usize) -> Vec<Model> {
    let mut generator = Random::new(0x7040, points.points.len() as u64);
    let mut random_direction = || Vector::from_fn(|_, _| generator.normal()).normalize();
    let starts = (0..count).filter_map(|i| {
        let (axis, towards) = (random_direction(), random_direction());
        // Distances from the centroid up to a few sizes of the points, denser for small ones.
        let centre = towards * (MAX_CENTRE_DISTANCE * ((i as f64 + 0.5) / count as f64).powi(2));
        let projected: Vec<[f64; 4]> = (0..points.points.len())
            .map(|i| {
                let offset = points.points[i].coords - centre;
                let height = offset.dot(&axis);
                [(offset - axis * height).norm(), 0.0, height, weight(points, i)]
            })
            .collect();
        let (_, [major, height, minor]) = tube(&projected, [0.0, 0.0])?;
        Some(Model::of(&Shape::Torus { centre: Point::from(centre + axis * height), axis, major, minor }))
    });
    starts.collect()
}

/// The algebraic circle (Kåsa 1976) through distances from `centre` and heights: the weighted sum of squared distances
/// from it; its distance from the axis, its height and its radius.
fn tube(projected: &[[f64; 4]], centre: [f64; 2]) -> Option<(f64, [f64; 3])> {
    let mut normal_matrix = nalgebra::Matrix3::zeros();
    let mut right = Vector::zeros();
    for &[u, v, z, weight] in projected {
        let rho = (u - centre[0]).hypot(v - centre[1]);
        let row = Vector::new(rho, z, 1.0);
        normal_matrix += row * row.transpose() * weight;
        right += row * (weight * (rho * rho + z * z));
    }
    let [a, b, c]: [f64; 3] = normal_matrix.cholesky()?.solve(&right).into();
    let (major, height) = (0.5 * a, 0.5 * b);
    let radius_squared = c + major * major + height * height;
    if !(radius_squared > 0.0 && major > 0.0) {
        return None;
    }
    let minor = radius_squared.sqrt();
    let squared_distance = |&[u, v, z, weight]: &[f64; 4]| {
        let rho = (u - centre[0]).hypot(v - centre[1]);
        weight * ((rho - major).hypot(z - height) - minor).powi(2)
    };
    Some((projected.iter().map(squared_distance).sum(), [major, height, minor]))
}
