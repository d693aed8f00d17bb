//! `bench planes`: planes through points of uneven density, against the plane through the surface itself; and sections
//! of a large plane that was stitched from several snapshots.
//!
//! A face is never quite flat, so a fit to points follows the part that was scanned more densely. Weights by the area
//! that each point stands for give what the surface itself would (Shakarji and Srinivasan 2013); thinning to an even
//! density before a plain fit is the other remedy.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use base::{Progress, Result, random::Random};
use compute::parallel_planes::Request;
use compute::{Compute, cpu::Cpu, neighbourhoods};
use geometry::{Point, SearchablePoints, Vector, thinning};

/// Half of the faces' size, mm.
const HALF: f64 = 50.0;
/// Distance of the two faces, mm.
const APART: f64 = 20.0;
/// Their waviness, mm.
const WAVE: f64 = 0.05;
/// Points of each face.
const COUNT: usize = 60_000;
/// Spacing that thinning leaves, mm: that of the coarser side.
const THINNED_MM: f64 = 1.0;

/// A face bent by half a wave: high on one side, flat on the other.
fn height(x: f64, y: f64) -> f64 {
    WAVE * ((0.5 + 0.5 * x / HALF).powi(3) + 0.3 * (y / HALF * std::f64::consts::PI).sin())
}

/// Runs it.
pub fn run(_: &Bench) -> Result<Value> {
    let mut rows = uneven()?;
    rows.extend(sections()?);
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "planes", "rows": rows }))
}

/// The normal of two parallel faces; `weights` of each point, or all one.
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

/// The area that each point stands for, mm².
fn areas(points: &[Point]) -> Result<Vec<f64>> {
    let searchable = SearchablePoints::new(points);
    let request = neighbourhoods::Request { points: &searchable, neighbours: 16 };
    Ok(Cpu.compute(&request, &Progress::silent())?.iter().map(neighbourhoods::Neighbourhood::area_mm2).collect())
}

fn uneven() -> Result<Vec<Value>> {
    // The surface itself: a fine, even grid.
    let grid: Vec<Point> = (0..400)
        .flat_map(|i| (0..400).map(move |j| (f64::from(i) + 0.5, f64::from(j) + 0.5)))
        .map(|(i, j)| (HALF * (i / 200.0 - 1.0), HALF * (j / 200.0 - 1.0)))
        .map(|(x, y)| Point::new(x, y, height(x, y)))
        .collect();
    let upper: Vec<Point> = grid.iter().map(|p| p + Vector::z() * APART).collect();
    let truth = normal([&grid, &upper], [&[], &[]])?;
    let mut rows = Vec::new();
    for (scan, ratio) in [("even", 1.0), ("4 times as dense on one side", 4.0), ("16 times as dense on one side", 16.0)]
    {
        let mut random = Random::new(8, ratio as u64);
        let mut face = |level: f64| -> Vec<Point> {
            let place = |random: &mut Random| {
                let dense = random.uniform() < ratio / (ratio + 1.0);
                let x = random.range(0.0, HALF) * if dense { 1.0 } else { -1.0 };
                let y = random.range(-HALF, HALF);
                Point::new(x, y, level + height(x, y) + 0.01 * random.normal())
            };
            (0..COUNT).map(|_| place(&mut random)).collect()
        };
        let faces = [face(0.0), face(APART)];
        let [lower, upper] = [&faces[0], &faces[1]];
        let weights = [areas(lower)?, areas(upper)?];
        let even = |face: &[Point]| -> Vec<Point> {
            thinning::one_per_cell(face, THINNED_MM).iter().filter_map(|&i| face.get(i as usize).copied()).collect()
        };
        let thinned = [even(lower), even(upper)];
        let off = |normal: Vector| 1e6 * normal.cross(&truth).norm();
        rows.push(json!({
            "case": format!("two parallel faces, {scan}"),
            "points": 2 * COUNT,
            "plain_off_urad": off(normal([lower, upper], [&[], &[]])?),
            "thinned_points": thinned[0].len() + thinned[1].len(),
            "thinned_off_urad": off(normal([&thinned[0], &thinned[1]], [&[], &[]])?),
            "weighted_off_urad": off(normal([lower, upper], [&weights[0], &weights[1]])?),
        }));
    }
    Ok(rows)
}

/// Five snapshots of a plane one metre long, each turned a little: the whole plane, and each section.
fn sections() -> Result<Vec<Value>> {
    let turned_urad = [0.0, 40.0, -30.0, 60.0, 10.0];
    let mut random = Random::new(9, 9);
    let sections: Vec<Vec<Point>> = turned_urad
        .iter()
        .enumerate()
        .map(|(k, turn)| {
            let middle = 200.0 * k as f64;
            let place = |random: &mut Random| {
                let (u, y) = (random.range(-100.0, 100.0), random.range(-60.0, 60.0));
                Point::new(middle + u, y, 1e-6 * turn * u + 0.02 * random.normal())
            };
            (0..COUNT).map(|_| place(&mut random)).collect()
        })
        .collect();
    let tilt = |normal: Vector| -1e6 * normal.x / normal.z;
    let plane = |points: &[Point]| normal([points, &[]], [&[], &[]]);
    let mut rows = Vec::new();
    let all: Vec<Point> = sections.concat();
    rows.push(json!({ "case": "stitched plane, whole", "points": all.len(), "tilt_urad": tilt(plane(&all)?) }));
    for (k, (section, turn)) in sections.iter().zip(turned_urad).enumerate() {
        rows.push(json!({
            "case": format!("stitched plane, section {}", k + 1),
            "points": section.len(),
            "tilt_urad": tilt(plane(section)?),
            "true_tilt_urad": turn,
        }));
    }
    Ok(rows)
}
