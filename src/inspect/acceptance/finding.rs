//! The two balls of a ball bar, found in a scan of it and whatever stands about.
//!
//! Spheres of the known radius through three points drawn at random near each other, judged by how many points lie on
//! them and how few inside (random sample consensus; Fischler and Bolles 1981). Draws are numbered, so that the same
//! scan gives the same balls.

use rayon::prelude::*;
use serde::Serialize;

use crate::features::{Kind, Options, Shape, fit};
use base::{Progress, Result, UserError, random::Random};
use geometry::{KdTree, Point, Vector, jacobi, thinning};

/// A ball that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundSphere {
    /// Its middle, mm.
    pub centre: Point,
    /// Radius of the sphere fitted to its points, mm.
    pub radius_mm: f64,
    /// Numbers of its points, in ascending order.
    pub numbers: Vec<u32>,
}

/// Spheres drawn for each ball.
const DRAWS: u64 = 6000;
/// Draws between two reports of progress.
const BATCH: u64 = 500;
/// Size of the cells, in radii, of which each keeps one point for the search.
const CELL: f64 = 0.125;
/// Points drawn together are this near, in radii: most are then of one ball, if one is.
const NEAR: f64 = 1.2;
/// Points on a ball that a search needs.
const LEAST_ON: usize = 30;
/// Least second moment, along every axis, of the directions in which a ball's points lie. A ring about a bar stays
/// below it, as does the spot where a sphere touches a plane; a cap of half-angle 26° just reaches it.
const LEAST_SPREAD: f64 = 0.05;
/// Balls of one bar do not touch: least distance of their middles, in radii.
const LEAST_APART: f64 = 2.0;
/// Fits of a ball to the points that lie on it, again and again.
const ROUNDS: usize = 5;

/// Finds two balls of that radius. Points within `tolerance_mm` of a ball are taken as its own: some standard
/// deviations of the scan's noise. The ball of lesser x stands first (then y, then z).
///
/// Fails with a sentence where fewer than two are in sight, or radius and tolerance make no sense.
pub fn two_spheres(
    points: &[Point],
    radius_mm: f64,
    tolerance_mm: f64,
    progress: &Progress,
) -> Result<[FoundSphere; 2]> {
    if !(radius_mm > 0.0 && radius_mm < 1e6 && tolerance_mm > 0.0 && tolerance_mm < 0.2 * radius_mm) {
        return Err(UserError::usage(format!(
            "Balls need a radius above 0 and a tolerance above 0 and below a fifth of it, not {radius_mm} and \
             {tolerance_mm} mm."
        )));
    }
    if !points.iter().all(|point| point.coords.iter().all(|value| value.abs() < 1e9)) {
        return Err(UserError::input("A coordinate is no finite number; clean the scan first."));
    }
    let sparse = thinning::one_per_cell(points, CELL * radius_mm).into_iter().map(|i| points[i as usize]).collect();
    let mut search = Search { points: sparse, radius_mm, tolerance_mm, first: None };
    let mut ball = |number: u8| -> Result<FoundSphere> {
        let part = progress.part(0.5 * f32::from(number), 0.5 * f32::from(number + 1));
        let found = search.best(&part)?.and_then(|centre| search.refined(centre, points, &part.part(1.0, 1.0)));
        let found = found.ok_or_else(|| {
            UserError::input(format!(
                "{} of radius {radius_mm} mm shows in the scan; check the radius, and that both balls are in sight.",
                if number == 0 { "No ball" } else { "Only one ball" }
            ))
        })?;
        search.leave_out(found.centre);
        Ok(found)
    };
    let mut balls = [ball(0)?, ball(1)?];
    let place = |ball: &FoundSphere| [ball.centre.x, ball.centre.y, ball.centre.z];
    balls.sort_by(|a, b| place(a).partial_cmp(&place(b)).unwrap_or(std::cmp::Ordering::Equal));
    Ok(balls)
}

struct Search {
    /// Of even density, so that all parts of a ball are drawn alike.
    points: Vec<Point>,
    radius_mm: f64,
    tolerance_mm: f64,
    first: Option<Point>,
}

/// How well a sphere does, best last: points on it less points inside, then the earlier draw.
type Score = (i64, std::cmp::Reverse<u64>);

