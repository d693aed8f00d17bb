//! A check: nominal against actual with a tolerance, its figures, and how it was made.

use serde::{Deserialize, Serialize};

use crate::base::{Progress, Result, UserError};
use crate::compute::{Backend, Device};
use crate::geometry::Pose;
use crate::inspect::deviation::histogram::Histogram;
use crate::inspect::deviation::regions::{self, Region};
use crate::inspect::deviation::{self, DeviationMap, Excluded, Parameters, Statistics, statistics};

use super::{Actual, Nominal};

/// The judgement of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No patch out of tolerance as large as the smallest that counts.
    Pass,
    /// At least one.
    Fail,
}

impl Verdict {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
        }
    }
}

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
    /// Patches out of tolerance, worst first.
    pub regions: Vec<Region>,
    /// The judgement.
    pub verdict: Verdict,
    /// Time of the measurement, ms.
    pub measure_ms: f64,
}

impl Check {
    /// Bytes held in memory.
    pub fn bytes(&self) -> u64 {
        match &self.map {
            DeviationMap::Points(points) => (points.capacity() * 16) as u64,
            DeviationMap::Facets { nominal, values } => nominal.bytes() + (values.capacity() * 16) as u64,
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
    let map = deviation::measure(
        backend,
        &nominal.surface,
        &actual.scan(),
        nominal_from_scan,
        parameters,
        &progress.part(0.0, 0.6),
    )?;
    let measure_ms = started.elapsed().as_secs_f64() * 1e3;
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
    progress.report(0.65, "Finding patches out of tolerance")?;
    let regions = regions::find(
        backend,
        &map,
        &nominal.surface,
        &actual.cloud.points,
        nominal_from_scan,
        parameters,
        &progress.part(0.65, 1.0),
    )?;
    Ok(Check {
        parameters: parameters.clone(),
        nominal_hash: nominal.source.hash.clone(),
        scan_hashes: actual.sources.iter().map(|source| source.hash.clone()).collect(),
        nominal_from_scan: *nominal_from_scan,
        device: backend.device(),
        statistics,
        excluded: map.excluded(),
        histogram,
        verdict: if regions.is_empty() { Verdict::Pass } else { Verdict::Fail },
        regions,
        map,
        measure_ms,
    })
}
