//! All searches and best fits from every rotation of -20° to 20° in steps of 10° about each axis through the centre of
//! the part: 125 starts, as published; their times, and how many of them reach the true pose.
//!
//! A start reaches the true pose if it ends within 1e-3 rad and 1e-4 of the part's diagonal of it. The others have
//! converged to another local minimum, or were still moving when the iterations were used up; both are counted.
//!
//! An earlier version reached it from only a quarter of the starts: the cone was sampled at one point per equal share
//! of its area, in the order of a regular grid of facets. With about one point per grid cell the points nearly formed a
//! lattice. Rotated by one cell, about half a degree, each point finds a matching neighbour again, and the point pairs
//! lock there: starts from one side all ended at one pose some 1.9 mm off, a local minimum that neither more iterations
//! nor a smaller limit leaves. Besides, the part was rotated about the end of its axis, which moved its other end by up
//! to 140 mm, and many starts were still moving after 100 iterations, each of which moves points along a surface by
//! only part of their spacing. Independently drawn points form no lattice (`models::scattered`), parts are rotated
//! about their centre, and there are several parts.

use std::time::Instant;

use serde_json::{Value, json};

use super::models::{Model, scattered};
use super::{Searches, pose_errors, register, sensed};
use base::{Progress, Result};
use compute::Backend;
use compute::cpu::Cpu;
use compute::icp::{Parameters, Search, Start, Stop, Truth};
use compute::registration::{Metric, Target};
use geometry::{Aabb, OrderedPoints, Point, Pose, Surface, Vector};
use inspect::alignment::best_fit;

/// Points on the surface: two sizes for the cone that other tables use, one for the other parts.
const SIZES: [usize; 2] = [31_000, 62_000];
const OTHER_SIZES: [usize; 1] = [8_000];
/// Facets of generated parts, for the best fits.
const FACETS: usize = 60_000;
/// A start reaches the true pose within this angle, rad, and this fraction of the part's diagonal.
const MAX_ERROR_RAD: f64 = 1e-3;
const MAX_RELATIVE_ERROR: f64 = 1e-4;

/// A registration problem.
struct Case {
    model: Model,
    points: Vec<Point>,
    truth: Truth,
    surface: Surface,
    size_mm: f64,
}

/// A method of registration.
#[derive(Clone, Copy, PartialEq)]
enum Registration {
    Search(Search),
    BestFit(Metric),
}

const METRICS: [Registration; 3] = [
    Registration::BestFit(Metric::PointToTriangle),
    Registration::BestFit(Metric::PointToPlane),
    Registration::BestFit(Metric::PointToPoint),
];

impl Registration {
    fn name(self) -> &'static str {
        match self {
            Self::Search(search) => search.name(),
            Self::BestFit(Metric::PointToTriangle) => "best fit, distance to the true surface",
            Self::BestFit(Metric::PointToPlane) => "best fit, distance to planes of facets",
            Self::BestFit(Metric::PointToPoint) => "best fit, distance to closest points",
        }
    }

    fn is_exact_search(self) -> bool {
        matches!(self, Self::Search(search) if search.is_exact())
    }
}

pub(super) fn run(bench: &Searches<'_>, rows: &mut Vec<Value>) -> Result<()> {
    for model in Model::ALL {
        let sizes: &[usize] = if model == Model::Cone { &SIZES } else { &OTHER_SIZES };
        let mesh = model.mesh(bench.scaled(FACETS))?;
        for &count in sizes {
            let points = scattered(&mesh, bench.scaled(count), 2);
            let (truth, size_mm) = (Truth::new(&points), Aabb::of_points_parallel(&points).diagonal());
            truth.graph(&Progress::silent())?;
            let case = Case { model, points, truth, surface: Surface::new(mesh.clone()), size_mm };
            if let Some(cuda) = bench.cuda {
                // Brute force only at sizes where it takes seconds.
                let searches = Search::ALL.into_iter().filter(|&search| search != Search::BruteForce || count < 40_000);
                rows.extend(run_on(
                    cuda,
                    "GPU",
                    &case,
                    &searches.map(Registration::Search).chain(METRICS).collect::<Vec<_>>(),
                )?);
            }
            let two = [Search::KdTree, Search::Walk(Start::LeafThenPrevious)].map(Registration::Search);
            rows.extend(run_on(&Cpu, "CPU, all threads", &case, &[&two[..], &METRICS[..]].concat())?);
        }
    }
    Ok(())
}

fn starts() -> impl Iterator<Item = Vector> {
    (0..125_i32).map(|index| {
        let step = |part: i32| f64::from(part % 5 - 2) * 10_f64.to_radians();
        Vector::new(step(index), step(index / 5), step(index / 25))
    })
}

