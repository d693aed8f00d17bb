//! Time to build the Delaunay graph, and how the length of walks grows with its size.

use serde_json::{Value, json};

use super::{Searches, register, sensed, surface_cloud};
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::icp::{Parameters, Search, Start, Truth};
use geometry::{DelaunayGraph, OrderedPoints, Point, Vector, mesh::shapes, sampling};

pub(super) fn run(bench: &Searches<'_>, rows: &mut Vec<Value>) -> Result<()> {
    let silent = Progress::silent();
    let cuboid = shapes::cuboid(Point::origin(), Point::new(120.0, 80.0, 40.0));
    let on_planes = |count| sampling::by_area(&cuboid, count, 3).into_iter().map(|sample| sample.point).collect();
    let clouds: [(&str, Vec<Point>); 4] = [
        ("planar faces", on_planes(bench.scaled(31_000))),
        ("curved", surface_cloud(bench.scaled(62_000), 3)),
        ("planar faces", on_planes(bench.scaled(200_000))),
        ("curved", surface_cloud(bench.scaled(1_000_000), 3)),
    ];
    for (kind, points) in &clouds {
        // In space-filling-curve order, as in a registration.
        let ordered = OrderedPoints::new(points);
        let started = std::time::Instant::now();
        let graph = DelaunayGraph::new(&ordered.points, &silent)?;
        rows.push(json!({
            "case": format!("Delaunay graph, 1 thread ({} points, {kind})", points.len()),
            "ms": started.elapsed().as_secs_f64() * 1e3,
            "mean_degree": graph.neighbours.len() as f64 / graph.len() as f64,
            "largest_degree": (0..graph.len()).map(|index| graph.of(index as u32).len()).max(),
        }));
    }
    // Walks from a fixed start follow a power law: visited = a count^b.
    let mut visited = Vec::new();
    for count in [2_000, 4_000, 8_000, 16_000, 32_000, 64_000] {
        let points = surface_cloud(bench.scaled(count), 4);
        let truth = Truth::new(&points);
        let (scan, _) = sensed(&points, points.len() / 2, 0.0, Vector::new(0.1, -0.1, 0.15));
        let scan = OrderedPoints::new(&scan);
        let mean = |start| {
            let parameters = Parameters { max_iterations: 10, ..Parameters::new(Search::Walk(start), &truth) };
            register(&Cpu, &truth, &scan, &parameters).map(|answer| answer.mean_visited(1..))
        };
        visited.push((points.len() as f64, mean(Start::Centre)?, mean(Start::Previous)?));
    }
    let exponent = |value: fn(&(f64, f64, f64)) -> f64| {
        let n = visited.len() as f64;
        let (x, y): (Vec<f64>, Vec<f64>) = visited.iter().map(|row| (row.0.ln(), value(row).ln())).unzip();
        let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
        let products: f64 = x.iter().zip(&y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
        products / x.iter().map(|x| (x - mean_x) * (x - mean_x)).sum::<f64>()
    };
    rows.push(json!({
        "case": "points visited by a walk, the first and the last included",
        "points": visited.iter().map(|row| row.0).collect::<Vec<_>>(),
        "from_the_middle": visited.iter().map(|row| row.1).collect::<Vec<_>>(),
        "from_the_last_match": visited.iter().map(|row| row.2).collect::<Vec<_>>(),
        "exponent_from_the_middle": exponent(|row| row.1),
        "exponent_from_the_last_match": exponent(|row| row.2),
    }));
    Ok(())
}
