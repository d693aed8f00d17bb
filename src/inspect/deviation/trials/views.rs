//! Sound parts, and the same with a dark hole, in scans of the simulated sensor: from all sides, with its noise, its fly points
//! and what it does not see.

use super::{Said, TrialPart, said};
use crate::deviation::check::{self, Check, Compared};
use crate::deviation::sight::{self, SECTORS};
use crate::deviation::{Parameters, Tolerance};
use crate::parts::Actual;
use crate::simulation::{self, sensor::Sensor};
use base::random::Random;
use base::{Progress, Result};
use compute::cpu::Cpu;
use geometry::{Cloud, KdTree, Pose, Surface, transform};

/// Limits of the deviations, ± mm, and standard deviation of the range noise, mm.
const LIMIT_MM: f64 = 0.2;
const SIGMA_MM: f64 = 0.02;
/// Number of directions that a part is scanned from.
pub const VIEWS: usize = 12;
/// Diameter of a dark hole in gaps that are stated as always found.
const HOLE: f64 = 1.1;
/// Attempts to find a place that was measured, flat, and large enough for it.
const ATTEMPTS: usize = 200;

/// What is said of a part in such a scan.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Of the sound part.
    pub sound: Said,
    /// The headline with its reason.
    pub why: String,
    /// Of the part with a hole whose walls are dark, where it was measured; `None` if there is no room for it.
    pub with_hole: Option<Said>,
}

/// Scans a part with about so many points.
///
/// Returns an error if the sensor sees nothing of the part.
pub fn run(part: &TrialPart, points: usize, seed: u64) -> Result<Outcome> {
    let cloud = scan(part, points, seed)?;
    let check = compare(part, cloud.clone())?;
    let hole_mm = HOLE * check.resolution.gap_mm;
    let spacing_mm = check.measurement.coverage.spacing_mm;
    let with_hole = match with_dark_hole(&cloud, &part.nominal.surface, hole_mm, spacing_mm, seed) {
        Some(cloud) => Some(said(&compare(part, cloud)?)),
        None => None,
    };
    let why = format!("{}. {}", check.judgement.headline(), check.judgement.reason);
    Ok(Outcome { sound: said(&check), why, with_hole })
}

fn scan(part: &TrialPart, points: usize, seed: u64) -> Result<Cloud> {
    let sensor = Sensor { pitch_mm: [0.4; 2], range_sigma_mm: SIGMA_MM, ..Sensor::default().scaled(2.0) };
    let parameters = simulation::Parameters {
        sensor,
        views: VIEWS,
        points: Some(points),
        seed,
        ..simulation::Parameters::default()
    };
    Ok(simulation::run(&part.nominal.surface, &parameters, &Progress::silent())?.cloud)
}

fn compare(part: &TrialPart, cloud: Cloud) -> Result<Check> {
    let actual = Actual::in_memory("scan", cloud);
    let compared = Compared { nominal: &part.nominal, actual: &actual, is_found: false };
    let tolerance = Tolerance { low_mm: -LIMIT_MM, high_mm: LIMIT_MM };
    let parameters = Parameters { tolerance, ..Parameters::default() };
    check::run(&Cpu, &compared, &Pose::identity(), &parameters, 3.0 * LIMIT_MM, &Progress::silent())
}

/// The scan without the points of a disc, in a flat place that was measured within it and all around.
fn with_dark_hole(cloud: &Cloud, surface: &Surface, hole_mm: f64, spacing_mm: f64, seed: u64) -> Option<Cloud> {
    let mut random = Random::new(seed, 0xDA2C);
    let tree = KdTree::new(&cloud.points);
    let radius_mm = 0.5 * hole_mm;
    let room_mm = radius_mm + 3.0 * spacing_mm;
    let least = 0.6 * std::f64::consts::PI * (radius_mm / spacing_mm).powi(2);
    (0..ATTEMPTS).find_map(|_| {
        let middle = cloud.points[random.index(cloud.points.len())];
        let normal = surface.mesh().normal(surface.closest_point(&middle, LIMIT_MM)?.facet as usize);
        let [u, v] = transform::perpendicular_axes(&normal);
        let (mut within, mut about, mut is_flat) = (Vec::new(), [0; SECTORS], true);
        tree.within_radius(&middle, room_mm, |near| {
            let away = cloud.points[near.number as usize] - middle;
            is_flat &= away.dot(&normal).abs() < 0.1 * room_mm;
            match away.norm() < radius_mm {
                true => within.push(near.number),
                false => {
                    about[sight::sector([away.dot(&u), away.dot(&v)])] += 1;
                }
            }
        });
        (is_flat && within.len() as f64 > least && about.iter().all(|count| *count > 2)).then(|| {
            within.sort_unstable();
            let kept: Vec<u32> =
                (0..cloud.points.len() as u32).filter(|index| within.binary_search(index).is_err()).collect();
            cloud.select(&kept)
        })
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::shapes;
    use super::*;

    #[test]
    fn sound_parts_pass_from_all_sides_and_with_a_dark_hole_they_do_not() {
        let parts = shapes::all();
        let mut holes = 0;
        for (seed, part) in (1..).zip(parts.iter().step_by(parts.len() / 3)) {
            let outcome = run(part, 40_000, seed).unwrap();
            assert_eq!(outcome.sound, Said::Passes, "{}: {}", part.name, outcome.why);
            assert_ne!(outcome.with_hole, Some(Said::Passes), "{}: {outcome:?}", part.name);
            holes += usize::from(outcome.with_hole.is_some());
        }
        assert!(holes > 0, "no part has room for a hole");
    }

    /// Inside a dome and in slots no view reaches all: where the scan tells from where it was taken, that is no hole, and where it
    /// does not, it may be one.
    #[test]
    fn what_no_position_of_the_sensor_saw_is_no_hole() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/parts");
        let mut doubted = 0;
        for name in ["dome", "slotted-block"] {
            let path = folder.join(format!("{name}.stl"));
            let mesh = io::load_nominal(&path, &io::LoadOptions::default(), &Progress::silent()).unwrap().mesh;
            let part = TrialPart::scaled(name, mesh);
            for seed in 1..3 {
                let known = scan(&part, 40_000, seed).unwrap();
                let unknown = Cloud::from_points(known.points.clone());
                let check = compare(&part, known).unwrap();
                assert_eq!(said(&check), Said::Passes, "{name}: {}", check.judgement.reason);
                doubted += usize::from(said(&compare(&part, unknown).unwrap()) != Said::Passes);
            }
        }
        assert!(doubted > 0, "no gap was ever taken for a hole");
    }
}