impl Search {
    /// Takes the points of a ball that was found out of the search.
    fn leave_out(&mut self, centre: Point) {
        let reach = self.radius_mm + 3.0 * self.tolerance_mm;
        self.points.retain(|point| (point - centre).norm() > reach);
        self.first = Some(centre);
    }

    /// The middle of the sphere that most points lie on.
    fn best(&self, progress: &Progress) -> Result<Option<Point>> {
        if self.points.len() < LEAST_ON {
            return Ok(None);
        }
        let tree = KdTree::new(&self.points);
        let mut best: Option<(Score, Point)> = None;
        for batch in 0..DRAWS / BATCH {
            progress.report(batch as f32 / (DRAWS / BATCH) as f32, "Looking for balls")?;
            let found = (batch * BATCH..(batch + 1) * BATCH)
                .into_par_iter()
                .flat_map_iter(|draw| self.drawn(draw, &tree).into_iter().map(move |centre| (draw, centre)))
                .filter_map(|(draw, centre)| Some(((self.score(&centre, &tree)?, std::cmp::Reverse(draw)), centre)))
                .max_by(|a, b| a.0.cmp(&b.0).then(a.1.x.total_cmp(&b.1.x)));
            best = best.into_iter().chain(found).max_by(|a, b| a.0.cmp(&b.0));
        }
        Ok(best.map(|(_, centre)| centre))
    }

    /// Both spheres of the radius through three points near each other.
    fn drawn(&self, draw: u64, tree: &KdTree) -> Vec<Point> {
        let mut random = Random::new(0xBA11, draw);
        let a = self.points[random.index(self.points.len())];
        let mut near = Vec::new();
        tree.within_radius(&a, NEAR * self.radius_mm, |own| near.push(own.number));
        let mut other = || self.points[near[random.index(near.len())] as usize];
        let (b, c) = (other(), other());
        let (u, v) = (b - a, c - a);
        let normal = u.cross(&v);
        let doubled = 2.0 * normal.norm_squared();
        if !(doubled > 0.0) {
            return Vec::new();
        }
        let to_middle = (v.cross(&normal) * u.norm_squared() + normal.cross(&u) * v.norm_squared()) / doubled;
        let above = self.radius_mm * self.radius_mm - to_middle.norm_squared();
        if !(above > 0.0) {
            return Vec::new();
        }
        let up = normal * (above / normal.norm_squared()).sqrt();
        vec![a + to_middle + up, a + to_middle - up]
    }

    /// Points on the sphere less points inside; `None` where it cannot be a ball.
    fn score(&self, centre: &Point, tree: &KdTree) -> Option<i64> {
        if self.first.is_some_and(|first| (centre - first).norm() < LEAST_APART * self.radius_mm) {
            return None;
        }
        let (mut on, mut inside, mut moment) = (0_i64, 0_i64, [0.0; 6]);
        tree.within_radius(centre, self.radius_mm + self.tolerance_mm, |own| {
            let distance = own.squared_mm2.sqrt();
            if distance >= self.radius_mm - self.tolerance_mm {
                on += 1;
                let d = (self.points[own.number as usize] - centre) / distance;
                let products = [d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z];
                moment.iter_mut().zip(products).for_each(|(sum, product)| *sum += product);
            } else if distance < self.radius_mm - 3.0 * self.tolerance_mm {
                inside += 1;
            }
        });
        let spread = jacobi::eigen(&moment).0[0] / on.max(1) as f64;
        (on - inside >= LEAST_ON as i64 && spread >= LEAST_SPREAD).then_some(on - inside)
    }

    /// The ball with all its points, its sphere fitted to them; `None` where that has another radius.
    fn refined(&self, start: Point, points: &[Point], progress: &Progress) -> Option<FoundSphere> {
        let (mut centre, mut radius_mm) = (start, self.radius_mm);
        let mut numbers: Vec<u32> = Vec::new();
        for _ in 0..ROUNDS {
            let is_on = |point: &Point| ((point - centre).norm() - radius_mm).abs() <= self.tolerance_mm;
            let next: Vec<u32> = (0..).zip(points).filter(|(_, point)| is_on(point)).map(|(i, _)| i).collect();
            if next == numbers {
                break;
            }
            numbers = next;
            let own: Vec<Point> = numbers.iter().map(|&number| points[number as usize]).collect();
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
        Some(FoundSphere { centre, radius_mm, numbers })
    }
}
