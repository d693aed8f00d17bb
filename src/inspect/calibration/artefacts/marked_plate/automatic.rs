//! Finds a marked plate in a whole snapshot: the plate by most points, its marks by their depth or by how dark they are,
//! and which of the ways of laying it fits them.

use std::collections::{HashMap, HashSet};

use super::super::drawn::Drawn;
use super::super::looking;
use super::Drawing;
use crate::features::{Kind, Options, fit};
use base::{Progress, Result};
use geometry::{Cloud, Point, Subset, Vector, thinning};

/// Cells of marks, mm.
const CELL_MM: f64 = 0.5;
/// Cells of the plate, mm, for its plane and for how bright it is.
const PLATE_CELL_MM: f64 = 1.0;
const LIGHT_CELL_MM: f64 = 8.0;
/// How far from the plate its points lie, mm.
const OFF_MM: f64 = 0.6;
/// A mark is darker than this share of the plate around it.
const DARK: f64 = 0.7;
/// Directions tried in a quarter turn.
const DIRECTIONS: usize = 360;
/// Cells that marks fill, at least.
const LEAST: usize = 60;
/// Regions keep so far from edges, mm.
const MARGIN_MM: f64 = 1.0;

/// The points of each region of `drawing`, which is called `name`.
pub fn find(name: &str, drawing: &Drawing, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
    progress.report(0.0, "Looking for the plate")?;
    let kept = thinning::one_per_dense_cell(&cloud.points, PLATE_CELL_MM);
    let sample: Vec<Point> = kept.iter().map(|&number| cloud.points[number as usize]).collect();
    let options = Options { robust: true, clip_sigmas: Some(4.0), ..Options::default() };
    let plate = fit(Kind::Plane, &sample, &[], &options, &progress.part(0.0, 0.3))?;
    let (level, normal) = (plate.shape.place(), plate.shape.direction().unwrap_or_else(Vector::z));
    // The sensor is at the origin.
    let up = if normal.dot(&level.coords) > 0.0 { -normal } else { normal };
    progress.report(0.3, "Looking for the marks")?;
    let x = up.cross(&Vector::ith(up.iamin(), 1.0)).normalize();
    let screen = looking::pose(&level, &x, &up);
    let on_plate: Vec<Point> = cloud.points.iter().map(|point| screen.inverse_transform_point(point)).collect();
    let marked = if drawing.is_told_by_depth() { sunk(drawing, &on_plate) } else { dark(cloud, &on_plate) };
    let cells: HashSet<[i32; 2]> = marked.iter().map(cell).collect();
    let marks = marks(&cells);
    if marks.len() < LEAST {
        return Err(looking::not_recognised(name, "no marks were found on its largest plane"));
    }
    let (angle, crossing) = cross(&marks, drawing.half_width_mm);
    let (sin, cos) = angle.sin_cos();
    let origin = screen * Point::new(crossing[0], crossing[1], 0.0);
    let ways = [Vector::new(cos, sin, 0.0), Vector::new(-sin, cos, 0.0)].map(|way| screen.rotation * way);
    // What is marked, and what shows that it is not.
    let deep = -1.5 * drawing.depth_mm - OFF_MM..OFF_MM;
    let seen: HashSet<[i32; 2]> = on_plate.iter().filter(|place| deep.contains(&place.z)).map(cell).collect();
    let kept: HashSet<[i32; 2]> = marks.iter().map(|&[u, v]| cell(&Point::new(u, v, 0.0))).collect();
    let mut shown: Vec<([i32; 2], bool)> = seen.union(&kept).map(|own| (*own, kept.contains(own))).collect();
    shown.sort_unstable();
    let score = |x: &Vector, y: &Vector| {
        let (mut right, mut all) = (0_usize, 0_usize);
        for (own, is_marked) in &shown {
            let [u, v] = own.map(|c| (f64::from(c) + 0.5) * CELL_MM);
            let away = screen * Point::new(u, v, 0.0) - origin;
            let (x, y) = (away.dot(x), away.dot(y));
            let inside = drawing.depth(0, x, y).max(drawing.depth(1, x, y));
            // Beside an edge a cell may be either.
            if *is_marked || inside > OFF_MM {
                all += 1;
                right += usize::from(*is_marked && inside > -OFF_MM);
            }
        }
        right as f64 / all.max(1) as f64
    };
    let pose = looking::best_way(name, &origin, ways, &up, &score)?;
    progress.report(0.8, "Naming the regions")?;
    let depths = -drawing.depth_mm - OFF_MM..OFF_MM;
    let region_at = |place: &Point| {
        let region = drawing.region_at(place, MARGIN_MM).filter(|_| depths.contains(&place.z))?;
        // The plane is not what lies in the slots.
        (region > 0 || place.z > -OFF_MM).then_some(region)
    };
    Ok(looking::named(&cloud.points, &pose, drawing.regions(), &region_at))
}

