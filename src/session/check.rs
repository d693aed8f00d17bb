//! A check: nominal against actual with a tolerance, its figures, and how it was made.

use crate::base::{Progress, Result, UserError};
use crate::compute::{Backend, Device};
use crate::geometry::{Pose, Vector};
use crate::inspect::deviation::coverage::{self, Footprint};
use crate::inspect::deviation::histogram::Histogram;
use crate::inspect::deviation::judgement::Evidence;
use crate::inspect::deviation::regions::{self, Clutter, Outliers, Region};
use crate::inspect::deviation::{
    self, Coverage, DeviationMap, Excluded, Judgement, Parameters, PartMatch, Statistics, Verdict, statistics,
};

use super::{Actual, Nominal};

/// A finished check.
#[derive(Debug)]
pub struct Check {
    /// What it was asked to do.
    pub parameters: Parameters,
    /// Fingerprint of the nominal.
    pub nominal_hash: String,
    /// Fingerprints of the scans.
    pub scan_hashes: Vec<String>,
    /// The pose it was made in.
    pub nominal_from_scan: Pose,
    /// Device that computed it.
    pub device: Device,
    /// Deviations by place.
    pub map: DeviationMap,
    /// Their figures.
    pub statistics: Statistics,
    /// Places without data, by reason.
    pub excluded: Excluded,
    /// How often each deviation occurs.
    pub histogram: Histogram,
    /// Regions out of tolerance, worst first.
    pub regions: Vec<Region>,
    /// What in the scan is not the part.
    pub clutter: Clutter,
    /// Points out of tolerance that belong to no region.
    pub outliers: Outliers,
    /// How much of the nominal was measured.
    pub coverage: Coverage,
    /// Whether the scan is of this part.
    pub part_match: PartMatch,
    /// What it comes to.
    pub judgement: Judgement,
    /// Time of the measurement, ms.
    pub measure_ms: f64,
}

impl Check {
    /// The verdict.
    pub fn verdict(&self) -> Verdict {
        self.judgement.verdict
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> u64 {
        match &self.map {
            DeviationMap::Points(points) => (points.capacity() * 16) as u64,
            DeviationMap::Facets { nominal, values, .. } => nominal.bytes() + (values.capacity() * 16) as u64,
        }
    }
}

/// Compares `actual` with `nominal`.
pub fn run(
    backend: &dyn Backend,
    nominal: &Nominal,
    actual: &Actual,
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    scale_mm: f64,
    progress: &Progress,
) -> Result<Check> {
    let started = std::time::Instant::now();
    let measured = deviation::measure(
        backend,
        &nominal.surface,
        &actual.scan(),
        nominal_from_scan,
        parameters,
        &progress.part(0.0, 0.6),
    )?;
    let measure_ms = started.elapsed().as_secs_f64() * 1e3;
    let map = &measured.map;
    let values = map.numbers();
    let (statistics, histogram) =
        statistics::of(backend, &values, &parameters.tolerance, scale_mm, &progress.part(0.6, 0.65))?;
    if statistics.count == 0 {
        return Err(UserError::input(format!(
            "The scan and the nominal do not overlap: no place has a match within {} mm and {}°. Align first, or check \
             units, normals and distances.",
            parameters.max_distance_mm, parameters.max_angle_deg
        )));
    }
    let scan = actual.scan();
    let surface = &nominal.surface;
    // Facet methods say nothing of points: what those cover and what lies beyond is asked of the closest points.
    let closest = measured.closest();
    let part = progress.part(0.65, 0.75);
    let beyond = deviation::beyond(backend, surface, &scan, nominal_from_scan, parameters, closest, &part)?;
    progress.report(0.75, "Measuring coverage")?;
    let points = &actual.cloud.points;
    let footprint = Footprint::new(closest, surface, points, nominal_from_scan);
    let coverage = coverage::measure(map, surface, &footprint, &view_directions(actual, nominal_from_scan));
    progress.report(0.8, "Finding regions out of tolerance")?;
    let request = regions::Request {
        map,
        closest,
        beyond: &beyond,
        surface,
        points,
        nominal_from_scan,
        footprint: &footprint,
        parameters,
    };
    let regions::Found { regions, clutter, outliers } = regions::find(backend, &request, &progress.part(0.8, 1.0))?;
    let diagonal_mm = surface.bounds().diagonal();
    let part_match = PartMatch::new(closest, &beyond, &clutter, &coverage, &parameters.tolerance, diagonal_mm);
    let judgement = Evidence {
        parameters,
        statistics: &statistics,
        regions: &regions,
        clutter: &clutter,
        outliers: &outliers,
        coverage: &coverage,
        part_match: &part_match,
        diagonal_mm,
    }
    .judge();
    Ok(Check {
        parameters: parameters.clone(),
        nominal_hash: nominal.source.hash.clone(),
        scan_hashes: actual.sources.iter().map(|source| source.hash.clone()).collect(),
        nominal_from_scan: *nominal_from_scan,
        device: backend.device(),
        statistics,
        excluded: measured.map.excluded(),
        histogram,
        regions,
        clutter,
        outliers,
        coverage,
        part_match,
        judgement,
        map: measured.map,
        measure_ms,
    })
}

/// Points whose directions to the sensor tell where it stood.
const DIRECTIONS: usize = 20_000;

/// From where the scan was taken, nominal frame; empty where the file does not say.
fn view_directions(actual: &Actual, nominal_from_scan: &Pose) -> Vec<Vector> {
    let cloud = &actual.cloud;
    let stride = cloud.points.len().div_ceil(DIRECTIONS).max(1);
    let known = (0..cloud.points.len()).step_by(stride).filter_map(|i| cloud.direction_to_sensor(i));
    coverage::view_directions(known.map(|direction| nominal_from_scan.rotation * direction))
}
