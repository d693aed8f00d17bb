//! Recognises a marked plate in a whole snapshot: the plate as a robust plane, its marks by their depth or darkness,
//! and the orientation that fits them.

use std::collections::{HashMap, HashSet};

use super::super::drawn::Drawn;
use super::super::recognition;
use super::Drawing;
use crate::features::{Kind, Options, fit};
use base::{Progress, Result};
use geometry::{Cloud, Point, Subset, Vector, thinning};

/// Cell size for marks, mm.
const CELL_MM: f64 = 0.5;
/// Cell size on the plate for its plane, and for its brightness, mm.
const PLATE_CELL_MM: f64 = 1.0;
const BRIGHTNESS_CELL_MM: f64 = 8.0;
/// Maximum distance of the plate's points from its plane, mm.
const MAX_DISTANCE_MM: f64 = 0.6;
/// Maximum brightness of a mark relative to the plate around it.
const MAX_MARK_BRIGHTNESS: f64 = 0.7;
/// Number of directions tried over 90°.
const DIRECTIONS: usize = 360;
/// Minimum number of cells filled by marks.
const MIN_MARK_CELLS: usize = 60;
/// Clearance of regions from edges, mm.
const MARGIN_MM: f64 = 1.0;

/// Point indices of each region of `drawing`; `name` is the artefact's name for messages.
pub fn find(name: &str, drawing: &Drawing, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
    progress.report(0.0, "Looking for the plate")?;
    let sampled = thinning::one_per_dense_cell(&cloud.points, PLATE_CELL_MM);
    let sample: Vec<Point> = sampled.iter().map(|&index| cloud.points[index as usize]).collect();
    let options = Options { robust: true, clip_sigmas: Some(4.0), ..Options::default() };
    let plate = fit(Kind::Plane, &sample, &[], &options, &progress.part(0.0, 0.3))?;
    let (level, normal) = (plate.shape.position(), plate.shape.direction().unwrap_or_else(Vector::z));
    // The sensor is at the origin.
    let up = if normal.dot(&level.coords) > 0.0 { -normal } else { normal };
    progress.report(0.3, "Looking for the marks")?;
    let x = up.cross(&Vector::ith(up.iamin(), 1.0)).normalize();
    let sensor_from_plate = recognition::pose(&level, &x, &up);
    let on_plate: Vec<Point> =
        cloud.points.iter().map(|point| sensor_from_plate.inverse_transform_point(point)).collect();
    let marked =
        if drawing.is_found_by_depth() { sunken_points(drawing, &on_plate) } else { dark_points(cloud, &on_plate) };
    let cells: HashSet<[i32; 2]> = marked.iter().map(cell).collect();
    let marks = mark_centres(&cells);
    if marks.len() < MIN_MARK_CELLS {
        return Err(recognition::not_recognised(name, "no marks were found on its largest plane"));
    }
    let (angle, crossing) = direction_and_crossing(&marks, drawing.half_width_mm);
    let (sin, cos) = angle.sin_cos();
    let origin = sensor_from_plate * Point::new(crossing[0], crossing[1], 0.0);
    let directions = [Vector::new(cos, sin, 0.0), Vector::new(-sin, cos, 0.0)]
        .map(|direction| sensor_from_plate.rotation * direction);
    // Cells that are marked, and cells where unmarked surface is seen.
    let heights = -1.5 * drawing.depth_mm - MAX_DISTANCE_MM..MAX_DISTANCE_MM;
    let seen: HashSet<[i32; 2]> = on_plate.iter().filter(|point| heights.contains(&point.z)).map(cell).collect();
    let marked: HashSet<[i32; 2]> = marks.iter().map(|&[u, v]| cell(&Point::new(u, v, 0.0))).collect();
    let mut observed: Vec<([i32; 2], bool)> = seen.union(&marked).map(|own| (*own, marked.contains(own))).collect();
    observed.sort_unstable();
    let score = |x: &Vector, y: &Vector| {
        let (mut matching, mut all) = (0_usize, 0_usize);
        for (own, is_marked) in &observed {
            let [u, v] = own.map(|c| (f64::from(c) + 0.5) * CELL_MM);
            let offset = sensor_from_plate * Point::new(u, v, 0.0) - origin;
            let (x, y) = (offset.dot(x), offset.dot(y));
            let inside = drawing.depth(0, x, y).max(drawing.depth(1, x, y));
            // Near an edge a cell may be either.
            if *is_marked || inside > MAX_DISTANCE_MM {
                all += 1;
                matching += usize::from(*is_marked && inside > -MAX_DISTANCE_MM);
            }
        }
        matching as f64 / all.max(1) as f64
    };
    let pose = recognition::best_orientation(name, &origin, directions, &up, &score)?;
    progress.report(0.8, "Naming the regions")?;
    let depths = -drawing.depth_mm - MAX_DISTANCE_MM..MAX_DISTANCE_MM;
    let region_at = |point: &Point| {
        let region = drawing.region_at(point, MARGIN_MM).filter(|_| depths.contains(&point.z))?;
        // Points in the slots do not belong to the plane.
        (region > 0 || point.z > -MAX_DISTANCE_MM).then_some(region)
    };
    Ok(recognition::assign_regions(&cloud.points, &pose, drawing.region_count(), &region_at))
}

