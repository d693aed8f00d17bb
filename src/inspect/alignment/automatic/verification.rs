//! Evaluation of hypotheses against the nominal's surface: refines the promising ones and ranks them.

use std::f64::consts::FRAC_PI_2;

use rayon::prelude::*;

use super::super::best_fit::{self, Parameters, Problem};
use super::super::uniform_offset::{DirectedPoints, OffsetFit};
use super::super::{Alternative, ExplainedFraction, Rivals};

use super::translations::TranslationVotes;
use super::turns::Turns;
use crate::parts::PreparedScan;
use base::{Progress, Result};
use compute::Compute;
use compute::cpu::Cpu;
use compute::point_deviation::Request;
use compute::registration::{Robust, Target};
use geometry::point_pairs::OrientedPoint;
use geometry::{Cloud, OrderedPoints, Point, Pose, Surface, Vector, normals};

/// A hypothesis after refinement.
pub(super) struct Candidate {
    pub pose: Pose,
    /// Mean truncated squared distance, mm².
    pub cost: f64,
    /// RMS distance of the points within the gate, mm.
    pub rms_mm: f64,
    /// Distance at which squared distances are truncated, mm.
    pub gate_mm: f64,
    /// Share of the points within the gate, 0 to 1.
    inside_fraction: f64,
    /// Cost after the coarse refinement, mm².
    coarse_cost: f64,
    /// The fit with a uniform offset, if there is one; costs are then of distances from it.
    pub offset: Option<OffsetFit>,
}

/// Maximum number of hypotheses refined on the coarse sample.
pub(super) const MAX_COARSE_CANDIDATES: usize = 48;
/// Maximum number of hypotheses refined on the fine sample.
const MAX_FINE_CANDIDATES: usize = 12;
/// Maximum number of rivals of the best pose that are refined.
const MAX_RIVALS: usize = 48;
/// Maximum number of searches for rivals: a rival that wins has rivals of its own.
const MAX_RIVAL_ROUNDS: usize = 2;
/// Points that hypotheses are first evaluated and refined on.
const COARSE_POINTS: usize = 500;
/// Points of the last refinement.
const FINE_POINTS: usize = 3_000;
/// Points of the last comparison.
pub(super) const DENSE_POINTS: usize = 60_000;
/// A runner-up whose cost is within this factor of the best is reported as an alternative.
const MAX_TIE_RATIO: f64 = 1.10;
/// After the coarse refinement, candidates are rejected if their cost exceeds that of the best by this factor, plus the
/// square of [`COARSE_PRECISION`].
const MAX_COST_RATIO: f64 = 3.0;
/// Precision of the coarse refinement as a share of the model's point spacing.
const COARSE_PRECISION: f64 = 0.1;
/// Precision of the refinement on exact points as a share of the model's point spacing: smaller distances are not
/// significant.
const PRECISION: f64 = 1e-3;
/// Poses closer than this before refinement count as the same: degrees, share of the diagonal.
pub(super) const SAME_BEFORE: (f64, f64) = (4.0, 0.02);
/// The same after refinement.
pub(super) const SAME_AFTER: (f64, f64) = (2.0, 0.01);

/// Scan points that poses are evaluated on.
pub(super) struct Sample {
    points: OrderedPoints,
    /// Unit normals or directions to the sensor by point index, scan frame; empty if unknown.
    facing: Vec<Vector>,
}

impl Sample {
    pub fn directed(&self) -> DirectedPoints<'_> {
        DirectedPoints { points: &self.points.points, facing: &self.facing }
    }
}

/// About `count` of `points`: half of them uniformly, half uniformly over the directions of their normals (normal-space
/// sampling; Rusinkiewicz and Levoy, "Efficient variants of the ICP algorithm", 2001), so that the few walls of a plate
/// count beside its faces.
fn normal_space_sample(points: &[OrientedPoint], count: usize) -> Vec<OrientedPoint> {
    if points.len() <= count {
        return points.to_vec();
    }
    let mut chosen: Vec<bool> = vec![false; points.len()];
    (0..points.len()).step_by(points.len().div_ceil(count / 2)).for_each(|i| chosen[i] = true);
    let mut cells: std::collections::BTreeMap<[i8; 3], Vec<usize>> = std::collections::BTreeMap::new();
    for (i, point) in points.iter().enumerate() {
        // Both signs of a normal share a cell, as the sign is not known for every scan.
        let sign = if point.normal[point.normal.iamax()] < 0.0 { -1.0 } else { 1.0 };
        let cell = (point.normal * (2.5 * sign)).map(|c| c.round() as i8);
        cells.entry(cell.into()).or_default().push(i);
    }
    let per_cell = (count / 2).div_ceil(cells.len().max(1));
    for members in cells.values() {
        members.iter().step_by(members.len().div_ceil(per_cell).max(1)).for_each(|&i| chosen[i] = true);
    }
    points.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(point, _)| *point).collect()
}

