//! The result of a surface comparison: a measurement evaluated against a tolerance.

use std::sync::Arc;

use super::histogram::Histogram;
use super::judgement::Evidence;
use super::map::Weights;
use super::own_tolerances::{FaceResult, Limits, Measured, Tally};
use super::regions::{self, Clutter, Outliers, Region};
use super::resolution::Conditions;
use super::{
    Excluded, Judgement, Measurement, Parameters, PartMatch, Resolution, Statistics, Verdict, measurement, statistics,
};
use crate::parts::{Actual, Nominal};
use base::{Progress, Result, UserError};
use compute::Backend;
use geometry::Pose;

/// Result of a surface comparison.
#[derive(Debug)]
pub struct Check {
    /// Parameters of the comparison.
    pub parameters: Parameters,
    /// The histogram ranges from `-scale_mm` to `scale_mm`.
    pub scale_mm: f64,
    /// The underlying measurement.
    pub measurement: Arc<Measurement>,
    /// Statistics of the deviations.
    pub statistics: Statistics,
    /// Number of points or facets without data, by reason.
    pub excluded: Excluded,
    /// Histogram of the deviations.
    pub histogram: Histogram,
    /// Regions out of tolerance, worst first.
    pub regions: Vec<Region>,
    /// Regions that may be out of tolerance: noise about a surface at the limit would explain them, worst first.
    pub doubtful_regions: Vec<Region>,
    /// The smallest region out of tolerance that is detected.
    pub resolution: Resolution,
    /// Points of the scan that do not belong to the part.
    pub clutter: Clutter,
    /// Points out of tolerance outside regions.
    pub outliers: Outliers,
    /// Results of the own tolerances, in their order.
    pub own_tolerances: Vec<FaceResult>,
    /// Agreement of scan and nominal.
    pub part_match: PartMatch,
    /// Verdict and reasons.
    pub judgement: Judgement,
}

impl Check {
    /// The verdict with its reason, then the remarks.
    pub fn sentences(&self) -> Vec<String> {
        let headline = format!("{}. {}", self.judgement.headline(), self.judgement.reason);
        std::iter::once(headline).chain(self.judgement.remarks.iter().cloned()).collect()
    }

    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.judgement.verdict
    }
}

/// Compares a scan with a nominal: measures and evaluates.
///
/// Returns an error as [`measurement::run`] and [`judge`] do.
pub fn run(
    backend: &dyn Backend,
    compared: &Compared<'_>,
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    scale_mm: f64,
    progress: &Progress,
) -> Result<Check> {
    let part = progress.part(0.0, 0.75);
    let Compared { nominal, actual, .. } = *compared;
    let measurement = measurement::run(backend, nominal, actual, nominal_from_scan, parameters, &part)?;
    judge(backend, compared, Arc::new(measurement), parameters, scale_mm, &progress.part(0.75, 1.0))
}

/// What was compared.
#[derive(Clone, Copy)]
pub struct Compared<'a> {
    /// The nominal.
    pub nominal: &'a Nominal,
    /// The scan.
    pub actual: &'a Actual,
    /// Whether a search found the part in the scan, so that its other points say nothing against it.
    pub is_found: bool,
}

/// Evaluates `measurement`, which is of what was `compared`, against `parameters`.
///
/// Returns an error if no point or facet has data, if the faces of an own tolerance are not found, and if the backend
/// fails or the work is cancelled.
pub fn judge(
    backend: &dyn Backend,
    compared: &Compared<'_>,
    measurement: Arc<Measurement>,
    parameters: &Parameters,
    scale_mm: f64,
    progress: &Progress,
) -> Result<Check> {
    let (map, surface) = (measurement.map(), &compared.nominal.surface);
    let limits = Limits::new(parameters, compared.nominal)?;
    let part = progress.part(0.0, 0.2);
    let weights = map.weights();
    let (mut statistics, histogram) = match &weights {
        Weights::Equal => statistics::of(backend, &map.numbers(), &parameters.tolerance, scale_mm, &part)?,
        Weights::Own(areas_mm2) => {
            statistics::weighted(&map.numbers(), areas_mm2, &parameters.tolerance, scale_mm, &part)?
        }
    };
    if statistics.count == 0 && parameters.effective_direction().is_some() && measurement.measured.has_closest() {
        return Err(UserError::input(
            "In this direction no deviation can be measured: where the scan lies, the nominal runs nearly along it or is not \
             met. Choose another one.",
        ));
    }
    if statistics.count == 0 {
        return Err(UserError::input(format!(
            "The scan and the nominal do not overlap: no point has a match within {} mm and {}°. Align first, or check \
             units, normals and maximum distance.",
            parameters.max_distance_mm, parameters.max_angle_deg
        )));
    }
    progress.report(0.2, "Finding regions out of tolerance")?;
    let (closest, beyond) = (measurement.measured.closest(), &measurement.beyond);
    let request = regions::Request {
        map,
        closest,
        beyond,
        beyond_along: &measurement.beyond_along,
        missed: &measurement.missed,
        surface,
        points: &compared.actual.cloud.points,
        nominal_from_scan: &measurement.nominal_from_scan,
        footprint: &measurement.footprint,
        limits: &limits,
        parameters,
    };
    let regions::RegionSearch { regions, doubtful: doubtful_regions, on_own, clutter, outliers, missed } =
        regions::find(backend, &request, &progress.part(0.2, 1.0))?;
    let mut own_tolerances = Vec::new();
    if !on_own.is_empty() {
        let measured = Measured {
            limits: &limits,
            map,
            compared: measurement.measured.compared(),
            points: &compared.actual.cloud.points,
            nominal_from_scan: &measurement.nominal_from_scan,
            surface,
            spacing_mm: measurement.footprint.spacing_mm(),
            min_coverage: parameters.min_coverage,
        };
        let Tally { in_tolerance, faces } = measured.tally(&on_own, &weights);
        statistics.in_tolerance_fraction = in_tolerance;
        own_tolerances = faces;
    }
    let (coverage, diagonal_mm) = (&measurement.coverage, surface.bounds().diagonal());
    let limit_mm = parameters.largest_limit_mm();
    let mut part_match = PartMatch::new(closest, beyond, &clutter, coverage, limit_mm, diagonal_mm);
    part_match.is_doubtful &= !(compared.is_found && part_match.agrees_beside_clutter());
    let footprint = &measurement.footprint;
    let resolution = Resolution::new(&Conditions {
        method: parameters.method,
        count: footprint.count(),
        spacing_mm: footprint.spacing_mm(),
        gap_mm: footprint.gap_mm(),
        noise: footprint.noise(),
        median_mm: statistics.percentiles_mm.p50,
        outside_fraction: outliers.count as f64 / statistics.count.max(1) as f64,
        tolerance: parameters.tolerance,
    });
    let judgement = Evidence {
        parameters,
        statistics: &statistics,
        regions: &regions,
        doubtful_regions: &doubtful_regions,
        resolution: &resolution,
        clutter: &clutter,
        outliers: &outliers,
        missed,
        own_tolerances: &own_tolerances,
        coverage,
        part_match: &part_match,
        diagonal_mm,
        is_own_file: measurement.scan_hashes.contains(&measurement.nominal_hash),
    }
    .judge();
    Ok(Check {
        parameters: parameters.clone(),
        scale_mm,
        statistics,
        excluded: map.excluded(),
        histogram,
        regions,
        doubtful_regions,
        resolution,
        clutter,
        outliers,
        own_tolerances,
        part_match,
        judgement,
        measurement,
    })
}
