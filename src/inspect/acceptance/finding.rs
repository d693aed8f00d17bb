//! Finds the two spheres of a ball bar in a scan that may include other objects.
//!
//! Candidates are spheres of the known radius through three points drawn at random near each other, scored by the
//! number of points on them minus the number inside (random sample consensus; Fischler and Bolles 1981). Draws are
//! numbered, so that the same scan gives the same spheres.

use rayon::prelude::*;
use serde::Serialize;

use crate::features::{Kind, Options, Shape, fit};
use base::{Progress, Result, UserError, random::Random};
use geometry::{KdTree, Point, Vector, jacobi, thinning};

/// A sphere found in a scan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundSphere {
    /// Centre, mm.
    pub centre: Point,
    /// Radius of the sphere fitted to its points, mm.
    pub radius_mm: f64,
    /// Indices of its points, in ascending order.
    #[serde(rename = "numbers")]
    pub indices: Vec<u32>,
}

/// Candidates drawn for each sphere.
const DRAWS: u64 = 6000;
/// Draws between two progress reports.
const BATCH: u64 = 500;
/// Cell size of the thinned points used in the search, in radii.
const CELL_RADII: f64 = 0.125;
/// Maximum distance of points drawn together, in radii: most are then on one sphere, if there is one.
const DRAW_RADII: f64 = 1.2;
/// Minimum score: points on a sphere minus points inside.
const MIN_SCORE: usize = 30;
/// Minimum second moment, along every axis, of the directions from the centre to a sphere's points. A ring around a bar
/// stays below it, as does the spot where a sphere touches a plane; a cap with a half angle of 26° just reaches it.
const MIN_SPREAD: f64 = 0.05;
/// Minimum distance between the centres of the two spheres, in radii: they do not touch.
const MIN_SEPARATION_RADII: f64 = 2.0;
/// Maximum number of iterations of fitting a sphere and selecting its points.
const MAX_ITERATIONS: usize = 5;

/// Finds two spheres of the given radius. Points within `tolerance_mm` of a sphere are taken as its own: some standard
/// deviations of the scan's noise. The sphere with the smaller x comes first (then y, then z).
///
/// Returns an error if fewer than two are found, or if radius or tolerance is out of range.
pub fn two_spheres(
    points: &[Point],
    radius_mm: f64,
    tolerance_mm: f64,
    progress: &Progress,
) -> Result<[FoundSphere; 2]> {
    if !(radius_mm > 0.0 && radius_mm < 1e6 && tolerance_mm > 0.0 && tolerance_mm < 0.2 * radius_mm) {
        return Err(UserError::usage(format!(
            "Spheres need a radius above 0 and a tolerance above 0 and below a fifth of the radius, not {radius_mm} \
             and {tolerance_mm} mm."
        )));
    }
    if !points.iter().all(|point| point.coords.iter().all(|value| value.abs() < 1e9)) {
        return Err(UserError::input("A coordinate is not a finite number; clean the scan first."));
    }
    let sparse =
        thinning::one_per_cell(points, CELL_RADII * radius_mm).into_iter().map(|i| points[i as usize]).collect();
    let mut search = Search { points: sparse, radius_mm, tolerance_mm, first: None };
    let mut find = |index: u8| -> Result<FoundSphere> {
        let part = progress.part(0.5 * f32::from(index), 0.5 * f32::from(index + 1));
        let found = search.best(&part)?.and_then(|centre| search.refine(centre, points, &part.part(1.0, 1.0)));
        let found = found.ok_or_else(|| {
            UserError::input(format!(
                "{} of radius {radius_mm} mm was found in the scan; check the radius, and that both spheres are in \
                 view.",
                if index == 0 { "No sphere" } else { "Only one sphere" }
            ))
        })?;
        search.exclude(found.centre);
        Ok(found)
    };
    let mut spheres = [find(0)?, find(1)?];
    let centre = |sphere: &FoundSphere| [sphere.centre.x, sphere.centre.y, sphere.centre.z];
    spheres.sort_by(|a, b| centre(a).partial_cmp(&centre(b)).unwrap_or(std::cmp::Ordering::Equal));
    Ok(spheres)
}

struct Search {
    /// Uniformly thinned, so that all parts of a sphere are drawn with equal probability.
    points: Vec<Point>,
    radius_mm: f64,
    tolerance_mm: f64,
    /// Centre of the sphere found first.
    first: Option<Point>,
}

/// Score of a candidate, the best being the largest: points on it minus points inside, then the earlier draw.
type Score = (i64, std::cmp::Reverse<u64>);

impl Search {
    /// Removes the points of a sphere that was found.
    fn exclude(&mut self, centre: Point) {
        let reach = self.radius_mm + 3.0 * self.tolerance_mm;
        self.points.retain(|point| (point - centre).norm() > reach);
        self.first = Some(centre);
    }

