//! A large binary STL file: reading, vertex welding and building the search structure, timed separately.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::{part, time};
use base::{Progress, Result};
use compute::Backend;
use compute::cpu::Cpu;
use geometry::{Surface, weld};
use io::account::Account;
use io::{Source, stl, write};

/// 500 MB of 50-byte records.
const FACETS: usize = 10_000_000;

pub fn run(arguments: &Bench) -> Result<Value> {
    let folder = arguments.data.clone().unwrap_or_else(std::env::temp_dir);
    base::folder::make(&folder)?;
    let path = folder.join(format!("shadowgraph-bench-{}.stl", std::process::id()));
    let facets = ((FACETS as f64 * arguments.scale) as usize).max(1000);
    write::mesh(&path, &part::cone(facets))?;
    let megabytes = std::fs::metadata(&path).map_or(0.0, |about| about.len() as f64 / 1e6);
    let outcome = measure(arguments, &path, megabytes);
    // A temporary file; failing to remove it does not fail the benchmark.
    let _ = std::fs::remove_file(&path);
    outcome
}

fn measure(arguments: &Bench, path: &std::path::Path, megabytes: f64) -> Result<Value> {
    let case = |what: &str| format!("{what} ({megabytes:.0} MB)");
    let (triangles, mut row) = time(&case("read facets and bounds"), arguments.runs, || {
        let triangles = stl::read(Source::open(path, &Progress::silent())?, &mut Account::default())?;
        let bounds = triangles.iter().flatten().fold([f32::INFINITY; 3], |low, corner| {
            std::array::from_fn(|axis| {
                let value = corner.get(axis).copied().unwrap_or(f32::INFINITY);
                low.get(axis).copied().unwrap_or(value).min(value)
            })
        });
        std::hint::black_box(bounds);
        Ok(triangles)
    })?;
    let median_ms = row.get("median_ms").and_then(Value::as_f64).unwrap_or(f64::NAN);
    if let Some(row) = row.as_object_mut() {
        row.insert("megabytes_per_s".into(), json!(megabytes / median_ms * 1e3));
        row.insert("bytes_in_memory".into(), json!(triangles.capacity() * 36));
    }
    let ((mesh, _), weld_row) = time(&case("join vertices"), 1, || Ok(weld::weld(&triangles)))?;
    let (_, build_row) = time(&case("build the surface"), 1, || Ok(Surface::new(mesh.clone())))?;
    Ok(json!({
        "schema": "shadowgraph.bench/1", "suite": "read", "device": Cpu.device(),
        "rows": [row, weld_row, build_row],
    }))
}
