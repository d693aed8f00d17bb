//! `bench planes`: planes fitted to points of uneven density, compared with the plane through the surface itself; and
//! segments of a large plane stitched from several snapshots.
//!
//! A face is never perfectly flat, so a fit to points follows the region scanned more densely. Weighting each point by
//! the area it represents gives the fit to the surface itself (Shakarji and Srinivasan 2013); thinning to an even
//! density before an unweighted fit is the alternative.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use base::{Progress, Result, random::Random};
use compute::parallel_planes::Request;
use compute::{Compute, cpu::Cpu, neighbourhoods};
use geometry::{Point, SearchablePoints, Vector, thinning};

/// Half the edge length of the faces, mm.
const HALF_SIZE_MM: f64 = 50.0;
/// Distance between the two faces, mm.
const DISTANCE_MM: f64 = 20.0;
/// Amplitude of their waviness, mm.
const WAVINESS_MM: f64 = 0.05;
/// Points per face.
const FACE_POINTS: usize = 60_000;
/// Point spacing after thinning, mm: that of the coarser side.
const THINNED_MM: f64 = 1.0;

/// Height of a bent face, mm: high on one side, flat on the other.
fn height(x: f64, y: f64) -> f64 {
    WAVINESS_MM * ((0.5 + 0.5 * x / HALF_SIZE_MM).powi(3) + 0.3 * (y / HALF_SIZE_MM * std::f64::consts::PI).sin())
}

/// Runs it.
pub fn run(_: &Bench) -> Result<Value> {
    let mut rows = uneven()?;
    rows.extend(segments()?);
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "planes", "rows": rows }))
}

/// The common normal of two parallel faces; `weights` per point, 1 where missing.
fn normal(faces: [&[Point]; 2], weights: [&[f64]; 2]) -> Result<Vector> {
    let row = |(i, point): (usize, &Point), weights: &[f64]| {
        let weight = weights.get(i).copied().unwrap_or(1.0);
        [point.x as f32, point.y as f32, point.z as f32, weight as f32]
    };
    let points: Vec<[f32; 4]> = faces
        .iter()
        .zip(weights)
        .flat_map(|(face, weights)| face.iter().enumerate().map(move |own| row(own, weights)))
        .collect();
    let planes = faces.map(<[Point]>::len);
    let request = Request { points: &points, origin: Point::origin(), planes: &planes, sets: &[2] };
    let sets = Cpu.compute(&request, &Progress::silent())?;
    Ok(sets.first().and_then(|set| set.normal).unwrap_or_else(Vector::z))
}

/// The area each point represents, mm².
fn areas(points: &[Point]) -> Result<Vec<f64>> {
    let searchable = SearchablePoints::new(points);
    let request = neighbourhoods::Request { points: &searchable, neighbours: 16 };
    Ok(Cpu.compute(&request, &Progress::silent())?.iter().map(neighbourhoods::Neighbourhood::area_mm2).collect())
}

fn uneven() -> Result<Vec<Value>> {
    // The reference: a fine, even grid on the surface.
    let grid: Vec<Point> = (0..400)
        .flat_map(|i| (0..400).map(move |j| (f64::from(i) + 0.5, f64::from(j) + 0.5)))
        .map(|(i, j)| (HALF_SIZE_MM * (i / 200.0 - 1.0), HALF_SIZE_MM * (j / 200.0 - 1.0)))
        .map(|(x, y)| Point::new(x, y, height(x, y)))
        .collect();
    let upper: Vec<Point> = grid.iter().map(|p| p + Vector::z() * DISTANCE_MM).collect();
    let truth = normal([&grid, &upper], [&[], &[]])?;
    let mut rows = Vec::new();
    for (scan, ratio) in [("even", 1.0), ("4 times as dense on one side", 4.0), ("16 times as dense on one side", 16.0)]
    {
        let mut random = Random::new(8, ratio as u64);
        let mut face = |level: f64| -> Vec<Point> {
            let sample = |random: &mut Random| {
                let dense = random.uniform() < ratio / (ratio + 1.0);
                let x = random.range(0.0, HALF_SIZE_MM) * if dense { 1.0 } else { -1.0 };
                let y = random.range(-HALF_SIZE_MM, HALF_SIZE_MM);
                Point::new(x, y, level + height(x, y) + 0.01 * random.normal())
            };
            (0..FACE_POINTS).map(|_| sample(&mut random)).collect()
        };
        let faces = [face(0.0), face(DISTANCE_MM)];
        let [lower, upper] = [&faces[0], &faces[1]];
        let weights = [areas(lower)?, areas(upper)?];
        let even = |face: &[Point]| -> Vec<Point> {
            thinning::one_per_cell(face, THINNED_MM).iter().filter_map(|&i| face.get(i as usize).copied()).collect()
        };
        let thinned = [even(lower), even(upper)];
        let error_urad = |normal: Vector| 1e6 * normal.cross(&truth).norm();
        rows.push(json!({
            "case": format!("two parallel faces, {scan}"),
            "points": 2 * FACE_POINTS,
            "plain_off_urad": error_urad(normal([lower, upper], [&[], &[]])?),
            "thinned_points": thinned[0].len() + thinned[1].len(),
            "thinned_off_urad": error_urad(normal([&thinned[0], &thinned[1]], [&[], &[]])?),
            "weighted_off_urad": error_urad(normal([lower, upper], [&weights[0], &weights[1]])?),
        }));
    }
    Ok(rows)
}

/// A plane one metre long, stitched from five slightly rotated snapshots: the fit of the whole plane and of each
/// snapshot.
fn segments() -> Result<Vec<Value>> {
    let tilts_urad = [0.0, 40.0, -30.0, 60.0, 10.0];
    let mut random = Random::new(9, 9);
    let segments: Vec<Vec<Point>> = tilts_urad
        .iter()
        .enumerate()
        .map(|(k, tilt_urad)| {
            let centre = 200.0 * k as f64;
            let sample = |random: &mut Random| {
                let (u, y) = (random.range(-100.0, 100.0), random.range(-60.0, 60.0));
                Point::new(centre + u, y, 1e-6 * tilt_urad * u + 0.02 * random.normal())
            };
            (0..FACE_POINTS).map(|_| sample(&mut random)).collect()
        })
        .collect();
    let tilt = |normal: Vector| -1e6 * normal.x / normal.z;
    let plane = |points: &[Point]| normal([points, &[]], [&[], &[]]);
    let mut rows = Vec::new();
    let all: Vec<Point> = segments.concat();
    rows.push(json!({ "case": "stitched plane, whole", "points": all.len(), "tilt_urad": tilt(plane(&all)?) }));
    for (k, (segment, true_tilt_urad)) in segments.iter().zip(tilts_urad).enumerate() {
        rows.push(json!({
            "case": format!("stitched plane, snapshot {}", k + 1),
            "points": segment.len(),
            "tilt_urad": tilt(plane(segment)?),
            "true_tilt_urad": true_tilt_urad,
        }));
    }
    Ok(rows)
}
