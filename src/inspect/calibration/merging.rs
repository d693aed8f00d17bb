//! Merges snapshots taken at several CMM positions into the CMM frame, using a calibration.

use rayon::prelude::*;
use serde::Serialize;

use super::Mounting;
use super::joint::CmmErrors;
use crate::alignment::multi_view;
use base::{Progress, Result, UserError};
use compute::Backend;
use geometry::kd_tree::Neighbours;
use geometry::{Aabb, Cloud, KdTree, Point, Vector, cloud};

/// A snapshot and its CMM position.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// As reported by the sensor; the directions to the sensor are set here.
    pub cloud: Cloud,
    /// CMM position, mm.
    pub position_mm: Vector,
}

/// Agreement of two snapshots where they overlap.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Seam {
    /// Indices of the two snapshots.
    pub snapshots: [usize; 2],
    /// Number of compared points of the second snapshot that overlap the first.
    pub points: usize,
    /// Mean signed distance of those from the surface of the first, along its normals, mm.
    pub mean_mm: f64,
    /// Standard deviation of the distances, mm.
    pub sigma_mm: f64,
}

/// Snapshots merged into the CMM frame.
#[derive(Clone, Debug)]
pub struct Merged {
    /// All points, CMM frame, each with its direction to the sensor.
    pub cloud: Cloud,
    /// Number of points of each snapshot, in the order of the cloud.
    pub counts: Vec<usize>,
    /// Every pair of overlapping snapshots.
    pub seams: Vec<Seam>,
    /// Result of the global registration, if requested.
    pub refinement: Option<Refinement>,
    /// Geometric errors of the CMM that its positions were corrected for; zero if the calibration determined none.
    pub cmm_errors: CmmErrors,
}

/// Result of the global registration of snapshots.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refinement {
    /// Stated uncertainty of the initial poses.
    pub given: multi_view::Parameters,
    /// Displacement of the centre of each snapshot, mm.
    pub shifts_mm: Vec<f64>,
    /// Rotation of each snapshot, degrees.
    pub turns_deg: Vec<f64>,
    /// Number of overlapping pairs of snapshots used.
    pub pairs: usize,
    /// Number of iterations.
    pub iterations: usize,
    /// Whether the registration converged.
    pub converged: bool,
    /// Seams before the registration.
    pub seams_before: Vec<Seam>,
}

impl Refinement {
    /// Indices of the snapshots that moved far more than their stated uncertainty: by chance, one in a thousand of
    /// correctly placed snapshots does (all three axes together).
    pub fn far(&self) -> impl Iterator<Item = usize> {
        let limits = (MAX_CHANCE_SIGMAS * self.given.shift_sigma_mm, MAX_CHANCE_SIGMAS * self.given.turn_sigma_deg);
        let all = self.shifts_mm.iter().zip(&self.turns_deg).enumerate();
        all.filter(move |(_, (shift, turn))| **shift > limits.0 || **turn > limits.1).map(|(index, _)| index)
    }
}

impl Merged {
    /// The seams and the result of the registration, in sentences.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![seams_sentence(&self.seams)];
        if !self.cmm_errors.is_none() {
            sentences.push(format!(
                "The CMM positions were corrected for the geometric errors that the calibration found, squareness {:.1} µrad \
                 and scales {:.1}, {:.1}, {:.1} µm/m: the scan is in true axes.",
                1e6 * self.cmm_errors.squareness_rad,
                1e6 * self.cmm_errors.scales[0],
                1e6 * self.cmm_errors.scales[1],
                1e6 * self.cmm_errors.scales[2]
            ));
        }
        if let Some(refinement) = &self.refinement {
            sentences.extend(refinement.sentences());
        }
        sentences
    }
}

