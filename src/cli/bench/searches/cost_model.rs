//! The cost model of Raettig (2021), section 3.5: operations of an iteration on p processors.

use serde_json::{Value, json};

use super::Searches;
use super::sizes::PUBLISHED;
use base::Result;

/// Prediction of the model for one problem size.
struct Prediction {
    speed_up: f64,
    efficiency: f64,
}

/// The prediction for `processors` processors, `truth` and `sensed` points; steps of constant cost are neglected.
fn predict(processors: f64, truth: f64, sensed: f64) -> Prediction {
    let serial = sensed * truth.log2() + 14.0 * sensed;
    let parallel = (sensed * truth.log2() + 2.0 * sensed + 12.0 * sensed * sensed.log2()) / processors;
    let speed_up = serial / parallel;
    Prediction { speed_up, efficiency: speed_up / processors }
}

/// Mean number of values added concurrently by a reduction along a binary tree.
fn reduction_concurrency(values: f64) -> f64 {
    (2.0 * values - 1.0) / (values.log2() + 1.0)
}

/// The speed-up of [`predict`].
pub(super) fn speed_up(processors: f64, truth: f64, sensed: f64) -> f64 {
    predict(processors, truth, sensed).speed_up
}

/// The published sizes: points of the truth and of the scan.
pub(super) fn published() -> impl Iterator<Item = (f64, f64)> {
    PUBLISHED.into_iter().map(|(truth, sensed)| (truth as f64, sensed as f64))
}

pub(super) fn run(_: &Searches<'_>, rows: &mut Vec<Value>) -> Result<()> {
    let sizes = [(30_000, 30_000)].into_iter().chain(PUBLISHED);
    for (truth, sensed) in sizes {
        let prediction = predict(5000.0, truth as f64, sensed as f64);
        rows.push(json!({
            "case": format!("cost model, 5000 processors ({sensed} on {truth})"),
            "speed_up": prediction.speed_up,
            "efficiency": prediction.efficiency,
            "reduction_concurrency": reduction_concurrency(sensed as f64),
        }));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_example_comes_out() {
        let prediction = predict(5000.0, 30_000.0, 30_000.0);
        assert!((prediction.speed_up - 739.02).abs() < 0.005, "{}", prediction.speed_up);
        assert!((prediction.efficiency - 739.02 / 5000.0).abs() < 1e-6);
    }
}
