//! Noise, and gross outliers with and without filters and weights.

use serde_json::{Value, json};

use super::models::{lopsided_cone, scattered};
use super::{Searches, errors, pose_errors, register, sensed};
use base::random::Random;
use base::{Progress, Result};
use compute::Backend;
use compute::cpu::Cpu;
use compute::icp::{Filter, Parameters, Search, Start, Truth};
use compute::registration::{Robust, Target};
use geometry::{Aabb, OrderedPoints, Point, Pose, Surface, Vector};
use inspect::alignment::best_fit;

pub(super) fn run(bench: &Searches<'_>, rows: &mut Vec<Value>) -> Result<()> {
    let backend: &dyn Backend = bench.cuda.map_or(&Cpu as &dyn Backend, |cuda| cuda);
    let mesh = lopsided_cone(60_000);
    let points = scattered(&mesh, bench.scaled(31_000), 5);
    let (surface, truth) = (Surface::new(mesh), Truth::new(&points));
    let size_mm = Aabb::of_points_parallel(&points).diagonal();
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
        let contaminated = ContaminatedScan::new(&points, share, 1e-4 * size_mm, turn);
        let filters = [
            ("none", Filter::None),
            ("15 sigma from 15", Filter::Sigma { from: 15, limit: 15.0 }),
            ("3 sigma from 15", Filter::Sigma { from: 15, limit: 3.0 }),
            ("6 robust sigma from 5", Filter::Mad { from: 5, limit: 6.0 }),
        ];
        for (name, filter) in filters {
            let parameters = Parameters { filter, ..Parameters::new(search, &truth) };
            let answer = register(backend, &truth, &contaminated.scan, &parameters)?;
            let left_out = |outliers: bool| {
                let pairs = answer.active.iter().zip(&contaminated.scan.numbers);
                pairs.filter(|(active, number)| !**active && contaminated.is_outlier(**number) == outliers).count()
            };
            let (mm, deg) = errors(&answer, &contaminated.pose, &truth);
            rows.push(json!({
                "case": format!("{:.0} % outliers, filter {name}", 100.0 * share),
                "kind": "outliers", "search": format!("filter {name}"), "device": backend.device().kind.name(),
                "outliers_percent": 100.0 * share, "outliers": contaminated.outliers(),
                "error_mm": mm, "error_deg": deg, "iterations": answer.iterations.len(),
                "outliers_left_out": left_out(true), "others_left_out": left_out(false),
            }));
        }
        best_fits(backend, &surface, &truth, &contaminated, share, rows)?;
    }
    Ok(())
}

/// A scan with gross outliers, all inside the gate of the best fits, so that only filters and weights can reject them.
struct ContaminatedScan {
    scan: OrderedPoints,
    /// Per point, by its index before ordering.
    is_outlier: Vec<bool>,
    pose: Pose,
    gate_mm: f64,
}

impl ContaminatedScan {
    fn new(points: &[Point], share: f64, noise_mm: f64, turn: Vector) -> Self {
        let (mut scan, pose) = sensed(points, points.len() / 2, noise_mm, turn);
        let mut random = Random::new(23, 1);
        // Displaced by 2 to 10 times the point spacing.
        let spacing_mm = Aabb::of_points_parallel(points).diagonal() / (points.len() as f64).sqrt();
        let is_outlier: Vec<bool> = scan.iter().map(|_| random.uniform() < share).collect();
        for (point, _) in scan.iter_mut().zip(&is_outlier).filter(|(_, is_outlier)| **is_outlier) {
            *point += random.rotation() * Vector::z() * (spacing_mm * random.range(2.0, 10.0));
        }
        Self { scan: OrderedPoints::new(&scan), is_outlier, pose, gate_mm: 20.0 * spacing_mm }
    }

    fn is_outlier(&self, index: u32) -> bool {
        self.is_outlier.get(index as usize).copied().unwrap_or(false)
    }

    fn outliers(&self) -> usize {
        self.is_outlier.iter().filter(|is_outlier| **is_outlier).count()
    }

    /// Number of outliers within the gate at the true pose.
    fn inside_gate(&self, truth: &Truth) -> usize {
        let own = self.scan.points.iter().zip(&self.scan.numbers).filter(|(_, number)| self.is_outlier(**number));
        own.filter(|(point, _)| truth.tree().nearest(&(self.pose * *point), self.gate_mm).is_some()).count()
    }
}

/// Best fits of the same scan onto facets, with a gate that admits every outlier.
fn best_fits(
    backend: &dyn Backend,
    surface: &Surface,
    truth: &Truth,
    contaminated: &ContaminatedScan,
    share: f64,
    rows: &mut Vec<Value>,
) -> Result<()> {
    let problem = best_fit::Problem {
        target: Target::Surface(surface),
        bounds: *surface.bounds(),
        points: &contaminated.scan,
        normals: &[],
        oriented: false,
    };
    let gated = best_fit::Parameters { max_distance_mm: Some(contaminated.gate_mm), ..best_fit::Parameters::default() };
    for (name, parameters) in [
        ("no weights", best_fit::Parameters { robust: Robust::None, ..gated.clone() }),
        ("trimmed by a fifth", best_fit::Parameters { robust: Robust::None, trim: 0.2, ..gated.clone() }),
        ("Tukey's weights", gated),
    ] {
        let silent = Progress::silent();
        let fit = best_fit::run(backend, &problem, &Pose::identity(), &parameters, &silent, &mut |_, _| ())?;
        let (mm, deg) = pose_errors(&fit.nominal_from_scan, &contaminated.pose, truth);
        rows.push(json!({
            "case": format!("{:.0} % outliers, best fit on facets, {name}", 100.0 * share),
            "kind": "outliers", "search": format!("best fit, {name}"), "device": backend.device().kind.name(),
            "outliers_percent": 100.0 * share, "outliers": contaminated.outliers(),
            "gate_mm": contaminated.gate_mm, "outliers_inside_gate": contaminated.inside_gate(truth),
            "error_mm": mm, "error_deg": deg, "iterations": fit.iterations,
        }));
    }
    Ok(())
}
