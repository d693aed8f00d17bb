//! Statistics and histogram of deviations.

use serde_json::{Value, json};

use super::super::super::arguments::Bench;
use super::super::time;
use super::{no_notices, scaled, time_on_cpu};
use base::random::Random;
use base::{Progress, Result};
use compute::Compute;
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::statistics::Request;

pub fn run(arguments: &Bench, cuda: &Cuda, rows: &mut Vec<Value>) -> Result<()> {
    let silent = Progress::silent();
    for count in [424_307, 10_000_000] {
        let mut random = Random::new(21, 0);
        let values: Vec<f64> = (0..scaled(arguments, count)).map(|_| 0.1 * random.normal()).collect();
        let request = Request { values: &values, allowed: [-0.1, 0.1], range: [-0.3, 0.3], bins: 60 };
        let case = format!("statistics and histogram ({} values)", values.len());
        let reference = time_on_cpu(&case, arguments, rows, || Cpu.compute(&request, &silent))?;
        let (answer, row) = time(&format!("{case}, host to host"), arguments.runs, || cuda.compute(&request, &silent))?;
        rows.push(row);
        no_notices(cuda)?;
        rows.push(json!({
            "case": format!("{case}, parity"),
            "mean_apart": (answer.mean - reference.mean).abs(),
            "same_percentiles_and_counts": answer.percentiles == reference.percentiles && answer.bins == reference.bins,
        }));
    }
    Ok(())
}
