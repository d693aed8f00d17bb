//! Which of two candidates that explain the same points is the right one: decided where their surfaces differ, by what the
//! sensor saw there, or else by how closely each fits all of the points.

use rayon::prelude::*;

use super::misfit::{self, Witnesses};
use super::model::PartModel;
use super::placement::Placement;
use super::scene::Scene;
use super::search::SAME_POSE;
use super::support::OnSupport;
use super::{Detection, doubt, score};
use geometry::point_pairs::OrientedPoint;

/// Two candidates differ where their surfaces are farther apart than this: in spacings, and in RMS deviations of a fit.
const DIFFERS_SPACINGS: f64 = 1.0;
const DIFFERS_RMS: f64 = 6.0;
/// Distance within which a point of the scene shows a surface, and within which there are points at all, in spacings.
const SHOWS: f64 = 1.0;
const MEASURED: f64 = 2.5;
/// Least evidence that decides, in points of the scene.
const MIN_EVIDENCE: f64 = 5.0;
/// How many times as much must speak for a candidate that hovers where the other rests on the floor or on a wall.
const HOVERING: f64 = 3.0;

/// By how many times what decides a twin is refused without a look at what is missing, and refuses a candidate.
const CLEAR: f64 = 10.0;
const CLEAR_OF_TWIN: f64 = 2.0;

/// One of two candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    First,
    Second,
}

/// Which of two candidates what was seen speaks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// One of them.
    For(Side),
    /// Neither clearly; and the one that would hover where the other rests.
    Open { hovers: Option<Side> },
}

/// A candidate where it fits the points about it best, or its twin there, and those of the points of its details that the sensor
/// would see there if nothing else were.
pub struct Seen<'a> {
    own: &'a Detection,
    model: &'a PartModel<'a>,
    scene: &'a Scene,
    placement: Placement,
    /// Indices of the points of the scene about it.
    near: Vec<u32>,
    facing: Vec<OrientedPoint>,
    on_support: OnSupport,
}

impl<'a> Seen<'a> {
    /// Of a candidate for a part in a scene.
    pub fn new(own: &'a Detection, model: &'a PartModel<'a>, scene: &'a Scene) -> Self {
        let start = &own.scene_from_part;
        let witnesses = Witnesses::about(model, scene, start);
        let fitted = witnesses.fitted(model, std::slice::from_ref(start), misfit::GATE).pop().flatten();
        let fitted = fitted.filter(|(misfit, _)| *misfit < witnesses.of(model, start));
        let near = misfit::near(model, scene, start);
        Self::placed(own, model, scene, Placement::rigid(&fitted.map_or(*start, |(_, fitted)| fitted)), near)
    }

    /// Its twin: its shape, as it lies in the scene.
    pub fn twin(&self, placement: Placement) -> Self {
        Self::placed(self.own, self.model, self.scene, placement, self.near.clone())
    }

    fn placed(
        own: &'a Detection,
        model: &'a PartModel<'a>,
        scene: &'a Scene,
        placement: Placement,
        near: Vec<u32>,
    ) -> Self {
        let faces = |point: &&OrientedPoint| score::faces(model, scene, &placement, point);
        let facing = model.dense.par_iter().filter(faces).copied().collect();
        let on_support = OnSupport::of(model, scene, &placement, &own.points, own.tolerance_mm);
        Self { own, model, scene, placement, near, facing, on_support }
    }

    /// The points about it, by which it and its twins are compared.
    pub fn witnesses(&self) -> Witnesses {
        Witnesses::of_points(self.scene, self.near.clone(), &[(self.model, self.placement)])
    }

    /// Where it lies.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Whether it would hover where another rests.
    fn hovers_where_rests(&self, other: &Self) -> bool {
        self.on_support.hovers && other.on_support.rests
    }

    /// Whether both are fitted to the same pose.
    fn leads_to(&self, other: &Self) -> bool {
        let limit_mm = SAME_POSE * self.model.diameter_mm;
        let is_near = |probe: &OrientedPoint| {
            self.model.is_near(&other.placement.in_part(&self.placement.in_scene(&probe.point)), limit_mm)
        };
        self.own.part == other.own.part && self.model.probes.points.iter().all(is_near)
    }
}

