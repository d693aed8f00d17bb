//! Automatic alignment of crops of parts: how many poses are right, and whether wrong ones are flagged as ambiguous.

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
use inspect::detection::PartModel;
use inspect::parts::PreparedScan;
use io::{LoadOptions, load_nominal};

/// Points on the complete surface of a part.
const POINTS: usize = 30_000;
/// Fractions of the surface covered by the crops.
const FRACTIONS: [f64; 3] = [0.1, 0.2, 0.3];
/// Standard deviation of a point along the normal, mm.
const NOISE_MM: f64 = 0.02;
/// A pose is right if its error moves no point of the crop by more than this fraction of the part's diagonal.
const MAX_RELATIVE_ERROR: f64 = 0.003;

/// A part and its name.
pub struct Part {
    /// File name without extension.
    pub name: String,
    /// Its surface.
    pub surface: Surface,
}

/// The meshes in the folders of `--parts`, in order of name per folder.
pub fn parts_of(arguments: &Bench) -> Result<Vec<Part>> {
    if arguments.parts.is_empty() {
        return Err(UserError::usage("Give the folder of the parts, such as --parts tests/data/parts."));
    }
    let all: Vec<Vec<Part>> = arguments.parts.iter().map(parts_in).collect::<Result<_>>()?;
    Ok(all.into_iter().flatten().collect())
}

/// Parts, prepared to be found.
pub fn models_of<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Result<Vec<PartModel<'a>>> {
    parts.into_iter().map(|own| PartModel::new(&own.name, &own.surface)).collect()
}

fn parts_in(folder: &PathBuf) -> Result<Vec<Part>> {
    let entries = std::fs::read_dir(folder).map_err(|e| UserError::file("read the folder", folder, &e))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.sort();
    let is_mesh = |path: &PathBuf| path.extension().is_some_and(|own| own == "stl" || own == "ply" || own == "obj");
    let (paths, others): (Vec<PathBuf>, Vec<PathBuf>) = paths.into_iter().partition(is_mesh);
    others.iter().for_each(|path| eprintln!("{} is left out: it is no STL, PLY or OBJ file", path.display()));
    let load = |path: &PathBuf| {
        let mesh = load_nominal(path, &LoadOptions::default(), &Progress::silent())?.mesh;
        let name = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        Ok(Part { name, surface: Surface::new(mesh) })
    };
    paths.iter().map(load).collect()
}

/// A crop: the points closest to a point on the surface, in a frame of their own.
pub struct Crop {
    /// The points, scan frame.
    pub cloud: Cloud,
    /// The true pose.
    pub nominal_from_scan: Pose,
}

/// The `fraction` of `surface` closest to a random point on it, drawn with `seed`.
pub fn crop(surface: &Surface, fraction: f64, seed: u64) -> Crop {
    let mut random = Random::new(seed, 77);
    let mut samples = sampling::by_area(surface.mesh(), POINTS, seed);
    let centre = samples.get(random.index(samples.len())).map_or_else(Point::origin, |sample| sample.point);
    let squared_distance = |sample: &SurfaceSample| (sample.point - centre).norm_squared();
    samples.sort_by(|a, b| squared_distance(a).total_cmp(&squared_distance(b)));
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

/// Outcome of the alignment of a crop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The true pose.
    Right,
    /// A wrong pose, with the true one among the alternatives.
    TruthNamed,
    /// A wrong pose, with alternatives or undetermined degrees of freedom reported.
    DoubtNamed,
    /// A wrong pose without any warning.
    Confident,
    /// No pose; an error.
    Refused,
}

/// Maximum displacement of the crop's points between `pose` and the true pose, as a fraction of the part's diagonal.
fn relative_error(crop: &Crop, pose: &Pose, diagonal_mm: f64) -> f64 {
    let displacement = |point: &Point| (pose * point - crop.nominal_from_scan * point).norm();
    crop.cloud.points.iter().step_by(7).map(displacement).fold(0.0, f64::max) / diagonal_mm
}

