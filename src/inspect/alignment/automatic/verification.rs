//! Measures hypotheses against the true surface, refines the promising ones and ranks them.

use std::f64::consts::FRAC_PI_2;

use rayon::prelude::*;

use super::super::best_fit::{self, Parameters, Problem};
use super::super::{Alternative, Explained, Rivals};

use super::OrientedPoint;
use super::translations::TranslationVotes;
use super::turns::Turns;
use crate::parts::PreparedScan;
use base::{Progress, Result};
use compute::Compute;
use compute::cpu::Cpu;
use compute::point_deviation::Request;
use compute::registration::{Robust, Target};
use geometry::{Cloud, OrderedPoints, Point, Pose, Surface, Vector, normals};

/// A hypothesis after refinement.
pub(super) struct Candidate {
    pub pose: Pose,
    /// Mean truncated squared distance, mm²: lower is better.
    pub cost: f64,
    /// Root of the mean square of what lies within the truncation, mm.
    pub rms_mm: f64,
    /// Distance within which points belong to the part, mm.
    pub gate_mm: f64,
    /// Share of the points that do.
    inside_fraction: f64,
    /// Cost after the coarse refinement, mm².
    coarse_cost: f64,
}

/// Hypotheses refined on coarse points.
const COARSE: usize = 48;
/// Hypotheses ranked on many points.
const FINE: usize = 12;
/// Rivals of the best pose that are refined.
const RIVALS: usize = 48;
/// Rounds of looking for rivals: one that wins has rivals of its own.
const ROUNDS: usize = 2;
/// Points that hypotheses are first measured and refined on.
const COARSE_POINTS: usize = 500;
/// Points of the last refinement.
const FINE_POINTS: usize = 3_000;
/// Points of the last comparison.
pub(super) const DENSE_POINTS: usize = 60_000;
/// A runner-up whose cost is within this factor of the best is reported as an alternative.
const TIE: f64 = 1.10;
/// Candidates whose cost is above the best's by this factor after the coarse refinement are given up,
const HOPELESS: f64 = 3.0;
/// unless they are as near as that refinement leaves them: a share of the model's spacing.
const COARSE_PRECISION: f64 = 0.1;
/// Share of the model's spacing below which distances tell nothing apart: what the refinement leaves on exact points.
const PRECISION: f64 = 1e-3;
/// Poses nearer than this are one before they are refined: degrees, share of the diagonal.
const ONE_BEFORE: (f64, f64) = (4.0, 0.02);
/// And after it.
const ONE_AFTER: (f64, f64) = (2.0, 0.01);

/// Points that poses are measured with, and the direction in which each can be seen.
struct Sample {
    points: OrderedPoints,
    /// By point number; empty where unknown.
    facing: Vec<Vector>,
}

/// About `count` of `points`: half of them evenly, half evenly over the directions of their normals (Rusinkiewicz and
/// Levoy, "Efficient variants of the ICP algorithm", 2001), so that the few walls of a plate count beside its faces.
fn even_over_normals(points: &[OrientedPoint], count: usize) -> Vec<OrientedPoint> {
    if points.len() <= count {
        return points.to_vec();
    }
    let mut chosen: Vec<bool> = vec![false; points.len()];
    (0..points.len()).step_by(points.len().div_ceil(count / 2)).for_each(|i| chosen[i] = true);
    let mut cells: std::collections::BTreeMap<[i8; 3], Vec<usize>> = std::collections::BTreeMap::new();
    for (i, point) in points.iter().enumerate() {
        // Both signs of a normal share a cell: they are not known of every scan.
        let sign = if point.normal[point.normal.iamax()] < 0.0 { -1.0 } else { 1.0 };
        let cell = (point.normal * (2.5 * sign)).map(|c| c.round() as i8);
        cells.entry(cell.into()).or_default().push(i);
    }
    let share = (count / 2).div_ceil(cells.len().max(1));
    for members in cells.values() {
        members.iter().step_by(members.len().div_ceil(share).max(1)).for_each(|&i| chosen[i] = true);
    }
    points.iter().zip(chosen).filter(|(_, chosen)| *chosen).map(|(point, _)| *point).collect()
}

