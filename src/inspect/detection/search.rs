//! The search: rounds of candidates of every part, and the choice among them.

mod settling;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use rayon::prelude::*;

use super::choice;
use super::discrepancy::DetectionLimit;
use super::hypotheses::{Evidence, Generator, Hypothesis as Start};
use super::model::PartModel;
use super::preference::{self, Preference, Seen, Side};
use super::refinement::Closeness;
use super::scene::Scene;
use super::symmetry::{Lying, Turned};
use super::{
    Detection, Doubt, Explanations, Found, Known, Parameters, Placed, Terms, doubt, hypotheses, misfit, refinement,
    score, symmetry, twins,
};
use crate::alignment::Alignment;
use base::{Progress, Result, UserError, once};
use compute::Backend;
use geometry::Pose;
use geometry::point_pairs::OrientedPoint;

/// Candidates of a part that are kept.
const KEPT: usize = 48;
/// Least score of a candidate before the fit, and candidates that are kept whatever it is: the best is named where none is
/// found.
const MIN_COARSE_SCORE: f64 = 0.0;
const ALWAYS_KEPT: usize = 4;
/// Probes of the first and of the last judgement.
const COARSE_PROBES: usize = 250;
pub const FINE_PROBES: usize = 900;
/// Distance within which a probe is explained, as a share of the diameter, before and after the fit.
const COARSE_TOLERANCE: f64 = 0.03;
const FINE_TOLERANCE: f64 = 0.015;
/// Cells of the points that candidates are fitted to, as a share of the spacing of the points that vote.
const FINE_CELL: f64 = 0.4;
/// A candidate is fitted no further if its score or its agreement is this far below the least, with what of the surface under it
/// goes on beyond it or without.
const HOPELESS_MARGIN: f64 = 0.1;
/// The same pose: greatest distance of the surfaces as a share of the diameter, before and after the fit. Poses of nearly
/// symmetric parts lie near each other on average.
const SAME_COARSE_POSE: f64 = 0.02;
pub const SAME_POSE: f64 = 0.01;
/// Another pose is as good: share of the score, and of the points that both explain.
const RIVAL_SCORE: f64 = 0.8;
const RIVAL_SHARE: f64 = 0.6;
/// How much less the score of a turned pose may be that fits the points better.
const SCORE_MARGIN: f64 = 0.005;
/// A pose is at a position at which the part is said not to be, the same way up or not: greatest mean distance of the surfaces, as
/// a share of the diameter.
const REFUSED_POSE: f64 = 0.1;
/// Candidates that may be right: least score, most of the points that they may share with what was found or is better, and
/// how many of a part.
const MIN_POSSIBLE_SCORE: f64 = 0.05;
const MAX_POSSIBLE_SHARED: f64 = 0.3;
const MAX_POSSIBLE: usize = 5;
/// Least share of the probes of the smallest part that must be left, as points, for another round.
const MIN_LEFT: f64 = 0.05;

