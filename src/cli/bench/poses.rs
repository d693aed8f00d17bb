//! Poses found from crops of parts: how many are right, and whether the wrong ones say that they could be others.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::super::arguments::Bench;
use base::random::Random;
use base::{Progress, Result, UserError};
use compute::Backend;
use compute::cpu::Cpu;
use geometry::sampling::{self, SurfaceSample};
use geometry::{Cloud, Point, Pose, Surface, Vector};
use inspect::alignment::automatic;
use inspect::alignment::{Alignment, best_fit};
use inspect::parts::PreparedScan;
use io::{LoadOptions, load_nominal};

/// Points on the whole surface of a part.
const POINTS: usize = 30_000;
/// Shares of the surface that crops show.
const FRACTIONS: [f64; 3] = [0.1, 0.2, 0.3];
/// Noise of a point along the normal, mm.
const NOISE_MM: f64 = 0.02;
/// A pose is right when it moves no point of the crop by more than this share of the part's diagonal.
const RIGHT: f64 = 0.003;

/// A part and its name.
pub struct Part {
    /// The file's name without its ending.
    pub name: String,
    /// The part.
    pub surface: Surface,
}

/// The meshes in the folders that were given, those of each by name.
pub fn parts_of(arguments: &Bench) -> Result<Vec<Part>> {
    if arguments.parts.is_empty() {
        return Err(UserError::usage("Give the folder of the parts, such as --parts tests/data/parts."));
    }
    let all: Vec<Vec<Part>> = arguments.parts.iter().map(parts_in).collect::<Result<_>>()?;
    Ok(all.into_iter().flatten().collect())
}

fn parts_in(folder: &PathBuf) -> Result<Vec<Part>> {
    let entries = std::fs::read_dir(folder).map_err(|e| UserError::file("read the folder", folder, &e))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "stl" || ending == "ply" || ending == "obj"));
    paths.sort();
    let load = |path: &PathBuf| {
        let mesh = load_nominal(path, &LoadOptions::default(), &Progress::silent())?.mesh;
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        Ok(Part { name, surface: Surface::new(mesh) })
    };
    paths.iter().map(load).collect()
}

/// A crop: the points nearest to a place on the surface, in a frame of their own.
pub struct Crop {
    /// The points.
    pub cloud: Cloud,
    /// The truth.
    pub nominal_from_scan: Pose,
}

/// The `fraction` of `surface` nearest to a place drawn by `seed`.
pub fn crop(surface: &Surface, fraction: f64, seed: u64) -> Crop {
    let mut random = Random::new(seed, 77);
    let mut samples = sampling::by_area(surface.mesh(), POINTS, seed);
    let middle = samples.get(random.index(samples.len())).map_or_else(Point::origin, |sample| sample.point);
    let away = |sample: &SurfaceSample| (sample.point - middle).norm_squared();
    samples.sort_by(|a, b| away(a).total_cmp(&away(b)));
    samples.truncate((fraction * POINTS as f64) as usize);
    let shift = Vector::new(random.normal(), random.normal(), random.normal()) * 100.0;
    let nominal_from_scan = Pose::from_parts(shift.into(), random.rotation());
    let scan_from_nominal = nominal_from_scan.inverse();
    let mut points: Vec<Point> = samples
        .iter()
        .map(|sample| scan_from_nominal * (sample.point + sample.normal * (NOISE_MM * random.normal())))
        .collect();
    random.shuffle(&mut points);
    Crop { cloud: Cloud::from_points(points), nominal_from_scan }
}

/// How an alignment of a crop came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The true pose.
    Right,
    /// Another pose, and the true one is among the alternatives.
    TruthNamed,
    /// Another pose, with other alternatives or open freedom named.
    DoubtNamed,
    /// Another pose without a word.
    Confident,
    /// No pose, with a sentence.
    Refused,
}