fn run_on(backend: &dyn Backend, device: &str, case: &Case, registrations: &[Registration]) -> Result<Vec<Value>> {
    let mut tables = vec![Table::default(); registrations.len()];
    for angles_rad in starts() {
        let (scan, pose) = sensed(&case.points, case.points.len() / 2, 0.0, angles_rad);
        let scan = OrderedPoints::new(&scan);
        let mut first = None;
        for (&registration, table) in registrations.iter().zip(&mut tables) {
            let started = Instant::now();
            let end = case.register(backend, registration, &scan)?;
            table.times_ms.push(started.elapsed().as_secs_f64() * 1e3);
            let Some(end) = end else {
                table.settled += 1;
                continue;
            };
            table.iterations += end.iterations;
            let (apart_mm, angle_deg) = pose_errors(&end.truth_from_sensed, &pose, &case.truth);
            if apart_mm < MAX_RELATIVE_ERROR * case.size_mm && angle_deg.to_radians() < MAX_ERROR_RAD {
                table.reached += 1;
            } else if end.stopped_by_limit {
                table.settled += 1;
            } else {
                table.moving += 1;
            }
            if registration.is_exact_search() {
                let reference = *first.get_or_insert(end.truth_from_sensed);
                let (apart_mm, angle_deg) = pose_errors(&end.truth_from_sensed, &reference, &case.truth);
                table.apart_mm = table.apart_mm.max(apart_mm);
                table.apart_deg = table.apart_deg.max(angle_deg);
            }
        }
    }
    Ok(registrations.iter().zip(tables).map(|(registration, table)| table.row(*registration, device, case)).collect())
}

/// Result of a registration.
struct RegistrationEnd {
    truth_from_sensed: Pose,
    iterations: usize,
    stopped_by_limit: bool,
}

impl Case {
    /// Registers a scan; `None` if a best fit found no points within its gate.
    fn register(
        &self,
        backend: &dyn Backend,
        registration: Registration,
        scan: &OrderedPoints,
    ) -> Result<Option<RegistrationEnd>> {
        match registration {
            Registration::Search(search) => {
                let answer = register(backend, &self.truth, scan, &Parameters::new(search, &self.truth))?;
                Ok(Some(RegistrationEnd {
                    truth_from_sensed: answer.truth_from_sensed,
                    iterations: answer.iterations.len(),
                    stopped_by_limit: answer.stop != Stop::MaxIterations,
                }))
            }
            Registration::BestFit(metric) => {
                let problem = best_fit::Problem {
                    target: Target::Surface(&self.surface),
                    bounds: *self.surface.bounds(),
                    points: scan,
                    normals: &[],
                    oriented: false,
                };
                let parameters = best_fit::Parameters { metric, ..best_fit::Parameters::default() };
                let silent = Progress::silent();
                let fit = best_fit::run(backend, &problem, &Pose::identity(), &parameters, &silent, &mut |_, _| ());
                Ok(fit.ok().map(|fit| RegistrationEnd {
                    truth_from_sensed: fit.nominal_from_scan,
                    iterations: fit.iterations,
                    stopped_by_limit: fit.converged,
                }))
            }
        }
    }
}

#[derive(Clone, Default)]
struct Table {
    times_ms: Vec<f64>,
    iterations: usize,
    reached: usize,
    settled: usize,
    moving: usize,
    apart_mm: f64,
    apart_deg: f64,
}

impl Table {
    fn row(mut self, registration: Registration, device: &str, case: &Case) -> Value {
        self.times_ms.sort_by(f64::total_cmp);
        let (starts, truth) = (self.times_ms.len(), case.points.len());
        let (name, model) = (registration.name(), case.model.name());
        let at = |index: usize| self.times_ms.get(index);
        let mut row = json!({
            "case": format!("{name}, {device}, all starts ({model}, {} on {truth})", truth / 2),
            "kind": "poses", "search": name, "device": device, "model": model, "truth": truth,
            "starts": starts,
            "reached": self.reached,
            "reached_share": self.reached as f64 / starts as f64,
            "settled_elsewhere": self.settled,
            "still_moving": self.moving,
            "mean_iterations": self.iterations as f64 / starts as f64,
            "whole_ms": { "median": at(starts / 2), "least": at(0), "most": at(starts - 1) },
        });
        if registration.is_exact_search() {
            let more = json!({
                "exact_searches_apart_mm": self.apart_mm, "exact_searches_apart_deg": self.apart_deg,
            });
            super::merge(&mut row, more);
        }
        row
    }
}