/// Centres of the cells with at least two marked neighbours: isolated cells are noise.
fn mark_centres(cells: &HashSet<[i32; 2]>) -> Vec<[f64; 2]> {
    let neighbourhood = |[i, j]: [i32; 2]| (-1..=1).flat_map(move |a| (-1..=1).map(move |b| [i + a, j + b]));
    let has_neighbours = |own: &&[i32; 2]| neighbourhood(**own).filter(|next| cells.contains(next)).count() > 2;
    let mut marks: Vec<[i32; 2]> = cells.iter().filter(has_neighbours).copied().collect();
    marks.sort_unstable();
    marks.into_iter().map(|own| own.map(|c| (f64::from(c) + 0.5) * CELL_MM)).collect()
}

fn cell(point: &Point) -> [i32; 2] {
    [point.x, point.y].map(|c| (c / CELL_MM).floor() as i32)
}

/// Points at the depth of the bottom of a slot.
fn sunken_points(drawing: &Drawing, on_plate: &[Point]) -> Vec<Point> {
    let depths = -1.5 * drawing.depth_mm..-0.5 * drawing.depth_mm;
    on_plate.iter().filter(|point| depths.contains(&point.z)).copied().collect()
}

/// Points of the plate that are darker than their surroundings.
fn dark_points(cloud: &Cloud, on_plate: &[Point]) -> Vec<Point> {
    let coarse = |point: &Point| [point.x, point.y].map(|c| (c / BRIGHTNESS_CELL_MM).floor() as i32);
    let mut greys_by_cell: HashMap<[i32; 2], Vec<f32>> = HashMap::new();
    let greys = || on_plate.iter().zip(&cloud.intensity).filter(|(point, _)| point.z.abs() < MAX_DISTANCE_MM);
    greys().for_each(|(point, &grey)| greys_by_cell.entry(coarse(point)).or_default().push(grey));
    let brightness_of = |mut greys: Vec<f32>| {
        let at = (greys.len() * 9 / 10).min(greys.len() - 1);
        f64::from(*greys.select_nth_unstable_by(at, f32::total_cmp).1)
    };
    let brightness: HashMap<[i32; 2], f64> =
        greys_by_cell.into_iter().map(|(cell, greys)| (cell, brightness_of(greys))).collect();
    let is_dark = |point: &Point, grey: f32| {
        brightness.get(&coarse(point)).is_some_and(|own| f64::from(grey) < MAX_MARK_BRIGHTNESS * own)
    };
    greys().filter(|(point, grey)| is_dark(point, **grey)).map(|(point, _)| *point).collect()
}

/// Angle of one mark, the other being perpendicular to it, and the point where both cross.
fn direction_and_crossing(marks: &[[f64; 2]], half_width_mm: f64) -> (f64, [f64; 2]) {
    // Projected perpendicular to a mark's direction, its cells concentrate.
    let projection = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        move |&[u, v]: &[f64; 2]| u * cos + v * sin
    };
    let concentration = |angle: f64| {
        let mut counts: HashMap<i32, u64> = HashMap::new();
        let project = projection(angle);
        marks.iter().for_each(|mark| *counts.entry((project(mark) / CELL_MM).floor() as i32).or_default() += 1);
        counts.values().map(|count| count * count).sum::<u64>()
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    let angles = (0..DIRECTIONS).map(|k| k as f64 / DIRECTIONS as f64 * quarter);
    let angle = angles.max_by_key(|&angle| concentration(angle) + concentration(angle + quarter)).unwrap_or_default();
    let window = (2.0 * half_width_mm).max(2.0 * CELL_MM);
    let centre = |angle: f64| {
        let mut projected: Vec<f64> = marks.iter().map(projection(angle)).collect();
        projected.sort_by(f64::total_cmp);
        let count = |&i: &usize| projected.partition_point(|own| *own <= projected[i] + window) - i;
        let first = (0..projected.len()).max_by_key(count).unwrap_or_default();
        let inside = &projected[first..first + count(&first)];
        inside.iter().sum::<f64>() / inside.len() as f64
    };
    let ((sin, cos), p, q) = (angle.sin_cos(), centre(angle), centre(angle + quarter));
    (angle, [p * cos - q * sin, p * sin + q * cos])
}
