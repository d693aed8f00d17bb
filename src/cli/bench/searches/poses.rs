//! All searches from every rotation of -20 to 20 degrees in steps of 10 about each axis: 125 starts, as published.

use std::time::Instant;

use serde_json::{Value, json};

use super::{Searches, errors, register, sensed, surface_cloud};
use crate::base::{Progress, Result};
use crate::compute::Backend;
use crate::compute::cpu::Cpu;
use crate::compute::icp::{Parameters, Search, Start, Truth};
use crate::geometry::{OrderedPoints, Point, Vector};

/// Points of the surface.
const SIZES: [usize; 2] = [31_000, 62_000];
/// A start that ends nearer to the truth than this is one that registers, mm: the scan's points are the surface's own.
const NEAR_MM: f64 = 1e-3;

pub(super) fn run(bench: &Searches<'_>, rows: &mut Vec<Value>) -> Result<()> {
    for count in SIZES {
        let points = surface_cloud(bench.scaled(count), 2);
        let truth = Truth::new(&points);
        truth.graph(&Progress::silent())?;
        if let Some(cuda) = bench.cuda {
            // Brute force only where it takes seconds.
            let searches = Search::ALL.into_iter().filter(|&search| search != Search::BruteForce || count < 40_000);
            rows.extend(on(cuda, "GPU", &points, &truth, &searches.collect::<Vec<_>>())?);
        }
        let two = [Search::KdTree, Search::Walk(Start::LeafThenPrevious)];
        rows.extend(on(&Cpu, "CPU, all threads", &points, &truth, &two)?);
    }
    Ok(())
}

fn starts() -> impl Iterator<Item = Vector> {
    (0..125_i32).map(|number| {
        let step = |part: i32| f64::from(part % 5 - 2) * 10_f64.to_radians();
        Vector::new(step(number), step(number / 5), step(number / 25))
    })
}

fn on(backend: &dyn Backend, device: &str, points: &[Point], truth: &Truth, searches: &[Search]) -> Result<Vec<Value>> {
    let mut tables = vec![Table::default(); searches.len()];
    for angles_rad in starts() {
        let (scan, pose) = sensed(points, points.len() / 2, 0.0, angles_rad);
        let scan = OrderedPoints::new(&scan);
        let mut first = None;
        for (&search, table) in searches.iter().zip(&mut tables) {
            let started = Instant::now();
            let answer = register(backend, truth, &scan, &Parameters::new(search, truth))?;
            table.times_ms.push(started.elapsed().as_secs_f64() * 1e3);
            table.iterations += answer.iterations.len();
            let (apart_mm, _) = errors(&answer, &pose, truth);
            table.registered += usize::from(apart_mm < NEAR_MM);
            if search.is_exact() {
                let reference = *first.get_or_insert(answer.truth_from_sensed);
                let (apart_mm, angle_deg) = errors(&answer, &reference, truth);
                table.apart_mm = table.apart_mm.max(apart_mm);
                table.apart_deg = table.apart_deg.max(angle_deg);
            }
        }
    }
    Ok(searches.iter().zip(tables).map(|(search, table)| table.row(*search, device, points.len())).collect())
}

#[derive(Clone, Default)]
struct Table {
    times_ms: Vec<f64>,
    iterations: usize,
    registered: usize,
    apart_mm: f64,
    apart_deg: f64,
}

impl Table {
    fn row(mut self, search: Search, device: &str, truth: usize) -> Value {
        self.times_ms.sort_by(f64::total_cmp);
        let starts = self.times_ms.len();
        let at = |place: usize| self.times_ms.get(place);
        json!({
            "case": format!("{}, {device}, all starts ({} on {truth})", search.name(), truth / 2),
            "kind": "poses", "search": search.name(), "device": device, "truth": truth,
            "starts": starts,
            "registered": self.registered,
            "mean_iterations": self.iterations as f64 / starts as f64,
            "whole_ms": { "median": at(starts / 2), "least": at(0), "most": at(starts - 1) },
            "exact_searches_apart_mm": self.apart_mm,
            "exact_searches_apart_deg": self.apart_deg,
        })
    }
}