/// Measures and refines poses of one scan on one nominal. On the processor, whatever the device: samples are small, and
/// many poses are looked at side by side.
pub(super) struct Verifier<'a> {
    surface: &'a Surface,
    /// Some of those that voted.
    coarse: Sample,
    fine: Sample,
    dense: Sample,
    /// Turns of the nominal and of the scan about themselves, which make rivals of a pose.
    turns: Turns,
    translations: Option<TranslationVotes<'a>>,
    spacing_mm: f64,
}

impl<'a> Verifier<'a> {
    /// Picks the points. `scene` are those that voted, `spacing_mm` is the distance between the nominal's.
    pub fn new(
        surface: &'a Surface,
        cloud: &Cloud,
        scan: &PreparedScan,
        model: &[OrientedPoint],
        scene: &[OrientedPoint],
        translations: Option<TranslationVotes<'a>>,
        spacing_mm: f64,
    ) -> Self {
        let oriented = normals::are_oriented(cloud);
        let few = even_over_normals(scene, COARSE_POINTS);
        let points = OrderedPoints::new(&few.iter().map(|p| p.point).collect::<Vec<_>>());
        let facing = few.iter().filter(|_| oriented).map(|p| p.normal).collect();
        let coarse = Sample { points, facing };
        let of_about = |count: usize| {
            let stride = (scan.ordered.points.len() / count).max(1);
            let numbers: Vec<u32> = scan.ordered.numbers.iter().step_by(stride).copied().collect();
            let points: Vec<Point> = numbers.iter().map(|&number| cloud.points[number as usize]).collect();
            let facing = numbers.iter().map_while(|&number| cloud.direction_to_sensor(number as usize));
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
            fine: of_about(FINE_POINTS),
            dense: of_about(DENSE_POINTS),
            turns,
            translations,
            spacing_mm,
        }
    }

    /// The poses that fit, best first.
    pub fn rank(&self, hypotheses: Vec<Pose>, progress: &Progress) -> Result<Vec<Candidate>> {
        progress.report(0.0, "Checking candidate poses")?;
        let mut ranked = self.refined(hypotheses, COARSE, &[], None, &progress.part(0.0, 0.6))?;
        let mut asked: Vec<Pose> = Vec::new();
        for round in 0..ROUNDS {
            progress.report(0.6 + 0.15 * round as f32, "Looking for rival poses")?;
            let Some(best) = ranked.first().map(|best| best.pose) else { break };
            if asked.iter().any(|other| self.is_one(other, &best, ONE_AFTER)) {
                break;
            }
            asked.push(best);
            let least = ranked.first().map(|best| best.coarse_cost);
            let rivals = self.refined(self.rivals(&best), RIVALS, &ranked, least, &progress.part(0.6, 0.9))?;
            ranked.extend(rivals);
            self.keep_best(&mut ranked, ONE_AFTER, FINE + RIVALS);
        }
        // One common truncation, from the noise of the best, decides between poses that differ in details.
        progress.report(0.9, "Comparing candidate poses")?;
        let best_rms = ranked.first().map_or(0.0, |candidate| candidate.rms_mm);
        let gate_mm = (5.0 * best_rms).clamp(10.0 * PRECISION * self.spacing_mm, 0.5 * self.spacing_mm);
        let poses: Vec<Pose> = ranked.iter().map(|candidate| candidate.pose).collect();
        let mut last = self.measured(&self.dense, &poses, gate_mm)?;
        self.keep_best(&mut last, ONE_AFTER, FINE + RIVALS);
        last.retain(|candidate| candidate.cost < 0.98 * gate_mm * gate_mm);
        Ok(last)
    }

    /// Poses that could fit about as well as `best`.
    fn rivals(&self, best: &Pose) -> Vec<Pose> {
        let mut rivals = self.turns.of(best);
        let rotations: Vec<_> = std::iter::once(best).chain(&rivals).map(|pose| pose.rotation).collect();
        rivals.extend(self.translations.iter().flat_map(|votes| votes.over_turns(&rotations)));
        rivals
    }

