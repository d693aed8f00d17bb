//! Error of the pose against the distance from the sensor: by triangulation the noise grows with its square, and the
//! number of points falls with it.

use serde_json::{Value, json};

use super::models::{Model, scattered};
use super::{Searches, errors, register, sensed};
use base::random::Random;
use base::{Progress, Result};
use compute::Backend;
use compute::cpu::Cpu;
use compute::icp::{Filter, Parameters, Search, Start, Truth};
use geometry::{OrderedPoints, Vector};

/// Distance that the sensor's specification holds for, mm, and its noise there, mm.
const REFERENCE_DISTANCE_MM: f64 = 250.0;
const REFERENCE_SIGMA_MM: f64 = 0.035;
const RELATIVE_DISTANCES: [f64; 5] = [1.0, 2.0, 4.0, 6.0, 8.0];
/// Fraction of outliers, and their maximum distance in standard deviations of the noise.
const OUTLIER_FRACTION: f64 = 0.02;
const MAX_OUTLIER_SIGMAS: f64 = 40.0;
/// Starts at each distance, within ±15° about each axis.
const STARTS: u64 = 8;

pub(super) fn run(bench: &Searches<'_>, rows: &mut Vec<Value>) -> Result<()> {
    let mut devices: Vec<(&str, &dyn Backend)> = vec![("CPU", &Cpu)];
    if let Some(cuda) = bench.cuda {
        devices.push(("GPU", cuda));
    }
    let filters = [
        ("no filter", Filter::None),
        ("15 sigma from 15", Filter::Sigma { from: 15, limit: 15.0 }),
        ("6 robust sigma from 15", Filter::Mad { from: 15, limit: 6.0 }),
    ];
    let search = Search::Walk(Start::LeafThenPrevious);
    let points = scattered(&Model::Bracket.mesh(0)?, bench.scaled(21_000), 7);
    let truth = Truth::new(&points);
    truth.graph(&Progress::silent())?;
    for times in RELATIVE_DISTANCES {
        let (sigma_mm, count) =
            (REFERENCE_SIGMA_MM * times * times, (points.len() as f64 / (2.0 * times * times)) as usize);
        let scans = (0..STARTS).map(|index| {
            let mut random = Random::new(41, index);
            let mut angle = || random.range(-15.0, 15.0).to_radians();
            let angles_rad = Vector::new(angle(), angle(), angle());
            let (mut scan, pose) = sensed(&points, count.max(100), sigma_mm, angles_rad);
            for point in &mut scan {
                if random.uniform() < OUTLIER_FRACTION {
                    *point += random.rotation() * Vector::z() * (sigma_mm * random.range(10.0, MAX_OUTLIER_SIGMAS));
                }
            }
            (OrderedPoints::new(&scan), pose)
        });
        let scans: Vec<_> = scans.collect();
        for (device, backend) in &devices {
            for (name, filter) in filters {
                let (mut mm, mut deg) = (Vec::new(), Vec::new());
                for (scan, pose) in &scans {
                    let parameters = Parameters { filter, ..Parameters::new(search, &truth) };
                    let answer = register(*backend, &truth, scan, &parameters)?;
                    let (own_mm, own_deg) = errors(&answer, pose, &truth);
                    mm.push(own_mm);
                    deg.push(own_deg);
                }
                rows.push(json!({
                    "case": format!("{:.0} mm from the sensor, {device}, {name}", REFERENCE_DISTANCE_MM * times),
                    "kind": "distance", "search": name, "device": device, "distance_mm": REFERENCE_DISTANCE_MM * times,
                    "noise_mm": sigma_mm, "points": count.max(100),
                    "error_mm": mean(&mm), "error_mm_995": interval(&mm),
                    "error_deg": mean(&deg), "error_deg_995": interval(&deg),
                }));
            }
        }
    }
    Ok(())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Half-width of the 99.5 % confidence interval of the mean, by Student's t for the 7 degrees of freedom of 8 starts.
fn interval(values: &[f64]) -> f64 {
    let (mean, count) = (mean(values), values.len() as f64);
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    4.029 * (variance / count).sqrt()
}
