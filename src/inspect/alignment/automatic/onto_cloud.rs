//! Automatic start of a scan on another point cloud: squares centred on its points represent the surface.
//!
//! The normals of a cloud are not consistently oriented, so neither side of a square is outside, and the scan's normals
//! are ignored. Two clouds are often given in one frame already, so the identity is tried as a start as well.

use rayon::prelude::*;

use super::run;
use super::verification::DENSE_POINTS;
use crate::alignment::best_fit::{self, Parameters, Problem};
use crate::alignment::{Alignment, Alternative, ExplainedFraction, Method, Rivals};
use crate::parts::PreparedScan;
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::registration::Target;
use geometry::kd_tree::Neighbours;
use geometry::{Cloud, KdTree, Mesh, OrderedPoints, Point, Pose, Surface, Vector, transform};

/// Maximum number of squares that represent the nominal.
const MAX_SQUARES: usize = 20_000;
/// Half the side of a square in point spacings: squares overlap.
const HALF_SIDE_SPACINGS: f64 = 0.75;
/// Maximum half side of a square as a share of the cloud's diagonal: isolated points are no surface.
const MAX_HALF_SIDE: f64 = 0.01;
/// The pose of the files is kept unless another pose explains more of the scan by this fraction.
const MIN_GAIN: f64 = 0.02;
/// Poses that differ by a smaller rotation count as the same, rad.
const SAME_POSE_RAD: f64 = 0.05;

/// Finds the pose of `scan` on the cloud `nominal` with unit normals `normals` of arbitrary sign, one per point.
///
/// Returns an error if no pose is found or the work is cancelled.
pub fn on_cloud(nominal: &Cloud, normals: &[Vector], scan: &Cloud, progress: &Progress) -> Result<Alignment> {
    let surface = surface_of_squares(nominal, normals);
    let bare = Cloud::from_points(scan.points.clone());
    let prepared = PreparedScan::new(&bare);
    let parameters = Parameters::default();
    let searched = run(&Cpu, &surface, &bare, &prepared, &parameters, &progress.part(0.0, 0.9), &mut |_, _| ());
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
    match (searched, present) {
        (Ok(searched), Ok(present)) => Ok(choose(searched, present)),
        (Ok(found), Err(_)) | (Err(_), Ok(found)) => Ok(found),
        (Err(error), Err(_)) => Err(error),
    }
}

/// The pose found by the search, or `present` from the pose of the files, with the other as an alternative if it fits
/// about as well.
fn choose(searched: Alignment, present: Alignment) -> Alignment {
    let fraction = |found: &Alignment| found.explained.map_or(0.0, |own| own.fraction);
    if fraction(&searched) > fraction(&present) + MIN_GAIN {
        return searched;
    }
    let angle_rad = searched.nominal_from_scan.rotation.angle_to(&present.nominal_from_scan.rotation);
    if angle_rad < SAME_POSE_RAD {
        // Only the search has compared other poses.
        return Alignment { alternatives: searched.alternatives, rivals: searched.rivals, ..present };
    }
    let other = Alternative { nominal_from_scan: searched.nominal_from_scan, rms_mm: searched.rms_mm, angle_rad };
    let fits_as_well = fraction(&searched) > fraction(&present) - MIN_GAIN;
    Alignment {
        alternatives: fits_as_well.then_some(other).into_iter().collect(),
        rivals: Rivals::NoneComparable,
        ..present
    }
}

/// A square per point, perpendicular to its normal; thinned to [`MAX_SQUARES`].
fn surface_of_squares(nominal: &Cloud, normals: &[Vector]) -> Surface {
    let ordered = OrderedPoints::new(&nominal.points);
    let stride = ordered.numbers.len().div_ceil(MAX_SQUARES).max(1);
    let indices: Vec<u32> = ordered.numbers.iter().step_by(stride).copied().collect();
    let points: Vec<Point> = indices.iter().map(|&index| nominal.points[index as usize]).collect();
    let tree = KdTree::new(&points);
    let max_half_mm = MAX_HALF_SIDE * nominal.bounds().diagonal();
    let squares: Vec<[Point; 4]> = points
        .par_iter()
        .zip(&indices)
        .map_init(Neighbours::default, |neighbours, (point, &index)| {
            let normal = normals.get(index as usize).copied().unwrap_or_else(Vector::z);
            let half_mm = (HALF_SIDE_SPACINGS * tree.local_spacing_mm(point, neighbours)).min(max_half_mm);
            let [u, v] = transform::perpendicular_axes(&normal).map(|axis| axis * half_mm);
            [point - u - v, point + u - v, point + u + v, point - u + v]
        })
        .collect();
    let facets = (0..squares.len() as u32).flat_map(|i| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|corner| 4 * i + corner);
        [[a, b, c], [a, c, d]]
    });
    Surface::new(Mesh { facets: facets.collect(), vertices: squares.concat(), ..Mesh::default() })
}

/// Share of a scan that lies on a surface in a pose.
pub fn explained(surface: &Surface, scan: &OrderedPoints, pose: &Pose) -> ExplainedFraction {
    explained_within(surface, scan, pose, ExplainedFraction::DISTANCE_SHARE * surface.bounds().diagonal())
}

/// As [`explained`], of points that are at most `within_mm` from the surface.
pub fn explained_within(surface: &Surface, scan: &OrderedPoints, pose: &Pose, within_mm: f64) -> ExplainedFraction {
    // The same number of points as in the verification of the search.
    let stride = (scan.points.len() / DENSE_POINTS).max(1);
    let sample: Vec<&Point> = scan.points.iter().step_by(stride).collect();
    let near = sample.par_iter().filter(|point| surface.closest_point(&(pose * **point), within_mm).is_some()).count();
    ExplainedFraction { fraction: near as f64 / sample.len().max(1) as f64, within_mm }
}
