//! Best fit from a small misalignment.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::{part, pools, time};
use base::{Progress, Result};
use compute::Backend;
use compute::cpu::Cpu;
use compute::registration::Target;
use geometry::{OrderedPoints, Pose, Surface, Vector, transform};
use inspect::alignment::best_fit::{self, Parameters, Problem};
use io::atomic::write_bytes;

pub fn run(arguments: &Bench) -> Result<Value> {
    let scaled = |count: usize| ((count as f64 * arguments.scale) as usize).max(1000);
    let truth = Pose::new(Vector::new(1.2, -0.9, 1.3), Vector::new(0.02, -0.015, 0.024));
    let mut rows = Vec::new();
    for (points, facets) in [(30_696, 82_000), (424_307, 345_592), (1_000_000, 82_000)] {
        let surface = Surface::new(part::cone(scaled(facets)));
        let scan: Vec<_> =
            part::scan(surface.mesh(), scaled(points), 3).iter().map(|point| truth.inverse() * point).collect();
        for (name, pool) in pools()? {
            let (fit, mut row) = pool.install(|| {
                let ordered = OrderedPoints::new(&scan);
                let problem = Problem {
                    target: Target::Surface(&surface),
                    bounds: *surface.bounds(),
                    points: &ordered,
                    normals: &[],
                    oriented: false,
                };
                let case = format!("best fit ({} on {}, {name})", scan.len(), surface.mesh().facets.len());
                time(&case, arguments.runs, || {
                    best_fit::run(
                        &Cpu,
                        &problem,
                        &Pose::identity(),
                        &Parameters::default(),
                        &Progress::silent(),
                        &mut |_, _| (),
                    )
                })
            })?;
            let (shift_mm, angle_rad) = transform::difference(
                &fit.nominal_from_scan,
                &truth,
                &truth.inverse_transform_point(&surface.bounds().centre()),
            );
            if let Some(row) = row.as_object_mut() {
                row.insert("iterations".into(), json!(fit.iterations));
                row.insert("rms_mm".into(), json!(fit.rms_mm));
                row.insert("error_mm".into(), json!(shift_mm));
                row.insert("error_deg".into(), json!(angle_rad.to_degrees()));
            }
            rows.push(row);
            if let Some(folder) = &arguments.data {
                part::write(folder, "fit-nominal.stl", surface.mesh(), "fit-scan.ply", &scan)?;
                let pose = transform::pose_text(&fit.nominal_from_scan);
                write_bytes(&folder.join("fit-pose.txt"), pose.as_bytes())?;
            }
        }
    }
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "register", "device": Cpu.device(), "rows": rows }))
}
