//! Detection: which known parts lie in a scan, and where, without any guess.
//!
//! 0. Planes wider than the parts, such as a floor, are set apart; they still hide what is behind (`background`).
//! 1. Parts are prepared from their CAD: the points that can be seen from outside, and all pairs of them (`model`).
//! 2. Point pairs of the scene vote for poses of each part; votes are clustered (`hypotheses`).
//! 3. Each pose is judged by what the sensor should see of the part: measured, missing, hidden, unknown (`score`), and the
//!    best are fitted to the points around them (`refinement`).
//! 4. Of all poses of all parts, the set is chosen that explains most of the scene without sharing points or reaching into
//!    each other (`choice`).
//! 5. What is explained is set aside and the rest is searched again, until nothing more is found: parts that are largely
//!    hidden have few of all votes, but many of those that are left. What was found before stays.
//!
//! Nothing is random, and all sums have a fixed order: the same input gives the same result.

mod background;
mod choice;
mod hypotheses;
mod model;
mod range_image;
mod recipe;
mod refinement;
mod scene;
mod score;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::alignment::Alignment;
use base::{Progress, Result, UserError};
use compute::Backend;
use geometry::{Cloud, Pose, Vector, transform};
pub use model::PartModel;
pub use recipe::DetectionRecipe;
pub use scene::Scene;
pub use score::Terms;

/// Parameters of a detection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Least score of a part that counts as found, 0 to 1.
    pub min_score: f64,
    /// Least share of what can be said of a pose that speaks for it, 0 to 1.
    pub min_agreement: f64,
    /// Most searches of what is left.
    pub max_rounds: usize,
    /// Most parts of one kind; `None` for any number.
    pub max_of_each: Option<usize>,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { min_score: 0.18, min_agreement: 0.72, max_rounds: 4, max_of_each: None }
    }
}

/// Hypotheses of a part that are refined, and candidates that are kept.
const REFINED: usize = 160;
const KEPT: usize = 24;
/// Probes of the first and of the last judgement.
const COARSE_PROBES: usize = 250;
const FINE_PROBES: usize = 900;
/// Distance within which a probe is explained, as a share of the diameter, before and after the fit.
const COARSE_TOLERANCE: f64 = 0.03;
const FINE_TOLERANCE: f64 = 0.015;
/// Another pose is as good: share of the score, and of the points that both explain.
const RIVAL_SCORE: f64 = 0.9;
const RIVAL_SHARE: f64 = 0.6;
/// The same pose: mean distance of the surfaces as a share of the diameter.
const SAME_POSE: f64 = 0.08;
/// Least number of probes that explain a part, and of points of the scene on it.
const MIN_EXPLAINED: u32 = 40;
const MIN_POINTS: usize = 60;
/// Least share of the second direction of the surface among the points on a part: on one plane, its position is not known.
const MIN_SECOND_DIRECTION: f64 = 0.02;
/// How far a part on one plane is moved to see whether its position is known, as a share of its diameter, and the
/// share of its score that then speaks against that.
const SLIDE: f64 = 0.1;
const MAX_SLIDING_SCORE: f64 = 0.85;

/// A part found in a scene, or a candidate for one.
#[derive(Clone, Debug)]
pub struct Detection {
    /// Index of the part.
    pub part: usize,
    /// Maps the part into the scene.
    pub scene_from_part: Pose,
    /// What of the part was seen.
    pub terms: Terms,
    /// Its score; see [`Terms::score`].
    pub score: f64,
    /// Votes for the pose.
    pub votes: f64,
    /// Round in which it was found, from 1.
    pub round: usize,
    /// Fit of the scene's points to it.
    pub fit: Alignment,
    /// Indices of the scene's points on it, ascending.
    pub points: Vec<u32>,
    /// Distance within which they count as on it, mm.
    pub tolerance_mm: f64,
    /// Other poses that explain the same points about as well: as far as this scan shows, the part could lie so.
    pub others: Vec<Pose>,
    /// Why it does not count as found; `None` if it does.
    pub doubt: Option<String>,
}

