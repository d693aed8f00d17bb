//! Closest points, near the origin and far from it.

use serde_json::{Value, json};

use super::super::super::arguments::Bench;
use super::super::{part, time};
use super::{no_notices, scaled, time_on_cpu, time_resident};
use base::{Progress, Result};
use compute::Compute;
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::point_deviation::{PointDeviation, Request};
use geometry::{OrderedPoints, Pose, Surface, Vector};

/// Number of repeats, which must be bitwise identical.
const REPEATS: usize = 100;

pub fn run(arguments: &Bench, cuda: &Cuda, rows: &mut Vec<Value>) -> Result<()> {
    for offset_mm in [0.0, 10_000.0] {
        let mut mesh = part::cone(scaled(arguments, 1_188_408));
        let shift = Vector::new(offset_mm, -offset_mm, 0.5 * offset_mm);
        mesh.vertices.iter_mut().for_each(|vertex| *vertex += shift);
        let points = OrderedPoints::new(&part::scan(&mesh, scaled(arguments, 424_307), 1));
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
        let mut twin = cuda.prepare_surface(&surface)?;
        rows.push(time_resident(&format!("build the facets' tree, resident ({size})"), arguments, cuda, || {
            twin.rebuild(cuda.driver())
        })?);
        drop(twin);
        let reference = time_on_cpu(&format!("closest ({size})"), arguments, rows, || Cpu.compute(&request, &silent))?;
        let ((), row) = time(&format!("upload and build the tree ({size})"), arguments.runs, || {
            cuda.forget();
            cuda.prepare_point_deviation(&request)?.wait()
        })?;
        rows.push(row);
        let (answers, row) = time(&format!("closest, host to host, tree resident ({size})"), arguments.runs, || {
            cuda.compute(&request, &silent)
        })?;
        rows.push(row);
        no_notices(cuda)?;
        let job = cuda.prepare_point_deviation(&request)?;
        rows.push(time_resident(&format!("closest, signed, resident ({size})"), arguments, cuda, || job.launch())?);
        let repeats_differ = (0..REPEATS)
            .map(|_| {
                job.launch()?;
                Ok(bits(&job.read()?) != bits(&answers))
            })
            .collect::<Result<Vec<bool>>>()?;
        let max_difference_mm =
            reference.iter().zip(&answers).map(|(a, b)| (a.deviation_mm - b.deviation_mm).abs()).fold(0.0, f64::max);
        rows.push(json!({
            "case": format!("closest, parity ({size})"),
            "largest_difference_mm": max_difference_mm,
            "other_states": reference.iter().zip(&answers).filter(|(a, b)| a.state != b.state).count(),
            "other_bits": bits(&reference).iter().zip(bits(&answers)).filter(|(a, b)| **a != *b).count(),
            "repeats_that_differ": repeats_differ.iter().filter(|differs| **differs).count(),
        }));
    }
    Ok(())
}

fn bits(answers: &[PointDeviation]) -> Vec<(u64, u32, u8)> {
    answers.iter().map(|answer| (answer.deviation_mm.to_bits(), answer.facet, answer.state as u8)).collect()
}