    /// Centre of the candidate with the highest score.
    fn best(&self, progress: &Progress) -> Result<Option<Point>> {
        if self.points.len() < MIN_SCORE {
            return Ok(None);
        }
        let tree = KdTree::new(&self.points);
        let mut best: Option<(Score, Point)> = None;
        for batch in 0..DRAWS / BATCH {
            progress.report(batch as f32 / (DRAWS / BATCH) as f32, "Looking for spheres")?;
            let found = (batch * BATCH..(batch + 1) * BATCH)
                .into_par_iter()
                .flat_map_iter(|draw| self.candidates(draw, &tree).into_iter().map(move |centre| (draw, centre)))
                .filter_map(|(draw, centre)| Some(((self.score(&centre, &tree)?, std::cmp::Reverse(draw)), centre)))
                .max_by(|a, b| a.0.cmp(&b.0).then(a.1.x.total_cmp(&b.1.x)));
            best = best.into_iter().chain(found).max_by(|a, b| a.0.cmp(&b.0));
        }
        Ok(best.map(|(_, centre)| centre))
    }

    /// Both spheres of the known radius through three points near each other.
    fn candidates(&self, draw: u64, tree: &KdTree) -> Vec<Point> {
        let mut random = Random::new(0xBA11, draw);
        let a = self.points[random.index(self.points.len())];
        let mut near = Vec::new();
        tree.within_radius(&a, DRAW_RADII * self.radius_mm, |own| near.push(own.number));
        let mut other = || self.points[near[random.index(near.len())] as usize];
        let (b, c) = (other(), other());
        let (u, v) = (b - a, c - a);
        let normal = u.cross(&v);
        let doubled = 2.0 * normal.norm_squared();
        if !(doubled > 0.0) {
            return Vec::new();
        }
        let to_circumcentre = (v.cross(&normal) * u.norm_squared() + normal.cross(&u) * v.norm_squared()) / doubled;
        let above = self.radius_mm * self.radius_mm - to_circumcentre.norm_squared();
        if !(above > 0.0) {
            return Vec::new();
        }
        let up = normal * (above / normal.norm_squared()).sqrt();
        vec![a + to_circumcentre + up, a + to_circumcentre - up]
    }

    /// Points on the sphere minus points inside; `None` if it cannot be one of the spheres.
    fn score(&self, centre: &Point, tree: &KdTree) -> Option<i64> {
        if self.first.is_some_and(|first| (centre - first).norm() < MIN_SEPARATION_RADII * self.radius_mm) {
            return None;
        }
        let (mut on, mut inside, mut moment) = (0_i64, 0_i64, [0.0; 6]);
        tree.within_radius(centre, self.radius_mm + self.tolerance_mm, |own| {
            let distance = own.squared_mm2.sqrt();
            if distance >= self.radius_mm - self.tolerance_mm {
                on += 1;
                let products = jacobi::products(&((self.points[own.number as usize] - centre) / distance));
                moment.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
            } else if distance < self.radius_mm - 3.0 * self.tolerance_mm {
                inside += 1;
            }
        });
        let spread = jacobi::eigen(&moment).0[0] / on.max(1) as f64;
        (on - inside >= MIN_SCORE as i64 && spread >= MIN_SPREAD).then_some(on - inside)
    }

    /// Fits a sphere to all points on a candidate; `None` if the fit deviates from the known radius or moves too far.
    fn refine(&self, start: Point, points: &[Point], progress: &Progress) -> Option<FoundSphere> {
        let (mut centre, mut radius_mm) = (start, self.radius_mm);
        let mut indices: Vec<u32> = Vec::new();
        for _ in 0..MAX_ITERATIONS {
            let is_on = |point: &Point| ((point - centre).norm() - radius_mm).abs() <= self.tolerance_mm;
            let next: Vec<u32> = (0..).zip(points).filter(|(_, point)| is_on(point)).map(|(i, _)| i).collect();
            if next == indices {
                break;
            }
            indices = next;
            let own: Vec<Point> = indices.iter().map(|&index| points[index as usize]).collect();
            let options = Options {
                start: Some(Shape::Sphere { centre, radius: radius_mm }),
                clip_sigmas: Some(4.0),
                ..Options::default()
            };
            let Shape::Sphere { centre: found, radius } = fit(Kind::Sphere, &own, &[], &options, progress).ok()?.shape
            else {
                return None;
            };
            let moved: Vector = found - start;
            if (radius - self.radius_mm).abs() > self.tolerance_mm || moved.norm() > 0.5 * self.radius_mm {
                return None;
            }
            (centre, radius_mm) = (found, radius);
        }
        Some(FoundSphere { centre, radius_mm, indices })
    }
}
