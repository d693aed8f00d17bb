//! The CUDA device compared with the CPU, at the published sizes.

mod closest;
mod detection;
mod fit;
pub(super) mod matching;
mod meshing;
mod neighbours;
pub(super) mod planes;
mod published;
mod statistics;

use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::{pools, time};
use base::{Result, UserError};
use compute::Backend;
use compute::cuda::Cuda;

/// Launches per timing of a resident job, which is their mean.
const LAUNCHES_PER_TIMING: usize = 10;

/// One case of the suite.
type Case = fn(&Bench, &Cuda, &mut Vec<Value>) -> Result<()>;

pub fn run(arguments: &Bench) -> Result<Value> {
    let cuda = Cuda::open()?;
    let mut rows = Vec::new();
    let wanted = |name: &str| arguments.only.as_ref().is_none_or(|only| only == name);
    let cases: [(&str, Case); 9] = [
        ("closest", closest::run),
        ("matching", matching::run),
        ("published", published::run),
        ("neighbours", neighbours::run),
        ("meshing", meshing::run),
        ("statistics", statistics::run),
        ("fit", fit::run),
        ("planes", planes::run),
        ("detection", detection::run),
    ];
    for (_, case) in cases.into_iter().filter(|(name, _)| wanted(name)) {
        case(arguments, &cuda, &mut rows)?;
    }
    if wanted("searches") {
        super::searches::all(arguments, None, Some(&cuda), &mut rows)?;
    }
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "gpu", "device": cuda.device(), "rows": rows }))
}

/// A problem size scaled by `--scale`.
fn scaled(arguments: &Bench, count: usize) -> usize {
    ((count as f64 * arguments.scale) as usize).max(1000)
}

/// Times several launches followed by one synchronisation; the times are per launch.
pub fn time_resident(
    case: &str,
    arguments: &Bench,
    cuda: &Cuda,
    mut launch: impl FnMut() -> Result<()>,
) -> Result<Value> {
    let ((), mut row) = time(case, 20.max(arguments.runs), || {
        (0..LAUNCHES_PER_TIMING).try_for_each(|_| launch())?;
        cuda.driver().synchronize()
    })?;
    for key in ["median_ms", "min_ms", "max_ms"] {
        if let Some(value) = row.get_mut(key)
            && let Some(ms) = value.as_f64()
        {
            *value = json!(ms / LAUNCHES_PER_TIMING as f64);
        }
    }
    Ok(row)
}

/// Times `work` on the CPU, with one thread and with all; returns its result.
fn time_on_cpu<T: Send>(
    case: &str,
    arguments: &Bench,
    rows: &mut Vec<Value>,
    mut work: impl FnMut() -> Result<T> + Send,
) -> Result<T> {
    let [(one, single), (all, pool)] = pools()?;
    let mut timed = |threads: &str, pool: &rayon::ThreadPool| {
        pool.install(|| time(&format!("{case}, CPU, {threads}"), arguments.runs, &mut work))
    };
    rows.push(timed(&one, &single)?.1);
    let (result, row) = timed(&all, &pool)?;
    rows.push(row);
    Ok(result)
}

/// Returns an error if the device left work to the CPU, which would be timed as its own.
pub fn no_notices(cuda: &Cuda) -> Result<()> {
    cuda.take_notices().first().map_or(Ok(()), |notice| Err(UserError::internal(notice.clone())))
}