/// Middles of the cells that have company: a lone one is noise.
fn marks(cells: &HashSet<[i32; 2]>) -> Vec<[f64; 2]> {
    let about = |[i, j]: [i32; 2]| (-1..=1).flat_map(move |a| (-1..=1).map(move |b| [i + a, j + b]));
    let has_company = |own: &&[i32; 2]| about(**own).filter(|next| cells.contains(next)).count() > 2;
    let mut marks: Vec<[i32; 2]> = cells.iter().filter(has_company).copied().collect();
    marks.sort_unstable();
    marks.into_iter().map(|own| own.map(|c| (f64::from(c) + 0.5) * CELL_MM)).collect()
}

fn cell(place: &Point) -> [i32; 2] {
    [place.x, place.y].map(|c| (c / CELL_MM).floor() as i32)
}

/// Points that lie as deep as the bottom of a slot.
fn sunk(drawing: &Drawing, on_plate: &[Point]) -> Vec<Point> {
    let depths = -1.5 * drawing.depth_mm..-0.5 * drawing.depth_mm;
    on_plate.iter().filter(|place| depths.contains(&place.z)).copied().collect()
}

/// Points of the plate that are darker than what is around them.
fn dark(cloud: &Cloud, on_plate: &[Point]) -> Vec<Point> {
    let coarse = |place: &Point| [place.x, place.y].map(|c| (c / LIGHT_CELL_MM).floor() as i32);
    let mut lights: HashMap<[i32; 2], Vec<f32>> = HashMap::new();
    let greys = || on_plate.iter().zip(&cloud.intensity).filter(|(place, _)| place.z.abs() < OFF_MM);
    greys().for_each(|(place, &grey)| lights.entry(coarse(place)).or_default().push(grey));
    let bright = |mut greys: Vec<f32>| {
        let at = (greys.len() * 9 / 10).min(greys.len() - 1);
        f64::from(*greys.select_nth_unstable_by(at, f32::total_cmp).1)
    };
    let lights: HashMap<[i32; 2], f64> = lights.into_iter().map(|(cell, greys)| (cell, bright(greys))).collect();
    let is_dark =
        |place: &Point, grey: f32| lights.get(&coarse(place)).is_some_and(|light| f64::from(grey) < DARK * light);
    greys().filter(|(place, grey)| is_dark(place, **grey)).map(|(place, _)| *place).collect()
}

/// The direction of one mark, the other being square to it, and where both cross.
fn cross(marks: &[[f64; 2]], half_width_mm: f64) -> (f64, [f64; 2]) {
    // Where marks run along a direction, they pile up across it.
    let along = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        move |&[u, v]: &[f64; 2]| u * cos + v * sin
    };
    let piled = |angle: f64| {
        let mut counts: HashMap<i32, u64> = HashMap::new();
        let seen = along(angle);
        marks.iter().for_each(|mark| *counts.entry((seen(mark) / CELL_MM).floor() as i32).or_default() += 1);
        counts.values().map(|count| count * count).sum::<u64>()
    };
    let quarter = std::f64::consts::FRAC_PI_2;
    let angles = (0..DIRECTIONS).map(|k| k as f64 / DIRECTIONS as f64 * quarter);
    let angle = angles.max_by_key(|&angle| piled(angle) + piled(angle + quarter)).unwrap_or_default();
    let window = (2.0 * half_width_mm).max(2.0 * CELL_MM);
    let middle = |angle: f64| {
        let mut seen: Vec<f64> = marks.iter().map(along(angle)).collect();
        seen.sort_by(f64::total_cmp);
        let held = |&i: &usize| seen.partition_point(|own| *own <= seen[i] + window) - i;
        let first = (0..seen.len()).max_by_key(held).unwrap_or_default();
        let inside = &seen[first..first + held(&first)];
        inside.iter().sum::<f64>() / inside.len() as f64
    };
    let ((sin, cos), p, q) = (angle.sin_cos(), middle(angle), middle(angle + quarter));
    (angle, [p * cos - q * sin, p * sin + q * cos])
}
