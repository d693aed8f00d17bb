//! Detection: which known parts lie in a scan, and where, without any guess.
//!
//! 0. Where the sensor stood is found if the scan does not say (`viewpoint`). Planes wider than the parts, such as the floor
//!    and the walls of a bin, are set apart; they still hide what is behind, and nothing lies in them (`background`). What
//!    is left is divided into pieces that no concave edge cuts (`segments`).
//! 1. Parts are prepared from their CAD: the points that can be seen from outside, on its surface and on the rims of its
//!    faces, and all pairs of each (`model`).
//! 2. Such pairs of the scene vote for poses of each part; votes are clustered (`hypotheses`).
//! 3. Each pose is judged by what the sensor should see of the part: measured, missing, hidden, unknown (`score`), and by
//!    the pieces that it cuts through; the best are fitted to the points around them (`refinement`). A part that looks nearly
//!    the same when it is turned is turned as it fits best (`symmetry`).
//! 4. Of poses that explain the same points, what was seen and how closely they fit decides (`preference`, `misfit`), or each
//!    names the other. The mirror image of a part, and parts of its shape in another size, are rivals that need not be looked
//!    for (`twins`). Of all poses of all parts, the set is chosen that explains most of the scene without sharing points or
//!    reaching into each other (`choice`). Of what is found, it is said where what is seen departs from it (`discrepancy`).
//! 5. What is explained is set aside and the rest is searched again, until nothing more is found: parts that are largely
//!    hidden have few of all votes, but many of those that are left. What was found before stays.
//! 6. Parts that were found in an earlier scan of the same scene are looked for first where they were. Each can be measured
//!    by itself (`part_scans`). An alignment to one of them starts where it is found (`start`).
//!
//! Nothing is random, and all sums have a fixed order: the same input gives the same result.

mod background;
mod choice;
mod discrepancy;
mod doubt;
mod explanation;
mod features;
mod hypotheses;
mod misfit;
mod model;
mod part_scans;
mod placement;
mod preference;
pub mod published;
mod recipe;
mod refinement;
mod scene;
mod score;
mod search;
mod segments;
pub mod start;
mod support;
mod symmetry;
mod twins;
mod viewpoint;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::alignment::Alignment;
use crate::parts::Actual;
use base::{Progress, Result, UserError};
use compute::Backend;
pub use compute::pose_scores::Terms;
pub use discrepancy::DetectionLimit;
pub use doubt::Doubt;
pub use explanation::{Explanation, Explanations};
use geometry::{Cloud, Pose};
pub use hypotheses::Generator;
pub use model::PartModel;
pub use part_scans::part_scans;
pub use recipe::DetectionRecipe;
pub use scene::{Scene, Sensor};

/// Points that draw a best fit from where a part was found: largest distance, in RMS of the fit there, and the least of it as a
/// share of the distance within which points count as on the part.
const FIT_GATE_RMS: f64 = 6.0;
const MIN_FIT_GATE: f64 = 0.25;

/// Parameters of a detection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Least score of a part that counts as found, 0 to 1.
    pub min_score: f64,
    /// Least share of what can be said of a pose that speaks for it, the surface it cuts through included, 0 to 1.
    pub min_agreement: f64,
    /// Most searches of what is left; with none, parts are looked for only where they were.
    pub max_rounds: usize,
    /// Most parts of one kind; `None` for any number.
    pub max_of_each: Option<usize>,
    /// How poses are proposed.
    #[serde(default)]
    pub generator: Generator,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { min_score: 0.15, min_agreement: 0.76, max_rounds: 4, max_of_each: None, generator: Generator::default() }
    }
}

/// What is known of a scene before it is searched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Known {
    /// Parts that are there, whatever speaks against them.
    pub accepted: Vec<Placed>,
    /// Parts that are not there: they are not found at these positions, the same way up or not.
    pub refused: Vec<Placed>,
    /// Hashes of the scan's files of which that was said; of another scan it is not true.
    pub scan: Vec<String>,
    /// Where parts were in an earlier scan of this scene: they are looked for there first.
    pub last: Vec<Placed>,
}

impl Known {
    /// Where parts were in an earlier scan.
    pub fn last(last: Vec<Placed>) -> Self {
        Self { last, ..Self::default() }
    }

    /// What of it is true of a scan.
    pub fn of(&self, scan: &Actual) -> Self {
        match self.scan == hashes(scan) {
            true => self.clone(),
            false => Self::last(self.last.clone()),
        }
    }
}

/// Hashes of a scan's files.
pub fn hashes(scan: &Actual) -> Vec<String> {
    scan.sources.iter().map(|source| source.hash.clone()).collect()
}

/// A part in a pose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// Index of the part.
    pub part: usize,
    /// Maps the part into the scene.
    pub scene_from_part: Pose,
}

