//! Automatic alignment of parts whose faces all lie off their nominal alike, as castings, coats and shrinkage leave them: how
//! far off the poses are, and whether the offset is named.

use rayon::prelude::*;
use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::poses::parts_of;
use base::random::Random;
use base::{Progress, Result};
use compute::Backend;
use compute::cpu::Cpu;
use geometry::sampling::{self, SurfaceSample};
use geometry::{Cloud, Point, Pose, Surface, Vector};
use inspect::alignment::recipe::run_automatic;
use inspect::alignment::{Alignment, best_fit};
use inspect::parts::{Actual, Nominal};

/// Offsets, mm, positive outward; 0 for parts that have none.
const OFFSETS_MM: [f64; 9] = [-2.0, -1.0, -0.5, -0.2, -0.1, 0.0, 0.1, 0.5, 2.0];
/// Points on the nominal that the scan is made from.
const POINTS: usize = 40_000;
/// Least share of them that an offset leaves on the surface: of less, too little of the part is left.
const MIN_LEFT: f64 = 0.3;
/// Standard deviation of a point along the normal, mm.
const NOISE_MM: f64 = 0.02;
/// A pose is right if it is off by no more than this at the centre of the part, mm, and degrees.
const MAX_ERROR: (f64, f64) = (0.05, 0.05);
/// An offset is named if it is right to this, mm.
const MAX_OFFSET_ERROR_MM: f64 = 0.02;

/// Runs all offsets of all parts.
pub fn run(arguments: &Bench) -> Result<Value> {
    let mut rows = Vec::new();
    let mut holds = true;
    for (index, part) in parts_of(arguments)?.iter().enumerate() {
        if arguments.only.as_ref().is_some_and(|only| !part.name.contains(only.as_str())) {
            continue;
        }
        let nominal = Nominal::in_memory(&part.name, Surface::new(part.surface.mesh().clone()));
        for (number, offset_mm) in OFFSETS_MM.into_iter().enumerate() {
            let seed = arguments.first + (100 * index + number) as u64;
            let Some((cloud, truth)) = scan_of(&part.surface, offset_mm, seed) else { continue };
            let scan = Actual::in_memory(&part.name, cloud);
            let started = std::time::Instant::now();
            let parameters = best_fit::Parameters::default();
            let found = run_automatic(&nominal, &scan, &parameters, &Cpu, &Progress::silent(), &|_, _| ());
            let time_ms = started.elapsed().as_secs_f64() * 1e3;
            let row = row(&format!("{} {offset_mm:+}", part.name), &part.surface, offset_mm, &truth, &found, time_ms);
            holds &= row.get("right").and_then(Value::as_bool) == Some(true);
            eprintln!("{row}");
            rows.push(row);
        }
    }
    Ok(json!({
        "schema": "shadowgraph.bench/1",
        "suite": "uniform-offsets",
        "device": Cpu.device(),
        "rows": rows,
        "holds": holds,
    }))
}

/// A scan of the part with all faces off by `offset_mm`, and its pose, nominal from scan; `None` if too little is left of it.
fn scan_of(surface: &Surface, offset_mm: f64, seed: u64) -> Option<(Cloud, Pose)> {
    let mut random = Random::new(seed, 0x0FF5);
    let samples = sampling::by_area(surface.mesh(), POINTS, seed);
    // What other faces reach, such as in corners, is no surface of the offset part.
    let is_left = |own: &&SurfaceSample| {
        let moved = own.point + own.normal * offset_mm;
        let near_mm = 0.999 * offset_mm.abs();
        surface.closest_point(&moved, near_mm).is_none_or(|hit| near_mm == 0.0 || hit.distance_mm >= near_mm)
    };
    let left: Vec<&SurfaceSample> = samples.par_iter().filter(is_left).collect();
    if (left.len() as f64) < MIN_LEFT * samples.len() as f64 {
        return None;
    }
    let shift = Vector::new(random.normal(), random.normal(), random.normal()) * 100.0;
    let nominal_from_scan = Pose::from_parts(shift.into(), random.rotation());
    let scan_from_nominal = nominal_from_scan.inverse();
    let mut measured = |own: &SurfaceSample| own.point + own.normal * (offset_mm + NOISE_MM * random.normal());
    let mut points: Vec<Point> = left.into_iter().map(|own| scan_from_nominal * measured(own)).collect();
    random.shuffle(&mut points);
    Some((Cloud::from_points(points), nominal_from_scan))
}

fn row(case: &str, surface: &Surface, offset_mm: f64, truth: &Pose, found: &Result<Alignment>, time_ms: f64) -> Value {
    let Ok(found) = found else {
        return json!({ "case": case, "refused": true, "right": true, "time_ms": time_ms });
    };
    let centre = truth.inverse() * surface.bounds().centre();
    let (off_mm, off_rad) = geometry::transform::difference(&found.nominal_from_scan, truth, &centre);
    let is_placed = off_mm <= MAX_ERROR.0 && off_rad.to_degrees() <= MAX_ERROR.1;
    let named_mm = found.uniform_offset.as_ref().map(|own| own.offset_mm);
    let is_named = (named_mm.unwrap_or_default() - offset_mm).abs() <= MAX_OFFSET_ERROR_MM;
    let doubt = found.reservations();
    json!({
        "case": case,
        "off_mm": off_mm,
        "off_deg": off_rad.to_degrees(),
        "named_mm": named_mm,
        "doubt": doubt,
        "right": is_placed && is_named || found.doubt().is_some(),
        "time_ms": time_ms,
    })
}
