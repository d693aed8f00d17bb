//! Statistical outlier removal (Rusu et al., "Towards 3D point cloud based object maps", 2008).

use compute::neighbourhoods::Neighbourhood;

/// Indices of the points that are no outliers, ascending, and the limit of the mean neighbour distance, mm: the mean
/// over all points plus `sigmas` standard deviations.
pub fn kept(neighbourhoods: &[Neighbourhood], sigmas: f64) -> (Vec<u32>, f64) {
    let count = neighbourhoods.len().max(1) as f64;
    let mean = neighbourhoods.iter().map(|own| own.mean_mm).sum::<f64>() / count;
    let variance = neighbourhoods.iter().map(|own| (own.mean_mm - mean).powi(2)).sum::<f64>() / count;
    let limit_mm = mean + sigmas * variance.sqrt();
    let inlier = |(index, own): (u32, &Neighbourhood)| (own.mean_mm <= limit_mm).then_some(index);
    ((0..).zip(neighbourhoods).filter_map(inlier).collect(), limit_mm)
}
