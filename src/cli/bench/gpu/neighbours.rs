//! Normals, densities and thinning.

use serde_json::{Value, json};

use super::super::super::arguments::Bench;
use super::super::{part, time};
use super::{no_notices, scaled, time_on_cpu, time_resident};
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::thinning::{self, Rule};
use compute::{Compute, neighbourhoods};
use geometry::SearchablePoints;

pub fn run(arguments: &Bench, cuda: &Cuda, rows: &mut Vec<Value>) -> Result<()> {
    let silent = Progress::silent();
    let mesh = part::cone(scaled(arguments, 1_000_000));
    for count in [424_307, 2_000_000] {
        let scan = part::scan(&mesh, scaled(arguments, count), 5);
        let points = SearchablePoints::new(&scan);
        let request = neighbourhoods::Request { points: &points, neighbours: 20 };
        let size = format!("{} points", scan.len());
        let case = format!("20 neighbours, normals ({size})");
        let reference = time_on_cpu(&case, arguments, rows, || Cpu.compute(&request, &silent))?;
        let (answers, row) =
            time(&format!("{case}, host to host"), arguments.runs, || cuda.compute(&request, &silent))?;
        rows.push(row);
        let job = cuda.prepare_neighbourhoods(&request)?;
        rows.push(time_resident(&format!("{case}, resident"), arguments, cuda, || job.launch())?);
        rows.push(json!({
            "case": format!("{case}, parity"),
            "other_bits": reference.iter().zip(&answers).filter(|(a, b)| a != b).count(),
        }));
        for (name, rule) in [("none nearer than 1 mm", Rule::Distance(1.0)), ("one in each mm³", Rule::Cells(1.0))] {
            let request = thinning::Request { points: &points, rule };
            let case = format!("thinning, {name} ({size})");
            let reference = time_on_cpu(&case, arguments, rows, || Cpu.compute(&request, &silent))?;
            let (answers, row) =
                time(&format!("{case}, host to host"), arguments.runs, || cuda.compute(&request, &silent))?;
            rows.push(row);
            rows.push(
                json!({ "case": format!("{case}, parity"), "kept": answers.len(), "same": answers == reference }),
            );
        }
        no_notices(cuda)?;
    }
    Ok(())
}
