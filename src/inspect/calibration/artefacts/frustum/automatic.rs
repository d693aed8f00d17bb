//! Recognises the frustum in a whole snapshot: the top by the direction that agrees with most normals, the flanks by
//! their directions. The frustum is symmetric under rotation by 180°: its X is taken to point in the direction of the
//! sensor's X, as a sensor is mounted with its X along that of the CMM.

use super::super::drawn::Drawn;
use super::super::recognition::{self, Sample};
use super::super::{Artefact, Measured};
use super::{BASE_HALF_MM, Drawing, FLANK_DEG, FRUSTUM, TOP_HALF_MM};
use base::{Progress, Result, UserError};
use geometry::{Cloud, Point, Subset, Vector};

/// Cell size of the sample, mm.
const CELL_MM: f64 = 1.0;
/// Tolerance of normals, degrees.
const MAX_ANGLE_DEG: f64 = 7.0;
/// Maximum distance of a point of the artefact from the drawing, mm.
const MAX_DISTANCE_MM: f64 = 0.6;
/// Clearance of regions from edges, mm.
const MARGIN_MM: f64 = 1.0;
/// Number of normals that are tried as the top's.
const CANDIDATE_NORMALS: usize = 300;

fn not_recognised(why: &str) -> UserError {
    recognition::not_recognised(FRUSTUM.name, why)
}

/// Point indices of each region.
pub fn find(cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
    let points = &cloud.points;
    let sample = Sample::of(FRUSTUM.name, points, CELL_MM, &progress.part(0.0, 0.4))?;
    progress.report(0.4, "Naming the regions")?;
    let up = top(&sample)?;
    let face_points = faces(&sample, &up)?;
    let measured = Measured { clip_sigmas: Some(3.0), ..Measured::default() };
    let rough_pose = FRUSTUM.frame(&face_points, &measured, &progress.part(0.4, 0.5))?.device_from_artefact;
    let matching = sample.points.iter().filter(|point| is_near(&rough_pose.inverse_transform_point(point))).count();
    if matching * 2 < sample.points.len() {
        return Err(not_recognised(&format!(
            "only {} % of the points match its drawing",
            100 * matching / sample.points.len()
        )));
    }
    let region_at = |point: &Point| Drawing.region_at(point, MARGIN_MM).filter(|_| is_near(point));
    recognition::assign_regions_refined(&FRUSTUM, points, &rough_pose, &region_at, &progress.part(0.5, 0.9))
}

fn is_near(point: &Point) -> bool {
    (0..2).all(|k| point[k].abs() < BASE_HALF_MM[k] + MAX_DISTANCE_MM)
        && (point.z - Drawing::height_mm(point.x, point.y)).abs() < MAX_DISTANCE_MM
}

fn angle_deg(one: &Vector, other: &Vector) -> f64 {
    one.dot(other).clamp(-1.0, 1.0).acos().to_degrees()
}

/// Outward normal of the top: the direction that most normals are parallel to, or inclined to by the slope of the
/// flanks.
fn top(sample: &Sample) -> Result<Vector> {
    let is_face_angle = |angle: f64| angle < MAX_ANGLE_DEG || (angle - FLANK_DEG).abs() < MAX_ANGLE_DEG;
    let count = |up: &Vector| sample.normals.iter().filter(|normal| is_face_angle(angle_deg(normal, up))).count();
    let candidates = sample.normals.iter().step_by(sample.normals.len().div_ceil(CANDIDATE_NORMALS));
    let best = candidates.max_by_key(|up| count(up)).ok_or_else(|| not_recognised("there are too few points"))?;
    let parallel = sample.normals.iter().filter(|normal| angle_deg(normal, best) < MAX_ANGLE_DEG);
    Ok(parallel.sum::<Vector>().normalize())
}

/// The points of the sample on each face.
fn faces(sample: &Sample, up: &Vector) -> Result<[Vec<Point>; 5]> {
    let is_flank = |normal: &Vector| (angle_deg(normal, up) - FLANK_DEG).abs() < MAX_ANGLE_DEG;
    let direction = |normal: &Vector| (normal - up * normal.dot(up)).normalize();
    let directions = sample.normals.iter().filter(|normal| is_flank(normal)).map(direction);
    let [a, b] =
        recognition::perpendicular_directions(directions, up).ok_or_else(|| not_recognised("it has no flanks"))?;
    let on_top: Vec<&Point> = (sample.points.iter().zip(&sample.normals))
        .filter(|(_, normal)| angle_deg(normal, up) < MAX_ANGLE_DEG)
        .map(|(point, _)| point)
        .collect();
    let extent = |axis: &Vector| {
        let positions = || on_top.iter().map(|point| point.coords.dot(axis));
        positions().fold(f64::MIN, f64::max) - positions().fold(f64::MAX, f64::min)
    };
    // The top is longer along Y.
    let long = if (extent(&a) > extent(&b)) == (TOP_HALF_MM[0] > TOP_HALF_MM[1]) { b } else { a };
    let across = long.cross(up);
    let (x, y) = if across.x < 0.0 { (-across, -long) } else { (across, long) };
    let sides = [*up, -x, x, y, -y];
    let mut faces: [Vec<Point>; 5] = Default::default();
    for (point, normal) in sample.points.iter().zip(&sample.normals) {
        let face = if angle_deg(normal, up) < MAX_ANGLE_DEG {
            Some(0)
        } else {
            (1..5).find(|&face| is_flank(normal) && direction(normal).dot(&sides[face]) > 0.9)
        };
        faces.iter_mut().enumerate().filter(|(own, _)| Some(*own) == face).for_each(|(_, own)| own.push(*point));
    }
    Ok(faces)
}
