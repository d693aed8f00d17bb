//! `bench sections`: how often the uncertainties of dimensions in sections contain the true value, for independent noise and
//! noise correlated over 3 and 10 mm; gaps between sheets of other heights, widths and angles.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use base::Result;
use inspect::section::trials::{ContourNoise, Trial};

/// Noise draws of each case per requested mounting.
const DRAWS_PER_MOUNTING: usize = 10;
/// Standard deviation of the noise, mm.
const SIGMA_MM: f64 = 0.01;
/// Fraction of its variance that is correlated.
const CORRELATED_FRACTION: f64 = 0.8;

/// Runs it.
pub fn run(arguments: &Bench) -> Result<Value> {
    let draws = ((DRAWS_PER_MOUNTING * arguments.mountings) as f64 * arguments.scale).ceil() as usize;
    let mut rows = Vec::new();
    let trials = [("block", Trial::block())].into_iter().chain(Trial::gaps().map(|own| ("gaps", own)));
    for (name, trial) in trials {
        if arguments.only.as_ref().is_some_and(|only| *only != name) {
            continue;
        }
        for length_mm in [0.0, 3.0, 10.0] {
            let noise = ContourNoise { sigma_mm: SIGMA_MM, share: CORRELATED_FRACTION, length_mm };
            for found in trial.coverage(&noise, draws)? {
                let case = format!("{}, noise correlated over {length_mm} mm", found.case);
                // Printed at once, so that an interrupted run leaves its results so far.
                eprintln!("{case}: {:.3}", found.covered);
                rows.push(json!({
                    "case": case,
                    "draws": draws,
                    "covered": found.covered,
                    "bias": found.bias,
                    "uncertainty_median": found.median_uncertainty,
                    "missing": found.missing,
                }));
            }
        }
    }
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "sections", "rows": rows }))
}