/// Searches a scene.
///
/// Returns an error if the backend fails, or if the work is cancelled.
pub fn run(
    backend: &dyn Backend,
    models: &[PartModel<'_>],
    scene: &Scene,
    parameters: &Parameters,
    known: &Known,
    progress: &Progress,
) -> Result<Found> {
    let mut search = Search {
        backend,
        quiet: progress.quiet(),
        models,
        scene,
        parameters,
        known,
        is_taken: scene.is_background.clone(),
        found: Vec::new(),
        rejected: Vec::new(),
        fine_points: models.iter().map(|_| OnceLock::new()).collect(),
    };
    search.accept(&progress.part(0.0, 0.05))?;
    let is_tracked = !known.last.is_empty();
    if is_tracked {
        let candidates = search.near(&known.last, &progress.part(0.05, 0.1))?;
        search.choose(candidates);
    }
    let mut rounds = 0;
    let first = if is_tracked { 0.1 } else { 0.0 };
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
    search.settle()?;
    search.reserve();
    let foreground = scene.is_background.iter().filter(|own| !**own).count().max(1) as f64;
    let explained = search.found.iter().map(|own| own.points.len()).sum::<usize>() as f64 / foreground;
    let possible = search.possible();
    let Search { found: mut detections, mut rejected, .. } = search;
    detections.sort_by(|a, b| b.score.total_cmp(&a.score));
    rejected.retain(|own| !detections.iter().any(|other| other.part == own.part));
    let mut rejected = best_of_each(rejected);
    rejected.sort_by(|a, b| b.score.total_cmp(&a.score));
    let explanations = Explanations::new(scene, &detections);
    let largest = models.iter().max_by(|a, b| a.diameter_mm.total_cmp(&b.diameter_mm));
    Ok(Found {
        detections,
        rejected,
        possible,
        explained,
        explanations,
        sensor: scene.sensor,
        detection_limit: largest.map(|model| DetectionLimit::for_part(model, scene)),
        rounds,
        total_ms: 0.0,
    })
}

struct Search<'a> {
    backend: &'a dyn Backend,
    /// Asked whether to go on by what is computed at once.
    quiet: Progress,
    models: &'a [PartModel<'a>],
    scene: &'a Scene,
    parameters: &'a Parameters,
    known: &'a Known,
    /// Points of the scene on what was found.
    is_taken: Vec<bool>,
    found: Vec<Detection>,
    rejected: Vec<Detection>,
    /// By part: the points that its candidates are fitted to.
    fine_points: Vec<OnceLock<Vec<OrientedPoint>>>,
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

    /// Poses near some.
    fn near(&self, placed: &[Placed], progress: &Progress) -> Result<Vec<Detection>> {
        let mut near = Vec::new();
        for part in 0..self.models.len() {
            progress.report(part as f32 / self.models.len() as f32, "Looking where parts were")?;
            let starts = placed.iter().filter(|own| own.part == part);
            let starts: Vec<Start> =
                starts.map(|own| Start { scene_from_part: own.scene_from_part, votes: 0.0 }).collect();
            if !starts.is_empty() {
                let model = &self.models[part];
                let points = self.scene.sample(model.spacing_mm, |index| !self.scene.is_background[index as usize]);
                let judged = self.coarse(part, &points, &starts)?;
                near.extend(self.fine(part, 0, judged.into_iter().map(|(_, start)| start).collect())?);
            }
        }
        Ok(near)
    }

    /// Takes the parts that are said to be there.
    fn accept(&mut self, progress: &Progress) -> Result<()> {
        for placed in &self.known.accepted {
            let candidates = self.near(std::slice::from_ref(placed), progress)?;
            let Some(own) = candidates.into_iter().max_by(|a, b| a.score.total_cmp(&b.score)) else {
                let name = self.models.get(placed.part).map_or("The part", |model| &model.name);
                return Err(UserError::input(format!(
                    "“{name}” was said to be where the scan has too few points now; take that back."
                )));
            };
            self.take(Detection { is_accepted: true, ..own });
        }
        Ok(())
    }

    fn take(&mut self, own: Detection) {
        own.points.iter().for_each(|&point| self.is_taken[point as usize] = true);
        self.found.push(own);
    }

    /// Whether a pose is where the part is said not to be.
    fn is_refused(&self, part: usize, scene_from_part: &Pose) -> bool {
        let model = &self.models[part];
        let of_part = self.known.refused.iter().filter(|own| own.part == part);
        let limit_mm = REFUSED_POSE * model.diameter_mm;
        of_part.into_iter().any(|own| model.distance_mm(scene_from_part, &own.scene_from_part) < limit_mm)
    }

    /// Candidates where nothing was found, of each part some.
    fn possible(&self) -> Vec<Detection> {
        let mut of_part = vec![0; self.models.len()];
        let mut all: Vec<&Detection> = self.rejected.iter().filter(|own| own.score > MIN_POSSIBLE_SCORE).collect();
        all.sort_by(|a, b| b.score.total_cmp(&a.score));
        let mut possible: Vec<Detection> = Vec::new();
        for own in all {
            let is_elsewhere = |other: &Detection| choice::shared(own, other) < MAX_POSSIBLE_SHARED;
            if of_part[own.part] < MAX_POSSIBLE && self.found.iter().chain(&possible).all(is_elsewhere) {
                of_part[own.part] += 1;
                possible.push(own.clone());
            }
        }
        possible
    }

    /// Poses of all parts in what is left, the parts side by side.
    fn all_candidates(&self, round: usize, progress: &Progress) -> Result<Vec<Detection>> {
        // Here, not by each part at once.
        self.scene.rims();
        let counter = progress.counter(self.models.len(), "Looking for parts");
        let of_part = |part: usize| match counter.step() {
            true => self.candidates(part, round, &progress.quiet()),
            false => Ok(Vec::new()),
        };
        let candidates: Vec<Vec<Detection>> =
            (0..self.models.len()).into_par_iter().map(of_part).collect::<Result<_>>()?;
        progress.check()?;
        Ok(candidates.into_iter().flatten().collect())
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
        let (free, chosen) = self.chosen(free);
        for index in chosen {
            let own = &free[index];
            let of_kind = self.found.iter().filter(|other| other.part == own.part).count();
            if self.parameters.max_of_each.is_none_or(|most| of_kind < most) {
                self.take(own.clone());
            }
        }
    }

    /// The best set of some candidates, by their indices, best first. Of those of a set that a twin of their part refuses, the rest
    /// is chosen anew without them.
    fn chosen(&mut self, mut free: Vec<Detection>) -> (Vec<Detection>, Vec<usize>) {
        loop {
            let weights: Vec<f64> = free.iter().map(|own| own.score * own.points.len() as f64).collect();
            let conflicts = |a: usize, b: usize| choice::conflict(&free[a], &free[b], self.models);
            let mut chosen: Vec<usize> = choice::best_set(&weights, conflicts);
            let refused: BTreeMap<usize, String> = chosen
                .par_iter()
                .filter(|&&index| !free[index].is_accepted)
                .filter_map(|&index| {
                    Some((index, twins::of(&free[index], self.model(&free[index]), self.scene).refused?))
                })
                .collect();
            if refused.is_empty() {
                chosen.sort_by(|&a, &b| free[b].score.total_cmp(&free[a].score));
                return (free, chosen);
            }
            for (index, sentence) in refused.into_iter().rev() {
                let own = free.remove(index);
                self.rejected.push(Detection { doubt: Some(Doubt { sentence, is_open: false }), ..own });
            }
        }
    }

    fn model(&self, own: &Detection) -> &PartModel<'_> {
        &self.models[own.part]
    }

    /// Compares candidates that explain the same points: what tells two apart refuses one of them, or else each names the
    /// other.
    fn compare(&self, candidates: &mut [Detection]) {
        let possible: Vec<usize> = (0..candidates.len()).filter(|&own| candidates[own].may_be_right()).collect();
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
        let compared: BTreeSet<usize> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
        let seen = |index: usize| Seen::new(&candidates[index], &self.models[candidates[index].part], self.scene);
        let seen: BTreeMap<usize, Seen<'_>> = compared.into_par_iter().map(|index| (index, seen(index))).collect();
        let of_pair = |(a, b): &(usize, usize)| preference::of(&seen[a], &seen[b]);
        let preferences: Vec<Preference> = pairs.par_iter().map(of_pair).collect();
        drop(seen);
        // What a twin of its part refuses refuses nothing itself.
        let better = pairs.iter().zip(&preferences).filter_map(|(&(a, b), preference)| match preference {
            Preference::For(Side::First) => Some(a),
            Preference::For(Side::Second) => Some(b),
            Preference::Open { .. } => None,
        });
        let better: BTreeSet<usize> = better.filter(|&own| candidates[own].doubt.is_none()).collect();
        let refused: BTreeMap<usize, String> = better
            .into_par_iter()
            .filter_map(|own| {
                let candidate = &candidates[own];
                Some((own, twins::of(candidate, self.model(candidate), self.scene).refused?))
            })
            .collect();
        for (&own, sentence) in &refused {
            candidates[own].doubt = Some(Doubt { sentence: sentence.clone(), is_open: false });
        }
        for ((a, b), preference) in pairs.into_iter().zip(preferences) {
            let [first, second] = [(a, b), (b, a)];
            let pair = |side: Side| if side == Side::First { first } else { second };
            match preference {
                Preference::For(side) if refused.contains_key(&pair(side).0) => {}
                Preference::For(side) => self.refuse(candidates, pair(side)),
                Preference::Open { hovers } => {
                    let (of_a, of_b) = (candidates[a].placed(), candidates[b].placed());
                    candidates[a].others.push(of_b);
                    candidates[b].others.push(of_a);
                    if let Some(side) = hovers {
                        self.doubt_hovering(candidates, pair(side));
                    }
                }
            }
        }
    }

    /// Refuses the second of two candidates, given by their indices, for the first.
    fn refuse(&self, candidates: &mut [Detection], (better, worse): (usize, usize)) {
        let name = &self.models[candidates[better].part].name;
        let sentence = match candidates[better].part == candidates[worse].part {
            true => "another pose of it fits what is seen there better".to_owned(),
            false => format!("“{name}” fits what is seen there better"),
        };
        candidates[worse].doubt = Some(Doubt { sentence, is_open: false });
    }

    /// Doubts the first of two candidates, which would hover where the second rests, if nothing else speaks against either.
    fn doubt_hovering(&self, candidates: &mut [Detection], (hovers, rests): (usize, usize)) {
        if candidates[hovers].doubt.is_none() && candidates[rests].doubt.is_none() {
            let name = &self.models[candidates[rests].part].name;
            let sentence = format!("it would hover where “{name}” rests, which looks the same");
            candidates[hovers].doubt = Some(Doubt { sentence, is_open: true });
        }
    }

    /// Poses of a part in what is left of the scene, best first.
    fn candidates(&self, part: usize, round: usize, progress: &Progress) -> Result<Vec<Detection>> {
        let model = &self.models[part];
        let points = self.scene.sample(model.spacing_mm, |index| !self.is_taken[index as usize]);
        let rims = self.scene.sample_rims(model.spacing_mm, |index| !self.is_taken[index as usize]);
        let generator = self.parameters.generator;
        let close = match generator {
            Generator::PairVotes => Vec::new(),
            _ => self.scene.sample(model.features().spacing_mm, |index| !self.is_taken[index as usize]),
        };
        let evidence = Evidence { points: &points, rims: &rims, close: &close, oriented: self.scene.oriented };
        let hypotheses = hypotheses::find(self.backend, model, &evidence, generator, progress)?;
        // Fitted before they are judged: votes locate a part to a tenth of its size, where right and wrong look alike.
        let mut judged = self.coarse(part, &points, &hypotheses)?;
        judged.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut apart = unlike(model, judged, SAME_COARSE_POSE, |(_, own)| &own.scene_from_part);
        let hopeful = apart.iter().filter(|(score, _)| *score >= MIN_COARSE_SCORE).count();
        apart.truncate(hopeful.clamp(ALWAYS_KEPT, KEPT));
        let apart = apart.into_iter().map(|(_, own)| own).collect();
        progress.check()?;
        let candidates = self.fine(part, round, apart)?;
        progress.check()?;
        let turned =
            unturned(model, candidates).into_par_iter().map(|own| progress.check().and_then(|()| self.turned(own)));
        let mut candidates = turned.collect::<Result<Vec<Detection>>>()?;
        progress.check()?;
        candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(best_of_alike(model, candidates, SAME_POSE, |own| &own.scene_from_part, fits_better))
    }

    /// Poses fitted roughly to some points of the scene, with their scores.
    fn coarse(&self, part: usize, points: &[OrientedPoint], starts: &[Start]) -> Result<Vec<(f64, Start)>> {
        let (model, scene) = (&self.models[part], self.scene);
        let poses: Vec<Pose> = starts.iter().map(|own| own.scene_from_part).collect();
        let fitted = refinement::of_many(self.backend, model, scene, points, &poses, Closeness::Coarse, &self.quiet)?;
        let found = starts.iter().zip(fitted);
        let found: Vec<Start> = found
            .filter_map(|(start, fitted)| Some(Start { scene_from_part: fitted?.0, votes: start.votes }))
            .collect();
        let tolerance_mm = (COARSE_TOLERANCE * model.diameter_mm).max(2.0 * scene.spacing_mm);
        let poses: Vec<Pose> = found.iter().map(|own| own.scene_from_part).collect();
        let tolerances_mm = vec![tolerance_mm; poses.len()];
        let terms = score::judge(self.backend, model, scene, &poses, &tolerances_mm, COARSE_PROBES, &self.quiet)?;
        Ok(terms.iter().map(|own| own.score()).zip(found).collect())
    }

    /// The points that the candidates of a part are fitted to.
    fn fine_points(&self, part: usize) -> &[OrientedPoint] {
        once::get_or_make::<Vec<OrientedPoint>>(&self.fine_points[part], || {
            let cell_mm = FINE_CELL * self.models[part].spacing_mm;
            self.scene.sample(cell_mm, |index| !self.scene.is_background[index as usize])
        })
    }

    /// Candidates, fitted and judged; without those that have nothing about them to be fitted to.
    fn fine(&self, part: usize, round: usize, starts: Vec<Start>) -> Result<Vec<Detection>> {
        let (model, scene) = (&self.models[part], self.scene);
        let points = self.fine_points(part);
        let poses: Vec<Pose> = starts.iter().map(|own| own.scene_from_part).collect();
        let fitted = refinement::of_many(self.backend, model, scene, points, &poses, Closeness::Fine, &self.quiet)?;
        let found: Vec<(Start, f64)> = starts
            .iter()
            .zip(fitted)
            .filter_map(|(start, fitted)| {
                let (scene_from_part, rms_mm) = fitted.filter(|own| !self.is_refused(part, &own.0))?;
                Some((Start { scene_from_part, votes: start.votes }, rms_mm))
            })
            .collect();
        let poses: Vec<Pose> = found.iter().map(|(own, _)| own.scene_from_part).collect();
        let tolerances_mm: Vec<f64> = found.iter().map(|(_, rms_mm)| self.tolerance_mm(model, *rms_mm)).collect();
        let terms = score::judge(self.backend, model, scene, &poses, &tolerances_mm, FINE_PROBES, &self.quiet)?;
        let mut judged: Vec<(Terms, Start)> = terms.into_iter().zip(found.into_iter().map(|(own, _)| own)).collect();
        judged.sort_by(|a, b| b.0.score().total_cmp(&a.0.score()));
        // What is far from being found is only named.
        let apart = unlike(model, judged, SAME_POSE, |(_, own)| &own.scene_from_part).into_par_iter().enumerate();
        let hopeful =
            apart.filter(|(at, (terms, own))| *at == 0 || self.is_hopeful(model, terms, &own.scene_from_part));
        let hopeful: Vec<Start> = hopeful.map(|(_, (_, own))| own).collect();
        let exact: Vec<(Start, Alignment)> = hopeful
            .into_par_iter()
            .filter_map(|own| {
                let fit = refinement::last(model, scene, points, &own.scene_from_part, &self.quiet).ok()?;
                Some((Start { scene_from_part: fit.nominal_from_scan.inverse(), votes: own.votes }, fit))
            })
            .collect();
        let poses: Vec<Pose> = exact.iter().map(|(own, _)| own.scene_from_part).collect();
        let tolerances_mm: Vec<f64> = exact.iter().map(|(_, fit)| self.tolerance_mm(model, fit.rms_mm)).collect();
        let terms = score::judge(self.backend, model, scene, &poses, &tolerances_mm, FINE_PROBES, &self.quiet)?;
        // Of those that are refuted already, some are named.
        let mut named = 0;
        let is_kept = |terms: &Terms| {
            let may_pass = doubt::may_pass(terms, self.parameters);
            named += usize::from(!may_pass);
            may_pass || named <= ALWAYS_KEPT
        };
        let is_kept: Vec<bool> = terms.iter().map(is_kept).collect();
        let all = exact.into_par_iter().zip(terms).zip(tolerances_mm).zip(is_kept).filter(|(_, is_kept)| *is_kept);
        Ok(all
            .map(|((((own, fit), terms), tolerance), _)| self.detection(part, round, own, fit, terms, tolerance))
            .collect())
    }

    /// Whether a pose may be found when it is fitted exactly.
    fn is_hopeful(&self, model: &PartModel<'_>, terms: &Terms, scene_from_part: &Pose) -> bool {
        let is_enough = |covers: f64| {
            terms.score() - (1.0 - covers) > self.parameters.min_score - HOPELESS_MARGIN
                && terms.agreement() * covers > self.parameters.min_agreement - HOPELESS_MARGIN
        };
        let tolerance_mm = self.tolerance_mm(model, 0.0);
        is_enough(1.0) && is_enough(score::about_coverage(model, self.scene, scene_from_part, tolerance_mm))
    }

    /// A candidate, turned as it fits best: about axes that its points leave open, and by motions that map its part nearly onto
    /// itself; with those that fit as well.
    fn turned(&self, own: Detection) -> Result<Detection> {
        if !own.may_be_right() {
            return Ok(own);
        }
        let model = &self.models[own.part];
        let open = symmetry::open_turns(model, &own.fit.information);
        let mut own = own;
        let mut lying: Option<(Pose, Lying<'_>)> = None;
        for turns in [&open, &model.turns] {
            if turns.is_empty() {
                continue;
            }
            let known = lying.filter(|(pose, _)| *pose == own.scene_from_part).map(|(_, lying)| lying);
            let now = known.or_else(|| Lying::new(model, self.scene, &own.scene_from_part));
            let Some(now) = now else { break };
            let pose = own.scene_from_part;
            own = self.turned_by(own, now.turned(turns))?;
            lying = Some((pose, now));
        }
        Ok(own)
    }

    fn turned_by(&self, own: Detection, turned: Turned) -> Result<Detection> {
        let best = turned.best.map(|best| self.judged(&own, &best)).transpose()?.flatten();
        // Where the points do not decide, what was seen beside them may.
        let is_better = |best: &Detection| turned.is_clear || best.score > own.score - SCORE_MARGIN;
        let (mut chosen, rest) = match best {
            Some(best) if is_better(&best) && turned.is_clear => (best, None),
            Some(best) if is_better(&best) => (Detection { others: own.others, ..best }, Some(own.scene_from_part)),
            _ => (own, turned.best),
        };
        let others = rest.into_iter().chain(turned.others);
        let placed = |pose| Placed { part: chosen.part, scene_from_part: pose };
        chosen.others.extend(others.map(placed));
        Ok(chosen)
    }

    /// A candidate in another pose; `None` if there is too little about it.
    fn judged(&self, own: &Detection, scene_from_part: &Pose) -> Result<Option<Detection>> {
        let (model, scene) = (&self.models[own.part], self.scene);
        let points = self.fine_points(own.part);
        let Ok(fit) = refinement::last(model, scene, points, scene_from_part, &self.quiet) else { return Ok(None) };
        let start = Start { scene_from_part: fit.nominal_from_scan.inverse(), votes: own.votes };
        let tolerance_mm = self.tolerance_mm(model, fit.rms_mm);
        let terms = score::judge(
            self.backend,
            model,
            scene,
            &[start.scene_from_part],
            &[tolerance_mm],
            FINE_PROBES,
            &self.quiet,
        )?;
        let terms = terms.into_iter().next();
        Ok(terms.map(|terms| self.detection(own.part, own.round, start, fit, terms, tolerance_mm)))
    }

    /// Distance within which points count as on a part that was fitted with an RMS deviation.
    fn tolerance_mm(&self, model: &PartModel<'_>, rms_mm: f64) -> f64 {
        let tolerance_mm = (FINE_TOLERANCE * model.diameter_mm).max(1.5 * self.scene.spacing_mm).max(3.0 * rms_mm);
        tolerance_mm.min(COARSE_TOLERANCE * model.diameter_mm)
    }

    fn detection(
        &self,
        part: usize,
        round: usize,
        start: Start,
        fit: Alignment,
        terms: Terms,
        tolerance_mm: f64,
    ) -> Detection {
        let (model, scene, scene_from_part) = (&self.models[part], self.scene, start.scene_from_part);
        let (points, coverage) = score::explained(model, scene, &scene_from_part, tolerance_mm);
        let mut own = Detection {
            part,
            scene_from_part,
            terms,
            coverage,
            score: terms.score() - (1.0 - coverage),
            votes: start.votes,
            round,
            fit,
            points,
            tolerance_mm,
            others: Vec::new(),
            doubt: None,
            misfits: Vec::new(),
            could_be: Vec::new(),
            is_accepted: false,
        };
        own.doubt = doubt::of(&own, model, scene, self.parameters);
        own
    }
}

