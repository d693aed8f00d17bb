//! Recognises spheres in a whole snapshot. A single sphere is the one that most points lie on. Of three spheres, the
//! points above the plate are split into connected pieces and a sphere is fitted to each; the distances between centres
//! tell which sphere is which.

use std::collections::HashMap;

use super::super::recognition;
use super::{Drawing, THREE_SPHERES};
use crate::features::{Kind, Options, Shape, fit};
use base::{Progress, Result, UserError};
use geometry::{Cloud, Point, Subset, thinning};

/// Cell size of the sample, mm. Points in the same or in neighbouring cells of twice this size belong to one piece.
const CELL_MM: f64 = 1.5;
/// Minimum share of the sample on a plane for it to be the plate.
const MIN_PLATE_SHARE: f64 = 0.4;
/// Points within this distance of a surface belong to it, mm.
const ON_SURFACE_MM: f64 = 1.0;
/// Minimum number of sample points of a sphere.
const MIN_SPHERE_POINTS: usize = 60;
/// Tolerance of centre distances and radii, mm.
const TOLERANCE_MM: f64 = 1.5;
/// Margin by which any other choice of spheres must deviate more, mm.
const MARGIN_MM: f64 = 0.3;

fn not_recognised(why: &str) -> UserError {
    recognition::not_recognised(THREE_SPHERES.name, why)
}

/// Point indices of the sphere that most points lie on.
pub fn one(cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
    let options = Options { robust: true, clip_sigmas: Some(4.0), ..Options::default() };
    let sphere = fit(Kind::Sphere, &cloud.points, &[], &options, progress)?;
    Ok(vec![Subset::new(sphere.dropped).inverted(cloud.points.len())])
}

/// Point indices of each of three spheres.
pub fn three(drawing: &Drawing, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
    progress.report(0.0, "Looking for the spheres")?;
    let sampled = thinning::one_per_dense_cell(&cloud.points, CELL_MM);
    let sample: Vec<Point> = sampled.iter().map(|&index| cloud.points[index as usize]).collect();
    if sample.len() < 3 * MIN_SPHERE_POINTS {
        return Err(not_recognised("there are too few points"));
    }
    let options = Options { robust: true, clip_sigmas: Some(4.0), ..Options::default() };
    let above = match fit(Kind::Plane, &sample, &[], &options, &progress.part(0.0, 0.3)) {
        Ok(plate) if plate.used as f64 > MIN_PLATE_SHARE * sample.len() as f64 => {
            sample.iter().filter(|point| plate.shape.distance(point).abs() > ON_SURFACE_MM).copied().collect()
        }
        _ => sample,
    };
    let mut found: Vec<(Point, f64)> = Vec::new();
    for piece in pieces(&above).iter().filter(|piece| piece.len() >= MIN_SPHERE_POINTS) {
        let sphere = fit(Kind::Sphere, piece, &[], &options, &progress.part(0.3, 0.8));
        if let Ok(Shape::Sphere { centre, radius }) = sphere.map(|sphere| sphere.shape)
            && (radius - drawing.radius_mm).abs() < TOLERANCE_MM
        {
            found.push((centre, radius));
        }
    }
    let [a, b, c] = identify(drawing, &found)?;
    let points_on = |&(centre, radius): &(Point, f64)| {
        let is_on = |(_, point): &(u32, &Point)| ((*point - centre).norm() - radius).abs() < ON_SURFACE_MM;
        Subset::new((0..).zip(&cloud.points).filter(is_on).map(|(index, _)| index).collect())
    };
    Ok([a, b, c].map(|which| points_on(&found[which])).into())
}

/// Splits points into pieces that are connected over neighbouring cells.
fn pieces(points: &[Point]) -> Vec<Vec<Point>> {
    let cell = |point: &Point| -> [i32; 3] { point.coords.map(|c| (c / (2.0 * CELL_MM)).floor() as i32).into() };
    let mut cells: HashMap<[i32; 3], Vec<Point>> = HashMap::new();
    points.iter().for_each(|point| cells.entry(cell(point)).or_default().push(*point));
    let mut starts: Vec<[i32; 3]> = cells.keys().copied().collect();
    starts.sort_unstable();
    let mut pieces = Vec::new();
    for start in starts {
        let (mut piece, mut queue) = (Vec::new(), vec![start]);
        while let Some([x, y, z]) = queue.pop() {
            let Some(cell_points) = cells.remove(&[x, y, z]) else { continue };
            piece.extend(cell_points);
            let offsets = || -1..=1;
            queue.extend(
                offsets().flat_map(|i| offsets().flat_map(move |j| offsets().map(move |k| [x + i, y + j, z + k]))),
            );
        }
        pieces.push(piece);
    }
    pieces
}

/// Indices of the spheres A, B and C: by the distances between centres, and C on the side of X as seen from above.
fn identify(drawing: &Drawing, found: &[(Point, f64)]) -> Result<[usize; 3]> {
    let nominal_distance = |i: usize, j: usize| (drawing.centre(i) - drawing.centre(j)).norm();
    let count = || 0..found.len();
    let triples = count().flat_map(|a| count().flat_map(move |b| count().map(move |c| [a, b, c])));
    let distinct = triples.filter(|[a, b, c]| a != b && b != c && c != a);
    let max_error = |which: &[usize; 3]| {
        let error = |i: usize, j: usize| (found[which[i]].0 - found[which[j]].0).norm() - nominal_distance(i, j);
        [error(0, 1), error(1, 2), error(2, 0)].iter().fold(0.0, |max: f64, error| max.max(error.abs()))
    };
    let is_seen_from_above = |&[a, b, c]: &[usize; 3]| {
        let [a, b, c] = [a, b, c].map(|which| found[which].0);
        // The sensor is at the origin.
        (c - a).cross(&(b - a)).dot(&a.coords) < 0.0
    };
    let fitting: Vec<[usize; 3]> = distinct.filter(|which| max_error(which) < TOLERANCE_MM).collect();
    let mut seen: Vec<[usize; 3]> = fitting.iter().filter(|which| is_seen_from_above(which)).copied().collect();
    seen.sort_by(|a, b| max_error(a).total_cmp(&max_error(b)));
    if let [first, second, ..] = seen[..]
        && max_error(&second) - max_error(&first) < MARGIN_MM
    {
        return Err(not_recognised("two choices of three spheres fit about equally well"));
    }
    seen.first().copied().ok_or_else(|| {
        if fitting.is_empty() {
            return not_recognised(&format!(
                "{} spheres of its size were found, but not three in the arrangement of the drawing",
                found.len()
            ));
        }
        UserError::input(
            "The snapshot shows the mirror image of the spheres: the sensor's frame has the other handedness than \
             stated.",
        )
    })
}
