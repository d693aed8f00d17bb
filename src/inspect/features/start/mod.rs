//! Where a fit begins: shapes near enough for Newton's method, found without any guess.

mod about_axis;
mod round;
mod torus;

use rayon::prelude::*;

use super::model::Model;
use super::newton::{self, Solved, Weighted};
use super::revolved;
use super::shape::{Kind, Shape};
use geometry::{Point, Vector, jacobi};

use super::model::any_square_to;

/// Points that starts are tried on.
const SAMPLE: usize = 600;
/// Starts followed to their least sums: so many of a full sample, more where that is cheap.
const FOLLOWED: usize = 24;
const MOST_FOLLOWED: usize = 400;
/// With so few points there are many least sums, and trying all is cheap.
const FEW: usize = 15;
/// Starts of a torus through so few that are drawn at random, and all followed.
const ANYWHERE: usize = 2000;
/// Another torus whose sum on the sample is at most this many times the least may be the better on all points.
const RIVAL: f64 = 1.1;
/// Sums that differ by a smaller share are of one torus.
const SAME: f64 = 1e-6;

/// The best start for `kind` among all that the search brings up, by where they lead on a sample of the points; after
/// it another where both must be followed on all of them. Empty where nothing leads anywhere.
pub fn find(kind: Kind, points: Weighted<'_>) -> Vec<Model> {
    let stride = points.points.len().div_ceil(SAMPLE).max(1);
    let kept: Vec<usize> = (0..points.points.len())
        .step_by(stride)
        .filter(|&i| points.weights.get(i).is_none_or(|&weight| weight > 0.0))
        .collect();
    let sample: Vec<Point> = kept.iter().map(|&i| points.points[i]).collect();
    let weights: Vec<f64> = kept.iter().filter_map(|&i| points.weights.get(i).copied()).collect();
    let sample = Weighted { points: &sample, weights: &weights };
    let mut starts: Vec<(f64, Model)> = candidates(kind, sample)
        .into_iter()
        .map(|model| (newton::sums(&model, sample).cost, model))
        .filter(|(cost, _)| cost.is_finite())
        .collect();
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    let followed = FOLLOWED * SAMPLE / kept.len().max(1);
    starts.truncate(if kept.len() > FEW { followed.clamp(FOLLOWED, MOST_FOLLOWED) } else { followed });
    let mut starts: Vec<Model> = starts.into_iter().map(|(_, model)| model).collect();
    if kind == Kind::Torus {
        if kept.len() <= FEW {
            starts.extend(torus::anywhere(sample, ANYWHERE));
        }
        let flat = |model: &Model| model.shape().map_or(*model, |shape| Model::on_surface(&shape));
        starts = starts.iter().map(flat).collect();
        starts.extend(about_axis::flat_tori(sample, &principal_axes(sample)));
    }
    let Some(best) = follow(starts, sample) else { return Vec::new() };
    let Some(other) = follow(revolved::exchanged(&best.model), sample) else { return vec![best.model] };
    let [best, other] = if other.rank() < best.rank() { [other, best] } else { [best, other] };
    let is_rival = other.cost > (1.0 + SAME) * best.cost && other.cost <= RIVAL * best.cost;
    if is_rival { vec![best.model, other.model] } else { vec![best.model] }
}

/// The best end that the starts lead to; `None` where none leads anywhere.
pub fn follow(starts: Vec<Model>, points: Weighted<'_>) -> Option<Solved> {
    let led: Vec<Solved> = starts.into_par_iter().map(|model| newton::solve(model, points)).collect();
    let is_sound = |solved: &Solved| solved.cost.is_finite() && !revolved::is_lemon(&solved.model);
    led.into_iter().filter(is_sound).min_by(|a, b| a.rank().total_cmp(&b.rank()))
}

fn candidates(kind: Kind, points: Weighted<'_>) -> Vec<Model> {
    let axes = principal_axes(points);
    match kind {
        Kind::Line => vec![Model::of(&Shape::Line { point: centroid(points), direction: axes[2] })],
        Kind::Plane => vec![Model::of(&Shape::Plane { point: centroid(points), normal: axes[0] })],
        Kind::Circle => round::circles(points, &axes[0]),
        Kind::Sphere => round::spheres(points, &axes[0]),
        Kind::Cylinder | Kind::Cone | Kind::Torus => about_axis::candidates(kind, points, &axes),
    }
}

fn weight(points: Weighted<'_>, i: usize) -> f64 {
    points.weights.get(i).copied().unwrap_or(1.0)
}

fn centroid(points: Weighted<'_>) -> Point {
    let mut total = 0.0;
    let mut sum = Vector::zeros();
    for (i, point) in points.points.iter().enumerate() {
        total += weight(points, i);
        sum += point.coords * weight(points, i);
    }
    Point::from(sum / total)
}

/// Directions of least, middle and largest spread.
fn principal_axes(points: Weighted<'_>) -> [Vector; 3] {
    let centre = centroid(points);
    let mut m = [0.0; 6];
    for (i, point) in points.points.iter().enumerate() {
        let c = point - centre;
        let products = [c.x * c.x, c.x * c.y, c.x * c.z, c.y * c.y, c.y * c.z, c.z * c.z];
        m.iter_mut().zip(products).for_each(|(sum, product)| *sum += weight(points, i) * product);
    }
    jacobi::eigen(&m).1
}
