//! The measurement behind a comparison: deviations and coverage of a scan in a pose, independent of tolerance limits.

use super::coverage::{self, Footprint};
use super::sight::Sight;
use super::{Coverage, DeviationMap, Deviations, DistantPoints, Parameters};
use crate::cleaning::Step;
use crate::parts::{Actual, Nominal, NominalStep};
use base::{Progress, Result};
use compute::{Backend, Device};
use geometry::Pose;

/// A scan measured against its nominal in a pose.
#[derive(Debug)]
pub struct Measurement {
    /// Parameters at the time of measurement; criteria of evaluation may have changed since.
    pub parameters: Parameters,
    /// BLAKE3 of the nominal's file, hexadecimal.
    pub nominal_hash: String,
    /// Changes of the nominal after reading.
    pub nominal_steps: Vec<NominalStep>,
    /// BLAKE3 of the scan files, hexadecimal.
    pub scan_hashes: Vec<String>,
    /// Cleaning steps after reading.
    pub cleaning: Vec<Step>,
    /// Pose of the measurement; maps the scan onto the nominal.
    pub nominal_from_scan: Pose,
    /// Device that computed it.
    pub device: Device,
    /// Deviations of points or facets.
    pub measured: Deviations,
    /// Points beyond the maximum distance.
    pub beyond: DistantPoints,
    /// Points whose closest points are within the maximum distance, but not what they are along the direction, or
    /// perpendicular to it.
    pub beyond_along: DistantPoints,
    /// Points near the nominal that could not be measured along the direction, or perpendicular to it, although the nominal
    /// is inclined to it there; with the deviations from their closest points.
    pub missed: DistantPoints,
    /// The compared points, projected onto the nominal.
    pub footprint: Footprint,
    /// Coverage of the nominal.
    pub coverage: Coverage,
    /// Duration of the deviation computation, ms.
    pub measure_ms: f64,
}

/// Distance from a part that was found among other things, as a share of its diagonal, from which on a point belongs to these.
const OTHER_THINGS: f64 = 0.05;

impl Measurement {
    /// Indices of the points, ascending, that belong to other things if the part was found among them: those far from it.
    pub fn other_things(&self, nominal: &Nominal) -> impl Iterator<Item = u32> + '_ {
        let limit_mm = OTHER_THINGS * nominal.surface.bounds().diagonal();
        let all = self.beyond.indices.iter().zip(&self.beyond.deviations);
        all.filter(move |(_, own)| own.value().is_none_or(|mm| mm.abs() > limit_mm)).map(|(&index, _)| index)
    }

    /// The deviation map.
    pub fn map(&self) -> &DeviationMap {
        &self.measured.map
    }

    /// Memory in use, bytes.
    pub fn bytes(&self) -> u64 {
        let points = |count: usize| (count * 16) as u64;
        let of_map = match self.map() {
            DeviationMap::Points(along) if self.measured.of_points.is_some() => points(along.len()),
            DeviationMap::Points(_) => 0,
            DeviationMap::Facets { nominal, parents, values, .. } => {
                nominal.bytes() + (4 * parents.capacity()) as u64 + points(values.capacity())
            }
        };
        let beside: usize = [&self.beyond, &self.beyond_along, &self.missed].map(|own| own.indices.len()).iter().sum();
        of_map + points(self.measured.closest().len()) + points(beside) + self.footprint.bytes()
    }
}

/// Measures the deviations of `actual` from `nominal`, and the coverage.
///
/// Returns an error as [`super::measure`] does.
pub fn run(
    backend: &dyn Backend,
    nominal: &Nominal,
    actual: &Actual,
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Measurement> {
    let (started, surface, scan) = (std::time::Instant::now(), &nominal.surface, actual.scan());
    let part = progress.part(0.0, 0.8);
    let measured = super::measure(backend, surface, &scan, nominal_from_scan, parameters, &part)?;
    let measure_ms = started.elapsed().as_secs_f64() * 1e3;
    // Facet methods give no deviations of points, so coverage and distant points are derived from the closest points.
    let closest = measured.closest();
    let part = progress.part(0.8, 0.9);
    let beyond = super::beyond(backend, surface, &scan, nominal_from_scan, parameters, closest, &part)?;
    progress.report(0.9, "Measuring coverage")?;
    let beyond_along = measured.beyond_along(parameters.effective_max_distance_mm());
    let missed = measured.missed(surface, parameters);
    let footprint = Footprint::new(measured.compared(), surface, &actual.cloud.points, nominal_from_scan);
    let sight = Sight::new(&actual.cloud, nominal_from_scan, footprint.points());
    let coverage = coverage::measure(&measured.map, surface, &footprint, &sight);
    Ok(Measurement {
        parameters: parameters.clone(),
        nominal_hash: nominal.source.hash.clone(),
        nominal_steps: nominal.steps.clone(),
        scan_hashes: actual.sources.iter().map(|source| source.hash.clone()).collect(),
        cleaning: actual.cleaning.clone(),
        nominal_from_scan: *nominal_from_scan,
        device: backend.device(),
        measured,
        beyond,
        beyond_along,
        missed,
        footprint,
        coverage,
        measure_ms,
    })
}
