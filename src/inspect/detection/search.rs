//! The search: rounds of candidates of every part, and the choice among them.

use rayon::prelude::*;

use super::choice;
use super::model::PartModel;
use super::preference::{self, Preference};
use super::scene::Scene;
use super::{Detection, Doubt, Found, Parameters, Placed, doubt, hypotheses, refinement, score, segments};
use base::{Progress, Result};
use compute::Backend;
use geometry::Pose;

/// Hypotheses of a part that are refined, and candidates that are kept.
const REFINED: usize = 160;
const KEPT: usize = 48;
/// Least score of a candidate before the fit, and candidates that are kept whatever it is: the best is named where none is
/// found.
const MIN_COARSE_SCORE: f64 = 0.0;
const ALWAYS_KEPT: usize = 4;
/// Probes of the first and of the last judgement.
pub const COARSE_PROBES: usize = 250;
const FINE_PROBES: usize = 900;
/// Distance within which a probe is explained, as a share of the diameter, before and after the fit.
const COARSE_TOLERANCE: f64 = 0.03;
const FINE_TOLERANCE: f64 = 0.015;
/// The same pose: greatest distance of the surfaces as a share of the diameter, before and after the fit. Poses of nearly
/// symmetric parts lie near each other on average.
const SAME_COARSE_POSE: f64 = 0.02;
const SAME_POSE: f64 = 0.01;
/// Another pose is as good: share of the score, and of the points that both explain.
const RIVAL_SCORE: f64 = 0.8;
const RIVAL_SHARE: f64 = 0.6;
/// Least share of the probes of the smallest part that must be left, as points, for another round.
const MIN_LEFT: f64 = 0.05;

/// Searches a scene; `last`: where parts were before.
///
/// Returns an error if the backend fails, or if the work is cancelled.
pub fn run(
    backend: &dyn Backend,
    models: &[PartModel<'_>],
    scene: &Scene,
    parameters: &Parameters,
    last: &[Placed],
    progress: &Progress,
) -> Result<Found> {
    let mut search = Search {
        backend,
        models,
        scene,
        parameters,
        is_taken: scene.is_background.clone(),
        found: Vec::new(),
        rejected: Vec::new(),
    };
    if !last.is_empty() {
        let candidates = search.where_they_were(last, &progress.part(0.0, 0.1))?;
        search.choose(candidates);
    }
    let mut rounds = 0;
    let first = if last.is_empty() { 0.0 } else { 0.1 };
    let share = |round: usize| first + (1.0 - first) * round as f32 / parameters.max_rounds.max(1) as f32;
    for round in 1..=parameters.max_rounds {
        if search.is_done() {
            break;
        }
        rounds = round;
        let before = search.found.len();
        let candidates = search.all_candidates(round, &progress.part(share(round - 1), share(round)))?;
        search.choose(candidates);
        if search.found.len() == before {
            break;
        }
    }
    let foreground = scene.is_background.iter().filter(|own| !**own).count().max(1) as f64;
    let explained = search.found.iter().map(|own| own.points.len()).sum::<usize>() as f64 / foreground;
    let Search { found: mut detections, mut rejected, .. } = search;
    detections.sort_by(|a, b| b.score.total_cmp(&a.score));
    rejected.retain(|own| !detections.iter().any(|other| other.part == own.part));
    let mut rejected = best_of_each(rejected);
    rejected.sort_by(|a, b| b.score.total_cmp(&a.score));
    Ok(Found { detections, rejected, explained, rounds, total_ms: 0.0 })
}

struct Search<'a> {
    backend: &'a dyn Backend,
    models: &'a [PartModel<'a>],
    scene: &'a Scene,
    parameters: &'a Parameters,
    /// Points of the scene on what was found.
    is_taken: Vec<bool>,
    found: Vec<Detection>,
    rejected: Vec<Detection>,
}