/// Classifies an alignment of `crop`.
pub fn outcome(crop: &Crop, found: &Result<Alignment>, diagonal_mm: f64) -> Outcome {
    let Ok(found) = found else { return Outcome::Refused };
    if relative_error(crop, &found.nominal_from_scan, diagonal_mm) < MAX_RELATIVE_ERROR {
        return Outcome::Right;
    }
    // Alternatives are not refined with all points.
    let is_true = |pose: &Pose| relative_error(crop, pose, diagonal_mm) < 3.0 * MAX_RELATIVE_ERROR;
    if found.alternatives.iter().any(|other| is_true(&other.nominal_from_scan)) {
        return Outcome::TruthNamed;
    }
    let is_ambiguous = !found.alternatives.is_empty() || !found.information.open.is_empty();
    if is_ambiguous { Outcome::DoubtNamed } else { Outcome::Confident }
}

/// Runs the crops.
pub fn run(arguments: &Bench) -> Result<Value> {
    let crops = ((5.0 * arguments.scale).round() as usize).max(1);
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for (index, part) in parts_of(arguments)?.iter().enumerate() {
        if arguments.only.as_ref().is_some_and(|only| !part.name.contains(only.as_str())) {
            continue;
        }
        let diagonal_mm = part.surface.bounds().diagonal();
        let mut outcomes = Vec::new();
        let mut which = Vec::new();
        let started = std::time::Instant::now();
        for fraction in FRACTIONS {
            for i in 0..crops {
                let seed = (index * 1000 + i * 10) as u64 + (10.0 * fraction) as u64;
                let crop = crop(&part.surface, fraction, seed);
                let found = align(&part.surface, &crop.cloud);
                let outcome = outcome(&crop, &found, diagonal_mm);
                outcomes.push(outcome);
                // None of the crops has one.
                if let Some(offset) = found.as_ref().ok().and_then(|own| own.uniform_offset) {
                    which.push(format!("{fraction}/{i}: {}", offset.reservation()));
                }
                if let (Outcome::Confident, Ok(found)) = (outcome, &found) {
                    let angle_rad = found.nominal_from_scan.rotation.angle_to(&crop.nominal_from_scan.rotation);
                    let (rms, true_rms) = (
                        rms_mm(&part.surface, &crop, &found.nominal_from_scan),
                        rms_mm(&part.surface, &crop, &crop.nominal_from_scan),
                    );
                    which.push(format!(
                        "{fraction}/{i}: {:.0}°, RMS {rms:.4} mm (truth {true_rms:.4})",
                        angle_rad.to_degrees()
                    ));
                }
            }
        }
        rows.push(row(&part.name, &outcomes, started.elapsed().as_secs_f64(), &which));
        all.extend(outcomes);
    }
    rows.push(row("all", &all, 0.0, &[]));
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "poses", "device": Cpu.device(), "rows": rows }))
}

/// RMS distance of all points of a crop to the surface, mm.
fn rms_mm(surface: &Surface, crop: &Crop, pose: &Pose) -> f64 {
    let squares = crop.cloud.points.iter().filter_map(|point| surface.closest_point(&(pose * point), f64::INFINITY));
    (squares.map(|hit| hit.distance_mm.powi(2)).sum::<f64>() / crop.cloud.points.len() as f64).sqrt()
}

fn align(surface: &Surface, cloud: &Cloud) -> Result<Alignment> {
    let prepared = PreparedScan::new(cloud);
    let parameters = best_fit::Parameters::default();
    automatic::run(&Cpu, surface, cloud, &prepared, &parameters, &Progress::silent(), &mut |_, _| ())
}

fn row(name: &str, outcomes: &[Outcome], seconds: f64, which: &[String]) -> Value {
    let count = |wanted: Outcome| outcomes.iter().filter(|own| **own == wanted).count();
    json!({
        "case": name,
        "right": count(Outcome::Right),
        "truth_named": count(Outcome::TruthNamed),
        "doubt_named": count(Outcome::DoubtNamed),
        "confident_wrong": count(Outcome::Confident),
        "refused": count(Outcome::Refused),
        "seconds": seconds,
        "which": which,
    })
}
