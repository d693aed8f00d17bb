//! The training of the weights of the published search, on piles whose truth is known, with scenes and parts held out.
#![expect(clippy::indexing_slicing, reason = "each index comes from the table that it is used on")]

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::detect::pile;
use super::detect_data;
use super::detect_tally::is_right;
use super::poses::{Part, models_of};
use super::published_detection::{CONFIGURATIONS, best, scene_of, search};
use base::hash::bytes_hash;
use base::{Progress, Result, UserError};
use geometry::Surface;
use inspect::detection::published::{Aim, Example, Known, Lesson, Pool, WEIGHTS, Weights, learned, quality};
use inspect::detection::{PartModel, Placed};
use inspect::simulation::pile::Pile;
use io::atomic::write_bytes;

/// Parts of which less is visible need not be found by what is learned.
const MIN_VISIBLE: f64 = 0.1;
/// Rounds of choosing by what was learned and learning from what was chosen.
const ROUNDS: usize = 3;
/// Weights that the six terms have: all but those of the last four.
const OF_SIX: [bool; WEIGHTS] =
    [true, true, true, true, true, true, false, false, false, false, true, true, true, true];
/// Indices of two of the weights.
const UNEXPLAINED: usize = WEIGHTS - 3;
const OVERLAP: usize = WEIGHTS - 2;

/// Weights of all configurations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trained {
    pub schema: String,
    /// What the scenes were taken with.
    pub sensor: String,
    /// Which they are, and the hash of what lies in them; none where weights were set by hand.
    pub trained_on: String,
    pub hash: String,
    pub ten_terms: Weights,
    pub six_terms: Weights,
    pub first_stage: Weights,
    pub second_stage: Weights,
}

const SCHEMA: &str = "shadowgraph.published_weights/1";

impl Default for Trained {
    fn default() -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            sensor: "none".to_owned(),
            trained_on: "none: set by hand".to_owned(),
            hash: String::new(),
            ten_terms: Weights { overlap: 0.0, ..Weights::of_ten() },
            six_terms: Weights::default(),
            first_stage: Weights { unexplained: 0.0, ..Weights::default() },
            second_stage: Weights::default(),
        }
    }
}

impl Trained {
    /// Writes them to a file.
    pub fn write(&self, path: &Path) -> Result<()> {
        let bytes = serde_json::to_vec_pretty(self)
            .map_err(|e| UserError::internal(format!("The weights could not be written: {e}.")))?;
        write_bytes(path, &bytes)
    }

    /// Reads them from a file.
    pub fn read(path: &Path) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|e| UserError::file("read", path, &e))?;
        let own: Self = serde_json::from_slice(&bytes)
            .map_err(|e| UserError::input(format!("“{}” holds no weights: {e}.", path.display())))?;
        match own.schema == SCHEMA {
            true => Ok(own),
            false => Err(UserError::input(format!("“{}” is of another version.", path.display()))),
        }
    }
}

/// Poses to choose from in a pile, and what of it is there: of the parts not found before.
struct Exercise {
    pool: Pool,
    /// By sample: the part of the pile that it is, if any.
    is: Vec<Option<usize>>,
    there: usize,
    /// See [`detect_data::truth`].
    truth: Value,
}

