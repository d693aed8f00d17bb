//! Finds spheres in a whole snapshot. One is what most points lie on. Three: what stands above the plate, in pieces, each with the sphere through it; and
//! which is which by their distances.

use std::collections::HashMap;

use super::super::looking;
use super::{Drawing, THREE_SPHERES};
use crate::features::{Kind, Options, Shape, fit};
use base::{Progress, Result, UserError};
use geometry::{Cloud, Point, Subset, thinning};

/// Cells of the sample, mm; pieces farther apart than one are two.
const CELL_MM: f64 = 1.5;
/// Share of the sample that a plane holds to be the plate.
const PLATE: f64 = 0.4;
/// What lies this near to the plate belongs to it, mm.
const ON_PLATE_MM: f64 = 1.0;
/// Points of a sphere in the sample.
const LEAST: usize = 60;
/// How far distances of centres and radii may be off, mm.
const OFF_MM: f64 = 1.5;
/// By how much another choice of spheres must be off more, mm.
const MARGIN_MM: f64 = 0.3;

fn not_recognised(why: &str) -> UserError {
    looking::not_recognised(THREE_SPHERES.name, why)
}

/// The points of the sphere that most lie on.
pub fn one(cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
    let options = Options { robust: true, clip_sigmas: Some(4.0), ..Options::default() };
    let found = fit(Kind::Sphere, &cloud.points, &[], &options, progress)?;
    Ok(vec![Subset::new(found.dropped).inverted(cloud.points.len())])
}

/// The points of each of three spheres.
pub fn three(drawing: &Drawing, cloud: &Cloud, progress: &Progress) -> Result<Vec<Subset>> {
    progress.report(0.0, "Looking for the spheres")?;
    let kept = thinning::one_per_dense_cell(&cloud.points, CELL_MM);
    let sample: Vec<Point> = kept.iter().map(|&number| cloud.points[number as usize]).collect();
    if sample.len() < 3 * LEAST {
        return Err(not_recognised("there are too few points"));
    }
    let options = Options { robust: true, clip_sigmas: Some(4.0), ..Options::default() };
    let above = match fit(Kind::Plane, &sample, &[], &options, &progress.part(0.0, 0.3)) {
        Ok(plate) if plate.used as f64 > PLATE * sample.len() as f64 => {
            sample.iter().filter(|point| plate.shape.distance(point).abs() > ON_PLATE_MM).copied().collect()
        }
        _ => sample,
    };
    let mut found: Vec<(Point, f64)> = Vec::new();
    for piece in pieces(&above).iter().filter(|piece| piece.len() >= LEAST) {
        let sphere = fit(Kind::Sphere, piece, &[], &options, &progress.part(0.3, 0.8));
        if let Ok(Shape::Sphere { centre, radius }) = sphere.map(|sphere| sphere.shape)
            && (radius - drawing.radius_mm).abs() < OFF_MM
        {
            found.push((centre, radius));
        }
    }
    let [a, b, c] = named(drawing, &found)?;
    let near = |&(centre, radius): &(Point, f64)| {
        let is_near = |(_, point): &(u32, &Point)| ((*point - centre).norm() - radius).abs() < ON_PLATE_MM;
        Subset::new((0..).zip(&cloud.points).filter(is_near).map(|(number, _)| number).collect())
    };
    Ok([a, b, c].map(|which| near(&found[which])).into())
}

/// Points in pieces that hang together over neighbouring cells.
fn pieces(points: &[Point]) -> Vec<Vec<Point>> {
    let cell = |point: &Point| -> [i32; 3] { point.coords.map(|c| (c / (2.0 * CELL_MM)).floor() as i32).into() };
    let mut left: HashMap<[i32; 3], Vec<Point>> = HashMap::new();
    points.iter().for_each(|point| left.entry(cell(point)).or_default().push(*point));
    let mut starts: Vec<[i32; 3]> = left.keys().copied().collect();
    starts.sort_unstable();
    let mut pieces = Vec::new();
    for start in starts {
        let (mut piece, mut open) = (Vec::new(), vec![start]);
        while let Some([x, y, z]) = open.pop() {
            let Some(own) = left.remove(&[x, y, z]) else { continue };
            piece.extend(own);
            let steps = || -1..=1;
            open.extend(steps().flat_map(|i| steps().flat_map(move |j| steps().map(move |k| [x + i, y + j, z + k]))));
        }
        pieces.push(piece);
    }
    pieces
}

/// Which of the spheres is A, B and C: by their distances, and C on the side of X, seen from above.
fn named(drawing: &Drawing, found: &[(Point, f64)]) -> Result<[usize; 3]> {
    let drawn = |i: usize, j: usize| (drawing.centre(i) - drawing.centre(j)).norm();
    let count = || 0..found.len();
    let triples = count().flat_map(|a| count().flat_map(move |b| count().map(move |c| [a, b, c])));
    let distinct = triples.filter(|[a, b, c]| a != b && b != c && c != a);
    let off = |which: &[usize; 3]| {
        let apart = |i: usize, j: usize| (found[which[i]].0 - found[which[j]].0).norm() - drawn(i, j);
        [apart(0, 1), apart(1, 2), apart(2, 0)].iter().fold(0.0, |most: f64, own| most.max(own.abs()))
    };
    let is_seen_from_above = |&[a, b, c]: &[usize; 3]| {
        let [a, b, c] = [a, b, c].map(|which| found[which].0);
        // The sensor is at the origin.
        (c - a).cross(&(b - a)).dot(&a.coords) < 0.0
    };
    let fitting: Vec<[usize; 3]> = distinct.filter(|which| off(which) < OFF_MM).collect();
    let mut seen: Vec<[usize; 3]> = fitting.iter().filter(|which| is_seen_from_above(which)).copied().collect();
    seen.sort_by(|a, b| off(a).total_cmp(&off(b)));
    if let [first, second, ..] = seen[..]
        && off(&second) - off(&first) < MARGIN_MM
    {
        return Err(not_recognised("two choices of three spheres fit, and neither clearly better"));
    }
    seen.first().copied().ok_or_else(|| {
        if fitting.is_empty() {
            return not_recognised(&format!(
                "{} spheres of its size were found, not three as they are drawn",
                found.len()
            ));
        }
        UserError::input(
            "The spheres appear as their mirror image: the sensor's frame is of the other handedness than was said.",
        )
    })
}