/// Evaluates and refines poses of a scan on a nominal. Always on the CPU: samples are small, and many poses are
/// processed in parallel.
pub(super) struct Verifier<'a> {
    pub(super) surface: &'a Surface,
    /// Sample of the points that voted.
    pub(super) coarse: Sample,
    pub(super) fine: Sample,
    pub(super) dense: Sample,
    /// Rotations of nominal and scan about their own axes, for rivals of a pose.
    turns: Turns,
    translations: Option<TranslationVotes>,
    pub(super) spacing_mm: f64,
}

impl<'a> Verifier<'a> {
    /// Selects the samples. `scene`: the points that voted; `spacing_mm`: point spacing of `model`, mm.
    pub fn new(
        surface: &'a Surface,
        cloud: &Cloud,
        scan: &PreparedScan,
        model: &[OrientedPoint],
        scene: &[OrientedPoint],
        translations: Option<TranslationVotes>,
        spacing_mm: f64,
    ) -> Self {
        let oriented = normals::are_oriented(cloud);
        let few = normal_space_sample(scene, COARSE_POINTS);
        let points = OrderedPoints::new(&few.iter().map(|p| p.point).collect::<Vec<_>>());
        let facing = few.iter().filter(|_| oriented).map(|p| p.normal).collect();
        let coarse = Sample { points, facing };
        let sample_of = |count: usize| {
            let stride = (scan.ordered.points.len() / count).max(1);
            let indices: Vec<u32> = scan.ordered.numbers.iter().step_by(stride).copied().collect();
            let points: Vec<Point> = indices.iter().map(|&index| cloud.points[index as usize]).collect();
            let facing = indices.iter().map_while(|&index| cloud.direction_to_sensor(index as usize));
            let facing = facing.filter(|_| oriented).collect::<Vec<_>>();
            let complete = facing.len() == points.len();
            Sample {
                points: OrderedPoints { numbers: (0..points.len() as u32).collect(), points },
                facing: if complete { facing } else { Vec::new() },
            }
        };
        let turns = Turns::new(model, scene);
        Self {
            surface,
            coarse,
            fine: sample_of(FINE_POINTS),
            dense: sample_of(DENSE_POINTS),
            turns,
            translations,
            spacing_mm,
        }
    }

    /// The poses that fit, by increasing cost.
    pub fn rank(&self, hypotheses: Vec<Pose>, progress: &Progress) -> Result<Vec<Candidate>> {
        progress.report(0.0, "Checking candidate poses")?;
        let mut ranked = self.refined(&hypotheses, MAX_COARSE_CANDIDATES, &[], None, &progress.part(0.0, 0.6))?;
        let mut searched: Vec<Pose> = Vec::new();
        for round in 0..MAX_RIVAL_ROUNDS {
            progress.report(0.6 + 0.15 * round as f32, "Searching for rival poses")?;
            let Some(best) = ranked.first().map(|best| best.pose) else { break };
            if searched.iter().any(|other| self.is_same(other, &best, SAME_AFTER)) {
                break;
            }
            searched.push(best);
            let min_cost = ranked.first().map(|best| best.coarse_cost);
            let rivals = self.refined(&self.rivals(&best), MAX_RIVALS, &ranked, min_cost, &progress.part(0.6, 0.9))?;
            ranked.extend(rivals);
            self.keep_best(&mut ranked, SAME_AFTER, MAX_FINE_CANDIDATES + MAX_RIVALS);
        }
        // A common truncation distance, from the noise of the best pose, distinguishes poses that differ in details.
        progress.report(0.9, "Comparing candidate poses")?;
        let gate_mm = self.common_gate_mm(ranked.first().map_or(0.0, |candidate| candidate.rms_mm));
        let poses: Vec<Pose> = ranked.iter().map(|candidate| candidate.pose).collect();
        let mut last = self.measured(&self.dense, &poses, gate_mm)?;
        self.keep_best(&mut last, SAME_AFTER, MAX_FINE_CANDIDATES + MAX_RIVALS);
        if let Some(with_offset) = self.with_uniform_offset(&poses, &hypotheses, last.first())? {
            last = with_offset;
        }
        last.retain(|candidate| candidate.cost < 0.98 * candidate.gate_mm.powi(2));
        Ok(last)
    }