impl Refinement {
    fn sentences(&self) -> Vec<String> {
        let max_mm = self.shifts_mm.iter().copied().fold(0.0, f64::max);
        let before_mm = worst_seam(&self.seams_before).map_or(0.0, |seam| seam.mean_mm.abs());
        let mut sentences = vec![if self.pairs == 0 {
            "No snapshot was moved: no two of them show enough of the same surface.".to_owned()
        } else {
            format!(
                "Global registration moved the snapshots by up to {max_mm:.3} mm; before, the worst seam was off by \
                 {before_mm:.3} mm."
            )
        }];
        if !self.converged {
            sentences
                .push(format!("The registration did not converge in {} iterations: check the seams.", self.iterations));
        }
        sentences.extend(self.far().map(|index| {
            format!(
                "Snapshot {} had to move by {:.3} mm and {:.4}°, far more than its stated uncertainty; check its \
                 position.",
                index + 1,
                self.shifts_mm[index],
                self.turns_deg[index]
            )
        }));
        sentences
    }
}

fn worst_seam(seams: &[Seam]) -> Option<&Seam> {
    seams.iter().max_by(|a, b| a.mean_mm.abs().total_cmp(&b.mean_mm.abs()))
}

fn seams_sentence(seams: &[Seam]) -> String {
    match worst_seam(seams) {
        None => "No two snapshots overlap.".to_owned(),
        Some(seam) => format!(
            "{} seams; the worst, between snapshots {} and {}, is off by {:+.3} mm.",
            seams.len(),
            seam.snapshots[0] + 1,
            seam.snapshots[1] + 1,
            seam.mean_mm
        ),
    }
}

/// Distance in standard deviations of one axis that the displacement in three axes exceeds by chance once in a
/// thousand: the square root of the chi-squared quantile.
const MAX_CHANCE_SIGMAS: f64 = 4.03;
/// Maximum number of points of a snapshot that a seam is evaluated with.
const MAX_SEAM_SAMPLES: usize = 4000;
/// Neighbours that the local surface is fitted to.
const SURFACE_NEIGHBOURS: usize = 12;
/// Maximum distance of neighbours, in typical point spacings, for them to be the surface under a point.
const MAX_GAP_SPACINGS: f64 = 4.0;
/// Minimum number of overlapping points of a seam.
const MIN_SEAM_POINTS: usize = 50;

/// Transforms all snapshots to the CMM frame and evaluates their seams. With `refine`, a global registration on the
/// given backend first aligns them within the uncertainty of their positions.
pub fn merge(
    mounting: &Mounting,
    snapshots: &[Snapshot],
    refine: Option<(&dyn Backend, &multi_view::Parameters)>,
    progress: &Progress,
) -> Result<Merged> {
    if snapshots.is_empty() {
        return Err(UserError::usage("Name at least one snapshot."));
    }
    for (i, snapshot) in snapshots.iter().enumerate() {
        let duplicate = snapshots[..i].iter().position(|other| {
            other.position_mm == snapshot.position_mm && other.cloud.points.first() == snapshot.cloud.points.first()
        });
        if let Some(duplicate) = duplicate {
            return Err(UserError::input(format!(
                "Snapshots {} and {} have the same points and the same position; name each snapshot once.",
                duplicate + 1,
                i + 1
            )));
        }
    }
    let camera = Point::origin();
    let mut moved: Vec<Cloud> = snapshots
        .iter()
        .map(|snapshot| {
            let to_cmm = |reported: &Point| mounting.to_cmm(reported, &snapshot.position_mm);
            let sensor = to_cmm(&camera);
            let points: Vec<Point> = snapshot.cloud.points.par_iter().map(to_cmm).collect();
            let to_sensor = points.par_iter().map(|point| (sensor - point).normalize().cast::<f32>().into()).collect();
            Cloud { points, to_sensor, intensity: snapshot.cloud.intensity.clone(), ..Cloud::default() }
        })
        .collect();
    let end = if refine.is_some() { 0.25 } else { 1.0 };
    let mut seams = self::seams(&moved, &progress.part(0.0, end))?;
    let mut refinement = None;
    if let Some((backend, given)) = refine {
        let views: Vec<&Cloud> = moved.iter().collect();
        let refined = multi_view::register(backend, &views, given, &progress.part(0.25, 0.75))?;
        moved.iter_mut().zip(&refined.moves).for_each(|(cloud, pose)| cloud.transform(pose));
        let after = self::seams(&moved, &progress.part(0.75, 1.0))?;
        refinement = Some(Refinement {
            given: *given,
            shifts_mm: refined.shifts_mm,
            turns_deg: refined.moves.iter().map(|own| own.rotation.angle().to_degrees()).collect(),
            pairs: refined.pairs,
            iterations: refined.iterations,
            converged: refined.converged,
            seams_before: std::mem::replace(&mut seams, after),
        });
    }
    let counts = moved.iter().map(|cloud| cloud.points.len()).collect();
    let mut all = Cloud::default();
    moved.into_iter().for_each(|cloud| all.append(cloud));
    Ok(Merged { cloud: all, counts, seams, refinement, cmm_errors: mounting.cmm_errors })
}

