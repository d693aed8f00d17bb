//! Parallel planes, at the published sizes.

use serde_json::{Value, json};

use super::super::super::arguments::Bench;
use super::super::time;
use super::{no_notices, scaled, time_on_cpu, time_resident};
use base::random::Random;
use base::{Progress, Result};
use compute::Compute;
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::parallel_planes::Request;
use geometry::{Point, Vector};

pub fn run(arguments: &Bench, cuda: &Cuda, rows: &mut Vec<Value>) -> Result<()> {
    for each in [10_000, 100_000, 1_000_000] {
        for count in [2, 5, 10] {
            one(arguments, cuda, rows, count, scaled(arguments, each))?;
        }
    }
    one(arguments, cuda, rows, 1, scaled(arguments, 10_000_000))
}

fn one(arguments: &Bench, cuda: &Cuda, rows: &mut Vec<Value>, count: usize, each: usize) -> Result<()> {
    let silent = Progress::silent();
    let (points, planes) = (published(count, each), vec![each; count]);
    let request = Request { points: &points, origin: Point::origin(), planes: &planes, sets: &[count] };
    let size = format!("{count} of {each}");
    let reference = time_on_cpu(&format!("planes ({size})"), arguments, rows, || Cpu.compute(&request, &silent))?;
    let (answers, row) =
        time(&format!("planes, host to host ({size})"), arguments.runs, || cuda.compute(&request, &silent))?;
    rows.push(row);
    no_notices(cuda)?;
    let mut locked = cuda.page_locked(points.len())?;
    locked.copy_from_slice(&points);
    let from_locked = Request { points: &locked, ..request };
    let case = format!("planes, host to host, page-locked ({size})");
    let (_, row) = time(&case, arguments.runs, || cuda.compute(&from_locked, &silent))?;
    rows.push(row);
    let job = cuda.prepare_parallel_planes(&request)?;
    rows.push(time_resident(&format!("planes, resident ({size})"), arguments, cuda, || job.launch())?);
    let normals = |sets: &[compute::parallel_planes::PlaneSet]| -> Vec<Vector> {
        sets.iter().filter_map(|set| set.normal).collect()
    };
    let max_difference =
        normals(&reference).iter().zip(normals(&answers)).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    rows.push(json!({
        "case": format!("planes, parity ({size})"),
        "normals_apart": max_difference,
        "repeat_differs": job.read()? != answers,
    }));
    Ok(())
}

/// The published input: X, Y in (-50, 50), Z in (-0.1, 0.1) plus 20 per plane index, weights in (1, 2).
pub fn published(planes: usize, each: usize) -> Vec<[f32; 4]> {
    let mut random = Random::new(13, 0);
    let mut uniform = |low: f64, high: f64| random.range(low, high) as f32;
    (0..planes * each)
        .map(|i| {
            let height = 20.0 * (i / each) as f32;
            [uniform(-50.0, 50.0), uniform(-50.0, 50.0), height + uniform(-0.1, 0.1), uniform(1.0, 2.0)]
        })
        .collect()
}
