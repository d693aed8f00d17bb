//! Statistics on the CPU.

use rayon::prelude::*;

use crate::statistics::{Request, Summary, percentiles};

/// Values per task; the sums of the tasks are added in order.
const CHUNK: usize = 4096;

pub(crate) fn run(request: &Request<'_>) -> Summary {
    let bins = vec![0; request.bins.max(1)];
    let mut valid: Vec<f64> = request.values.par_iter().copied().filter(|value| !value.is_nan()).collect();
    let count = valid.len();
    if count == 0 {
        return Summary { bins, ..Summary::default() };
    }
    let mean_of = |term: &(dyn Fn(f64) -> f64 + Sync)| {
        let sums = valid.par_chunks(CHUNK).map(|chunk| chunk.iter().map(|&value| term(value)).sum::<f64>());
        sums.collect::<Vec<f64>>().iter().sum::<f64>() / count as f64
    };
    let mean = mean_of(&|value| value);
    let summary = Summary {
        count,
        mean,
        variance: mean_of(&|value| (value - mean) * (value - mean)),
        mean_square: mean_of(&|value| value * value),
        allowed: valid.par_iter().filter(|&&value| request.allowed[0] <= value && value <= request.allowed[1]).count(),
        bins,
        ..Summary::default()
    };
    valid.par_sort_unstable_by(f64::total_cmp);
    let summary = Summary {
        min: valid[0],
        max: valid[count - 1],
        percentiles: percentiles(count, |rank| valid[rank]),
        ..summary
    };
    with_histogram(summary, request, &valid)
}

fn with_histogram(mut summary: Summary, request: &Request<'_>, valid: &[f64]) -> Summary {
    let [low, high] = request.range;
    let last = summary.bins.len() - 1;
    let scale = summary.bins.len() as f64 / (high - low);
    for &value in valid {
        if value < low {
            summary.below += 1;
        } else if value > high {
            summary.above += 1;
        } else {
            summary.bins[(((value - low) * scale) as usize).min(last)] += 1;
        }
    }
    summary
}
