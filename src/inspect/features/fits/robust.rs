//! Robust initial estimates by least median of squares, and outlier detection.

use rayon::prelude::*;

use super::newton::WeightedPoints;
use super::shape::{Kind, Shape};
use super::{Normalisation, start};
use crate::robust_scale::{self, SIGMA_OF_MEDIAN};
use base::{Progress, Result, UserError, random::Random};
use geometry::Point;

/// Number of random subsets: with half of the points wrong, one in a hundred subsets of seven contains no outlier.
const SUBSETS: u64 = 500;
/// Maximum number of points on which a subset's shape is evaluated.
const SAMPLE_POINTS: usize = 1000;
/// Outlier limit of the initial estimate in robust standard deviations.
const START_OUTLIER_SIGMAS: f64 = 3.0;

/// A robust initial estimate, and the indices of its outliers.
pub struct RobustStart {
    pub shape: Shape,
    pub outliers: Vec<u32>,
}

/// The shape through a minimal subset of the points with the smallest median distance of all points (least median of
/// squares; Rousseeuw 1984). The points must stand in random order ([`geometry::draw`]).
pub fn start(kind: Kind, points: &[Point], weights: &[f64], progress: &Progress) -> Result<RobustStart> {
    progress.report(0.0, "Robust start (LMedS)")?;
    let frame = Normalisation::of(points, weights);
    let usable: Vec<u32> = (0..points.len() as u32).filter(|&i| weights[i as usize] > 0.0).collect();
    let point = |index: u32| frame.inward(&points[index as usize]);
    let sample: Vec<Point> = usable.iter().take(SAMPLE_POINTS).map(|&i| point(i)).collect();
    let size = kind.min_points() + 1;
    let best = (0..SUBSETS)
        .into_par_iter()
        .filter_map(|draw| {
            let mut random = Random::new(0xD1A7, draw);
            let subset: Vec<Point> = (0..size).map(|_| point(usable[random.index(usable.len())])).collect();
            let shape = start::find(kind, WeightedPoints { points: &subset, weights: &[] }).first()?.shape()?;
            let median = median(sample.iter().map(|point| shape.distance(point).abs()).collect());
            median.is_finite().then_some((median, draw, shape))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let Some((median_distance, _, shape)) = best else {
        return Err(UserError::input(format!(
            "No {} was found that fits the majority of the points.",
            kind.name().to_lowercase()
        )));
    };
    let limit = START_OUTLIER_SIGMAS * SIGMA_OF_MEDIAN * median_distance * (1.0 + 5.0 / sample.len() as f64) + 1e-12;
    let outliers = usable.iter().copied().filter(|&index| shape.distance(&point(index)).abs() > limit).collect();
    Ok(RobustStart { shape: frame.shape_outward(&shape), outliers })
}

/// Indices of the points of positive weight farther from the fit than `sigmas` robust standard deviations.
pub fn outliers(distances: &[f64], weights: &[f64], sigmas: f64) -> Vec<u32> {
    let usable = || (0_u32..).zip(distances.iter().zip(weights)).filter(|(_, (_, weight))| **weight > 0.0);
    let limit = sigmas * SIGMA_OF_MEDIAN * median(usable().map(|(_, (distance, _))| distance.abs()).collect());
    usable().filter(|(_, (distance, _))| distance.abs() > limit.max(1e-14)).map(|(index, _)| index).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    robust_scale::median(&mut values).unwrap_or(f64::INFINITY)
}
