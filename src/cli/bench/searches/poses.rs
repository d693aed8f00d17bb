//! All searches and best fits from every rotation of -20 to 20 degrees in steps of 10 about each axis through the centre of
//! the part: 125 starts, as published; their times, and how many of them reach the truth.
//!
//! A start reaches the truth that ends within 1e-3 rad and a ten-thousandth of the part's diagonal of it. Others have
//! settled elsewhere, in a minimum of their own, or were still moving when the iterations were used up; both are counted.
//!
//! Why only a quarter of them once did: the cone was sampled at one point for each equal share of its area, in the order of a
//! regular grid of facets. With about one point for each cell of the grid the points lay nearly on a lattice. Turned by one
//! cell, by about half a degree, each point finds a neighbour of its own again, and pairs of points lock there: starts from
//! one side all ended at one pose some 1.9 mm off, a minimum of its own, and neither more iterations nor a smaller limit
//! free them. Besides, the part was turned about the end of its axis, which moved its other end by up to 140 mm, and many
//! starts were still on their way after 100 iterations, each of which moves points along a surface by a part of their
//! spacing only. Points drawn on their own lie on no lattice (`models::scattered`), parts turn about their centre, and there
//! are several.

use std::time::Instant;

use serde_json::{Value, json};

use super::models::{Model, scattered};
use super::{Searches, off, register, sensed};
use base::{Progress, Result};
use compute::Backend;
use compute::cpu::Cpu;
use compute::icp::{Parameters, Search, Start, Stop, Truth};
use compute::registration::{Metric, Target};
use geometry::{Aabb, OrderedPoints, Point, Pose, Surface, Vector};
use inspect::alignment::best_fit;

/// Points of the surface: at two fidelities of the part that other tables take, at one of the others.
const SIZES: [usize; 2] = [31_000, 62_000];
const OTHERS: [usize; 1] = [8_000];
/// Facets of generated parts, for best fits.
const FACETS: usize = 60_000;
/// A start reaches the truth that ends nearer to it than this, rad, and shares of the part's diagonal.
const NEAR_RAD: f64 = 1e-3;
const NEAR_SHARE: f64 = 1e-4;

/// What is registered onto.
struct Case {
    model: Model,
    points: Vec<Point>,
    truth: Truth,
    surface: Surface,
    size_mm: f64,
}

/// How it is registered.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Search(Search),
    BestFit(Metric),
}

const METRICS: [Way; 3] =
    [Way::BestFit(Metric::PointToTriangle), Way::BestFit(Metric::PointToPlane), Way::BestFit(Metric::PointToPoint)];

impl Way {
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
        let sizes: &[usize] = if model == Model::Cone { &SIZES } else { &OTHERS };
        let mesh = model.mesh(bench.scaled(FACETS))?;
        for &count in sizes {
            let points = scattered(&mesh, bench.scaled(count), 2);
            let (truth, size_mm) = (Truth::new(&points), Aabb::of_many(&points).diagonal());
            truth.graph(&Progress::silent())?;
            let case = Case { model, points, truth, surface: Surface::new(mesh.clone()), size_mm };
            if let Some(cuda) = bench.cuda {
                // Brute force only where it takes seconds.
                let searches = Search::ALL.into_iter().filter(|&search| search != Search::BruteForce || count < 40_000);
                rows.extend(on(cuda, "GPU", &case, &searches.map(Way::Search).chain(METRICS).collect::<Vec<_>>())?);
            }
            let two = [Search::KdTree, Search::Walk(Start::LeafThenPrevious)].map(Way::Search);
            rows.extend(on(&Cpu, "CPU, all threads", &case, &[&two[..], &METRICS[..]].concat())?);
        }
    }
    Ok(())
}

fn starts() -> impl Iterator<Item = Vector> {
    (0..125_i32).map(|number| {
        let step = |part: i32| f64::from(part % 5 - 2) * 10_f64.to_radians();
        Vector::new(step(number), step(number / 5), step(number / 25))
    })
}

fn on(backend: &dyn Backend, device: &str, case: &Case, ways: &[Way]) -> Result<Vec<Value>> {
    let mut tables = vec![Table::default(); ways.len()];
    for angles_rad in starts() {
        let (scan, pose) = sensed(&case.points, case.points.len() / 2, 0.0, angles_rad);
        let scan = OrderedPoints::new(&scan);
        let mut first = None;
        for (&way, table) in ways.iter().zip(&mut tables) {
            let started = Instant::now();
            let ended = case.register(backend, way, &scan)?;
            table.times_ms.push(started.elapsed().as_secs_f64() * 1e3);
            let Some(ended) = ended else {
                table.settled += 1;
                continue;
            };
            table.iterations += ended.iterations;
            let (apart_mm, angle_deg) = off(&ended.truth_from_sensed, &pose, &case.truth);
            if apart_mm < NEAR_SHARE * case.size_mm && angle_deg.to_radians() < NEAR_RAD {
                table.reached += 1;
            } else if ended.stopped_by_limit {
                table.settled += 1;
            } else {
                table.moving += 1;
            }
            if way.is_exact_search() {
                let reference = *first.get_or_insert(ended.truth_from_sensed);
                let (apart_mm, angle_deg) = off(&ended.truth_from_sensed, &reference, &case.truth);
                table.apart_mm = table.apart_mm.max(apart_mm);
                table.apart_deg = table.apart_deg.max(angle_deg);
            }
        }
    }
    Ok(ways.iter().zip(tables).map(|(way, table)| table.row(*way, device, case)).collect())
}

/// Where a registration ended.
struct Ended {
    truth_from_sensed: Pose,
    iterations: usize,
    stopped_by_limit: bool,
}

impl Case {
    /// `None` where a best fit found nothing within its gate.
    fn register(&self, backend: &dyn Backend, way: Way, scan: &OrderedPoints) -> Result<Option<Ended>> {
        match way {
            Way::Search(search) => {
                let answer = register(backend, &self.truth, scan, &Parameters::new(search, &self.truth))?;
                Ok(Some(Ended {
                    truth_from_sensed: answer.truth_from_sensed,
                    iterations: answer.iterations.len(),
                    stopped_by_limit: answer.stop != Stop::MaxIterations,
                }))
            }
            Way::BestFit(metric) => {
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
                Ok(fit.ok().map(|fit| Ended {
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
    fn row(mut self, way: Way, device: &str, case: &Case) -> Value {
        self.times_ms.sort_by(f64::total_cmp);
        let (starts, truth) = (self.times_ms.len(), case.points.len());
        let at = |place: usize| self.times_ms.get(place);
        let mut row = json!({
            "case": format!("{}, {device}, all starts ({}, {} on {truth})", way.name(), case.model.name(), truth / 2),
            "kind": "poses", "search": way.name(), "device": device, "model": case.model.name(), "truth": truth,
            "starts": starts,
            "reached": self.reached,
            "reached_share": self.reached as f64 / starts as f64,
            "settled_elsewhere": self.settled,
            "still_moving": self.moving,
            "mean_iterations": self.iterations as f64 / starts as f64,
            "whole_ms": { "median": at(starts / 2), "least": at(0), "most": at(starts - 1) },
        });
        if way.is_exact_search() {
            let more = json!({
                "exact_searches_apart_mm": self.apart_mm, "exact_searches_apart_deg": self.apart_deg,
            });
            super::merge(&mut row, more);
        }
        row
    }
}