/// A part found in a scene, or a candidate for one.
#[derive(Clone, Debug)]
pub struct Detection {
    /// Index of the part.
    pub part: usize,
    /// Maps the part into the scene.
    pub scene_from_part: Pose,
    /// What of the part was seen.
    pub terms: Terms,
    /// Share of the pieces of the scene under it (faces joined smoothly or over convex edges) that it covers, 0 to 1: a
    /// piece that goes on beyond it belongs to something else.
    pub coverage: f64,
    /// Its score: that of the terms ([`Terms::score`]), less what it does not cover.
    pub score: f64,
    /// Votes for the pose.
    pub votes: f64,
    /// Round in which it was found, from 1; 0 where it was before.
    pub round: usize,
    /// Fit of the scene's points to it.
    pub fit: Alignment,
    /// Indices of the scene's points on it, ascending.
    pub points: Vec<u32>,
    /// Distance within which they count as on it, mm.
    pub tolerance_mm: f64,
    /// Other poses, of this part or another, that explain the same points about as well: as far as this scan shows, it could
    /// be these.
    pub others: Vec<Placed>,
    /// Why it would not count as found; `None` if it does.
    pub doubt: Option<Doubt>,
    /// Of a part found: where what is seen does not fit it, in words.
    pub misfits: Vec<String>,
    /// Of a part found: which twins of its part it could be as well, in words.
    pub could_be: Vec<String>,
    /// Whether it counts as found because it was said to be there.
    pub is_accepted: bool,
}

impl Detection {
    /// What of it is in doubt, in words; `None` if nothing is. `names`: of all parts looked for.
    pub fn ambiguity(&self, names: &[String]) -> Option<String> {
        let of_others: BTreeSet<usize> =
            self.others.iter().map(|own| own.part).filter(|&own| own != self.part).collect();
        let poses = match self.others.iter().filter(|other| other.part == self.part).count() {
            0 => None,
            1 => Some("1 other pose explains the same points as well".to_owned()),
            n => Some(format!("{n} other poses explain the same points as well")),
        };
        let name = |&part: &usize| format!("“{}”", names.get(part).map_or("another part", String::as_str));
        let of_others: Vec<String> = of_others.iter().map(name).collect();
        let parts = (!of_others.is_empty()).then(|| format!("it could also be {}", of_others.join(" or ")));
        let of_itself = self.reservations().cloned();
        let words: Vec<String> = of_itself.chain(parts).chain(poses).chain(self.fit.doubt()).collect();
        (!words.is_empty()).then(|| words.join("; "))
    }

    /// Why it does not count as found, or what of it is in doubt although it does; `None` if nothing is.
    pub fn doubt_in_words(&self) -> Option<String> {
        let refused = self.doubt.as_ref().map(|doubt| doubt.sentence.clone());
        let of_place = || self.fit.information.is_place_open().then(|| self.fit.doubt()).flatten();
        let in_doubt = || self.reservations().cloned().chain(of_place()).collect::<Vec<_>>().join("; ");
        refused.or_else(|| self.is_in_doubt().then(in_doubt))
    }

    /// What of a part found is in doubt, in words: where it does not fit, and what else it could be.
    pub fn reservations(&self) -> impl Iterator<Item = &String> {
        self.misfits.iter().chain(&self.could_be)
    }

    /// Whether it could be another part, or lie elsewhere along some direction, as far as this scan shows.
    pub fn is_in_doubt(&self) -> bool {
        self.reservations().next().is_some() || self.fit.information.is_place_open()
    }

    /// Whether nothing speaks against it.
    pub fn may_be_right(&self) -> bool {
        self.doubt.as_ref().is_none_or(|doubt| doubt.is_open)
    }

    /// Distance from the part from which on points do not draw a best fit that starts here, mm: among others, these lie on
    /// something else.
    pub fn fit_gate_mm(&self) -> f64 {
        (FIT_GATE_RMS * self.fit.rms_mm).clamp(MIN_FIT_GATE * self.tolerance_mm, self.tolerance_mm)
    }

    /// The part and its pose.
    pub fn placed(&self) -> Placed {
        Placed { part: self.part, scene_from_part: self.scene_from_part }
    }
}

/// What was found in a scene.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The parts, by score.
    pub detections: Vec<Detection>,
    /// The best candidates that do not count as found, by score: of each part that was not found its best.
    pub rejected: Vec<Detection>,
    /// Candidates that do not count as found where nothing was found, by score: some may be right.
    pub possible: Vec<Detection>,
    /// Share of the scene's points, floor and walls left out, on the parts found, 0 to 1.
    pub explained: f64,
    /// What each point of the scan lies on.
    pub explanations: Explanations,
    /// How it is known where the sensor stood.
    pub sensor: Sensor,
    /// What differs by less from the largest part looks like it; `None` before anything was looked for.
    pub detection_limit: Option<DetectionLimit>,
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
    known: &Known,
    progress: &Progress,
) -> Result<Found> {
    let started = std::time::Instant::now();
    if models.is_empty() {
        return Err(UserError::usage("No part to look for is given."));
    }
    let part_mm = models.iter().map(|model| model.diameter_mm).fold(0.0, f64::max);
    let scene = Scene::new(backend, cloud, part_mm, &progress.part(0.0, 0.1))?;
    let mut found = search::run(backend, models, &scene, parameters, known, &progress.part(0.1, 1.0))?;
    found.total_ms = started.elapsed().as_secs_f64() * 1e3;
    Ok(found)
}

#[cfg(test)]
mod tests;
