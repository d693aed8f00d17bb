//! The CUDA device beside the processor: closest points at the published size, near and far from the origin.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::{part, time};
use crate::base::{Progress, Result, UserError};
use crate::compute::Backend;
use crate::compute::cpu::Cpu;
use crate::compute::cuda::Cuda;
use crate::compute::point_deviation::{PointDeviation, Request};
use crate::geometry::{OrderedPoints, Pose, Surface, Vector};

/// Repeats that must give the same bits.
const REPEATS: usize = 100;

pub fn run(arguments: &Bench) -> Result<Value> {
    let scaled = |count: usize| ((count as f64 * arguments.scale) as usize).max(1000);
    let cuda = Cuda::open()?;
    let mut rows = Vec::new();
    for offset_mm in [0.0, 10_000.0] {
        let mut mesh = part::cone(scaled(1_188_408));
        let shift = Vector::new(offset_mm, -offset_mm, 0.5 * offset_mm);
        mesh.vertices.iter_mut().for_each(|vertex| *vertex += shift);
        let points = OrderedPoints::new(&part::scan(&mesh, scaled(424_307), 1));
        let surface = Surface::new(mesh);
        let pose = Pose::identity();
        let request = Request {
            surface: &surface,
            points: &points,
            normals: &[],
            oriented: false,
            nominal_from_scan: &pose,
            max_distance_mm: 5.0,
            max_angle_rad: std::f64::consts::PI,
        };
        let size = format!("{} on {}, {offset_mm} mm off", points.points.len(), surface.mesh().facets.len());
        let silent = Progress::silent();
        let (reference, row) =
            time(&format!("CPU, all threads ({size})"), arguments.runs, || Cpu.point_deviation(&request, &silent))?;
        rows.push(row);
        let (_, row) = time(&format!("upload and build the tree ({size})"), arguments.runs, || {
            cuda.forget();
            cuda.prepare_point_deviation(&request).map(|_| ())
        })?;
        rows.push(row);
        let (answers, row) = time(&format!("host to host, tree resident ({size})"), arguments.runs, || {
            cuda.point_deviation(&request, &silent)
        })?;
        rows.push(row);
        if let Some(notice) = cuda.take_notices().first() {
            return Err(UserError::internal(notice.clone()));
        }
        let job = cuda.prepare_point_deviation(&request)?;
        let (_, row) = time(&format!("resident ({size})"), 20.max(arguments.runs), || {
            job.launch()?;
            job.wait()
        })?;
        rows.push(row);
        let repeats_differ = (0..REPEATS)
            .map(|_| {
                job.launch()?;
                Ok(bits(&job.read()?) != bits(&answers))
            })
            .collect::<Result<Vec<bool>>>()?;
        let worst_mm =
            reference.iter().zip(&answers).map(|(a, b)| (a.deviation_mm - b.deviation_mm).abs()).fold(0.0, f64::max);
        rows.push(json!({
            "case": format!("parity ({size})"),
            "largest_difference_mm": worst_mm,
            "other_states": reference.iter().zip(&answers).filter(|(a, b)| a.state != b.state).count(),
            "other_bits": bits(&reference).iter().zip(bits(&answers)).filter(|(a, b)| **a != *b).count(),
            "repeats_that_differ": repeats_differ.iter().filter(|differs| **differs).count(),
        }));
    }
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "gpu", "device": cuda.device(), "rows": rows }))
}

fn bits(answers: &[PointDeviation]) -> Vec<(u64, u32, u8)> {
    answers.iter().map(|answer| (answer.deviation_mm.to_bits(), answer.facet, answer.state as u8)).collect()
}
