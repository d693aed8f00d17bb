//! `bench fits`: how often the uncertainty intervals of fits contain the true value, for independent noise and noise
//! correlated over 2 and 6 mm; and those of bores seen on arcs, round and with lobes.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use base::Result;
use inspect::features::fits::bores::Bore;
use inspect::features::fits::coverage::{PatchNoise, coverage, patches};
use inspect::features::{Kernel, Kind};

/// Points per patch.
const POINTS: usize = 1500;
/// Minimum points per patch: fewer show no correlation.
const MIN_POINTS: usize = 200;
/// Noise draws of each case per requested mounting.
const DRAWS_PER_MOUNTING: usize = 10;
/// Standard deviation of the noise, mm.
const SIGMA_MM: f64 = 0.01;
/// Fraction of its variance that is correlated.
const CORRELATED_FRACTION: f64 = 0.8;
/// Arcs of bores, degrees, and their lobes: number and amplitude, mm.
const ARCS_DEG: [f64; 4] = [360.0, 180.0, 120.0, 70.0];
const LOBES: [(u32, f64); 6] = [(0, 0.0), (2, 0.02), (3, 0.01), (3, 0.02), (3, 0.03), (5, 0.02)];
/// Points of a bore.
const BORE_POINTS: usize = 600;

/// Runs it.
pub fn run(arguments: &Bench) -> Result<Value> {
    let count = ((POINTS as f64 * arguments.scale) as usize).max(MIN_POINTS);
    let draws = DRAWS_PER_MOUNTING * arguments.mountings;
    let noises = [
        (Kernel::Gaussian, 0.0),
        (Kernel::Gaussian, 2.0),
        (Kernel::Gaussian, 6.0),
        (Kernel::Exponential, 2.0),
        (Kernel::Exponential, 6.0),
    ];
    let mut rows = Vec::new();
    for patch in patches(count) {
        let kind = patch.shape.kind().name().to_lowercase();
        if arguments.only.as_ref().is_some_and(|only| *only != kind) {
            continue;
        }
        for (kernel, length_mm) in noises {
            let started = std::time::Instant::now();
            let found = coverage(
                &patch,
                &PatchNoise { sigma_mm: SIGMA_MM, share: CORRELATED_FRACTION, kernel, length_mm },
                draws,
            )?;
            let noise = if length_mm > 0.0 {
                format!("{} noise correlated over {length_mm} mm", kernel.name())
            } else {
                "independent noise".to_owned()
            };
            let case = format!("{}, {noise}", patch.name);
            // Printed at once, so that an interrupted run leaves its results so far.
            eprintln!("{case}: {:.3}", found.mean());
            rows.push(json!({
                "case": case,
                "draws": draws,
                "covered_mean": found.mean(),
                "covered": found.covered,
                "inflation_least": found.inflations.first(),
                "inflation_median": found.inflations.get(found.inflations.len() / 2),
                "seconds": started.elapsed().as_secs_f64(),
            }));
        }
    }
    if arguments.only.as_ref().is_none_or(|only| only == "bores") {
        rows.extend(bores(draws)?);
    }
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "fits", "points": count, "rows": rows }))
}

/// Bores seen on arcs: round, and with lobes of up to three times the noise.
fn bores(draws: usize) -> Result<Vec<Value>> {
    let mut rows = Vec::new();
    for kind in [Kind::Cylinder, Kind::Circle] {
        for arc_deg in ARCS_DEG {
            for (lobes, amplitude_mm) in LOBES {
                let bore = Bore { arc_deg, lobes, amplitude_mm, count: BORE_POINTS, sigma_mm: SIGMA_MM };
                let found = bore.coverage(kind, draws, 0xB0)?;
                let form = if lobes == 0 { "round".to_owned() } else { format!("{lobes} lobes of {amplitude_mm} mm") };
                let case = format!("{} seen on {arc_deg}°, {form}", kind.name());
                eprintln!("{case}: {:.3} {:.3}", found.size, found.position);
                rows.push(json!({
                    "case": case,
                    "draws": draws,
                    "covered_diameter": found.size,
                    "covered_position": found.position,
                    "mean_uncertainty_of_diameter_mm": found.mean_size_mm,
                }));
            }
        }
    }
    Ok(rows)
}
