//! Neighbourhoods on the CPU.

use rayon::prelude::*;

use crate::neighbourhoods::{Neighbourhood, Request};
use base::{Progress, Result};
use geometry::kd_tree::{AlongCurve, Neighbour};
use geometry::{OrderedPoints, Point, Vector, jacobi};

/// Points per task.
const CHUNK: usize = 512;

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<Neighbourhood>> {
    let points = request.points.points();
    let (tree, ordered) = (request.points.tree(), OrderedPoints::new(points));
    let counter = progress.counter(points.len().div_ceil(CHUNK), "Analysing neighbourhoods");
    let along_curve: Vec<Neighbourhood> = ordered
        .points
        .par_chunks(CHUNK)
        .flat_map_iter(|chunk| {
            let mut search = AlongCurve::new(tree);
            let chunk = if counter.step() { chunk } else { &[] };
            chunk
                .iter()
                .map(|query| describe(query, points, search.k_nearest(query, request.neighbour_count())))
                .collect::<Vec<_>>()
        })
        .collect();
    progress.check()?;
    Ok(ordered.scatter(&along_curve))
}

fn describe(query: &Point, points: &[Point], found: &[Neighbour]) -> Neighbourhood {
    let Some(last) = found.last() else { return Neighbourhood::default() };
    let count = found.len() as f64;
    let (mut mean, mut distances) = (Vector::zeros(), 0.0);
    for neighbour in found {
        mean += points[neighbour.number as usize] - query;
        distances += neighbour.squared_mm2.sqrt();
    }
    mean /= count;
    let offsets = found.iter().map(|neighbour| points[neighbour.number as usize] - query - mean);
    let (values, vectors) = jacobi::eigen(&jacobi::scatter(offsets));
    let (smallest, total) = (values[0].max(0.0), values[0] + values[1] + values[2]);
    let normal = vectors[0];
    let largest = normal[normal.iamax()];
    Neighbourhood {
        normal: if largest < 0.0 { -normal } else { normal },
        variation: if total > 0.0 { smallest / total } else { 0.0 },
        mean_mm: distances / (count - 1.0).max(1.0),
        reach_mm: last.squared_mm2.sqrt(),
        neighbours: found.len() as u32,
    }
}