/// Largest distance by which two poses part the points of a crop, as a share of the part's diagonal.
fn apart(crop: &Crop, pose: &Pose, diagonal_mm: f64) -> f64 {
    let moved = |point: &Point| (pose * point - crop.nominal_from_scan * point).norm();
    crop.cloud.points.iter().step_by(7).map(moved).fold(0.0, f64::max) / diagonal_mm
}

/// Judges an alignment of `crop`.
pub fn outcome(crop: &Crop, found: &Result<Alignment>, diagonal_mm: f64) -> Outcome {
    let Ok(found) = found else { return Outcome::Refused };
    if apart(crop, &found.nominal_from_scan, diagonal_mm) < RIGHT {
        return Outcome::Right;
    }
    // Alternatives are not fitted to the last point.
    let is_true = |pose: &Pose| apart(crop, pose, diagonal_mm) < 3.0 * RIGHT;
    if found.alternatives.iter().any(|other| is_true(&other.nominal_from_scan)) {
        return Outcome::TruthNamed;
    }
    let is_doubted = !found.alternatives.is_empty() || !found.information.open.is_empty();
    if is_doubted { Outcome::DoubtNamed } else { Outcome::Confident }
}

/// Runs the crops.
pub fn run(arguments: &Bench) -> Result<Value> {
    let crops = ((5.0 * arguments.scale).round() as usize).max(1);
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for (number, part) in parts_of(arguments)?.iter().enumerate() {
        if arguments.only.as_ref().is_some_and(|only| !part.name.contains(only.as_str())) {
            continue;
        }
        let diagonal_mm = part.surface.bounds().diagonal();
        let mut own = Vec::new();
        let mut confident = Vec::new();
        let started = std::time::Instant::now();
        for fraction in FRACTIONS {
            for i in 0..crops {
                let seed = (number * 1000 + i * 10) as u64 + (10.0 * fraction) as u64;
                let crop = crop(&part.surface, fraction, seed);
                let found = align(&part.surface, &crop.cloud);
                let outcome = outcome(&crop, &found, diagonal_mm);
                own.push(outcome);
                if let (Outcome::Confident, Ok(found)) = (outcome, &found) {
                    let turn = found.nominal_from_scan.rotation.angle_to(&crop.nominal_from_scan.rotation);
                    let (own, truth) = (
                        rms_mm(&part.surface, &crop, &found.nominal_from_scan),
                        rms_mm(&part.surface, &crop, &crop.nominal_from_scan),
                    );
                    confident
                        .push(format!("{fraction}/{i}: {:.0}°, RMS {own:.4} mm (truth {truth:.4})", turn.to_degrees()));
                }
            }
        }
        rows.push(row(&part.name, &own, started.elapsed().as_secs_f64(), &confident));
        all.extend(own);
    }
    rows.push(row("all", &all, 0.0, &[]));
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "poses", "device": Cpu.device(), "rows": rows }))
}

/// RMS distance of all points of a crop, mm.
fn rms_mm(surface: &Surface, crop: &Crop, pose: &Pose) -> f64 {
    let squares = crop.cloud.points.iter().filter_map(|point| surface.closest_point(&(pose * point), f64::INFINITY));
    (squares.map(|hit| hit.distance_mm.powi(2)).sum::<f64>() / crop.cloud.points.len() as f64).sqrt()
}

fn align(surface: &Surface, cloud: &Cloud) -> Result<Alignment> {
    let prepared = PreparedScan::new(cloud);
    let parameters = best_fit::Parameters::default();
    automatic::run(&Cpu, surface, cloud, &prepared, &parameters, &Progress::silent(), &mut |_, _| ())
}

fn row(name: &str, outcomes: &[Outcome], seconds: f64, confident: &[String]) -> Value {
    let count = |wanted: Outcome| outcomes.iter().filter(|own| **own == wanted).count();
    json!({
        "case": name,
        "right": count(Outcome::Right),
        "truth_named": count(Outcome::TruthNamed),
        "doubt_named": count(Outcome::DoubtNamed),
        "confident_wrong": count(Outcome::Confident),
        "refused": count(Outcome::Refused),
        "seconds": seconds,
        "which": confident,
    })
}
