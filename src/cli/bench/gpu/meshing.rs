//! Surfaces between the points of a scan.

use serde_json::{Value, json};

use super::super::super::arguments::Bench;
use super::super::{part, time};
use super::{no_notices, scaled, time_on_cpu, time_resident};
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::{Compute, meshing};
use geometry::OrderedPoints;

pub fn run(arguments: &Bench, cuda: &Cuda, rows: &mut Vec<Value>) -> Result<()> {
    let silent = Progress::silent();
    let mesh = part::cone(scaled(arguments, 100_000));
    for count in [3_000_000, 10_000_000] {
        let points = OrderedPoints::new(&part::scan(&mesh, scaled(arguments, count), 1));
        let request = meshing::Request { points: &points };
        let case = format!("meshing ({} points)", points.points.len());
        let reference = time_on_cpu(&case, arguments, rows, || Cpu.compute(&request, &silent))?;
        let (facets, row) = time(&format!("{case}, host to host"), arguments.runs, || cuda.compute(&request, &silent))?;
        rows.push(row);
        if let Some(job) = cuda.prepare_meshing(&request)? {
            rows.push(time_resident(&format!("{case}, resident"), arguments, cuda, || {
                job.launch(&silent).map(|_| ())
            })?);
        }
        rows.push(
            json!({ "case": format!("{case}, parity"), "facets": facets.corners.len(), "same": facets == reference }),
        );
        no_notices(cuda)?;
    }
    Ok(())
}