impl Exercise {
    fn new(parts: &[&Part], models: &[PartModel<'_>], pile: &Pile, pool: Pool, is_found: &[bool]) -> Self {
        let of_sample = |own: &Placed| {
            let mut placed = 0..pile.parts.len();
            placed
                .find(|&index| !is_found[index] && is_right(models, &pile.parts[index], own.part, &own.scene_from_part))
        };
        let is = pool.samples.iter().map(|own| of_sample(&own.placed())).collect();
        let wanted = pile.parts.iter().zip(is_found);
        let there = wanted.filter(|(own, found)| !**found && own.visible_fraction >= MIN_VISIBLE).count();
        Self { pool, is, there, truth: detect_data::truth(parts, pile) }
    }

    /// The best sets under some weights, with what in them is right.
    fn examples(&self, weights: &Weights) -> Vec<Example> {
        let of_set = |chosen: &[usize]| {
            let parts: BTreeSet<usize> = chosen.iter().filter_map(|&own| self.is[own]).collect();
            let right = parts.len();
            Example { weighed: self.pool.weighed(chosen), right, wrong: chosen.len() - right }
        };
        self.pool.anneal(weights).iter().map(|own| of_set(&own.chosen)).collect()
    }
}

/// Learns from exercises: chooses by what was learned, and learns from that, several times.
fn learn(exercises: &[Exercise], start: &Weights, aim: Aim, is_free: [bool; WEIGHTS]) -> Weights {
    let mut lessons: Vec<Lesson> =
        exercises.iter().map(|own| Lesson { there: own.there, ..Lesson::default() }).collect();
    let mut weights = *start;
    for _ in 0..ROUNDS {
        for (own, lesson) in exercises.iter().zip(&mut lessons) {
            lesson.examples.extend(own.examples(&weights));
        }
        weights = learned(&lessons, &weights, aim, is_free);
    }
    weights
}

/// Every other part: `which` is 0 for the first and those after it, 1 for the others.
fn every_other(parts: &[Part], which: usize) -> Vec<&Part> {
    parts.iter().skip(which).step_by(2).collect()
}

/// Poses to choose from in piles of some parts; with the weights of a first stage, in what that leaves.
fn exercises(
    parts: &[&Part],
    numbers: Range<u64>,
    first_stage: Option<&Weights>,
    arguments: &Bench,
) -> Result<Vec<Exercise>> {
    let surfaces: Vec<&Surface> = parts.iter().map(|own| &own.surface).collect();
    let models = models_of(parts.iter().copied())?;
    let known: Vec<Known<'_>> = models.iter().map(Known::new).collect();
    let of_pile = |number: u64| -> Result<Exercise> {
        let (pile, _) = pile(&surfaces, number, arguments)?;
        let scene = scene_of(&models, &pile)?;
        let silent = Progress::silent();
        let search = search(&known, &scene, &silent)?;
        let mut is_found = vec![false; pile.parts.len()];
        let first = Exercise::new(parts, &models, &pile, search.pool(&[])?, &is_found);
        let Some(weights) = first_stage else { return Ok(first) };
        let chosen = best(&first.pool, weights);
        chosen.iter().filter_map(|&own| first.is[own]).for_each(|index| is_found[index] = true);
        let explained = chosen.iter().flat_map(|&own| first.pool.samples[own].segments.iter().copied());
        let explained: Vec<u32> = explained.collect();
        Ok(Exercise::new(parts, &models, &pile, search.pool(&explained)?, &is_found))
    };
    numbers.into_par_iter().map(of_pile).collect()
}

/// Hash of what lies in the piles of some exercises.
fn hash(exercises: &[Exercise]) -> String {
    let all: Vec<&Value> = exercises.iter().map(|own| &own.truth).collect();
    bytes_hash(json!(all).to_string().as_bytes())
}

/// Learns all weights from piles of every other part, and compares them with those set by hand on the piles that follow, of the
/// other parts: held out by scene and by part.
pub fn train(parts: &[Part], numbers: Range<u64>, arguments: &Bench) -> Result<(Trained, Vec<Value>)> {
    let taught = every_other(parts, 0);
    let first = exercises(&taught, numbers.clone(), None, arguments)?;
    let hand = Trained::default();
    let fixed = |fixed: usize, free: [bool; WEIGHTS]| std::array::from_fn(|index| index != fixed && free[index]);
    let first_stage = learn(&first, &hand.first_stage, Aim::Precision, fixed(UNEXPLAINED, OF_SIX));
    let six_terms = learn(&first, &hand.six_terms, Aim::Both, OF_SIX);
    let second = exercises(&taught, numbers.clone(), Some(&first_stage), arguments)?;
    let trained = Trained {
        sensor: format!("simulated, {} pixels along a side", arguments.pixels),
        trained_on: format!("piles {} to {} of every other part from the first", numbers.start, numbers.end - 1),
        hash: hash(&first),
        ten_terms: learn(&first, &hand.ten_terms, Aim::Both, fixed(OVERLAP, [true; WEIGHTS])),
        second_stage: learn(&second, &six_terms, Aim::Both, OF_SIX),
        six_terms,
        first_stage,
        ..hand.clone()
    };
    let next = numbers.end..2 * numbers.end - numbers.start;
    let held_out = exercises(&every_other(parts, 1), next, None, arguments)?;
    let configurations = |own: &Trained| [own.ten_terms, own.six_terms, own.first_stage];
    let mut rows = Vec::new();
    for (which, weights) in [("set by hand", configurations(&hand)), ("trained", configurations(&trained))] {
        for (case, weights) in CONFIGURATIONS.iter().zip(weights) {
            for (on, exercises) in [("training", &first), ("held out", &held_out)] {
                rows.push(row(case, which, on, exercises, &weights));
            }
        }
    }
    Ok((trained, rows))
}

/// What weights choose in exercises.
fn row(case: &str, which: &str, on: &str, exercises: &[Exercise], weights: &Weights) -> Value {
    let chosen = |own: &Exercise| own.examples(weights).into_iter().take(1).collect();
    let lessons: Vec<Lesson> = exercises.iter().map(|own| Lesson { there: own.there, examples: chosen(own) }).collect();
    let [precision, recall] = quality(&lessons, weights);
    let f1 = 2.0 * precision * recall / (precision + recall).max(1e-9);
    json!({ "case": case, "weights": which, "scenes": on, "precision": precision, "recall": recall, "f1": f1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_read_again_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weights.json");
        let mut own = Trained::default();
        own.six_terms.terms = std::array::from_fn(|index| (index as f64 + 0.1).sqrt() / 3.0);
        own.write(&path).unwrap();
        assert_eq!(Trained::read(&path).unwrap(), own);
        own.schema = "shadowgraph.published_weights/0".to_owned();
        own.write(&path).unwrap();
        assert!(Trained::read(&path).is_err() && Trained::read(&folder.path().join("none")).is_err());
    }
}
