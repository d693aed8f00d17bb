//! Initial estimates of a fit: shapes within the range of convergence of Newton's method, found without prior
//! knowledge.

mod about_axis;
mod round;
mod torus;

use rayon::prelude::*;

use super::model::Model;
use super::newton::{self, Solution, WeightedPoints};
use super::revolved;
use super::shape::{Kind, Shape};
use geometry::{Point, Vector, jacobi};

use super::model::any_perpendicular;

/// Maximum number of points on which initial estimates are compared.
const SAMPLE_POINTS: usize = 600;
/// Number of initial estimates that are iterated to their minima: for a full sample, and the maximum for smaller ones.
const MIN_ITERATED: usize = 24;
const MAX_ITERATED: usize = 400;
/// Up to this number of points there are many local minima, and iterating all estimates is cheap.
const FEW_POINTS: usize = 15;
/// Number of random initial estimates of a torus through so few points, all of which are iterated.
const RANDOM_TORI: usize = 2000;
/// Maximum ratio of the cost of a second torus to the smallest one on the sample, for which it may be the better one on
/// all points.
const MAX_RIVAL_COST_RATIO: f64 = 1.1;
/// Relative difference below which costs are considered to be of the same torus.
const SAME_COST_TOLERANCE: f64 = 1e-6;

/// The best initial estimate for `kind`, by the minimum it leads to on a sample of the points; followed by a second one
/// if both must be iterated on all points. Empty if no estimate converges.
///
/// The points must stand in random order ([`geometry::draw`]): the sample are the first of them. Every n-th of points in
/// the order of a grid, of rings or of a tessellation may lie on a single ring or row.
pub fn find(kind: Kind, points: WeightedPoints<'_>) -> Vec<Model> {
    let sampled: Vec<usize> = (0..points.points.len())
        .filter(|&i| points.weights.get(i).is_none_or(|&weight| weight > 0.0))
        .take(SAMPLE_POINTS)
        .collect();
    let sample: Vec<Point> = sampled.iter().map(|&i| points.points[i]).collect();
    let weights: Vec<f64> = sampled.iter().filter_map(|&i| points.weights.get(i).copied()).collect();
    let sample = WeightedPoints { points: &sample, weights: &weights };
    let mut starts: Vec<(f64, Model)> = candidates(kind, sample)
        .into_iter()
        .map(|model| (newton::sums(&model, sample).cost, model))
        .filter(|(cost, _)| cost.is_finite())
        .collect();
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let iterated = MIN_ITERATED * SAMPLE_POINTS / sampled.len().max(1);
    starts.truncate(if sampled.len() > FEW_POINTS { iterated.clamp(MIN_ITERATED, MAX_ITERATED) } else { iterated });
    let mut starts: Vec<Model> = starts.into_iter().map(|(_, model)| model).collect();
    if kind == Kind::Torus {
        if sampled.len() <= FEW_POINTS {
            starts.extend(torus::random(sample, RANDOM_TORI));
        }
        let flat = |model: &Model| model.shape().map_or(*model, |shape| Model::on_surface(&shape));
        starts = starts.iter().map(flat).collect();
        starts.extend(about_axis::flat_tori(sample, &principal_axes(sample)));
    }
    let Some(best) = best_minimum(starts, sample) else { return Vec::new() };
    let Some(rival) = best_minimum(revolved::exchanged(&best.model), sample) else { return vec![best.model] };
    let [best, rival] = if rival.rank() < best.rank() { [rival, best] } else { [best, rival] };
    let is_rival =
        rival.cost > (1.0 + SAME_COST_TOLERANCE) * best.cost && rival.cost <= MAX_RIVAL_COST_RATIO * best.cost;
    if is_rival { vec![best.model, rival.model] } else { vec![best.model] }
}

/// The best minimum reached from the initial estimates; `None` if there is none.
pub fn best_minimum(starts: Vec<Model>, points: WeightedPoints<'_>) -> Option<Solution> {
    let minima: Vec<Solution> = starts.into_par_iter().map(|model| newton::solve(model, points)).collect();
    let is_valid = |solved: &Solution| solved.cost.is_finite() && !revolved::is_lemon(&solved.model);
    minima.into_iter().filter(is_valid).min_by(|a, b| a.rank().total_cmp(&b.rank()))
}

/// The algebraic circle of the points projected along `normal`: a point on its axis, and its radius.
pub fn circle_about(points: WeightedPoints<'_>, normal: &Vector) -> Option<(Point, f64)> {
    let (u, v, radius) = round::circle_about(points, normal)?;
    Some((round::point_in_space(normal, u, v), radius))
}

fn candidates(kind: Kind, points: WeightedPoints<'_>) -> Vec<Model> {
    let axes = principal_axes(points);
    match kind {
        Kind::Line => vec![Model::of(&Shape::Line { point: centroid(points), direction: axes[2] })],
        Kind::Plane => vec![Model::of(&Shape::Plane { point: centroid(points), normal: axes[0] })],
        Kind::Circle => round::circles(points, &axes[0]),
        Kind::Sphere => round::spheres(points, &axes[0]),
        Kind::Cylinder | Kind::Cone | Kind::Torus => about_axis::candidates(kind, points, &axes),
    }
}

fn weight(points: WeightedPoints<'_>, i: usize) -> f64 {
    points.weights.get(i).copied().unwrap_or(1.0)
}

fn centroid(points: WeightedPoints<'_>) -> Point {
    let mut total = 0.0;
    let mut sum = Vector::zeros();
    for (i, point) in points.points.iter().enumerate() {
        total += weight(points, i);
        sum += point.coords * weight(points, i);
    }
    Point::from(sum / total)
}

/// Principal directions by ascending variance.
fn principal_axes(points: WeightedPoints<'_>) -> [Vector; 3] {
    let centre = centroid(points);
    let mut moments = [0.0; 6];
    for (i, point) in points.points.iter().enumerate() {
        let products = jacobi::products(&(point - centre));
        moments.iter_mut().zip(products).for_each(|(sum, product)| *sum += weight(points, i) * product);
    }
    jacobi::eigen(&moments).1
}
