//! Iterative closest point by every search, on the CPU and on a GPU: the tables of Raettig (2021) measured again, on
//! surfaces sampled to the same numbers of points.

mod cost_model;
mod distance;
mod graphs;
mod iterations;
mod model_charts;
mod models;
mod outliers;
mod pipeline;
mod plots;
mod poses;
mod sizes;
mod variants;

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::{part, pools, time};
use base::random::Random;
use base::{Progress, Result, UserError};
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::icp::{Answer, Parameters, Problem, Request, Truth};
use compute::{Backend, Compute};
use geometry::{Aabb, OrderedPoints, Point, Pose, Vector, transform};
use models::{lopsided_cone, scattered};

/// Iterations of a timed registration: about as many as small rotations need.
const ITERATIONS: usize = 30;

pub fn run(arguments: &Bench) -> Result<Value> {
    let cuda = Cuda::open().ok();
    let mut rows = Vec::new();
    all(arguments, arguments.only.as_deref(), cuda.as_ref(), &mut rows)?;
    let device = cuda.as_ref().map_or_else(|| Cpu.device(), Backend::device);
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "searches", "device": device, "rows": rows }))
}

/// One table.
type Table = fn(&Searches<'_>, &mut Vec<Value>) -> Result<()>;

const TABLES: [(&str, Table); 9] = [
    ("sizes", sizes::run),
    ("variants", variants::run),
    ("iterations", iterations::run),
    ("poses", poses::run),
    ("graphs", graphs::run),
    ("outliers", outliers::run),
    ("distance", distance::run),
    ("pipeline", pipeline::run),
    ("model", cost_model::run),
];

/// Runs all tables, or the one called `only`.
pub fn all(arguments: &Bench, only: Option<&str>, cuda: Option<&Cuda>, rows: &mut Vec<Value>) -> Result<()> {
    let bench = Searches { arguments, cuda };
    let wanted: Vec<Table> =
        TABLES.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)).map(|(_, table)| *table).collect();
    if wanted.is_empty() {
        let names: Vec<&str> = TABLES.iter().map(|(name, _)| *name).collect();
        return Err(UserError::usage(format!("The tables of this suite are {}.", names.join(", "))));
    }
    wanted.into_iter().try_for_each(|table| table(&bench, rows))?;
    arguments.charts.as_ref().map_or(Ok(()), |folder| plots::write(folder, rows))
}

/// What all tables share.
struct Searches<'a> {
    arguments: &'a Bench,
    cuda: Option<&'a Cuda>,
}

impl Searches<'_> {
    fn scaled(&self, count: usize) -> usize {
        ((count as f64 * self.arguments.scale) as usize).max(500)
    }

    /// Runs `work` on each device: the CPU with one thread and with all, and the GPU.
    fn on_each<T>(&self, mut work: impl FnMut(&str, &dyn Backend) -> Result<T> + Send) -> Result<Vec<T>>
    where
        T: Send,
    {
        let mut results = Vec::new();
        for (name, pool) in pools()? {
            results.push(pool.install(|| work(&format!("CPU, {name}"), &Cpu))?);
        }
        if let Some(cuda) = self.cuda {
            results.push(work("GPU", cuda)?);
            super::gpu::no_notices(cuda)?;
        }
        Ok(results)
    }
}

/// Adds the fields of `more` to a row.
fn merge(row: &mut Value, more: Value) {
    if let (Some(row), Value::Object(more)) = (row.as_object_mut(), more) {
        row.extend(more);
    }
}

/// The cone, about 240 mm long, sampled to `count` points.
fn surface_cloud(count: usize, seed: u64) -> Vec<Point> {
    scattered(&lopsided_cone(60_000), count, seed)
}

/// `count` points of `truth` with noise, rotated about the centre of the part and translated; and the true pose
/// `truth_from_sensed`.
fn sensed(truth: &[Point], count: usize, noise_mm: f64, angles_rad: Vector) -> (Vec<Point>, Pose) {
    let mut random = Random::new(17, count as u64);
    let mut shuffled = truth.to_vec();
    random.shuffle(&mut shuffled);
    let centre = Aabb::of_points_parallel(truth).centre();
    let truth_from_sensed = transform::step_about(&centre, angles_rad, Vector::new(1.0, -2.0, 1.5));
    let sensed_from_truth = truth_from_sensed.inverse();
    let points = shuffled.iter().take(count).map(|point| {
        let noise = Vector::new(random.normal(), random.normal(), random.normal()) * noise_mm;
        sensed_from_truth * (point + noise)
    });
    (points.collect(), truth_from_sensed)
}

/// Error of a registration: distance (mm, at the centre of the part) and angle (degrees) from the true pose.
fn errors(answer: &Answer, truth_from_sensed: &Pose, truth: &Truth) -> (f64, f64) {
    pose_errors(&answer.truth_from_sensed, truth_from_sensed, truth)
}

/// As [`errors`], for any pose.
fn pose_errors(found: &Pose, truth_from_sensed: &Pose, truth: &Truth) -> (f64, f64) {
    let sensed_centre = truth_from_sensed.inverse_transform_point(&truth.centre());
    let (distance_mm, angle_rad) = transform::difference(found, truth_from_sensed, &sensed_centre);
    (distance_mm, angle_rad.to_degrees())
}

/// `parameters` with a fixed number of iterations, so that times are comparable.
fn with_fixed_iterations(parameters: Parameters) -> Parameters {
    Parameters { max_iterations: ITERATIONS, change_limit_mm2: -1.0, error_limit_mm2: 0.0, ..parameters }
}

fn register(backend: &dyn Backend, truth: &Truth, sensed: &OrderedPoints, parameters: &Parameters) -> Result<Answer> {
    backend.compute(&Request { problem: &Problem { truth, sensed }, parameters }, &Progress::silent())
}