    /// The best of `hypotheses` after refinement on more and more points, best first, without those that coincide with
    /// one that is `known`. `least` is the coarse cost of the best known.
    fn refined(
        &self,
        hypotheses: Vec<Pose>,
        count: usize,
        known: &[Candidate],
        least: Option<f64>,
        progress: &Progress,
    ) -> Result<Vec<Candidate>> {
        let spacing_mm = self.spacing_mm;
        let mut candidates = self.measured(&self.coarse, &hypotheses, 2.0 * spacing_mm)?;
        let is_known = |pose: &Pose, one| known.iter().any(|other| self.is_one(&other.pose, pose, one));
        candidates.retain(|candidate| !is_known(&candidate.pose, ONE_BEFORE));
        self.keep_best(&mut candidates, ONE_BEFORE, count);
        progress.report(0.2, "Refining candidate poses")?;
        let poses = self.refine(&self.coarse, &candidates, 3.0 * spacing_mm, 25);
        let mut refined = self.measured(&self.fine, &poses, 0.5 * spacing_mm)?;
        refined.iter_mut().for_each(|candidate| candidate.coarse_cost = candidate.cost);
        refined.retain(|candidate| !is_known(&candidate.pose, ONE_AFTER));
        self.keep_best(&mut refined, ONE_AFTER, FINE);
        let own = refined.first().map_or(0.0, |best| best.cost);
        let hopeless = HOPELESS * least.map_or(own, |least| least.min(own)) + (COARSE_PRECISION * spacing_mm).powi(2);
        refined.retain(|candidate| candidate.cost <= hopeless);
        progress.report(0.6, "Comparing candidate poses")?;
        let poses = self.refine(&self.fine, &refined, spacing_mm, 35);
        let mut fine = self.measured(&self.fine, &poses, 0.5 * spacing_mm)?;
        for (own, before) in fine.iter_mut().zip(&refined) {
            own.coarse_cost = before.coarse_cost;
        }
        self.keep_best(&mut fine, ONE_AFTER, FINE);
        Ok(fine)
    }

    fn measured(&self, sample: &Sample, poses: &[Pose], gate_mm: f64) -> Result<Vec<Candidate>> {
        poses.par_iter().map(|pose| self.measure(sample, *pose, gate_mm)).collect()
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
        let deviations = Cpu.compute(&request, &Progress::silent())?;
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
            inside_fraction: inside as f64 / deviations.len().max(1) as f64,
            coarse_cost: f64::INFINITY,
        })
    }

    /// How much of the scan lies on the nominal in `pose`.
    pub fn explained(&self, pose: &Pose) -> Result<Explained> {
        let within_mm = Explained::WITHIN * self.surface.bounds().diagonal();
        let measured = self.measure(&self.dense, *pose, within_mm)?;
        Ok(Explained { fraction: measured.inside_fraction, within_mm })
    }

    /// A short fit of each within `gate_mm`; the pose as it was where it fails.
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
            ..Parameters::default()
        };
        let silent = Progress::silent();
        let fitted = best_fit::run_from_gate(&Cpu, &problem, pose, &parameters, gate_mm, &silent, &mut |_, _| ());
        fitted.map_or(*pose, |alignment| alignment.nominal_from_scan)
    }

    /// Sorts by cost, drops poses that coincide with a better one, keeps `count`.
    fn keep_best(&self, candidates: &mut Vec<Candidate>, one: (f64, f64), count: usize) {
        candidates.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let mut kept: Vec<Candidate> = Vec::with_capacity(count);
        for candidate in candidates.drain(..) {
            if kept.len() < count && !kept.iter().any(|other| self.is_one(&other.pose, &candidate.pose, one)) {
                kept.push(candidate);
            }
        }
        *candidates = kept;
    }

    /// Whether two poses lie within `one` (degrees, share of the diagonal) of each other, at the part.
    fn is_one(&self, a: &Pose, b: &Pose, one: (f64, f64)) -> bool {
        let bounds = self.surface.bounds();
        let centre = bounds.centre();
        let apart = (a.inverse_transform_point(&centre) - b.inverse_transform_point(&centre)).norm();
        apart < one.1 * bounds.diagonal() && a.rotation.angle_to(&b.rotation) < one.0.to_radians()
    }
}

/// How far the second of `ranked` lies behind the first.
pub(super) fn rivals(ranked: &[Candidate], spacing_mm: f64) -> Rivals {
    let least = (PRECISION * spacing_mm).powi(2);
    match ranked {
        [best, next, ..] => Rivals::Nearest { times_worse: (next.cost + least) / (best.cost + least) },
        _ => Rivals::NoneNear,
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