/// Which of two candidates for the same points fits what was seen where they differ; of two that lead to the same pose, the
/// one of the higher score if none fits better. What hovers where the other rests needs more to speak for it.
pub fn of(a: &Seen<'_>, b: &Seen<'_>) -> Preference {
    let decided = |difference: f64, limit: f64| {
        let (better, worse, side) = if difference > 0.0 { (a, b, Side::First) } else { (b, a, Side::Second) };
        let limit = if better.hovers_where_rests(worse) { HOVERING * limit } else { limit };
        (difference.abs() > limit).then_some(side)
    };
    if a.leads_to(b) {
        let by_score = if a.own.score < b.own.score { Side::Second } else { Side::First };
        return Preference::For(decided(gain(a, b), misfit::DECIDES).unwrap_or(by_score));
    }
    let seen = decided(evidence(a, b) - evidence(b, a), MIN_EVIDENCE);
    match seen.or_else(|| decided(gain(a, b), misfit::DECIDES)) {
        Some(side) => Preference::For(side),
        None if a.hovers_where_rests(b) => Preference::Open { hovers: Some(Side::First) },
        None => Preference::Open { hovers: b.hovers_where_rests(a).then_some(Side::Second) },
    }
}

/// Whether what was seen tells a candidate from its twin: a twin that is not looked for refuses it only where it fits clearly
/// better, and what tells them apart must be seen for the candidate to be free of doubt. `None` where it is not.
pub fn beside_twin(own: &Seen<'_>, twin: &Seen<'_>) -> Option<Side> {
    let gain = gain(own, twin) / misfit::DECIDES;
    if gain > CLEAR || twin.on_support.through > doubt::MAX_THROUGH {
        return Some(Side::First);
    }
    let evidence = (evidence(own, twin) - evidence(twin, own)) / MIN_EVIDENCE;
    let decided = |gain: f64, evidence: f64, least: f64| gain.max(evidence) > least && gain.min(evidence) > -1.0;
    if decided(gain, evidence, 1.0) {
        return Some(Side::First);
    }
    decided(-gain, -evidence, CLEAR_OF_TWIN).then_some(Side::Second)
}

/// By how much more the second misfits the points about both than the first, each where it fits them best.
fn gain(a: &Seen<'_>, b: &Seen<'_>) -> f64 {
    let mut near = [a.near.as_slice(), &b.near].concat();
    near.sort_unstable();
    near.dedup();
    let witnesses = Witnesses::of_points(a.scene, near, &[a, b].map(|seen| (seen.model, seen.placement)));
    let [a, b] = [a, b].map(|seen| witnesses.of_placed(seen.model, &seen.placement));
    b - a
}

/// What speaks for a candidate less what speaks against it, where another has no surface: points there less points missing
/// in what was measured all around.
fn evidence(seen: &Seen<'_>, of_other: &Seen<'_>) -> f64 {
    let Seen { own, model, scene, .. } = *seen;
    let other = of_other.own;
    let (placement, spacing_mm) = (&seen.placement, scene.spacing_mm);
    let limit_mm = (DIFFERS_SPACINGS * spacing_mm).max(DIFFERS_RMS * own.fit.rms_mm.max(other.fit.rms_mm));
    let (mut shown, mut missing) = (0, 0);
    for sample in &seen.facing {
        let point = placement.in_scene(&sample.point);
        if of_other.model.is_near(&of_other.placement.in_part(&point), limit_mm / of_other.placement.scale()) {
            continue;
        }
        let normal = placement.direction_to_scene(&sample.normal);
        match scene.nearest(&point, MEASURED * spacing_mm) {
            Some((index, distance_mm)) if distance_mm < SHOWS * spacing_mm => {
                shown += i32::from(scene.cosine(index, &normal) > score::MIN_AGREEMENT);
            }
            Some(_) if !scene.hides(&point, own.tolerance_mm) => missing += 1,
            _ => (),
        }
    }
    let of_one = model.surface.mesh().area_mm2() / (model.dense.len().max(1) as f64 * spacing_mm.powi(2));
    of_one * f64::from(shown - missing)
}
