//! Outliers: a start that most points agree with, and points far from a fit.

use rayon::prelude::*;

use super::newton::Weighted;
use super::shape::{Kind, Shape};
use super::{Normal, start};
use base::{Progress, Result, UserError, random::Random};
use geometry::Point;

/// Draws of few points: with half of the points wrong, one in a hundred draws of seven is clean.
const DRAWS: u64 = 500;
/// Points that a draw is judged by.
const JUDGES: usize = 1000;
/// Robust standard deviation of a median of absolute values.
const OF_MEDIAN: f64 = 1.4826;
/// Standard deviations from which on a point disagrees with a start.
const DISAGREES: f64 = 3.0;

/// A start, and who disagrees with it.
pub struct Agreed {
    pub shape: Shape,
    pub outliers: Vec<u32>,
}

/// The shape through few points that the median of all points lies nearest to (least median of squares; Rousseeuw
/// 1984).
pub fn start(kind: Kind, points: &[Point], weights: &[f64], progress: &Progress) -> Result<Agreed> {
    progress.report(0.0, "Looking for most points")?;
    let frame = Normal::of(points, weights);
    let usable: Vec<u32> = (0..points.len() as u32).filter(|&i| weights[i as usize] > 0.0).collect();
    let place = |number: u32| frame.inward(&points[number as usize]);
    let judges: Vec<Point> = usable.iter().step_by(usable.len().div_ceil(JUDGES)).map(|&i| place(i)).collect();
    let size = kind.least_points() + 1;
    let best = (0..DRAWS)
        .into_par_iter()
        .filter_map(|draw| {
            let mut random = Random::new(0xD1A7, draw);
            let few: Vec<Point> = (0..size).map(|_| place(usable[random.index(usable.len())])).collect();
            let shape = start::find(kind, Weighted { points: &few, weights: &[] }).first()?.shape()?;
            let median = median(judges.iter().map(|judge| shape.distance(judge).abs()).collect());
            median.is_finite().then_some((median, draw, shape))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let Some((median_distance, _, shape)) = best else {
        return Err(UserError::input(format!("No {} was found that most points lie on.", kind.name().to_lowercase())));
    };
    let limit = DISAGREES * OF_MEDIAN * median_distance * (1.0 + 5.0 / judges.len() as f64) + 1e-12;
    let outliers = usable.iter().copied().filter(|&number| shape.distance(&place(number)).abs() > limit).collect();
    Ok(Agreed { shape: frame.shape_outward(&shape), outliers })
}

/// Numbers of the points with weight that are farther from the fit than `sigmas` robust standard deviations.
pub fn outliers(distances: &[f64], weights: &[f64], sigmas: f64) -> Vec<u32> {
    let usable = || (0_u32..).zip(distances.iter().zip(weights)).filter(|(_, (_, weight))| **weight > 0.0);
    let limit = sigmas * OF_MEDIAN * median(usable().map(|(_, (distance, _))| distance.abs()).collect());
    usable().filter(|(_, (distance, _))| distance.abs() > limit.max(1e-14)).map(|(number, _)| number).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return f64::INFINITY;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}