fn seams(snapshots: &[Cloud], progress: &Progress) -> Result<Vec<Seam>> {
    let bounds: Vec<Aabb> = snapshots.iter().map(|cloud| Aabb::of_points(&cloud.points)).collect();
    let mut seams = Vec::new();
    for (i, first) in snapshots.iter().enumerate() {
        progress.report(i as f32 / snapshots.len() as f32, "Comparing snapshots where they overlap")?;
        let overlapping: Vec<usize> = (i + 1..snapshots.len()).filter(|&j| bounds[i].overlaps(&bounds[j])).collect();
        if overlapping.is_empty() {
            continue;
        }
        let tree = KdTree::new(&first.points);
        let spacing_mm = geometry::thinning::spacing_mm(&tree, &first.points);
        for j in overlapping {
            let own = seam(first, &tree, spacing_mm, &snapshots[j]);
            seams.extend(own.map(|(points, mean_mm, sigma_mm)| Seam { snapshots: [i, j], points, mean_mm, sigma_mm }));
        }
    }
    Ok(seams)
}

fn seam(first: &Cloud, tree: &KdTree, spacing_mm: f64, second: &Cloud) -> Option<(usize, f64, f64)> {
    let stride = second.points.len().div_ceil(MAX_SEAM_SAMPLES).max(1);
    // Radius that contains this many points on a surface of typical density, and some margin.
    let reach_mm = MAX_GAP_SPACINGS * spacing_mm * (SURFACE_NEIGHBOURS as f64 / std::f64::consts::PI).sqrt();
    let distances: Vec<f64> = (0..second.points.len())
        .into_par_iter()
        .step_by(stride)
        .filter_map(|index| {
            let point = second.points[index];
            let mut near = Neighbours::default();
            tree.k_nearest(&point, SURFACE_NEIGHBOURS, reach_mm, &mut near);
            let near: Vec<Point> = near.found.iter().map(|n| first.points[n.number as usize]).collect();
            if near.len() < SURFACE_NEIGHBOURS {
                return None;
            }
            let mean: Vector = near.iter().map(|own| own.coords).sum::<Vector>() / near.len() as f64;
            let mut moments = [0.0; 6];
            for own in &near {
                let d = own.coords - mean;
                let own = [d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z];
                moments.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            }
            let normal = geometry::jacobi::eigen(&moments).1[0];
            let outward = normal * normal.dot(&cloud::vector(second.to_sensor[index])).signum();
            Some((point.coords - mean).dot(&outward))
        })
        .collect();
    if distances.len() < MIN_SEAM_POINTS {
        return None;
    }
    let count = distances.len() as f64;
    let mean = distances.iter().sum::<f64>() / count;
    let variance = distances.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / count;
    Some((distances.len(), mean, variance.sqrt()))
}
