//! Best fit.

use serde_json::{Value, json};

use super::super::super::arguments::Bench;
use super::super::{part, time};
use super::{no_notices, scaled, time_on_cpu, time_resident};
use base::{Progress, Result};
use compute::Backend;
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::registration::{Metric, Problem, Robust, Step, Target};
use geometry::{OrderedPoints, Pose, Surface, Vector, transform};
use inspect::alignment::best_fit::{self, Parameters};

pub fn run(arguments: &Bench, cuda: &Cuda, rows: &mut Vec<Value>) -> Result<()> {
    // 2° of rotation and 2 mm of translation at the part's centre.
    let rotation = Vector::new(1.0, 2.0, -1.0).normalize() * 2.0_f64.to_radians();
    for (points, facets) in [(424_307, 1_188_408), (1_000_000, 1_000_000)] {
        let surface = Surface::new(part::cone(scaled(arguments, facets)));
        let centre = surface.bounds().centre();
        let shift = Vector::new(1.0, -1.0, 2.0_f64.sqrt());
        let truth = transform::step_about(&centre, rotation, shift);
        let scan: Vec<_> = part::scan(surface.mesh(), scaled(arguments, points), 3);
        let scan: Vec<_> = scan.iter().map(|point| truth.inverse() * point).collect();
        let ordered = OrderedPoints::new(&scan);
        let problem = best_fit::Problem {
            target: Target::Surface(&surface),
            bounds: *surface.bounds(),
            points: &ordered,
            normals: &[],
            oriented: false,
        };
        let size = format!("{} on {}", scan.len(), surface.mesh().facets.len());
        let fit = |backend: &dyn Backend| {
            let parameters = Parameters::default();
            let silent = Progress::silent();
            best_fit::run(backend, &problem, &Pose::identity(), &parameters, &silent, &mut |_, _| ())
        };
        let on_cpu = time_on_cpu(&format!("best fit ({size})"), arguments, rows, || fit(&Cpu))?;
        let (on_gpu, mut row) =
            time(&format!("best fit, host to host, tree resident ({size})"), arguments.runs, || fit(cuda))?;
        no_notices(cuda)?;
        let scan_centre = truth.inverse_transform_point(&centre);
        let (shift_mm, angle_rad) =
            transform::difference(&on_gpu.nominal_from_scan, &on_cpu.nominal_from_scan, &scan_centre);
        let (error_mm, error_rad) = transform::difference(&on_gpu.nominal_from_scan, &truth, &scan_centre);
        let again = fit(cuda)?;
        if let Some(row) = row.as_object_mut() {
            row.insert("iterations".into(), json!(on_gpu.iterations));
            row.insert("rms_mm".into(), json!(on_gpu.rms_mm));
        }
        rows.push(row);
        rows.push(json!({
            "case": format!("best fit, parity ({size})"),
            "iterations": [on_cpu.iterations, on_gpu.iterations],
            "apart_mm": shift_mm,
            "apart_deg": angle_rad.to_degrees(),
            "error_mm": error_mm,
            "error_deg": error_rad.to_degrees(),
            "repeat_differs": again.nominal_from_scan != on_gpu.nominal_from_scan,
        }));
        let points = Problem { target: problem.target, points: &ordered, normals: &[], oriented: false };
        let job = cuda.prepare_registration(&points)?;
        let step = Step {
            stride: 1,
            nominal_from_scan: on_gpu.nominal_from_scan,
            pivot: centre,
            max_distance_mm: 1.0,
            max_angle_rad: 1.0,
            trim: 0.0,
            robust: Robust::Tukey,
            floor_mm: 1e-5,
            metric: Metric::PointToTriangle,
        };
        rows.push(time_resident(&format!("one step, resident ({size})"), arguments, cuda, || job.launch(&step))?);
        let (_, row) = time(&format!("one step and its answer ({size})"), 20.max(arguments.runs), || job.step(&step))?;
        rows.push(row);
    }
    Ok(())
}
