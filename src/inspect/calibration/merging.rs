//! Snapshots taken at many positions of the CMM, brought into its frame by a calibration.

use rayon::prelude::*;
use serde::Serialize;

use super::Mounting;
use crate::alignment::multi_view;
use base::{Progress, Result, UserError};
use compute::Backend;
use geometry::kd_tree::Neighbours;
use geometry::{Aabb, Cloud, KdTree, Point, Vector, cloud};

/// What the sensor reported, and where the CMM stood.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// As the sensor reports it; directions to the sensor are set here.
    pub cloud: Cloud,
    /// Where the CMM stood, mm.
    pub position_mm: Vector,
}

/// How well two snapshots agree where both saw the part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Seam {
    /// Their numbers.
    pub snapshots: [usize; 2],
    /// Points of the second that lie over the first.
    pub points: usize,
    /// Mean distance of those from the first's surface, along its normals, mm.
    pub mean_mm: f64,
    /// Standard deviation of the distances, mm.
    pub sigma_mm: f64,
}

/// Snapshots in one frame.
#[derive(Clone, Debug)]
pub struct Merged {
    /// All points, CMM frame, each with the direction to the sensor.
    pub cloud: Cloud,
    /// Number of points of each snapshot, in their order in the cloud.
    pub counts: Vec<usize>,
    /// Every two snapshots that overlap.
    pub seams: Vec<Seam>,
    /// How they were brought to agree, where that was asked for.
    pub refinement: Option<Refinement>,
}

/// How snapshots were moved so that they agree where they overlap.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refinement {
    /// How surely they were placed before.
    pub given: multi_view::Parameters,
    /// How far the middle of each was moved, mm.
    pub shifts_mm: Vec<f64>,
    /// How far each was turned, degrees.
    pub turns_deg: Vec<f64>,
    /// Pairs of snapshots that told of each other.
    pub pairs: usize,
    /// Iterations.
    pub iterations: usize,
    /// Whether they came to rest.
    pub converged: bool,
    /// The seams before.
    pub seams_before: Vec<Seam>,
}

impl Refinement {
    /// Numbers of the snapshots that had to move far more than they were taken to be off by: of those that lie right, one
    /// in a thousand does (all three axes together).
    pub fn far(&self) -> impl Iterator<Item = usize> {
        let limits = (FAR * self.given.shift_sigma_mm, FAR * self.given.turn_sigma_deg);
        let all = self.shifts_mm.iter().zip(&self.turns_deg).enumerate();
        all.filter(move |(_, (shift, turn))| **shift > limits.0 || **turn > limits.1).map(|(number, _)| number)
    }
}

/// Standard deviations of one axis that all three exceed by chance once in a thousand: the root of chi squared.
const FAR: f64 = 4.03;
/// Points of a snapshot that seams are judged by.
const JUDGES: usize = 4000;
/// Neighbours that stand for the surface at a point.
const SURFACE: usize = 12;
/// Neighbours farther away than this many usual distances are not the surface under a point.
const GAP: f64 = 4.0;
/// Points over each other that make a seam.
const LEAST: usize = 50;

/// Brings all into the CMM's frame, and compares them where they overlap. `refine` moves them until they agree there,
/// on a device, as far as the surfaces tell and no farther than the calibration is taken to be off.
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
        let twin = snapshots[..i].iter().position(|other| {
            other.position_mm == snapshot.position_mm && other.cloud.points.first() == snapshot.cloud.points.first()
        });
        if let Some(twin) = twin {
            return Err(UserError::input(format!(
                "Snapshots {} and {} are the same points at the same position; name each once.",
                twin + 1,
                i + 1
            )));
        }
    }
    let camera = Point::origin();
    let mut moved: Vec<Cloud> = snapshots
        .iter()
        .map(|snapshot| {
            let place = |reported: &Point| mounting.to_cmm(reported, &snapshot.position_mm);
            let from = place(&camera);
            let points: Vec<Point> = snapshot.cloud.points.par_iter().map(place).collect();
            let to_sensor = points.par_iter().map(|point| (from - point).normalize().cast::<f32>().into()).collect();
            Cloud { points, to_sensor, ..Cloud::default() }
        })
        .collect();
    let end = if refine.is_some() { 0.25 } else { 1.0 };
    let mut seams = self::seams(&moved, &progress.part(0.0, end))?;
    let mut refinement = None;
    if let Some((backend, given)) = refine {
        let views: Vec<&Cloud> = moved.iter().collect();
        let refined = multi_view::refine(backend, &views, given, &progress.part(0.25, 0.75))?;
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
    Ok(Merged { cloud: all, counts, seams, refinement })
}

fn seams(snapshots: &[Cloud], progress: &Progress) -> Result<Vec<Seam>> {
    let bounds: Vec<Aabb> = snapshots.iter().map(|cloud| Aabb::of_points(&cloud.points)).collect();
    let mut seams = Vec::new();
    for (i, first) in snapshots.iter().enumerate() {
        progress.report(i as f32 / snapshots.len() as f32, "Comparing snapshots where they overlap")?;
        let touching: Vec<usize> = (i + 1..snapshots.len()).filter(|&j| bounds[i].overlaps(&bounds[j])).collect();
        if touching.is_empty() {
            continue;
        }
        let tree = KdTree::new(&first.points);
        let spacing_mm = geometry::thinning::spacing_mm(&tree, &first.points);
        for j in touching {
            let own = seam(first, &tree, spacing_mm, &snapshots[j]);
            seams.extend(own.map(|(points, mean_mm, sigma_mm)| Seam { snapshots: [i, j], points, mean_mm, sigma_mm }));
        }
    }
    Ok(seams)
}

fn seam(first: &Cloud, tree: &KdTree, spacing_mm: f64, second: &Cloud) -> Option<(usize, f64, f64)> {
    let stride = second.points.len().div_ceil(JUDGES).max(1);
    // As far as that many points reach on a surface of usual density, and some more.
    let reach_mm = GAP * spacing_mm * (SURFACE as f64 / std::f64::consts::PI).sqrt();
    let distances: Vec<f64> = (0..second.points.len())
        .into_par_iter()
        .step_by(stride)
        .filter_map(|number| {
            let point = second.points[number];
            let mut near = Neighbours::default();
            tree.k_nearest(&point, SURFACE, reach_mm, &mut near);
            let near: Vec<Point> = near.found.iter().map(|n| first.points[n.number as usize]).collect();
            if near.len() < SURFACE {
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
            let outward = normal * normal.dot(&cloud::vector(second.to_sensor[number])).signum();
            Some((point.coords - mean).dot(&outward))
        })
        .collect();
    if distances.len() < LEAST {
        return None;
    }
    let count = distances.len() as f64;
    let mean = distances.iter().sum::<f64>() / count;
    let variance = distances.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / count;
    Some((distances.len(), mean, variance.sqrt()))
}
