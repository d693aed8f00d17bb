//! From files to the coloured result, and poses of simulated scans: the published pipeline with a simulated sensor
//! instead of stereo cameras.

use serde_json::{Value, json};

use super::Searches;
use base::random::Random;
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::icp::{self, Filter, Parameters, Search, Start, Truth};
use compute::registration::{Robust, Target};
use compute::{Backend, Compute};
use dispatch::{Align, Context, Dispatcher, Inspect, Parts};
use geometry::{Cloud, OrderedPoints, Pose, Surface, Vector, transform};
use inspect::alignment::Method;
use inspect::alignment::best_fit;
use inspect::simulation::{self, sensor::Sensor};
use io::cad::CadReader;
use io::write;

pub(super) fn run(bench: &Searches<'_>, rows: &mut Vec<Value>) -> Result<()> {
    let surface = Surface::new(super::lopsided_cone(bench.scaled(120_000)));
    let parameters = simulation::Parameters {
        // Twice the field at twice the pitch.
        sensor: Sensor::default().scaled(2.0),
        views: 6,
        points: Some(bench.scaled(150_000)),
        ..simulation::Parameters::default()
    };
    let scan = simulation::run(&surface, &parameters, &Progress::silent())?.cloud;
    poses(bench, &surface, &scan, rows)?;
    complete_inspection(bench, &surface, &scan, rows)
}

const FILTERS: [(&str, Filter); 3] = [
    ("no filter", Filter::None),
    ("15 sigma from 15", Filter::Sigma { from: 15, limit: 15.0 }),
    ("6 robust sigma from 5", Filter::Mad { from: 5, limit: 6.0 }),
];

/// Maximum distance of outliers, mm: well inside the gate of the best fits, so that the gate does not reject them.
const MAX_OUTLIER_MM: f64 = 5.0;
const GATE_MM: f64 = 3.0 * MAX_OUTLIER_MM;

/// Pose errors for a simulated scan with gross outliers, registered to points and to facets.
fn poses(bench: &Searches<'_>, surface: &Surface, scan: &Cloud, rows: &mut Vec<Value>) -> Result<()> {
    let backend: &dyn Backend = bench.cuda.map_or(&Cpu as &dyn Backend, |cuda| cuda);
    let centre = surface.bounds().centre();
    let truth = Truth::new(&super::scattered(surface.mesh(), bench.scaled(40_424), 1));
    for outliers in [0.0, 0.01, 0.05, 0.2] {
        let mut random = Random::new(31, 7);
        // 2° of rotation and 2 mm of translation at the centre of the part.
        let turn = Pose::from_parts(centre.coords.into(), Pose::rotation(Vector::new(0.02, -0.02, 0.02)).rotation);
        let pose = turn * Pose::translation(1.2 - centre.x, -1.0 - centre.y, 1.2 - centre.z);
        let stride = scan.points.len().div_ceil(bench.scaled(30_696));
        let points = scan.points.iter().step_by(stride).map(|point| {
            let far = if random.uniform() < outliers { MAX_OUTLIER_MM * random.uniform() } else { 0.0 };
            pose.inverse() * (point + random.rotation() * Vector::z() * far)
        });
        let sensed = OrderedPoints::new(&points.collect::<Vec<_>>());
        let mut add = |method: &str, found: &Pose| {
            let (mm, rad) = transform::difference(found, &pose, &pose.inverse_transform_point(&centre));
            rows.push(json!({
                "case": format!("simulated scan, {:.0} % outliers, {method}", 100.0 * outliers),
                "error_mm": mm,
                "error_deg": rad.to_degrees(),
            }));
        };
        for (name, filter) in FILTERS {
            let parameters = Parameters { filter, ..Parameters::new(Search::Walk(Start::LeafThenPrevious), &truth) };
            let answer = backend.compute(
                &icp::Request { problem: &icp::Problem { truth: &truth, sensed: &sensed }, parameters: &parameters },
                &Progress::silent(),
            )?;
            add(&format!("closest points, {name}"), &answer.truth_from_sensed);
        }
        let problem = best_fit::Problem {
            target: Target::Surface(surface),
            bounds: *surface.bounds(),
            points: &sensed,
            normals: &[],
            oriented: false,
        };
        // With a gate that admits all outliers, only the weights reject them.
        let gated = |robust| best_fit::Parameters { max_distance_mm: Some(GATE_MM), robust, ..Default::default() };
        for (name, parameters) in [
            ("best fit on facets", best_fit::Parameters::default()),
            ("best fit on facets, fixed gate, no weights", gated(Robust::None)),
            ("best fit on facets, fixed gate, Tukey's weights", gated(Robust::Tukey)),
        ] {
            let silent = Progress::silent();
            let fit = best_fit::run(backend, &problem, &Pose::identity(), &parameters, &silent, &mut |_, _| ())?;
            add(name, &fit.nominal_from_scan);
        }
    }
    Ok(())
}

/// Open, align, compare: how the time is distributed.
fn complete_inspection(bench: &Searches<'_>, surface: &Surface, scan: &Cloud, rows: &mut Vec<Value>) -> Result<()> {
    let folder = std::env::temp_dir().join(format!("shadowgraph-bench-{}", std::process::id()));
    base::folder::make(&folder)?;
    let (part, cloud) = (folder.join("part.stl"), folder.join("scan.ply"));
    write::mesh(&part, surface.mesh())?;
    write::cloud(&cloud, scan)?;
    let mut backends: Vec<(&str, std::sync::Arc<dyn Backend>)> = vec![("CPU", std::sync::Arc::new(Cpu))];
    if bench.cuda.is_some() {
        backends.push(("GPU", std::sync::Arc::new(compute::cuda::Cuda::open()?)));
    }
    let start = Pose::new(Vector::new(1.0, -1.0, 0.5), Vector::new(0.02, -0.01, 0.02));
    for (device, backend) in backends {
        // The second run counts: the first warms up files and device.
        let mut timings = Vec::new();
        for _ in 0..2 {
            let context =
                Context { backend: std::sync::Arc::clone(&backend), cad: CadReader::default(), hides_flags: false };
            let (mut dispatcher, silent) = (Dispatcher::new(context), Progress::silent());
            dispatcher.run_now(Parts::OpenNominal { path: part.clone(), unit: None }, &silent)?;
            dispatcher.run_now(Parts::OpenScans { paths: vec![cloud.clone()], unit: None, columns: None }, &silent)?;
            dispatcher.run_now(Align::SetPose(start), &silent)?;
            dispatcher.run_now(Align::Run(Method::BestFit), &silent)?;
            dispatcher.run_now(Inspect::Compare, &silent)?;
            timings = dispatcher.timings_ms;
        }
        let total: f64 = timings.iter().map(|(_, ms)| ms).sum();
        let shares: serde_json::Map<String, Value> =
            timings.iter().map(|(step, ms)| (step.clone(), json!(ms / total))).collect();
        let by_step: serde_json::Map<String, Value> = timings.into_iter().map(|(step, ms)| (step, json!(ms))).collect();
        rows.push(json!({
            "case": format!("from files to deviations, {device} ({} on {})", scan.points.len(), surface.mesh().facets.len()),
            "kind": "stages",
            "name": format!("whole-{}", device.to_lowercase()),
            "total_ms": total,
            "stages_ms": by_step,
            "stage_shares": shares,
        }));
    }
    // At worst a temporary folder is left over.
    let _ = std::fs::remove_dir_all(&folder);
    Ok(())
}
