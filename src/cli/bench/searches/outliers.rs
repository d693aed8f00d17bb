//! Noise, and gross outliers with and without filters.

use serde_json::{Value, json};

use super::{Searches, errors, register, sensed, surface_cloud};
use crate::base::Result;
use crate::base::random::Random;
use crate::compute::Backend;
use crate::compute::cpu::Cpu;
use crate::compute::icp::{Filter, Parameters, Search, Start, Truth};
use crate::geometry::{OrderedPoints, Vector};

pub(super) fn run(bench: &Searches<'_>, rows: &mut Vec<Value>) -> Result<()> {
    let backend: &dyn Backend = bench.cuda.map_or(&Cpu as &dyn Backend, |cuda| cuda);
    let points = surface_cloud(bench.scaled(31_000), 5);
    let truth = Truth::new(&points);
    let size_mm = crate::geometry::Aabb::of_many(&points).diagonal();
    let turn = Vector::new(0.08, -0.05, 0.06);
    let search = Search::Walk(Start::LeafThenPrevious);
    for relative in [0.0, 1e-4, 1e-3, 1e-2] {
        let (scan, pose) = sensed(&points, points.len() / 2, relative * size_mm, turn);
        let scan = OrderedPoints::new(&scan);
        let parameters = Parameters::new(search, &truth);
        register(backend, &truth, &scan, &parameters)?;
        let started = std::time::Instant::now();
        let answer = register(backend, &truth, &scan, &parameters)?;
        let ms = started.elapsed().as_secs_f64() * 1e3;
        let (mm, deg) = errors(&answer, &pose, &truth);
        rows.push(json!({
            "case": format!("noise of {relative:.0e} of the diagonal"),
            "kind": "noise", "search": search.name(), "device": backend.device().kind.name(),
            "noise_mm": relative * size_mm,
            "error_mm": mm, "error_deg": deg, "iterations": answer.iterations.len(),
            "ms_per_iteration": ms / answer.iterations.len() as f64,
        }));
    }
    for share in [0.01, 0.05, 0.1, 0.2] {
        let (mut scan, pose) = sensed(&points, points.len() / 2, 1e-4 * size_mm, turn);
        let mut random = Random::new(23, 1);
        // Up to ten times as far off as neighbours are apart.
        let far_mm = 10.0 * size_mm / (points.len() as f64).sqrt();
        for point in &mut scan {
            if random.uniform() < share {
                *point += Vector::new(random.uniform(), random.uniform(), random.uniform()) * far_mm;
            }
        }
        let scan = OrderedPoints::new(&scan);
        let filters = [
            ("none", Filter::None),
            ("15 sigma from 15", Filter::Sigma { from: 15, limit: 15.0 }),
            ("3 sigma from 15", Filter::Sigma { from: 15, limit: 3.0 }),
            ("6 robust sigma from 5", Filter::Mad { from: 5, limit: 6.0 }),
        ];
        for (name, filter) in filters {
            let answer = register(backend, &truth, &scan, &Parameters { filter, ..Parameters::new(search, &truth) })?;
            let (mm, deg) = errors(&answer, &pose, &truth);
            rows.push(json!({
                "case": format!("{:.0} % outliers, filter {name}", 100.0 * share),
                "error_mm": mm, "error_deg": deg, "iterations": answer.iterations.len(),
                "left_out": answer.active.iter().filter(|active| !**active).count(),
            }));
        }
    }
    Ok(())
}
