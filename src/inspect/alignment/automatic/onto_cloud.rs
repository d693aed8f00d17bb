//! Automatic start of a scan on another point cloud: a square in the place of each point stands in for the surface.
//!
//! Normals of a cloud know no sign, so neither side of a square is outside, and the scan's normals count as of either
//! sign. Two clouds often lie in one frame already: where their files have them is tried as well.

use rayon::prelude::*;

use super::run;
use super::verification::DENSE_POINTS;
use crate::alignment::best_fit::{self, Parameters, Problem};
use crate::alignment::{Alignment, Alternative, Explained, Method, Rivals};
use crate::parts::PreparedScan;
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::registration::Target;
use geometry::kd_tree::Neighbours;
use geometry::{Cloud, KdTree, Mesh, OrderedPoints, Point, Pose, Surface, Vector};

/// Points of the nominal that squares stand for.
const SQUARES: usize = 20_000;
/// Half the side of a square over the distance between neighbouring points: squares overlap.
const HALF_SIDE: f64 = 0.75;
/// Squares are no larger than this share of the cloud: what stands alone is no surface.
const LARGEST: f64 = 0.01;
/// Where the files have the clouds is kept unless another pose explains so much more of the scan.
const CLEARLY: f64 = 0.02;
/// Poses turned by less are one.
const ONE_POSE_RAD: f64 = 0.05;

/// Finds the pose of `scan` on the cloud `nominal`, whose normals are `normals`.
pub fn on_cloud(nominal: &Cloud, normals: &[Vector], scan: &Cloud, progress: &Progress) -> Result<Alignment> {
    let surface = stand_in(nominal, normals);
    let bare = Cloud::from_points(scan.points.clone());
    let prepared = PreparedScan::new(&bare);
    let parameters = Parameters::default();
    let sought = run(&Cpu, &surface, &bare, &prepared, &parameters, &progress.part(0.0, 0.9), &mut |_, _| ());
    progress.check()?;
    let problem = Problem {
        target: Target::Surface(&surface),
        bounds: *surface.bounds(),
        points: &prepared.ordered,
        normals: &[],
        oriented: false,
    };
    let progress = progress.part(0.9, 1.0);
    let present = best_fit::run(&Cpu, &problem, &Pose::identity(), &parameters, &progress, &mut |_, _| ());
    let present = present.map(|found| {
        let explained = explained(&surface, &prepared.ordered, &found.nominal_from_scan);
        Alignment { method: Method::Auto, explained: Some(explained), ..found }
    });
    match (sought, present) {
        (Ok(sought), Ok(present)) => Ok(chosen(sought, present)),
        (Ok(found), Err(_)) | (Err(_), Ok(found)) => Ok(found),
        (Err(error), Err(_)) => Err(error),
    }
}

/// The pose that was sought, or the one that the files had, with the other where it fits about as well.
fn chosen(sought: Alignment, present: Alignment) -> Alignment {
    let share = |found: &Alignment| found.explained.map_or(0.0, |own| own.fraction);
    if share(&sought) > share(&present) + CLEARLY {
        return sought;
    }
    let angle_rad = sought.nominal_from_scan.rotation.angle_to(&present.nominal_from_scan.rotation);
    if angle_rad < ONE_POSE_RAD {
        // The search knows the rivals.
        return Alignment { alternatives: sought.alternatives, rivals: sought.rivals, ..present };
    }
    let other = Alternative { nominal_from_scan: sought.nominal_from_scan, rms_mm: sought.rms_mm, angle_rad };
    let fits_as_well = share(&sought) > share(&present) - CLEARLY;
    Alignment { alternatives: fits_as_well.then_some(other).into_iter().collect(), rivals: Rivals::NoneNear, ..present }
}

fn stand_in(nominal: &Cloud, normals: &[Vector]) -> Surface {
    let ordered = OrderedPoints::new(&nominal.points);
    let stride = ordered.numbers.len().div_ceil(SQUARES).max(1);
    let numbers: Vec<u32> = ordered.numbers.iter().step_by(stride).copied().collect();
    let points: Vec<Point> = numbers.iter().map(|&number| nominal.points[number as usize]).collect();
    let tree = KdTree::new(&points);
    let most_mm = LARGEST * nominal.bounds().diagonal();
    let squares: Vec<[Point; 4]> = points
        .par_iter()
        .zip(&numbers)
        .map_init(Neighbours::default, |neighbours, (point, &number)| {
            let normal = normals.get(number as usize).copied().unwrap_or_else(Vector::z);
            let across = normal.cross(&if normal.x.abs() < 0.7 { Vector::x() } else { Vector::y() }).normalize();
            let half_mm = (HALF_SIDE * tree.spacing_about_mm(point, neighbours)).min(most_mm);
            let (u, v) = (across * half_mm, normal.cross(&across) * half_mm);
            [point - u - v, point + u - v, point + u + v, point - u + v]
        })
        .collect();
    let facets = (0..squares.len() as u32).flat_map(|i| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|corner| 4 * i + corner);
        [[a, b, c], [a, c, d]]
    });
    Surface::new(Mesh { facets: facets.collect(), vertices: squares.concat(), ..Mesh::default() })
}

fn explained(surface: &Surface, scan: &OrderedPoints, pose: &Pose) -> Explained {
    let within_mm = Explained::WITHIN * surface.bounds().diagonal();
    // As many as tell it of the pose that was sought.
    let stride = (scan.points.len() / DENSE_POINTS).max(1);
    let asked: Vec<&Point> = scan.points.iter().step_by(stride).collect();
    let near = asked.par_iter().filter(|point| surface.closest_point(&(pose * **point), within_mm).is_some()).count();
    Explained { fraction: near as f64 / asked.len().max(1) as f64, within_mm }
}
