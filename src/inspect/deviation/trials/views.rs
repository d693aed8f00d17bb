//! Sound parts in scans of the simulated sensor: from all sides, with its noise, its fly points and what it does not see.

use super::{Said, TrialPart, said};
use crate::deviation::check::{self, Compared};
use crate::deviation::{Parameters, Tolerance};
use crate::parts::Actual;
use crate::simulation::{self, sensor::Sensor};
use base::{Progress, Result};
use compute::cpu::Cpu;
use geometry::Pose;

/// Limits of the deviations, ± mm, and standard deviation of the range noise, mm.
const LIMIT_MM: f64 = 0.2;
const SIGMA_MM: f64 = 0.02;
/// Number of directions that a part is scanned from.
pub const VIEWS: usize = 12;

/// What is said of a sound part in such a scan of about so many points, and the headline with its reason.
///
/// Returns an error if the sensor sees nothing of the part.
pub fn run(part: &TrialPart, points: usize, seed: u64) -> Result<(Said, String)> {
    let sensor = Sensor { pitch_mm: [0.4; 2], range_sigma_mm: SIGMA_MM, ..Sensor::default().scaled(2.0) };
    let parameters = simulation::Parameters {
        sensor,
        views: VIEWS,
        points: Some(points),
        seed,
        ..simulation::Parameters::default()
    };
    let cloud = simulation::run(&part.nominal.surface, &parameters, &Progress::silent())?.cloud;
    let actual = Actual::in_memory("scan", cloud);
    let compared = Compared { nominal: &part.nominal, actual: &actual, is_found: false };
    let tolerance = Tolerance { low_mm: -LIMIT_MM, high_mm: LIMIT_MM };
    let parameters = Parameters { tolerance, ..Parameters::default() };
    let check = check::run(&Cpu, &compared, &Pose::identity(), &parameters, 3.0 * LIMIT_MM, &Progress::silent())?;
    Ok((said(&check), format!("{}. {}", check.judgement.headline(), check.judgement.reason)))
}
