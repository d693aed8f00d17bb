//! How a feature is fitted to points of a scan.

use serde::{Deserialize, Serialize};

use super::in_plane::fit_in_plane;
use super::plane_set::{PlanePoints, PlaneSet, fit_parallel};
use super::weights::Weights;
use super::{Fit, Kind, Objective, Options, Shape, fit};
use crate::parts::Actual;
use base::{Progress, Result, UserError};
use compute::Backend;
use geometry::{Point, Subset};

/// How a feature is fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitting {
    /// The kind.
    pub kind: Kind,
    /// What makes one feature the best.
    #[serde(default)]
    pub objective: Objective,
    /// Whether most points decide (least median of squares).
    #[serde(default)]
    pub robust: bool,
    /// Robust standard deviations beyond which points are dropped.
    #[serde(default)]
    pub clip_sigmas: Option<f64>,
    /// How its points are weighed.
    #[serde(default, skip_serializing_if = "Weights::is_plain")]
    pub weights: Weights,
}

impl Fitting {
    /// The best feature of the points of those numbers; `plane`, scan frame, holds lines and circles.
    pub fn fit(
        &self,
        numbers: &Subset,
        plane: Option<&Shape>,
        actual: &Actual,
        backend: &dyn Backend,
        progress: &Progress,
    ) -> Result<Fit> {
        let points = points_of(numbers, actual)?;
        let weights = weights_of(&self.weights, numbers, actual, backend, progress)?;
        let Self { objective, robust, clip_sigmas, .. } = *self;
        let options = Options { objective, robust, clip_sigmas, ..Options::default() };
        match plane {
            Some(plane) => fit_in_plane(self.kind, &points, &weights, plane, &options, progress),
            None => fit(self.kind, &points, &weights, &options, progress),
        }
    }

    /// Parallel planes through several sets of points.
    pub fn fit_parallel(
        &self,
        planes: &[Subset],
        actual: &Actual,
        backend: &dyn Backend,
        progress: &Progress,
    ) -> Result<PlaneSet> {
        let own = |(k, numbers): (usize, &Subset)| -> Result<(Vec<Point>, Vec<f64>)> {
            let share = |at: usize| 0.4 * at as f32 / planes.len() as f32;
            let points = points_of(numbers, actual)?;
            let progress = progress.part(share(k), share(k + 1));
            Ok((points, weights_of(&self.weights, numbers, actual, backend, &progress)?))
        };
        let parts = planes.iter().enumerate().map(own).collect::<Result<Vec<_>>>()?;
        let parts: Vec<PlanePoints<'_>> =
            parts.iter().map(|(points, weights)| PlanePoints { points, weights }).collect();
        fit_parallel(backend, &parts, self.clip_sigmas, &progress.part(0.4, 1.0))
    }
}

/// The points of those numbers; a sentence where one is not there.
pub fn points_of(numbers: &Subset, actual: &Actual) -> Result<Vec<Point>> {
    let place = |&number: &u32| actual.cloud.points.get(number as usize).copied();
    let points: Option<Vec<Point>> = numbers.iter().map(place).collect();
    points.ok_or_else(|| UserError::input("It names points that the scan has not."))
}

/// A weight for each of those points, which are there; empty where all count alike.
fn weights_of(
    weights: &Weights,
    numbers: &Subset,
    actual: &Actual,
    backend: &dyn Backend,
    progress: &Progress,
) -> Result<Vec<f64>> {
    if weights.is_plain() {
        return Ok(Vec::new());
    }
    weights.of(backend, &actual.cloud.select(numbers), progress)
}
