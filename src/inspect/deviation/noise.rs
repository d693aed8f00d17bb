//! Noise of a scan, as the scatter of its deviations about those of neighbouring points on the same face shows it.
//!
//! All figures are medians (normalised median absolute deviations, and for the correlation the robust covariance of
//! Gnanadesikan and Kettenring, "Robust estimates, residuals, and outlier detection with multiresponse data", 1972), so
//! that neither defects nor fly points determine them. Form that varies over more than a few hundred points is no noise.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::robust_scale::{SIGMA_OF_MEDIAN, median};
use compute::smoothing;
use geometry::kd_tree::Neighbours;
use geometry::{KdTree, Point, Vector, draw};

/// Number of points that the noise is estimated at.
const SAMPLES: usize = 2_400;
/// Number of neighbours whose median is the surface that a point scatters about.
const WIDE_NEIGHBOURS: usize = 400;
/// Minimum number of neighbours on the same face.
const MIN_NEIGHBOURS: usize = 12;
/// Limit of the correlation of neighbours: beyond it, single points say nothing that their neighbours do not.
const MAX_CORRELATION: f64 = 0.95;

/// Noise of a scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScanNoise {
    /// Standard deviation of a point, mm; 0 if there are too few points for an estimate.
    pub sigma_mm: f64,
    /// Correlation of neighbouring points, 0 to 1.
    pub correlation: f64,
    /// Standard deviation of a median over [`smoothing::NEIGHBOURS`] points, mm, correlation included.
    pub median_sigma_mm: f64,
}

/// Points in the frame of their scan, of which some may be chosen.
#[derive(Clone, Copy)]
pub(super) struct Scanned<'a> {
    /// All points of the scan.
    pub points: &'a [Point],
    /// Which of them these are; `None` for all.
    pub chosen: Option<&'a [u32]>,
}

impl Scanned<'_> {
    /// What draws of a point go by.
    pub fn key(&self, index: u32) -> u64 {
        let index = self.chosen.map_or(index, |chosen| chosen[index as usize]);
        draw::key(&self.points[index as usize])
    }
}

/// Deviations at points, with what is needed to look at those about each.
#[derive(Clone, Copy)]
pub(super) struct Deviating<'a> {
    /// Tree of the points.
    pub tree: &'a KdTree,
    /// The points, mm.
    pub points: &'a [Point],
    /// Where the scan has them: draws go by that, as the rounding of a pose would draw others.
    pub scanned: Scanned<'a>,
    /// Deviation of each, mm.
    pub values_mm: &'a [f64],
    /// Normal of the facet that each was measured to.
    pub normals: &'a [Vector],
    /// Number of points that count; those after them may belong to other things.
    pub count: usize,
}

/// Robust standard deviation about the median.
pub(super) fn scatter(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    let Some(middle) = median(&mut values) else { return 0.0 };
    values.iter_mut().for_each(|own| *own = (*own - middle).abs());
    SIGMA_OF_MEDIAN * median(&mut values).unwrap_or_default()
}

impl ScanNoise {
    /// The noise of these deviations; 0 if there are too few.
    pub(super) fn estimate(all: &Deviating<'_>) -> Self {
        let sampled = draw::sample_by(all.count, |index| all.scanned.key(index), SAMPLES);
        let residuals: Vec<[f64; 3]> = sampled
            .par_iter()
            .map_init(Neighbours::default, |neighbours, &index| all.residuals(index as usize, neighbours))
            .flatten()
            .collect();
        if residuals.len() < MIN_NEIGHBOURS {
            return Self::default();
        }
        let of = |column: usize| scatter(residuals.iter().map(|own| own[column]));
        let [sum, difference] = [1.0, -1.0].map(|sign| scatter(residuals.iter().map(|own| own[0] + sign * own[1])));
        let [sum, difference] = [sum * sum, difference * difference];
        let correlation = if sum > difference { (sum - difference) / (sum + difference) } else { 0.0 };
        Self { sigma_mm: of(0), correlation: correlation.min(MAX_CORRELATION), median_sigma_mm: of(2) }
    }
}

impl Deviating<'_> {
    /// Deviations, mm, of a point, of its nearest neighbour, and of the median of its nearest neighbours from the median
    /// of many; `None` if there are too few on the same face.
    fn residuals(&self, index: usize, neighbours: &mut Neighbours) -> Option<[f64; 3]> {
        self.tree.k_nearest(&self.points[index], WIDE_NEIGHBOURS, f64::INFINITY, neighbours);
        let mut values: Vec<f64> = self.facing(&self.normals[index], neighbours).map(|(_, mm)| mm).collect();
        if values.len() < MIN_NEIGHBOURS {
            return None;
        }
        let (own, next) = (self.values_mm[index], values[1]);
        let near = smoothing::NEIGHBOURS.min(values.len());
        let middle = median(&mut values[..near])?;
        let wide = median(&mut values)?;
        Some([own - wide, next - wide, middle - wide])
    }

    /// Of the points that were found, indices and deviations of those that count and lie on a face towards `normal`.
    pub fn facing<'n>(
        &'n self,
        normal: &'n Vector,
        neighbours: &'n Neighbours,
    ) -> impl Iterator<Item = (u32, f64)> + 'n {
        let found = neighbours.found.iter().map(|own| own.number);
        let counts =
            move |index: &u32| (*index as usize) < self.count && self.normals[*index as usize].dot(normal) > 0.0;
        found.filter(counts).map(|index| (index, self.values_mm[index as usize]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn noise_is_told_from_defects_and_correlation_from_independence() {
        let mut random = Random::new(3, 0);
        let points: Vec<Point> =
            (0..20_000).map(|_| Point::new(random.range(0.0, 70.0), random.range(0.0, 70.0), 0.0)).collect();
        let normals = vec![Vector::z(); points.len()];
        let tree = KdTree::new(&points);
        let waves: Vec<[f64; 3]> =
            (0..300).map(|_| [random.normal(), random.normal(), random.range(0.0, std::f64::consts::TAU)]).collect();
        // Smooth over 2 mm: exp(-(d/2)²).
        let field = |p: &Point| {
            let sum: f64 = waves.iter().map(|[u, v, phase]| ((u * p.x + v * p.y) / 2.0_f64.sqrt() + phase).cos()).sum();
            sum * (2.0 / 300.0_f64).sqrt()
        };
        for (share, about) in [(0.0, 0.0), (0.5, 0.45)] {
            let values_mm: Vec<f64> = points
                .iter()
                .map(|p| {
                    let noise = (1.0_f64 - share).sqrt() * random.normal() + f64::sqrt(share) * field(p);
                    0.02 * noise + if p.x < 5.0 { 0.5 } else { 0.0 }
                })
                .collect();
            let scanned = Scanned { points: &points, chosen: None };
            let (tree, points) = (&tree, &points);
            let all = Deviating { tree, points, scanned, values_mm: &values_mm, normals: &normals, count: 20_000 };
            let noise = ScanNoise::estimate(&all);
            assert!((noise.sigma_mm / 0.02 - 1.0).abs() < 0.15, "{noise:?}");
            assert!((noise.correlation - about).abs() < 0.12, "{noise:?}");
        }
    }
}
