//! Twins of a part that nobody looks for and that may lie there in its stead: its mirror image, as left and right parts of a
//! pair are, and parts of its shape in another size. They are rivals of every candidate: one that fits better refuses it, and
//! where what tells them apart is not seen, that is said.
//!
//! No model of a twin is made: to fit a mirrored or scaled part to points is to fit the part to points that are mirrored or
//! scaled the other way.

use rayon::prelude::*;

use super::Detection;
use super::misfit::Witnesses;
use super::model::PartModel;
use super::placement::Placement;
use super::preference::{self, Seen, Side};
use super::scene::Scene;
use super::search::{SAME_POSE, unlike};
use geometry::{Point, Pose, Vector};

/// Sizes of the twins, over that of the part.
const SCALES: [f64; 4] = [0.95, 1.05, 0.9, 1.1];
/// Distance from which on points are not drawn to a scaled twin at first, as a share of the diameter: at the ends of a part it is
/// off by up to half of what it is larger by.
const SCALED_GATE: f64 = 0.04;
/// The same for a mirrored one, of which it is known about how it lies.
const MIRRORED_GATE: f64 = 0.02;
/// Points that a scaled twin is fitted to.
const SCALED_POINTS: usize = 1_000;
const MIRRORED_POINTS: usize = 1_500;
/// Mirrored twins that are fitted and compared, of those that explain the points best; and how near those before a fit are that
/// count as one, as a share of the diameter.
const FITTED: usize = 10;
const ALIKE: f64 = 0.02;

/// What the twins of a part say of a candidate for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Twins {
    /// Which twin fits clearly better, in words.
    pub refused: Option<String>,
    /// Which twins it could be as well, in words.
    pub open: Vec<String>,
}

/// Compares a candidate with the twins of its part.
pub fn of(own: &Detection, model: &PartModel<'_>, scene: &Scene) -> Twins {
    let seen = Seen::new(own, model, scene);
    let witnesses = seen.witnesses();
    let mut twins = Twins::default();
    match of_mirrored(&seen, &witnesses, model) {
        Some(Side::First) => {}
        Some(Side::Second) => twins.refused = Some("its mirror image fits what is seen there better".to_owned()),
        None => twins.open.push("it could be its mirror image: what tells them apart is not seen".to_owned()),
    }
    let about = centroid(own, scene, &seen);
    let sides: Vec<Option<Side>> =
        SCALES.par_iter().map(|scale| of_scaled(&seen, &witnesses, model, &about, *scale)).collect();
    let which =
        |wanted: Option<Side>| SCALES.iter().zip(&sides).find(|(_, side)| **side == wanted).map(|(own, _)| *own);
    if let Some(scale) = which(Some(Side::Second)) {
        let sentence = format!("a part of its shape but about {} fits what is seen there better", size(scale));
        twins.refused.get_or_insert(sentence);
    }
    if let Some(scale) = which(None) {
        let other = format!("it could be a part of its shape but {}: what tells them apart is not seen", size(scale));
        twins.open.push(other);
    }
    twins
}

fn size(scale: f64) -> String {
    let percent = 100.0 * (scale - 1.0).abs();
    format!("{percent:.0} % {}", if scale > 1.0 { "larger" } else { "smaller" })
}

/// Centroid of the points on a candidate, in the frame of the part: where a part in another size agrees with it.
fn centroid(own: &Detection, scene: &Scene, seen: &Seen<'_>) -> Point {
    let sum: Vector = own.points.iter().map(|&index| scene.points[index as usize].point.coords).sum();
    seen.placement().in_part(&Point::from(sum / own.points.len().max(1) as f64))
}

/// Which of a candidate and its part in another size was seen.
fn of_scaled(seen: &Seen<'_>, witnesses: &Witnesses, model: &PartModel<'_>, about: &Point, scale: f64) -> Option<Side> {
    let base = seen.placement().after(&Placement::scaled(about, scale));
    let points = witnesses.in_frame_of(&base, SCALED_POINTS);
    let fitted = points.fitted(model, &[Pose::identity()], SCALED_GATE).pop().flatten();
    // What cannot be fitted at all lies nowhere about there.
    let Some((_, pose)) = fitted else { return Some(Side::First) };
    preference::beside_twin(seen, &seen.twin(base.after(&Placement::rigid(&pose))))
}

/// Which of a candidate and the mirror image of its part was seen; the candidate for parts that are their own mirror image.
fn of_mirrored(seen: &Seen<'_>, witnesses: &Witnesses, model: &PartModel<'_>) -> Option<Side> {
    let image = &model.mirror_image;
    let base = seen.placement().after(&image.mirror);
    let points = witnesses.in_frame_of(&base, MIRRORED_POINTS);
    let rough = image.turns.par_iter().map(Pose::inverse).map(|pose| (points.roughly(model, &pose), pose));
    let mut rough: Vec<(f64, Pose)> = rough.collect();
    rough.sort_by(|a, b| a.0.total_cmp(&b.0));
    let starts: Vec<Pose> =
        unlike(model, rough, ALIKE, |(_, pose)| pose).into_iter().map(|(_, pose)| pose).take(FITTED).collect();
    let mut fitted: Vec<(f64, Pose)> = points.fitted(model, &starts, MIRRORED_GATE).into_iter().flatten().collect();
    fitted.sort_by(|a, b| a.0.total_cmp(&b.0));
    // Several may fit the points as well, and differ in what of them should be seen beside these.
    let fitted = unlike(model, fitted, SAME_POSE, |(_, pose)| pose);
    let twins = fitted.into_par_iter().map(|(_, pose)| seen.twin(base.after(&Placement::rigid(&pose))));
    let sides: Vec<Option<Side>> = twins.map(|twin| preference::beside_twin(seen, &twin)).collect();
    match sides.iter().find(|side| **side == Some(Side::Second)) {
        Some(refused) => *refused,
        None if sides.contains(&None) => None,
        None => Some(Side::First),
    }
}
