//! What was measured of a scan in a pose, whatever limits it is judged by.

use super::coverage::{self, Footprint};
use super::{Beyond, Coverage, DeviationMap, Measured, Parameters};
use crate::cleaning::Step;
use crate::parts::{Actual, Nominal, NominalStep};
use base::{Progress, Result};
use compute::{Backend, Device};
use geometry::{Pose, Vector};

/// A scan measured against its nominal in a pose.
#[derive(Debug)]
pub struct Measurement {
    /// What it was asked to do; what only judges is as it was then.
    pub parameters: Parameters,
    /// Fingerprint of the nominal.
    pub nominal_hash: String,
    /// How that was changed after reading.
    pub nominal_steps: Vec<NominalStep>,
    /// Fingerprints of the scans.
    pub scan_hashes: Vec<String>,
    /// How they were cleaned after reading.
    pub cleaning: Vec<Step>,
    /// The pose it was made in.
    pub nominal_from_scan: Pose,
    /// Device that computed it.
    pub device: Device,
    /// Deviations by place.
    pub measured: Measured,
    /// Points beyond the largest distance.
    pub beyond: Beyond,
    /// Where the compared points lie on the nominal.
    pub footprint: Footprint,
    /// How much of the nominal was measured.
    pub coverage: Coverage,
    /// Time it took, ms.
    pub measure_ms: f64,
}

impl Measurement {
    /// Deviations by place.
    pub fn map(&self) -> &DeviationMap {
        &self.measured.map
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> u64 {
        let points = |count: usize| (count * 16) as u64;
        let beside = match self.map() {
            DeviationMap::Points(_) => 0,
            DeviationMap::Facets { nominal, values, .. } => nominal.bytes() + points(values.capacity()),
        };
        beside + points(self.measured.closest().len()) + points(self.beyond.numbers.len()) + self.footprint.bytes()
    }
}

/// Measures the deviations of `actual` from `nominal`.
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
    // Facet methods say nothing of points: what those cover and what lies beyond is asked of the closest points.
    let closest = measured.closest();
    let part = progress.part(0.8, 0.9);
    let beyond = super::beyond(backend, surface, &scan, nominal_from_scan, parameters, closest, &part)?;
    progress.report(0.9, "Measuring coverage")?;
    let footprint = Footprint::new(closest, surface, &actual.cloud.points, nominal_from_scan);
    let directions = view_directions(actual, nominal_from_scan);
    let coverage = coverage::measure(&measured.map, surface, &footprint, &directions);
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
        footprint,
        coverage,
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
