//! Fit parameters of a feature, and fits to points of a scan.

use serde::{Deserialize, Serialize};

use super::fits::in_plane::fit_in_plane;
use super::fits::plane_set::{PlanePoints, PlaneSet, fit_parallel};
use super::fits::weights::Weights;
use super::noise::Roughness;
use super::{Fit, Kind, Objective, Options, Shape, fit};
use crate::parts::Actual;
use base::{Progress, Result, UserError};
use compute::Backend;
use geometry::{Point, Subset};

/// Fit parameters of a feature.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitting {
    /// Kind of feature.
    pub kind: Kind,
    /// Association criterion.
    #[serde(default)]
    pub objective: Objective,
    /// Whether the fit starts robustly (least median of squares).
    #[serde(default)]
    pub robust: bool,
    /// Outlier limit in robust standard deviations; `None` keeps all points.
    #[serde(default)]
    pub clip_sigmas: Option<f64>,
    /// Weights of the points.
    #[serde(default, skip_serializing_if = "Weights::is_plain")]
    pub weights: Weights,
    /// Limit for spikes, single points that stand off their neighbours, in robust standard deviations; `None` keeps
    /// them. Not applied to parallel planes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spike_sigmas: Option<f64>,
}

/// Usual limit for spikes, robust standard deviations.
pub const SPIKE_SIGMAS: f64 = 5.0;

impl Fitting {
    /// Fits the feature to the scan points with these indices. `plane`, scan frame, constrains lines and circles to a
    /// plane.
    pub fn fit(
        &self,
        indices: &Subset,
        plane: Option<&Shape>,
        actual: &Actual,
        backend: &dyn Backend,
        progress: &Progress,
    ) -> Result<Fit> {
        let points = points_of(indices, actual)?;
        let weights = weights_of(&self.weights, indices, actual, backend, progress)?;
        let Self { objective, robust, clip_sigmas, .. } = *self;
        let options = Options { objective, robust, clip_sigmas, ..Options::default() };
        let fitted = |weights: &[f64], progress: &Progress| match plane {
            Some(plane) => fit_in_plane(self.kind, &points, weights, plane, &options, progress),
            None => fit(self.kind, &points, weights, &options, progress),
        };
        let Some(sigmas) = self.spike_sigmas else { return fitted(&weights, progress) };
        let first = fitted(&weights, &progress.part(0.0, 0.5))?;
        let spikes = Roughness::of(&points, &first.residuals_mm).map(|own| own.spikes(sigmas)).unwrap_or_default();
        if spikes.is_empty() {
            return Ok(first);
        }
        let mut without = if weights.is_empty() { vec![1.0; points.len()] } else { weights };
        spikes.iter().for_each(|index| without[*index as usize] = 0.0);
        let mut fit = fitted(&without, &progress.part(0.5, 1.0))?;
        fit.dropped.extend(spikes);
        fit.dropped.sort_unstable();
        Ok(fit)
    }

    /// Fits parallel planes, one to each set of point indices.
    pub fn fit_parallel(
        &self,
        planes: &[Subset],
        actual: &Actual,
        backend: &dyn Backend,
        progress: &Progress,
    ) -> Result<PlaneSet> {
        let points_and_weights = |(k, indices): (usize, &Subset)| -> Result<(Vec<Point>, Vec<f64>)> {
            let share = |at: usize| 0.4 * at as f32 / planes.len() as f32;
            let points = points_of(indices, actual)?;
            let progress = progress.part(share(k), share(k + 1));
            Ok((points, weights_of(&self.weights, indices, actual, backend, &progress)?))
        };
        let parts = planes.iter().enumerate().map(points_and_weights).collect::<Result<Vec<_>>>()?;
        let parts: Vec<PlanePoints<'_>> =
            parts.iter().map(|(points, weights)| PlanePoints { points, weights }).collect();
        fit_parallel(backend, &parts, self.clip_sigmas, &progress.part(0.4, 1.0))
    }
}

/// The scan points with these indices, mm; returns an error if the scan has fewer points.
pub fn points_of(indices: &Subset, actual: &Actual) -> Result<Vec<Point>> {
    let point = |&index: &u32| actual.cloud.points.get(index as usize).copied();
    let points: Option<Vec<Point>> = indices.iter().map(point).collect();
    points.ok_or_else(|| UserError::input("It refers to points that the scan does not contain."))
}

/// The weights of those points, whose indices must be valid; empty for uniform weights.
fn weights_of(
    weights: &Weights,
    indices: &Subset,
    actual: &Actual,
    backend: &dyn Backend,
    progress: &Progress,
) -> Result<Vec<f64>> {
    if weights.is_plain() {
        return Ok(Vec::new());
    }
    weights.of(backend, &actual.cloud.select(indices), progress)
}