/// Candidates of a part without those to which a known turn leads from a better one: that is turned as it fits best, too.
fn unturned(model: &PartModel<'_>, mut candidates: Vec<Detection>) -> Vec<Detection> {
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    let limit_mm = SAME_POSE * model.diameter_mm;
    let mut kept: Vec<Detection> = Vec::new();
    for own in candidates {
        let leads_to = |other: &Detection| {
            other.may_be_right()
                && model
                    .turns
                    .iter()
                    .any(|turn| model.is_within(&own.scene_from_part, &(other.scene_from_part * turn), limit_mm))
        };
        if !kept.iter().any(leads_to) {
            kept.push(own);
        }
    }
    kept
}

/// Of some poses of a part, best first, those that look like none before: in which some probe is farther from the surface
/// than a share of the diameter.
pub fn unlike<T>(model: &PartModel<'_>, all: Vec<T>, share: f64, pose_of: impl Fn(&T) -> &Pose) -> Vec<T> {
    best_of_alike(model, all, share, pose_of, |_, _| false)
}

/// As [`unlike`], but one that is better than the one kept of its like replaces it.
fn best_of_alike<T>(
    model: &PartModel<'_>,
    all: Vec<T>,
    share: f64,
    pose_of: impl Fn(&T) -> &Pose,
    is_better: impl Fn(&T, &T) -> bool,
) -> Vec<T> {
    let limit_mm = share * model.diameter_mm;
    let mut unlike: Vec<T> = Vec::new();
    for own in all {
        match unlike.iter_mut().find(|other| model.is_within(pose_of(&own), pose_of(other), limit_mm)) {
            Some(other) if is_better(&own, other) => *other = own,
            Some(_) => {}
            None => unlike.push(own),
        }
    }
    unlike
}

/// Whether a candidate fits its points clearly closer than another that looks like it: a detail may be turned that the score
/// does not see.
fn fits_better(own: &Detection, other: &Detection) -> bool {
    let points = own.points.len().min(other.points.len()) as f64;
    own.doubt.is_none() >= other.doubt.is_none() && points * (other.fit.rms_mm / own.fit.rms_mm).ln() > misfit::DECIDES
}

/// Of the candidates of each part its best.
fn best_of_each(mut candidates: Vec<Detection>) -> Vec<Detection> {
    candidates.sort_by(|a, b| a.part.cmp(&b.part).then(b.score.total_cmp(&a.score)));
    candidates.dedup_by_key(|own| own.part);
    candidates
}
