//! The CUDA device beside the processor, at the published sizes.

mod closest;
mod fit;
pub(super) mod matching;
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

/// Launches in a row that one figure of a resident job is the mean of.
const IN_A_ROW: usize = 10;

/// One part of the suite.
type Part = fn(&Bench, &Cuda, &mut Vec<Value>) -> Result<()>;

pub fn run(arguments: &Bench) -> Result<Value> {
    let cuda = Cuda::open()?;
    let mut rows = Vec::new();
    let wanted = |name: &str| arguments.only.as_ref().is_none_or(|only| only == name);
    let parts: [(&str, Part); 7] = [
        ("closest", closest::run),
        ("matching", matching::run),
        ("published", published::run),
        ("neighbours", neighbours::run),
        ("statistics", statistics::run),
        ("fit", fit::run),
        ("planes", planes::run),
    ];
    for (_, part) in parts.into_iter().filter(|(name, _)| wanted(name)) {
        part(arguments, &cuda, &mut rows)?;
    }
    if wanted("searches") {
        super::searches::all(arguments, None, Some(&cuda), &mut rows)?;
    }
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "gpu", "device": cuda.device(), "rows": rows }))
}

/// A size, scaled as the arguments say.
fn scaled(arguments: &Bench, count: usize) -> usize {
    ((count as f64 * arguments.scale) as usize).max(1000)
}

/// Times what is launched several times before the device is waited for; per launch.
pub fn time_resident(
    case: &str,
    arguments: &Bench,
    cuda: &Cuda,
    mut launch: impl FnMut() -> Result<()>,
) -> Result<Value> {
    let ((), mut row) = time(case, 20.max(arguments.runs), || {
        (0..IN_A_ROW).try_for_each(|_| launch())?;
        cuda.driver().synchronize()
    })?;
    for key in ["median_ms", "min_ms", "max_ms"] {
        if let Some(value) = row.get_mut(key)
            && let Some(ms) = value.as_f64()
        {
            *value = json!(ms / IN_A_ROW as f64);
        }
    }
    Ok(row)
}

/// Times what the processor does, with one thread and with all; returns the answer.
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
    let (answer, row) = timed(&all, &pool)?;
    rows.push(row);
    Ok(answer)
}

/// What the device left to the processor would be timed as its own: an error.
pub fn no_notices(cuda: &Cuda) -> Result<()> {
    cuda.take_notices().first().map_or(Ok(()), |notice| Err(UserError::internal(notice.clone())))
}
