//! Finds the frustum in a whole snapshot: the top by the normals that most others lie about, the flanks by which way
//! they look. Turned by half it is the same: X is taken to look the way that the sensor's does, as it is mounted where its
//! X follows the machine's.

use super::super::drawn::Drawn;
use super::super::looking::{self, Sample};
use super::super::{Artefact, Measured};
use super::{BASE, Drawing, FLANK_DEG, FRUSTUM, TOP};
use base::{Progress, Result, UserError};
use geometry::{Cloud, Point, Subset, Vector};

/// Cells of the sample, mm.
const CELL_MM: f64 = 1.0;
/// How far normals are off, degrees.
const OFF_DEG: f64 = 7.0;
/// How far from the drawing a point of the artefact may lie, mm.
const OFF_MM: f64 = 0.6;
/// Regions keep so far from edges, mm.
const MARGIN_MM: f64 = 1.0;
/// Normals that are tried as the top's.
const TRIED: usize = 300;

fn not_recognised(why: &str) -> UserError {
    looking::not_recognised(FRUSTUM.name, why)
}

/// The points of each region.
pub fn find(cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
    let points = &cloud.points;
    let sample = Sample::of(FRUSTUM.name, points, CELL_MM, &progress.part(0.0, 0.4))?;
    progress.report(0.4, "Naming the regions")?;
    let up = top(&sample)?;
    let faces = faces(&sample, &up)?;
    let measured = Measured { clip_sigmas: Some(3.0), ..Measured::default() };
    let rough = FRUSTUM.frame(&faces, &measured, &progress.part(0.4, 0.5))?.device_from_artefact;
    let on_it = sample.points.iter().filter(|point| is_near(&rough.inverse_transform_point(point))).count();
    if on_it * 2 < sample.points.len() {
        return Err(not_recognised(&format!("only {} % of the points lie on it", 100 * on_it / sample.points.len())));
    }
    let region_at = |place: &Point| Drawing.region_at(place, MARGIN_MM).filter(|_| is_near(place));
    looking::named_twice(&FRUSTUM, points, &rough, &region_at, &progress.part(0.5, 0.9))
}

fn is_near(place: &Point) -> bool {
    (0..2).all(|k| place[k].abs() < BASE[k] + OFF_MM) && (place.z - Drawing::height_mm(place.x, place.y)).abs() < OFF_MM
}

fn angle_deg(one: &Vector, other: &Vector) -> f64 {
    one.dot(other).clamp(-1.0, 1.0).acos().to_degrees()
}

/// Out of the top: the normal that most others agree with, or lean from by as much as flanks do.
fn top(sample: &Sample) -> Result<Vector> {
    let belongs = |angle: f64| angle < OFF_DEG || (angle - FLANK_DEG).abs() < OFF_DEG;
    let count = |up: &Vector| sample.normals.iter().filter(|normal| belongs(angle_deg(normal, up))).count();
    let tried = sample.normals.iter().step_by(sample.normals.len().div_ceil(TRIED));
    let best = tried.max_by_key(|up| count(up)).ok_or_else(|| not_recognised("there are too few points"))?;
    let alike = sample.normals.iter().filter(|normal| angle_deg(normal, best) < OFF_DEG);
    Ok(alike.sum::<Vector>().normalize())
}

/// The points of the sample on each face.
fn faces(sample: &Sample, up: &Vector) -> Result<[Vec<Point>; 5]> {
    let leans = |normal: &Vector| (angle_deg(normal, up) - FLANK_DEG).abs() < OFF_DEG;
    let along = |normal: &Vector| (normal - up * normal.dot(up)).normalize();
    let looks = sample.normals.iter().filter(|normal| leans(normal)).map(along);
    let [a, b] = looking::square_ways(looks, up).ok_or_else(|| not_recognised("it has no flanks"))?;
    let on_top: Vec<&Point> = (sample.points.iter().zip(&sample.normals))
        .filter(|(_, normal)| angle_deg(normal, up) < OFF_DEG)
        .map(|(point, _)| point)
        .collect();
    let spread = |axis: &Vector| {
        let places = || on_top.iter().map(|point| point.coords.dot(axis));
        places().fold(f64::MIN, f64::max) - places().fold(f64::MAX, f64::min)
    };
    // The top is longer along Y.
    let long = if (spread(&a) > spread(&b)) == (TOP[0] > TOP[1]) { b } else { a };
    let across = long.cross(up);
    let (x, y) = if across.x < 0.0 { (-across, -long) } else { (across, long) };
    let sides = [*up, -x, x, y, -y];
    let mut faces: [Vec<Point>; 5] = Default::default();
    for (point, normal) in sample.points.iter().zip(&sample.normals) {
        let face = if angle_deg(normal, up) < OFF_DEG {
            Some(0)
        } else {
            (1..5).find(|&face| leans(normal) && along(normal).dot(&sides[face]) > 0.9)
        };
        faces.iter_mut().enumerate().filter(|(own, _)| Some(*own) == face).for_each(|(_, own)| own.push(*point));
    }
    Ok(faces)
}