impl Search<'_> {
    /// Whether too little is left for another part.
    fn is_done(&self) -> bool {
        let left = self.is_taken.iter().filter(|taken| !**taken).count();
        let area_mm2 = |model: &PartModel<'_>| model.surface.mesh().area_mm2();
        let smallest_mm2 = self.models.iter().map(area_mm2).fold(f64::INFINITY, f64::min);
        let of_smallest = MIN_LEFT * smallest_mm2 / self.scene.spacing_mm.powi(2);
        left < doubt::MIN_POINTS.max(of_smallest as usize)
    }

    /// Poses near those of an earlier scan.
    fn where_they_were(&self, last: &[Placed], progress: &Progress) -> Result<Vec<Detection>> {
        let counter = progress.counter(last.len(), "Looking where parts were");
        let near: Vec<Detection> = last
            .par_iter()
            .filter(|own| own.part < self.models.len() && counter.step())
            .filter_map(|own| {
                let model = &self.models[own.part];
                let pose = refinement::coarse(model, self.scene, &own.scene_from_part).unwrap_or(own.scene_from_part);
                self.detection(own.part, 0, &pose, 0.0)
            })
            .collect();
        progress.check()?;
        Ok(near)
    }

    /// Poses of all parts in what is left.
    fn all_candidates(&self, round: usize, progress: &Progress) -> Result<Vec<Detection>> {
        let mut candidates = Vec::new();
        for part in 0..self.models.len() {
            let share = |part: usize| part as f32 / self.models.len() as f32;
            candidates.extend(self.candidates(part, round, &progress.part(share(part), share(part + 1)))?);
        }
        Ok(candidates)
    }

    /// Adds those of some candidates that fit together and to what was found.
    fn choose(&mut self, mut candidates: Vec<Detection>) {
        self.compare(&mut candidates);
        let (good, doubtful): (Vec<Detection>, Vec<Detection>) =
            candidates.into_iter().partition(|own| own.doubt.is_none());
        self.rejected.extend(doubtful);
        let free: Vec<Detection> = good
            .into_iter()
            .filter(|own| !self.found.iter().any(|other| choice::conflict(own, other, self.models)))
            .collect();
        let weights: Vec<f64> = free.iter().map(|own| own.score * own.points.len() as f64).collect();
        let conflicts = |a: usize, b: usize| choice::conflict(&free[a], &free[b], self.models);
        let mut chosen: Vec<usize> = choice::best_set(&weights, conflicts);
        chosen.sort_by(|&a, &b| free[b].score.total_cmp(&free[a].score));
        for index in chosen {
            let own = &free[index];
            let of_kind = self.found.iter().filter(|other| other.part == own.part).count();
            if self.parameters.max_of_each.is_none_or(|most| of_kind < most) {
                own.points.iter().for_each(|&point| self.is_taken[point as usize] = true);
                self.found.push(own.clone());
            }
        }
    }

    /// Compares candidates that explain the same points: what tells two apart refuses one of them, or else each names the
    /// other.
    fn compare(&self, candidates: &mut [Detection]) {
        let is_possible = |own: &Detection| own.doubt.as_ref().is_none_or(|doubt| doubt.is_open);
        let possible: Vec<usize> = (0..candidates.len()).filter(|&own| is_possible(&candidates[own])).collect();
        let are_rivals = |a: &Detection, b: &Detection| {
            (a.doubt.is_none() || b.doubt.is_none())
                && a.score.min(b.score) > RIVAL_SCORE * a.score.max(b.score)
                && choice::shared(a, b) > RIVAL_SHARE
        };
        let pairs: Vec<(usize, usize)> = possible
            .par_iter()
            .flat_map_iter(|&a| possible.iter().map(move |&b| (a, b)).filter(|(a, b)| a < b))
            .filter(|&(a, b)| are_rivals(&candidates[a], &candidates[b]))
            .collect();
        let preferences: Vec<Preference> = pairs
            .par_iter()
            .map(|&(a, b)| preference::of(&candidates[a], &candidates[b], self.models, self.scene))
            .collect();
        for (&(a, b), preference) in pairs.iter().zip(preferences) {
            let (better, worse) = match preference {
                Preference::First => (a, b),
                Preference::Second => (b, a),
                Preference::Open => {
                    let (of_a, of_b) = (candidates[a].placed(), candidates[b].placed());
                    candidates[a].others.push(of_b);
                    candidates[b].others.push(of_a);
                    continue;
                }
            };
            let name = &self.models[candidates[better].part].name;
            let sentence = match candidates[better].part == candidates[worse].part {
                true => "another pose of it fits what is seen there better".to_owned(),
                false => format!("“{name}” fits what is seen there better"),
            };
            candidates[worse].doubt = Some(Doubt { sentence, is_open: false });
        }
    }

    /// Poses of a part in what is left of the scene, best first.
    fn candidates(&self, part: usize, round: usize, progress: &Progress) -> Result<Vec<Detection>> {
        let model = &self.models[part];
        let (scene, is_open) = (self.scene, |index: u32| !self.is_taken[index as usize]);
        let hypotheses = hypotheses::find(self.backend, model, scene, is_open, &progress.part(0.0, 0.6))?;
        let coarse_mm = (COARSE_TOLERANCE * model.diameter_mm).max(2.0 * scene.spacing_mm);
        let judged = |pose: &Pose| score::judge(model, scene, pose, coarse_mm, COARSE_PROBES).score();
        // Refined before they are judged: votes locate a part to a tenth of its size, where right and wrong look alike.
        let counter = progress.part(0.6, 0.85).counter(hypotheses.len().min(REFINED), "Refining poses");
        let mut refined: Vec<(f64, Pose, f64)> = hypotheses
            .par_iter()
            .take(REFINED)
            .filter(|_| counter.step())
            .filter_map(|own| {
                let pose = refinement::coarse(model, scene, &own.scene_from_part)?;
                Some((judged(&pose), pose, own.votes))
            })
            .collect();
        progress.check()?;
        refined.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut apart: Vec<(f64, Pose, f64)> = Vec::new();
        for own in refined {
            let limit_mm = SAME_COARSE_POSE * model.diameter_mm;
            let is_hopeless = own.0 < MIN_COARSE_SCORE && apart.len() >= ALWAYS_KEPT;
            if is_hopeless || apart.len() == KEPT {
                break;
            }
            if apart.iter().all(|other| !model.is_within(&own.1, &other.1, limit_mm)) {
                apart.push(own);
            }
        }
        let counter = progress.part(0.85, 1.0).counter(apart.len(), "Fitting poses");
        let mut candidates: Vec<Detection> = apart
            .par_iter()
            .filter(|_| counter.step())
            .filter_map(|(_, pose, votes)| self.detection(part, round, pose, *votes))
            .collect();
        progress.check()?;
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        let mut unlike: Vec<Detection> = Vec::new();
        for own in candidates {
            let limit_mm = SAME_POSE * model.diameter_mm;
            let pose = &own.scene_from_part;
            if unlike.iter().all(|other| !model.is_within(pose, &other.scene_from_part, limit_mm)) {
                unlike.push(own);
            }
        }
        Ok(unlike)
    }

    /// A candidate, fitted and judged; `None` if there is nothing about it to fit to.
    fn detection(&self, part: usize, round: usize, pose: &Pose, votes: f64) -> Option<Detection> {
        let (model, scene) = (&self.models[part], self.scene);
        let fit = refinement::fine(model, scene, pose).ok()?;
        let scene_from_part = fit.nominal_from_scan.inverse();
        let tolerance_mm = (FINE_TOLERANCE * model.diameter_mm).max(1.5 * scene.spacing_mm).max(3.0 * fit.rms_mm);
        let tolerance_mm = tolerance_mm.min(COARSE_TOLERANCE * model.diameter_mm);
        let terms = score::judge(model, scene, &scene_from_part, tolerance_mm, FINE_PROBES);
        let points = score::explained(model, scene, &scene_from_part, tolerance_mm);
        let near = scene.near(&(scene_from_part * model.centre()), 0.5 * model.diameter_mm);
        let coverage = segments::coverage(&scene.pieces, &near, &points);
        let mut own = Detection {
            part,
            scene_from_part,
            terms,
            coverage,
            score: terms.score() - (1.0 - coverage),
            votes,
            round,
            fit,
            points,
            tolerance_mm,
            others: Vec::new(),
            doubt: None,
        };
        own.doubt = doubt::of(&own, model, scene, self.parameters);
        Some(own)
    }
}

/// Of the candidates of each part its best.
fn best_of_each(mut candidates: Vec<Detection>) -> Vec<Detection> {
    candidates.sort_by(|a, b| a.part.cmp(&b.part).then(b.score.total_cmp(&a.score)));
    candidates.dedup_by_key(|own| own.part);
    candidates
}
