//! Measures hypotheses against the true surface, refines the promising ones and ranks them.

use std::f64::consts::FRAC_PI_2;

use super::super::Alternative;
use super::super::best_fit::{self, Parameters, Problem};
use super::{OrientedPoint, PreparedScan};
use crate::base::{Progress, Result};
use crate::compute::Backend;
use crate::compute::point_deviation::Request;
use crate::compute::registration::{Robust, Target};
use crate::geometry::{Cloud, OrderedPoints, Point, Pose, Surface, Vector, normals};

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
/// Candidates whose cost is above the best's by this factor after the coarse refinement are given up.
const HOPELESS: f64 = 3.0;
/// Share of the model's spacing below which distances tell nothing apart: what the refinement leaves on exact points.
const PRECISION: f64 = 1e-3;

/// Points that poses are measured with, and the direction in which each can be seen.
struct Sample {
    points: OrderedPoints,
    /// By point number; empty where unknown.
    facing: Vec<Vector>,
}

/// Measures and refines poses of one scan on one nominal.
pub(super) struct Verifier<'a> {
    backend: &'a dyn Backend,
    surface: &'a Surface,
    coarse: Sample,
    fine: Sample,
    spacing_mm: f64,
}

impl<'a> Verifier<'a> {
    /// Picks the points. `scene` are those that voted, `spacing_mm` is the distance between the nominal's.
    pub fn new(
        backend: &'a dyn Backend,
        surface: &'a Surface,
        cloud: &Cloud,
        scan: &PreparedScan,
        scene: &[OrientedPoint],
        spacing_mm: f64,
    ) -> Self {
        let oriented = normals::are_oriented(cloud);
        let points = OrderedPoints::new(&scene.iter().map(|p| p.point).collect::<Vec<_>>());
        let facing = scene.iter().filter(|_| oriented).map(|p| p.normal).collect();
        let coarse = Sample { points, facing };
        let stride = (scan.ordered.points.len() / FINE_POINTS).max(1);
        let numbers: Vec<u32> = scan.ordered.numbers.iter().step_by(stride).copied().collect();
        let points: Vec<Point> = numbers.iter().map(|&number| cloud.points[number as usize]).collect();
        let facing = numbers.iter().map_while(|&number| cloud.direction_to_sensor(number as usize));
        let facing = facing.filter(|_| oriented).collect::<Vec<_>>();
        let complete = facing.len() == points.len();
        let fine = Sample {
            points: OrderedPoints { numbers: (0..points.len() as u32).collect(), points },
            facing: if complete { facing } else { Vec::new() },
        };
        Self { backend, surface, coarse, fine, spacing_mm }
    }

    /// The poses that fit, best first.
    pub fn rank(&self, hypotheses: Vec<Pose>, progress: &Progress) -> Result<Vec<Candidate>> {
        let spacing_mm = self.spacing_mm;
        let mut candidates = Vec::new();
        progress.report(0.0, "Checking candidate poses")?;
        for pose in hypotheses {
            progress.check()?;
            candidates.push(self.measure(&self.coarse, pose, 2.0 * spacing_mm)?);
        }
        keep_best(&mut candidates, self.surface, COARSE);
        let mut refined = Vec::new();
        for (i, candidate) in candidates.iter().enumerate() {
            progress.report(0.1 + 0.4 * i as f32 / COARSE as f32, "Refining candidate poses")?;
            let pose = self.refine(&self.coarse, &candidate.pose, 3.0 * spacing_mm, 25);
            refined.push(self.measure(&self.coarse, pose, spacing_mm)?);
        }
        keep_best(&mut refined, self.surface, FINE);
        let hopeless = HOPELESS * refined.first().map_or(0.0, |best| best.cost) + (PRECISION * spacing_mm).powi(2);
        refined.retain(|candidate| candidate.cost <= hopeless);
        let mut ranked: Vec<Candidate> = Vec::new();
        for (i, candidate) in refined.iter().enumerate() {
            progress.report(0.5 + 0.5 * i as f32 / FINE as f32, "Comparing candidate poses")?;
            let pose = self.refine(&self.fine, &candidate.pose, spacing_mm, 35);
            ranked.push(self.measure(&self.fine, pose, 0.5 * spacing_mm)?);
        }
        // One common truncation, from the noise of the best, decides between poses that differ in details.
        let best = ranked.iter().min_by(|a, b| a.cost.total_cmp(&b.cost));
        let best_rms = best.map_or(0.0, |candidate| candidate.rms_mm);
        let gate_mm = (5.0 * best_rms).clamp(10.0 * PRECISION * spacing_mm, 0.5 * spacing_mm);
        let mut last: Vec<Candidate> = Vec::new();
        for candidate in ranked {
            last.push(self.measure(&self.fine, candidate.pose, gate_mm)?);
        }
        keep_best(&mut last, self.surface, FINE);
        last.retain(|candidate| candidate.cost < 0.98 * gate_mm * gate_mm);
        Ok(last)
    }

    /// What a sensor saw cannot lie on a face that is turned away from it: such points count as outside.
    fn measure(&self, sample: &Sample, pose: Pose, gate_mm: f64) -> Result<Candidate> {
        let request = Request {
            surface: self.surface,
            points: &sample.points,
            normals: &sample.facing,
            oriented: true,
            nominal_from_scan: &pose,
            max_distance_mm: gate_mm,
            max_angle_rad: FRAC_PI_2,
        };
        let deviations = self.backend.point_deviation(&request, &Progress::silent())?;
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
    fn refine(&self, sample: &Sample, pose: &Pose, gate_mm: f64, iterations: usize) -> Pose {
        let problem = Problem {
            target: Target::Surface(self.surface),
            bounds: *self.surface.bounds(),
            points: &sample.points,
            normals: &sample.facing,
            oriented: true,
        };
        let parameters = Parameters {
            robust: Robust::Tukey,
            max_iterations: iterations,
            max_angle_rad: FRAC_PI_2,
            step_limit_mm: 1e-4 * gate_mm,
            coarse_to_fine: false,
            ..Parameters::default()
        };
        let silent = Progress::silent();
        let fitted =
            best_fit::run_from_gate(self.backend, &problem, pose, &parameters, gate_mm, &silent, &mut |_, _| ());
        fitted.map_or(*pose, |alignment| alignment.nominal_from_scan)
    }
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