    /// Distance at which squared distances are truncated in the comparison of poses whose best has this RMS, mm.
    pub(super) fn common_gate_mm(&self, rms_mm: f64) -> f64 {
        (5.0 * rms_mm).clamp(10.0 * PRECISION * self.spacing_mm, 0.5 * self.spacing_mm)
    }

    /// Poses that could fit about as well as `best`.
    fn rivals(&self, best: &Pose) -> Vec<Pose> {
        let mut rivals = self.turns.of(best);
        let rotations: Vec<_> = std::iter::once(best).chain(&rivals).map(|pose| pose.rotation).collect();
        rivals.extend(self.translations.iter().flat_map(|votes| votes.over_turns(&rotations)));
        rivals
    }

    /// The best `count` of `hypotheses` after refinement on increasingly many points, best first, without those that
    /// coincide with one of `known`. `min_cost`: coarse cost of the best known candidate, mm².
    fn refined(
        &self,
        hypotheses: &[Pose],
        count: usize,
        known: &[Candidate],
        min_cost: Option<f64>,
        progress: &Progress,
    ) -> Result<Vec<Candidate>> {
        let spacing_mm = self.spacing_mm;
        let mut candidates = self.measured(&self.coarse, hypotheses, 2.0 * spacing_mm)?;
        let is_known = |pose: &Pose, limits| known.iter().any(|other| self.is_same(&other.pose, pose, limits));
        candidates.retain(|candidate| !is_known(&candidate.pose, SAME_BEFORE));
        self.keep_best(&mut candidates, SAME_BEFORE, count);
        progress.report(0.2, "Refining candidate poses")?;
        let poses = self.refine(&self.coarse, &candidates, 3.0 * spacing_mm, 25);
        let mut refined = self.measured(&self.fine, &poses, 0.5 * spacing_mm)?;
        refined.iter_mut().for_each(|candidate| candidate.coarse_cost = candidate.cost);
        refined.retain(|candidate| !is_known(&candidate.pose, SAME_AFTER));
        self.keep_best(&mut refined, SAME_AFTER, MAX_FINE_CANDIDATES);
        let own = refined.first().map_or(0.0, |best| best.cost);
        let max_cost =
            MAX_COST_RATIO * min_cost.map_or(own, |cost| cost.min(own)) + (COARSE_PRECISION * spacing_mm).powi(2);
        refined.retain(|candidate| candidate.cost <= max_cost);
        progress.report(0.6, "Comparing candidate poses")?;
        let poses = self.refine(&self.fine, &refined, spacing_mm, 35);
        let mut fine = self.measured(&self.fine, &poses, 0.5 * spacing_mm)?;
        for (own, before) in fine.iter_mut().zip(&refined) {
            own.coarse_cost = before.coarse_cost;
        }
        self.keep_best(&mut fine, SAME_AFTER, MAX_FINE_CANDIDATES);
        Ok(fine)
    }

    pub(super) fn measured(&self, sample: &Sample, poses: &[Pose], gate_mm: f64) -> Result<Vec<Candidate>> {
        poses.par_iter().map(|pose| self.measure(sample, *pose, None, gate_mm)).collect()
    }

