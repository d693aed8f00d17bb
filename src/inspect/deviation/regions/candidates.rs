//! The points of a scan that regions are formed of.

use rayon::prelude::*;

use super::Request;
use crate::deviation::DeviationMap;

/// The compared points, followed by those that could not be measured along the direction, those beyond the maximum distance
/// along it only, and those beyond it.
#[derive(Default)]
pub(super) struct Candidates {
    /// Indices in the scan.
    pub indices: Vec<u32>,
    /// Their deviations, mm.
    pub values_mm: Vec<f64>,
    /// The facets of the nominal that they lie on.
    pub facets: Vec<u32>,
    /// Number of compared points.
    pub compared: usize,
    /// Number of points not beyond the maximum distance.
    pub within: usize,
    /// Number of those and of points that are near the nominal, but beyond the maximum distance along the direction.
    pub near: usize,
}

impl Candidates {
    pub fn new(request: &Request<'_>) -> Self {
        let mut own = Self::default();
        if let DeviationMap::Points(deviations) = request.map {
            let all = (0..deviations.len().min(request.points.len()) as u32).into_par_iter();
            own.indices = all.filter(|&i| deviations[i as usize].value().is_some()).collect();
            own.values_mm = own.indices.par_iter().map(|&i| deviations[i as usize].deviation_mm).collect();
            own.facets = own.indices.par_iter().map(|&i| deviations[i as usize].facet).collect();
        }
        own.compared = own.indices.len();
        own.within = own.compared + request.missed.indices.len();
        own.near = own.within + request.beyond_along.indices.len();
        let beside = [request.missed, request.beyond_along, request.beyond];
        for (index, deviation) in beside.into_iter().flat_map(|own| own.indices.iter().zip(&own.deviations)) {
            own.indices.push(*index);
            own.values_mm.push(deviation.deviation_mm);
            own.facets.push(deviation.facet);
        }
        own
    }
}