impl Detection {
    /// What the pose leaves open, in words; `None` if it leaves nothing open.
    pub fn ambiguity(&self) -> Option<String> {
        let others = match self.others.len() {
            0 => None,
            1 => Some("1 other pose explains the same points as well".to_owned()),
            n => Some(format!("{n} other poses explain the same points as well")),
        };
        let words: Vec<String> = others.into_iter().chain(self.fit.doubt()).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }
}

/// What was found in a scene.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The parts, by score.
    pub detections: Vec<Detection>,
    /// The best candidates that do not count as found, by score: of each part its best.
    pub rejected: Vec<Detection>,
    /// Share of the scene's points, floor and walls left out, on the parts found, 0 to 1.
    pub explained: f64,
    /// Rounds searched.
    pub rounds: usize,
    /// Time, ms.
    pub total_ms: f64,
}

/// Looks for parts in a scan.
///
/// Returns an error if there are no parts, if the scan has too few points, if the backend fails, or if the work is
/// cancelled.
pub fn run(
    backend: &dyn Backend,
    models: &[PartModel<'_>],
    cloud: &Cloud,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Found> {
    let started = std::time::Instant::now();
    if models.is_empty() {
        return Err(UserError::usage("No part to look for is given."));
    }
    let part_mm = models.iter().map(|model| model.diameter_mm).fold(0.0, f64::max);
    let scene = Scene::new(backend, cloud, part_mm, &progress.part(0.0, 0.1))?;
    let mut search = Search {
        backend,
        models,
        scene: &scene,
        parameters,
        is_taken: scene.is_background.clone(),
        found: Vec::new(),
        rejected: Vec::new(),
    };
    let mut rounds = 0;
    for round in 1..=parameters.max_rounds.max(1) {
        let share = |round: usize| 0.1 + 0.9 * round as f32 / parameters.max_rounds.max(1) as f32;
        rounds = round;
        let before = search.found.len();
        search.round(round, &progress.part(share(round - 1), share(round)))?;
        let left = search.is_taken.iter().filter(|taken| !**taken).count();
        if search.found.len() == before || left < MIN_POINTS {
            break;
        }
    }
    let foreground = scene.is_background.iter().filter(|own| !**own).count().max(1) as f64;
    let explained = search.found.iter().map(|own| own.points.len()).sum::<usize>() as f64 / foreground;
    let Search { mut found, mut rejected, .. } = search;
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    rejected.retain(|own| !found.iter().any(|other| other.part == own.part));
    rejected.sort_by(|a, b| b.score.total_cmp(&a.score));
    let total_ms = started.elapsed().as_secs_f64() * 1e3;
    Ok(Found { detections: found, rejected, explained, rounds, total_ms })
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
    /// Searches what is left; adds what is found.
    fn round(&mut self, round: usize, progress: &Progress) -> Result<()> {
        let mut candidates = Vec::new();
        for part in 0..self.models.len() {
            let share = |part: usize| part as f32 / self.models.len() as f32;
            candidates.extend(self.candidates(part, round, &progress.part(share(part), share(part + 1)))?);
        }
        let (good, doubtful): (Vec<Detection>, Vec<Detection>) =
            candidates.into_iter().partition(|own| own.doubt.is_none());
        self.rejected.extend(best_of_each(doubtful));
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
        Ok(())
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
            let is_new = apart.iter().all(|other| model.distance_mm(&own.1, &other.1) > SAME_POSE * model.diameter_mm);
            if is_new && apart.len() < KEPT {
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
            let pose = &own.scene_from_part;
            let is_near =
                |other: &Detection| model.distance_mm(pose, &other.scene_from_part) < SAME_POSE * model.diameter_mm;
            if !unlike.iter().any(is_near) {
                unlike.push(own);
            }
        }
        let rivals: Vec<Vec<Pose>> = unlike.iter().map(|own| rivals(own, &unlike)).collect();
        unlike.iter_mut().zip(rivals).for_each(|(own, rivals)| own.others = rivals);
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
        let score = terms.score();
        let doubt = self.doubt(model, &scene_from_part, &terms, &points, tolerance_mm);
        let others = Vec::new();
        Some(Detection { part, scene_from_part, terms, score, votes, round, fit, points, tolerance_mm, others, doubt })
    }

    /// Why a candidate does not count as found.
    fn doubt(
        &self,
        model: &PartModel<'_>,
        pose: &Pose,
        terms: &Terms,
        points: &[u32],
        tolerance_mm: f64,
    ) -> Option<String> {
        let Parameters { min_score, min_agreement, .. } = *self.parameters;
        if terms.explained < MIN_EXPLAINED || points.len() < MIN_POINTS {
            return Some(format!("only {} points of the scene lie on it: too few to decide by", points.len()));
        }
        if terms.agreement() < min_agreement {
            return Some(format!(
                "{:.0} % of what should be seen of it is not there",
                100.0 * (1.0 - terms.agreement())
            ));
        }
        if terms.unknown > terms.explained {
            return Some(format!(
                "{:.0} % of what should be seen of it was not measured, more than was",
                100.0 * f64::from(terms.unknown) / f64::from(terms.facing)
            ));
        }
        if terms.score() < min_score {
            return Some(format!("only {:.0} % of it is seen", 100.0 * terms.visible_fraction()));
        }
        let (normal, second) = self.directions(points);
        if second < MIN_SECOND_DIRECTION && self.slides(model, pose, &normal, terms.score(), tolerance_mm) {
            return Some("all that is seen of it is one plane, along which it could lie elsewhere".to_owned());
        }
        None
    }

    /// Whether a part fits about as well when it is moved along a plane: then its outline does not show where it lies.
    fn slides(&self, model: &PartModel<'_>, pose: &Pose, normal: &Vector, score: f64, tolerance_mm: f64) -> bool {
        let [u, v] = transform::perpendicular_axes(normal);
        [u, -u, v, -v].iter().any(|direction| {
            let moved = Pose::from(nalgebra::Translation3::from(direction * (SLIDE * model.diameter_mm))) * pose;
            let terms = score::judge(model, self.scene, &moved, tolerance_mm, COARSE_PROBES);
            terms.score() > MAX_SLIDING_SCORE * score
        })
    }

    /// The main direction of the normals of some points, and the share of the second, 0 to 0.5: 0 on a plane.
    fn directions(&self, points: &[u32]) -> (Vector, f64) {
        let mut scatter = nalgebra::Matrix3::zeros();
        for &index in points {
            let normal = self.scene.points[index as usize].normal;
            scatter += normal * normal.transpose();
        }
        let eigen = scatter.symmetric_eigen();
        let mut shares: Vec<f64> = eigen.eigenvalues.iter().map(|own| own.max(0.0)).collect();
        shares.sort_by(|a, b| b.total_cmp(a));
        let main = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
        (main, shares.get(1).copied().unwrap_or(0.0) / shares.iter().sum::<f64>().max(1e-12))
    }
}

/// Poses of other candidates that explain the same points about as well.
fn rivals(own: &Detection, candidates: &[Detection]) -> Vec<Pose> {
    let is_rival = |other: &&Detection| {
        other.scene_from_part != own.scene_from_part
            && other.doubt.is_none()
            && other.score > RIVAL_SCORE * own.score
            && choice::shared(own, other) > RIVAL_SHARE
    };
    candidates.iter().filter(is_rival).map(|other| other.scene_from_part).collect()
}

/// Of the candidates of each part its best.
fn best_of_each(mut candidates: Vec<Detection>) -> Vec<Detection> {
    candidates.sort_by(|a, b| a.part.cmp(&b.part).then(b.score.total_cmp(&a.score)));
    candidates.dedup_by_key(|own| own.part);
    candidates
}

#[cfg(test)]
mod tests;
