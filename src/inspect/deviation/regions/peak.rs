//! Robust peak deviation of a region.

use nalgebra::{DMatrix, DVector};

use super::samples::Sample;
use crate::robust_scale::{SIGMA_OF_MEDIAN, median};
use geometry::Point;

/// Maximum number of samples that the paraboloid is fitted to.
const PEAK_NEIGHBOURS: usize = 48;
/// Minimum number of samples for a fit.
const MIN_NEIGHBOURS: usize = 12;

/// Deviation at `worst`, mm, of a paraboloid fitted to the raw deviations of the nearest members; the smoothed
/// deviation of the nearest member if there are too few.
pub(super) fn of(members: &[Sample], worst: &Point) -> f64 {
    let squared_distance = |member: &Sample| (member.point - worst).norm_squared();
    let mut near: Vec<(f64, usize)> = members.iter().map(squared_distance).zip(0..).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    near.truncate(PEAK_NEIGHBOURS);
    let extreme = members[near[0].1].deviation_mm;
    if near.len() < MIN_NEIGHBOURS {
        return extreme;
    }
    // Coordinates along the two principal directions of largest spread.
    let offsets: Vec<_> = near.iter().map(|&(_, index)| members[index].point - worst).collect();
    let spread = offsets.iter().fold(nalgebra::Matrix3::zeros(), |sum, offset| sum + offset * offset.transpose());
    let eigen = nalgebra::SymmetricEigen::new(spread);
    let thin = eigen.eigenvalues.imin();
    let axes: Vec<_> = (0..3).filter(|&axis| axis != thin).map(|axis| eigen.eigenvectors.column(axis)).collect();
    let scale = near.last().map_or(1.0, |(squared, _)| squared.sqrt()).max(f64::MIN_POSITIVE);
    let rows = DMatrix::from_fn(near.len(), 6, |row, column| {
        let (u, v) = (offsets[row].dot(&axes[0]) / scale, offsets[row].dot(&axes[1]) / scale);
        [1.0, u, v, u * u, u * v, v * v][column]
    });
    let heights = DVector::from_fn(near.len(), |row, _| members[near[row].1].raw_mm);
    // Two rounds of Tukey weights keep an outlier from tilting the paraboloid.
    let mut weights = DVector::repeat(near.len(), 1.0_f64);
    let mut height = extreme;
    for _ in 0..3 {
        let weighted = DMatrix::from_fn(near.len(), 6, |row, column| rows[(row, column)] * weights[row]);
        let Ok(fit) = weighted.svd(true, true).solve(&heights.component_mul(&weights), 1e-9) else {
            break;
        };
        if !fit[0].is_finite() {
            break;
        }
        height = fit[0];
        let residuals = &heights - &rows * &fit;
        let mut sizes: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
        let limit = 4.685 * SIGMA_OF_MEDIAN * median(&mut sizes).unwrap_or_default();
        weights = residuals.map(|r| if limit > 0.0 { (1.0 - (r / limit).powi(2)).max(0.0) } else { 1.0 });
    }
    height
}