    /// Evaluates a pose, or a pose with an offset. A measured point cannot lie on a face that faces away from the sensor, so such points count as
    /// outside the gate.
    pub(super) fn measure(
        &self,
        sample: &Sample,
        pose: Pose,
        offset: Option<OffsetFit>,
        gate_mm: f64,
    ) -> Result<Candidate> {
        let offset_mm = offset.map_or(0.0, |own| own.offset_mm);
        let request = Request {
            surface: self.surface,
            points: &sample.points,
            normals: &sample.facing,
            oriented: true,
            nominal_from_scan: &pose,
            max_distance_mm: gate_mm + offset_mm.abs(),
            max_angle_rad: FRAC_PI_2,
        };
        let deviations = Cpu.compute(&request, &Progress::silent())?;
        let (mut inside, mut squares) = (0_usize, 0.0);
        let about_mm = deviations.iter().filter_map(|deviation| deviation.value()).map(|own| own - offset_mm);
        for distance_mm in about_mm.filter(|own| own.abs() <= gate_mm) {
            inside += 1;
            squares += distance_mm * distance_mm;
        }
        let outside = (deviations.len() - inside) as f64;
        Ok(Candidate {
            pose,
            cost: (squares + outside * gate_mm * gate_mm) / deviations.len().max(1) as f64,
            rms_mm: (squares / inside.max(1) as f64).sqrt(),
            gate_mm,
            inside_fraction: inside as f64 / deviations.len().max(1) as f64,
            coarse_cost: f64::INFINITY,
            offset,
        })
    }

    /// Share of a sample that lies on the nominal in `pose`, or at `offset` from it.
    pub fn explained(&self, sample: &Sample, pose: &Pose, offset: Option<OffsetFit>) -> Result<ExplainedFraction> {
        let within_mm = ExplainedFraction::DISTANCE_SHARE * self.surface.bounds().diagonal();
        let measured = self.measure(sample, *pose, offset, within_mm)?;
        Ok(ExplainedFraction { fraction: measured.inside_fraction, within_mm })
    }

    /// A short best fit of each candidate, starting with the gate `gate_mm`; the pose unchanged if it fails.
    fn refine(&self, sample: &Sample, candidates: &[Candidate], gate_mm: f64, iterations: usize) -> Vec<Pose> {
        let fit = |candidate: &Candidate| self.fit(sample, &candidate.pose, gate_mm, iterations);
        candidates.par_iter().map(fit).collect()
    }

    fn fit(&self, sample: &Sample, pose: &Pose, gate_mm: f64, iterations: usize) -> Pose {
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
            leaves_minima: false,
            ..Parameters::default()
        };
        let silent = Progress::silent();
        let fitted = best_fit::run_from_gate(&Cpu, &problem, pose, &parameters, gate_mm, &silent, &mut |_, _| ());
        fitted.map_or(*pose, |alignment| alignment.nominal_from_scan)
    }

    /// Sorts by cost, drops poses that coincide with a better one within `limits`, and keeps the best `count`.
    pub(super) fn keep_best(&self, candidates: &mut Vec<Candidate>, limits: (f64, f64), count: usize) {
        candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let mut kept: Vec<Candidate> = Vec::with_capacity(count);
        for candidate in candidates.drain(..) {
            if kept.len() < count && !kept.iter().any(|other| self.is_same(&other.pose, &candidate.pose, limits)) {
                kept.push(candidate);
            }
        }
        *candidates = kept;
    }

    /// Whether two poses differ by less than `limits` (degrees, share of the diagonal) at the centre of the part.
    fn is_same(&self, a: &Pose, b: &Pose, (degrees, share): (f64, f64)) -> bool {
        let bounds = self.surface.bounds();
        let centre = bounds.centre();
        let distance_mm = (a.inverse_transform_point(&centre) - b.inverse_transform_point(&centre)).norm();
        distance_mm < share * bounds.diagonal() && a.rotation.angle_to(&b.rotation) < degrees.to_radians()
    }
}

/// How the second of `ranked` compares with the first.
pub(super) fn rivals(ranked: &[Candidate], spacing_mm: f64) -> Rivals {
    let floor = (PRECISION * spacing_mm).powi(2);
    match ranked {
        [best, next, ..] => Rivals::NextBest { cost_ratio: (next.cost + floor) / (best.cost + floor) },
        _ => Rivals::NoneComparable,
    }
}

/// Runners-up that fit about as well as the best, in clearly different poses.
pub(super) fn alternatives(ranked: &[Candidate], spacing_mm: f64) -> Vec<Alternative> {
    let Some(best) = ranked.first() else {
        return Vec::new();
    };
    let max_cost = MAX_TIE_RATIO * best.cost + (PRECISION * spacing_mm).powi(2);
    ranked
        .iter()
        .skip(1)
        .filter(|candidate| candidate.cost <= max_cost)
        .map(|candidate| Alternative {
            nominal_from_scan: candidate.pose,
            rms_mm: candidate.rms_mm,
            angle_rad: candidate.pose.rotation.angle_to(&best.pose.rotation),
        })
        .collect()
}
