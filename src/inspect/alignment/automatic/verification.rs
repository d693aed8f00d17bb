//! Measures hypotheses against the true surface, refines the promising ones and ranks them.

use super::super::Alternative;
use super::super::best_fit::{self, Parameters, Problem};
use super::votes::Hypothesis;
use super::{OrientedPoint, PreparedScan};
use crate::base::{Progress, Result};
use crate::compute::Backend;
use crate::compute::point_deviation::Request;
use crate::compute::registration_step::{Robust, Target};
use crate::geometry::{OrderedPoints, Point, Pose, Surface};

/// A hypothesis after refinement.
pub(super) struct Candidate {
    pub pose: Pose,
    /// Mean truncated squared distance, mm²: lower is better.
    pub cost: f64,
    /// Root of the mean square of what lies within the truncation, mm.
    pub rms_mm: f64,
    /// Distance within which points belong to the part, mm.
    pub gate_mm: f64,
}

/// Hypotheses refined on coarse points.
const COARSE: usize = 24;
/// Hypotheses ranked on many points.
const FINE: usize = 8;
/// Points of the last ranking.
const FINE_POINTS: usize = 8_000;
/// A runner-up whose cost is within this factor of the best is reported as an alternative.
const TIE: f64 = 1.10;
/// Share of the model's spacing below which distances tell nothing apart: what the refinement leaves on exact points.
const PRECISION: f64 = 1e-3;

pub(super) fn rank(
    backend: &dyn Backend,
    surface: &Surface,
    scan: &PreparedScan,
    scene: &[OrientedPoint],
    hypotheses: Vec<Hypothesis>,
    spacing_mm: f64,
    progress: &Progress,
) -> Result<Vec<Candidate>> {
    let coarse = OrderedPoints::new(&scene.iter().map(|p| p.point).collect::<Vec<_>>());
    let fine = subset(&scan.ordered, FINE_POINTS);
    let mut candidates = Vec::new();
    progress.report(0.0, "Checking candidate poses")?;
    for hypothesis in hypotheses {
        candidates.push(measure(backend, surface, &coarse, hypothesis.pose, 2.0 * spacing_mm)?);
    }
    keep_best(&mut candidates, surface, COARSE);
    let mut refined = Vec::new();
    for (i, candidate) in candidates.iter().enumerate() {
        progress.report(0.1 + 0.4 * i as f32 / COARSE as f32, "Refining candidate poses")?;
        let pose = refine(backend, surface, &coarse, &candidate.pose, 3.0 * spacing_mm, 25);
        refined.push(measure(backend, surface, &coarse, pose, spacing_mm)?);
    }
    keep_best(&mut refined, surface, FINE);
    let mut ranked: Vec<Candidate> = Vec::new();
    for (i, candidate) in refined.iter().enumerate() {
        progress.report(0.5 + 0.5 * i as f32 / FINE as f32, "Comparing candidate poses")?;
        let pose = refine(backend, surface, &fine, &candidate.pose, spacing_mm, 35);
        ranked.push(measure(backend, surface, &fine, pose, 0.5 * spacing_mm)?);
    }
    // One common truncation, from the noise of the best, decides between poses that differ in details.
    let best = ranked.iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
    let best_rms = best.map_or(0.0, |candidate| candidate.rms_mm);
    let gate_mm = (5.0 * best_rms).clamp(10.0 * PRECISION * spacing_mm, 0.5 * spacing_mm);
    let mut last: Vec<Candidate> = Vec::new();
    for candidate in ranked {
        last.push(measure(backend, surface, &fine, candidate.pose, gate_mm)?);
    }
    keep_best(&mut last, surface, FINE);
    last.retain(|candidate| candidate.cost < 0.98 * gate_mm * gate_mm);
    Ok(last)
}

/// Runners-up that fit about as well as the best, in clearly other poses.
pub(super) fn alternatives(ranked: &[Candidate], spacing_mm: f64) -> Vec<Alternative> {
    let Some(best) = ranked.first() else {
        return Vec::new();
    };
    let tie = TIE * best.cost + (PRECISION * spacing_mm).powi(2);
    ranked
        .iter()
        .skip(1)
        .filter(|candidate| candidate.cost <= tie)
        .map(|candidate| Alternative {
            nominal_from_scan: candidate.pose,
            rms_mm: candidate.rms_mm,
            angle_rad: candidate.pose.rotation.angle_to(&best.pose.rotation),
        })
        .collect()
}

fn subset(ordered: &OrderedPoints, count: usize) -> OrderedPoints {
    let stride = (ordered.points.len() / count).max(1);
    let points: Vec<Point> = ordered.points.iter().step_by(stride).copied().collect();
    OrderedPoints { numbers: (0..points.len() as u32).collect(), points }
}

fn measure(
    backend: &dyn Backend,
    surface: &Surface,
    points: &OrderedPoints,
    pose: Pose,
    gate_mm: f64,
) -> Result<Candidate> {
    let request = Request {
        surface,
        points,
        normals: &[],
        oriented: false,
        nominal_from_scan: &pose,
        max_distance_mm: gate_mm,
        max_angle_rad: std::f64::consts::PI,
    };
    let deviations = backend.point_deviation(&request, &Progress::silent())?;
    let (mut inside, mut squares) = (0_usize, 0.0);
    for deviation in deviations.iter().filter_map(|deviation| deviation.value()) {
        inside += 1;
        squares += deviation * deviation;
    }
    let outside = (deviations.len() - inside) as f64;
    Ok(Candidate {
        pose,
        cost: (squares + outside * gate_mm * gate_mm) / deviations.len().max(1) as f64,
        rms_mm: (squares / inside.max(1) as f64).sqrt(),
        gate_mm,
    })
}

/// A short fit within `gate_mm`; the pose as it was where it fails.
fn refine(
    backend: &dyn Backend,
    surface: &Surface,
    points: &OrderedPoints,
    pose: &Pose,
    gate_mm: f64,
    iterations: usize,
) -> Pose {
    let problem =
        Problem { target: Target::Surface(surface), bounds: *surface.bounds(), points, normals: &[], oriented: false };
    let parameters = Parameters {
        robust: Robust::Tukey,
        max_iterations: iterations,
        step_limit_mm: 1e-4 * gate_mm,
        coarse_to_fine: false,
        ..Parameters::default()
    };
    let fitted =
        best_fit::run_from_gate(backend, &problem, pose, &parameters, gate_mm, &Progress::silent(), &mut |_, _| ());
    fitted.map_or(*pose, |alignment| alignment.nominal_from_scan)
}

/// Sorts by cost, drops poses that coincide with a better one, keeps `count`.
fn keep_best(candidates: &mut Vec<Candidate>, surface: &Surface, count: usize) {
    candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let centre = surface.bounds().centre();
    let near_mm = 0.01 * surface.bounds().diagonal();
    let mut kept: Vec<Candidate> = Vec::with_capacity(count);
    for candidate in candidates.drain(..) {
        let place = candidate.pose.inverse_transform_point(&centre);
        let repeated = kept.iter().any(|other| {
            (other.pose.inverse_transform_point(&centre) - place).norm() < near_mm
                && other.pose.rotation.angle_to(&candidate.pose.rotation) < 2.0_f64.to_radians()
        });
        if !repeated && kept.len() < count {
            kept.push(candidate);
        }
    }
    *candidates = kept;
}
